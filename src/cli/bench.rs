//! `bench memory`: predicted against measured memory, each cell in a process of its own.

use super::args::BenchMemoryArgs;
use super::error::{CliError, Exit};
use super::{out, request};
use crate::planner::{Decode, Device, Policy, Tier};
use crate::recipe::Vocabulary;
use crate::units::{Bytes, PixelSize};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};

const SIZES: [(u32, u32); 14] = [
    (128, 128),
    (192, 128),
    (128, 192),
    (256, 256),
    (256, 128),
    (128, 256),
    (512, 512),
    (512, 256),
    (256, 512),
    (1024, 256),
    (256, 1024),
    (768, 1024),
    (1024, 768),
    (1024, 1024),
];
const QUICK_SIZES: [(u32, u32); 3] = [(128, 128), (384, 256), (256, 512)];
const BATCHES: [u32; 2] = [1, 2];
/// Steps repeat the same allocations: two show what ten would.
const STEPS: &str = "2";

/// How far a prediction may lie above the ledger, and never below: 5 % and this.
const SLACK: Bytes = Bytes::mib(8);
const ABOVE_PERCENT: u64 = 5;
/// How far resident memory may lie above the ledger: 10 % and the policy's share for code, stacks and mappings.
const RSS_PERCENT: u64 = 10;

/// One run.
#[derive(Clone, Copy)]
struct Cell {
    size: PixelSize,
    tier: Tier,
    decode: Decode,
    batch: u32,
}

#[derive(Serialize)]
struct Row {
    width: u32,
    height: u32,
    tier: &'static str,
    decode: &'static str,
    batch: u32,
    /// What `plan` says before.
    predicted: u64,
    /// What the run itself planned when it started, with its heap as it was.
    started: u64,
    ledger: u64,
    /// Predicted over the ledger's, less one: never under zero in a truthful plan.
    error: f64,
    rss: Option<u64>,
    ok: bool,
    /// Why there are no numbers.
    failed: Option<String>,
}

#[derive(Serialize)]
struct Report<'a> {
    model: &'a str,
    rows: &'a [Row],
    worst: Option<&'a Row>,
    bad: usize,
}

pub(super) fn memory(arguments: &BenchMemoryArgs) -> Result<Exit, CliError> {
    let model = request::model(&arguments.model)?;
    let vocabulary = Vocabulary::of(&model);
    let program = std::env::current_exe().map_err(|error| CliError::output(&error))?;
    let folder = tempfile::tempdir().map_err(|error| CliError::output(&error))?;
    let cells = cells(arguments.quick, &vocabulary);
    if !arguments.json {
        out::result(format_args!("{} runs of {}, {STEPS} steps each\n{}", cells.len(), model.name, Row::HEAD))?;
    }
    let mut rows = Vec::with_capacity(cells.len());
    for cell in cells {
        let row = measure(&program, &arguments.model, cell, folder.path());
        if !arguments.json {
            out::result(row.line())?;
        }
        rows.push(row);
    }
    let worst = rows.iter().max_by(|a, b| {
        let by_error = a.error.abs().total_cmp(&b.error.abs());
        a.badness().cmp(&b.badness()).then(by_error)
    });
    let bad = rows.iter().filter(|row| !row.ok).count();
    if arguments.json {
        out::json(&Report { model: &model.name, rows: &rows, worst, bad })?;
    } else if let Some(worst) = worst {
        out::result(format_args!("\nworst:\n{}", worst.line()))?;
    }
    match bad {
        0 => Ok(Exit::Done),
        _ => Err(CliError::new(Exit::Other, format!("{bad} of {} rows break the promise", rows.len()))),
    }
}

fn cells(quick: bool, vocabulary: &Vocabulary) -> Vec<Cell> {
    let sizes = if quick { &QUICK_SIZES[..] } else { &SIZES[..] };
    let mut cells = Vec::new();
    for &(width, height) in sizes {
        let size = vocabulary.snap(i64::from(width), i64::from(height));
        for tier in Tier::ALL {
            for decode in Decode::ALL {
                cells.extend(BATCHES.map(|batch| Cell { size, tier, decode, batch }));
            }
        }
    }
    cells
}

