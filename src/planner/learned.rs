//! What the runs on this machine taught: how far predictions were off, in bytes and in seconds.

use super::{Phase, Tier};
use crate::units::{Bytes, Secs};

/// Runs that count: older ones are forgotten.
pub const RUNS: usize = 20;
/// Phases shorter than this say nothing of a pace.
const SHORT: Secs = Secs(0.02);

/// One run, predicted and measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    pub tier: Tier,
    /// The fullest moment of the whole run.
    pub predicted: Bytes,
    pub measured: Bytes,
    /// By how much the worst phase took more than was said of it.
    pub over: Bytes,
    /// Measured seconds of each phase, and what was predicted before anything was learned; `None` where it did not run.
    pub secs: [Option<(f64, f64)>; Phase::ALL.len()],
    /// The throughput that the prediction was made with.
    pub gflops: f64,
}

/// What it comes to for the next plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Learned {
    /// Least margin of each tier.
    pub margins: [Bytes; Tier::ALL.len()],
    /// How many times as long as predicted each phase takes.
    pub pace: [f64; Phase::ALL.len()],
}

impl Default for Learned {
    /// Nothing yet.
    fn default() -> Self {
        Self { margins: [Bytes::ZERO; Tier::ALL.len()], pace: [1.0; Phase::ALL.len()] }
    }
}

impl Learned {
    /// From the runs of one family on one device, oldest first; predictions are made with `gflops` now.
    #[must_use]
    pub fn from_runs(runs: &[Seen], gflops: Option<f64>) -> Self {
        Self {
            margins: Tier::ALL.map(|tier| percentile(runs.iter().filter(|run| run.tier == tier).map(|run| run.over))),
            pace: Phase::ALL.map(|phase| pace(runs, phase, gflops)),
        }
    }
}

/// The 95th percentile: what 19 of 20 runs kept to.
fn percentile(errors: impl Iterator<Item = Bytes>) -> Bytes {
    let mut all: Vec<Bytes> = errors.collect();
    all.sort_unstable();
    let rank = (all.len() * 95).div_ceil(100);
    rank.checked_sub(1).and_then(|at| all.get(at)).copied().unwrap_or_default()
}

/// The median of what runs took over what was predicted of them, in terms of the throughput as it is believed now.
fn pace(runs: &[Seen], phase: Phase, gflops: Option<f64>) -> f64 {
    let ratio = |run: &Seen| {
        let (measured, predicted) = run.secs[phase as usize]?;
        // Times that follow from the throughput are wrong with it.
        let scale = if computes(phase) { gflops? / run.gflops } else { 1.0 };
        let ratio = measured / predicted * scale;
        (measured >= SHORT.0 && ratio.is_finite() && ratio > 0.0).then_some(ratio)
    };
    let mut ratios: Vec<f64> = runs.iter().filter_map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).map_or(1.0, |middle| middle.clamp(0.02, 50.0))
}

/// Whether a phase's time is operations over throughput, rather than bytes over a read rate.
const fn computes(phase: Phase) -> bool {
    matches!(phase, Phase::Encode | Phase::Denoise | Phase::Decode)
}

/// How far predictions lay above what was measured, in percent, from the lowest to the highest of these runs.
#[must_use]
pub fn spread(runs: &[Seen]) -> Option<(f64, f64)> {
    let off = |run: &Seen| run.predicted.get() as f64 / run.measured.get().max(1) as f64 * 100.0 - 100.0;
    let mut all = runs.iter().map(off);
    let first = all.next()?;
    Some(all.fold((first, first), |(low, high), off| (low.min(off), high.max(off))))
}
