"""Makes samplers.json: schedules, and what samplers make of noise with a network that is known exactly.

    python make_samplers.py         # requirements.txt; k-diffusion without its dependencies: pip install --no-deps

The network is the exact denoiser of a mixture of two normal distributions. Everything is f64; "rounding" is how far
the same run in f32 ends from it (relative to the largest value or one), which is much where a method extrapolates. Space "eps" is Stable
Diffusion's (x = picture + sigma * noise, levels of 1000 scaled_linear betas), "flow" is
x = (1 - sigma) * picture + sigma * noise with shift 3.

References: k-diffusion for Euler, Euler a, Heun, DPM2, DPM2 a, DPM++ 2M, 2M SDE, 3M SDE, 2S a, SDE, LMS; diffusers
for UniPC, DEIS, IPNDM, TCD and (as DPM-Solver++ of the "heun" type) res_multistep, and for DDIM on its own times. The
stochastic DPM++ samplers know nothing of flow; there k-diffusion runs on x / (1 - sigma) with levels
sigma / (1 - sigma), which is the same equation. LCM and the ancestral samplers for rectified flow have no packaged
reference: they are written out below from their definitions.

Noise on the way: one generator with the seed plus one, as ComfyUI's default_noise_sampler on the processor. The two
draws of a DPM++ SDE step are parts of one Brownian path, as k-diffusion's Brownian tree makes them.
"""

import json, math, sys, types
from pathlib import Path

import numpy as np, scipy.stats, torch
import diffusers
from diffusers import (DDIMScheduler, DEISMultistepScheduler, DPMSolverMultistepScheduler,
                       FlowMatchEulerDiscreteScheduler, IPNDMScheduler, TCDScheduler, UniPCMultistepScheduler)
from diffusers.pipelines.mochi.pipeline_mochi import linear_quadratic_schedule
from diffusers.schedulers import AysSchedules

# Only the samplers: the package's __init__ pulls in what its training code needs.
package = types.ModuleType("k_diffusion")
package.__path__ = [str(Path(site) / "k_diffusion") for site in sys.path]
sys.modules["k_diffusion"] = package
for absent in ("torchvision", "torchvision.transforms", "PIL", "tqdm", "tqdm.auto"):
    try:
        __import__(absent)
    except ImportError:
        sys.modules[absent] = types.ModuleType(absent)
        sys.modules[absent].transforms = sys.modules[absent].functional = sys.modules[absent].Image = None
import k_diffusion.sampling as K
from k_diffusion.external import DiscreteSchedule

SEED, COUNT, SHIFT = 5, 16, 3.0
KIND = [torch.float64]
BETAS = torch.linspace(0.00085**0.5, 0.012**0.5, 1000, dtype=torch.float64) ** 2
TABLE = {"eps": ((1 - (1 - BETAS).cumprod(0)) / (1 - BETAS).cumprod(0)).sqrt()}
TIMES = torch.arange(1, 1001, dtype=torch.float64) / 1000
TABLE["flow"] = SHIFT * TIMES / (1 + (SHIFT - 1) * TIMES)
ALPHA = {"eps": lambda s: torch.ones_like(s), "flow": lambda s: 1 - s}
AYS_SD = [14.6146412293, 6.4745760956, 3.8636745985, 2.6946151520, 1.8841921177, 1.3943805092, 0.9642583904,
          0.6523686016, 0.3977456272, 0.1515232662, 0.0291671582]


def denoise(space, x, sigma):
    """E[picture | x] for pictures from 0.3 N(-0.8, 0.5) + 0.7 N(0.6, 0.7)."""
    kind, x = x.dtype, x.double()
    sigma = torch.as_tensor(sigma, dtype=torch.float64)
    alpha = ALPHA[space](sigma)
    means, spreads, shares = torch.tensor([-0.8, 0.6]), torch.tensor([0.5, 0.7]), torch.tensor([0.3, 0.7])
    means, spreads, shares = ((t.double() * 10).round()[:, None] / 10 for t in (means, spreads, shares))
    variance = alpha**2 * spreads**2 + sigma**2
    log = shares.log() - variance.log() / 2 - (x - alpha * means) ** 2 / (2 * variance)
    return (log.softmax(0) * (means + alpha * spreads**2 / variance * (x - alpha * means))).sum(0).to(kind)


