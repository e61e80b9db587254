//! Asks the system and the drivers what this computer can hold, and turns the answers into core's [`Machine`].
//!
//! Each reader is a thin piece of input and a pure `parse_*` function. What is missing, garbled or implausible becomes
//! a [`Reading::Unknown`] with its reason: this room knows no fallback numbers.

pub mod amd;
pub mod cgroup;
pub mod confine;
pub mod linux;
pub mod macos;
pub mod nvidia;
pub mod windows;

use crate::machine::{Cgroup, Commit, Cpu, Glance, Gpu, Machine, Os, Ram, Reading, Unknown};
use crate::units::Bytes;
use std::path::Path;

/// The name of the machine that this program runs on.
pub const HERE: &str = "this computer";

/// No computer that this program meets has more memory than this: a larger number is a garbled one.
pub const PLAUSIBLE: Bytes = Bytes::gib(1 << 20);

/// What a system's readers know of the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Host {
    pub ram: Ram,
    pub commit: Option<Commit>,
    pub cgroup: Option<Cgroup>,
}

impl Host {
    const UNKNOWN: Self =
        Self { ram: Ram { total: Reading::MISSING, available: Reading::MISSING }, commit: None, cgroup: None };
}

/// Reads everything anew. `folder` is where pictures will be written; it need not exist yet.
#[must_use]
pub fn survey(folder: &Path) -> Machine {
    let host = host();
    Machine {
        name: HERE.to_owned(),
        os: os(),
        ram: host.ram,
        commit: host.commit,
        cgroup: host.cgroup,
        disk_free: disk_free(folder),
        cpu: Cpu { threads: threads(), gflops: None },
        gpus: gpus(host.ram),
        held: Bytes::ZERO,
    }
}

/// Reads only what moves. Costs well under a millisecond without a GPU, so 20 a second are nothing.
#[must_use]
pub fn glance() -> Glance {
    let host = host();
    let gpus = gpus(host.ram);
    Glance {
        available: host.ram.available,
        cgroup: host.cgroup,
        rss: rss(),
        stalled: if cfg!(target_os = "linux") { linux::Root::system().stalled() } else { None },
        // What this process holds on all cards together: a spill shows in it, whichever card it is.
        gpu_shared: vec![gpu_held().shared; gpus.len()],
        gpu_free: gpus.into_iter().map(|gpu| gpu.free).collect(),
    }
}

/// Physical memory that this process occupies.
#[must_use]
pub fn rss() -> Reading {
    #[cfg(windows)]
    return windows::here::rss();
    #[cfg(not(windows))]
    if cfg!(target_os = "linux") { linux::Root::system().rss() } else { Reading::MISSING }
}

/// The most physical memory that this process ever occupied.
#[must_use]
pub fn rss_peak() -> Reading {
    #[cfg(windows)]
    return windows::here::rss_peak();
    #[cfg(not(windows))]
    if cfg!(target_os = "linux") { linux::Root::system().rss_peak() } else { Reading::MISSING }
}

/// What this process has charged to the system's commit. Only Windows counts it.
#[must_use]
pub fn private() -> Reading {
    #[cfg(windows)]
    return windows::here::private();
    #[cfg(not(windows))]
    Reading::MISSING
}

/// Graphics memory that this process holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuHeld {
    pub dedicated: Reading,
    /// Host memory that the driver lent: it grows when a card spills.
    pub shared: Reading,
}

/// What this process holds on all cards together. Only Windows counts it.
#[must_use]
pub fn gpu_held() -> GpuHeld {
    #[cfg(windows)]
    return windows::here::gpu_held();
    #[cfg(not(windows))]
    GpuHeld { dedicated: Reading::MISSING, shared: Reading::MISSING }
}

/// Lets [`rss_peak`] begin anew at what is occupied now; `false` where the system has no such switch.
#[must_use]
pub fn reset_rss_peak() -> bool {
    cfg!(target_os = "linux") && linux::Root::system().reset_rss_peak()
}

/// Free space for an ordinary user on the volume of `folder`, or of its nearest parent that exists.
#[must_use]
pub fn disk_free(folder: &Path) -> Reading {
    #[cfg(unix)]
    {
        let absolute = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
        let volume = absolute.ancestors().find_map(|path| rustix::fs::statvfs(path).ok());
        volume.map_or(Reading::Unknown(Unknown::Unreadable), |v| disk_reading(v.f_bavail, v.f_blocks, v.f_frsize))
    }
    #[cfg(windows)]
    return windows::here::disk_free(folder);
    #[cfg(not(any(unix, windows)))]
    {
        let _ = folder;
        Reading::MISSING
    }
}

/// Free bytes of a volume from counts of blocks.
#[must_use]
pub fn disk_reading(free_blocks: u64, blocks: u64, block_size: u64) -> Reading {
    match (free_blocks.checked_mul(block_size), blocks.checked_mul(block_size)) {
        (Some(free), Some(total)) => Reading::plausible_free(Bytes(free), Reading::Known(Bytes(total))),
        _ => Reading::Unknown(Unknown::Unreadable),
    }
}

/// An amount that must be there: zero and absurd ones are no reading.
#[must_use]
pub(crate) fn plausible_total(total: Bytes) -> Reading {
    match total {
        Bytes::ZERO => Reading::Unknown(Unknown::Zero),
        total if total > PLAUSIBLE => Reading::Unknown(Unknown::Unreadable),
        total => Reading::Known(total),
    }
}

/// An amount out of `total`; unknown where it exceeds it or is absurd.
#[must_use]
pub(crate) fn plausible_part(part: Bytes, total: Reading) -> Reading {
    if part > PLAUSIBLE {
        return Reading::Unknown(Unknown::Unreadable);
    }
    Reading::plausible_free(part, total)
}

fn host() -> Host {
    #[cfg(windows)]
    return windows::here::host();
    #[cfg(not(windows))]
    if cfg!(target_os = "linux") {
        linux::Root::system().host()
    } else if cfg!(target_os = "macos") {
        macos::host()
    } else {
        Host::UNKNOWN
    }
}

fn gpus(ram: Ram) -> Vec<Gpu> {
    let nvidia = nvidia::gpus(ram);
    #[cfg(windows)]
    return windows::gpu::merge(windows::here::gpus(ram), nvidia);
    #[cfg(not(windows))]
    {
        let mut gpus = nvidia;
        if cfg!(target_os = "linux") {
            gpus.extend(amd::gpus(&linux::Root::system()));
        }
        gpus
    }
}

const fn os() -> Os {
    if cfg!(windows) {
        Os::Windows
    } else if cfg!(target_os = "macos") {
        Os::Macos
    } else {
        Os::Linux
    }
}

/// Threads that this computer runs at once.
#[must_use]
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
