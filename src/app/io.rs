//! Two small threads: one writes pictures, one reads the machine. Neither ever makes the window wait.

use super::host::Save;
use super::state::differs;
use crate::gallery::PictureId;
use crate::machine::Machine;
use crate::pixels::Pixels;
use crate::recipe::Recipe;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

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

/// Reads the machine again and again, and speaks up only when it has changed: a window at rest is not repainted.
pub(super) struct Surveyor {
    pace: Sender<Duration>,
    answers: Receiver<Machine>,
    interval: Duration,
}

impl Surveyor {
    pub(super) fn start(
        survey: Box<dyn Fn() -> Machine + Send>,
        first: Machine,
        interval: Duration,
        wake: Arc<dyn Fn() + Send + Sync>,
    ) -> Self {
        let (pace, paces) = bounded(4);
        let (outbox, answers) = bounded(1);
        let work = move || {
            let (mut known, mut interval) = (first, interval);
            loop {
                match paces.recv_timeout(interval) {
                    Ok(changed) => interval = changed,
                    Err(RecvTimeoutError::Disconnected) => return,
                    Err(RecvTimeoutError::Timeout) => {
                        let machine = survey();
                        // A full box means that the window has not looked yet: the next reading will do.
                        if differs(&known, &machine) && outbox.try_send(machine.clone()).is_ok() {
                            known = machine;
                            wake();
                        }
                    }
                }
            }
        };
        // Without the thread, the first reading stays; every plan is checked again by the worker anyway.
        let _thread = thread::Builder::new().name("survey".to_owned()).spawn(work);
        Self { pace, answers, interval }
    }

    /// The newest reading that differs; from now on, one every `interval`.
    pub(super) fn poll(&mut self, interval: Duration) -> Option<Machine> {
        if self.interval != interval && self.pace.try_send(interval).is_ok() {
            self.interval = interval;
        }
        self.answers.try_recv().ok()
    }
}