def schedule(space, name, n):
    table = TABLE[space]
    low, high = table[0].item(), table[-1].item()
    shift = lambda t: SHIFT * t / (1 + (SHIFT - 1) * t)
    even = lambda of: torch.linspace(high, low, of, dtype=torch.float64)[:n]
    times = DiscreteSchedule(table, False)
    if name == "karras":
        return K.get_sigmas_karras(n, low, high)[:-1]
    if name == "exponential":
        return torch.linspace(math.log(high), math.log(low), n, dtype=torch.float64).exp()
    if name in ("normal", "sgm_uniform"):
        of = n + (name == "sgm_uniform")
        if space == "flow":
            out = shift(even(of))
            if name == "normal":  # diffusers says the same in f32
                scheduler = FlowMatchEulerDiscreteScheduler(shift=SHIFT)
                scheduler.set_timesteps(n)
                assert torch.allclose(out.float(), scheduler.sigmas[:-1], atol=2e-6)
            return out
        out = times.t_to_sigma(torch.linspace(999, 0, of, dtype=torch.float64))[:n]
        if name == "normal":
            assert torch.allclose(out, times.get_sigmas(n)[:-1].double(), rtol=1e-5)
        return out
    if name == "simple":
        if space == "flow":
            return shift(torch.linspace(1, 1 / n, n, dtype=torch.float64))
        return table[[-(1 + int(i * len(table) / n)) for i in range(n)]]
    if name == "ddim_uniform":
        scheduler = DDIMScheduler(beta_schedule="scaled_linear", timestep_spacing="leading", steps_offset=1)
        scheduler.set_timesteps(n)
        return table[scheduler.timesteps] if n > 1 else table[-1:]
    if name == "beta":
        quantiles = scipy.stats.beta.ppf(1 - np.linspace(0, 1, n, endpoint=False), 0.6, 0.6) * 999
        return table[list(dict.fromkeys(np.rint(quantiles).astype(int).tolist()))]
    if name == "linear_quadratic":
        return torch.tensor(linear_quadratic_schedule(n, 0.025) if n > 1 else [1.0], dtype=torch.float64) * high
    if name == "kl_optimal":
        part = torch.arange(n, dtype=torch.float64) / max(n - 1, 1)
        return (part * math.atan(low) + (1 - part) * math.atan(high)).tan()
    assert name == "align_your_steps"
    assert np.allclose(AYS_SD[:10], AysSchedules["StableDiffusionSigmas"][:10], atol=0.004)
    knots = np.log(AYS_SD)
    return torch.from_numpy(np.exp(np.interp(np.linspace(0, 10, n + 1), np.arange(11), knots)))[:n]


def levels(space, name, n):
    return torch.cat([schedule(space, name, n).double(), torch.zeros(1, dtype=torch.float64)]).float().double()


class Draws:
    """Successive draws, called as k-diffusion calls a noise sampler."""

    def __init__(self):
        self.generator = torch.Generator().manual_seed(SEED + 1)

    def __call__(self, *_levels):
        return torch.randn(COUNT, generator=self.generator).to(KIND[0])


class Brownian(Draws):
    """The noise between two levels: increments of one path, for intervals that start at the same level."""

    def __init__(self):
        super().__init__()
        self.start = self.reached = None

    def __call__(self, start, end):
        if self.start != start:
            self.start, self.reached, self.path = start, start, 0.0
        self.path = self.path + (self.reached - end).sqrt() * super().__call__()
        self.reached = end
        return self.path / (start - end).sqrt()


K_SAMPLERS = {"euler": K.sample_euler, "euler_ancestral": K.sample_euler_ancestral, "heun": K.sample_heun,
              "dpm_2": K.sample_dpm_2, "dpm_2_ancestral": K.sample_dpm_2_ancestral, "dpmpp_2m": K.sample_dpmpp_2m,
              "dpmpp_2m_sde": K.sample_dpmpp_2m_sde, "dpmpp_3m_sde": K.sample_dpmpp_3m_sde,
              "dpmpp_2s_ancestral": K.sample_dpmpp_2s_ancestral, "dpmpp_sde": K.sample_dpmpp_sde,
              "lms": K.sample_lms, "ddim": K.sample_euler}
NOISY = {"euler_ancestral", "dpm_2_ancestral", "dpmpp_2m_sde", "dpmpp_3m_sde", "dpmpp_2s_ancestral"}


def k_run(space, sampler, x, sigmas):
    extra = {"noise_sampler": Draws()} if sampler in NOISY else {}
    if sampler == "dpmpp_sde":
        extra["noise_sampler"] = Brownian()
    if space == "flow" and sampler.endswith("sde"):
        sigmas = sigmas.clamp(max=1 - 1e-4)
        x, ratio = x / (1 - sigmas[0]), sigmas / (1 - sigmas)
        level = lambda s: s[0] / (1 + s[0])
        model = lambda x, s: denoise(space, x * (1 - level(s)), level(s))
        return K_SAMPLERS[sampler](model, x, ratio, disable=True, **extra)
    if space == "flow" and sampler in NOISY:
        return rectified(sampler, x, sigmas)
    return K_SAMPLERS[sampler](lambda x, s: denoise(space, x, s[0]), x, sigmas, disable=True, **extra)


