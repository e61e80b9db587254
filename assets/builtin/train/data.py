"""Pictures and captions: render the icons once, then compose scenes from them.

A scene is one thing or two side by side on a plain background; its caption
names what is in it. Everything is drawn from a numpy Generator, so a seed
gives the same scenes everywhere.
"""
import colorsys
import functools
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

HERE = Path(__file__).parent
PACKAGES = {
    "fluent-emoji-flat": "1.2.6",  # MIT
    "fluent-emoji": "1.2.7",  # MIT
    "noto": "1.2.9",  # Apache-2.0
}
# style word in the caption -> icon set; a caption without a style word means the first
STYLES = {"flat": "fluent-emoji-flat", "glossy": "fluent-emoji", "cartoon": "noto"}
STYLE_NAMES = list(STYLES)
BACKGROUNDS = {
    "white": (255, 255, 255), "red": (214, 48, 49), "orange": (243, 146, 55),
    "yellow": (252, 218, 78), "green": (76, 168, 86), "blue": (66, 126, 221),
    "purple": (136, 84, 190), "pink": (248, 168, 200), "black": (20, 20, 22),
    "gray": (150, 152, 156),
}
BACKGROUND_NAMES = list(BACKGROUNDS)
PAINTS = {  # colours that a thing may be repainted in
    "red": (224, 48, 52), "orange": (245, 140, 40), "yellow": (250, 205, 50), "green": (60, 170, 80),
    "blue": (50, 120, 225), "purple": (140, 80, 200), "pink": (245, 130, 180), "black": (45, 45, 48),
    "white": (242, 242, 244), "gray": (140, 142, 146), "brown": (135, 85, 50),
}
PAINT_NAMES = list(PAINTS)
SIZE = 256


