//! What a denoiser was trained on: how noise is mixed in, at which levels, and what the network says of it.
//!
//! Levels are counted as k-diffusion counts them (Karras et al., "Elucidating the Design Space of Diffusion-Based
//! Generative Models", 2022): sigma is the noise beside a picture of spread one.

/// How a family mixes noise into a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Noise {
    /// Flow matching: `(1 - sigma) * picture + sigma * noise`, sigma from 1 to 0. The network says `noise - picture`.
    Flow(Flow),
    /// Steps of growing noise (DDPM): `picture + sigma * noise`, scaled to spread one on the way into the network.
    Discrete(Discrete),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flow {
    /// Moves the times towards noise: `shift * t / (1 + (shift - 1) * t)`.
    pub shift: f64,
    /// Where the shift grows with the picture, how; `shift` does not count then.
    pub dynamic: Option<DynamicShift>,
}

/// A shift that grows exponentially with the number of image tokens (FLUX; diffusers' `use_dynamic_shifting`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicShift {
    /// Image tokens at which the logarithm of the shift is `least_shift`, and at which it is `most_shift`.
    pub fewest: f64,
    pub most: f64,
    pub least_shift: f64,
    pub most_shift: f64,
}

impl DynamicShift {
    pub const FLUX: Self = Self { fewest: 256.0, most: 4096.0, least_shift: 0.5, most_shift: 1.15 };
}

impl Flow {
    #[must_use]
    pub const fn fixed(shift: f64) -> Self {
        Self { shift, dynamic: None }
    }

    /// The shift for a picture of `tokens` image tokens.
    #[must_use]
    pub fn shift_at(&self, tokens: usize) -> f64 {
        match self.dynamic {
            None => self.shift,
            Some(by) => {
                let share = (tokens as f64 - by.fewest) / (by.most - by.fewest);
                (by.least_shift + (by.most_shift - by.least_shift) * share).exp()
            }
        }
    }
}

/// What the network of a discrete schedule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prediction {
    /// The noise.
    Epsilon,
    /// The velocity `alpha * noise - sigma * picture` (Salimans and Ho, 2022).
    V,
}

/// How the noise of the training steps grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Betas {
    Linear,
    /// Linear in the square root.
    ScaledLinear,
}

/// A schedule of training steps (Ho et al., 2020; the names are those of diffusers' schedulers).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discrete {
    pub prediction: Prediction,
    pub betas: Betas,
    pub first_beta: f64,
    pub last_beta: f64,
    pub steps: usize,
    /// Rescaled so that the last step is nothing but noise (Lin et al., 2023).
    pub zero_terminal_snr: bool,
}

impl Noise {
    /// What a first latent of spread one must be multiplied with to be noise of level `sigma` and nothing else.
    #[must_use]
    pub fn initial_scale(&self, sigma: f64) -> f64 {
        match self {
            Self::Flow(_) => sigma,
            Self::Discrete(_) => (sigma * sigma + 1.0).sqrt(),
        }
    }
}

impl Discrete {
    /// The schedule of Stable Diffusion 1, 2 and XL.
    pub const STABLE_DIFFUSION: Self = Self {
        prediction: Prediction::Epsilon,
        betas: Betas::ScaledLinear,
        first_beta: 0.00085,
        last_beta: 0.012,
        steps: 1000,
        zero_terminal_snr: false,
    };
    /// The share of the picture that a step of nothing but noise still has, so that its level stays finite.
    const LEAST_PICTURE: f64 = 1.0 / 16_777_216.0;

    /// The noise level of each training step, rising: `sqrt((1 - share) / share)` of the picture's share of variance.
    #[must_use]
    pub fn sigmas(&self) -> Vec<f64> {
        let mut share = 1.0;
        let mut shares: Vec<f64> = (0..self.steps)
            .map(|step| {
                share *= 1.0 - self.beta(step);
                share
            })
            .collect();
        if self.zero_terminal_snr {
            rescale(&mut shares);
        }
        shares.into_iter().map(|share| ((1.0 - share) / share).sqrt()).collect()
    }

    fn beta(&self, step: usize) -> f64 {
        let at = step as f64 / (self.steps.max(2) - 1) as f64;
        let between = |from: f64, to: f64| from + (to - from) * at;
        match self.betas {
            Betas::Linear => between(self.first_beta, self.last_beta),
            Betas::ScaledLinear => between(self.first_beta.sqrt(), self.last_beta.sqrt()).powi(2),
        }
    }
}

/// Shifts and stretches the square roots of the shares so that the last is zero and the first stays.
fn rescale(shares: &mut [f64]) {
    let (Some(first), Some(last)) = (shares.first().map(|s| s.sqrt()), shares.last().map(|s| s.sqrt())) else { return };
    if first <= last {
        return;
    }
    for share in shares {
        let root = (share.sqrt() - last) * first / (first - last);
        *share = (root * root).max(Discrete::LEAST_PICTURE);
    }
}

/// The (fractional) training step of level `sigma` among rising `sigmas`: linear in the logarithm between two of them,
/// clamped to the ends, as k-diffusion's `sigma_to_t`.
#[must_use]
pub fn step_of(sigmas: &[f64], sigma: f64) -> f64 {
    let last = sigmas.len().saturating_sub(1);
    let above = sigmas.partition_point(|&level| level <= sigma);
    if above == 0 {
        return 0.0;
    }
    if above > last {
        return last as f64;
    }
    let (low, high) = (sigmas[above - 1].ln(), sigmas[above].ln());
    (above - 1) as f64 + (sigma.ln() - low) / (high - low)
}

/// The level at a (fractional) training step, the inverse of [`step_of`].
#[must_use]
pub fn sigma_at(sigmas: &[f64], step: f64) -> f64 {
    let last = sigmas.len().saturating_sub(1);
    let low = (step.max(0.0) as usize).min(last);
    let high = (low + 1).min(last);
    let share = (step - low as f64).clamp(0.0, 1.0);
    match (sigmas.get(low), sigmas.get(high)) {
        (Some(low), Some(high)) => ((1.0 - share) * low.ln() + share * high.ln()).exp(),
        _ => 0.0,
    }
}
