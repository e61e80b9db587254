//! The queue on disk: what waits, what runs, what failed.
//!
//! A job is marked as running before anything of it is loaded. If the program dies then, the next start finds the mark:
//! the job is [`JobState::Interrupted`], shown, and run again only by the user, because it may be what killed the program.

use super::Library;
use crate::recipe::Draft;
use crate::store::error::StoreError;
use crate::store::memory;
use rusqlite::{Row, params};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobState {
    Queued,
    Running,
    /// Did not fit when its turn came; kept for another try.
    Held,
    Failed,
    /// Ran when the program died.
    Interrupted,
}

impl JobState {
    pub const ALL: [Self; 5] = [Self::Queued, Self::Running, Self::Held, Self::Failed, Self::Interrupted];

    const fn name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Held => "held",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }
}

/// A job as it was ordered: what is needed to make it anew once its model is open.
#[derive(Clone, Debug, PartialEq)]
pub struct NewJob {
    /// What the user calls the model.
    pub model_ref: String,
    pub draft: Draft,
    /// It is to run although the plan says that it does not fit.
    pub forced: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredJob {
    pub id: u64,
    pub job: NewJob,
    pub state: JobState,
    /// Why it failed or is held, in words.
    pub note: String,
}

impl Library {
    /// Adds a job as the last one, or before all others that wait. Returns its id.
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn enqueue(&mut self, job: &NewJob, front: bool) -> Result<u64, StoreError> {
        let place = if front {
            "(SELECT coalesce(min(place), 0) - 1 FROM jobs)"
        } else {
            "(SELECT coalesce(max(place), 0) + 1 FROM jobs)"
        };
        let sql = format!(
            "INSERT INTO jobs (place, model, settings, forced, state) VALUES ({place}, ?1, ?2, ?3, ?4) RETURNING id"
        );
        let values = params![job.model_ref, memory::draft_json(&job.draft), job.forced, JobState::Queued.name()];
        let id: i64 = self.connection.query_row(&sql, values, |row| row.get(0)).map_err(self.failed())?;
        Ok(id as u64)
    }

    /// All jobs in their order.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn jobs(&self) -> Result<Vec<StoredJob>, StoreError> {
        let sql = "SELECT id, model, settings, forced, state, note FROM jobs ORDER BY place, id";
        Ok(self.rows(sql, Vec::new(), job)?.into_iter().flatten().collect())
    }

    /// Notes how a job stands. Call it with [`JobState::Running`] before the job is handed over.
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn set_job(&mut self, id: u64, state: JobState, note: &str) -> Result<(), StoreError> {
        let sql = "UPDATE jobs SET state = ?2, note = ?3 WHERE id = ?1";
        let done = self.connection.execute(sql, params![id as i64, state.name(), note]);
        done.map(|_rows| ()).map_err(self.failed())
    }

    /// Takes a job out: it is done, or not wanted.
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn remove_job(&mut self, id: u64) -> Result<(), StoreError> {
        let done = self.connection.execute("DELETE FROM jobs WHERE id = ?1", [id as i64]);
        done.map(|_rows| ()).map_err(self.failed())
    }

    /// Puts all jobs into the order of `ids`; jobs that are not named keep their order behind them.
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn order_jobs(&mut self, ids: &[u64]) -> Result<(), StoreError> {
        let all: Vec<u64> = self.jobs()?.iter().map(|job| job.id).collect();
        let rest = all.iter().filter(|id| !ids.contains(id));
        let file = self.file.clone();
        let failed = |error: rusqlite::Error| super::trouble(&error, &file);
        let transaction = self.connection.transaction().map_err(failed)?;
        for (place, id) in ids.iter().chain(rest).enumerate() {
            let values = params![*id as i64, place as i64];
            transaction.execute("UPDATE jobs SET place = ?2 WHERE id = ?1", values).map_err(failed)?;
        }
        transaction.commit().map_err(failed)
    }

    /// Marks what ran when the last process died, and returns it.
    pub(super) fn mark_interrupted(&mut self) -> Result<Vec<StoredJob>, StoreError> {
        let mut ran: Vec<StoredJob> = self.jobs()?.into_iter().filter(|job| job.state == JobState::Running).collect();
        for job in &mut ran {
            job.state = JobState::Interrupted;
            self.set_job(job.id, job.state, &job.note)?;
        }
        Ok(ran)
    }
}

/// A row, unless a version with other settings wrote it: that one can run it, this one cannot.
fn job(row: &Row<'_>) -> rusqlite::Result<Option<StoredJob>> {
    let (settings, state): (String, String) = (row.get(2)?, row.get(4)?);
    let Some(draft) = memory::draft_from_json(&settings) else { return Ok(None) };
    Ok(Some(StoredJob {
        id: row.get::<_, i64>(0)? as u64,
        job: NewJob { model_ref: row.get(1)?, draft, forced: row.get(3)? },
        // A state of a later version is none that may run by itself.
        state: JobState::ALL.into_iter().find(|known| known.name() == state).unwrap_or(JobState::Failed),
        note: row.get(5)?,
    }))
}
