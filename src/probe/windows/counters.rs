//! Performance counters (PDH): what all programs hold of each graphics card, and what this one does.
//!
//! English names work in every language of Windows, no rights are needed, and a read takes less than a millisecond
//! once the library is loaded. Where the counters do not exist there is no reading.

#![expect(unsafe_code, reason = "the system's own functions")]

use super::gpu::Sample;
use windows::Win32::Foundation::ERROR_SUCCESS;
use windows::Win32::System::Performance::{
    PDH_CSTATUS_NEW_DATA, PDH_CSTATUS_VALID_DATA, PDH_FMT_COUNTERVALUE_ITEM_W, PDH_FMT_LARGE, PDH_HCOUNTER, PDH_HQUERY,
    PDH_MORE_DATA, PdhAddEnglishCounterW, PdhCloseQuery, PdhCollectQueryData, PdhGetFormattedCounterArrayW,
    PdhOpenQueryW,
};
use windows::core::{HSTRING, PCWSTR};

/// The counters of graphics memory.
pub(super) struct Counters {
    query: PDH_HQUERY,
    adapter: PDH_HCOUNTER,
    process_dedicated: PDH_HCOUNTER,
    process_shared: PDH_HCOUNTER,
}

/// One look at all of them.
pub(super) struct Look {
    /// Dedicated memory by adapter.
    pub adapter: Vec<Sample>,
    /// Dedicated and shared memory by adapter and process, of this process.
    pub process_dedicated: Vec<Sample>,
    pub process_shared: Vec<Sample>,
}

impl Counters {
    /// `None` where this system does not count graphics memory.
    pub(super) fn open() -> Option<Self> {
        let mut query = PDH_HQUERY::default();
        // SAFETY: the handle is writable; no data source means the live system.
        if unsafe { PdhOpenQueryW(PCWSTR::null(), 0, &raw mut query) } != ERROR_SUCCESS.0 {
            return None;
        }
        // From here on dropping it closes the query.
        let mut counters = Self {
            query,
            adapter: PDH_HCOUNTER::default(),
            process_dedicated: PDH_HCOUNTER::default(),
            process_shared: PDH_HCOUNTER::default(),
        };
        let pid = std::process::id();
        let process = |what: &str| HSTRING::from(format!("\\GPU Process Memory(pid_{pid}_*)\\{what} Usage"));
        counters.adapter = add(query, &HSTRING::from("\\GPU Adapter Memory(*)\\Dedicated Usage"))?;
        counters.process_dedicated = add(query, &process("Dedicated"))?;
        counters.process_shared = add(query, &process("Shared"))?;
        Some(counters)
    }

    pub(super) fn look(&self) -> Option<Look> {
        // SAFETY: the query is open until `self` is dropped.
        if unsafe { PdhCollectQueryData(self.query) } != ERROR_SUCCESS.0 {
            return None;
        }
        Some(Look {
            adapter: samples(self.adapter)?,
            // A process that holds nothing has no instance: that is no failure.
            process_dedicated: samples(self.process_dedicated).unwrap_or_default(),
            process_shared: samples(self.process_shared).unwrap_or_default(),
        })
    }
}

impl Drop for Counters {
    fn drop(&mut self) {
        // SAFETY: the query was opened and is closed once; its counters go with it.
        unsafe {
            PdhCloseQuery(self.query);
        }
    }
}

fn add(query: PDH_HQUERY, path: &HSTRING) -> Option<PDH_HCOUNTER> {
    let mut counter = PDH_HCOUNTER::default();
    // SAFETY: the query is open, the path ends in zero and the handle is writable.
    let status = unsafe { PdhAddEnglishCounterW(query, path, 0, &raw mut counter) };
    (status == ERROR_SUCCESS.0).then_some(counter)
}

/// Every instance of a counter with its value.
fn samples(counter: PDH_HCOUNTER) -> Option<Vec<Sample>> {
    const ITEM: usize = size_of::<PDH_FMT_COUNTERVALUE_ITEM_W>();
    let (mut bytes, mut count) = (0, 0);
    // SAFETY: without a buffer the call only says how large one must be.
    let status = unsafe { PdhGetFormattedCounterArrayW(counter, PDH_FMT_LARGE, &raw mut bytes, &raw mut count, None) };
    if status != PDH_MORE_DATA {
        return None;
    }
    // Names follow the items in the same buffer. Whole items keep it aligned.
    let mut buffer = vec![PDH_FMT_COUNTERVALUE_ITEM_W::default(); (bytes as usize).div_ceil(ITEM)];
    bytes = (buffer.len() * ITEM) as u32;
    let items = Some(buffer.as_mut_ptr());
    // SAFETY: the buffer is writable for the bytes that are given.
    let status = unsafe { PdhGetFormattedCounterArrayW(counter, PDH_FMT_LARGE, &raw mut bytes, &raw mut count, items) };
    if status != ERROR_SUCCESS.0 {
        return None;
    }
    let good = |status: u32| status == PDH_CSTATUS_VALID_DATA || status == PDH_CSTATUS_NEW_DATA;
    let items = buffer.iter().take(count as usize).filter(|item| good(item.FmtValue.CStatus));
    // SAFETY: names point into the buffer, which is still there, and the format asked for fills the large value.
    Some(
        items
            .map(|item| unsafe { (item.szName.to_string().unwrap_or_default(), item.FmtValue.Anonymous.largeValue) })
            .collect(),
    )
}
