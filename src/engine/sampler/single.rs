//! Samplers that remember nothing from one step to the next (Karras et al. 2022; k-diffusion).

use super::space::Space;
use super::{Run, add, mix};
use crate::job::Failure;

pub(super) fn euler(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    for step in run.steps() {
        let d = run.direction(x, step.from)?;
        euler_step(x, &d, step.from as f32, step.to as f32);
        run.stepped(step, x)?;
    }
    Ok(())
}

/// `x += (to - from) * d`, in f32 as the reference pipelines compute it.
pub(super) fn euler_step(x: &mut [f32], d: &[f32], from: f32, to: f32) {
    for (x, &d) in x.iter_mut().zip(d) {
        *x += (to - from) * d;
    }
}

/// A step that goes below its target and comes back up with fresh noise.
pub(super) struct Ancestral {
    /// Where the deterministic part ends.
    pub down: f64,
    /// What the latent is multiplied with before the noise comes.
    pub keep: f64,
    /// Amount of noise.
    pub up: f64,
}

impl Ancestral {
    /// For full noise (eta 1): k-diffusion's `get_ancestral_step`, and ComfyUI's form for rectified flow, which goes
    /// down by the square of the ratio of levels and restores their mixture.
    pub(super) fn new(space: &Space, from: f64, to: f64) -> Self {
        let down = to * to / from;
        match space {
            Space::Eps(_) => Self { down, keep: 1.0, up: (to * to - down * down).max(0.0).sqrt() },
            Space::Flow { .. } => {
                let keep = (1.0 - to) / (1.0 - down);
                Self { down, keep, up: (to * to - (down * keep).powi(2)).max(0.0).sqrt() }
            }
        }
    }
}

pub(super) fn euler_ancestral(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    for step in run.steps() {
        let d = run.direction(x, step.from)?;
        let way = Ancestral::new(run.space, step.from, step.to);
        add(x, way.down - step.from, &d);
        drop(d);
        if step.to > 0.0 {
            run.renoise(x, way.keep, way.up);
        }
        run.stepped(step, x)?;
    }
    Ok(())
}

/// Heun's method: the mean of the directions at both ends of the step.
pub(super) fn heun(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    for step in run.steps() {
        let d = run.direction(x, step.from)?;
        let way = step.to - step.from;
        if step.to > 0.0 {
            let mut trial = x.to_vec();
            add(&mut trial, way, &d);
            let there = run.direction(&trial, step.to)?;
            add(x, way / 2.0, &d);
            add(x, way / 2.0, &there);
        } else {
            add(x, way, &d);
        }
        run.stepped(step, x)?;
    }
    Ok(())
}

/// The direction in the geometric middle of the step, for all of it.
pub(super) fn dpm2(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    for step in run.steps() {
        middle_step(run, x, step.from, step.to)?;
        run.stepped(step, x)?;
    }
    Ok(())
}

pub(super) fn dpm2_ancestral(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    for step in run.steps() {
        let way = Ancestral::new(run.space, step.from, step.to);
        middle_step(run, x, step.from, way.down)?;
        if step.to > 0.0 {
            run.renoise(x, way.keep, way.up);
        }
        run.stepped(step, x)?;
    }
    Ok(())
}

fn middle_step(run: &mut Run<'_>, x: &mut [f32], from: f64, to: f64) -> Result<(), Failure> {
    let d = run.direction(x, from)?;
    if to <= 0.0 {
        add(x, to - from, &d);
        return Ok(());
    }
    let middle = (from * to).sqrt();
    let mut trial = x.to_vec();
    add(&mut trial, middle - from, &d);
    drop(d);
    let d = run.direction(&trial, middle)?;
    add(x, to - from, &d);
    Ok(())
}

/// DPM-Solver++(2S) (Lu et al. 2022) with ancestral noise: the picture that the network sees in the middle of the
/// step, for all of it. The middle is that of the logarithmic signal-to-noise ratio.
pub(super) fn dpmpp_2s_ancestral(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    for step in run.steps() {
        let way = Ancestral::new(run.space, step.from, step.to);
        let d = run.direction(x, step.from)?;
        if step.to <= 0.0 {
            add(x, -step.from, &d);
            run.stepped(step, x)?;
            continue;
        }
        let middle = middle_of(run.space, step.from, way.down);
        let mut trial = x.to_vec();
        add(&mut trial, middle - step.from, &d);
        drop(d);
        let denoised = run.denoised(&trial, middle)?;
        drop(trial);
        let ratio = way.down / step.from;
        mix(x, ratio, &denoised, 1.0 - ratio);
        drop(denoised);
        run.renoise(x, way.keep, way.up);
        run.stepped(step, x)?;
    }
    Ok(())
}

fn middle_of(space: &Space, from: f64, to: f64) -> f64 {
    match space {
        // From pure noise there is no middle: a level just below it, as ComfyUI takes.
        Space::Flow { .. } if from >= 1.0 => 0.9999,
        Space::Flow { .. } | Space::Eps(_) => {
            space.sigma_of_lambda(f64::midpoint(space.lambda(from), space.lambda(to)))
        }
    }
}
