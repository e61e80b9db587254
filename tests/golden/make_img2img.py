"""Goldens of runs that start from a picture, with the tiny pipelines of this folder and stock diffusers.

    python make_img2img.py    # needs requirements.txt and what make_stable_diffusion, make_flux and make_z_image wrote

Writes img2img.safetensors and img2img.json: the picture, what the autoencoder makes of it, the noise levels that run,
the latents at the end and the pixels. The encoder's answer is taken at its most likely (the mean) instead of drawn, so
that the only noise is the sampler's. f32 on the CPU, one thread, fixed seeds.
"""

import importlib, json
from pathlib import Path

import diffusers, numpy, safetensors.torch, torch, transformers
from diffusers import (
    FluxImg2ImgPipeline, StableDiffusionImg2ImgPipeline, StableDiffusionXLImg2ImgPipeline, ZImageImg2ImgPipeline,
)

from make_stable_diffusion import sigmas

HERE = Path(__file__).parent
MODELS = {
    "sd1_tiny": StableDiffusionImg2ImgPipeline, "sdxl_tiny": StableDiffusionXLImg2ImgPipeline,
    "flux_tiny": FluxImg2ImgPipeline, "z_image_tiny": ZImageImg2ImgPipeline,
}
CASES = {  # name: prompt, negative, width, height, steps, denoise, guidance (1 is off), seed, batch
    "most": ("a red apple on a table", "a lemon", 64, 64, 5, 0.6, 3.0, 7, 2),
    "half": ("a fox", "", 96, 64, 6, 0.5, 1.0, 42, 1),
    "all": ("a fox", "", 64, 96, 2, 1.0, 1.0, 3, 1),
}


def picture(width, height):
    """Waves and a disk, 8-bit RGB."""
    y, x = numpy.mgrid[0:height, 0:width]
    rgb = numpy.stack([128 + 100 * numpy.sin(x / 9), 128 + 90 * numpy.cos(y / 7), 2.0 * ((x + y) % 100)], axis=-1)
    rgb[(x - width / 2) ** 2 + (y - height / 2) ** 2 < (height / 4) ** 2] = (220, 40, 30)
    return numpy.clip(rgb, 0, 255).round().astype(numpy.uint8)


def mean_only(pipe):
    module = importlib.import_module(type(pipe).__module__)
    if not hasattr(module, "stock_retrieve"):
        module.stock_retrieve = module.retrieve_latents
        module.retrieve_latents = lambda encoded, generator=None, sample_mode="argmax": module.stock_retrieve(
            encoded, generator=generator, sample_mode="argmax")


def run(model, pipe, case):
    prompt, negative, width, height, steps, denoise, guidance, seed, batch = case
    rgb = picture(width, height)
    image = torch.from_numpy(rgb).permute(2, 0, 1)[None].float() / 255
    kw = dict(
        prompt=prompt, image=image.repeat(batch, 1, 1, 1) if model == "z_image_tiny" else image, strength=denoise,
        num_images_per_prompt=batch, return_dict=False, output_type="latent",
        generator=[torch.Generator().manual_seed(seed + i) for i in range(batch)],
    )
    if model == "flux_tiny":
        kw |= dict(width=width, height=height, num_inference_steps=steps, guidance_scale=3.5, max_sequence_length=512)
        if guidance > 1:
            kw |= dict(negative_prompt=negative, true_cfg_scale=guidance)
    elif model == "z_image_tiny":
        kw |= dict(width=width, height=height, num_inference_steps=steps, guidance_scale=guidance - 1, negative_prompt=negative)
    else:
        kw |= dict(sigmas=sigmas(pipe, steps) + [0.0], guidance_scale=guidance, negative_prompt=negative)
    latents = pipe(**kw)[0]
    if model == "flux_tiny":
        latents = pipe._unpack_latents(latents, height, width, pipe.vae_scale_factor)
    vae = pipe.vae
    shift = getattr(vae.config, "shift_factor", None) or 0.0
    start = (vae.encode(2 * image - 1).latent_dist.mode() - shift) * vae.config.scaling_factor
    levels = pipe.scheduler.sigmas[pipe.scheduler.begin_index or 0:]
    pixels = vae.decode(latents / vae.config.scaling_factor + shift).sample
    pixels = ((pixels / 2 + 0.5).clamp(0, 1) * 255).round().permute(0, 2, 3, 1).to(torch.uint8)
    return {"picture": torch.from_numpy(rgb), "start": start[0], "sigmas": levels, "latents": latents, "image": pixels}


@torch.no_grad()
def main():
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    out, index = {}, {"versions": {m.__name__: m.__version__ for m in (torch, diffusers, transformers, numpy)}, "cases": []}
    for model, kind in MODELS.items():
        pipe = kind.from_pretrained(HERE / model, torch_dtype=torch.float32)
        pipe.set_progress_bar_config(disable=True)
        mean_only(pipe)
        for name, case in CASES.items():
            for key, value in run(model, pipe, case).items():
                out[f"{model}/{name}/{key}"] = value.contiguous()
            index["cases"].append({"model": model, "name": name} | dict(zip(
                ("prompt", "negative_prompt", "width", "height", "steps", "denoise", "guidance", "seed", "batch"), case)))
    safetensors.torch.save_file(out, HERE / "img2img.safetensors")
    (HERE / "img2img.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
