//! Work and its story: jobs, what is said to the worker, what it reports, and the port behind which an engine runs.
//!
//! Nothing here runs anything. `queue` orders jobs, `engine` is the trait that the worker drives.

mod engine;
mod queue;

pub use engine::{Drawn, Engine, Observer, Order, Stop};
pub use queue::{Queue, QueueEntry, Status};

use crate::model::Inventory;
use crate::pixels::Pixels;
use crate::planner::{Answer, Phase, Plan, Policy, Pool, learned_gflops};
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
        let predicted: Option<Secs> = Phase::ALL.into_iter().filter(computes).map(|of| plan.phase_secs(of)).sum();
        predicted.map_or(gflops, |predicted| learned_gflops(gflops, predicted, measured))
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
