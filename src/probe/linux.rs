//! Linux: `/proc` for memory and the own process, `/sys` for control groups and AMD cards.
//!
//! All paths lie under a [`Root`], so that a test can lay out a whole system in a folder.

use super::{Host, cgroup, plausible_part, plausible_total};
use crate::machine::{Commit, Ram, Reading, Unknown};
use crate::units::Bytes;
use std::path::{Path, PathBuf};

/// Where `/proc` and `/sys` are found.
#[derive(Clone, Debug)]
pub struct Root(PathBuf);

impl Root {
    #[must_use]
    pub fn system() -> Self {
        Self(PathBuf::from("/"))
    }

    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// The text of a file given by its absolute path.
    pub(super) fn read(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(self.path(path)).ok()
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.0.join(path.trim_start_matches('/'))
    }

    /// Memory, control groups, and commit where the kernel is told to keep books of it.
    #[must_use]
    pub fn host(&self) -> Host {
        let Some(meminfo) = self.read("/proc/meminfo") else {
            let unreadable = Reading::Unknown(Unknown::Unreadable);
            return Host { ram: Ram { total: unreadable, available: unreadable }, commit: None, cgroup: None };
        };
        let ram = parse_meminfo(&meminfo);
        let strict = self.read("/proc/sys/vm/overcommit_memory").is_some_and(|mode| mode.trim() == "2");
        Host { ram, commit: strict.then(|| parse_commit(&meminfo)), cgroup: cgroup::read(self, ram.total) }
    }

    /// Share of the last ten seconds in which nothing ran for want of memory, in percent: the worse of the system's and
    /// the own control group's. `None` where the kernel keeps no such account.
    #[must_use]
    pub fn stalled(&self) -> Option<f64> {
        let system = self.read("/proc/pressure/memory");
        let group = self.read("/proc/self/cgroup").and_then(|membership| {
            let path = cgroup::parse_membership(&membership, cgroup::Version::V2)?;
            self.read(&format!("/sys/fs/cgroup{}/memory.pressure", path.trim_end_matches('/')))
        });
        [system, group].into_iter().flatten().filter_map(|text| parse_pressure(&text)).reduce(f64::max)
    }

    /// Swap in all and what is free of it: shown, never planned with.
    #[must_use]
    pub fn swap(&self) -> (Reading, Reading) {
        self.read("/proc/meminfo").map_or((Reading::MISSING, Reading::MISSING), |text| parse_swap(&text))
    }

    #[must_use]
    pub fn rss(&self) -> Reading {
        self.status("VmRSS")
    }

    #[must_use]
    pub fn rss_peak(&self) -> Reading {
        self.status("VmHWM")
    }

    /// Sets `VmHWM` back to what is resident now.
    pub(super) fn reset_rss_peak(&self) -> bool {
        std::fs::write(self.path("/proc/self/clear_refs"), "5").is_ok()
    }

    fn status(&self, key: &str) -> Reading {
        self.read("/proc/self/status").map_or(Reading::Unknown(Unknown::Unreadable), |text| parse_status(&text, key))
    }
}

/// Total and available memory from `/proc/meminfo`. `MemFree` is no substitute for a missing `MemAvailable`: it leaves
/// out the page cache, and a plan on it would refuse what fits.
#[must_use]
pub fn parse_meminfo(text: &str) -> Ram {
    let total = match kilobytes(text, "MemTotal") {
        Reading::Known(total) => plausible_total(total),
        unknown @ Reading::Unknown(_) => unknown,
    };
    let available = match kilobytes(text, "MemAvailable") {
        // The kernel keeps pages of its own, and this process is there: neither all nor nothing is ever available.
        Reading::Known(Bytes::ZERO) => Reading::Unknown(Unknown::Zero),
        Reading::Known(available) if Reading::Known(available) == total => Reading::Unknown(Unknown::FreeEqualsTotal),
        Reading::Known(available) => plausible_part(available, total),
        unknown @ Reading::Unknown(_) => unknown,
    };
    Ram { total, available }
}

/// `full avg10` of a pressure file: `full avg10=0.00 avg60=1.25 avg300=0.40 total=12345`.
#[must_use]
pub fn parse_pressure(text: &str) -> Option<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix("full "))?;
    let share: f64 = line.split_whitespace().find_map(|word| word.strip_prefix("avg10="))?.parse().ok()?;
    (0.0..=100.0).contains(&share).then_some(share)
}

/// Total and free swap. A system without any has zero of both.
#[must_use]
pub fn parse_swap(meminfo: &str) -> (Reading, Reading) {
    let total = kilobytes(meminfo, "SwapTotal");
    let free = match kilobytes(meminfo, "SwapFree") {
        Reading::Known(free) if total.known().is_some_and(|total| free > total) => {
            Reading::Unknown(Unknown::AboveTotal)
        }
        free => free,
    };
    (total, free)
}

/// Commit limit and charge, which count under `vm.overcommit_memory=2` only.
#[must_use]
pub fn parse_commit(meminfo: &str) -> Commit {
    let limit = match kilobytes(meminfo, "CommitLimit") {
        Reading::Known(limit) => plausible_total(limit),
        unknown @ Reading::Unknown(_) => unknown,
    };
    let charged = match kilobytes(meminfo, "Committed_AS") {
        Reading::Known(charged) => plausible_part(charged, limit),
        unknown @ Reading::Unknown(_) => unknown,
    };
    Commit { limit, charged, growth: Reading::Known(Bytes::ZERO) }
}

/// A size of the own process from `/proc/self/status`.
#[must_use]
pub fn parse_status(text: &str, key: &str) -> Reading {
    match kilobytes(text, key) {
        Reading::Known(bytes) => plausible_total(bytes),
        unknown @ Reading::Unknown(_) => unknown,
    }
}

/// The value of a line `Key:   123 kB`.
fn kilobytes(text: &str, key: &str) -> Reading {
    let Some(value) = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':')) else {
        return Reading::MISSING;
    };
    let number = value.trim().strip_suffix("kB").map(str::trim);
    let bytes = number.and_then(|digits| digits.parse::<u64>().ok()).and_then(|n| n.checked_mul(1024));
    bytes.map_or(Reading::Unknown(Unknown::Unreadable), |bytes| Reading::Known(Bytes(bytes)))
}
