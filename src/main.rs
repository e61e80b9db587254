//! Starts the program: log, panic hook and arguments in `cli`, then a subcommand or the window.

use std::process::ExitCode;

fn main() -> ExitCode {
    headroom::cli::start(window)
}

/// What happens without a subcommand.
fn window() -> ExitCode {
    // Wired to `headroom::app::run` where the window is merged.
    ExitCode::FAILURE
}
