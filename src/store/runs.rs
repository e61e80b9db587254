//! The book of runs: predicted and measured of the last ones, by family and device.

use super::atomic;
use super::error::StoreError;
use crate::planner::{Phase, RUNS, Seen, Tier};
use crate::units::Bytes;
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::path::Path;

/// The last runs of everything, oldest first.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Runs {
    #[serde(default)]
    runs: Vec<Line>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    family: String,
    device: String,
    tier: String,
    predicted: u64,
    measured: u64,
    over: u64,
    gflops: f64,
    /// Phase, measured and predicted seconds.
    secs: Vec<(String, f64, f64)>,
}

impl Runs {
    /// Reads the book at `path`. A missing or damaged one is empty: it is written anew from the next runs.
    #[must_use]
    pub fn load(path: &Path) -> Self {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(%error, path = %path.display(), "the book of runs cannot be read");
                }
                return Self::default();
            }
        };
        serde_json::from_str(&text).unwrap_or_else(|error| {
            tracing::warn!(%error, path = %path.display(), "the book of runs is damaged and begins anew");
            Self::default()
        })
    }

    /// Writes the book, whole or not at all.
    ///
    /// # Errors
    /// What stands in the way; the old book is still there then.
    pub fn save(&self, path: &Path) -> Result<(), StoreError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|error| StoreError::io(&error, folder))?;
        let text = serde_json::to_string(self).map_err(|error| StoreError::io(&error.into(), path))?;
        atomic::write(folder, &mut |writer| writer.write_all(text.as_bytes()))?.replace(path)
    }

    /// Enters a run, and forgets the oldest of its kind beyond [`RUNS`].
    pub fn add(&mut self, family: &str, device: &str, run: &Seen) {
        let secs = Phase::ALL.into_iter().zip(run.secs);
        let line = Line {
            family: family.to_owned(),
            device: device.to_owned(),
            tier: run.tier.name().to_owned(),
            predicted: run.predicted.get(),
            measured: run.measured.get(),
            over: run.over.get(),
            gflops: run.gflops,
            secs: secs.filter_map(|(phase, secs)| secs.map(|(m, p)| (phase.name().to_owned(), m, p))).collect(),
        };
        let same = |other: &Line| other.family == line.family && other.device == line.device && other.tier == line.tier;
        if self.runs.iter().filter(|other| same(other)).count() >= RUNS
            && let Some(oldest) = self.runs.iter().position(same)
        {
            self.runs.remove(oldest);
        }
        self.runs.push(line);
    }

    /// The runs of a family on a device, oldest first.
    #[must_use]
    pub fn of(&self, family: &str, device: &str) -> Vec<Seen> {
        let mine = self.runs.iter().filter(|line| line.family == family && line.device == device);
        mine.filter_map(Line::seen).collect()
    }

    /// The last runs of everything, at most [`RUNS`].
    #[must_use]
    pub fn last(&self) -> Vec<Seen> {
        self.runs[self.runs.len().saturating_sub(RUNS)..].iter().filter_map(Line::seen).collect()
    }
}

impl Line {
    fn seen(&self) -> Option<Seen> {
        let secs = Phase::ALL.map(|phase| {
            let found = self.secs.iter().find(|(name, ..)| name == phase.name());
            found.map(|(_, measured, predicted)| (*measured, *predicted))
        });
        Some(Seen {
            tier: Tier::ALL.into_iter().find(|tier| tier.name() == self.tier)?,
            predicted: Bytes(self.predicted),
            measured: Bytes(self.measured),
            over: Bytes(self.over),
            secs,
            gflops: self.gflops,
        })
    }
}