def rectified(sampler, x, sigmas):
    """Ancestral steps for rectified flow: down to sigma'^2 / sigma, then noise such that the level is sigma'."""
    draws = Draws()
    direction = lambda x, s: (x - denoise("flow", x, s)) / s
    for s, to in zip(sigmas, sigmas[1:]):
        d = direction(x, s)
        if to == 0:
            x = x - s * d
            continue
        down = to * to / s
        if sampler == "euler_ancestral":
            x = x + (down - s) * d
        elif sampler == "dpm_2_ancestral":
            middle = (s * down).sqrt()
            x = x + (down - s) * direction(x + (middle - s) * d, middle)
        else:
            logit = lambda s: ((1 - s) / s).log()
            middle = torch.tensor(0.9999) if s == 1 else 1 / (1 + ((logit(s) + logit(down)) / 2).exp())
            there = denoise("flow", x + (middle - s) * d, middle)
            x = down / s * x + (1 - down / s) * there
        keep = (1 - to) / (1 - down)
        x = keep * x + (to**2 - (keep * down) ** 2).sqrt() * draws()
    return x


def diffusers_run(space, sampler, x, sigmas):
    """Solvers of diffusers on our levels. They hold x / sqrt(1 + sigma^2); for flow they are run in the same view, as
    ComfyUI runs its own. The last step, to zero, is the denoised latent: their formulas take its logarithm."""
    n = len(sigmas) - 1
    kind = {"uni_pc": (UniPCMultistepScheduler, {"solver_order": 3, "solver_type": "bh1"}),
            "deis": (DEISMultistepScheduler, {"solver_order": 3, "lower_order_final": False}),
            "res_multistep": (DPMSolverMultistepScheduler, {"solver_type": "heun", "lower_order_final": False})}[sampler]
    scheduler = kind[0](beta_schedule="scaled_linear", **kind[1])
    scheduler.set_timesteps(n)
    scheduler.sigmas = sigmas
    scheduler.timesteps = torch.arange(n, 0, -1)
    scheduler._step_index = 0
    outer = lambda sigma: (1 + sigma**2).sqrt()
    for i in range(n):
        denoised = denoise(space, x, sigmas[i])
        if i == n - 1:
            return denoised
        eps = (x - denoised) / sigmas[i]
        x = scheduler.step(eps[None], scheduler.timesteps[i], (x / outer(sigmas[i]))[None], return_dict=False)[0][0]
        x = x * outer(sigmas[i + 1])
    return x


def ipndm_run(space, x, sigmas):
    scheduler = IPNDMScheduler()
    scheduler.set_timesteps(len(sigmas) - 1)
    scheduler.betas, scheduler.alphas = sigmas, torch.ones_like(sigmas)
    scheduler._step_index = 0
    for i, sigma in enumerate(sigmas[:-1]):
        denoised = denoise(space, x, sigma)
        if sigmas[i + 1] == 0:
            return denoised
        d = (x - denoised) / sigma
        x = scheduler.step(d - x * sigma, None, x, return_dict=False)[0]  # it adds x * sigma itself


def lcm_run(space, x, sigmas):
    draws = Draws()
    for sigma, to in zip(sigmas, sigmas[1:]):
        x = denoise(space, x, sigma)
        if to > 0:
            x = ALPHA[space](to) * x + to * draws()
    return x


def tcd_run(space, x, sigmas):
    draws, gamma = Draws(), 0.3
    scheduler = TCDScheduler(beta_schedule="scaled_linear")
    scheduler.alphas_cumprod = 1 / (1 + TABLE["eps"] ** 2)
    for i, (sigma, to) in enumerate(zip(sigmas, sigmas[1:])):
        denoised = denoise(space, x, sigma)
        if to == 0:
            return denoised
        d = (x - denoised) / sigma
        times = [int((TABLE["eps"] - level).abs().argmin()) for level in (sigma, to)]
        on_table = all(abs(TABLE["eps"][t] - s) < 1e-6 * s for t, s in zip(times, (sigma, to)))
        if space == "eps" and on_table:  # diffusers itself
            scheduler.set_timesteps(2)
            scheduler.timesteps, scheduler._step_index = torch.tensor([*times, 0]), 0
            scheduler.num_inference_steps = 3
            held, diffusers.schedulers.scheduling_tcd.randn_tensor = (
                diffusers.schedulers.scheduling_tcd.randn_tensor, lambda *_a, **_k: draws())
            x = scheduler.step(d, times[0], x / (1 + sigma**2).sqrt(), eta=gamma, return_dict=False)[0]
            diffusers.schedulers.scheduling_tcd.randn_tensor = held
            x = x / scheduler.alphas_cumprod[times[1]].sqrt()
            continue
        if space == "eps":
            logs = TABLE["eps"].log()
            time = round(float(np.interp(to.log(), logs, np.arange(1000))))
            down_time = int(np.floor(np.float32((1 - gamma) * time)))
            down = torch.minimum(TABLE["eps"][down_time], to) if down_time < time else to
        else:
            down = (1 - gamma) * to
        keep = ALPHA[space](to) / ALPHA[space](down)
        x = keep * (x + (down - sigma) * d) + (to**2 - (keep * down) ** 2).sqrt() * draws()


