//! What the program around the window must give it. The window knows no engine, no disk and no driver.

use crate::job::{Command, Event, Preview};
use crate::machine::Machine;
use crate::model::Inventory;
use crate::pixels::Pixels;
use crate::planner::Policy;
use crate::recipe::Recipe;
use crate::ui::Settings;
use crate::units::Bytes;
use std::path::PathBuf;
use std::sync::Arc;

/// A model that can be chosen.
#[derive(Clone, Debug)]
pub struct ModelEntry {
    /// Catalogue name, file or folder, as jobs name it.
    pub name: String,
    pub inventory: Arc<Inventory>,
}

/// Writes a finished picture with its recipe inside, and says where.
pub type Save = Arc<dyn Fn(&Pixels, &Recipe, &str) -> Result<PathBuf, String> + Send + Sync>;

pub struct Host {
    pub models: Vec<ModelEntry>,
    /// Well-known machines to plan for.
    pub machines: Vec<Machine>,
    /// Reads this machine anew. Called once before the first frame, then on a thread of its own.
    pub survey: Box<dyn Fn() -> Machine + Send>,
    /// What this process holds right now.
    pub live: fn() -> Bytes,
    pub worker: Box<dyn Backend>,
    pub save: Save,
    pub policy: Policy,
    pub settings: Settings,
    pub save_settings: Box<dyn Fn(&Settings)>,
    /// The system's language, such as `de-AT`.
    pub locale: String,
}

/// The worker as the window sees it: nothing here ever blocks.
pub trait Backend {
    /// `false` where the worker's queue is full.
    fn send(&self, command: Command) -> bool;
    fn poll(&self) -> Option<Event>;
    /// The latest preview, once.
    fn preview(&self) -> Option<Preview>;
    /// Stops the job at work.
    fn cancel(&self);
    /// Called from any thread whenever there is something to poll.
    fn set_wake(&self, wake: Arc<dyn Fn() + Send + Sync>);
}
