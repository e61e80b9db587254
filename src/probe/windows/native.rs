//! The calls themselves. Each returns what the system said, or nothing where it did not answer.

#![expect(unsafe_code, reason = "the system's own functions")]

use super::gpu::{Adapter, Luid, Segment};
use super::{MemoryStatus, PageFile, Performance, ProcessMemory};
use std::os::windows::ffi::OsStrExt as _;
use std::path::Path;
use windows::Win32::Foundation::{ERROR_SUCCESS, FALSE, TRUE};
use windows::Win32::Graphics::Dxgi::{
    CreateDXGIFactory1, DXGI_ADAPTER_FLAG_SOFTWARE, DXGI_MEMORY_SEGMENT_GROUP, DXGI_MEMORY_SEGMENT_GROUP_LOCAL,
    DXGI_MEMORY_SEGMENT_GROUP_NON_LOCAL, DXGI_QUERY_VIDEO_MEMORY_INFO, IDXGIAdapter1, IDXGIAdapter3, IDXGIFactory1,
};
use windows::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;
use windows::Win32::System::ProcessStatus::{
    ENUM_PAGE_FILE_INFORMATION, EnumPageFilesW, GetPerformanceInfo, GetProcessMemoryInfo, PERFORMANCE_INFORMATION,
    PROCESS_MEMORY_COUNTERS, PROCESS_MEMORY_COUNTERS_EX,
};
use windows::Win32::System::Registry::{HKEY_LOCAL_MACHINE, RRF_RT_REG_MULTI_SZ, RRF_RT_REG_SZ, RegGetValueW};
use windows::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows::Win32::System::Threading::GetCurrentProcess;
use windows::core::{BOOL, HSTRING, Interface as _, PCWSTR, w};

/// The size of a structure, as the calls want it.
const fn size<T>() -> u32 {
    size_of::<T>() as u32
}

pub(super) fn memory_status() -> Option<MemoryStatus> {
    let mut status = MEMORYSTATUSEX { dwLength: size::<MEMORYSTATUSEX>(), ..Default::default() };
    // SAFETY: the structure is writable and says its own size.
    unsafe { GlobalMemoryStatusEx(&raw mut status) }.ok()?;
    Some(MemoryStatus {
        total: status.ullTotalPhys,
        available: status.ullAvailPhys,
        commit_available: status.ullAvailPageFile,
    })
}

pub(super) fn performance() -> Option<Performance> {
    let mut info = PERFORMANCE_INFORMATION { cb: size::<PERFORMANCE_INFORMATION>(), ..Default::default() };
    // SAFETY: the structure is writable and of the size that is given.
    unsafe { GetPerformanceInfo(&raw mut info, info.cb) }.ok()?;
    Some(Performance {
        charged: info.CommitTotal as u64,
        limit: info.CommitLimit as u64,
        page: info.PageSize as u64,
        total: info.PhysicalTotal as u64,
    })
}

pub(super) fn process_memory() -> Option<ProcessMemory> {
    let mut counters = PROCESS_MEMORY_COUNTERS_EX { cb: size::<PROCESS_MEMORY_COUNTERS_EX>(), ..Default::default() };
    let pointer: *mut PROCESS_MEMORY_COUNTERS = (&raw mut counters).cast();
    // SAFETY: the extended structure begins with the plain one, and its full size is given. The pseudo handle of the
    // own process needs no closing.
    unsafe { GetProcessMemoryInfo(GetCurrentProcess(), pointer, counters.cb) }.ok()?;
    Some(ProcessMemory {
        working_set: counters.WorkingSetSize as u64,
        working_set_peak: counters.PeakWorkingSetSize as u64,
        private: counters.PrivateUsage as u64,
    })
}

/// Free bytes for the user, all free bytes and the size of the volume that holds `folder`.
pub(super) fn disk(folder: &Path) -> Option<(u64, u64, u64)> {
    // The call wants a folder that ends in a backslash where it is a share.
    let mut name: Vec<u16> = folder.as_os_str().encode_wide().collect();
    if name.last().is_some_and(|last| ![u16::from(b'\\'), u16::from(b'/')].contains(last)) {
        name.push(u16::from(b'\\'));
    }
    name.push(0);
    let (mut user, mut total, mut free) = (0, 0, 0);
    // SAFETY: the name ends in zero, and three numbers are written.
    unsafe {
        GetDiskFreeSpaceExW(PCWSTR(name.as_ptr()), Some(&raw mut user), Some(&raw mut total), Some(&raw mut free))
    }
    .ok()?;
    Some((user, free, total))
}

