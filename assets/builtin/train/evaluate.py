"""Draw prompts with diffusers' own ZImagePipeline from an exported folder, measure, and save a contact sheet.

"Is this the thing" is a nearest-neighbour test in a fixed feature space: the drawn object is cut out of its
background, scaled to a small grid and compared with every thing of the vocabulary in every style.
"""
import argparse
import json
import os
import time
from pathlib import Path

import numpy as np
import torch
from diffusers import ZImagePipeline
from PIL import Image, ImageDraw

from data import BACKGROUNDS, STYLE_NAMES, World

SIDE = 24
KNOWN = """a red apple|a fox|a cat|a dog on a blue background|a house, yellow background|a tree|a red car on a white background|
a mushroom, green background|a star, black background|a heart on a pink background|the sun, blue background|a rocket, purple background|
a fish|a flower|an owl, gray background|a penguin on a blue background|a pizza|a strawberry, yellow background|a banana on a purple background|
a cactus|an umbrella, green background|a snowman, blue background|a robot|a butterfly, white background|a turtle|a rabbit, red background|
a carrot, black background|a cup of coffee, orange background|a castle|a guitar, pink background|an elephant, green background|
a balloon, gray background"""
COMBINED = """apple, flat style, blue background|a fox, cartoon style|a cat, glossy style, green background|a blue car|a purple mushroom|
a green heart, black background|a pink elephant|a rocket, cartoon style, orange background|a yellow fish, blue background|a small red house|
a big star, purple background|a panda, glossy style, red background|a blue rose|a burger, cartoon style|a green dragon, yellow background|
a white rabbit, black background"""
PAIRS = """a fox and a mushroom|a cat and a dog|an apple and a banana|a sun and a cloud, blue background|a house and a tree, green background|
a car and a bus|a rocket and a planet, black background|a bear and a honey pot|a rabbit and a carrot|a penguin and a fish, white background|
a robot and an alien|a star and a moon, purple background|a pizza and a burger, yellow background|a rose and a heart, pink background|
a lion and an elephant|a guitar and a drum, gray background"""


def split(text):
    return [p.strip() for p in text.replace("\n", "").split("|")]


def things_of(world, prompt):
    """The things a prompt names, longest names first."""
    words = " " + "".join(c if c.isalnum() or c == "-" else " " for c in prompt.lower()) + " "
    for other in (*BACKGROUNDS, "background", "style"):
        words = words.replace(f" {other} background", " ")
    names = sorted(((n, i) for i, (_, names, _) in enumerate(world.things) for n in names), key=lambda p: -len(p[0]))
    found = []
    for name, thing in names:
        if f" {name} " in words:
            found.append((words.index(f" {name} "), thing))
            words = words.replace(f" {name} ", " " * (len(name) + 2))
    return [thing for _, thing in sorted(found)]


def background_of(prompt):
    return next((b for b in BACKGROUNDS if f"{b} background" in prompt), None)


def seen_background(picture):
    edge = np.concatenate([picture[:6].reshape(-1, 3), picture[-6:].reshape(-1, 3), picture[:, :6].reshape(-1, 3), picture[:, -6:].reshape(-1, 3)])
    middle = np.median(edge, axis=0)
    return middle, min(BACKGROUNDS, key=lambda b: np.abs(np.array(BACKGROUNDS[b]) - middle).sum())


def features(rgb, alpha):
    """A small grid of the object on gray: colour, shape and edges, each normalised."""
    ys, xs = np.nonzero(alpha > 0.5)
    if len(ys) < 20:
        return np.zeros(SIDE * SIDE * 6, np.float32)
    y0, y1, x0, x1 = ys.min(), ys.max() + 1, xs.min(), xs.max() + 1
    side = max(y1 - y0, x1 - x0)
    tile = np.full((side, side, 4), 128, np.float32)
    tile[..., 3] = 0
    top, left = (side - (y1 - y0)) // 2, (side - (x1 - x0)) // 2
    a = alpha[y0:y1, x0:x1, None]
    tile[top:top + y1 - y0, left:left + x1 - x0, :3] = rgb[y0:y1, x0:x1] * a + 128 * (1 - a)
    tile[top:top + y1 - y0, left:left + x1 - x0, 3:] = a * 255
    small = np.asarray(Image.fromarray(tile.astype(np.uint8), "RGBA").resize((SIDE, SIDE), Image.BOX)).astype(np.float32) / 255
    luma = small[..., :3] @ np.array([0.299, 0.587, 0.114], np.float32)
    gx, gy = np.zeros_like(luma), np.zeros_like(luma)
    gx[:, 1:], gy[1:] = luma[:, 1:] - luma[:, :-1], luma[1:] - luma[:-1]
    parts = [small[..., :3] - 0.5, small[..., 3:] - 0.5, 2 * gx[..., None], 2 * gy[..., None]]
    return np.concatenate([p.ravel() for p in parts])


