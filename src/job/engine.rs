//! The port: what the worker needs of an engine, and what an engine tells while it works.

use super::Failure;
use crate::pixels::Pixels;
use crate::planner::{Choice, Phase};
use crate::recipe::Recipe;
use crate::units::Bytes;
use std::sync::Arc;

/// What an engine is told to do: the recipe, and the choice that the plan made for it.
#[derive(Clone, Debug)]
pub struct Order {
    pub model_ref: String,
    pub recipe: Recipe,
    pub choice: Choice,
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

    fn picture(&mut self, _drawn: Drawn) -> Result<(), Stop> {
        Ok(())
    }
}

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
}
