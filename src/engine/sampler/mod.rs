//! From noise to a latent: samplers in the view of k-diffusion, where a network tells, at any point and noise level,
//! which way the noise points.
//!
//! A network answers with the direction `d = (x - denoised) / sigma`: the predicted noise of models in the
//! variance-exploding view, the velocity of flow models. So the plain Euler step needs no division and loses no
//! digits, and the denoised latent that other samplers want is `x - sigma * d`.
//!
//! Coefficients are computed in f64, latents are f32. How many latents a sampler holds while the network runs is
//! [`Sampler::held_latents`], which the planner counts.

mod beta;
mod consistency;
mod dpmpp;
mod multistep;
#[cfg(test)]
mod parity;
mod schedule;
mod single;
mod space;
mod unipc;

pub(crate) use schedule::sigmas;
pub(crate) use space::Space;

use super::noise::Draws;
use crate::job::Failure;
use crate::recipe::Sampler;

/// What a sampler needs of the world: the network, and somebody who hears of the steps.
pub(crate) trait Model {
    /// `(x - denoised) / sigma` at the point `x`, as many values as `x` has. `sigma` is above zero.
    fn direction(&mut self, x: &[f32], sigma: f32) -> Result<Vec<f32>, Failure>;

    /// Step `step`, counted from zero, is done, `x` is where it led, and noise was drawn `draws` times on the way. An
    /// error ends the run.
    fn stepped(&mut self, step: usize, x: &[f32], draws: u32) -> Result<(), Failure>;
}

/// Everything that is the same in all steps of a run.
struct Run<'a> {
    space: &'a Space,
    sigmas: &'a [f32],
    noise: &'a mut Draws,
    draws: u32,
    model: &'a mut dyn Model,
}

/// Takes `x`, noise of level `sigmas[0]`, down to `sigmas.last()`, in place.
///
/// # Errors
/// What the model answers: a failed evaluation, or the wish to stop.
pub(crate) fn sample(
    sampler: Sampler,
    space: &Space,
    sigmas: &[f32],
    x: &mut [f32],
    noise: &mut Draws,
    model: &mut dyn Model,
) -> Result<(), Failure> {
    let mut run = Run { space, sigmas, noise, draws: 0, model };
    match sampler {
        // Without noise in its steps, DDIM in this view is Euler's method (Karras et al. 2022, appendix C.3.4).
        Sampler::Euler | Sampler::Ddim => single::euler(&mut run, x),
        Sampler::EulerAncestral => single::euler_ancestral(&mut run, x),
        Sampler::Heun => single::heun(&mut run, x),
        Sampler::Dpm2 => single::dpm2(&mut run, x),
        Sampler::Dpm2Ancestral => single::dpm2_ancestral(&mut run, x),
        Sampler::Dpmpp2sAncestral => single::dpmpp_2s_ancestral(&mut run, x),
        Sampler::Dpmpp2m => dpmpp::dpmpp_2m(&mut run, x),
        Sampler::Dpmpp2mSde => dpmpp::dpmpp_2m_sde(&mut run, x),
        Sampler::Dpmpp3mSde => dpmpp::dpmpp_3m_sde(&mut run, x),
        Sampler::DpmppSde => dpmpp::dpmpp_sde(&mut run, x),
        Sampler::ResMultistep => dpmpp::res_multistep(&mut run, x),
        Sampler::Lms => multistep::run(&mut run, x, 4, multistep::lms),
        Sampler::Ipndm => multistep::run(&mut run, x, 4, multistep::ipndm),
        Sampler::Deis => multistep::run(&mut run, x, 3, multistep::deis),
        Sampler::UniPc => unipc::run(&mut run, x),
        Sampler::Lcm => consistency::lcm(&mut run, x),
        Sampler::Tcd => consistency::tcd(&mut run, x),
    }
}

/// One step from a noise level to the next.
#[derive(Clone, Copy)]
struct Step {
    index: usize,
    from: f64,
    to: f64,
}

impl Run<'_> {
    fn steps(&self) -> impl Iterator<Item = Step> + use<> {
        let levels: Vec<f64> = self.sigmas.iter().map(|&sigma| f64::from(sigma)).collect();
        (1..levels.len()).map(move |i| Step { index: i - 1, from: levels[i - 1], to: levels[i] })
    }

    fn direction(&mut self, x: &[f32], sigma: f64) -> Result<Vec<f32>, Failure> {
        self.model.direction(x, sigma as f32)
    }

    /// The latent that the network believes in.
    fn denoised(&mut self, x: &[f32], sigma: f64) -> Result<Vec<f32>, Failure> {
        let mut denoised = self.direction(x, sigma)?;
        for (d, &x) in denoised.iter_mut().zip(x) {
            *d = x - sigma as f32 * *d;
        }
        Ok(denoised)
    }

    fn stepped(&mut self, step: Step, x: &[f32]) -> Result<(), Failure> {
        self.model.stepped(step.index, x, self.draws)
    }

    /// `x = keep * x + level * noise`.
    fn renoise(&mut self, x: &mut [f32], keep: f64, level: f64) {
        let noise = self.noise.draw(x.len());
        self.draws += 1;
        mix(x, keep, &noise, level);
    }
}

/// `x = a * x + b * y`.
fn mix(x: &mut [f32], a: f64, y: &[f32], b: f64) {
    let (a, b) = (a as f32, b as f32);
    for (x, &y) in x.iter_mut().zip(y) {
        *x = a * *x + b * y;
    }
}

/// `x += by * y`.
fn add(x: &mut [f32], by: f64, y: &[f32]) {
    let by = by as f32;
    for (x, &y) in x.iter_mut().zip(y) {
        *x += by * y;
    }
}

/// `x *= by`; one changes nothing.
pub(crate) fn scale(x: &mut [f32], by: f64) {
    if by != 1.0 {
        for x in x {
            *x *= by as f32;
        }
    }
}

/// Classifier-free guidance: `without + scale * (with - without)`, into `with`.
pub(crate) fn guide(with: &mut [f32], without: &[f32], scale: f32) {
    for (with, &without) in with.iter_mut().zip(without) {
        *with = without + scale * (*with - without);
    }
}
