//! The time of a step as a vector, in the way of most diffusion transformers.

use super::ops::{self, Linear};
use super::weights::Weights;
use crate::job::Failure;

/// Waves of one number, cosines first.
const WAVES: usize = 256;

/// `WAVES` sinusoids of `value` with periods from 2 pi to 20,000 pi (diffusers `Timesteps`, sines and cosines flipped).
pub(crate) fn waves(value: f32) -> Vec<f32> {
    let half = WAVES / 2;
    let mut waves = vec![0.0; WAVES];
    for i in 0..half {
        let frequency = (-(10_000.0_f64.ln()) * i as f64 / half as f64).exp();
        let angle = f64::from(value * frequency as f32);
        waves[i] = angle.cos() as f32;
        waves[half + i] = angle.sin() as f32;
    }
    waves
}

/// Two layers with a SiLU between them, for vectors.
pub(crate) struct Embedder {
    first: Linear,
    second: Linear,
}

impl Embedder {
    pub(crate) fn of_waves(weights: &Weights, prefix: &str, dim: usize) -> Result<Self, Failure> {
        Self::load(weights, prefix, WAVES, dim)
    }

    pub(crate) fn load(weights: &Weights, prefix: &str, from: usize, dim: usize) -> Result<Self, Failure> {
        Ok(Self {
            first: weights.linear(&format!("{prefix}.linear_1"), from, dim, true)?,
            second: weights.linear(&format!("{prefix}.linear_2"), dim, dim, true)?,
        })
    }

    pub(crate) fn forward(&self, x: &[f32]) -> Result<Vec<f32>, Failure> {
        let mut h = ops::linear_vector(x, &self.first)?;
        silu(&mut h);
        Ok(ops::linear_vector(&h, &self.second)?)
    }
}

pub(crate) fn silu(values: &mut [f32]) {
    for x in values {
        *x /= 1.0 + (-*x).exp();
    }
}
