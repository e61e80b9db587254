//! How fast the ops and networks are on this computer, as shares of what its processor could do at most.
//!
//! Other programs take their part of a computer while it is measured. So the ceiling is measured before and after each
//! repetition, and a share is the middle one of many.

mod works;

use super::ops::{bf16_gflops, f32_gflops, isa_name};
use crate::job::Failure;
use crate::ledger::{self, Pool};
use crate::units::Bytes;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};
use works::Ready;

/// Repetitions of each work: at least so many, until so much time is spent, at most so many.
const FEWEST: usize = 3;
const MOST: usize = 25;
const BUDGET: Duration = Duration::from_secs(2);
/// Length of one look at the ceiling.
const CEILING_ROUNDS: usize = 2_000_000;

/// Peaks of the processor with all threads, in GFLOP/s.
#[derive(Clone, Copy, Debug)]
pub struct Peaks {
    /// What products are made with.
    pub isa: &'static str,
    pub f32: f64,
    /// Of dot products of bf16 pairs, where the processor has them.
    pub bf16: Option<f64>,
}

/// What one work showed.
#[derive(Clone, Debug)]
pub struct Figure {
    pub name: &'static str,
    /// In what type the weights are stored, or how a picture is decoded.
    pub kind: &'static str,
    /// Operations of one repetition, two for a multiply and an add.
    pub gflop: f64,
    /// The middle one of all repetitions.
    pub seconds: f64,
    /// Of the f32 peak that was measured around the same repetition; the middle one.
    pub share: f64,
    /// Weights that stay.
    pub weights: Bytes,
    /// What the ledger counted at most beyond weights and inputs, and what the planner states for it.
    pub peak: Bytes,
    pub stated: Bytes,
}

/// Measures with `threads` threads and hands each figure to `each` as it comes, for as long as it wants more. Only
/// works whose name holds `filter`, whole networks only with `networks`.
///
/// # Errors
/// Where the system gives no threads, or an op fails.
pub fn measure(
    threads: usize,
    filter: &str,
    networks: bool,
    mut each: impl FnMut(Figure) -> ControlFlow<()> + Send,
) -> Result<Peaks, Failure> {
    super::pool(threads)?.install(|| {
        // Wakes every thread, and the processor's clock.
        let peaks = Peaks {
            isa: isa_name(),
            f32: median((0..5).map(|_| f32_gflops(CEILING_ROUNDS)).collect()),
            bf16: bf16_gflops(CEILING_ROUNDS),
        };
        for work in works::all().into_iter().filter(|work| work.name.contains(filter) && (networks || !work.network)) {
            let before = ledger::live(Pool::Host);
            let ready = (work.prepare)(threads)?;
            let weights = ledger::live(Pool::Host) - before;
            if each(repeat(work.name, work.kind, &ready, weights)?).is_break() {
                break;
            }
        }
        Ok(peaks)
    })
}

fn repeat(name: &'static str, kind: &'static str, work: &Ready, weights: Bytes) -> Result<Figure, Failure> {
    let (mut times, mut shares, mut peak) = (Vec::new(), Vec::new(), Bytes::ZERO);
    let begun = Instant::now();
    let mut ceiling = f32_gflops(CEILING_ROUNDS);
    while times.len() < FEWEST || begun.elapsed() < BUDGET && times.len() < MOST {
        let before = ledger::live(Pool::Host);
        ledger::reset_peak();
        let start = Instant::now();
        (work.run)()?;
        let seconds = start.elapsed().as_secs_f64().max(1e-9);
        peak = peak.max(ledger::peak(Pool::Host) - before);
        let after = f32_gflops(CEILING_ROUNDS);
        times.push(seconds);
        shares.push(work.gflop / seconds / (ceiling.midpoint(after)).max(1e-9));
        ceiling = after;
    }
    let (seconds, share) = (median(times), median(shares));
    Ok(Figure { name, kind, gflop: work.gflop, seconds, share, weights, peak, stated: work.stated })
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
