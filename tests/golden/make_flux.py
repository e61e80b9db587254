"""Makes tiny random-weight FLUX.1 pipelines (dev and schnell) and their goldens with stock diffusers.

    python make_flux.py             # needs requirements.txt and sd1_tiny/tokenizer; about a minute on one core

Writes flux_tiny/ (dev: guidance as an input, shift by size) and flux_schnell_tiny/ (neither; it has no VAE and no text
encoders of its own: those of flux_tiny serve), flux_tiny.safetensors (tensors) and flux_tiny.json (index of the
cases). Everything is f32 on the CPU, one thread, fixed seeds.
"""

import json, math, shutil
from pathlib import Path

import diffusers, safetensors.torch, tokenizers, torch, transformers
from diffusers import AutoencoderKL, FlowMatchEulerDiscreteScheduler, FluxPipeline, FluxTransformer2DModel
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTokenizer, PreTrainedTokenizerFast, T5Config, T5EncoderModel

from make_z_image import CORPUS, capture, coarse_randn, relative

HERE = Path(__file__).parent
MODEL, SCHNELL = HERE / "flux_tiny", HERE / "flux_schnell_tiny"


def t5_tokenizer():
    """A unigram model with T5's ends, normaliser and spaces."""
    tok = tokenizers.Tokenizer(tokenizers.models.Unigram())
    tok.normalizer = tokenizers.normalizers.Sequence([
        tokenizers.normalizers.NFKC(), tokenizers.normalizers.Replace(tokenizers.Regex(" {2,}"), " ")])
    tok.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace()
    tok.decoder = tokenizers.decoders.Metaspace()
    tok.train_from_iterator(CORPUS, tokenizers.trainers.UnigramTrainer(
        vocab_size=180, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False))
    tok.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", tok.token_to_id("</s>"))])
    return PreTrainedTokenizerFast(tokenizer_object=tok, pad_token="<pad>", eos_token="</s>", unk_token="<unk>")


@torch.no_grad()
def randomise(model, seed, gains=()):
    """Every parameter gets a spread at which mistakes show and activations stay of order one."""
    gen = torch.Generator().manual_seed(seed)
    for name, p in sorted(model.named_parameters()):
        gain = next((g for part, g in gains if part in name), 1.0)
        if "norm" in name and "linear" not in name:
            p.copy_(coarse_randn(p.shape, 0.25, gen) + (gain if name.endswith("weight") else 0.0))
        elif p.ndim == 1:
            p.copy_(coarse_randn(p.shape, 0.125 * gain, gen))
        elif "embedding" in name or "shared" in name or "embed_tokens" in name or "attention_bias" in name:
            p.copy_(coarse_randn(p.shape, gain, gen))
        else:
            p.copy_(coarse_randn(p.shape, gain / math.sqrt(p[0].numel()), gen))
        assert torch.equal(p, p.bfloat16().float()) and torch.equal(p, p.half().float())
    return model.eval()


def transformer(seed, **kw):
    return randomise(FluxTransformer2DModel(
        patch_size=1, in_channels=64, attention_head_dim=16, num_attention_heads=2, joint_attention_dim=24,
        pooled_projection_dim=20, axes_dims_rope=(4, 6, 6), **kw,
    ), seed, [("norm_q", 1.5), ("norm_k", 1.5), ("norm_added", 1.5), ("time_text_embed", 1.5), ("norm1", 0.5),
              (".norm.linear", 0.5)])


def build():
    t5_tok = t5_tokenizer()
    clip_tok = CLIPTokenizer.from_pretrained(HERE / "sd1_tiny" / "tokenizer")
    clip_tok.pad_token = clip_tok.eos_token
    clip = randomise(CLIPTextModel(CLIPTextConfig(
        vocab_size=len(clip_tok), hidden_size=20, intermediate_size=44, num_hidden_layers=2, num_attention_heads=2,
        hidden_act="quick_gelu", max_position_embeddings=77, bos_token_id=len(clip_tok) - 2,
        eos_token_id=len(clip_tok) - 1, pad_token_id=len(clip_tok) - 1,
    )), 11, [("embedding", 0.5)])
    t5 = randomise(T5EncoderModel(T5Config(
        vocab_size=len(t5_tok), d_model=24, d_kv=8, d_ff=40, num_layers=3, num_heads=4, feed_forward_proj="gated-gelu",
        relative_attention_num_buckets=32, relative_attention_max_distance=128, tie_word_embeddings=False,
    )), 12, [("SelfAttention.q", 0.4), ("attention_bias", 1.0)])
    vae = randomise(AutoencoderKL(
        block_out_channels=[8, 8, 8, 12], norm_num_groups=4, layers_per_block=1, latent_channels=16,
        down_block_types=["DownEncoderBlock2D"] * 4, up_block_types=["UpDecoderBlock2D"] * 4, sample_size=128,
        scaling_factor=0.3611, shift_factor=0.1159, use_quant_conv=False, use_post_quant_conv=False,
    ), 13, [("decoder.conv_out", 0.8)])
    dev = transformer(14, num_layers=2, num_single_layers=3, guidance_embeds=True)
    schnell = transformer(15, num_layers=1, num_single_layers=1, guidance_embeds=False)
    dynamic = FlowMatchEulerDiscreteScheduler(
        use_dynamic_shifting=True, shift=3.0, base_shift=0.5, max_shift=1.15, base_image_seq_len=256, max_image_seq_len=4096)
    static = FlowMatchEulerDiscreteScheduler(use_dynamic_shifting=False, shift=1.0)
    parts = dict(vae=vae, text_encoder=clip, tokenizer=clip_tok, text_encoder_2=t5, tokenizer_2=t5_tok)
    pipes = {"dev": FluxPipeline(scheduler=dynamic, transformer=dev, **parts),
             "schnell": FluxPipeline(scheduler=static, transformer=schnell, **parts)}
    for folder in (MODEL, SCHNELL):
        shutil.rmtree(folder, ignore_errors=True)
    pipes["dev"].save_pretrained(MODEL)
    for junk in MODEL.rglob("README.md"):
        junk.unlink()
    # Published models keep CLIP's tokenizer as vocabulary and merges.
    shutil.rmtree(MODEL / "tokenizer")
    shutil.copytree(HERE / "sd1_tiny" / "tokenizer", MODEL / "tokenizer")
    schnell.save_pretrained(SCHNELL / "transformer")
    static.save_pretrained(SCHNELL / "scheduler")
    return pipes


