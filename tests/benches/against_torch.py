"""Times the works of `headroom bench speed` in PyTorch too, on as many threads, and prints the ratios.

    python against_torch.py PATH/TO/headroom [--only TEXT]

Each work runs in turn in Headroom, in PyTorch f32 and in PyTorch bf16, so that all meet the same weather. A ratio above
one says that Headroom is faster. Memory is what a work takes at most beyond its weights and inputs: the ledger's count
here, and for PyTorch the growth of the peak of resident memory in a fresh process, which also holds oneDNN's packed
weights. Skips what is not installed: PyTorch for all, diffusers for decoders.
"""

import argparse, json, subprocess, sys, time

try:
    import torch
except ImportError:
    print("skipped: PyTorch is not installed")
    sys.exit(0)
try:
    from diffusers import AutoencoderKL
except ImportError:
    AutoencoderKL = None

WORKS = {
    "product 4096x320x320": ("product", 4096, 320, 320),
    "product 4096x1280x1280": ("product", 4096, 1280, 1280),
    "product 1024x3840x10240": ("product", 1024, 3840, 10240),
    "convolution 3x3 320->320 at 64x64": ("convolution", 320, 64),
    "convolution 3x3 512->512 at 64x64": ("convolution", 512, 64),
    "convolution 3x3 128->128 at 512x512": ("convolution", 128, 512),
    "attention 8 heads x 4096 x 40": ("attention", 8, 4096, 40),
    "attention 8 heads x 1024 x 80": ("attention", 8, 1024, 80),
    "attention 30 heads x 4096 x 128": ("attention", 30, 4096, 128),
    "decode of a 64x64 latent": ("decode", 64),
    "decode of a 128x128 latent": ("decode", 128),
}


def make(kind, *sizes, dtype):
    """The work as a function without arguments, its weights and inputs made."""
    if kind == "product":
        rows, k, n = sizes
        layer = torch.nn.Linear(k, n).to(dtype)
        x = torch.randn(rows, k).to(dtype)
        return lambda: layer(x)
    if kind == "convolution":
        channels, side = sizes
        layer = torch.nn.Conv2d(channels, channels, 3, padding=1).to(dtype).to(memory_format=torch.channels_last)
        x = torch.randn(1, channels, side, side).to(dtype).to(memory_format=torch.channels_last)
        return lambda: layer(x)
    if kind == "attention":
        heads, tokens, dim = sizes
        q, k, v = (torch.randn(1, heads, tokens, dim).to(dtype) for _ in range(3))
        return lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v)
    (side,) = sizes
    vae = AutoencoderKL(
        block_out_channels=[128, 256, 512, 512], layers_per_block=2, latent_channels=4,
        down_block_types=["DownEncoderBlock2D"] * 4, up_block_types=["UpDecoderBlock2D"] * 4,
    ).to(dtype).to(memory_format=torch.channels_last)
    latent = torch.randn(1, 4, side, side).to(dtype).to(memory_format=torch.channels_last)
    return lambda: vae.decode(latent).sample


def peak():
    """The most memory that this process has had resident, in bytes."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


def measure(name, dtype, budget=2.0):
    work = make(*WORKS[name], dtype=getattr(torch, dtype))
    before, times, begun = peak(), [], time.perf_counter()
    with torch.inference_mode():
        work()
        while len(times) < 3 or time.perf_counter() - begun < budget and len(times) < 25:
            start = time.perf_counter()
            work()
            times.append(time.perf_counter() - start)
    return {"seconds": sorted(times)[len(times) // 2], "peak": peak() - before}


def own_process(name, dtype, threads):
    command = [sys.executable, __file__, "--child", name, dtype, str(threads)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("headroom")
    arguments.add_argument("--only", default="")
    arguments = arguments.parse_args()
    mib = lambda count: f"{count / 2**20:6.0f} MiB"
    print(f"{'':52} {'Headroom':>9} {'torch f32':>15} {'torch bf16':>15}   memory: Headroom, torch f32, bf16")
    for name in WORKS:
        if arguments.only not in name or (name.startswith("decode") and AutoencoderKL is None):
            continue
        command = [arguments.headroom, "bench", "speed", "--json", "--only", name]
        report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        torchs = [own_process(name, dtype, report["threads"]) for dtype in ("float32", "bfloat16")]
        for row in report["works"]:
            ratios = " ".join(f"{t['seconds'] * 1e3:8.1f} {t['seconds'] / row['seconds']:5.2f}x" for t in torchs)
            memory = ", ".join([mib(row["peak"]), *(mib(t["peak"]) for t in torchs)])
            print(f"{row['work']:<44} {row['kind']:<7} {row['seconds'] * 1e3:9.1f} {ratios}   {memory}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        torch.set_num_threads(int(sys.argv[4]))
        print(json.dumps(measure(sys.argv[2], sys.argv[3])))
    else:
        main()
