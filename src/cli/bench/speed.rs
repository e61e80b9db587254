//! `bench speed`: ops and networks as shares of what the processor could do at most.

use crate::cli::args::BenchSpeedArgs;
use crate::cli::error::{CliError, Exit};
use crate::cli::out;
use crate::engine::speed::{self, Figure, Peaks};
use crate::probe;
use crate::units::Bytes;
use serde::Serialize;
use std::ops::ControlFlow;

/// How far a measured peak may lie from the stated one: 2 % and this.
const SLACK: Bytes = Bytes::mib(1);
const SLACK_PERCENT: u64 = 2;

#[derive(Serialize)]
struct Report {
    threads: usize,
    isa: &'static str,
    f32_peak_gflops: f64,
    bf16_peak_gflops: Option<f64>,
    works: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    work: &'static str,
    kind: &'static str,
    gflop: f64,
    seconds: f64,
    gflops: f64,
    share_of_f32_peak: f64,
    weights: u64,
    peak: u64,
    stated: u64,
}

impl From<&Figure> for Row {
    fn from(figure: &Figure) -> Self {
        let &Figure { name, kind, gflop, seconds, share, weights, peak, stated } = figure;
        Self {
            work: name,
            kind,
            gflop,
            seconds,
            gflops: gflop / seconds,
            share_of_f32_peak: share,
            weights: weights.get(),
            peak: peak.get(),
            stated: stated.get(),
        }
    }
}

const HEAD: &str = "work                                  kind        time    GFLOP/s  of f32 peak     weights        \
                    peak      stated";

fn line(figure: &Figure) -> String {
    let Figure { name, kind, gflop, seconds, share, weights, peak, stated } = figure;
    let mark = if is_true(figure) { "" } else { "  !" };
    format!(
        "{name:<36}  {kind:<6}  {:>8}  {:>9.1}  {:>9.0} %  {:>10}  {:>10}  {:>10}{mark}",
        time(*seconds),
        gflop / seconds,
        share * 100.0,
        weights.to_string(),
        peak.to_string(),
        stated.to_string(),
    )
}

fn time(seconds: f64) -> String {
    if seconds < 1.0 { format!("{:.1} ms", seconds * 1e3) } else { format!("{seconds:.2} s") }
}

/// Whether the planner's statement holds.
fn is_true(figure: &Figure) -> bool {
    let slack = SLACK + figure.stated.percent(SLACK_PERCENT);
    figure.peak <= figure.stated + slack && figure.stated <= figure.peak + slack
}

fn words(peaks: &Peaks, threads: usize) -> String {
    let bf16 = peaks.bf16.map_or_else(
        || "no dot products of bf16".to_owned(),
        |gflops| format!("{gflops:.0} GFLOP/s at dot products of bf16"),
    );
    format!("{threads} threads, {}: {:.0} GFLOP/s at f32 multiply-adds, {bf16}", peaks.isa, peaks.f32)
}

pub(in crate::cli) fn speed(arguments: &BenchSpeedArgs) -> Result<Exit, CliError> {
    let threads = arguments.threads.map_or_else(probe::threads, usize::from);
    let (mut figures, mut told) = (Vec::new(), Ok(()));
    if !arguments.json {
        out::result(HEAD)?;
    }
    let peaks = speed::measure(threads, &arguments.only, arguments.networks, |figure| {
        if !arguments.json {
            told = out::result(line(&figure));
        }
        figures.push(figure);
        if told.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .map_err(|failure| CliError::failure(&failure))?;
    told?;
    if arguments.json {
        out::json(&Report {
            threads,
            isa: peaks.isa,
            f32_peak_gflops: peaks.f32,
            bf16_peak_gflops: peaks.bf16,
            works: figures.iter().map(Row::from).collect(),
        })?;
    } else {
        out::result(format_args!("\n{}", words(&peaks, threads)))?;
    }
    match figures.iter().filter(|figure| !is_true(figure)).count() {
        0 if figures.is_empty() => Err(CliError::new(Exit::Usage, format!("no work is called `{}`", arguments.only))),
        0 => Ok(Exit::Done),
        bad => Err(CliError::new(Exit::Other, format!("{bad} of {} works did not take what is stated", figures.len()))),
    }
}