def cut_out(picture):
    """Object mask by distance from the background colour."""
    middle, _ = seen_background(picture)
    distance = np.abs(picture.astype(np.float32) - middle).max(-1)
    return np.clip((distance - 14) / 20, 0, 1)


class Judge:
    """Ranks of the vocabulary for a picture; references are composed on the picture's own background colour."""

    def __init__(self, world):
        self.world = world
        self.cache = {}

    def references(self, background):
        key = tuple(int(c) // 24 for c in background)
        if key not in self.cache:
            rows = []
            for thing in range(len(self.world.things)):
                for style in range(len(STYLE_NAMES)):
                    icon = np.asarray(self.world.small_icon(thing, style, 64)).astype(np.float32)
                    picture = np.empty((80, 80, 3), np.float32)
                    picture[:] = background
                    a = icon[..., 3:] / 255
                    picture[8:72, 8:72] += (icon[..., :3] - picture[8:72, 8:72]) * a
                    picture = picture.astype(np.uint8)
                    rows.append(features(picture, cut_out(picture)))
            self.cache[key] = np.stack(rows)
        return self.cache[key]

    def rank(self, picture, thing):
        middle, _ = seen_background(picture)
        small = np.asarray(Image.fromarray(picture).resize((picture.shape[1] * 100 // 256, picture.shape[0] * 100 // 256), Image.BOX))
        mine = features(small, cut_out(small))
        distance = np.square(self.references(middle) - mine).sum(1).reshape(len(self.world.things), -1).min(1)
        return int((distance < distance[thing]).sum())


def main():
    args = argparse.ArgumentParser()
    args.add_argument("out", type=Path)
    args.add_argument("--model", type=Path)
    args.add_argument("--sheet", type=Path)
    args.add_argument("--steps", type=int, default=10)
    args.add_argument("--guidance", type=float, default=0.0, help="diffusers' number: 0 is none, 1 is twice the difference")
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--prompts", default="known,combined,pairs")
    args = args.parse_args()
    world = World(args.out)
    judge = Judge(world)
    pipe = ZImagePipeline.from_pretrained(args.model or args.out / "export", torch_dtype=torch.float32)
    pipe.set_progress_bar_config(disable=True)
    tiles, report = [], {}
    seconds = 0.0
    for kind in args.prompts.split(","):
        hits, top5, backgrounds, missed = [], [], [], []
        for n, prompt in enumerate(split({"known": KNOWN, "combined": COMBINED, "pairs": PAIRS}[kind])):
            start = time.time()
            image = pipe(prompt, height=256, width=256, num_inference_steps=args.steps, guidance_scale=args.guidance, max_sequence_length=128,
                         generator=torch.Generator().manual_seed(args.seed + n)).images[0]
            seconds += time.time() - start
            picture = np.asarray(image)
            things = things_of(world, prompt)
            halves = [picture] if len(things) < 2 else [picture[:, :128], picture[:, 128:]]
            ranks = [judge.rank(half, thing) for half, thing in zip(halves, things)]
            hits.append(all(r == 0 for r in ranks))
            top5.append(all(r < 5 for r in ranks))
            wanted = background_of(prompt)
            if wanted:
                backgrounds.append(seen_background(picture)[1] == wanted)
            if not top5[-1]:
                missed.append(f"{prompt} {ranks}")
            tile = Image.new("RGB", (256, 276), "white")
            tile.paste(image, (0, 0))
            ImageDraw.Draw(tile).text((3, 260), prompt + ("" if hits[-1] else "  *" if top5[-1] else "  **"), fill="black")
            tiles.append(np.asarray(tile))
        report[kind] = {"first": float(np.mean(hits)), "first five": float(np.mean(top5)), "background": float(np.mean(backgrounds)),
                        "prompts": len(hits), "missed": missed}
    report["seconds a picture"] = seconds / len(tiles)
    print(json.dumps(report, indent=1))
    tiles += [np.full_like(tiles[0], 255)] * (-len(tiles) % 8)
    rows = [np.concatenate(tiles[i:i + 8], 1) for i in range(0, len(tiles), 8)]
    sheet = Image.fromarray(np.concatenate(rows))
    sheet.save(args.sheet or args.out / "sheet.png")


if __name__ == "__main__":
    torch.set_num_threads(int(os.environ.get("THREADS", "2")))
    main()
