"""Makes the tiny random-weight Z-Image pipeline and its goldens with stock diffusers.

    python make_z_image.py          # needs requirements.txt; about a minute on one core

Writes z_image_tiny/ (diffusers layout), z_image_tiny.safetensors (tensors) and
z_image_tiny.json (index of the cases). Everything is f32 on the CPU, one thread, fixed seeds.
"""

import copy, json, math, shutil
from pathlib import Path

import diffusers, safetensors.torch, tokenizers, torch, transformers
from diffusers import AutoencoderKL, FlowMatchEulerDiscreteScheduler, ZImagePipeline, ZImageTransformer2DModel
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3Model

HERE = Path(__file__).parent
MODEL = HERE / "z_image_tiny"
IM_START, IM_END, PAD = "<|im_start|>", "<|im_end|>", "<|endoftext|>"
# The pre-tokeniser and template that Qwen3 ships with (one user turn, thinking allowed).
QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + "
    "'<|im_end|>\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
CORPUS = [
    "a red apple on a wooden table", "a fox in the snow, soft light, detailed fur", "the sea at night",
    "an old house on the hill under a cloudy sky", "portrait of a woman with green eyes, oil painting",
    "a yellow lemon on a blue background", "user\nassistant\n", "low quality, blurry, distorted",
    "a small town between the mountains in the morning, wide view, high detail, natural colours",
]


