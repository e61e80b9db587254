//! How a worker process ended on its own, read from what the system leaves behind.

use crate::planner::Phase;
use crate::units::Bytes;

/// A worker process that ended in the middle of a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Death {
    pub cause: Cause,
    /// What it was doing, `None` before the first phase.
    pub phase: Option<Phase>,
    /// What it held at its last word.
    pub live: Bytes,
    /// What the plan gave that phase.
    pub planned: Bytes,
    /// Its last line on stderr, if it said one.
    pub words: String,
}

/// Why a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Ended from outside without a word. Where memory is short, that is the system's own hand (SIGKILL, exit 137).
    Killed,
    /// It asked for this much memory and did not get it.
    Allocation(Bytes),
    /// The system had no memory left to promise (Windows error 1455 and its kind).
    Commit,
    /// It touched memory that is not there (SIGSEGV, SIGBUS, 0xC0000005, 0xC0000006): a fault in a driver or in this
    /// program, or on Windows often memory that was promised and not given.
    Fault,
    /// It gave up on its own (SIGABRT, 0xC0000409).
    Aborted,
    Signal(i32),
    Code(i32),
}

/// What Rust's runtime says before it gives up on an allocation.
const ALLOCATION: (&str, &str) = ("memory allocation of ", " bytes failed");

impl Cause {
    /// Reads the end of a process: a signal where there was one, an exit code, and the last words on stderr.
    ///
    /// Shells report a signal as 128 plus its number; Windows reports exceptions as negative numbers.
    #[must_use]
    pub fn read(signal: Option<i32>, code: Option<i32>, words: &str) -> Self {
        if let Some(bytes) = refused_allocation(words) {
            return Self::Allocation(bytes);
        }
        let signal = signal.or_else(|| code.filter(|code| (129..=159).contains(code)).map(|code| code - 128));
        match (signal, code.map(i32::cast_unsigned)) {
            (Some(9), _) | (None, None) => Self::Killed,
            (Some(6), _) | (None, Some(0xC000_0409)) => Self::Aborted,
            (Some(7 | 10 | 11), _) | (None, Some(0xC000_0005 | 0xC000_0006)) => Self::Fault,
            (Some(signal), _) => Self::Signal(signal),
            (None, Some(8 | 14 | 1450 | 1455 | 0xC000_0017 | 0xC000_012D)) => Self::Commit,
            (None, Some(code)) => Self::Code(code.cast_signed()),
        }
    }

    /// Whether memory is the likely reason, so that a smaller plan may help.
    #[must_use]
    pub const fn of_memory(self) -> bool {
        matches!(self, Self::Killed | Self::Allocation(_) | Self::Commit)
    }
}

fn refused_allocation(words: &str) -> Option<Bytes> {
    words.lines().find_map(|line| {
        let (_, rest) = line.split_once(ALLOCATION.0)?;
        rest.split_once(ALLOCATION.1)?.0.parse().ok().map(Bytes)
    })
}
