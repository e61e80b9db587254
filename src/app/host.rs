//! What the program around the window must give it. The window knows no engine, no disk and no driver.

use crate::job::{Command, Event, JobId, Latents, Preview};
use crate::machine::Machine;
use crate::model::Inventory;
use crate::pixels::Pixels;
use crate::planner::{Learned, Policy};
use crate::recipe::{Draft, Recipe};
use crate::ui::Settings;
use crate::units::Bytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A model that can be chosen.
#[derive(Clone, Debug)]
pub struct ModelEntry {
    /// Catalogue name, file or folder, as jobs name it.
    pub name: String,
    pub inventory: Arc<Inventory>,
}

/// What the runs so far taught.
pub trait RunBook {
    /// For the next run of this model.
    fn learned(&self, model: &Inventory) -> Learned;
    /// How many runs are remembered, and how far their predictions were off in percent, lowest and highest.
    fn spread(&self) -> Option<(usize, f64, f64)>;
}

/// A picture that was not done, as it was found.
pub struct LeftOver {
    pub path: PathBuf,
    pub model: String,
    pub draft: Draft,
    pub latents: Latents,
}

/// The files of kept latents, as far as the window decides about them.
pub trait LatentFiles {
    /// A file that was found belongs to this job now.
    fn adopt(&self, path: &Path, job: JobId);
    /// Nobody wants them any more.
    fn forget(&self, job: JobId);
}

/// Writes a finished picture with its recipe inside, and says where.
pub type Save = Arc<dyn Fn(&Pixels, &Recipe, &str) -> Result<PathBuf, String> + Send + Sync>;

pub struct Host {
    pub models: Vec<ModelEntry>,
    /// Well-known machines to plan for.
    pub machines: Vec<Machine>,
    /// Reads this machine anew. Called once before the first frame, then on a thread of its own.
    pub survey: Box<dyn Fn() -> Machine + Send>,
    /// What this program holds right now, the drawing process included.
    pub live: Arc<dyn Fn() -> Bytes + Send + Sync>,
    /// Pictures that were not done when the program last ended, with what was worked out of them.
    pub left: Vec<LeftOver>,
    pub latents: Box<dyn LatentFiles>,
    pub worker: Box<dyn Backend>,
    pub save: Save,
    pub policy: Policy,
    pub book: Box<dyn RunBook>,
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
