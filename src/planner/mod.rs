//! Whether a request fits, how, and what it costs: the arithmetic that the engine obeys.
//!
//! [`plan`] is pure and total: it reads no clock, file or device, never fails, and gives equal answers to equal
//! questions. `footprint` states what every op and network holds, `placement` adds that up phase by phase for one
//! [`Choice`], `timeline` prices the same phases in seconds, `verdict` picks the fastest choice that fits, and
//! `remedies` looks for changes that would make a request fit by planning them again.

pub(crate) mod flops;
pub mod footprint;
mod learned;
mod placement;
mod policy;
mod remedies;
mod timeline;
mod verdict;

pub use learned::{Learned, RUNS, Seen, spread};
pub use placement::{Phase, PhaseNeed, Pool, Side, Term, Terms};
pub use policy::{Arithmetic, Device, Policy};
pub use remedies::Remedy;
pub use timeline::learned_gflops;
pub use verdict::{Answer, CellVerdict, Concession, Plan, PoolBudget, Rung, Shortage, Verdict, fit_cell, plan};

/// How long weights stay where the device computes, fastest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// All components stay loaded between runs.
    Resident,
    /// One component at a time.
    Phased,
    /// One block of a component at a time, the next one read ahead.
    Streamed,
}

impl Tier {
    pub const ALL: [Self; 3] = [Self::Resident, Self::Phased, Self::Streamed];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Resident => "resident",
            Self::Phased => "phased",
            Self::Streamed => "streamed",
        }
    }
}

/// How a latent becomes pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decode {
    Whole,
    /// By bands of rows: the same picture in less memory, for about twice the work.
    Banded,
    /// Overlapping tiles, blended: a little different from whole, so only where whole does not fit or on demand.
    Tiled,
}

impl Decode {
    pub const ALL: [Self; 3] = [Self::Whole, Self::Banded, Self::Tiled];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Banded => "banded",
            Self::Tiled => "tiled",
        }
    }
}

/// One point of the lattice that a plan picks from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    pub tier: Tier,
    pub decode: Decode,
}
