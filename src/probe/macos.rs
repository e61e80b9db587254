//! macOS: one pool for processor and GPU. The readers come with the Mac build; what `vm_stat` and `sysctl` say is
//! understood here already, on every system.

use super::{Host, plausible_part, plausible_total};
use crate::machine::{Ram, Reading, Unknown};
use crate::units::Bytes;

/// What the readers of this system know.
#[must_use]
pub const fn host() -> Host {
    Host::UNKNOWN
}

/// Memory from the outputs of `sysctl -n hw.memsize` and `vm_stat`. Available is what the system gives away without
/// paging: free, inactive and purgeable pages.
#[must_use]
pub fn parse_ram(memsize: &str, vm_stat: &str) -> Ram {
    let total = memsize.trim().parse().map_or(Reading::Unknown(Unknown::Unreadable), |n| plausible_total(Bytes(n)));
    let available = match parse_vm_stat(vm_stat) {
        Reading::Known(available) => plausible_part(available, total),
        unknown @ Reading::Unknown(_) => unknown,
    };
    Ram { total, available }
}

/// Free, inactive and purgeable bytes of `vm_stat`.
#[must_use]
pub fn parse_vm_stat(text: &str) -> Reading {
    let unreadable = Reading::Unknown(Unknown::Unreadable);
    let page = text.lines().next().and_then(|head| {
        let (_, size) = head.split_once("(page size of ")?;
        size.split_once(' ')?.0.parse::<u64>().ok()
    });
    let Some(page) = page.filter(|page| page.is_power_of_two() && (4096..=65536).contains(page)) else {
        return unreadable;
    };
    let mut pages = 0_u64;
    for key in ["Pages free:", "Pages inactive:", "Pages purgeable:"] {
        let Some(value) = text.lines().find_map(|line| line.strip_prefix(key)) else { return Reading::MISSING };
        let Some(sum) = value.trim().trim_end_matches('.').parse().ok().and_then(|n| pages.checked_add(n)) else {
            return unreadable;
        };
        pages = sum;
    }
    pages.checked_mul(page).map_or(unreadable, |bytes| Reading::Known(Bytes(bytes)))
}
