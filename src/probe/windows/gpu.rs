//! Graphics cards as Windows tells of them: what DXGI describes and budgets, and what the performance counters say
//! that all programs together hold.
//!
//! DXGI's budget is this process's own share, moved by the system as other programs come and go, and its usage counts
//! this process alone. The counters see everybody. Free is the less of what both leave.

use crate::machine::{Gpu, GpuKind, Overflow, Ram, Reading, Unknown};
use crate::probe::{plausible_part, plausible_total};
use crate::units::Bytes;

/// What tells one adapter from another until the next start of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Luid {
    pub high: u32,
    pub low: u32,
}

/// `DXGI_QUERY_VIDEO_MEMORY_INFO` of one segment group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    pub budget: u64,
    /// Of this process.
    pub usage: u64,
}

/// `DXGI_ADAPTER_DESC1` and what was asked about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adapter {
    pub name: String,
    pub luid: Luid,
    /// Draws on the processor: Microsoft's Basic Render Driver.
    pub software: bool,
    pub dedicated: u64,
    /// What of the host's memory the driver may lend: half of it, as a rule.
    pub shared: u64,
    /// The fastest memory: the card's own, or all of it where there is only one kind.
    pub local: Option<Segment>,
    pub non_local: Option<Segment>,
    /// Dedicated bytes that all programs hold, from the counter `GPU Adapter Memory`.
    pub held: Option<u64>,
}

/// An adapter as core sees it; `None` for one that is no graphics card.
#[must_use]
pub fn gpu_from_adapter(adapter: &Adapter, ram: Ram) -> Option<Gpu> {
    if adapter.software {
        return None;
    }
    let unified = is_unified(adapter);
    let (total, free) = if unified { unified_memory(adapter, ram) } else { card_memory(adapter) };
    Some(Gpu {
        name: adapter.name.clone(),
        kind: if unified { GpuKind::Unified } else { GpuKind::Discrete },
        total,
        free,
        shared: plausible_total(Bytes(adapter.shared)),
        overflow: Overflow::Spills,
        gflops: None,
    })
}

/// Where processor and graphics share one memory, all of it counts as local and nothing as non-local (as Direct3D 12
/// documents it for "UMA"), so the local budget exceeds the carve-out that is called dedicated.
fn is_unified(adapter: &Adapter) -> bool {
    let (Some(local), Some(non_local)) = (adapter.local, adapter.non_local) else { return false };
    non_local.budget == 0 && local.budget > adapter.dedicated
}

fn unified_memory(adapter: &Adapter, ram: Ram) -> (Reading, Reading) {
    let total = plausible_total(Bytes(adapter.dedicated) + Bytes(adapter.shared));
    let budget = adapter.local.map_or(Reading::MISSING, |local| {
        let left = Bytes(local.budget) - Bytes(local.usage);
        if Reading::Known(Bytes(local.budget)) == total { Reading::Known(left) } else { plausible_part(left, total) }
    });
    // The budget is no promise that the host has it.
    let free = match (budget, ram.available) {
        (Reading::Known(budget), Reading::Known(available)) => Reading::Known(budget.min(available)),
        (unknown @ Reading::Unknown(_), _) | (_, unknown) => unknown,
    };
    (total, free)
}

fn card_memory(adapter: &Adapter) -> (Reading, Reading) {
    let total = plausible_total(Bytes(adapter.dedicated));
    let unknown = |why| (total, Reading::Unknown(why));
    let by_budget = match adapter.local {
        None => None,
        Some(Segment { budget: 0, .. }) => return unknown(Unknown::Zero),
        Some(local) if local.budget > adapter.dedicated => return unknown(Unknown::AboveTotal),
        // The system always keeps a part back for the desktop. Whoever gives it all has not asked the card.
        Some(local) if local.budget == adapter.dedicated => return unknown(Unknown::FreeEqualsTotal),
        Some(local) => Some(Bytes(local.budget) - Bytes(local.usage)),
    };
    let by_counter = adapter.held.map(|held| Bytes(adapter.dedicated) - Bytes(held));
    let free = by_budget.into_iter().chain(by_counter).min();
    free.map_or_else(|| unknown(Unknown::Unreadable), |free| (total, plausible_part(free, total)))
}

/// Cards that both DXGI and NVML see, and those that NVML alone sees: a card under NVIDIA's compute driver has no
/// display, does not spill and is unknown to DXGI. The lower of two free readings holds.
#[must_use]
pub fn merge(dxgi: Vec<Gpu>, nvml: Vec<Gpu>) -> Vec<Gpu> {
    let mut nvml: Vec<Option<Gpu>> = nvml.into_iter().map(Some).collect();
    let mut all = dxgi;
    for gpu in &mut all {
        let twin = nvml.iter_mut().find(|other| other.as_ref().is_some_and(|other| other.name == gpu.name));
        if let Some(twin) = twin.and_then(Option::take) {
            gpu.free = match (gpu.free, twin.free) {
                (Reading::Known(a), Reading::Known(b)) => Reading::Known(a.min(b)),
                (known @ Reading::Known(_), Reading::Unknown(_)) | (Reading::Unknown(_), known) => known,
            };
        }
    }
    all.extend(nvml.into_iter().flatten().map(|gpu| Gpu { overflow: Overflow::Fails, ..gpu }));
    all
}

/// One sample of a counter: the name of its instance and its value.
pub type Sample = (String, i64);

/// Of whom a counter's instance tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Absent in counters of a whole adapter.
    pub pid: Option<u32>,
    pub luid: Luid,
}

/// `luid_0x00000000_0x0001A051_phys_0`, with `pid_4711_` in front where a process is meant.
#[must_use]
pub fn parse_instance(name: &str) -> Option<Instance> {
    let name = name.to_ascii_lowercase();
    let (pid, rest) = match name.strip_prefix("pid_") {
        Some(rest) => {
            let (pid, rest) = rest.split_once('_')?;
            (Some(pid.parse().ok()?), rest)
        }
        None => (None, name.as_str()),
    };
    let mut parts = rest.strip_prefix("luid_")?.split('_');
    let mut hex = || u32::from_str_radix(parts.next()?.strip_prefix("0x")?, 16).ok();
    let luid = Luid { high: hex()?, low: hex()? };
    let _physical: u32 = (parts.next()? == "phys").then(|| parts.next()?.parse().ok()).flatten()?;
    parts.next().is_none().then_some(Instance { pid, luid })
}

/// What all programs together hold on one adapter.
#[must_use]
pub fn held_on(samples: &[Sample], luid: Luid) -> Option<u64> {
    sum(samples, |instance| instance.luid == luid && instance.pid.is_none())
}

/// What one program holds on all adapters.
#[must_use]
pub fn held_by(samples: &[Sample], pid: u32) -> Option<u64> {
    sum(samples, |instance| instance.pid == Some(pid))
}

/// `None` where there is no such instance, or a value that cannot be.
fn sum(samples: &[Sample], meant: impl Fn(&Instance) -> bool) -> Option<u64> {
    let mut found = samples.iter().filter(|(name, _)| parse_instance(name).is_some_and(|it| meant(&it))).peekable();
    found.peek()?;
    found.try_fold(0_u64, |sum, &(_, value)| sum.checked_add(u64::try_from(value).ok()?))
}
