//! The queue on disk, on a thread of its own: what an earlier window left is looked for, what this one orders is kept.
//!
//! A job is on disk as running before the worker hears of it, so that whatever ends the program finds its mark.

use super::host::{Backlog, JobBook, LeftJob, Standing, Unkept};
use crate::job::JobId;
use crate::model::Inventory;
use crate::store::{JobState, Library, StoreError};
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// A disk that takes longer than this does not hold up the window any more.
const PATIENCE: Duration = Duration::from_secs(2);

enum Order {
    Adopt(u64, JobId),
    /// The whole queue, and who waits for it to be written.
    Keep(Vec<Standing>, Option<Sender<()>>),
}

pub struct Shelf {
    /// `None` once it ends.
    orders: Option<Sender<Order>>,
    found: Receiver<Backlog>,
    running: Cell<Option<JobId>>,
    thread: Option<JoinHandle<()>>,
}

impl Shelf {
    /// Opens the library in `file`; `open` finds the model of a name.
    ///
    /// # Errors
    /// Where no thread can be started.
    pub fn start(file: PathBuf, open: impl Fn(&str) -> Option<Arc<Inventory>> + Send + 'static) -> io::Result<Self> {
        let (orders, inbox) = unbounded();
        let (tell, found) = unbounded();
        let work = move || {
            let (library, backlog) = look(&file, &open);
            // Nobody listens any more where the window is closed already.
            drop(tell.send(backlog));
            let mut rows = Rows { library, known: BTreeMap::new(), order: Vec::new() };
            for order in inbox {
                match order {
                    Order::Adopt(row, id) => rows.adopt(row, id),
                    Order::Keep(queue, done) => {
                        if let Err(error) = rows.keep(&queue) {
                            tracing::warn!("the queue could not be kept: {error}");
                        }
                        drop(done);
                    }
                }
            }
        };
        let thread = thread::Builder::new().name("queue".to_owned()).spawn(work)?;
        Ok(Self { orders: Some(orders), found, running: Cell::default(), thread: Some(thread) })
    }

    fn send(&self, order: Order) {
        // The thread ends with the window, never before.
        drop(self.orders.as_ref().map(|orders| orders.send(order)));
    }
}

impl JobBook for Shelf {
    fn found(&self) -> Option<Backlog> {
        self.found.try_recv().ok()
    }

    fn adopt(&self, row: u64, job: JobId) {
        self.send(Order::Adopt(row, job));
    }

    fn keep(&self, queue: Vec<Standing>) {
        let running = queue.iter().find(|standing| standing.state == JobState::Running).map(|standing| standing.id);
        let starts = running.is_some() && running != self.running.replace(running);
        if !starts {
            return self.send(Order::Keep(queue, None));
        }
        let (done, written) = crossbeam_channel::bounded(0);
        self.send(Order::Keep(queue, Some(done)));
        // It ends when the other side lets go.
        if written.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
            tracing::warn!("the disk is slow: a job starts before it is written that it runs");
        }
    }
}

impl Drop for Shelf {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// What there is. Without a library that is this window's own, nothing is kept.
fn look(file: &Path, open: &dyn Fn(&str) -> Option<Arc<Inventory>>) -> (Option<Library>, Backlog) {
    let opened = match Library::open(file) {
        Ok(opened) if opened.shared => return (None, Backlog::unkept(Unkept::Elsewhere)),
        Ok(opened) => opened,
        Err(error) => return (None, Backlog::unkept(Unkept::Failed(error.to_string()))),
    };
    if let Some(aside) = &opened.set_aside {
        tracing::warn!("the library was damaged and is set aside: {}", aside.display());
    }
    let stored = match opened.library.jobs() {
        Ok(stored) => stored,
        Err(error) => return (None, Backlog::unkept(Unkept::Failed(error.to_string()))),
    };
    let mut backlog = Backlog::default();
    let mut models: BTreeMap<String, Option<Arc<Inventory>>> = BTreeMap::new();
    for stored in stored {
        let name = &stored.job.model_ref;
        let model = models.entry(name.clone()).or_insert_with(|| open(name)).clone();
        match model {
            Some(model) => {
                backlog.jobs.push(LeftJob { row: stored.id, job: stored.job, model, state: stored.state });
            }
            // Its row stays: the model may be back at the next start.
            None if !backlog.absent.contains(name) => backlog.absent.push(name.clone()),
            None => {}
        }
    }
    (Some(opened.library), backlog)
}

/// The rows of this window's jobs. Those of others are left alone.
struct Rows {
    library: Option<Library>,
    known: BTreeMap<JobId, (u64, JobState)>,
    order: Vec<u64>,
}

impl Rows {
    fn adopt(&mut self, row: u64, id: JobId) {
        // What it stands at is written with the next queue.
        self.known.insert(id, (row, JobState::Failed));
    }

    /// Makes the rows what the queue is, a job that runs first of all.
    fn keep(&mut self, queue: &[Standing]) -> Result<(), StoreError> {
        let Some(library) = &mut self.library else { return Ok(()) };
        for standing in queue {
            let (row, state) = match self.known.entry(standing.id) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert((library.enqueue(&standing.job, false)?, JobState::Queued)),
            };
            if *state != standing.state {
                library.set_job(*row, standing.state, "")?;
                *state = standing.state;
            }
        }
        let gone: Vec<JobId> =
            self.known.keys().copied().filter(|id| queue.iter().all(|standing| standing.id != *id)).collect();
        for id in gone {
            if let Some((row, _)) = self.known.get(&id) {
                library.remove_job(*row)?;
                self.known.remove(&id);
            }
        }
        let order: Vec<u64> = queue.iter().filter_map(|standing| Some(self.known.get(&standing.id)?.0)).collect();
        if order != self.order {
            library.order_jobs(&order)?;
            self.order = order;
        }
        Ok(())
    }
}
