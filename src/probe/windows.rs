//! Windows: commit charge and pagefile. The readers come with the Windows build; what they will read is understood
//! here already, on every system.

use super::{Host, plausible_part, plausible_total};
use crate::machine::{Commit, Reading, Unknown};
use crate::units::Bytes;

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

/// What the readers of this system know.
#[must_use]
pub const fn host() -> Host {
    Host::UNKNOWN
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
