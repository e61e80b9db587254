"""Makes tiny random-weight Stable Diffusion pipelines (1, 2 with v-prediction, XL) and their goldens with stock diffusers.

    python make_stable_diffusion.py bpe_simple_vocab_16e6.txt.gz    # needs requirements.txt; a minute on one core

The vocabulary is the one that ships with OpenAI's CLIP (MIT; PyPI `clip-anytorch`); the tiny tokenizers keep its first
merges. Writes sd1_tiny/, sd2_tiny/, sdxl_tiny/ (diffusers layout), sd_unets_tiny/ (a UNet for inpainting and a
refiner's), stable_diffusion_tiny.safetensors (tensors) and stable_diffusion_tiny.json (index of the cases).
Everything is f32 on the CPU, one thread, fixed seeds.
"""

import gzip, json, math, shutil, sys
from pathlib import Path

import diffusers, numpy, safetensors.torch, torch, transformers
from diffusers import (
    AutoencoderKL, EulerDiscreteScheduler, StableDiffusionPipeline, StableDiffusionXLPipeline, UNet2DConditionModel,
)
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, CLIPTokenizer

from make_z_image import coarse_randn, relative

HERE = Path(__file__).parent
MERGES = 488
START, END = "<|startoftext|>", "<|endoftext|>"


def vocabulary(path):
    """The byte alphabet in CLIP's order, the same at the end of a word, the first merges, the two ends."""
    visible = [*range(ord("!"), ord("~") + 1), *range(ord("\xa1"), ord("\xac") + 1), *range(ord("\xae"), ord("\xff") + 1)]
    hidden = [b for b in range(256) if b not in visible]
    alphabet = [chr(b) for b in visible] + [chr(256 + i) for i in range(len(hidden))]
    lines = gzip.open(path, "rt", encoding="utf-8").read().split("\n")[1:MERGES + 1]
    tokens = alphabet + [a + "</w>" for a in alphabet] + ["".join(line.split()) for line in lines] + [START, END]
    return {token: i for i, token in enumerate(tokens)}, lines


@torch.no_grad()
def randomise(model, seed, gains=()):
    """Every parameter gets a spread at which mistakes show and activations stay of order one."""
    gen = torch.Generator().manual_seed(seed)
    for name, p in sorted(model.named_parameters()):
        gain = next((g for part, g in gains if part in name), 1.0)
        if "norm" in name:
            p.copy_(coarse_randn(p.shape, 0.25, gen) + (gain if name.endswith("weight") else 0.0))
        elif p.ndim == 1:
            p.copy_(coarse_randn(p.shape, 0.125 * gain, gen))
        elif "embedding.weight" in name:
            p.copy_(coarse_randn(p.shape, 0.5 * gain, gen))
        else:
            p.copy_(coarse_randn(p.shape, gain / math.sqrt(p[0].numel()), gen))
        assert torch.equal(p, p.bfloat16().float()) and torch.equal(p, p.half().float())
    return model.eval()


def text_config(tokens, hidden, layers, act, projection):
    return CLIPTextConfig(
        vocab_size=tokens, hidden_size=hidden, intermediate_size=hidden * 2 + 4, num_hidden_layers=layers,
        num_attention_heads=2, hidden_act=act, projection_dim=projection, max_position_embeddings=77,
        bos_token_id=tokens - 2, eos_token_id=tokens - 1, pad_token_id=1,
    )


def unet(**kw):
    return UNet2DConditionModel(**dict(
        sample_size=8, in_channels=4, out_channels=4, norm_num_groups=4, layers_per_block=2,
        block_out_channels=(8, 16, 24),
    ) | kw)


