//! The program without a window: every number that the window shows, and every picture, from a command line.
//!
//! Results go to stdout, progress and notes to stderr. An error says what failed, its cause, then the path, and what
//! to do; the exit code says which kind it was ([`Exit`]).

mod args;
mod bench;
pub(crate) mod computer;
#[cfg(windows)]
mod console;
mod doctor;
mod error;
mod generate;
mod get;
mod here;
mod inspect;
mod interrupt;
mod json;
mod models;
mod out;
mod output;
mod plan;
mod presets;
mod progress;
mod request;
mod text;
mod worker;

pub use args::Cli;
pub use error::{CliError, Exit};

use crate::ledger;
use args::{BenchCommand, Command, ModelsCommand, PresetsCommand};
use clap::Parser as _;
use std::backtrace::{Backtrace, BacktraceStatus};
use std::panic;
use std::path::PathBuf;
use std::process::ExitCode;

/// Reads the arguments and does what they say. Without a subcommand `window` does, with the files that are named.
pub fn start(window: impl FnOnce(Vec<PathBuf>) -> ExitCode) -> ExitCode {
    // Before anything large is allocated.
    ledger::return_freed_memory();
    #[cfg(windows)]
    console::attach();
    log();
    let arguments = match Cli::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help goes to stdout and is no error. Where nobody listens, nothing is lost.
            drop(error.print());
            return if error.use_stderr() { Exit::Usage.code() } else { Exit::Done.code() };
        }
    };
    let Some(command) = arguments.command else { return window(arguments.files) };
    match run(command) {
        Ok(exit) => exit.code(),
        Err(error) => {
            out::error(&error);
            error.exit.code()
        }
    }
}

/// Tells that there is no window, where a person can see it: at a double click nobody reads stderr.
pub fn no_window(told: &str) {
    tracing::error!("{told}");
    #[cfg(windows)]
    console::alert(told);
}

fn run(command: Command) -> Result<Exit, CliError> {
    match command {
        Command::Generate(arguments) => generate::run(&arguments),
        Command::Plan(arguments) => plan::run(&arguments),
        Command::Fitmap(arguments) => plan::fitmap(&arguments),
        Command::Inspect(arguments) => inspect::run(&arguments),
        Command::Models(ModelsCommand::List(arguments)) => models::list(arguments.json),
        Command::Models(ModelsCommand::Get(arguments)) => get::run(&arguments),
        Command::Models(ModelsCommand::Catalogue(arguments)) => get::list(&arguments),
        Command::Presets(PresetsCommand::List(arguments)) => presets::list(arguments.json),
        Command::Presets(PresetsCommand::Import(arguments)) => presets::import(&arguments),
        Command::Presets(PresetsCommand::Export(arguments)) => presets::export(&arguments),
        Command::Doctor(arguments) => doctor::run(arguments.json),
        Command::Bench(BenchCommand::Memory(arguments)) => bench::memory(&arguments),
        Command::Bench(BenchCommand::Speed(arguments)) => bench::speed(&arguments),
        Command::Worker(arguments) => worker::run(arguments),
    }
}

/// Log lines go to stderr, by `RUST_LOG`; a panic is logged before anything else happens to it.
fn log() {
    use tracing_subscriber::EnvFilter;
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_unset| EnvFilter::new("warn"));
    // A second start in one process (a test) keeps the first log.
    drop(tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).try_init());
    panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            tracing::error!("{panic}\n{backtrace}");
        } else {
            tracing::error!("{panic}");
        }
    }));
}