def make_tokenizer():
    tok = tokenizers.Tokenizer(tokenizers.models.BPE(byte_fallback=False))
    tok.normalizer = tokenizers.normalizers.NFC()
    pre = tokenizers.pre_tokenizers
    tok.pre_tokenizer = pre.Sequence([
        pre.Split(tokenizers.Regex(QWEN_SPLIT), "isolated"),
        pre.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tok.decoder = tokenizers.decoders.ByteLevel()
    tok.train_from_iterator(CORPUS, tokenizers.trainers.BpeTrainer(
        vocab_size=400, special_tokens=[PAD, IM_START, IM_END],
        initial_alphabet=pre.ByteLevel.alphabet(), show_progress=False,
    ))
    return PreTrainedTokenizerFast(tokenizer_object=tok, pad_token=PAD, eos_token=IM_END, chat_template=TEMPLATE)


def coarse_randn(shape, std, gen):
    """Normal numbers on a coarse grid: exact in bf16 and f16 too, and small once git has compressed them."""
    step = 2.0 ** math.floor(math.log2(std))
    step *= round(std / step * 4) / 4 / 2  # two bits of mantissa
    return (torch.randn(shape, generator=gen) * 2).round().clamp(-7, 7) * step


@torch.no_grad()
def randomise(model, seed, gains=()):
    """Every parameter gets a spread at which mistakes show and activations stay of order one.

    Tiny gains stand before some norms of each kind, so that a wrong epsilon shows too."""
    gen = torch.Generator().manual_seed(seed)
    for name, p in sorted(model.named_parameters()):
        gain = next((g for part, g in gains if part in name), 1.0)
        if "norm" in name or name == "cap_embedder.0.weight":
            p.copy_(coarse_randn(p.shape, 0.25, gen) + (gain if name.endswith("weight") else 0.0))
        elif p.ndim == 1:
            p.copy_(coarse_randn(p.shape, 0.125 * gain, gen))
        elif "embed_tokens" in name or "pad_token" in name:
            p.copy_(coarse_randn(p.shape, gain, gen))
        else:
            w = coarse_randn(p.shape, gain / math.sqrt(p[0].numel()), gen)
            if name == "t_embedder.mlp.0.weight":  # 1024 x 256 whatever the dim: mostly zeros, louder rest
                w *= 2 * (torch.rand(p.shape, generator=gen) < 0.2)
            p.copy_(w)
        assert torch.equal(p, p.bfloat16().float()) and torch.equal(p, p.half().float())
    return model.eval()


def build():
    tokenizer = make_tokenizer()
    text_encoder = randomise(Qwen3Model(Qwen3Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=80, num_hidden_layers=3,
        num_attention_heads=4, num_key_value_heads=2, head_dim=16, max_position_embeddings=1024,
        rms_norm_eps=1e-6, tie_word_embeddings=True, attn_implementation="sdpa",
        rope_parameters={"rope_type": "default", "rope_theta": 1000000},
    )), 1, [("q_norm", 1.5), ("k_norm", 1.5), ("embed_tokens", 0.004), ("layers.1.self_attn.q_proj", 0.004)])
    transformer = randomise(ZImageTransformer2DModel(
        dim=48, n_layers=2, n_refiner_layers=1, n_heads=3, n_kv_heads=3, in_channels=16, cap_feat_dim=32,
        axes_dims=[4, 6, 6], axes_lens=[768, 64, 64],
    ), 2, [("norm_q", 1.5), ("norm_k", 1.5), ("t_embedder", 2.0), ("adaLN_modulation", 0.5), ("all_x_embedder", 0.01),
        ("noise_refiner.0.attention.to_q", 0.01), ("context_refiner.0.attention.to_k", 0.01),
        ("layers.0.attention.to_out", 0.01), ("layers.1.feed_forward.w2", 0.01)])
    vae = randomise(AutoencoderKL(
        block_out_channels=[8, 12, 16, 16], norm_num_groups=4, layers_per_block=2, latent_channels=16,
        down_block_types=["DownEncoderBlock2D"] * 4, up_block_types=["UpDecoderBlock2D"] * 4, sample_size=128,
        scaling_factor=0.3611, shift_factor=0.1159, use_quant_conv=False, use_post_quant_conv=False,
    ), 3, [("decoder.conv_out", 0.8), ("coder.conv_in", 0.0005)])
    scheduler = FlowMatchEulerDiscreteScheduler(shift=3.0)
    shutil.rmtree(MODEL, ignore_errors=True)
    ZImagePipeline(scheduler, vae, text_encoder, tokenizer, transformer).save_pretrained(MODEL)
    for junk in MODEL.rglob("README.md"):
        junk.unlink()
    # The same text encoder config as transformers 4 wrote it (so does the real Z-Image-Turbo).
    config = json.loads((MODEL / "text_encoder/config.json").read_text())
    config |= {"rope_theta": config.pop("rope_parameters")["rope_theta"], "rope_scaling": None,
               "torch_dtype": config.pop("dtype"), "transformers_version": "4.51.0"}
    (MODEL / "text_encoder/config.v4.json").write_text(json.dumps(config, indent=2) + "\n")


LONG = " ".join(CORPUS[i % len(CORPUS)] + ", " + str(i) for i in range(60))
CASES = {  # name: prompt, negative, width, height, steps, guidance, seed, batch
    "basic": ("a red apple on a wooden table", None, 64, 64, 4, 0.0, 0, 1),
    "wide": ("a fox in the snow", None, 96, 48, 8, 0.0, 42, 1),
    "tall_two_pads": ("the sea at night, stars", None, 80, 112, 4, 0.0, 7, 1),
    "no_image_pad": ("a yellow lemon", None, 128, 64, 3, 0.0, 8, 1),
    "cfg": ("portrait of a woman with green eyes, oil painting, soft light, high detail, 1890s, Vienna, ornate frame",
            "blurry", 48, 96, 4, 3.0, 123456789, 1),
    "cfg_empty_negative": ("an old house on the hill", None, 64, 64, 4, 1.0, 5, 1),
    "batch": ("a small town between the mountains", None, 64, 64, 4, 0.0, 1000, 2),
    "batch_cfg": ("a lemon", "low quality, distorted, and a rather long list of other things that nobody wants to see",
                  96, 48, 3, 2.5, 4294967295, 2),
    "long": (LONG, None, 64, 64, 2, 0.0, 11, 1),
    "empty": ("", None, 64, 64, 2, 0.0, 12, 1),
    "unicode": ("ein Fuchs im Schnee \u2014 \u4e00\u53ea\u72d0\u72f8 \U0001f98a Cafe\u0301, nai\u0308ve \u041b\u0438\u0441\u0430\n2nd line  two spaces",
                None, 64, 64, 2, 0.0, 2**63 + 13, 1),
    "one_step": ("a fox", None, 64, 64, 1, 0.0, 14, 1),
}


def run_case(pipe, case):
    prompt, negative, width, height, steps, guidance, seed, batch = case
    pipe.scheduler = FlowMatchEulerDiscreteScheduler.from_config(pipe.scheduler.config)
    step_latents = []

    def on_step(_pipe, i, _t, kw):
        step_latents.append(kw["latents"].clone())
        return {}

    image = pipe(
        prompt, negative_prompt=negative, width=width, height=height, num_inference_steps=steps,
        guidance_scale=guidance, num_images_per_prompt=batch, output_type="pt", return_dict=False,
        generator=[torch.Generator().manual_seed(seed + i) for i in range(batch)], callback_on_step_end=on_step,
    )[0]
    return torch.stack(step_latents), image


def ids_and_features(pipe, prompt):
    messages = [{"role": "user", "content": prompt}]
    text = pipe.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True, enable_thinking=True)
    assert text == f"{IM_START}user\n{prompt}{IM_END}\n{IM_START}assistant\n"
    ids = pipe.tokenizer([text], max_length=512, truncation=True, return_tensors="pt").input_ids[0]
    features = pipe.encode_prompt(prompt, do_classifier_free_guidance=False)[0][0]
    assert len(ids) == len(features)
    return ids, features


