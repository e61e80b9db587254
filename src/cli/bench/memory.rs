//! `bench memory`: predicted against measured memory, each cell in a process of its own.

use crate::cli::args::BenchMemoryArgs;
use crate::cli::error::{CliError, Exit};
use crate::cli::{out, request};
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
const FULL_SIZES: [(u32, u32); 18] = [
    (256, 256),
    (320, 256),
    (384, 512),
    (512, 512),
    (640, 384),
    (768, 512),
    (512, 1024),
    (768, 768),
    (832, 1216),
    (1024, 576),
    (1024, 1024),
    (1152, 896),
    (1088, 1920),
    (1280, 1280),
    (1536, 1024),
    (1536, 1536),
    (2048, 1024),
    (2048, 2048),
];
const BATCHES: [u32; 2] = [1, 2];
/// Steps repeat the same allocations: two show what ten would.
const STEPS: &str = "2";

/// How far a prediction may lie above the ledger, and never below: 5 % and this.
const SLACK: Bytes = Bytes::mib(8);
const ABOVE_PERCENT: u64 = 5;
/// What the full table demands: so many percent of all rows within the first, and every row within the second.
const MOST_ROWS: usize = 95;
const MOST_PERCENT: f64 = 3.0;
const EVERY_PERCENT: f64 = 8.0;
/// Of a small run, a few MiB are many percent.
const FULL_SLACK: Bytes = Bytes::mib(4);
/// The worst rows that are told at the end.
const WORST: usize = 5;
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
    model: String,
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
    models: &'a [String],
    rows: &'a [Row],
    /// The worst rows, the worst one first.
    worst: Vec<&'a Row>,
    bad: usize,
    summary: Summary,
}

/// All rows at a glance.
#[derive(Clone, Copy, Serialize)]
struct Summary {
    rows: usize,
    under: usize,
    within_3_percent: usize,
    within_8_percent: usize,
    failed: usize,
}

impl Summary {
    fn of(rows: &[Row]) -> Self {
        let count = |holds: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| row.failed.is_none() && holds(row)).count();
        Self {
            rows: rows.len(),
            under: count(&|row| row.ledger > row.predicted.min(row.started)),
            within_3_percent: count(&|row| row.is_within(MOST_PERCENT)),
            within_8_percent: count(&|row| row.is_within(EVERY_PERCENT)),
            failed: rows.iter().filter(|row| row.failed.is_some()).count(),
        }
    }

    const fn keeps_the_promise(self) -> bool {
        self.failed == 0
            && self.under == 0
            && self.within_8_percent == self.rows
            && self.within_3_percent * 100 >= self.rows * MOST_ROWS
    }

    fn words(self) -> String {
        let Self { rows, under, within_3_percent, within_8_percent, failed } = self;
        format!(
            "{rows} rows: {under} under-predicted, {within_3_percent} within {MOST_PERCENT} %, {within_8_percent} \
             within {EVERY_PERCENT} % (or {FULL_SLACK}), {failed} failed"
        )
    }
}

pub(in crate::cli) fn memory(arguments: &BenchMemoryArgs) -> Result<Exit, CliError> {
    let program = std::env::current_exe().map_err(|error| CliError::output(&error))?;
    let folder = tempfile::tempdir().map_err(|error| CliError::output(&error))?;
    let mut rows = Vec::new();
    for reference in &arguments.model {
        let model = request::model(reference)?;
        let cells = cells(arguments, &Vocabulary::of(&model));
        if arguments.csv {
            if rows.is_empty() {
                out::result(Row::CSV)?;
            }
        } else if !arguments.json {
            out::result(format_args!("{} runs of {}, {STEPS} steps each\n{}", cells.len(), model.name, Row::HEAD))?;
        }
        for cell in cells {
            let row = measure(&program, reference, cell, folder.path());
            if arguments.csv {
                out::result(row.csv())?;
            } else if !arguments.json {
                out::result(row.line())?;
            }
            rows.push(row);
        }
    }
    let mut worst: Vec<&Row> = rows.iter().collect();
    worst.sort_by(|a, b| b.badness().cmp(&a.badness()).then(b.error.abs().total_cmp(&a.error.abs())));
    worst.truncate(WORST);
    let summary = Summary::of(&rows);
    let bad = rows.iter().filter(|row| !row.ok).count();
    if arguments.json {
        out::json(&Report { models: &arguments.model, rows: &rows, worst, bad, summary })?;
    } else if !arguments.csv {
        let lines: Vec<String> = worst.iter().map(|row| row.line()).collect();
        out::result(format_args!("\nworst:\n{}\n\n{}", lines.join("\n"), summary.words()))?;
    }
    if arguments.full && !summary.keeps_the_promise() {
        return Err(CliError::new(Exit::Other, summary.words()));
    }
    match bad {
        0 => Ok(Exit::Done),
        _ => Err(CliError::new(Exit::Other, format!("{bad} of {} rows break the promise", rows.len()))),
    }
}

fn cells(arguments: &BenchMemoryArgs, vocabulary: &Vocabulary) -> Vec<Cell> {
    let sizes = match arguments {
        BenchMemoryArgs { quick: true, .. } => &QUICK_SIZES[..],
        BenchMemoryArgs { full: true, .. } => &FULL_SIZES[..],
        _ => &SIZES[..],
    };
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
        model: model.to_owned(),
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

    const CSV: &'static str = "model,width,height,tier,decode,batch,predicted,started,ledger,error,rss,ok,failed";

    fn csv(&self) -> String {
        let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
        let Self { width, height, tier, decode, batch, predicted, started, ledger, error, ok, .. } = self;
        let rss = self.rss.map(|rss| rss.to_string()).unwrap_or_default();
        let (model, failed) = (quoted(&self.model), self.failed.as_deref().map(quoted).unwrap_or_default());
        format!(
            "{model},{width},{height},{tier},{decode},{batch},{predicted},{started},{ledger},{error:.5},{rss},{ok},{failed}"
        )
    }

    /// Whether the prediction lies no further above the ledger than that.
    fn is_within(&self, percent: f64) -> bool {
        self.error.abs() * 100.0 <= percent || Bytes(self.predicted.abs_diff(self.ledger)) <= FULL_SLACK
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
