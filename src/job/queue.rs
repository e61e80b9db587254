//! The order of work: one job runs, the others wait, and each has a status that a window can show.

use super::{Job, JobId};
use std::collections::VecDeque;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Waiting,
    Running,
    /// Did not fit when its turn came; kept, and tried again on request.
    Held,
}

#[derive(Clone, Debug)]
pub struct QueueEntry {
    pub job: Job,
    pub status: Status,
}

/// Jobs in the order in which they will run.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    entries: VecDeque<QueueEntry>,
    last_id: u64,
}

impl Queue {
    /// An id that no job of this queue has had.
    pub fn next_id(&mut self) -> JobId {
        self.last_id += 1;
        JobId(self.last_id)
    }

    pub fn push(&mut self, job: Job) {
        self.entries.push_back(QueueEntry { job, status: Status::Waiting });
    }

    /// Puts a job before all that wait.
    pub fn push_front(&mut self, job: Job) {
        let place = self.entries.iter().take_while(|entry| entry.status == Status::Running).count();
        self.entries.insert(place, QueueEntry { job, status: Status::Waiting });
    }

    /// Puts a job right behind another one; last where that one is gone.
    pub fn push_behind(&mut self, other: JobId, job: Job) {
        let place = self.place(other).map_or(self.entries.len(), |place| place + 1);
        self.entries.insert(place, QueueEntry { job, status: Status::Waiting });
    }

    /// Moves a job that does not run by some places, towards the front where negative, never before one that runs.
    pub fn shift(&mut self, id: JobId, by: isize) {
        let Some(place) = self.place(id) else { return };
        let first = self.entries.iter().take_while(|entry| entry.status == Status::Running).count();
        if place < first {
            return;
        }
        let last = self.entries.len().saturating_sub(1);
        let to = place.saturating_add_signed(by).clamp(first, last.max(first));
        if let Some(entry) = self.entries.remove(place) {
            self.entries.insert(to, entry);
        }
    }

    /// Moves a job before all others that do not run.
    pub fn first(&mut self, id: JobId) {
        self.shift(id, isize::MIN);
    }

    /// Marks the next waiting job as running and returns it; `None` while one runs or none waits.
    pub fn start_next(&mut self) -> Option<Job> {
        if self.running().is_some() {
            return None;
        }
        let entry = self.entries.iter_mut().find(|entry| entry.status == Status::Waiting)?;
        entry.status = Status::Running;
        Some(entry.job.clone())
    }

    #[must_use]
    pub fn running(&self) -> Option<&Job> {
        self.entries.iter().find(|entry| entry.status == Status::Running).map(|entry| &entry.job)
    }

    /// Keeps a job that does not fit now.
    pub fn hold(&mut self, id: JobId) {
        if let Some(entry) = self.entry_mut(id) {
            entry.status = Status::Held;
        }
    }

    /// Lets a held job wait for its turn again.
    pub fn retry(&mut self, id: JobId) {
        if let Some(entry) = self.entry_mut(id)
            && entry.status == Status::Held
        {
            entry.status = Status::Waiting;
        }
    }

    /// Changes a job that does not run, such as where it goes on from.
    pub fn amend(&mut self, id: JobId, change: impl FnOnce(&mut Job)) {
        if let Some(entry) = self.entry_mut(id)
            && entry.status != Status::Running
        {
            change(&mut entry.job);
        }
    }

    /// Takes a job out, whatever its status.
    pub fn remove(&mut self, id: JobId) -> Option<Job> {
        let place = self.entries.iter().position(|entry| entry.job.id == id)?;
        self.entries.remove(place).map(|entry| entry.job)
    }

    pub fn iter(&self) -> impl Iterator<Item = &QueueEntry> {
        self.entries.iter()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn place(&self, id: JobId) -> Option<usize> {
        self.entries.iter().position(|entry| entry.job.id == id)
    }

    fn entry_mut(&mut self, id: JobId) -> Option<&mut QueueEntry> {
        self.entries.iter_mut().find(|entry| entry.job.id == id)
    }
}
