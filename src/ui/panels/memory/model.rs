//! The numbers behind the bars: pure, so that they are tested without a window.

use crate::machine::{Machine, Reading, Unknown};
use crate::planner::{Device, Phase, Plan, Pool, Term};
use crate::ui::trace::Trace;
use crate::units::{Bytes, Secs};

/// One bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gauge {
    pub pool: Pool,
    pub total: Bytes,
    pub others: Bytes,
    pub ours: Bytes,
    /// What the request holds at its fullest, ours included.
    pub peak: Option<Bytes>,
    /// How far we may go.
    pub budget: Reading,
}

/// A pool that cannot be drawn, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum GaugeOrWhy {
    Gauge(Gauge),
    Unknown(Pool, Unknown),
}

/// The bars of a machine: device, host and commit, as far as they exist.
#[must_use]
pub fn gauges(machine: &Machine, device: Device, plan: Option<&Plan>, live: Bytes) -> Vec<GaugeOrWhy> {
    let mut all = Vec::with_capacity(3);
    let mut add = |pool: Pool, total: Reading, free: Reading, ours: Bytes| {
        all.push(match (total, free) {
            (Reading::Known(total), Reading::Known(free)) => GaugeOrWhy::Gauge(Gauge {
                pool,
                total,
                others: total - free - ours,
                ours,
                peak: plan.map(|plan| plan.peak(pool)),
                budget: plan.and_then(|plan| plan.budget(pool)).map_or(Reading::MISSING, |budget| budget.budget),
            }),
            (Reading::Unknown(why), _) | (_, Reading::Unknown(why)) => GaugeOrWhy::Unknown(pool, why),
        });
    };
    if let Device::Gpu(index) = device
        && let Some(gpu) = machine.gpus.get(index)
    {
        add(Pool::Device, gpu.total, gpu.free, Bytes::ZERO);
    }
    let group_room = machine.cgroup.map(|group| (group.limit, group.limit - group.used));
    let (total, free) = match (machine.ram.available, group_room) {
        // The control group is the wall where it is closer than the machine's own memory.
        (Reading::Known(available), Some((limit, room))) if room < available => {
            (Reading::Known(limit), Reading::Known(room))
        }
        (available, _) => (machine.ram.total, available),
    };
    add(Pool::Host, total, free, live);
    if let Some(commit) = machine.commit {
        let free = match (commit.limit, commit.charged) {
            (Reading::Known(limit), Reading::Known(charged)) => Reading::Known(limit - charged),
            (unknown @ Reading::Unknown(_), _) | (_, unknown) => unknown,
        };
        add(Pool::Commit, commit.limit, free, live);
    }
    all
}

/// One phase of the timeline.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub phase: Phase,
    pub secs: Option<Secs>,
    pub terms: Vec<(Term, Bytes)>,
    pub total: Bytes,
    /// From left to right, each from 0 to 1.
    pub from: f32,
    pub to: f32,
}

/// The plan of one run, ready to be drawn, with what was measured so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    pub pool: Pool,
    pub blocks: Vec<Block>,
    /// What the top of the drawing stands for.
    pub top: Bytes,
    pub budget: Option<Bytes>,
    /// Places from 0 to 1, and bytes.
    pub curve: Vec<(f32, Bytes)>,
    pub predicted: Bytes,
    pub measured: Option<Bytes>,
    pub phase_peaks: Vec<Option<Bytes>>,
}

/// A phase is never drawn narrower than this share, however short it is.
const MIN_SHARE: f32 = 0.075;

#[must_use]
pub fn timeline(plan: &Plan, trace: Option<&Trace>) -> Timeline {
    let pool = plan.main_pool();
    let known = plan.total_secs().map_or(0.0, |secs| secs.0);
    let share = |phase| match plan.phase_secs(phase) {
        Some(secs) if known > 0.0 => MIN_SHARE + (1.0 - MIN_SHARE * Phase::ALL.len() as f32) * (secs.0 / known) as f32,
        _ => 1.0 / Phase::ALL.len() as f32,
    };
    let mut blocks = Vec::with_capacity(Phase::ALL.len());
    let mut from = 0.0;
    for need in &plan.phases {
        let to = from + share(need.phase);
        let terms = plan.pool_terms(need, pool);
        blocks.push(Block {
            phase: need.phase,
            secs: plan.phase_secs(need.phase),
            terms: terms.iter().collect(),
            total: terms.total(),
            from,
            to,
        });
        from = to;
    }
    let predicted = plan.peak(pool);
    let measured = trace.filter(|trace| !trace.is_empty()).map(Trace::peak);
    let curve = trace.map_or_else(Vec::new, |trace| {
        trace
            .curve()
            .filter_map(|(phase, share, live)| {
                let block = blocks.iter().find(|block| block.phase == phase)?;
                Some((block.from + (block.to - block.from) * share, live))
            })
            .collect()
    });
    let budget = plan.budget(pool).and_then(|budget| budget.budget.known());
    let highest = predicted.max(measured.unwrap_or_default());
    // The budget is part of the picture only where it is near enough to matter.
    let top = match budget {
        Some(room) if room < highest * 2 => highest.max(room),
        _ => highest,
    };
    Timeline {
        pool,
        top: Bytes(top.get() / 100 * 112).max(Bytes(1)),
        budget,
        curve,
        predicted,
        measured,
        phase_peaks: Phase::ALL.map(|phase| trace.and_then(|trace| trace.phase_peak(phase))).to_vec(),
        blocks,
    }
}
