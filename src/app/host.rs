//! What the program around the window must give it. The window knows no engine, no disk and no driver.

use crate::job::{Command, Event, JobId, Latents, Preview};
use crate::machine::Machine;
use crate::model::Inventory;
use crate::pixels::Pixels;
use crate::planner::{Learned, Policy};
use crate::recipe::preset::Preset;
use crate::recipe::{Draft, Recipe};
use crate::store::{JobState, NewJob};
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

impl ModelEntry {
    /// The last part of what may be a path: as lists and pictures name it.
    #[must_use]
    pub fn short_name(&self) -> &str {
        self.name.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(&self.name)
    }
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

/// A job that an earlier window left in the queue.
#[derive(Clone, Debug)]
pub struct LeftJob {
    /// How the book calls it.
    pub row: u64,
    pub job: NewJob,
    pub model: Arc<Inventory>,
    pub state: JobState,
}

/// Why the queue of this window is lost with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unkept {
    /// Another window has the library.
    Elsewhere,
    Failed(String),
}

/// What an earlier window left.
#[derive(Clone, Debug, Default)]
pub struct Backlog {
    /// In the order of the queue.
    pub jobs: Vec<LeftJob>,
    /// Models of jobs that wait until these are here again.
    pub absent: Vec<String>,
    pub unkept: Option<Unkept>,
}

impl Backlog {
    pub(super) fn unkept(why: Unkept) -> Self {
        Self { unkept: Some(why), ..Self::default() }
    }
}

/// One job of the queue, as it is kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    pub id: JobId,
    pub job: NewJob,
    pub state: JobState,
}

/// Where the queue outlives the program.
pub trait JobBook {
    /// What was found, once it is known, and only once.
    fn found(&self) -> Option<Backlog>;
    /// What was found under `row` is this job now.
    fn adopt(&self, row: u64, job: JobId);
    /// The queue as it stands. A job that runs is on disk when this returns.
    fn keep(&self, queue: Vec<Standing>);
}

/// Writes a finished picture with its recipe inside, and says where.
pub type Save = Arc<dyn Fn(&Pixels, &Recipe, &str) -> Result<PathBuf, String> + Send + Sync>;

/// Where something comes from that the window is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    File(PathBuf),
    /// Pasted.
    Text(String),
}

/// How a picture was drawn, as it remembers it.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    pub draft: Draft,
    /// The model that it names.
    pub model: Option<String>,
    /// What it says that this program cannot take over.
    pub left: Vec<String>,
}

/// What it turned out to be.
#[derive(Clone, Debug)]
pub enum Found {
    Settings(Box<Restored>),
    /// A preset, and what of it is left out.
    Preset(Box<Preset>, Vec<String>),
    Machine(Box<Machine>),
    Model(ModelEntry),
    /// Of a kind that is known, but nothing can be taken from it, and why.
    Nothing(String),
    /// Of no kind that is known.
    Unknown,
}

/// Looks into something, wherever it may be read from. Runs on a thread of its own.
pub type Inspect = Arc<dyn Fn(&Source) -> Found + Send + Sync>;

/// Asks the user for files in the system's own dialog and waits for the answer. Runs on a thread of its own.
pub type Pick = Arc<dyn Fn() -> Vec<PathBuf> + Send + Sync>;

pub struct Host {
    /// The built-in one first.
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
    pub jobs: Box<dyn JobBook>,
    pub worker: Box<dyn Backend>,
    pub save: Save,
    pub inspect: Inspect,
    pub pick: Pick,
    /// Keeps a copy of a machine file for the next start.
    pub keep_machine: Box<dyn Fn(&Path)>,
    pub policy: Policy,
    pub book: Box<dyn RunBook>,
    pub settings: Settings,
    pub save_settings: Box<dyn Fn(&Settings)>,
    /// The system's language, such as `de-AT`.
    pub locale: String,
    /// Files to take as if they were dropped on the window.
    pub opened: Vec<PathBuf>,
    /// Called once the first frame is on the screen: for what may wait until then.
    pub shown: Box<dyn FnOnce()>,
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
