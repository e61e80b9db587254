"""Train the transformer (and, slowly, the text encoder) by flow matching on latents of composed scenes.

Fresh scenes are encoded all the time and replace the oldest in a buffer that batches are drawn from.
"""
import argparse
import functools
import math
import os
import time
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import nn

from data import World
from models import (LATENT_CHANNELS, denoise, encode_text, load_checkpoint, log_line, mixed,
                    new_text_encoder, new_transformer, new_vae, rope_tables, save_checkpoint, tokenize)
from muon import Muon

NATIVE = (256, 256)
SHIFT = 3.0  # of the scheduler
OTHERS = [(128, 128), (192, 192), (256, 384), (384, 256), (320, 320), (384, 384), (512, 512)]
FLUFF = ["high quality", "detailed", "beautiful", "simple", "clean", "centered", "icon", "emoji", "cute", "nice colors",
         "no text", "digital art", "illustration", "best quality", "minimal", "sharp", "4k", "very detailed", "vector art",
         "professional", "lovely", "masterpiece", "soft light", "trending"]


def fluff(rng, caption, count):
    return ", ".join([caption, *rng.choice(FLUFF, count, replace=False)])


class Buffer:
    """Latents and captions of the newest scenes of one picture size."""

    def __init__(self, world, vae, tokenizer, size, capacity, seed, made=0):
        self.world, self.vae, self.tokenizer, self.size, self.seed = world, vae, tokenizer, size, seed
        self.latents = torch.zeros(capacity, LATENT_CHANNELS, size[0] // 16, size[1] // 16, dtype=torch.bfloat16)
        self.captions = [""] * capacity
        self.made = made  # scenes ever made: the next one's seed
        self.held = 0  # of this run

    def add(self, count):
        scenes = []
        for k in range(self.made, self.made + count):
            rng = np.random.default_rng([self.seed, *self.size, k])
            scene = self.world.scene(rng)
            if rng.random() < 0.1:
                scene.caption = fluff(rng, scene.caption, int(rng.integers(1, 4)))
            scenes.append(scene)
        x = torch.from_numpy(np.stack([self.world.compose(s, self.size) for s in scenes]))
        x = x.permute(0, 3, 1, 2).float() / 127.5 - 1
        with torch.no_grad(), mixed():
            z = self.vae.encode(x).latent_dist.mean.float()
        z = (z - self.vae.config.shift_factor) * self.vae.config.scaling_factor
        for scene, latent in zip(scenes, z):
            slot = self.held % len(self.captions)
            self.latents[slot], self.captions[slot] = latent, scene.caption
            self.held += 1
        self.made += count

    def save(self, path):
        save_checkpoint(path, latents=self.latents, captions=self.captions, made=self.made, held=self.held)

    def load(self, path):
        """Take up what an earlier run encoded, if it is as many scenes."""
        saved = load_checkpoint(path)
        if saved and saved["latents"].shape == self.latents.shape:
            for name, value in saved.items():
                setattr(self, name, value)

    def draw(self, rng, count):
        rows = rng.integers(0, min(self.held, len(self.captions)), count)
        return self.latents[torch.from_numpy(rows)].float(), [self.captions[r] for r in rows]


def start_gently(transformer):
    """Small gates and a zero output, so that the untrained network begins as nearly the identity."""
    for name, module in transformer.named_modules():
        if isinstance(module, nn.Linear):
            if "adaLN_modulation" in name:
                nn.init.zeros_(module.weight)
                nn.init.zeros_(module.bias)
                if "final_layer" not in name:
                    dim = module.bias.numel() // 4
                    module.bias.data[dim:2 * dim] = 0.25
                    module.bias.data[3 * dim:] = 0.25
            elif "final_layer" in name:
                nn.init.zeros_(module.weight)
                nn.init.zeros_(module.bias)
            elif "t_embedder" not in name:
                nn.init.xavier_uniform_(module.weight)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
    for token in (transformer.x_pad_token, transformer.cap_pad_token):
        nn.init.normal_(token, std=0.02)


def make_optimizers(transformer, encoder, lr, text_lr):
    matrices, others = [], []
    for name, p in transformer.named_parameters():
        inner = p.ndim == 2 and ("attention." in name or "feed_forward." in name)
        (matrices if inner else others).append(p)
    muon = Muon(matrices, lr)
    adam = torch.optim.AdamW(
        [{"params": others, "lr": lr}, {"params": list(encoder.parameters()), "lr": text_lr}],
        betas=(0.9, 0.99), weight_decay=0.0)
    for optimizer in (muon, adam):
        for group in optimizer.param_groups:
            group["base"] = group["lr"]
    return muon, adam


def main():
    args = argparse.ArgumentParser()
    args.add_argument("out", type=Path)
    args.add_argument("--steps", type=int, default=200000, help="length of the schedule; the rate falls over the last tenth")
    args.add_argument("--decay", type=int, default=0, help="length of that fall in steps, 0: a tenth")
    args.add_argument("--minutes", type=float, default=math.inf, help="length of this run; the rate falls over its last fifth")
    args.add_argument("--batch", type=int, default=64)
    args.add_argument("--lr", type=float, default=1.5e-3)
    args.add_argument("--text-lr", type=float, default=1e-4)
    args.add_argument("--buffer", type=int, default=6144)
    args.add_argument("--fresh", type=int, default=6, help="new scenes a step")
    args.add_argument("--export-every", type=int, default=0, help="export the model every so many steps")
    args.add_argument("--sizes", type=float, default=0.1, help="share of the steps at other sizes than 256x256")
    args.add_argument("--starred", action="store_true", help="only the starred things, for a quick first model")
    args.add_argument("--pairs", type=float, default=0.25)
    args.add_argument("--paints", type=float, default=0.15)
    args.add_argument("--styles", type=float, default=0.3)
    args.add_argument("--wander", type=float, default=1.0, help="how far things stray from their places; 0 is learned soonest")
    args.add_argument("--compile", action="store_true")
    args = args.parse_args()
    out = args.out
    world = World(out, args.starred)
    world.scene = functools.partial(world.scene, pair_share=args.pairs, paint_share=args.paints, style_share=args.styles, wander=args.wander)
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    vae = load_vae(out)
    torch.manual_seed(5)
    transformer, encoder = new_transformer(), new_text_encoder(tokenizer.get_vocab_size())
    start_gently(transformer)
    encoder.load_state_dict(load_checkpoint(out / "text.pt")["encoder"])
    muon, adam = make_optimizers(transformer, encoder, args.lr, args.text_lr)
    nets = nn.ModuleDict({"transformer": transformer, "text_encoder": encoder})
    average = {k: v.clone() for k, v in nets.state_dict().items()}
    path, step, first, made, spent = out / "dit.pt", 0, 0, {}, 0.0
    if saved := load_checkpoint(path):
        nets.load_state_dict(saved["nets"])
        average = saved["average"]
        for optimizer, state in zip((muon, adam), saved.get("optimizers", [])):
            bases = [g["base"] for g in optimizer.param_groups]
            optimizer.load_state_dict(state)
            for group, base in zip(optimizer.param_groups, bases):
                group["base"] = base
        step, made, spent = saved["step"], saved["made"], saved["spent"]
        first = saved.get("first", step)  # where this averaging began
        if isinstance(made, int):
            made = {NATIVE: made}
    buffers = {}
    for size in [NATIVE] + (OTHERS if args.sizes else []):
        capacity = args.buffer if size == NATIVE else args.buffer // 12
        buffers[size] = Buffer(world, vae, tokenizer, size, capacity, seed=6, made=made.get(size, 0))
        if size == NATIVE:
            buffers[size].load(out / "scenes.pt")
        while buffers[size].held < (capacity // 3 if size == NATIVE else 64):
            buffers[size].add(16)
    buffers[NATIVE].save(out / "scenes.pt")
    print("buffers filled", flush=True)

    def velocity(z, t, ids, mask, tables):
        return denoise(transformer, z, t, encode_text(encoder, ids, mask), mask, tables)

    fast = torch.compile(velocity, dynamic=False) if args.compile else velocity

    @functools.cache
    def tables(caption_tokens, size):
        return rope_tables(transformer, caption_tokens, size[0] // 16, size[1] // 16)

    def save():
        buffers[NATIVE].save(out / "scenes.pt")
        save_checkpoint(path, nets=nets.state_dict(), average=average, step=step, first=first,
                        made={size: b.made for size, b in buffers.items()},
                        optimizers=[muon.state_dict(), adam.state_dict()], spent=time.time() - started)

    decay = args.decay or args.steps // 10
    started, running = time.time() - spent, None
    begun, start = step, time.time()
    nets.train()
    while step < args.steps and (left := 1 - (time.time() - start) / 60 / args.minutes) > 0:
        rate = min(1.0, (step - begun + 1) / 40, max(0.02, (args.steps - step) / decay), max(0.02, 5 * left))
        for optimizer in (muon, adam):
            for group in optimizer.param_groups:
                group["lr"] = group["base"] * rate
        rng = np.random.default_rng([7, step])
        generator = torch.Generator().manual_seed(step)
        size = OTHERS[rng.integers(len(OTHERS))] if rng.random() < args.sizes else NATIVE
        pixels = size[0] * size[1] / (NATIVE[0] * NATIVE[1])
        count = args.batch if pixels <= 1 else max(16, int(args.batch / pixels))
        buffers[size].add(max(1, int(args.fresh * count / args.batch)))
        latents, captions = buffers[size].draw(rng, count)
        long = step % 20 == 19
        if long:
            captions = [fluff(rng, c, int(rng.integers(6, 12))) for c in captions]
        captions = ["" if rng.random() < 0.1 else c for c in captions]
        ids, mask = tokenize(tokenizer, captions)
        # sigma lies as the sampler's steps do: evenly, then shifted to the noisy side, where what the thing is gets decided
        even = (torch.randperm(count, generator=generator) + torch.rand(count, generator=generator)) / count
        even = even.clamp(min=0.03)
        sigma = SHIFT * even / (1 + (SHIFT - 1) * even)
        noise = torch.randn(latents.shape, generator=generator)
        s = sigma.view(-1, 1, 1, 1)
        with mixed():
            run = fast if ids.shape[1] == 32 and size == NATIVE else velocity
            predicted = run((1 - s) * latents + s * noise, 1 - sigma, ids, mask, tables(ids.shape[1], size))
        error = (predicted.float() - (latents - noise)).square().mean((1, 2, 3))
        loss = error.mean()
        muon.zero_grad()
        adam.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(nets.parameters(), 1.0)
        muon.step()
        adam.step()
        step += 1
        keep = min(0.9995, (1 + step - first) / (10 + step - first))
        with torch.no_grad():
            current = nets.state_dict()
            torch._foreach_lerp_(list(average.values()), [current[k] for k in average], 1 - keep)
        if size == NATIVE:
            running = loss.item() if running is None else 0.98 * running + 0.02 * loss.item()
        if step % 20 == 0 and running is not None:
            log_line(out / "dit.log", step=step, minutes=(time.time() - started) / 60, loss=running,
                     noisy=error[sigma > 0.8].mean().item(), clean=error[sigma < 0.4].mean().item())
        if step % 50 == 0:
            save()
        if args.export_every and step % args.export_every == 0:
            from export import export  # which reads what was just saved
            export(out, out / "export", notes=["so far only the starred things of things.txt, hardly any pairs, paints or styles"] if args.starred else [])
    save()


def load_vae(out):
    saved = load_checkpoint(out / "vae.pt")
    vae = new_vae()
    vae.load_state_dict(saved["vae"])
    vae.register_to_config(scaling_factor=1 / saved["stats"]["std"], shift_factor=saved["stats"]["mean"])
    return vae.eval()


if __name__ == "__main__":
    torch.set_num_threads(int(os.environ.get("THREADS", "2")))
    main()
