//! NVIDIA cards through NVML, where the driver's library is installed. It counts every process, the desktop included.

use super::{plausible_part, plausible_total};
use crate::machine::{Gpu, GpuKind, Overflow, Ram, Reading, Unknown};
use crate::units::Bytes;
use nvml_wrapper::Nvml;
use nvml_wrapper::error::NvmlError;
use std::sync::OnceLock;

/// What NVML says of one card's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    Counted {
        total: u64,
        free: u64,
    },
    /// No memory of its own to count: the chip shares the host's.
    NotSupported,
    Failed,
}

/// Loading the library takes a while, so it stays loaded; where there is none, that is remembered too.
static NVML: OnceLock<Option<Nvml>> = OnceLock::new();

/// The NVIDIA cards, in NVML's order.
#[must_use]
pub fn gpus(ram: Ram) -> Vec<Gpu> {
    let Some(nvml) = NVML.get_or_init(|| Nvml::init().ok()) else { return Vec::new() };
    let count = nvml.device_count().unwrap_or(0);
    let gpu = |index| {
        let device = nvml.device_by_index(index).ok()?;
        let memory = match device.memory_info() {
            Ok(info) => Memory::Counted { total: info.total, free: info.free },
            Err(NvmlError::NotSupported) => Memory::NotSupported,
            Err(_) => Memory::Failed,
        };
        let name = device.name().unwrap_or_else(|_| format!("NVIDIA GPU {index}"));
        Some(gpu_from_memory(name, memory, ram))
    };
    (0..count).filter_map(gpu).collect()
}

/// A card as core sees it.
#[must_use]
pub fn gpu_from_memory(name: String, memory: Memory, ram: Ram) -> Gpu {
    let (kind, total, free) = match memory {
        Memory::Counted { total, free } => {
            let total = plausible_total(Bytes(total));
            let free = match plausible_part(Bytes(free), total) {
                // The driver keeps some of every card for itself.
                Reading::Known(free) if Reading::Known(free) == total => Reading::Unknown(Unknown::FreeEqualsTotal),
                free => free,
            };
            (GpuKind::Discrete, total, free)
        }
        Memory::NotSupported => (GpuKind::Unified, ram.total, ram.available),
        Memory::Failed => {
            let unreadable = Reading::Unknown(Unknown::Unreadable);
            (GpuKind::Discrete, unreadable, unreadable)
        }
    };
    let overflow = if cfg!(windows) { Overflow::Spills } else { Overflow::Fails };
    Gpu { name, kind, total, free, shared: Reading::MISSING, overflow, gflops: None }
}