SD1_UNET = dict(
    down_block_types=("CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
    up_block_types=("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D"), attention_head_dim=2, cross_attention_dim=12,
)
SDXL_UNET = dict(
    down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"), attention_head_dim=(1, 2, 3),
    transformer_layers_per_block=(1, 1, 2), use_linear_projection=True, cross_attention_dim=28,
    addition_embed_type="text_time", addition_time_embed_dim=6, projection_class_embeddings_input_dim=20 + 36,
)
INPAINT_UNET = dict(
    down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    block_out_channels=(8, 12), layers_per_block=1, in_channels=9, attention_head_dim=2, cross_attention_dim=12,
)
REFINER_UNET = dict(
    down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
    block_out_channels=(8, 12), layers_per_block=1, attention_head_dim=(1, 2), transformer_layers_per_block=2,
    use_linear_projection=True, cross_attention_dim=16,
    addition_embed_type="text_time", addition_time_embed_dim=6, projection_class_embeddings_input_dim=20 + 30,
)


def vae(seed, scaling):
    return randomise(AutoencoderKL(
        block_out_channels=[8, 8, 8, 12], norm_num_groups=4, layers_per_block=1, latent_channels=4,
        down_block_types=["DownEncoderBlock2D"] * 4, up_block_types=["UpDecoderBlock2D"] * 4, sample_size=64,
        scaling_factor=scaling,
    ), seed, [("decoder.conv_out", 0.6)])


def scheduler(**kw):
    return EulerDiscreteScheduler(beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", steps_offset=1,
                                  timestep_spacing="leading", **kw)


def tokenizer(vocab, merges, pad):
    pairs = [tuple(line.split()) for line in merges]
    return CLIPTokenizer(vocab=vocab, merges=pairs, pad_token=pad, model_max_length=77)


def save(pipe, dtype, folder, vocab, merges, plain=()):
    """Tokenizers named in `plain` are kept as vocabulary and merges, as published models have them."""
    shutil.rmtree(folder, ignore_errors=True)
    pipe.to(dtype).save_pretrained(folder)
    for junk in folder.rglob("README.md"):
        junk.unlink()
    for name in plain:
        (folder / name / "tokenizer.json").unlink()
        (folder / name / "vocab.json").write_text(json.dumps(vocab, ensure_ascii=False), encoding="utf-8")
        (folder / name / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]), encoding="utf-8")


def build(vocab, merges):
    n = len(vocab)
    nothing = dict(safety_checker=None, feature_extractor=None, requires_safety_checker=False)
    sd1 = StableDiffusionPipeline(
        vae=vae(11, 0.18215), text_encoder=randomise(CLIPTextModel(text_config(n, 12, 3, "quick_gelu", 12)), 12),
        tokenizer=tokenizer(vocab, merges, END), unet=randomise(unet(**SD1_UNET), 13), scheduler=scheduler(), **nothing)
    sd2 = StableDiffusionPipeline(
        vae=vae(21, 0.18215), text_encoder=randomise(CLIPTextModel(text_config(n, 16, 2, "gelu", 16)), 22),
        tokenizer=tokenizer(vocab, merges, "!"), scheduler=scheduler(prediction_type="v_prediction"),
        unet=randomise(unet(**SD1_UNET | dict(
            cross_attention_dim=16, attention_head_dim=(1, 2, 3), use_linear_projection=True)), 23), **nothing)
    sdxl = StableDiffusionXLPipeline(
        vae=vae(31, 0.13025), text_encoder=randomise(CLIPTextModel(text_config(n, 12, 3, "quick_gelu", 12)), 32),
        text_encoder_2=randomise(CLIPTextModelWithProjection(text_config(n, 16, 4, "gelu", 20)), 33),
        tokenizer=tokenizer(vocab, merges, END), tokenizer_2=tokenizer(vocab, merges, "!"),
        unet=randomise(unet(**SDXL_UNET), 34), scheduler=scheduler(), add_watermarker=False)
    save(sd1, torch.float16, HERE / "sd1_tiny", vocab, merges, ["tokenizer"])
    save(sd2, torch.bfloat16, HERE / "sd2_tiny", vocab, merges)
    save(sdxl, torch.float16, HERE / "sdxl_tiny", vocab, merges, ["tokenizer", "tokenizer_2"])
    for name, model in (("inpaint", randomise(unet(**INPAINT_UNET), 41)),
                        ("refiner", randomise(unet(**REFINER_UNET), 42))):
        folder = HERE / "sd_unets_tiny" / name
        shutil.rmtree(folder, ignore_errors=True)
        model.half().save_pretrained(folder)


