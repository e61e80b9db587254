//! Work and its story: jobs, what is said to the worker, what it reports, and the port behind which an engine runs.
//!
//! Nothing here runs anything. `queue` orders jobs, `engine` is the trait that the worker drives.

mod death;
mod engine;
mod latents;
mod queue;

pub use death::{Cause, Death};
pub use engine::{Bounds, Drawn, Engine, Observer, Order, Simulated, Stop, Unwatched};
pub use latents::{Latent, Latents};
pub use queue::{Queue, QueueEntry, Status};

use crate::model::Inventory;
use crate::pixels::Pixels;
use crate::planner::{Answer, Phase, Plan, Policy, Pool, Seen, learned_gflops};
use crate::recipe::Recipe;
use crate::units::{Bytes, PixelSize, Secs};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u64);

/// A frozen order: later changes to the form do not reach it.
#[derive(Clone, Debug)]
pub struct Job {
    pub id: JobId,
    /// What the user calls the model: a catalogue name, a file, a folder.
    pub model_ref: String,
    pub model: Arc<Inventory>,
    pub recipe: Recipe,
    pub policy: Policy,
    /// Run although the plan says that it does not fit (the second, deliberate click).
    pub force: bool,
    /// What an earlier try of the same recipe has worked out already.
    pub resume: Option<Arc<Latents>>,
    /// The picture to start from, as large as the recipe's, where the recipe has a denoise strength.
    pub start: Option<Arc<Pixels>>,
}

/// What the shell says to the worker.
#[derive(Clone, Debug)]
pub enum Command {
    Run(Box<Job>),
    /// Drop kept weights.
    Release,
    Quit,
}

/// What the worker says to the shell.
#[derive(Clone, Debug)]
pub enum Event {
    /// Planned again against the machine as it is now, and started.
    Started {
        job: JobId,
        answer: Box<Answer>,
    },
    /// Does not fit any more: nothing was loaded.
    Refused {
        job: JobId,
        answer: Box<Answer>,
    },
    Phase {
        job: JobId,
        phase: Phase,
    },
    Loading {
        job: JobId,
        done: Bytes,
        total: Bytes,
    },
    /// Step `step` of `steps` of picture `picture` is done.
    Step {
        job: JobId,
        picture: u32,
        step: u32,
        steps: u32,
        elapsed: Secs,
    },
    /// What the process holds right now, for the curve drawn over the prediction.
    Sample {
        job: JobId,
        phase: Phase,
        live: Bytes,
        elapsed: Secs,
    },
    Picture {
        job: JobId,
        picture: u32,
        pixels: Arc<Pixels>,
        seed: u64,
    },
    /// What is worked out so far is kept: after a failure the job can go on from here.
    Kept {
        job: JobId,
        latents: Arc<Latents>,
    },
    /// Weights that were kept are let go: nobody drew for a while.
    Released,
    Finished {
        job: JobId,
        measured: Measured,
    },
    Failed {
        job: JobId,
        failure: Failure,
    },
}

/// What a run really took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    pub phases: Vec<MeasuredPhase>,
    pub ledger_peak: Bytes,
    pub rss_peak: Option<Bytes>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredPhase {
    pub phase: Phase,
    pub elapsed: Secs,
    pub host_peak: Bytes,
    pub device_peak: Bytes,
}

impl Measured {
    /// The machine's throughput as this run teaches it, from a plan that was made with `gflops`.
    #[must_use]
    pub fn learned_gflops(&self, plan: &Plan, gflops: f64) -> f64 {
        let computes = |phase: &Phase| matches!(phase, Phase::Encode | Phase::Denoise | Phase::Decode);
        let measured = self.phases.iter().filter(|of| computes(&of.phase)).map(|of| of.elapsed).sum();
        // Without what is learned phase by phase: the throughput is what all phases have in common.
        let plain = |of: Phase| plan.phase_secs(of).map(|secs| Secs(secs.0 / plan.pace[of as usize]));
        let predicted: Option<Secs> = Phase::ALL.into_iter().filter(computes).map(plain).sum();
        predicted.map_or(gflops, |predicted| learned_gflops(gflops, predicted, measured))
    }
}

