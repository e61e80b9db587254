//! Starts the program: log, panic hook and arguments in `cli`, then a subcommand or the window.

#![cfg_attr(windows, windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    headroom::cli::start(window)
}

/// What happens without a subcommand.
fn window() -> ExitCode {
    match headroom::app::start() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            headroom::cli::no_window(&headroom::app::told(&error));
            ExitCode::FAILURE
        }
    }
}
