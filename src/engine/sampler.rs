//! Noise levels and the steps between them.

use crate::model::noise::{Discrete, Noise, sigma_at};

/// Noise levels of a run, one more than its steps; the last is zero.
pub(crate) fn sigmas(noise: &Noise, steps: u32) -> Vec<f32> {
    match noise {
        Noise::Flow(flow) => flow_sigmas(steps, flow.shift),
        Noise::Discrete(discrete) => discrete_sigmas(steps, discrete),
    }
}

/// Training steps evenly spaced from the last to the first, as k-diffusion's `get_sigmas`.
fn discrete_sigmas(steps: u32, discrete: &Discrete) -> Vec<f32> {
    let levels = discrete.sigmas();
    let last = levels.len().saturating_sub(1) as f64;
    let between = f64::from(steps.max(2) - 1);
    let levels = (0..steps).map(|i| sigma_at(&levels, last * (1.0 - f64::from(i) / between)) as f32);
    levels.chain(std::iter::once(0.0)).collect()
}

/// Turns drawn noise of spread one into a first latent.
pub(crate) fn scale(latent: &mut [f32], noise: &Noise, sigmas: &[f32]) {
    let scale = noise.initial_scale(f64::from(sigmas.first().copied().unwrap_or_default())) as f32;
    if scale != 1.0 {
        for x in latent {
            *x *= scale;
        }
    }
}

/// Evenly spaced from 1 to 1/n, moved by `shift` (diffusers `FlowMatchEulerDiscreteScheduler` as `ZImagePipeline`
/// sets it).
fn flow_sigmas(steps: u32, shift: f64) -> Vec<f32> {
    let n = f64::from(steps);
    (0..steps)
        .map(|i| {
            let sigma = (n - f64::from(i)) / n;
            (shift * sigma / (1.0 + (shift - 1.0) * sigma)) as f32
        })
        .chain(std::iter::once(0.0))
        .collect()
}

/// One Euler step in place: `latent += (next - sigma) * velocity`.
pub(crate) fn euler_step(latent: &mut [f32], velocity: &[f32], sigma: f32, next: f32) {
    for (x, &v) in latent.iter_mut().zip(velocity) {
        *x += (next - sigma) * v;
    }
}

/// Classifier-free guidance: `without + scale * (with - without)`, into `with`.
pub(crate) fn guide(with: &mut [f32], without: &[f32], scale: f32) {
    for (with, &without) in with.iter_mut().zip(without) {
        *with = without + scale * (*with - without);
    }
}
