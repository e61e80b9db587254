"""Draws with LoRA files in the tiny pipelines, as stock diffusers and PEFT do.

    python make_lora_pictures.py    # after the other makers; needs requirements.txt; a minute on one core

Writes lora_pictures/NAME.safetensors (the LoRA files) and lora_pictures.safetensors with .json (what came out). One file
has kohya's names, with alpha, the others those of PEFT; text encoders and convolutions are changed too, and two files at
once. Everything is f32 on the CPU, one thread, fixed seeds.
"""

import json
from pathlib import Path

import diffusers, peft, safetensors.torch, torch, transformers
from diffusers import FluxPipeline, StableDiffusionPipeline, StableDiffusionXLPipeline, ZImagePipeline

from make_stable_diffusion import run_case as run_stable_diffusion

HERE = Path(__file__).parent
LORAS = HERE / "lora_pictures"
gen = torch.Generator().manual_seed(77)


def halves(weight, rank):
    """Two random halves whose product is about as large as the weight."""
    outputs, inputs, *kernel = weight.shape
    down = torch.randn((rank, inputs, *kernel), generator=gen) / weight[0].numel() ** 0.5
    up = torch.randn((outputs, rank, *[1] * len(kernel)), generator=gen) * weight.std() * weight[0].numel() ** 0.5 / rank**0.5
    return down.half(), up.half()


def modules(network, parts):
    for name, parameter in network.named_parameters():
        module = name.removesuffix(".weight")
        # transformers 5 dropped the wrapper that published files name.
        if module.startswith("encoder."):
            module = f"text_model.{module}"
        if name.endswith(".weight") and parameter.ndim in (2, 4) and any(part in module for part in parts):
            yield module, parameter.detach()


def peft_names(prefix, network, parts, rank):
    tensors = {}
    for module, weight in modules(network, parts):
        tensors[f"{prefix}.{module}.lora_A.weight"], tensors[f"{prefix}.{module}.lora_B.weight"] = halves(weight, rank)
    return tensors


def kohya_names(prefix, network, parts, rank, alpha):
    tensors = {}
    for module, weight in modules(network, parts):
        name = prefix + module.replace(".", "_")
        tensors[f"{name}.lora_down.weight"], tensors[f"{name}.lora_up.weight"] = halves(weight, rank)
        tensors[f"{name}.alpha"] = torch.tensor(alpha)
    return tensors


UNET = ["attn1", "attn2", "ff.net", "proj_in", "proj_out", "conv1", "conv2", "conv_shortcut", "time_emb_proj", "samplers"]
CLIP = ["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"]


def build(pipes):
    sd1, sdxl, flux, z_image = (pipes[name] for name in ("sd1", "sdxl", "flux", "z_image"))
    return {
        "sd1_kohya": kohya_names("lora_unet_", sd1.unet, ["attn1", "attn2", "ff.net", "proj_in"], 4, 2.0)
        | kohya_names("lora_te_", sd1.text_encoder, CLIP, 2, 1.0),
        "sd1_peft": peft_names("unet", sd1.unet, UNET, 3),
        "sdxl_peft": peft_names("unet", sdxl.unet, UNET, 4) | peft_names("text_encoder", sdxl.text_encoder, CLIP, 2)
        | peft_names("text_encoder_2", sdxl.text_encoder_2, CLIP, 3),
        "flux_peft": peft_names("transformer", flux.transformer, ["attn", "ff", "proj_mlp", "proj_out", "norm1", "norm.linear"], 4)
        | peft_names("text_encoder", flux.text_encoder, CLIP, 2),
        "z_image_peft": peft_names("transformer", z_image.transformer, ["attention.to_", "feed_forward"], 4),
    }