def ddim_check(x):
    """Euler in this view is diffusers' DDIM."""
    scheduler = DDIMScheduler(beta_schedule="scaled_linear", timestep_spacing="leading", steps_offset=1,
                              clip_sample=False)
    scheduler.set_timesteps(10)
    scheduler.alphas_cumprod = 1 / (1 + TABLE["eps"] ** 2)
    sigmas = levels("eps", "ddim_uniform", 10)
    euler = k_run("eps", "euler", x, sigmas)
    x = x / (1 + sigmas[0] ** 2).sqrt()
    for t, sigma in zip(scheduler.timesteps, sigmas):
        outer = (1 + sigma**2).sqrt()
        eps = (x * outer - denoise("eps", x * outer, sigma)) / sigma
        x = scheduler.step(eps, t, x, return_dict=False)[0]
    assert torch.allclose(x, euler, atol=1e-6), (x, euler)


SAMPLERS = [*K_SAMPLERS, "uni_pc", "lcm", "tcd", "deis", "ipndm", "res_multistep"]
SCHEDULES = ["simple", "normal", "karras", "exponential", "sgm_uniform", "ddim_uniform", "beta", "linear_quadratic",
             "kl_optimal", "align_your_steps"]


def run(space, sampler, x, sigmas):
    if sampler in K_SAMPLERS:
        return k_run(space, sampler, x, sigmas)
    other = {"lcm": lcm_run, "tcd": tcd_run, "ipndm": ipndm_run}.get(sampler)
    return other(space, x, sigmas) if other else diffusers_run(space, sampler, x, sigmas)


def main():
    torch.set_num_threads(1)
    noise = torch.randn(COUNT, generator=torch.Generator().manual_seed(SEED))
    schedules, runs = [], []
    for space in TABLE:
        for name in SCHEDULES:
            if (space, name) == ("flow", "align_your_steps"):
                continue
            schedules += [{"space": space, "schedule": name, "steps": n,
                           "sigmas": [float(f"{s:.7g}") for s in levels(space, name, n).tolist()]}
                          for n in (1, 2, 4, 7, 20, 50)]
            for sampler in SAMPLERS:
                # Samplers that leave out the last level but one get a step more of the schedule.
                n = 9
                sigmas = levels(space, name, n + 1 if sampler in ("dpm_2", "dpm_2_ancestral", "uni_pc") else n)
                if sampler in ("dpm_2", "dpm_2_ancestral", "uni_pc"):
                    sigmas = torch.cat([sigmas[:-2], sigmas[-1:]])
                out = run(space, sampler, noise.double() * sigmas[0], sigmas)
                assert out.isfinite().all(), (space, sampler, name)
                KIND[0] = torch.float32
                rough = run(space, sampler, noise * sigmas[0].float(), sigmas.float())
                KIND[0] = torch.float64
                rounding = ((rough.double() - out).abs().max() / out.abs().max().clamp(min=1)).item()
                runs.append({"space": space, "sampler": sampler, "schedule": name, "steps": n,
                             "rounding": float(f"{rounding:.1e}"), "x": [float(f"{v:.8g}") for v in out.tolist()]})
    ddim_check(noise.double() * 14.0)
    versions = {"torch": torch.__version__, "diffusers": diffusers.__version__, "k_diffusion": "0.1.1.post1"}
    lines = lambda rows: "[\n" + ",\n".join(json.dumps(row) for row in rows) + "\n]"
    text = f'{{"versions": {json.dumps(versions)}, "seed": {SEED}, "count": {COUNT}, "shift": {SHIFT},\n'
    text += f'"schedules": {lines(schedules)},\n"runs": {lines(runs)}}}\n'
    (Path(__file__).parent / "samplers.json").write_text(text)


if __name__ == "__main__":
    main()
