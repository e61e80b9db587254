//! AMD cards under Linux, from what the kernel driver shows in `/sys`. The compute driver's own "free" leaves
//! out what the desktop holds; these files do not.
//!
//! A processor's own graphics shows up with the part of memory that the firmware set aside for it, which really is
//! apart from the host's; what it may borrow on top (`gtt`) is `shared`, and so never counted as room.

use super::linux::Root;
use super::{plausible_part, plausible_total};
use crate::machine::{Gpu, GpuKind, Overflow, Reading, Unknown};
use crate::units::Bytes;

const VENDOR: &str = "0x1002";

/// The AMD cards under `root`, in the order of their numbers.
#[must_use]
pub fn gpus(root: &Root) -> Vec<Gpu> {
    let Ok(entries) = std::fs::read_dir(root.path("/sys/class/drm")) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    // `card0`, but not its outputs: `card0-DP-1`.
    let mut cards: Vec<u32> = names.filter_map(|name| name.strip_prefix("card")?.parse().ok()).collect();
    cards.sort_unstable();
    cards.into_iter().filter_map(|card| read_card(root, card)).collect()
}

fn read_card(root: &Root, card: u32) -> Option<Gpu> {
    let file = |name: &str| root.read(&format!("/sys/class/drm/card{card}/device/{name}"));
    if file("vendor")?.trim() != VENDOR {
        return None;
    }
    let name = file("product_name").map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    let (total, free) = parse_vram(file("mem_info_vram_total").as_deref(), file("mem_info_vram_used").as_deref());
    Some(Gpu {
        name: name.unwrap_or_else(|| format!("AMD GPU (card{card})")),
        kind: GpuKind::Discrete,
        total,
        free,
        shared: parse_amount(file("mem_info_gtt_total").as_deref()),
        overflow: Overflow::Fails,
        gflops: None,
    })
}

/// Total and free memory from the texts of the two files.
#[must_use]
pub fn parse_vram(total: Option<&str>, used: Option<&str>) -> (Reading, Reading) {
    let total = parse_amount(total);
    let used = match used.map(str::trim) {
        // A card in deep sleep really uses nothing.
        Some("0") => Reading::Known(Bytes::ZERO),
        text => parse_amount(text),
    };
    let free = match (total, used) {
        (Reading::Known(all), Reading::Known(used)) => {
            if used > all {
                Reading::Unknown(Unknown::AboveTotal)
            } else {
                plausible_part(all - used, total)
            }
        }
        (unknown @ Reading::Unknown(_), _) | (_, unknown) => unknown,
    };
    (total, free)
}

fn parse_amount(text: Option<&str>) -> Reading {
    match text.map(|text| text.trim().parse::<u64>()) {
        None => Reading::MISSING,
        Some(Ok(bytes)) => plausible_total(Bytes(bytes)),
        Some(Err(_)) => Reading::Unknown(Unknown::Unreadable),
    }
}
