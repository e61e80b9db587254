//! The run at work: how far it is, and when it will be done.

use crate::job::{Job, Latents};
use crate::planner::{Answer, Phase};
use crate::ui::trace::Trace;
use crate::units::{Bytes, Secs};
use std::sync::Arc;

/// Shares of a run's time where the plan knows no seconds.
const USUAL_SHARES: [f64; Phase::ALL.len()] = [0.02, 0.02, 0.03, 0.83, 0.02, 0.06, 0.02];

pub struct Run {
    pub job: Job,
    /// On the window's clock.
    pub started_at: f64,
    pub answer: Option<Box<Answer>>,
    pub trace: Option<Trace>,
    pub phase: Option<Phase>,
    pub loading: Option<(Bytes, Bytes)>,
    /// Picture, step, steps.
    pub step: Option<(u32, u32, u32)>,
    /// Steps done and time at the first and the latest step.
    first_step: Option<(u32, Secs)>,
    last_step: Option<(u32, Secs)>,
    pub stopping: bool,
    /// What is worked out so far, once the worker has handed it over.
    pub latents: Option<Arc<Latents>>,
}

impl Run {
    #[must_use]
    pub const fn new(job: Job, started_at: f64) -> Self {
        Self {
            job,
            started_at,
            answer: None,
            trace: None,
            phase: None,
            loading: None,
            step: None,
            first_step: None,
            last_step: None,
            stopping: false,
            latents: None,
        }
    }

    pub fn see_step(&mut self, picture: u32, step: u32, steps: u32, elapsed: Secs) {
        let done = picture * steps + step;
        self.step = Some((picture, step, steps));
        self.first_step.get_or_insert((done, elapsed));
        self.last_step = Some((done, elapsed));
    }

    #[must_use]
    pub fn elapsed(&self, now: f64) -> Secs {
        Secs((now - self.started_at).max(0.0))
    }

    fn secs_of(&self, phase: Phase) -> Option<f64> {
        self.answer.as_ref()?.plan.phase_secs(phase).map(|secs| secs.0)
    }

    fn weight(&self, phase: Phase) -> f64 {
        self.secs_of(phase).unwrap_or(USUAL_SHARES[phase as usize])
    }

    /// Steps done of all pictures together, from 0 to 1.
    fn steps_share(&self) -> f64 {
        let Some((picture, step, steps)) = self.step else { return 0.0 };
        let all = f64::from(steps.max(1)) * f64::from(self.job.recipe.batch().max(1));
        ((f64::from(picture) * f64::from(steps) + f64::from(step)) / all).min(1.0)
    }

    /// How much of the run is done, from 0 to 1; never falls within a run of ordered phases.
    #[must_use]
    pub fn share(&self) -> f32 {
        let Some(current) = self.phase else { return 0.0 };
        let total: f64 = Phase::ALL.into_iter().map(|phase| self.weight(phase)).sum();
        let before: f64 = Phase::ALL.into_iter().filter(|phase| *phase < current).map(|phase| self.weight(phase)).sum();
        let within = match (current, self.loading) {
            (Phase::Denoise, _) => self.steps_share(),
            (_, Some((done, all))) => done.get() as f64 / all.get().max(1) as f64,
            _ => 0.0,
        };
        if total <= 0.0 { 0.0 } else { ((before + within * self.weight(current)) / total) as f32 }
    }

    /// Time left: from the pace of the steps once there are two, from the plan before.
    #[must_use]
    pub fn left(&self, now: f64) -> Option<Secs> {
        let after: f64 = Phase::ALL
            .into_iter()
            .filter(|phase| *phase > self.phase.unwrap_or(Phase::LoadTextEncoder))
            .map(|phase| self.secs_of(phase).unwrap_or(0.0))
            .sum();
        if let (Some((first, from)), Some((last, to)), Some((_, _, steps)), Some(Phase::Denoise)) =
            (self.first_step, self.last_step, self.step, self.phase)
            && last > first
        {
            let pace = (to.0 - from.0) / f64::from(last - first);
            let remaining = (steps * self.job.recipe.batch()).saturating_sub(last);
            let since = (self.elapsed(now).0 - to.0).max(0.0);
            return Some(Secs((pace * f64::from(remaining) - since).max(0.0) + after));
        }
        let total = self.answer.as_ref()?.plan.total_secs()?;
        Some(Secs((total.0 - self.elapsed(now).0).max(after)))
    }
}
