//! How noise and picture are mixed at a noise level: the two kinds of models in one view.

use crate::model::Inventory;
use crate::model::noise::{Discrete, Noise, sigma_at, step_of};

/// Training times of flow models.
const TIMES: usize = 1000;

/// What a noise level means to a model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Space {
    /// Flow matching: `x = (1 - sigma) * picture + sigma * noise`, sigma from 1 to 0. `shift` moves the times towards
    /// noise: `shift * t / (1 + (shift - 1) * t)` (Esser et al. 2024, equation 23).
    Flow { shift: f64 },
    /// Models that predict noise or v, scaled so that `x = picture + sigma * noise`: the noise levels of the training
    /// times, ascending.
    Eps(Levels),
}

/// Noise levels of the training times in the variance-exploding view, and which optimised schedule fits them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Levels {
    sigmas: Vec<f64>,
    /// Logarithmic noise levels of "Align Your Steps" for ten steps.
    pub(super) optimised: &'static [f64; 11],
}

impl Space {
    /// The space of a model, for latents of `size`.
    pub(crate) fn of(model: &Inventory, size: (usize, usize)) -> Self {
        use super::schedule::{OPTIMISED_SD, OPTIMISED_SDXL};
        match &model.noise {
            Noise::Flow(flow) => Self::Flow { shift: flow.shift_at(model.denoiser_shape.image_tokens(size)) },
            Noise::Discrete(discrete) => {
                // Of these families XL alone has two text encoders.
                let xl = model.text_encoders.len() > 1;
                Self::discrete(discrete, if xl { &OPTIMISED_SDXL } else { &OPTIMISED_SD })
            }
        }
    }

    pub(super) fn discrete(discrete: &Discrete, optimised: &'static [f64; 11]) -> Self {
        Self::Eps(Levels { sigmas: discrete.sigmas(), optimised })
    }

    /// Noise level of a training time counted from zero, between times by the logarithm (k-diffusion) or, for flow, by
    /// the formula, where time 0 is 1/1000.
    pub(crate) fn sigma(&self, time: f64) -> f64 {
        match self {
            Self::Flow { shift } => shifted((time + 1.0) / TIMES as f64, *shift),
            Self::Eps(levels) => sigma_at(&levels.sigmas, time),
        }
    }

    /// The training time of a noise level, the inverse of [`Self::sigma`].
    pub(crate) fn time(&self, sigma: f64) -> f64 {
        match self {
            Self::Flow { shift } => sigma / (shift - (shift - 1.0) * sigma) * TIMES as f64 - 1.0,
            Self::Eps(levels) => step_of(&levels.sigmas, sigma),
        }
    }

    /// The cleanest level that the model was trained on.
    pub(super) fn least(&self) -> f64 {
        self.sigma(0.0)
    }

    /// The noisiest level.
    pub(super) fn most(&self) -> f64 {
        self.sigma((self.times() - 1) as f64)
    }

    /// How many training times there are.
    pub(super) const fn times(&self) -> usize {
        match self {
            Self::Flow { .. } => TIMES,
            Self::Eps(levels) => levels.sigmas.len(),
        }
    }

    /// Share of the picture in `x` at a noise level.
    pub(super) fn alpha(&self, sigma: f64) -> f64 {
        match self {
            Self::Flow { .. } => 1.0 - sigma,
            Self::Eps(_) => 1.0,
        }
    }

    /// A picture's latent at noise level `sigma`, in place of its noise.
    pub(crate) fn add_noise(&self, noise: &mut [f32], picture: &[f32], sigma: f64) {
        super::mix(noise, sigma, picture, self.alpha(sigma));
    }

    /// Half the logarithm of the ratio of picture to noise. Pure noise of flow models has none: just below it is taken.
    pub(super) fn lambda(&self, sigma: f64) -> f64 {
        let sigma = self.below_pure_noise(sigma);
        (self.alpha(sigma) / sigma).ln()
    }

    /// The inverse of [`Self::lambda`].
    pub(super) fn sigma_of_lambda(&self, lambda: f64) -> f64 {
        match self {
            Self::Flow { .. } => 1.0 / (1.0 + lambda.exp()),
            Self::Eps(_) => (-lambda).exp(),
        }
    }

    /// The level itself, or the largest one that still holds something of a picture.
    pub(super) fn below_pure_noise(&self, sigma: f64) -> f64 {
        match self {
            Self::Flow { .. } => sigma.min(1.0 - 1e-4),
            Self::Eps(_) => sigma,
        }
    }
}

/// A flow time moved towards noise.
pub(super) fn shifted(time: f64, shift: f64) -> f64 {
    shift * time / (1.0 + (shift - 1.0) * time)
}