LONG = "portrait of a woman with green eyes, oil painting, soft light, high detail, 1890s, Vienna, ornate frame, " * 2 + "and a cat"
CASES = {  # name: prompt, negative, width, height, steps, guidance, seed, batch
    "basic": ("a red apple on a wooden table", "", 64, 64, 4, 1.0, 0, 1),
    "cfg": ("a fox in the snow, it's 3 o'clock", "blurry, low quality", 96, 64, 3, 7.5, 42, 1),
    "odd_batch": ("Ein Fuchs im Schnee \u2014 caf\u00e9 \u4e00\u53ea", "", 72, 104, 2, 3.0, 4294967295, 2),
    "long": (LONG, "a lemon", 64, 48, 2, 4.0, 7, 1),
}


def sigmas(pipe, steps):
    """k-diffusion's `get_sigmas`: training steps evenly spaced from the last to the first, levels between them in the
    logarithm."""
    alphas = pipe.scheduler.alphas_cumprod.double()
    levels = ((1 - alphas) / alphas).sqrt().log()
    t = torch.linspace(len(levels) - 1, 0, steps, dtype=torch.float64)
    low, high = t.floor().long(), t.ceil().long()
    return ((1 - t.frac()) * levels[low] + t.frac() * levels[high]).exp().tolist()


def encode(pipe, prompt):
    """Chunk by chunk, as A1111 and ComfyUI do; the pooled vector is that of the first chunk."""
    pairs = [(pipe.tokenizer, pipe.text_encoder)]
    xl = hasattr(pipe, "text_encoder_2")
    if xl:
        pairs.append((pipe.tokenizer_2, pipe.text_encoder_2))
    features, ids = [], []
    for tok, encoder in pairs:
        words = tok(prompt, add_special_tokens=False).input_ids
        chunks = [words[i:i + 75] for i in range(0, len(words), 75)] or [[]]
        pad = tok.pad_token_id
        chunks = [([tok.bos_token_id] + c + [tok.eos_token_id] + [pad] * 75)[:77] for c in chunks]
        out = [encoder(torch.tensor([c]), output_hidden_states=True) for c in chunks]
        features.append(torch.cat([o.hidden_states[-2] if xl else o.last_hidden_state for o in out], dim=1))
        ids.append(torch.tensor(chunks))
    return torch.cat(features, dim=-1), out[0].text_embeds if xl else None, ids