fn measure(program: &Path, model: &str, cell: Cell, folder: &Path) -> Row {
    let Cell { size, tier, decode, batch } = cell;
    let mut row = Row {
        width: size.width,
        height: size.height,
        tier: tier.name(),
        decode: decode.name(),
        batch,
        predicted: 0,
        started: 0,
        ledger: 0,
        error: 0.0,
        rss: None,
        ok: false,
        failed: None,
    };
    let report = |command: &str| {
        let mut child = Command::new(program);
        child
            .args([command, "--json", "-p", "a red apple", "--seed", "1", "--steps", STEPS, "--model", model])
            .args(["--size", &size.to_string(), "--tier", tier.name(), "--decode", decode.name()])
            .args(["--batch", &batch.to_string()]);
        if command == "generate" {
            child.arg("--output").arg(folder);
        }
        read_report(&mut child)
    };
    match report("plan").and_then(|plan| Ok((plan, report("generate")?))) {
        Err(why) => row.failed = Some(why),
        Ok((plan, run)) => {
            let number = |value: &Value, path: &str| value.pointer(path).and_then(Value::as_u64);
            let numbers =
                (number(&plan, "/peak/host"), number(&run, "/plan/peak/host"), number(&run, "/measured/ledger_peak"));
            match numbers {
                (Some(predicted), Some(started), Some(ledger)) => {
                    row.judge(predicted, started, ledger, number(&run, "/measured/rss_peak"));
                }
                _ => row.failed = Some("the report has no numbers".to_owned()),
            }
        }
    }
    row
}

/// What a child printed, or its first word of why it did not.
fn read_report(child: &mut Command) -> Result<Value, String> {
    let output = child.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().next().unwrap_or("ended without a word");
        return Err(format!("{first} ({})", output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| error.to_string())
}

impl Row {
    const HEAD: &'static str =
        "     size  tier      decode  batch   predicted    at start      ledger    error         rss";

    fn judge(&mut self, predicted: u64, started: u64, ledger: u64, rss: Option<u64>) {
        let measured = Bytes(ledger);
        let most = measured.percent(100 + ABOVE_PERCENT) + SLACK;
        let rss_most = measured.percent(100 + RSS_PERCENT) + Policy::new(Device::Cpu).image;
        self.predicted = predicted;
        self.started = started;
        self.ledger = ledger;
        self.error = predicted as f64 / (ledger as f64).max(1.0) - 1.0;
        self.rss = rss;
        let truthful = [predicted, started].iter().all(|&plan| ledger <= plan && Bytes(plan) <= most);
        self.ok = truthful && rss.is_none_or(|rss| Bytes(rss) <= rss_most);
    }

    /// Rows that break the promise are worse than all that keep it.
    const fn badness(&self) -> u8 {
        if self.failed.is_some() {
            2
        } else if self.ok {
            0
        } else {
            1
        }
    }

    fn line(&self) -> String {
        let size = format!("{}x{}", self.width, self.height);
        let start = format!("{size:>9}  {:<8}  {:<6}  {:>5}", self.tier, self.decode, self.batch);
        if let Some(why) = &self.failed {
            return format!("{start}  failed: {why}");
        }
        let rss = self.rss.map_or_else(|| "?".to_owned(), |rss| Bytes(rss).to_string());
        let [predicted, started, ledger] = [self.predicted, self.started, self.ledger].map(|n| Bytes(n).to_string());
        let mark = if self.ok { "" } else { "  !" };
        format!(
            "{start}  {predicted:>10}  {started:>10}  {ledger:>10}  {:>+6.1} %  {rss:>10}{mark}",
            self.error * 100.0
        )
    }
}
