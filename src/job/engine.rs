//! The port: what the worker needs of an engine, and what an engine tells while it works.

use super::{Failure, Latents, Measured};
use crate::machine::Overflow;
use crate::pixels::Pixels;
use crate::planner::{Arithmetic, Choice, Phase, Plan, Pool};
use crate::recipe::Recipe;
use crate::units::Bytes;
use std::sync::Arc;

/// What an engine is told to do: the recipe, and the choice that the plan made for it.
#[derive(Clone, Debug)]
pub struct Order {
    pub model_ref: String,
    pub recipe: Recipe,
    pub choice: Choice,
    pub arithmetic: Arithmetic,
    /// Compute on the processor as if on a GPU with so much memory.
    pub simulated: Option<Simulated>,
    /// Go on from these instead of from noise.
    pub resume: Option<Arc<Latents>>,
    /// The picture to start from, as large as the recipe's, where the recipe has a denoise strength.
    pub start: Option<Arc<Pixels>>,
    /// What may be held in each phase, for whoever watches close to the engine.
    pub bounds: Bounds,
    /// Files are larger than what the system could keep of them in memory: do not let it try.
    pub read_once: bool,
    /// What the process may take from the system in all, enforced by the system where the engine has a process of its
    /// own.
    pub cap: Option<Bytes>,
}

impl Order {
    /// An order on the processor, from noise, without bounds.
    #[must_use]
    pub fn new(model_ref: impl Into<String>, recipe: Recipe, choice: Choice) -> Self {
        Self {
            model_ref: model_ref.into(),
            recipe,
            choice,
            arithmetic: Arithmetic::F32,
            simulated: None,
            resume: None,
            start: None,
            bounds: Bounds::default(),
            read_once: false,
            cap: None,
        }
    }
}

/// Memory of a simulated GPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Simulated {
    /// What is free on it when the job starts.
    pub room: Bytes,
    pub overflow: Overflow,
}

/// The most that may be held in each phase, margin included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub host: [Bytes; Phase::ALL.len()],
    pub device: [Bytes; Phase::ALL.len()],
}

impl Default for Bounds {
    /// No bound at all.
    fn default() -> Self {
        Self { host: [Bytes::MAX; Phase::ALL.len()], device: [Bytes::MAX; Phase::ALL.len()] }
    }
}

impl Bounds {
    /// What `plan` allows, without `elsewhere`: the host memory that it counts and that another process holds.
    #[must_use]
    pub fn of(plan: &Plan, elsewhere: Bytes) -> Self {
        let most = |pool| Phase::ALL.map(|phase| plan.need(phase, pool) + plan.margin);
        Self { host: most(Pool::Host).map(|bytes| bytes - elsewhere), device: most(Pool::Device) }
    }
}

/// Why work should end before it is done.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop(pub Failure);

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        stop.0
    }
}

/// Hears of an engine's progress, and may stop it at each word. What it does not care for, it lets pass.
pub trait Observer: Send {
    /// # Errors
    /// Any of these returns [`Stop`] where the work should end here.
    fn phase(&mut self, _phase: Phase) -> Result<(), Stop> {
        Ok(())
    }

    fn loading(&mut self, _done: Bytes, _total: Bytes) -> Result<(), Stop> {
        Ok(())
    }

    /// Called between blocks of a network: the finest place at which work can stop.
    fn block(&mut self) -> Result<(), Stop> {
        Ok(())
    }

    fn step(&mut self, _picture: u32, _step: u32, _steps: u32) -> Result<(), Stop> {
        Ok(())
    }

    /// Whether a preview would be shown now; making one costs a little.
    fn wants_preview(&self) -> bool {
        false
    }

    fn preview(&mut self, _picture: u32, _pixels: Pixels) {}

    /// All that is worked out so far: after each step, and once more before the decode. Costs a copy of the latents.
    fn keep(&mut self, _latents: Latents) {}

    fn picture(&mut self, _drawn: Drawn) -> Result<(), Stop> {
        Ok(())
    }
}

/// An observer that cares for nothing.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Observer for Unwatched {}

/// A finished picture.
#[derive(Clone, Debug)]
pub struct Drawn {
    pub picture: u32,
    pub seed: u64,
    pub pixels: Arc<Pixels>,
}

/// Draws. Everything that it holds after `draw` is in [`Engine::held`].
pub trait Engine: Send {
    /// # Errors
    /// The failure that ended the work, or the observer's own where it said stop.
    fn draw(&mut self, order: &Order, observer: &mut dyn Observer) -> Result<(), Failure>;

    /// Weights kept from the last run.
    fn held(&self) -> Bytes;

    /// Lets go of everything kept.
    fn release(&mut self);

    /// What the last draw took, where another process measured it: this one's ledger saw none of it.
    fn measured(&mut self) -> Option<Measured> {
        None
    }
}