def run_case(pipe, case):
    prompt, negative, width, height, steps, guidance, seed, batch = case
    embeds, pooled, ids = encode(pipe, prompt)
    kw = dict(prompt_embeds=embeds)
    if guidance > 1:
        without, pooled_without, negative_ids = encode(pipe, negative)
        # The pipeline wants one length for both, its attention does not care: repeating features would change the
        # answer, so the cases keep both in the same number of chunks where it matters.
        if without.shape[1] < embeds.shape[1]:
            # Softmax over the same keys twice is softmax over them once.
            without = without.repeat(1, embeds.shape[1] // without.shape[1], 1)
        kw["negative_prompt_embeds"] = without
        ids += negative_ids
    if pooled is not None:
        kw["pooled_prompt_embeds"] = pooled
        if guidance > 1:
            kw["negative_pooled_prompt_embeds"] = pooled_without
    step_latents, said = [], []
    hook = pipe.unet.register_forward_hook(lambda _module, _inputs, out: said.append(out[0].clone()))

    def on_step(_pipe, _i, _t, kw):
        step_latents.append(kw["latents"].clone())
        return {}

    # The scheduler takes the last level for the end of the last step.
    image = pipe(
        width=width, height=height, sigmas=sigmas(pipe, steps) + [0.0], guidance_scale=guidance, num_images_per_prompt=batch,
        generator=[torch.Generator().manual_seed(seed + i) for i in range(batch)], output_type="pt", return_dict=False,
        callback_on_step_end=on_step, **kw,
    )[0]
    hook.remove()
    assert len(said) == len(step_latents) == steps
    return ids, embeds, pooled, torch.stack(said), torch.stack(step_latents), image


def check_stock_encoding(pipe):
    """A prompt of one chunk is encoded as the pipeline itself does it."""
    prompt = CASES["basic"][0]
    stock = pipe.encode_prompt(prompt, device="cpu", num_images_per_prompt=1, do_classifier_free_guidance=False)
    ours = encode(pipe, prompt)
    assert torch.equal(stock[0], ours[0])
    if ours[1] is not None:
        assert torch.equal(stock[2], ours[1])


def unet_goldens(out):
    gen = torch.Generator().manual_seed(5)
    for name, width, extra in (("inpaint", 12, 0), ("refiner", 16, 20)):
        model = UNet2DConditionModel.from_pretrained(HERE / "sd_unets_tiny" / name, torch_dtype=torch.float32).eval()
        sample = torch.randn((1, model.config.in_channels, 6, 10), generator=gen)
        context = torch.randn((1, 77, width), generator=gen)
        added = None
        if extra:
            out[f"{name}/pooled"] = torch.randn((1, extra), generator=gen)
            added = dict(text_embeds=out[f"{name}/pooled"], time_ids=torch.tensor([[48.0, 80.0, 0.0, 0.0, 2.5]]))
        out[f"{name}/sample"], out[f"{name}/context"] = sample, context
        out[f"{name}/said"] = model(sample, torch.tensor(333.25), context, added_cond_kwargs=added).sample


@torch.no_grad()
def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    vocab, merges = vocabulary(sys.argv[1])
    build(vocab, merges)
    out = {}
    index = {"versions": {m.__name__: m.__version__ for m in (torch, diffusers, transformers, numpy)}, "cases": []}
    for model, kind in (("sd1", StableDiffusionPipeline), ("sd2", StableDiffusionPipeline), ("sdxl", StableDiffusionXLPipeline)):
        pipe = kind.from_pretrained(HERE / f"{model}_tiny", torch_dtype=torch.float32)
        pipe.set_progress_bar_config(disable=True)
        check_stock_encoding(pipe)
        for name, case in CASES.items():
            entry = {"model": model, "name": name} | dict(zip(
                ("prompt", "negative_prompt", "width", "height", "steps", "guidance", "seed", "batch"), case))
            ids, embeds, pooled, said, latents, image = run_case(pipe, case)
            key = f"{model}/{name}"
            for i, chunk in enumerate(ids):
                out[f"{key}/ids{i}"] = chunk.int()
            out[f"{key}/prompt_embeds"] = embeds[0]
            if pooled is not None:
                out[f"{key}/pooled"] = pooled[0]
            out[f"{key}/sigmas"] = torch.tensor(sigmas(pipe, case[4]) + [0.0], dtype=torch.float32)
            # (steps, captions x batch, ...): what the network says, without the prompt first where there is guidance.
            out[f"{key}/said"] = said
            out[f"{key}/latents"] = latents  # (steps, batch, ...): after each step
            out[f"{key}/image"] = (image * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
            index["cases"].append(entry)
            print(f"{key:16} {[tuple(c.shape) for c in ids]} said std {said[-1].std():.2f} latents std {latents[-1].std():.2f} "
                  f"image {image.mean():.2f} +- {image.std():.2f}")
    unet_goldens(out)
    out = {k: v.contiguous() for k, v in sorted(out.items())}
    safetensors.torch.save_file(out, HERE / "stable_diffusion_tiny.safetensors")
    (HERE / "stable_diffusion_tiny.json").write_text(json.dumps(index, indent=1, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    main()
