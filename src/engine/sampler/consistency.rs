//! Samplers for models that were distilled to jump to the picture from any noise level.

use super::space::Space;
use super::{Run, add};
use crate::job::Failure;

/// Jump to the picture, add noise of the next level, again (Luo et al. 2023).
pub(super) fn lcm(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    for step in run.steps() {
        let denoised = run.denoised(x, step.from)?;
        x.copy_from_slice(&denoised);
        drop(denoised);
        if step.to > 0.0 {
            run.renoise(x, run.space.alpha(step.to), step.to);
        }
        run.stepped(step, x)?;
    }
    Ok(())
}

/// Go down to a time between the next one and the picture, then up to the next with noise (Zheng et al. 2024). The
/// share of fresh noise, gamma, is diffusers' default.
pub(super) fn tcd(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    const GAMMA: f64 = 0.3;
    for step in run.steps() {
        let d = run.direction(x, step.from)?;
        if step.to <= 0.0 {
            add(x, -step.from, &d);
        } else {
            let down = match run.space {
                Space::Flow { .. } => (1.0 - GAMMA) * step.to,
                Space::Eps(_) => {
                    let next = run.space.time(step.to).round();
                    let time = f64::from((((1.0 - GAMMA) * next) as f32).floor());
                    // From the cleanest time there is nowhere to go down to, whatever its level rounds to.
                    if time < next { run.space.sigma(time).min(step.to) } else { step.to }
                }
            };
            add(x, down - step.from, &d);
            drop(d);
            let keep = run.space.alpha(step.to) / run.space.alpha(down);
            run.renoise(x, keep, (step.to * step.to - (keep * down).powi(2)).max(0.0).sqrt());
        }
        run.stepped(step, x)?;
    }
    Ok(())
}