def capture(modules, run):
    """The first output of each named module during run()."""
    seen = {}

    def keep(name):
        def hook(_module, _inputs, out):
            while isinstance(out, (tuple, list)):
                out = out[0] if len(out) == 1 else torch.stack(list(out))
            seen.setdefault(name, out.clone())
        return hook

    hooks = [module.register_forward_hook(keep(name)) for name, module in modules.items()]
    run()
    for hook in hooks:
        hook.remove()
    return seen


def relative(a, b):
    return float(f"{float((a.double() - b.double()).abs().max() / b.double().abs().max()):.2e}")


def vae_goldens(pipe, out):
    """Decoding of raw VAE latents (already unscaled) and encoding of the decoded picture, unclamped."""
    vae = pipe.vae
    for name, (h, w), seed in (("vae_odd", (5, 7), 21), ("vae_16x8", (16, 8), 22)):
        z = torch.randn((1, 16, h, w), generator=torch.Generator().manual_seed(seed))
        decoder = vae.decoder
        parts = {"conv_in": decoder.conv_in, "mid_resnet0": decoder.mid_block.resnets[0],
                 "mid_attention": decoder.mid_block.attentions[0], "mid": decoder.mid_block, "up0": decoder.up_blocks[0]}
        seen = capture(parts, lambda: out.update({f"{name}/decoded": vae.decode(z).sample}))
        if name == "vae_odd":
            out.update({f"{name}/{k}": v for k, v in seen.items()})
        out[f"{name}/latents"] = z
        posterior = vae.encode(out[f"{name}/decoded"]).latent_dist
        out[f"{name}/encoded_mean"], out[f"{name}/encoded_logvar"] = posterior.mean, posterior.logvar


