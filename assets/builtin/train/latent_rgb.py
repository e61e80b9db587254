"""Fit the linear map from a latent position to a colour that the program's previews use, into the VAE's config.

Least squares between the latents of composed scenes and the mean colour of the pixels that each position covers.
"""
import argparse
import json
from pathlib import Path

import numpy as np
import torch
from diffusers import AutoencoderKL

from data import World

SCENES = 192


def fit(vae, pictures):
    """[channels + 1, 3]: a row a channel, then the bias, for colours in -1..1 and latents in the sampler's scale."""
    pixels = torch.from_numpy(np.stack(pictures)).permute(0, 3, 1, 2).float() / 127.5 - 1
    latents = (vae.encode(pixels).latent_dist.mean - vae.config.shift_factor) * vae.config.scaling_factor
    colours = torch.nn.functional.interpolate(pixels, latents.shape[-2:], mode="area")
    rows = latents.permute(0, 2, 3, 1).flatten(0, 2)
    rows = torch.cat([rows, torch.ones(len(rows), 1)], 1)
    wanted = colours.permute(0, 2, 3, 1).flatten(0, 2)
    factors = torch.linalg.lstsq(rows, wanted).solution
    error = (rows @ factors - wanted).abs().mean().item()
    return factors, error


@torch.no_grad()
def main():
    args = argparse.ArgumentParser()
    args.add_argument("out", type=Path, help="folder of the training data")
    args.add_argument("model", type=Path, help="exported model to write into")
    args = args.parse_args()
    world, rng = World(args.out), np.random.default_rng(5)
    vae = AutoencoderKL.from_pretrained(args.model / "vae").float()
    pictures = [np.asarray(world.compose(world.scene(rng)))[..., :3] for _ in range(SCENES)]
    factors, error = fit(vae, pictures)
    path = args.model / "vae/config.json"
    config = json.loads(path.read_text())
    config["latent_rgb_factors"] = [[round(x, 5) for x in row] for row in factors.tolist()]
    path.write_text(json.dumps(config, indent=2) + "\n")
    print(f"mean error {error:.3f} of -1..1")


if __name__ == "__main__":
    main()
