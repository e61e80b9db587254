//! Predicted against measured, run by run: what the accuracy of the plans is judged by.

use super::{Library, now};
use crate::store::error::StoreError;
use crate::units::Bytes;
use rusqlite::params;

/// Runs of one kind that are kept.
const KEPT: i64 = 500;

/// One run that ended well.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    pub family: String,
    pub tier: String,
    pub device: String,
    /// The largest sum that the plan named, and the largest that was held.
    pub predicted: Bytes,
    pub measured: Bytes,
    pub predicted_secs: Option<f64>,
    pub measured_secs: f64,
}

impl Library {
    /// Notes a run; of each kind the last few hundred are kept.
    ///
    /// # Errors
    /// Where the library cannot be written.
    pub fn add_run(&mut self, run: &RunRecord) -> Result<(), StoreError> {
        let sql = "INSERT INTO runs (at, family, tier, device, predicted, measured, predicted_seconds, measured_seconds) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let RunRecord { family, tier, device, predicted, measured, predicted_secs, measured_secs } = run;
        let (predicted, measured) = (predicted.get() as i64, measured.get() as i64);
        let values = params![now(), family, tier, device, predicted, measured, predicted_secs, measured_secs];
        self.connection.execute(sql, values).map_err(self.failed())?;
        let sql = "DELETE FROM runs WHERE family = ?1 AND tier = ?2 AND device = ?3 AND id NOT IN (SELECT id FROM runs \
                   WHERE family = ?1 AND tier = ?2 AND device = ?3 ORDER BY id DESC LIMIT ?4)";
        let done = self.connection.execute(sql, params![family, tier, device, KEPT]);
        done.map(|_rows| ()).map_err(self.failed())
    }

    /// The last runs, newest first.
    ///
    /// # Errors
    /// Where the library cannot be read.
    pub fn runs(&self, limit: usize) -> Result<Vec<RunRecord>, StoreError> {
        let sql = "SELECT family, tier, device, predicted, measured, predicted_seconds, measured_seconds FROM runs \
                   ORDER BY id DESC LIMIT ?1";
        self.rows(sql, vec![(limit as i64).into()], |row| {
            Ok(RunRecord {
                family: row.get(0)?,
                tier: row.get(1)?,
                device: row.get(2)?,
                predicted: Bytes(row.get::<_, i64>(3)? as u64),
                measured: Bytes(row.get::<_, i64>(4)? as u64),
                predicted_secs: row.get(5)?,
                measured_secs: row.get(6)?,
            })
        })
    }
}
