"""Train the autoencoder on crops of composed scenes, then measure the latent statistics."""
import argparse
import math
import os
import time
from pathlib import Path

import numpy as np
import torch

from data import World
from models import load_checkpoint, log_line, mixed, new_vae, save_checkpoint, start_as_pyramid
from muon import Muon


def batch(world, rng, count, crop):
    pictures = []
    while len(pictures) < count:
        picture = world.compose(world.scene(rng, pair_share=0.4))
        for _ in range(min(4, (picture.shape[0] // crop) ** 2)):
            y, x = rng.integers(0, picture.shape[0] - crop + 1, 2)
            pictures.append(picture[y:y + crop, x:x + crop])
    pixels = torch.from_numpy(np.stack(pictures[:count])).permute(0, 3, 1, 2)
    return (pixels.float() / 127.5 - 1).contiguous(memory_format=torch.channels_last)


def gradient_l1(a, b):
    d = a - b
    return (d[..., 1:] - d[..., :-1]).abs().mean() + (d[..., 1:, :] - d[..., :-1, :]).abs().mean()


def main():
    args = argparse.ArgumentParser()
    args.add_argument("out", type=Path)
    args.add_argument("--steps", type=int, default=10000, help="length of the schedule")
    args.add_argument("--batch", type=int, default=16)
    args.add_argument("--lr", type=float, default=5e-4)
    args.add_argument("--crop", type=int, default=128)
    args.add_argument("--stop", type=int, default=10**9, help="stop at this step, to go on with other crops")
    args.add_argument("--compile", action="store_true")
    args = args.parse_args()
    world = World(args.out)
    torch.manual_seed(1)
    vae = new_vae()
    start_as_pyramid(vae)
    vae.to(memory_format=torch.channels_last)
    inner = [p for p in vae.parameters() if p.ndim > 1]
    optimizers = [Muon(inner, args.lr), torch.optim.AdamW([p for p in vae.parameters() if p.ndim == 1], args.lr, betas=(0.9, 0.98))]
    path = args.out / "vae.pt"
    step, start = 0, time.time()
    if saved := load_checkpoint(path):
        vae.load_state_dict(saved["vae"])
        for optimizer, state in zip(optimizers, saved.get("optimizers", [])):
            optimizer.load_state_dict(state)
        step = saved["step"]

    def reconstruct(x, noise):
        latent = vae.encode(x).latent_dist
        z = latent.mean + noise * 0.05
        return vae.decode(z).sample, latent.mean

    run = torch.compile(reconstruct) if args.compile else reconstruct
    begun = step
    while step < min(args.steps, args.stop):
        done = step / args.steps
        lr = args.lr * min(1, (step - begun + 1) / 30) * (0.02 + 0.98 * (0.5 + 0.5 * math.cos(math.pi * done)))
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = lr
        rng = np.random.default_rng([1, step])
        x = batch(world, rng, args.batch, args.crop)
        noise = torch.randn(len(x), 16, args.crop // 16, args.crop // 16)
        with mixed():
            y, z = run(x, noise)
        y, z = y.float(), z.float()
        l1 = (y - x).abs().mean()
        loss = l1 + 0.7 * gradient_l1(y, x) + 1e-4 * (z.square() - 1).relu().mean() + 0.02 * (z.std() - 1).square()
        vae.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(vae.parameters(), 1.0)
        for optimizer in optimizers:
            optimizer.step()
        step += 1
        if step % 25 == 0:
            log_line(args.out / "vae.log", step=step, minutes=(time.time() - start) / 60, l1=l1.item(), loss=loss.item(), std=z.std().item())
        if step % 100 == 0 or step == min(args.steps, args.stop):
            save_checkpoint(path, vae=vae.state_dict(), optimizers=[o.state_dict() for o in optimizers], step=step)
    if step < args.steps or step == begun and saved and "stats" in saved:
        return  # another part follows, or nothing was left to do
    # the statistics over whole pictures give scaling_factor and shift_factor
    vae.eval()
    rng = np.random.default_rng(2)
    with torch.no_grad(), mixed():
        x = batch(world, rng, 128, 256)
        z = torch.cat([vae.encode(part).latent_dist.mean.float() for part in x.split(16)])
        y = torch.cat([vae.decode(part).sample.float() for part in z[:64].split(16)])
    stats = {"mean": z.mean().item(), "std": z.std().item(), "l1": (y - x[:64]).abs().mean().item(),
             "psnr": 10 * math.log10(4 / (y.clamp(-1, 1) - x[:64]).square().mean().item())}
    print(stats, "channel std", z.std((0, 2, 3)).tolist())
    save_checkpoint(path, vae=vae.state_dict(), optimizers=[o.state_dict() for o in optimizers], step=step, stats=stats)
    pairs = torch.cat([x[:24], y[:24]], 3)
    sheet = torch.cat([torch.cat(list(row), 2) for row in pairs.split(4)], 1)
    from PIL import Image
    Image.fromarray(((sheet.permute(1, 2, 0).clamp(-1, 1) + 1) * 127.5).byte().numpy()).save(args.out / "vae-sheet.png")


if __name__ == "__main__":
    torch.set_num_threads(int(os.environ.get("THREADS", "2")))
    main()
