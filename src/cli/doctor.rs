//! `doctor`: what the probes see of this computer, and what they cannot.

use super::computer::Computer;
use super::error::{CliError, Exit};
use super::json::unknown_name;
use super::{here, out, output};
use crate::ledger::{self, Pool};
use crate::machine::{Gpu, GpuKind, Machine, Os, Overflow, Reading};
use crate::probe::{self, linux::Root};
use crate::store;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn run(json: bool) -> Result<Exit, CliError> {
    let place = output::place(None)?;
    let machine = here::machine(place.folder());
    let runs = Computer::new(machine.cpu.threads, true, None).spread();
    let report = report(&machine, place.folder(), runs);
    if json {
        out::json(&report)?;
    } else {
        out::result(words(&machine, place.folder(), runs))?;
    }
    Ok(Exit::Done)
}

/// Why the processor draws, whatever cards there are.
const DRAWS_ON: &str = "this version computes on no graphics card, it plans for them (--machine)";

/// Runs that are remembered, and how far their predictions were off in percent.
type Spread = Option<(usize, f64, f64)>;

/// A number of bytes, or why there is none.
fn reading(reading: Reading) -> Value {
    match reading {
        Reading::Known(bytes) => json!(bytes.get()),
        Reading::Unknown(why) => json!({ "unknown": unknown_name(why) }),
    }
}

fn report(machine: &Machine, pictures: &Path, runs: Spread) -> Value {
    let held = probe::gpu_held();
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "os": os_name(machine.os),
        "draws_on": { "device": "cpu", "why": DRAWS_ON },
        "cpu": { "threads": machine.cpu.threads, "gflops": machine.cpu.gflops },
        "ram": { "total": reading(machine.ram.total), "available": reading(machine.ram.available) },
        "commit": machine.commit.map(|commit| json!({
            "limit": reading(commit.limit),
            "charged": reading(commit.charged),
            "growth": reading(commit.growth),
        })),
        "swap": (machine.os == Os::Linux).then(|| {
            let (total, free) = Root::system().swap();
            json!({ "total": reading(total), "free": reading(free), "stalled_percent": Root::system().stalled() })
        }),
        "cgroup": machine.cgroup.map(|group| json!({ "limit": group.limit.get(), "used": group.used.get() })),
        "disk": { "free": reading(machine.disk_free) },
        "gpus": machine.gpus.iter().map(gpu).collect::<Vec<_>>(),
        "process": {
            "ledger": ledger::live(Pool::Host).get(),
            "rss": reading(probe::rss()),
            "private": reading(probe::private()),
            "gpu_dedicated": reading(held.dedicated),
            "gpu_shared": reading(held.shared),
        },
        "predictions": runs.map(|(count, low, high)| json!({ "runs": count, "low_percent": low, "high_percent": high })),
        "pictures": pictures.to_string_lossy(),
        "data": store::data_folder().to_string_lossy(),
        "settings": store::settings_file().to_string_lossy(),
    })
}

fn gpu(gpu: &Gpu) -> Value {
    json!({
        "name": gpu.name,
        "kind": kind_name(gpu.kind),
        "total": reading(gpu.total),
        "free": reading(gpu.free),
        "shared": reading(gpu.shared),
        "overflow": overflow_name(gpu.overflow),
        "gflops": gpu.gflops,
    })
}

const fn os_name(os: Os) -> &'static str {
    match os {
        Os::Windows => "windows",
        Os::Linux => "linux",
        Os::Macos => "macos",
    }
}

const fn kind_name(kind: GpuKind) -> &'static str {
    match kind {
        GpuKind::Discrete => "discrete",
        GpuKind::Unified => "unified",
    }
}

const fn overflow_name(overflow: Overflow) -> &'static str {
    match overflow {
        Overflow::Fails => "fails",
        Overflow::Spills => "spills",
    }
}

fn words(machine: &Machine, pictures: &Path, runs: Spread) -> String {
    let mut lines = Vec::new();
    let mut line = |name: &str, value: String| lines.push(format!("{name:<20}{value}"));
    let known = |reading: Reading| match reading {
        Reading::Known(bytes) => bytes.to_string(),
        Reading::Unknown(why) => format!("unknown ({})", unknown_name(why).replace('_', " ")),
    };
    line("version", format!("{} on {}", env!("CARGO_PKG_VERSION"), os_name(machine.os)));
    line("memory", format!("{} available of {}", known(machine.ram.available), known(machine.ram.total)));
    if machine.os == Os::Linux {
        let (total, free) = Root::system().swap();
        line("swap", format!("{} free of {}, which no plan counts with", known(free), known(total)));
        if let Some(share) = Root::system().stalled() {
            line("memory pressure", format!("{share:.1} % of the last ten seconds stood still"));
        }
    }
    match machine.cgroup {
        Some(group) => line("control group", format!("{} used of {}", group.used, group.limit)),
        None => line("control group", "no limit".to_owned()),
    }
    if let Some(commit) = machine.commit {
        let growth = known(commit.growth);
        line("commit", format!("{} charged of {}, may grow by {growth}", known(commit.charged), known(commit.limit)));
    }
    line("room for a job", known(machine.host_room()));
    let speed = machine.cpu.gflops.map_or_else(|| "speed unknown".to_owned(), |speed| format!("{speed:.0} GFLOP/s"));
    line("draws on", format!("the processor: {DRAWS_ON}"));
    line("processor", format!("{} threads, {speed}", machine.cpu.threads));
    if machine.gpus.is_empty() {
        line("graphics", "no graphics card is seen".to_owned());
    }
    for gpu in &machine.gpus {
        let (free, total) = (known(gpu.free), known(gpu.total));
        line("graphics", format!("{}, {}, {free} free of {total}", gpu.name, kind_name(gpu.kind)));
    }
    line("this process", format!("{} held, {} resident", ledger::live(Pool::Host), known(probe::rss())));
    line(
        "predictions",
        match runs {
            Some((count, low, high)) => {
                let runs = if count == 1 { "last run".to_owned() } else { format!("last {count} runs") };
                format!("{runs}: {low:+.1} .. {high:+.1} %")
            }
            None => "no run yet".to_owned(),
        },
    );
    line("disk", format!("{} free", known(machine.disk_free)));
    line("pictures", pictures.display().to_string());
    line("data", store::data_folder().display().to_string());
    line("settings", store::settings_file().display().to_string());
    lines.join("\n")
}
