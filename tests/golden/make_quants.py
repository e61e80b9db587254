"""Makes quants.safetensors: blocks of every GGUF type and of 8-bit floats with the values they stand for.

    python make_quants.py

Blocks are random bytes, so every bit pattern of quants, scales and minima turns up; only the f16 scales of a block are
chosen, because a random one may be infinite. Two rows of 512 values each.
"""

from pathlib import Path

import gguf, numpy as np, torch
from gguf import GGMLQuantizationType as T
from safetensors.numpy import save_file

ROWS, COLUMNS = 2, 512
# Where a block keeps its f16 scales, in bytes.
SCALES = {
    T.Q4_0: [0], T.Q4_1: [0, 2], T.Q5_0: [0], T.Q5_1: [0, 2], T.Q8_0: [0], T.Q2_K: [80, 82], T.Q3_K: [108],
    T.Q4_K: [0, 2], T.Q5_K: [0, 2], T.Q6_K: [208], T.IQ4_NL: [0], T.IQ4_XS: [0],
}


def main():
    rng = np.random.default_rng(5)
    out = {}
    for kind, scales in SCALES.items():
        values, size = gguf.GGML_QUANT_SIZES[kind]
        blocks = rng.integers(0, 256, (ROWS * COLUMNS // values, size), dtype=np.uint8)
        for at in scales:
            chosen = rng.uniform(-0.02, 0.02, len(blocks)).astype(np.float16)
            blocks[:, at : at + 2] = chosen.view(np.uint8).reshape(-1, 2)
        out[f"{kind.name.lower()}.bytes"] = blocks.reshape(-1)
        out[f"{kind.name.lower()}.values"] = gguf.quants.dequantize(blocks, kind).astype(np.float32).reshape(-1)
    for name, dtype in [("f8_e4m3", torch.float8_e4m3fn), ("f8_e5m2", torch.float8_e5m2)]:
        every = np.arange(256, dtype=np.uint8)
        values = torch.from_numpy(every).view(dtype).float().numpy()
        every, values = every[np.isfinite(values)], values[np.isfinite(values)]
        picked = rng.integers(0, len(every), ROWS * COLUMNS)
        out[f"{name}.bytes"], out[f"{name}.values"] = every[picked], values[picked]
    save_file(out, Path(__file__).parent / "quants.safetensors")


if __name__ == "__main__":
    main()
