"""Pretrain the text encoder alone: from the caption predict a thumbnail of the scene, the things, background and style.

Without this the denoiser learns to ignore a text encoder that starts from nothing.
"""
import argparse
import math
import os
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from data import BACKGROUNDS, STYLES, World
from models import (TEXT_DIM, encode_text, load_checkpoint, log_line, mixed, new_text_encoder, save_checkpoint, tokenize,
                    train_tokenizer)

THUMB = 16


def make_tokenizer(world, path):
    from tokenizers import Tokenizer
    if path.exists():
        return Tokenizer.from_file(str(path))
    rng = np.random.default_rng(3)
    captions = ["user\n" + world.scene(rng).caption for _ in range(60000)]
    names = [name for _, names, _ in world.things for name in names]
    tokenizer = train_tokenizer(captions + ["user\n" + n for n in names * 20] + ["user\na " + n for n in names * 20] + ["assistant\n"] * 2000)
    tokenizer.save(str(path))
    return tokenizer


def batch(world, tokenizer, rng, count):
    scenes = [world.scene(rng) for _ in range(count)]
    ids, mask = tokenize(tokenizer, [s.caption for s in scenes])
    thumbs = torch.from_numpy(np.stack([world.compose(s, THUMB) for s in scenes])).flatten(1).float() / 127.5 - 1
    things = torch.zeros(count, len(world.things))
    for row, scene in enumerate(scenes):
        for placed in scene.placed:
            things[row, placed.thing] = 1 / len(scene.placed)
    background = torch.tensor([s.background_id for s in scenes]) + 1
    style = torch.tensor([s.placed[0].style for s in scenes])
    return ids, mask, thumbs, things, background, style


class Heads(nn.Module):
    def __init__(self, things):
        super().__init__()
        self.norm = nn.RMSNorm(TEXT_DIM)
        self.thumb = nn.Sequential(nn.Linear(TEXT_DIM, 512), nn.GELU(), nn.Linear(512, THUMB * THUMB * 3))
        self.things = nn.Linear(TEXT_DIM, things)
        self.background = nn.Linear(TEXT_DIM, len(BACKGROUNDS) + 1)
        self.style = nn.Linear(TEXT_DIM, len(STYLES))

    def forward(self, features, mask):
        weight = mask.unsqueeze(-1) / mask.sum(1).view(-1, 1, 1)
        pooled = (self.norm(features) * weight).sum(1)
        return self.thumb(pooled), self.things(pooled), self.background(pooled), self.style(pooled)


def main():
    args = argparse.ArgumentParser()
    args.add_argument("out", type=Path)
    args.add_argument("--steps", type=int, default=3000)
    args.add_argument("--batch", type=int, default=256)
    args.add_argument("--lr", type=float, default=2e-3)
    args = args.parse_args()
    world = World(args.out)
    tokenizer = make_tokenizer(world, args.out / "tokenizer.json")
    torch.manual_seed(4)
    encoder = new_text_encoder(tokenizer.get_vocab_size())
    heads = Heads(len(world.things))
    parameters = [*encoder.parameters(), *heads.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=args.lr, betas=(0.9, 0.98), weight_decay=0.01)
    path, step = args.out / "text.pt", 0
    if saved := load_checkpoint(path):
        encoder.load_state_dict(saved["encoder"])
        heads.load_state_dict(saved["heads"])
        optimizer.load_state_dict(saved["optimizer"])
        step = saved["step"]
    start = time.time()
    while step < args.steps:
        lr = args.lr * min(1, (step + 1) / 100) * (0.02 + 0.98 * (0.5 + 0.5 * math.cos(math.pi * step / args.steps)))
        for group in optimizer.param_groups:
            group["lr"] = lr
        ids, mask, thumbs, things, background, style = batch(world, tokenizer, np.random.default_rng([4, step]), args.batch)
        with mixed():
            thumb_out, things_out, background_out, style_out = heads(encode_text(encoder, ids, mask).float(), mask)
        thumb_loss = F.mse_loss(thumb_out.float(), thumbs)
        thing_loss = F.cross_entropy(things_out.float(), things)
        loss = 4 * thumb_loss + 0.3 * thing_loss + 0.2 * F.cross_entropy(background_out.float(), background) \
            + 0.2 * F.cross_entropy(style_out.float(), style)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        step += 1
        if step % 25 == 0:
            single = (things.max(1).values == 1)
            log_line(args.out / "text.log", step=step, seconds=time.time() - start, thumb=thumb_loss.item() / thumbs.var().item(),
                     thing=(things_out.argmax(1) == things.argmax(1))[single].float().mean().item(),
                     background=(background_out.argmax(1) == background).float().mean().item())
        if step % 250 == 0 or step == args.steps:
            save_checkpoint(path, encoder=encoder.state_dict(), heads=heads.state_dict(), optimizer=optimizer.state_dict(), step=step)


if __name__ == "__main__":
    torch.set_num_threads(int(os.environ.get("THREADS", "2")))
    main()
