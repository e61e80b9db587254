//! A job object around this process: the system itself then refuses it more memory than it was granted, so that an
//! allocation fails in it before the machine runs short.

#![expect(unsafe_code, reason = "the system's own functions")]

use crate::units::Bytes;
use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};
use std::process::Child;
use std::sync::{Mutex, PoisonError};
use windows::Win32::Foundation::HANDLE;
use windows::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    QueryInformationJobObject, SetInformationJobObject,
};
use windows::Win32::System::Threading::GetCurrentProcess;
use windows::core::PCWSTR;

/// The job of this process, made at the first cap and kept as long as the process lives.
static OWN: Mutex<Option<Job>> = Mutex::new(None);
/// The job of the processes that end when this one does.
static CHILDREN: Mutex<Option<Job>> = Mutex::new(None);

struct Job(OwnedHandle);

impl Job {
    fn new() -> Option<Self> {
        // SAFETY: neither attributes nor a name are given.
        let handle = unsafe { CreateJobObjectW(None, PCWSTR::null()) }.ok()?;
        // SAFETY: the handle is new and nobody else's.
        Some(Self(unsafe { OwnedHandle::from_raw_handle(handle.0) }))
    }

    fn handle(&self) -> HANDLE {
        HANDLE(self.0.as_raw_handle())
    }

    fn set(&self, flags: JOB_OBJECT_LIMIT, memory: usize) -> bool {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION { ProcessMemoryLimit: memory, ..Default::default() };
        limits.BasicLimitInformation.LimitFlags = flags;
        let size = size_of_val(&limits) as u32;
        // SAFETY: the structure is the one that this class of information names, with its size.
        unsafe {
            SetInformationJobObject(self.handle(), JobObjectExtendedLimitInformation, (&raw const limits).cast(), size)
        }
        .is_ok()
    }

    /// The limit as the system keeps it, if it keeps one.
    fn limit(&self) -> Option<usize> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        let size = size_of_val(&limits) as u32;
        // SAFETY: the structure is writable and the one that this class of information names, with its size.
        unsafe {
            QueryInformationJobObject(
                Some(self.handle()),
                JobObjectExtendedLimitInformation,
                (&raw mut limits).cast(),
                size,
                None,
            )
        }
        .ok()?;
        let set = limits.BasicLimitInformation.LimitFlags.contains(JOB_OBJECT_LIMIT_PROCESS_MEMORY);
        set.then_some(limits.ProcessMemoryLimit)
    }
}

/// Lets the system refuse this process more than `most` bytes of commit; `None` lifts the cap. `false` where the system
/// does not keep to it: Wine says yes to every call and forgets the limit, so it is read back.
pub fn cap(most: Option<Bytes>) -> bool {
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    if own.is_none() {
        if most.is_none() {
            return true;
        }
        let Some(job) = Job::new() else { return false };
        // SAFETY: the pseudo handle of this process is always good.
        if unsafe { AssignProcessToJobObject(job.handle(), GetCurrentProcess()) }.is_err() {
            return false;
        }
        *own = Some(job);
    }
    let Some(job) = own.as_ref() else { return false };
    match most {
        None => job.set(JOB_OBJECT_LIMIT::default(), 0),
        Some(most) => {
            let most = usize::try_from(most.get()).unwrap_or(usize::MAX);
            job.set(JOB_OBJECT_LIMIT_PROCESS_MEMORY, most) && job.limit() == Some(most)
        }
    }
}

/// Lets `child` end when this process does, however it ends. `false` where the system does not see to it.
pub fn adopt(child: &Child) -> bool {
    let mut children = CHILDREN.lock().unwrap_or_else(PoisonError::into_inner);
    if children.is_none() {
        let Some(job) = Job::new() else { return false };
        if !job.set(JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, 0) {
            return false;
        }
        *children = Some(job);
    }
    let Some(job) = children.as_ref() else { return false };
    // SAFETY: the child's handle is open as long as the child is borrowed.
    unsafe { AssignProcessToJobObject(job.handle(), HANDLE(child.as_raw_handle())) }.is_ok()
}
