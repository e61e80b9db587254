//! What the system can do to keep a drawing process within its bounds.
//!
//! Linux: the process offers itself first where the kernel must end something, and its writable memory is capped, so
//! that an allocation fails in it before the machine runs short. Only private writable mappings count there
//! (`RLIMIT_DATA`): address space that drivers merely reserve, and files that are mapped to be read, are free.
//!
//! Windows: a job object caps the commit charge of the drawing process, and ends it when the program ends.

use crate::units::Bytes;
use std::process::Child;

/// Offers this process to the kernel's hand before the window and everything else.
pub fn volunteer() {
    #[cfg(target_os = "linux")]
    {
        // Raising one's own score needs no privilege.
        if let Err(error) = std::fs::write("/proc/self/oom_score_adj", "500") {
            tracing::info!(%error, "the kernel was not told which process to end first");
        }
    }
}

/// Lets the system refuse this process more than `most` bytes of private memory; `None` lifts the cap.
pub fn cap(most: Option<Bytes>) {
    #[cfg(target_os = "linux")]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { maximum, .. } = getrlimit(Resource::Data);
        let current = most.map(Bytes::get).map_or(maximum, |most| Some(maximum.map_or(most, |hard| most.min(hard))));
        if let Err(error) = setrlimit(Resource::Data, Rlimit { current, maximum }) {
            tracing::info!(%error, "this process could not be capped");
        }
    }
    #[cfg(windows)]
    if !super::windows::job::cap(most) {
        tracing::info!("this process could not be capped");
    }
    #[cfg(not(any(target_os = "linux", windows)))]
    let _ = most;
}

/// What only the parent can do for a process that it has just started.
pub fn adopt(child: &Child) {
    #[cfg(windows)]
    if !super::windows::job::adopt(child) {
        tracing::info!("the drawing process would outlive this one");
    }
    #[cfg(not(windows))]
    let _ = child;
}
