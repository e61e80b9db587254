"""Makes noise.json: what torch.randn draws from a seeded CPU generator.

    python make_noise.py

Values are f32 bit patterns in hex. "spots" maps an index to a value in a draw of 100,000 numbers,
"blocks" (some seeds) has, for each thousand of that draw, the sum and the sum weighted with 1 .. 1000, in f64;
"sizes" holds whole draws: below 16 numbers torch takes another path, and a length that is no
multiple of 16 has its last 16 numbers drawn again.
"""

import json
from pathlib import Path

import numpy as np, torch

SEEDS = [0, 1, 42, 2**32 - 1, 2**32, 2**32 + 42, 2**63, 2**64 - 1]
SPOTS = [20, 31, 32, 623, 624, 625, 1000, 9999, 31337, 65535, 65536, 99983, 99984, 99990, 99999]


def draw(seed, n):
    return torch.randn(n, generator=torch.Generator().manual_seed(seed), dtype=torch.float32)


def bits(values):
    return [f"{x:08x}" for x in values.numpy().view(np.uint32)]


def blocks(values):
    rows = values.double().reshape(-1, 1000)
    weights = torch.arange(1, 1001, dtype=torch.float64)
    return [[round(a, 4), round(b, 2)] for a, b in zip(rows.sum(1).tolist(), (rows * weights).sum(1).tolist())]


def main():
    torch.set_num_threads(1)
    out = {"torch": torch.__version__, "cpu_capability": torch.backends.cpu.get_cpu_capability(), "seeds": []}
    for seed in SEEDS:
        long = draw(seed, 100_000)
        generator = torch.Generator().manual_seed(seed)
        twice = torch.cat([torch.randn(n, generator=generator) for n in (5, 32, 4)])  # one generator, three draws
        out["seeds"].append({
            "seed": str(seed), "head": bits(long[:20]),
            "spots": {str(i): b for i, b in zip(SPOTS, bits(long[SPOTS]))},
            "sizes": {str(n): bits(draw(seed, n)) for n in ([*range(1, 21), 100] if seed in (0, 42) else [3, 17])},
            "draws_5_32_4": bits(twice),
        } | ({"blocks": blocks(long)} if seed in (0, 42, 2**32, 2**63) else {}))
    (Path(__file__).parent / "noise.json").write_text(json.dumps(out, indent=1) + "\n")


if __name__ == "__main__":
    main()
