//! This computer, if it runs Windows: what the calls say, checked and put together.

use super::counters::Counters;
use super::gpu::{Adapter, gpu_from_adapter, held_by, held_on};
use super::native::{self, Adapters};
use super::{Performance, ProcessMemory, Volume, growth_reading, parse_paging_files};
use crate::machine::{Gpu, Ram, Reading, Unknown};
use crate::probe::{GpuHeld, Host, plausible_part, plausible_total};
use crate::units::Bytes;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

const UNREADABLE: Reading = Reading::Unknown(Unknown::Unreadable);

pub(in crate::probe) fn host() -> Host {
    let status = native::memory_status();
    let ram = status.map_or(Ram { total: UNREADABLE, available: UNREADABLE }, super::MemoryStatus::ram);
    let commit = native::performance().map(|pages| pages.commit(status, growth(pages, ram.total)));
    Host { ram, commit, cgroup: None }
}

fn growth(performance: Performance, ram: Reading) -> Reading {
    let (policy, files) = (native::paging_files(), native::page_files());
    let used = files.as_deref().unwrap_or_default();
    let planned = policy.as_deref().and_then(|text| parse_paging_files(text).ok()).unwrap_or_default();
    let mut drives: Vec<char> = used.iter().filter_map(super::PageFile::drive).collect();
    drives.extend(planned.iter().filter_map(|file| file.drive));
    drives.extend(std::env::var("SystemDrive").ok().and_then(|drive| drive.chars().next()));
    drives.sort_unstable();
    drives.dedup();
    let volume = |drive: char| {
        let (_, free, size) = native::disk(Path::new(&format!("{drive}:\\")))?;
        let pages = used.iter().filter(|file| file.drive() == Some(drive)).map(|file| file.pages).sum::<u64>();
        let pagefile = Bytes(pages.saturating_mul(performance.page));
        Some(Volume { drive, size: Bytes(size), free: Bytes(free), pagefile })
    };
    let volumes: Vec<Volume> = drives.into_iter().filter_map(volume).collect();
    growth_reading(policy.as_deref(), files.as_deref(), ram, &volumes)
}

fn process(read: impl FnOnce(ProcessMemory) -> Reading) -> Reading {
    native::process_memory().map_or(UNREADABLE, read)
}

pub(in crate::probe) fn rss() -> Reading {
    process(ProcessMemory::rss)
}

pub(in crate::probe) fn rss_peak() -> Reading {
    process(ProcessMemory::rss_peak)
}

pub(in crate::probe) fn private() -> Reading {
    process(ProcessMemory::private)
}

/// Free space for the user on the volume of `folder`, or of its nearest parent that exists.
pub(in crate::probe) fn disk_free(folder: &Path) -> Reading {
    let absolute: PathBuf = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let volume = absolute.ancestors().find_map(native::disk);
    volume.map_or(UNREADABLE, |(user, _, total)| plausible_part(Bytes(user), plausible_total(Bytes(total))))
}

/// Handles of the graphics system, opened at the first look and kept. They belong to the thread that opened them.
#[derive(Default)]
struct Graphics {
    adapters: Option<Adapters>,
    /// Opened once: where the counters do not exist, they never will.
    counters: Option<Option<Counters>>,
}

thread_local! {
    static GRAPHICS: RefCell<Graphics> = RefCell::default();
}

impl Graphics {
    fn adapters(&mut self) -> Vec<Adapter> {
        if !self.adapters.as_ref().is_some_and(Adapters::is_current) {
            self.adapters = Adapters::open();
        }
        self.adapters.as_ref().map(Adapters::read).unwrap_or_default()
    }

    fn counters(&mut self) -> Option<&Counters> {
        self.counters.get_or_insert_with(Counters::open).as_ref()
    }
}

/// The graphics cards that DXGI knows.
pub(in crate::probe) fn gpus(ram: Ram) -> Vec<Gpu> {
    GRAPHICS.with_borrow_mut(|graphics| {
        let mut adapters = graphics.adapters();
        if adapters.iter().any(|adapter| !adapter.software)
            && let Some(look) = graphics.counters().and_then(Counters::look)
        {
            for adapter in &mut adapters {
                adapter.held = held_on(&look.adapter, adapter.luid);
            }
        }
        adapters.iter().filter_map(|adapter| gpu_from_adapter(adapter, ram)).collect()
    })
}

/// What this process holds of graphics memory.
pub(in crate::probe) fn gpu_held() -> GpuHeld {
    GRAPHICS.with_borrow_mut(|graphics| {
        let Some(counters) = graphics.counters() else {
            return GpuHeld { dedicated: Reading::MISSING, shared: Reading::MISSING };
        };
        let Some(look) = counters.look() else { return GpuHeld { dedicated: UNREADABLE, shared: UNREADABLE } };
        // No instance: a process that never drew with the card.
        let reading = |samples| Reading::Known(Bytes(held_by(samples, std::process::id()).unwrap_or(0)));
        GpuHeld { dedicated: reading(&look.process_dedicated), shared: reading(&look.process_shared) }
    })
}
