//! The measured story of one run, as far as the window draws it: when phases began, and how much was held when.

use crate::job::Measured;
use crate::planner::{Phase, Plan, Pool};
use crate::units::{Bytes, Secs};

/// More points than a screen is wide are merged, keeping the fuller one of each pair.
const MAX_POINTS: usize = 1600;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    pub phase: Phase,
    pub elapsed: Secs,
    pub live: Bytes,
}

/// Samples of a run against the plan that it follows.
#[derive(Clone, Debug)]
pub struct Trace {
    pub plan: Plan,
    points: Vec<Point>,
    /// When each phase was first and last seen.
    spans: [Option<(Secs, Secs)>; Phase::ALL.len()],
    /// Exact peaks, once the run is over: samples may have missed them.
    peaks: [Option<Bytes>; Phase::ALL.len()],
}

impl Trace {
    #[must_use]
    pub fn new(plan: Plan) -> Self {
        Self { plan, points: Vec::new(), spans: [None; Phase::ALL.len()], peaks: [None; Phase::ALL.len()] }
    }

    pub fn push(&mut self, point: Point) {
        let span = self.spans[point.phase as usize].get_or_insert((point.elapsed, point.elapsed));
        span.1 = point.elapsed;
        self.points.push(point);
        if self.points.len() > MAX_POINTS {
            let merged = self
                .points
                .chunks(2)
                .map(|pair| pair.iter().copied().max_by_key(|point| point.live).unwrap_or(pair[0]));
            self.points = merged.collect();
        }
    }

    /// Each point as phase, share of that phase's width, bytes held.
    pub fn curve(&self) -> impl Iterator<Item = (Phase, f32, Bytes)> + '_ {
        self.points.iter().map(|point| {
            let (from, to) = self.spans[point.phase as usize].unwrap_or_default();
            // A phase that still runs is drawn against its predicted length, a finished one against its own.
            let running = self.points.last().is_some_and(|last| last.phase == point.phase);
            let predicted = self.plan.phase_secs(point.phase).unwrap_or_default().0;
            let length = if running { predicted.max(to.0 - from.0) } else { to.0 - from.0 };
            let share = if length > 0.0 { ((point.elapsed.0 - from.0) / length) as f32 } else { 0.5 };
            (point.phase, share.clamp(0.0, 1.0), point.live)
        })
    }

    /// The run is over: what the ledger says counts from now on.
    pub fn finish(&mut self, measured: &Measured) {
        let device = self.plan.main_pool() == Pool::Device;
        for phase in &measured.phases {
            let peak = if device { phase.device_peak } else { phase.host_peak };
            let slot = &mut self.peaks[phase.phase as usize];
            *slot = Some(slot.unwrap_or_default().max(peak));
        }
    }

    #[must_use]
    pub fn peak(&self) -> Bytes {
        let sampled = self.points.iter().map(|point| point.live).max().unwrap_or_default();
        self.peaks.iter().flatten().copied().max().unwrap_or_default().max(sampled)
    }

    #[must_use]
    pub fn phase_peak(&self, phase: Phase) -> Option<Bytes> {
        let sampled = self.points.iter().filter(|point| point.phase == phase).map(|point| point.live).max();
        self.peaks[phase as usize].max(sampled)
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.points.is_empty() && self.peaks.iter().all(Option::is_none)
    }
}