PROMPT = "a red apple on a wooden table"
# Name: model, LoRA files with their weights, negative prompt, width, height, steps, guidance, seed.
CASES = {
    "sd1": ("sd1", {"sd1_kohya": 0.8}, "", 72, 64, 3, 1.0, 5),
    "sd1_two": ("sd1", {"sd1_kohya": 0.7, "sd1_peft": -0.4}, "blurry", 64, 88, 3, 4.0, 6),
    "sdxl": ("sdxl", {"sdxl_peft": 0.6}, "", 96, 64, 3, 1.0, 7),
    "flux": ("flux", {"flux_peft": 0.5}, "", 96, 64, 3, 3.5, 8),
    "z_image": ("z_image", {"z_image_peft": 0.75}, "", 64, 96, 4, 1.0, 9),
}


def draw(pipe, model, negative, width, height, steps, guidance, seed):
    """Latents after the last step, and the picture."""
    if model.startswith("sd"):
        *_, latents, image = run_stable_diffusion(pipe, (PROMPT, negative, width, height, steps, guidance, seed, 1))
        return latents[-1], image
    last = []

    def on_step(_pipe, _i, _t, kw):
        last[:] = [kw["latents"].clone()]
        return {}

    pipe.scheduler = type(pipe.scheduler).from_config(pipe.scheduler.config)
    # The Z-Image pipeline counts guidance from zero.
    image = pipe(PROMPT, width=width, height=height, num_inference_steps=steps, output_type="pt", return_dict=False,
                 guidance_scale=guidance if model == "flux" else guidance - 1, callback_on_step_end=on_step,
                 generator=[torch.Generator().manual_seed(seed)])[0]
    latents = FluxPipeline._unpack_latents(last[0], height, width, 8) if model == "flux" else last[0]
    return latents, image


@torch.no_grad()
def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    kinds = {"sd1": StableDiffusionPipeline, "sdxl": StableDiffusionXLPipeline, "flux": FluxPipeline, "z_image": ZImagePipeline}
    pipes = {name: kind.from_pretrained(HERE / f"{name}_tiny", torch_dtype=torch.float32) for name, kind in kinds.items()}
    LORAS.mkdir(exist_ok=True)
    for name, tensors in build(pipes).items():
        safetensors.torch.save_file({k: v.contiguous() for k, v in tensors.items()}, LORAS / f"{name}.safetensors")
    versions = {m.__name__: m.__version__ for m in (torch, diffusers, transformers, peft)}
    out, index = {}, {"versions": versions, "cases": []}
    for name, (model, loras, negative, width, height, steps, guidance, seed) in CASES.items():
        pipe = pipes[model]
        pipe.set_progress_bar_config(disable=True)
        settings = (model, negative, width, height, steps, guidance, seed)
        without, _ = draw(pipe, *settings)
        for file in loras:
            pipe.load_lora_weights(LORAS, weight_name=f"{file}.safetensors", adapter_name=file)
        pipe.set_adapters(list(loras), list(loras.values()))
        for part in ("text_encoder", "text_encoder_2"):
            trained = any(f"{part}." in key or f"lora_te{part[13:]}_" in key for file in loras
                          for key in safetensors.torch.load_file(LORAS / f"{file}.safetensors"))
            loaded = trained and any("lora_A" in key for key, _ in getattr(pipe, part).named_modules())
            assert trained == loaded, (name, part)
        latents, image = draw(pipe, *settings)
        pipe.unload_lora_weights()
        again, _ = draw(pipe, *settings)
        assert torch.equal(again, without)
        changed = (latents - without).abs().max() / without.abs().max()
        assert latents.isfinite().all() and changed > 0.05, (name, changed)
        out[f"{name}/latents"] = latents
        out[f"{name}/without"] = without
        out[f"{name}/image"] = (image * 255).round().to(torch.uint8).permute(0, 2, 3, 1)
        keys = ("model", "loras", "negative_prompt", "width", "height", "steps", "guidance", "seed")
        index["cases"].append({"name": name, "prompt": PROMPT} | dict(zip(keys, CASES[name])))
        print(f"{name:10} changed {changed:.2f}, image {image.mean():.2f} +- {image.std():.2f}")
    safetensors.torch.save_file({k: v.contiguous() for k, v in sorted(out.items())}, HERE / "lora_pictures.safetensors")
    (HERE / "lora_pictures.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
