//! DPM-Solver++ and what descends from it: steps in the logarithmic signal-to-noise ratio, on denoised latents (Lu et
//! al. 2022; k-diffusion). The stochastic ones take the ratio of the model's own space, so that they hold for flow.

use super::{Run, add, mix};
use crate::job::Failure;

/// A denoised latent, and how far its step went.
type Before = (Vec<f32>, f64);

pub(super) fn dpmpp_2m(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    let mut before: Option<Before> = None;
    for step in run.steps() {
        let denoised = run.denoised(x, step.from)?;
        let ratio = step.to / step.from;
        let h = -ratio.ln();
        match before.take() {
            Some((older, h_before)) if step.to > 0.0 => {
                let part = h / (2.0 * h_before);
                mix(x, ratio, &denoised, (1.0 - ratio) * (1.0 + part));
                add(x, -(1.0 - ratio) * part, &older);
            }
            _ => mix(x, ratio, &denoised, 1.0 - ratio),
        }
        before = Some((denoised, h));
        run.stepped(step, x)?;
    }
    Ok(())
}

/// Second-order multistep exponential integrator (Zhang et al. 2023, "Improved Order Analysis", RES): on a data
/// prediction it is DPM-Solver++(2M) with the exact weight of the slope.
pub(super) fn res_multistep(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    let mut before: Option<Before> = None;
    for step in run.steps() {
        let denoised = run.denoised(x, step.from)?;
        let ratio = step.to / step.from;
        let h = -ratio.ln();
        mix(x, ratio, &denoised, 1.0 - ratio);
        if let Some((older, h_before)) = before.take()
            && step.to > 0.0
        {
            let slope = (1.0 + (-h).exp_m1() / h) * h / h_before;
            add(x, slope, &denoised);
            add(x, -slope, &older);
        }
        before = Some((denoised, h));
        run.stepped(step, x)?;
    }
    Ok(())
}

/// One stochastic step with full noise (eta 1), without the terms of higher order.
struct Sde {
    /// Step in the logarithmic signal-to-noise ratio.
    h: f64,
    /// Share of the picture at the end.
    alpha: f64,
    /// What the latent is multiplied with.
    keep: f64,
    /// Weight of the denoised latent.
    take: f64,
    /// Amount of noise.
    up: f64,
}

impl Sde {
    fn new(run: &Run<'_>, from: f64, to: f64) -> Self {
        let h = run.space.lambda(to) - run.space.lambda(from);
        let alpha = run.space.alpha(to);
        Self {
            h,
            alpha,
            keep: to / from * (-h).exp(),
            take: alpha * -(-2.0 * h).exp_m1(),
            up: to * (-(-2.0 * h).exp_m1()).sqrt(),
        }
    }
}

/// The midpoint form of DPM-Solver++(2M) SDE.
pub(super) fn dpmpp_2m_sde(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    let mut before: Option<Before> = None;
    for step in run.steps() {
        let from = run.space.below_pure_noise(step.from);
        let denoised = run.denoised(x, from)?;
        if step.to <= 0.0 {
            x.copy_from_slice(&denoised);
            run.stepped(step, x)?;
            continue;
        }
        let sde = Sde::new(run, from, step.to);
        mix(x, sde.keep, &denoised, sde.take);
        if let Some((older, h_before)) = before.take() {
            let slope = 0.5 * sde.take * sde.h / h_before;
            add(x, slope, &denoised);
            add(x, -slope, &older);
        }
        run.renoise(x, 1.0, sde.up);
        before = Some((denoised, sde.h));
        run.stepped(step, x)?;
    }
    Ok(())
}

pub(super) fn dpmpp_3m_sde(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    let (mut last, mut older): (Option<Before>, Option<Before>) = (None, None);
    for step in run.steps() {
        let from = run.space.below_pure_noise(step.from);
        let denoised = run.denoised(x, from)?;
        if step.to <= 0.0 {
            x.copy_from_slice(&denoised);
            run.stepped(step, x)?;
            continue;
        }
        let sde = Sde::new(run, from, step.to);
        mix(x, sde.keep, &denoised, sde.take);
        let h_eta = 2.0 * sde.h;
        let phi_2 = (-h_eta).exp_m1() / h_eta + 1.0;
        match (&last, &older) {
            (Some((one, h_1)), Some((two, h_2))) => {
                let (r0, r1) = (h_1 / sde.h, h_2 / sde.h);
                let phi_3 = phi_2 / h_eta - 0.5;
                // Divided differences, gathered by the latent that they stand on.
                let (slope, bend) = (sde.alpha * phi_2, sde.alpha * phi_3);
                let first = slope * (1.0 + r0 / (r0 + r1)) - bend / (r0 + r1);
                let second = slope * r0 / (r0 + r1) - bend / (r0 + r1);
                add(x, first / r0, &denoised);
                add(x, -first / r0 - second / r1, one);
                add(x, second / r1, two);
            }
            (Some((one, h_1)), None) => {
                let slope = sde.alpha * phi_2 * sde.h / h_1;
                add(x, slope, &denoised);
                add(x, -slope, one);
            }
            _ => {}
        }
        run.renoise(x, 1.0, sde.up);
        older = last.replace((denoised, sde.h));
        run.stepped(step, x)?;
    }
    Ok(())
}

/// DPM-Solver++ (stochastic, single step) with its trial point in the middle of the step.
///
/// The noise of the trial and that of the step are parts of one path of Brownian motion over the noise level, as with
/// k-diffusion's Brownian tree: the step's noise contains the trial's.
pub(super) fn dpmpp_sde(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    for step in run.steps() {
        let from = run.space.below_pure_noise(step.from);
        if step.to <= 0.0 {
            let denoised = run.denoised(x, from)?;
            x.copy_from_slice(&denoised);
            run.stepped(step, x)?;
            continue;
        }
        let space = run.space;
        let (start, end) = (space.lambda(from), space.lambda(step.to));
        let middle = f64::midpoint(start, end);
        let sigma = space.sigma_of_lambda(middle);
        let (alpha_from, alpha_middle, alpha_to) = (space.alpha(from), space.alpha(sigma), space.alpha(step.to));
        // Noise levels as ratios to the picture: in these the ancestral step and the Brownian path are written.
        let (level_from, level_middle, level_to) = ((-start).exp(), (-middle).exp(), (-end).exp());

        let mut trial = run.denoised(x, from)?;
        let (down, up) = ancestral(level_from, level_middle);
        let ratio = down / level_from;
        mix(&mut trial, alpha_middle * (1.0 - ratio), x, alpha_middle / alpha_from * ratio);
        let early = run.noise.draw(x.len());
        add(&mut trial, alpha_middle * up, &early);
        let denoised = run.denoised(&trial, sigma)?;
        drop(trial);

        let (down, up) = ancestral(level_from, level_to);
        let ratio = down / level_from;
        mix(x, alpha_to / alpha_from * ratio, &denoised, alpha_to * (1.0 - ratio));
        drop(denoised);
        let all = level_from - level_to;
        add(x, alpha_to * up * ((level_from - level_middle) / all).sqrt(), &early);
        drop(early);
        run.renoise(x, 1.0, alpha_to * up * ((level_middle - level_to) / all).sqrt());
        run.stepped(step, x)?;
    }
    Ok(())
}

/// Where the deterministic part of a step between two levels ends, and how much noise brings it back.
fn ancestral(from: f64, to: f64) -> (f64, f64) {
    let down = to * to / from;
    (down, (to * to - down * down).max(0.0).sqrt())
}
