//! What a computer can hold, as data: memory pools, how each overflows, how fast it computes.
//!
//! A probe fills it from the system, a machine file from text, a test from literals. Nothing here reads anything.

use crate::units::Bytes;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Os {
    Windows,
    Linux,
    Macos,
}

/// Why a value could not be had. A plan that needs it answers "cannot tell", never a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Nothing on this system answers this question, or the machine file leaves it out.
    Missing,
    /// The reader failed or returned text that it should not.
    Unreadable,
    /// Zero where something must be there.
    Zero,
    /// More free than there is in all.
    AboveTotal,
    /// Free equals total although somebody holds memory: some drivers count only their own process.
    FreeEqualsTotal,
}

/// A value from the system, or the reason that there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    Known(Bytes),
    Unknown(Unknown),
}

impl Reading {
    pub const MISSING: Self = Self::Unknown(Unknown::Missing);

    #[must_use]
    pub const fn known(self) -> Option<Bytes> {
        match self {
            Self::Known(bytes) => Some(bytes),
            Self::Unknown(_) => None,
        }
    }

    /// This value after `change`, unknown where it was unknown.
    #[must_use]
    pub fn map(self, change: impl FnOnce(Bytes) -> Bytes) -> Self {
        match self {
            Self::Known(bytes) => Self::Known(change(bytes)),
            unknown @ Self::Unknown(_) => unknown,
        }
    }

    /// A free amount checked against its total: zero total, or more free than total, is no reading.
    #[must_use]
    pub fn plausible_free(free: Bytes, total: Self) -> Self {
        match total {
            Self::Known(Bytes::ZERO) => Self::Unknown(Unknown::Zero),
            Self::Known(total) if free > total => Self::Unknown(Unknown::AboveTotal),
            _ => Self::Known(free),
        }
    }
}

impl Reading {
    /// Free memory from a driver that counts only its own process, which holds `own`: no more than the rest of the
    /// total. Where it holds nothing and all is said to be free, nothing is known of the others.
    #[must_use]
    pub fn free_beside(free: Bytes, total: Self, own: Bytes) -> Self {
        match Self::plausible_free(free, total) {
            Self::Known(free) => match total {
                Self::Known(total) if free == total && own == Bytes::ZERO => Self::Unknown(Unknown::FreeEqualsTotal),
                Self::Known(total) => Self::Known(free.min(total - own)),
                Self::Unknown(_) => Self::Known(free),
            },
            unknown @ Self::Unknown(_) => unknown,
        }
    }
}

/// Physical memory of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ram {
    pub total: Reading,
    /// What can be taken without swapping (Linux `MemAvailable`, Windows `ullAvailPhys`).
    pub available: Reading,
}

/// Committed memory: on Windows every private byte, pagefile-backed byte and GPU allocation is charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commit {
    pub limit: Reading,
    pub charged: Reading,
    /// How far a system-managed pagefile can still grow; shown, never planned with.
    pub growth: Reading,
}

/// The tightest memory control group around this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cgroup {
    pub limit: Bytes,
    /// Without the page cache that the kernel can drop.
    pub used: Bytes,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cpu {
    /// Threads that the engine computes with.
    pub threads: usize,
    /// Sustained f32 throughput of all threads together, measured or from a file.
    pub gflops: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuKind {
    /// Memory of its own.
    Discrete,
    /// Shares the host's memory: moving weights "off" it frees nothing.
    Unified,
}

/// What happens when a GPU pool is asked for more than it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// The allocation fails.
    Fails,
    /// The driver silently moves memory to the host and everything slows down (Windows).
    Spills,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Gpu {
    pub name: String,
    pub kind: GpuKind,
    pub total: Reading,
    pub free: Reading,
    /// Host memory that the driver may lend: watched, never counted as room.
    pub shared: Reading,
    pub overflow: Overflow,
    pub gflops: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    pub name: String,
    pub os: Os,
    pub ram: Ram,
    pub commit: Option<Commit>,
    pub cgroup: Option<Cgroup>,
    /// Free space where pictures are written.
    pub disk_free: Reading,
    pub cpu: Cpu,
    pub gpus: Vec<Gpu>,
    /// Bytes that this process already holds and that a plan counts again: its heap, kept weights.
    /// They are taken out of `ram.available` by the system, so budgets add them back.
    pub held: Bytes,
}

impl Machine {
    /// Host memory that a job may fill, before reserves: the tighter of the system's and the control group's room.
    #[must_use]
    pub fn host_room(&self) -> Reading {
        let room = match (self.ram.available, self.cgroup) {
            (Reading::Known(available), Some(group)) => Reading::Known(available.min(group.limit - group.used)),
            (reading, _) => reading,
        };
        room.map(|bytes| bytes + self.held)
    }

    /// Commit charge that is still to be had without growing a pagefile.
    #[must_use]
    pub fn commit_room(&self) -> Option<Reading> {
        let commit = self.commit?;
        Some(match (commit.limit, commit.charged) {
            (Reading::Known(limit), Reading::Known(charged)) => Reading::Known(limit - charged + self.held),
            (unknown @ Reading::Unknown(_), _) | (_, unknown) => unknown,
        })
    }
}

/// What changes from moment to moment, read many times a second: for the guard and the gauge.
#[derive(Clone, Debug, PartialEq)]
pub struct Glance {
    pub available: Reading,
    pub cgroup: Option<Cgroup>,
    /// Physical memory that this process occupies, code and mapped files included.
    pub rss: Reading,
    /// Free memory of each GPU, in the order of [`Machine::gpus`].
    pub gpu_free: Vec<Reading>,
    /// Host memory that each GPU's driver uses for this program's work, in the same order.
    pub gpu_shared: Vec<Reading>,
    /// Share of the last ten seconds in which everything stood still for want of memory, in percent (Linux PSI, the
    /// worse of the system's and the own control group's).
    pub stalled: Option<f64>,
}

impl Glance {
    /// A glance that sees nothing.
    pub const BLIND: Self = Self {
        available: Reading::MISSING,
        cgroup: None,
        rss: Reading::MISSING,
        gpu_free: Vec::new(),
        gpu_shared: Vec::new(),
        stalled: None,
    };

    /// Host memory that is still to be had: the tighter of the system's and the control group's room.
    #[must_use]
    pub fn host_free(&self) -> Reading {
        match (self.available, self.cgroup) {
            (Reading::Known(available), Some(group)) => Reading::Known(available.min(group.limit - group.used)),
            (Reading::Unknown(_), Some(group)) => Reading::Known(group.limit - group.used),
            (reading, None) => reading,
        }
    }
}
