//! Two small threads: one writes pictures, one reads the machine. Neither ever makes the window wait.

use super::host::Save;
use crate::gallery::PictureId;
use crate::machine::Machine;
use crate::pixels::Pixels;
use crate::recipe::Recipe;
use crossbeam_channel::{Receiver, Sender, bounded};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

/// A picture to be written.
#[derive(Clone, Debug)]
pub struct SaveTask {
    pub id: PictureId,
    pub pixels: Arc<Pixels>,
    pub recipe: Recipe,
    pub model: String,
}

/// A picture that was written, or why not.
pub(super) type Saved = (PictureId, Result<PathBuf, String>);

pub(super) struct Saver {
    /// `None` where the thread could not be started.
    tasks: Option<Sender<SaveTask>>,
    results: Receiver<Saved>,
    /// What the bounded channel had no room for yet.
    waiting: VecDeque<SaveTask>,
    open: usize,
}

impl Saver {
    pub(super) fn start(save: Save, wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (tasks, inbox) = bounded::<SaveTask>(4);
        let (outbox, results) = bounded(64);
        let work = move || {
            for task in inbox {
                let result = save(&task.pixels, &task.recipe, &task.model);
                if outbox.send((task.id, result)).is_err() {
                    return;
                }
                wake();
            }
        };
        let thread = thread::Builder::new().name("save".to_owned()).spawn(work);
        Self { tasks: thread.is_ok().then_some(tasks), results, waiting: VecDeque::new(), open: 0 }
    }

    pub(super) fn save(&mut self, task: SaveTask) {
        self.open += 1;
        self.waiting.push_back(task);
        self.push();
    }

    fn push(&mut self) {
        let Some(tasks) = &self.tasks else { return };
        while let Some(task) = self.waiting.pop_front() {
            if let Err(error) = tasks.try_send(task) {
                self.waiting.push_front(error.into_inner());
                return;
            }
        }
    }

    /// A finished task, if there is one.
    pub(super) fn poll(&mut self) -> Option<Saved> {
        self.push();
        let saved = self.results.try_recv().ok()?;
        self.open = self.open.saturating_sub(1);
        Some(saved)
    }

    /// Waits for everything handed over so far: before the window closes.
    pub(super) fn finish(&mut self) -> Vec<Saved> {
        let mut all = Vec::new();
        while self.open > 0 && self.tasks.is_some() {
            self.push();
            let Ok(saved) = self.results.recv() else { break };
            self.open -= 1;
            all.push(saved);
        }
        all
    }
}

/// Reads the machine on request.
pub(super) struct Surveyor {
    ask: Option<Sender<()>>,
    answers: Receiver<Machine>,
    asked_at: f64,
}

impl Surveyor {
    pub(super) fn start(survey: Box<dyn Fn() -> Machine + Send>) -> Self {
        let (ask, questions) = bounded::<()>(1);
        let (outbox, answers) = bounded(1);
        let work = move || {
            for () in questions {
                if outbox.send(survey()).is_err() {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().name("survey".to_owned()).spawn(work);
        Self { ask: thread.is_ok().then_some(ask), answers, asked_at: f64::NEG_INFINITY }
    }

    /// The newest reading, asking for another one every `interval` seconds.
    pub(super) fn poll(&mut self, now: f64, interval: f64) -> Option<Machine> {
        if now - self.asked_at >= interval
            && let Some(ask) = &self.ask
        {
            self.asked_at = now;
            // A full channel means that the last question is still open: one answer is as good as two.
            let _open = ask.try_send(());
        }
        self.answers.try_recv().ok()
    }
}
