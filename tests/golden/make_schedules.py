"""Makes schedules.json: FlowMatchEulerDiscreteScheduler sigmas and timesteps.

    python make_schedules.py

"z_image": as ZImagePipeline sets them (diffusers 0.42: its own sigmas 1 .. 1/n).
"zero_end": as earlier ZImagePipelines and the official code set them (sigma_min = 0: the last sigma is 0
    already, so n steps are the n - 1 steps of "z_image" and an idle one).
"plain": set_timesteps(n) alone, as SD3 does (the shift acts on sigma_min too, twice).
"dynamic": use_dynamic_shifting with mu, exponential, over the sigmas 1 .. 1/n, as FLUX.
Numbers are f32, printed exactly; "sigmas" has n + 1 entries and ends with 0.
"""

import json
from pathlib import Path

import torch
from diffusers import FlowMatchEulerDiscreteScheduler
from diffusers.pipelines.z_image.pipeline_z_image import get_default_z_image_sigmas, retrieve_timesteps


def record(kind, n, **config):
    mu = config.pop("mu", None)
    scheduler = FlowMatchEulerDiscreteScheduler(**config)
    kw = {} if mu is None else {"mu": mu}
    if kind in ("z_image", "dynamic"):
        retrieve_timesteps(scheduler, n, "cpu", sigmas=get_default_z_image_sigmas(n), **kw)
    else:
        if kind == "zero_end":
            scheduler.sigma_min = 0.0
        scheduler.set_timesteps(n)
    return {"kind": kind, "steps": n} | config | kw | {
        "sigmas": scheduler.sigmas.tolist(), "timesteps": scheduler.timesteps.tolist()}


def main():
    torch.set_num_threads(1)
    rows = [record(kind, n, shift=shift) for kind in ("z_image", "zero_end", "plain")
            for shift in (1.0, 3.0, 6.0) for n in (1, 4, 8, 9, 20)]
    rows += [record("dynamic", n, use_dynamic_shifting=True, mu=mu) for mu in (0.5, 1.15) for n in (1, 4, 20)]
    text = ",\n".join(json.dumps(row) for row in rows)
    (Path(__file__).parent / "schedules.json").write_text(f"[\n{text}\n]\n")


if __name__ == "__main__":
    main()
