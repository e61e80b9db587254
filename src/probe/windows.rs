//! Windows: memory, commit charge and pagefile. The calls live in files of their own; what they answer is understood
//! here, on every system.

#[cfg(windows)]
mod counters;
pub mod gpu;
#[cfg(windows)]
pub(super) mod here;
#[cfg(windows)]
pub mod job;
#[cfg(windows)]
mod native;

use super::{plausible_part, plausible_total};
use crate::machine::{Commit, Ram, Reading, Unknown};
use crate::units::Bytes;

/// What `GlobalMemoryStatusEx` says, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryStatus {
    pub total: u64,
    pub available: u64,
    /// What this process can still commit: less than the system has left where a job object limits it.
    pub commit_available: u64,
}

/// What `GetPerformanceInfo` says, in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Performance {
    pub charged: u64,
    pub limit: u64,
    /// Physical memory.
    pub total: u64,
    pub page: u64,
}

/// What `GetProcessMemoryInfo` says of this process, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessMemory {
    pub working_set: u64,
    pub working_set_peak: u64,
    /// Commit charge of this process.
    pub private: u64,
}

/// One pagefile in use, from `EnumPageFilesW`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageFile {
    pub name: String,
    pub pages: u64,
}

/// One line of the registry value `PagingFiles`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagingFile {
    /// `None` where Windows picks the volume.
    pub drive: Option<char>,
    pub size: PagingSize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagingSize {
    /// Grown by Windows on demand.
    Managed,
    Fixed {
        min: Bytes,
        max: Bytes,
    },
}

/// A volume with a pagefile on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Volume {
    pub drive: char,
    pub size: Bytes,
    pub free: Bytes,
    /// What its pagefile takes now.
    pub pagefile: Bytes,
}

impl MemoryStatus {
    #[must_use]
    pub fn ram(self) -> Ram {
        let total = plausible_total(Bytes(self.total));
        // A system that runs programs always has a page left: nothing at all is a failed reading.
        let available = if self.available == 0 {
            Reading::Unknown(Unknown::Zero)
        } else {
            plausible_part(Bytes(self.available), total)
        };
        Ram { total, available }
    }
}

impl Performance {
    /// The system's commit; the charge raised to what leaves this process no more than it may still take.
    #[must_use]
    pub fn commit(self, status: Option<MemoryStatus>, growth: Reading) -> Commit {
        let commit = commit_from_pages(self.charged, self.limit, self.page, growth);
        let (Reading::Known(limit), Reading::Known(charged), Some(status)) = (commit.limit, commit.charged, status)
        else {
            return commit;
        };
        let out_of_reach = limit - Bytes(status.commit_available);
        Commit { charged: Reading::Known(charged.max(out_of_reach)), ..commit }
    }
}

impl ProcessMemory {
    #[must_use]
    pub fn rss(self) -> Reading {
        plausible_total(Bytes(self.working_set))
    }

    #[must_use]
    pub fn rss_peak(self) -> Reading {
        plausible_total(Bytes(self.working_set_peak))
    }

    /// What this process has charged to the system's commit. Wine answers zero.
    #[must_use]
    pub fn private(self) -> Reading {
        plausible_total(Bytes(self.private))
    }
}

impl PageFile {
    /// The letter of its volume: `C:\pagefile.sys`, or `\??\C:\pagefile.sys`.
    #[must_use]
    pub fn drive(&self) -> Option<char> {
        let name = self.name.strip_prefix("\\??\\").unwrap_or(&self.name);
        let letter = name.split_once(":\\")?.0;
        let mut letters = letter.chars();
        letters.next().filter(|c| c.is_ascii_alphabetic() && letters.next().is_none()).map(|c| c.to_ascii_uppercase())
    }
}