impl Measured {
    /// This run beside its plan, for the book of runs; `None` where nothing was measured or no time was predicted.
    #[must_use]
    pub fn beside(&self, plan: &Plan, gflops: f64) -> Option<Seen> {
        let pool = plan.main_pool();
        let taken = |of: &MeasuredPhase| if pool == Pool::Device { of.device_peak } else { of.host_peak };
        let measured = self.phases.iter().map(taken).max().filter(|bytes| *bytes > Bytes::ZERO)?;
        let over = self.phases.iter().map(|of| taken(of) - plan.need(of.phase, pool)).max().unwrap_or_default();
        let secs = Phase::ALL.map(|phase| {
            let measured = self.phases.iter().find(|of| of.phase == phase)?.elapsed;
            let predicted = plan.phase_secs(phase)?;
            Some((measured.0, predicted.0 / plan.pace[phase as usize]))
        });
        Some(Seen { tier: plan.choice.tier, predicted: plan.peak(pool), measured, over, secs, gflops })
    }
}

/// Why a job ended without its pictures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Failure {
    #[error("cancelled")]
    Cancelled,
    /// The guard stopped it: more was held than planned, or the machine ran short.
    #[error("stopped by the memory guard in {phase:?}: {live} held, {planned} planned")]
    Guard { phase: Phase, pool: Pool, live: Bytes, planned: Bytes },
    /// The device had no room for this much more.
    #[error("out of {} memory in {phase:?}: {bytes} more were asked for", pool.name())]
    OutOfMemory { phase: Phase, pool: Pool, bytes: Bytes },
    /// The driver began to move the card's memory into the host's: everything would slow down to a crawl.
    #[error("{shared} spilled from the graphics card into the host's memory in {phase:?}")]
    Spilled { phase: Phase, shared: Bytes },
    /// The process that drew is gone; this one is not.
    #[error("the drawing process ended: {:?}", .0.cause)]
    Died(Box<Death>),
    #[error("does not fit")]
    Refused,
    #[error("bad or unreadable model file: {reason}: {path}")]
    Model { reason: String, path: PathBuf },
    #[error("this build cannot run on that device: {device}")]
    Device { device: String },
    /// NaN or infinity where numbers should be.
    #[error("the model produced values that are not numbers in {phase:?}")]
    NotANumber { phase: Phase },
    #[error("could not write the picture: {reason}: {path}")]
    Write { reason: String, path: PathBuf },
    /// A bug: the worker goes on with a fresh engine.
    #[error("internal error: {what}")]
    Crash { what: String },
}

impl Failure {
    /// Where memory ran out, if that is what ended the job: a smaller tier or decode may get through.
    #[must_use]
    pub fn memory_phase(&self) -> Option<Phase> {
        match self {
            Self::Guard { phase, .. } | Self::OutOfMemory { phase, .. } | Self::Spilled { phase, .. } => Some(*phase),
            Self::Died(death) if death.cause.of_memory() => death.phase,
            _ => None,
        }
    }
}

/// A switch that stops work: one atomic read to look at it, anywhere.
///
/// Each run takes the current generation with it; raising the generation cancels every run before.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicU64>);

impl Cancel {
    /// A token for work that starts now.
    #[must_use]
    pub fn token(&self) -> CancelToken {
        CancelToken { source: self.clone(), generation: self.0.load(Ordering::Acquire) }
    }

    /// Cancels all work whose token was taken before.
    pub fn cancel(&self) {
        self.0.fetch_add(1, Ordering::AcqRel);
    }
}

#[derive(Clone, Debug)]
pub struct CancelToken {
    source: Cancel,
    generation: u64,
}

impl CancelToken {
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.source.0.load(Ordering::Acquire) != self.generation
    }
}

/// A small picture of the latent while it is still noisy.
#[derive(Clone, Debug)]
pub struct Preview {
    pub job: JobId,
    pub picture: u32,
    pub pixels: Arc<Pixels>,
    /// Size of the picture that it will become.
    pub size: PixelSize,
}
