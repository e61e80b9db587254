//! This computer: what the probes see, and how fast it computes.

use super::{computer, out};
use crate::engine;
use crate::ledger;
use crate::machine::Machine;
use crate::probe;
use crate::store::{self, Settings};
use crate::units::Bytes;
use std::path::Path;
use std::time::Duration;

/// How long the first start measures the processor's throughput.
const CALIBRATION: Duration = Duration::from_millis(500);

/// The machine as it is now. `folder` is where pictures go.
pub(super) fn machine(folder: &Path) -> Machine {
    let mut machine = probe::survey(folder);
    machine.cpu.gflops = gflops(machine.cpu.threads);
    machine.held = ledger::live(ledger::Pool::Host);
    machine
}

/// What this process and the one that draws hold before a run starts: not what a window would take.
pub(super) fn runtime() -> Bytes {
    ledger::live(ledger::Pool::Host) + computer::fresh(computer::in_process(&settings()))
}

/// The settings, defaults where there are none. A damaged file is set aside with a note.
pub(super) fn settings() -> Settings {
    match Settings::load(&store::settings_file()) {
        Ok(loaded) => {
            if let Some(backup) = loaded.set_aside {
                out::note(format_args!("the settings were damaged and are kept as {}", backup.display()));
            }
            loaded.settings
        }
        Err(error) => {
            tracing::warn!(%error, "the settings cannot be read");
            Settings::default()
        }
    }
}

/// Throughput of the processor, measured at the first start and remembered.
fn gflops(threads: usize) -> Option<f64> {
    let mut settings = settings();
    if settings.gflops.is_some() {
        return settings.gflops;
    }
    let measured = engine::calibrate(threads, CALIBRATION);
    match measured {
        Ok(gflops) => {
            settings.gflops = Some(gflops);
            if let Err(error) = settings.save(&store::settings_file()) {
                // Measured again next time: nothing is lost but half a second.
                tracing::info!(%error, "the settings cannot be written");
            }
            Some(gflops)
        }
        Err(error) => {
            tracing::warn!(%error, "the processor's throughput could not be measured");
            None
        }
    }
}

/// Remembers the throughput that a run taught.
pub(super) fn learn(gflops: f64) {
    let file = store::settings_file();
    let Ok(loaded) = Settings::load(&file) else { return };
    let mut settings = loaded.settings;
    settings.gflops = Some(gflops);
    if let Err(error) = settings.save(&file) {
        tracing::info!(%error, "the settings cannot be written");
    }
}
