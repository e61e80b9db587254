//! The noise levels of a run.

use super::beta::beta_quantile;
use super::space::{Space, shifted};
use crate::recipe::{Sampler, Schedule};

/// Noise levels of "Align Your Steps" (Sabour et al. 2024) for Stable Diffusion 1.5, as its authors published them.
pub(super) const OPTIMISED_SD: [f64; 11] = [
    14.614_641_229_3,
    6.474_576_095_6,
    3.863_674_598_5,
    2.694_615_152,
    1.884_192_117_7,
    1.394_380_509_2,
    0.964_258_390_4,
    0.652_368_601_6,
    0.397_745_627_2,
    0.151_523_266_2,
    0.029_167_158_2,
];

/// The same for Stable Diffusion XL.
pub(super) const OPTIMISED_SDXL: [f64; 11] = [
    14.614_641_229_3,
    6.318_448_528_7,
    3.768_179_031_5,
    2.181_148_076_9,
    1.340_524_494_5,
    0.862_072_114_1,
    0.555_069_328_9,
    0.379_854_071_0,
    0.233_236_413_4,
    0.111_418_817_7,
    0.029_167_158_2,
];

/// Noise levels of a run of `sampler`, one more than its steps; the last is zero.
///
/// There may be fewer steps than asked for where two levels of [`Schedule::Beta`] would be the same.
pub(crate) fn sigmas(sampler: Sampler, schedule: Schedule, steps: u32, space: &Space) -> Vec<f32> {
    let extra = u32::from(sampler.skips_last_level());
    let mut levels = levels(schedule, (steps + extra).max(1) as usize, space);
    if extra == 1 && levels.len() > 1 {
        levels.pop();
    }
    levels.into_iter().map(|sigma| sigma as f32).chain(std::iter::once(0.0)).collect()
}

/// `n` falling levels above zero.
fn levels(schedule: Schedule, n: usize, space: &Space) -> Vec<f64> {
    let (least, most) = (space.least(), space.most());
    match schedule {
        Schedule::Simple => simple(n, space),
        Schedule::Normal => even_times(n, n, space),
        Schedule::SgmUniform => even_times(n, n + 1, space),
        Schedule::Karras => {
            let (from, to) = (most.powf(1.0 / 7.0), least.powf(1.0 / 7.0));
            even(n, n, from, to).map(|root| root.powi(7)).collect()
        }
        Schedule::Exponential => even(n, n, most.ln(), least.ln()).map(f64::exp).collect(),
        // One such step would start at the clean end.
        Schedule::DdimUniform if n == 1 => vec![most],
        Schedule::DdimUniform => {
            let stride = (space.times() / n).max(1);
            (0..n).rev().map(|i| space.sigma((i * stride + 1) as f64)).collect()
        }
        Schedule::Beta => beta(n, space),
        Schedule::LinearQuadratic => linear_quadratic(n).map(|level| level * most).collect(),
        Schedule::KlOptimal => even(n, n, most.atan(), least.atan()).map(f64::tan).collect(),
        Schedule::AlignYourSteps => match space {
            Space::Eps(levels) => optimised(n, levels.optimised),
            // Nobody has optimised steps for flow models; a recipe never asks for them.
            Space::Flow { .. } => simple(n, space),
        },
    }
}

/// The first `n` of `of` even values from `from` to `to`.
fn even(n: usize, of: usize, from: f64, to: f64) -> impl Iterator<Item = f64> {
    let last = of.saturating_sub(1).max(1) as f64;
    (0..n).map(move |i| from + (to - from) * i as f64 / last)
}

/// For flow, times from 1 to 1/n; else every so-many-th training time counted from the noisiest (ComfyUI).
fn simple(n: usize, space: &Space) -> Vec<f64> {
    match space {
        Space::Flow { shift } => (0..n).map(|i| shifted((n - i) as f64 / n as f64, *shift)).collect(),
        Space::Eps(_) => {
            let stride = space.times() as f64 / n as f64;
            let time = |i: usize| space.times() - 1 - ((i as f64 * stride) as usize).min(space.times() - 1);
            (0..n).map(|i| space.sigma(time(i) as f64)).collect()
        }
    }
}

/// The first `n` of `of` even times. For flow the cleanest level is shifted twice, as diffusers and ComfyUI do.
fn even_times(n: usize, of: usize, space: &Space) -> Vec<f64> {
    match space {
        Space::Flow { shift } => even(n, of, space.most(), space.least()).map(|time| shifted(time, *shift)).collect(),
        Space::Eps(_) => even(n, of, (space.times() - 1) as f64, 0.0).map(|time| space.sigma(time)).collect(),
    }
}

fn beta(n: usize, space: &Space) -> Vec<f64> {
    let last = (space.times() - 1) as f64;
    let times = (0..n).map(|i| (beta_quantile(0.6, 1.0 - i as f64 / n as f64) * last).round_ties_even());
    let mut times: Vec<f64> = times.collect();
    times.dedup();
    times.into_iter().map(|time| space.sigma(time)).collect()
}

/// Half of the steps go evenly down to 1 - 1/40, the other half falls as a parabola that continues the line and ends
/// at zero.
fn linear_quadratic(n: usize) -> impl Iterator<Item = f64> {
    const THRESHOLD: f64 = 0.025;
    let linear = n / 2;
    let bent = (n - linear) as f64;
    let slope = if linear == 0 { 0.0 } else { THRESHOLD / linear as f64 };
    (0..n).map(move |i| {
        if n == 1 {
            return 1.0;
        }
        if i < linear {
            return 1.0 - slope * i as f64;
        }
        let t = (i - linear) as f64;
        let quadratic = (1.0 - THRESHOLD - slope * bent) / (bent * bent);
        1.0 - (THRESHOLD + slope * t + quadratic * t * t)
    })
}

/// The levels of ten steps, for `n` steps interpolated in the logarithm; the last is not used, since a run ends at
/// zero.
fn optimised(n: usize, known: &[f64; 11]) -> Vec<f64> {
    (0..n)
        .map(|i| {
            let at = i as f64 / n as f64 * (known.len() - 1) as f64;
            let low = (at as usize).min(known.len() - 2);
            let part = at - low as f64;
            (known[low].ln() * (1.0 - part) + known[low + 1].ln() * part).exp()
        })
        .collect()
}
