//! Starts the program: log, panic hook and arguments in `cli`, then a subcommand or the window.

#![cfg_attr(windows, windows_subsystem = "windows")]

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let begun = Instant::now();
    headroom::cli::start(|files| window(files, begun))
}

/// What happens without a subcommand.
fn window(files: Vec<PathBuf>, begun: Instant) -> ExitCode {
    match headroom::app::start(files, begun) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            headroom::cli::no_window(&headroom::app::told(&error));
            ExitCode::FAILURE
        }
    }
}