def vocabulary():
    """[(icon name, [names], weight)] in the order of things.txt; the index is the thing's id."""
    things = []
    for line in (HERE / "things.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            icon, names = line.split(":", 1)
            things.append((icon.strip(" *"), [n.strip() for n in names.split(",")], 3.0 if line[0] == "*" else 1.0))
    return things


def prepare(out: Path):
    """Fetch the icon packages and render every thing in every style to out/icons.npy."""
    if (out / "icons.npy").exists():
        return
    import resvg_py

    npm = out / "npm"
    npm.mkdir(parents=True, exist_ok=True)
    if not (npm / "node_modules/@iconify-json").exists():
        (npm / "package.json").write_text("{}")
        wanted = [f"@iconify-json/{name}@{version}" for name, version in PACKAGES.items()]
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", *wanted], cwd=npm, check=True)
    things = vocabulary()
    icons = np.lib.format.open_memmap(
        out / "icons.tmp.npy", "w+", np.uint8, (len(things), len(STYLES), SIZE, SIZE, 4))
    for s, package in enumerate(STYLES.values()):
        data = json.loads((npm / f"node_modules/@iconify-json/{package}/icons.json").read_text())
        for i, (name, *_) in enumerate(things):
            while name not in data["icons"]:
                name = data["aliases"][name]["parent"]
            icon = data["icons"][name]
            side = icon.get("width", data["width"]), icon.get("height", data["height"])
            svg = (f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
                   f'viewBox="0 0 {side[0]} {side[1]}" width="{SIZE}" height="{SIZE}">{icon["body"]}</svg>')
            png = bytes(resvg_py.svg_to_bytes(svg_string=svg))
            icons[i, s] = fill_frame(read_png(png))
        print(f"rendered {package}", flush=True)
    icons.flush()
    (out / "icons.tmp.npy").rename(out / "icons.npy")


def read_png(data: bytes):
    import io
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA").resize((SIZE, SIZE), Image.LANCZOS))


def fill_frame(rgba):
    """Crop to what is drawn and scale so that its longer side fills the frame."""
    ys, xs = np.nonzero(rgba[..., 3] > 16)
    y0, y1, x0, x1 = ys.min(), ys.max() + 1, xs.min(), xs.max() + 1
    side = max(y1 - y0, x1 - x0)
    square = np.zeros((side, side, 4), np.uint8)
    top, left = (side - (y1 - y0)) // 2, (side - (x1 - x0)) // 2
    square[top:top + y1 - y0, left:left + x1 - x0] = rgba[y0:y1, x0:x1]
    return np.asarray(premultiplied_resize(square, SIZE))


def premultiplied_resize(rgba, side):
    """Resize without dark fringes."""
    image = Image.fromarray(rgba, "RGBA").convert("RGBa").resize((side, side), Image.BICUBIC, reducing_gap=2.0)
    return image.convert("RGBA")


def colour_name(rgb):
    """The paint nearest to a colour, judged by hue where there is one."""
    r, g, b = (float(c) / 255 for c in rgb)
    h, s, v = colorsys.rgb_to_hsv(r, g, b)
    if v < 0.25:
        return "black"
    if s < 0.18:
        return "white" if v > 0.8 else "gray"
    h *= 360
    if h < 12 or h >= 340:
        return "pink" if s < 0.55 and v > 0.8 else "red"
    if h < 45:
        return "brown" if v < 0.72 else "orange"
    for limit, name in ((68, "yellow"), (165, "green"), (250, "blue"), (290, "purple")):
        if h < limit:
            return name
    return "pink"


@dataclass
class Placed:
    thing: int
    style: int
    paint: int  # -1: its own colours
    box: tuple  # left, top, side in fractions of the picture


@dataclass
class Scene:
    placed: list
    background: tuple  # rgb
    background_id: int  # -1: not named
    caption: str = ""
    extra: dict = field(default_factory=dict)


def main_colours(icons):
    """Of every icon: the colour that its most frequent colour name stands for, and that name's share."""
    dominant, share = np.zeros((*icons.shape[:2], 3)), np.zeros(icons.shape[:2])
    for place in np.ndindex(*icons.shape[:2]):
        small = icons[place][::8, ::8]
        solid = small[small[..., 3] > 128][:, :3]
        names = np.array([colour_name(c) for c in solid])
        values, counts = np.unique(names, return_counts=True)
        mine = names == values[counts.argmax()]
        key = (solid // 40).astype(int) @ np.array([49, 7, 1])
        top = np.bincount(key[mine]).argmax()
        dominant[place] = np.median(solid[mine & (key == top)], axis=0)
        share[place] = counts.max() / len(solid)
    return dominant, share


class World:
    """The rendered icons, what is known about their colours, and scenes made from them."""

    def __init__(self, out: Path, starred=False):
        self.things = vocabulary()
        self.icons = np.load(out / "icons.npy", mmap_mode="r")
        weights = np.array([w for _, _, w in self.things])
        if starred:  # only what people ask for first
            weights[weights < weights.max()] = 0
        self.weights = weights / weights.sum()
        cache = out / "colours.npz"
        if not cache.exists():
            np.savez(cache, **dict(zip(("dominant", "share"), main_colours(self.icons))))
        colours = np.load(cache)
        self.dominant, self.share = colours["dominant"], colours["share"]

    def own_colour(self, thing, style):
        """The colour word that fits the icon as drawn, or None."""
        return colour_name(self.dominant[thing, style]) if self.share[thing, style] > 0.6 else None

    @functools.lru_cache(maxsize=4096)
    def small_icon(self, thing, style, side):
        return np.asarray(premultiplied_resize(np.asarray(self.icons[thing, style]), side))

    def sprite(self, placed: Placed, side):
        source = self.small_icon(placed.thing, placed.style, 64) if side <= 64 else self.icons[placed.thing, placed.style]
        rgba = np.asarray(premultiplied_resize(np.asarray(source), max(side, 1))).astype(np.float32)
        rgb, alpha = rgba[..., :3], rgba[..., 3:] / 255
        if placed.paint >= 0:
            rgb = repaint(rgb, self.dominant[placed.thing, placed.style], PAINTS[PAINT_NAMES[placed.paint]])
        return rgb, alpha

    def compose(self, scene: Scene, size=SIZE):
        """uint8 picture; size is a side or (height, width), whose middle square holds the scene."""
        height, width = (size, size) if isinstance(size, int) else size
        size = min(height, width)
        canvas = np.empty((height, width, 3), np.float32)
        canvas[:] = scene.background
        for placed in scene.placed:
            left, top, side = (int(round(v * size)) for v in placed.box)
            left, top = left + (width - size) // 2, top + (height - size) // 2
            rgb, alpha = self.sprite(placed, side)
            x0, y0 = max(left, 0), max(top, 0)
            x1, y1 = min(left + side, width), min(top + side, height)
            cut = np.s_[y0 - top:y1 - top, x0 - left:x1 - left]
            here = canvas[y0:y1, x0:x1]
            here += (rgb[cut] - here) * alpha[cut]
        return np.clip(canvas + 0.5, 0, 255).astype(np.uint8)

    # -- scenes ---------------------------------------------------------------

    def scene(self, rng, pair_share=0.25, paint_share=0.15, style_share=0.3, wander=1.0):
        """wander scales by how much things stray from their places and sizes."""
        style_words = rng.random() < style_share
        style = int(rng.choice(len(STYLES), p=(0.34, 0.33, 0.33))) if style_words else 0
        count = 2 if rng.random() < pair_share else 1
        chosen = rng.choice(len(self.things), count, replace=False, p=self.weights)
        if rng.random() < 0.6:
            b = int(rng.integers(len(BACKGROUNDS)))
            if any(BACKGROUND_NAMES[b] == self.own_colour(thing, style) for thing in chosen):
                b = 0  # what would vanish goes on white
            background = jitter(rng, BACKGROUNDS[BACKGROUND_NAMES[b]], 6)
        else:
            b = -1
            background = (255, 255, 255) if rng.random() < 0.6 else pastel(rng)
        placed, subjects = [], []
        word = ""
        for k, thing in enumerate(chosen):
            paint, colour = -1, None
            if rng.random() < paint_share:
                paint = int(rng.integers(len(PAINTS)))
                colour = PAINT_NAMES[paint]
                if colour == self.own_colour(thing, style):
                    paint = -1
                elif b >= 0 and colour == BACKGROUND_NAMES[b]:
                    paint, colour = -1, None
            elif rng.random() < 0.4:
                colour = self.own_colour(thing, style)
            if count == 1:
                word = rng.choice(["small", "big"]) if rng.random() < 0.12 else ""
                side = {"small": 0.42, "big": 0.92, "": 0.74}[word] * (1 + wander * rng.uniform(-0.05, 0.05))
                centre = 0.5 + wander * rng.uniform(-0.04, 0.04, 2) * (1 if word != "small" else 3)
            else:
                side = 0.46 * (1 + wander * rng.uniform(-0.05, 0.05))
                centre = np.array([0.255 + 0.49 * k, 0.5]) + wander * rng.uniform(-0.015, 0.015, 2)
            left, top = centre - side / 2
            placed.append(Placed(int(thing), style, paint, (left, top, side)))
            subjects.append(self.subject(rng, int(thing), colour, word))
        caption = phrase(rng, subjects, STYLE_NAMES[style] if style_words else None,
                         BACKGROUND_NAMES[b] if b >= 0 else None)
        return Scene(placed, tuple(background), b, caption)

    def subject(self, rng, thing, colour, word):
        names = self.things[thing][1]
        name = names[0] if rng.random() < 0.7 else str(rng.choice(names))
        words = " ".join(w for w in (word, colour, name) if w)
        roll = rng.random()
        if roll < 0.6:
            return with_article(words)
        return words if roll < 0.9 else "the " + words


def with_article(words):
    plural = words.endswith("s") and not words.endswith(("ss", "us", "cactus", "bus", "octopus", "walrus"))
    if plural:
        return words
    return ("an " if words[0] in "aeiou" else "a ") + words


def phrase(rng, subjects, style, background):
    if len(subjects) == 2:
        joint = rng.choice([" and ", " and ", " and ", " next to ", " with ", ", "])
        text = joint.join(subjects)
    else:
        text = subjects[0]
        if rng.random() < 0.08:
            text = str(rng.choice(["a picture of ", "a drawing of ", "an icon of "])) + text
    tail = []
    if style:
        tail.append(f"{style} style")
    if background:
        if not tail and rng.random() < 0.6:
            text += f" on a{'n' if background == 'orange' else ''} {background} background"
        else:
            tail.append(f"{background} background")
    if len(tail) == 2 and rng.random() < 0.4:
        tail.reverse()
    text = ", ".join([text, *tail])
    if rng.random() < 0.05:
        text += "."
    return text


def jitter(rng, rgb, amount):
    return tuple(float(np.clip(c + rng.uniform(-amount, amount), 0, 255)) for c in rgb)


def pastel(rng):
    return tuple(255 * c for c in colorsys.hsv_to_rgb(rng.random(), rng.uniform(0.08, 0.3), rng.uniform(0.93, 1.0)))


LUMA = np.array([0.299, 0.587, 0.114], np.float32)


def repaint(rgb, dominant, target):
    """Move the icon's dominant colour to the target; black stays black, white stays white, other hues stay."""
    dominant, target = np.asarray(dominant, np.float32), np.asarray(target, np.float32)
    luma = rgb @ LUMA
    pivot = float(np.clip(dominant @ LUMA, 40, 225))
    low = target * (luma / pivot)[..., None]
    high = target + (255 - target) * ((luma - pivot) / (255 - pivot))[..., None]
    painted = np.where((luma < pivot)[..., None], low, high)
    chroma, main = rgb - luma[..., None], dominant - dominant @ LUMA
    strength = np.linalg.norm(main)
    if strength < 18:  # a grey or white thing: repaint what has no colour
        weight = np.clip(1.5 - np.linalg.norm(chroma, axis=-1) / 30, 0, 1)
    else:
        cosine = chroma @ main / (strength * (np.linalg.norm(chroma, axis=-1) + 6))
        weight = np.clip((cosine - 0.35) / 0.3, 0, 1)
    return rgb + (painted - rgb) * weight[..., None]


if __name__ == "__main__":
    import sys
    out = Path(sys.argv[1])
    prepare(out)
    world = World(out)
    rng = np.random.default_rng(0)
    tiles, n = [], 48
    for _ in range(n):
        scene = world.scene(rng)
        print(scene.caption)
        tiles.append(world.compose(scene, 128))
    rows = [np.concatenate(tiles[i:i + 8], 1) for i in range(0, n, 8)]
    Image.fromarray(np.concatenate(rows)).save(out / "data-sheet.png")