def inner_goldens(pipe, out):
    """What the parts say inside case "basic", first step, and the two halves of "cfg", first step."""
    t = pipe.transformer
    parts = {"adaln_input": t.t_embedder, "x_embedded": t.all_x_embedder["2-1"], "x_refined": t.noise_refiner[0],
             "cap_embedded": t.cap_embedder, "cap_refined": t.context_refiner[0], "final": t.all_final_layer["2-1"],
             "velocity": t}  # as the transformer says it; the pipeline negates it
    parts |= {f"layer{i}": layer for i, layer in enumerate(t.layers)}
    out.update({f"basic/inner/{k}": v for k, v in capture(parts, lambda: run_case(pipe, CASES["basic"])).items()})
    out.update({f"cfg/inner/{k}": v for k, v in capture({"velocity": t}, lambda: run_case(pipe, CASES["cfg"])).items()})
    encoder = pipe.text_encoder
    parts = {"embed": encoder.embed_tokens} | {f"text_layer{i}": layer for i, layer in enumerate(encoder.layers)}
    seen = capture(parts, lambda: encoder(out["basic/ids"][None]))
    out.update({f"basic/inner/{k}": v for k, v in seen.items()})
    assert relative(seen["text_layer1"][0], out["basic/prompt_embeds"]) < 1e-5  # last layer and norm are not used


def check_v4_config(pipe):
    config = json.loads((MODEL / "text_encoder/config.v4.json").read_text())
    other = Qwen3Model(Qwen3Config(**config)).eval()
    other.load_state_dict(pipe.text_encoder.state_dict())
    ids = torch.arange(50)[None]
    assert torch.equal(other(ids).last_hidden_state, pipe.text_encoder(ids).last_hidden_state)


@torch.no_grad()
def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    build()
    pipe = ZImagePipeline.from_pretrained(MODEL, dtype=torch.float32)
    pipe.set_progress_bar_config(disable=True)
    check_v4_config(pipe)
    double = copy.deepcopy(pipe)  # the same weights in f64, to know how far rounding alone goes
    for part in (double.text_encoder, double.transformer, double.vae):
        part.double()
    out, index = {}, {"versions": {m.__name__: m.__version__ for m in (torch, diffusers, transformers, tokenizers)}, "cases": []}

    for name, case in CASES.items():
        prompt, negative, width, height, steps, guidance, seed, batch = case
        entry = {"name": name} | dict(zip(("prompt", "negative_prompt", "width", "height", "steps", "guidance", "seed", "batch"), case))
        out[f"{name}/ids"], out[f"{name}/prompt_embeds"] = ids_and_features(pipe, prompt)
        if guidance > 0:
            out[f"{name}/negative_ids"], out[f"{name}/negative_prompt_embeds"] = ids_and_features(pipe, negative or "")
        shape = (1, 16, height // 8, width // 8)
        out[f"{name}/noise"] = torch.cat([torch.randn(shape, generator=torch.Generator().manual_seed(seed + i)) for i in range(batch)])
        latents, image = run_case(pipe, case)
        out[f"{name}/sigmas"], out[f"{name}/timesteps"] = pipe.scheduler.sigmas, pipe.scheduler.timesteps
        out[f"{name}/latents"] = latents  # (steps, batch, 16, h, w): after each step
        out[f"{name}/image"] = (image * 255).round().to(torch.uint8).permute(0, 2, 3, 1)  # (batch, H, W, RGB)
        exact_latents, exact_image = run_case(double, case)
        entry["rounding_latents_relative"] = relative(latents[-1], exact_latents[-1])
        entry["rounding_image"] = float(f"{float((image - exact_image).abs().max()):.2e}")
        index["cases"].append(entry)
        print(f"{name:20} {len(out[f'{name}/ids']):4} tokens, latents std {latents[-1].std():.2f}, image {image.mean():.2f} "
              f"+- {image.std():.2f}, f32 against f64: {entry['rounding_latents_relative']} {entry['rounding_image']}")

    inner_goldens(pipe, out)
    vae_goldens(pipe, out)
    safetensors.torch.save_file({k: v.contiguous() for k, v in sorted(out.items())}, HERE / "z_image_tiny.safetensors")
    (HERE / "z_image_tiny.json").write_text(json.dumps(index, indent=1, ensure_ascii=True) + "\n")


if __name__ == "__main__":
    main()