LONG = " ".join(f"{CORPUS[i % len(CORPUS)]}, {i}" for i in range(70))
CASES = {  # name: model, prompt, negative, width, height, steps, guidance, true CFG, seed, batch
    "dev": ("dev", "a red apple on a wooden table", None, 64, 64, 4, 3.5, 1.0, 0, 1),
    "dev_wide": ("dev", "a fox in the snow, soft light", None, 128, 48, 3, 2.0, 1.0, 42, 1),
    "dev_tall_batch": ("dev", "the sea at night", None, 80, 112, 3, 4.5, 1.0, 1000, 2),
    "dev_cfg": ("dev", "portrait of a woman, oil painting", "blurry, low quality", 64, 96, 3, 3.5, 2.5, 7, 1),
    "dev_long": ("dev", LONG, None, 64, 64, 2, 3.5, 1.0, 8, 1),
    "dev_unicode": ("dev", "ein Fuchs \u2014 Cafe\u0301  two\nlines \U0001f98a", None, 64, 64, 2, 3.5, 1.0, 2**32 + 9, 1),
    "schnell": ("schnell", "a yellow lemon on a blue background", None, 96, 64, 4, 0.0, 1.0, 3, 1),
    "schnell_empty_batch": ("schnell", "", None, 64, 64, 1, 0.0, 1.0, 4, 2),
}


def run_case(pipe, case):
    model, prompt, negative, width, height, steps, guidance, cfg, seed, batch = case
    pipe.scheduler = FlowMatchEulerDiscreteScheduler.from_config(pipe.scheduler.config)
    step_latents = []

    def on_step(_pipe, i, _t, kw):
        step_latents.append(FluxPipeline._unpack_latents(kw["latents"], height, width, 8).clone())
        return {}

    image = pipe(
        prompt, negative_prompt=negative, true_cfg_scale=cfg, width=width, height=height, num_inference_steps=steps,
        guidance_scale=guidance, num_images_per_prompt=batch, output_type="pt", return_dict=False,
        max_sequence_length=512 if model == "dev" else 256, callback_on_step_end=on_step,
        generator=[torch.Generator().manual_seed(seed + i) for i in range(batch)],
    )[0]
    return torch.stack(step_latents), image


def encode(pipe, prompt, length):
    ids = pipe.tokenizer_2(prompt, padding="max_length", max_length=length, truncation=True, return_tensors="pt").input_ids
    embeds, pooled, _ = pipe.encode_prompt(prompt, None, max_sequence_length=length)
    return {"t5_ids": ids[0], "prompt_embeds": embeds[0, ::16], "pooled": pooled[0]}


@torch.no_grad()
def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    transformers.logging.set_verbosity_error()
    diffusers.logging.set_verbosity_error()
    pipes = build()
    versions = {m.__name__: m.__version__ for m in (torch, diffusers, transformers, tokenizers)}
    out, index = {}, {"versions": versions, "cases": []}
    for pipe in pipes.values():
        pipe.set_progress_bar_config(disable=True)
    for name, case in CASES.items():
        model, prompt, negative, width, height, steps, guidance, cfg, seed, batch = case
        pipe = pipes[model]
        keys = ("model", "prompt", "negative_prompt", "width", "height", "steps", "guidance", "cfg", "seed", "batch")
        encoded = encode(pipe, prompt, 512 if model == "dev" else 256)
        out.update({f"{name}/{k}": v for k, v in encoded.items()})
        latents, image = run_case(pipe, case)
        assert latents.isfinite().all() and 0.05 < image.std() < 0.45, (name, image.std())
        out[f"{name}/sigmas"] = pipe.scheduler.sigmas
        out[f"{name}/latents"] = latents
        out[f"{name}/image"] = (image * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
        index["cases"].append({"name": name} | dict(zip(keys, case)))
        print(f"{name:20} latents std {latents[-1].std():.2f}, image {image.mean():.2f} +- {image.std():.2f}")
    t = pipes["dev"].transformer
    parts = {"temb": t.time_text_embed, "double0": t.transformer_blocks[0], "velocity": t}
    seen = capture({k: m for k, m in parts.items() if k != "double0"}, lambda: run_case(pipes["dev"], CASES["dev"]))
    out.update({f"dev/inner/{k}": v for k, v in seen.items()})
    safetensors.torch.save_file({k: v.contiguous() for k, v in sorted(out.items())}, HERE / "flux_tiny.safetensors")
    (HERE / "flux_tiny.json").write_text(json.dumps(index, indent=1, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    main()