/// The pagefiles in use; `None` where the system does not list them.
pub(super) fn page_files() -> Option<Vec<PageFile>> {
    unsafe extern "system" fn each(
        context: *mut core::ffi::c_void,
        info: *mut ENUM_PAGE_FILE_INFORMATION,
        name: PCWSTR,
    ) -> BOOL {
        // SAFETY: the context is the list below, which nobody else touches meanwhile; information and name live for
        // the length of this call.
        unsafe {
            let (Some(files), Some(info)) = (context.cast::<Vec<PageFile>>().as_mut(), info.as_ref()) else {
                return FALSE;
            };
            let name = if name.is_null() { String::new() } else { String::from_utf16_lossy(name.as_wide()) };
            files.push(PageFile { name, pages: info.TotalSize as u64 });
        }
        TRUE
    }
    let mut files: Vec<PageFile> = Vec::new();
    // SAFETY: the list outlives the call, which calls back on this thread only.
    unsafe { EnumPageFilesW(Some(each), (&raw mut files).cast()) }.ok()?;
    Some(files)
}

/// The registry's pagefile policy, one file a line.
pub(super) fn paging_files() -> Option<String> {
    const KEY: PCWSTR = w!("SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management");
    // Far more than one line for each letter of the alphabet.
    let mut buffer = vec![0_u16; 8192];
    let mut bytes = (buffer.len() * 2) as u32;
    // SAFETY: the buffer is writable for the bytes that are given.
    let status = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            KEY,
            w!("PagingFiles"),
            RRF_RT_REG_MULTI_SZ | RRF_RT_REG_SZ,
            None,
            Some(buffer.as_mut_ptr().cast()),
            Some(&raw mut bytes),
        )
    };
    (status == ERROR_SUCCESS).then(|| String::from_utf16_lossy(buffer.get(..bytes as usize / 2).unwrap_or_default()))
}

/// The adapters of this computer, kept open: finding them takes milliseconds, asking them does not.
pub(super) struct Adapters {
    factory: IDXGIFactory1,
    found: Vec<(Adapter, Option<IDXGIAdapter3>)>,
}

impl Adapters {
    pub(super) fn open() -> Option<Self> {
        // SAFETY: no promises to keep; the factory counts its own references.
        let factory: IDXGIFactory1 = unsafe { CreateDXGIFactory1() }.ok()?;
        // SAFETY: the factory is alive.
        let adapters = (0..).map_while(|index| unsafe { factory.EnumAdapters1(index) }.ok());
        let found = adapters.filter_map(|adapter| Some((describe(&adapter)?, adapter.cast().ok()))).collect();
        Some(Self { factory, found })
    }

    /// Whether no card has come or gone since.
    pub(super) fn is_current(&self) -> bool {
        // SAFETY: the factory is alive.
        unsafe { self.factory.IsCurrent() }.as_bool()
    }

    /// Each adapter with its budgets as they are now.
    pub(super) fn read(&self) -> Vec<Adapter> {
        let segment = |adapter: &Option<IDXGIAdapter3>, group| segment(adapter.as_ref()?, group);
        let now = |(adapter, handle): &(Adapter, Option<IDXGIAdapter3>)| Adapter {
            local: segment(handle, DXGI_MEMORY_SEGMENT_GROUP_LOCAL),
            non_local: segment(handle, DXGI_MEMORY_SEGMENT_GROUP_NON_LOCAL),
            ..adapter.clone()
        };
        self.found.iter().map(now).collect()
    }
}

fn describe(adapter: &IDXGIAdapter1) -> Option<Adapter> {
    // SAFETY: the adapter is alive.
    let desc = unsafe { adapter.GetDesc1() }.ok()?;
    let name = desc.Description.split(|&unit| unit == 0).next().unwrap_or_default();
    Some(Adapter {
        name: HSTRING::from_wide(name).to_string_lossy().trim().to_owned(),
        luid: Luid { high: desc.AdapterLuid.HighPart as u32, low: desc.AdapterLuid.LowPart },
        software: desc.Flags & DXGI_ADAPTER_FLAG_SOFTWARE.0 as u32 != 0,
        dedicated: desc.DedicatedVideoMemory as u64,
        shared: desc.SharedSystemMemory as u64,
        local: None,
        non_local: None,
        held: None,
    })
}

fn segment(adapter: &IDXGIAdapter3, group: DXGI_MEMORY_SEGMENT_GROUP) -> Option<Segment> {
    let mut info = DXGI_QUERY_VIDEO_MEMORY_INFO::default();
    // SAFETY: the adapter is alive and the structure writable.
    unsafe { adapter.QueryVideoMemoryInfo(0, group, &raw mut info) }.ok()?;
    Some(Segment { budget: info.Budget, usage: info.CurrentUsage })
}
