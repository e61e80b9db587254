//! Changes that would make a request fit. Each was planned again, so each one listed really fits.

use super::policy::{Device, Policy};
use super::verdict::{CellVerdict, Shortage, fit_cell};
use super::{Choice, Decode, Pool, Tier};
use crate::machine::{Machine, Reading};
use crate::model::Inventory;
use crate::recipe::{Recipe, Vocabulary};
use crate::units::{Bytes, PixelSize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// The largest size of the same aspect that fits.
    Size(PixelSize),
    /// One picture at a time.
    Single,
    /// A tier or decode that the request ruled out.
    Choice(Choice),
    /// Raise the user's own limit to this.
    RaiseLimit(Bytes),
    /// Other programs hold enough: closing ones that hold this much would do.
    CloseOthers(Bytes),
    /// Windows: let the pagefile grow by this much.
    GrowPagefile(Bytes),
}

pub(super) fn find(
    machine: &Machine,
    model: &Inventory,
    recipe: &Recipe,
    policy: &Policy,
    shortage: &Shortage,
) -> Vec<Remedy> {
    let fits =
        |recipe: &Recipe, policy: &Policy| matches!(fit_cell(machine, model, recipe, policy), CellVerdict::Fits(_));
    let mut all = Vec::new();

    let open = Policy { tiers: Tier::ALL.to_vec(), decodes: Decode::ALL.to_vec(), ..policy.clone() };
    if open != *policy
        && let CellVerdict::Fits(choice) = fit_cell(machine, model, recipe, &open)
    {
        all.push(Remedy::Choice(choice));
    }
    if let Some(size) = largest_size(model, recipe, |smaller| fits(smaller, policy)) {
        all.push(Remedy::Size(size));
    }
    if recipe.batch() > 1 && fits(&recipe.single(0), policy) {
        all.push(Remedy::Single);
    }
    if shortage.hard
        && let Some(limit) = policy.memory_limit
    {
        // A whole number with some air: the heap of the next run is not the same to the byte.
        let raised = (limit.max(policy.image) + shortage.by + Bytes::mib(1)).rounded_up(Bytes::mib(1));
        if fits(recipe, &Policy { memory_limit: Some(raised), ..policy.clone() }) {
            all.push(Remedy::RaiseLimit(raised));
        }
    }
    if !shortage.hard {
        match shortage.pool {
            Pool::Host | Pool::Device => {
                if closing_helps(machine, model, recipe, policy, shortage) {
                    all.push(Remedy::CloseOthers(shortage.by));
                }
            }
            Pool::Commit => {
                let growth = machine.commit.and_then(|commit| commit.growth.known()).unwrap_or_default();
                if growth >= shortage.by {
                    all.push(Remedy::GrowPagefile(shortage.by));
                }
            }
        }
    }
    all
}

/// Whether the request would fit once others gave back what it is short of, within what the machine has in all.
fn closing_helps(machine: &Machine, model: &Inventory, recipe: &Recipe, policy: &Policy, shortage: &Shortage) -> bool {
    let mut freed = machine.clone();
    let more = |reading: Reading| reading.map(|bytes| bytes + shortage.by);
    let within = if let (Pool::Device, Device::Gpu(index)) = (shortage.pool, policy.device) {
        let Some(gpu) = freed.gpus.get_mut(index) else { return false };
        gpu.free = more(gpu.free);
        gpu.free.known() <= gpu.total.known()
    } else {
        // What fills a control group may be this program's own surroundings: no promise there.
        freed.ram.available = more(freed.ram.available);
        freed.ram.available.known() <= freed.ram.total.known()
    };
    within && matches!(fit_cell(&freed, model, recipe, policy), CellVerdict::Fits(_))
}

/// The largest size of the same aspect for which `fits` holds, found by halving.
fn largest_size(model: &Inventory, recipe: &Recipe, fits: impl Fn(&Recipe) -> bool) -> Option<PixelSize> {
    let vocabulary = Vocabulary::of(model);
    let size = recipe.size();
    let scaled = |longer: u32| {
        let of = f64::from(longer) / f64::from(size.width.max(size.height));
        let side = |n: u32| (f64::from(n) * of).round() as u32;
        recipe.with_size(PixelSize::new(side(size.width), side(size.height)), &vocabulary)
    };
    let multiple = vocabulary.multiple;
    let (mut low, mut high) = (vocabulary.side.min / multiple, size.width.max(size.height) / multiple);
    if low >= high || !fits(&scaled(low * multiple)) {
        return None;
    }
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if fits(&scaled(middle * multiple)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    let found = scaled(low * multiple).size();
    (found != size).then_some(found)
}