/// How far the pagefiles can still grow, from the registry's policy and the files in use. Either one alone tells
/// nothing: a policy takes effect with the next start.
#[must_use]
pub fn growth_reading(policy: Option<&str>, files: Option<&[PageFile]>, ram: Reading, volumes: &[Volume]) -> Reading {
    let (Some(policy), Reading::Known(ram)) = (policy, ram) else { return Reading::MISSING };
    match (parse_paging_files(policy), files) {
        (Ok(policy), Some(_)) => Reading::Known(growth(&policy, ram, volumes)),
        (Err(why), _) => Reading::Unknown(why),
        (Ok(_), None) => Reading::Unknown(Unknown::Unreadable),
    }
}

/// `?:\pagefile.sys` (Windows decides), `C:\pagefile.sys 0 0` (managed on that volume), `D:\pagefile.sys 4096 8192`
/// (fixed, in MiB), one a line or NUL; nothing at all means no pagefile.
///
/// # Errors
/// A line that is none of these.
pub fn parse_paging_files(text: &str) -> Result<Vec<PagingFile>, Unknown> {
    text.split(['\0', '\n']).map(str::trim).filter(|line| !line.is_empty()).map(parse_paging_file).collect()
}

fn parse_paging_file(line: &str) -> Result<PagingFile, Unknown> {
    let drive = match line.split_once(":\\").map(|(drive, _)| drive) {
        Some("?") => None,
        Some(letter) if letter.len() == 1 && letter.chars().all(|c| c.is_ascii_alphabetic()) => {
            letter.chars().next().map(|c| c.to_ascii_uppercase())
        }
        _ => return Err(Unknown::Unreadable),
    };
    // The path may hold blanks: the sizes are what follows its extension.
    let lower = line.to_ascii_lowercase();
    let sizes = lower.rsplit_once(".sys").map(|(_, sizes)| sizes.trim()).ok_or(Unknown::Unreadable)?;
    let mut sizes = sizes.split_whitespace().map(str::parse::<u64>);
    let size = match (sizes.next(), sizes.next(), sizes.next()) {
        (None, ..) | (Some(Ok(0)), Some(Ok(0)), None) => PagingSize::Managed,
        (Some(Ok(min)), Some(Ok(max)), None) if min <= max => {
            PagingSize::Fixed { min: Bytes::mib(min), max: Bytes::mib(max) }
        }
        _ => return Err(Unknown::Unreadable),
    };
    Ok(PagingFile { drive, size })
}

/// How far the pagefiles can still grow: a managed one to three times the memory (at least 4 GiB), an eighth of its
/// volume and what is free there, whichever is least; a fixed one to its own maximum.
#[must_use]
pub fn growth(files: &[PagingFile], ram: Bytes, volumes: &[Volume]) -> Bytes {
    let on = |drive: Option<char>| match drive {
        Some(letter) => volumes.iter().find(|volume| volume.drive == letter),
        // Windows' own choice is where one lies already, else the system volume.
        None => volumes.iter().max_by_key(|volume| volume.pagefile),
    };
    let room = |file: &PagingFile| {
        let Some(volume) = on(file.drive) else { return Bytes::ZERO };
        let reach = volume.pagefile + volume.free;
        let most = match file.size {
            PagingSize::Managed => (ram * 3).max(Bytes::gib(4)).min(Bytes(volume.size.get() / 8)),
            PagingSize::Fixed { max, .. } => max,
        };
        most.min(reach) - volume.pagefile
    };
    files.iter().map(room).sum()
}

/// Commit from `GetPerformanceInfo`, which counts pages.
#[must_use]
pub fn commit_from_pages(charged: u64, limit: u64, page: u64, growth: Reading) -> Commit {
    let bytes = |pages: u64| pages.checked_mul(page).map(Bytes);
    let limit = bytes(limit).map_or(Reading::Unknown(Unknown::Unreadable), plausible_total);
    let charged = match bytes(charged) {
        // Somebody always holds something: zero is a failed call.
        Some(Bytes::ZERO) => Reading::Unknown(Unknown::Zero),
        Some(charged) => plausible_part(charged, limit),
        None => Reading::Unknown(Unknown::Unreadable),
    };
    Commit { limit, charged, growth }
}
