//! How a subcommand ends: the exit codes, and errors as people read them.

use crate::hub::HubError;
use crate::job::Failure;
use crate::store::StoreError;
use std::process::ExitCode;

/// Why the program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    /// Anything that has no code of its own.
    Other = 1,
    Usage = 2,
    /// Does not fit.
    Refused = 3,
    /// A bad or unreadable model or input file.
    BadFile = 4,
    Cancelled = 5,
    /// Stopped by the guard.
    Guard = 6,
}

impl Exit {
    #[must_use]
    pub fn code(self) -> ExitCode {
        ExitCode::from(self as u8)
    }
}

/// What failed, its cause, then the path; and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CliError {
    pub exit: Exit,
    pub message: String,
    pub hints: Vec<String>,
}

impl CliError {
    pub(super) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hints: Vec::new() }
    }

    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// A model or machine that could not be opened.
    pub(super) fn open(what: &str, error: &HubError) -> Self {
        Self::new(Exit::BadFile, format!("cannot open the {what}: {error}")).hint(error.hint())
    }

    pub(super) fn write(error: &StoreError) -> Self {
        Self::new(Exit::Other, format!("cannot write the picture: {error}")).hint(error.hint())
    }

    /// Output that could not be written: a closed pipe, a full disk behind it.
    pub(super) fn output(error: &std::io::Error) -> Self {
        Self::new(Exit::Other, format!("cannot write the result: {error}"))
    }

    /// Why a job ended without its pictures. A refusal is told with its plan instead.
    pub(super) fn failure(failure: &Failure) -> Self {
        match failure {
            Failure::Cancelled => Self::new(Exit::Cancelled, "cancelled"),
            Failure::Refused => Self::new(Exit::Refused, failure.to_string()),
            Failure::Guard { phase, pool, live, planned } => Self::new(
                Exit::Guard,
                format!(
                    "stopped by the memory guard in `{}`: {live} of {} memory held, {planned} planned",
                    phase.name(),
                    pool.name()
                ),
            )
            .hint("close other programs, or choose a smaller size or `--tier phased`"),
            Failure::Model { .. } => Self::new(Exit::BadFile, failure.to_string())
                .hint("check the model with `headroom inspect`, and download it again where it is damaged"),
            Failure::Device { .. } => Self::usage(failure.to_string()).hint("use `--device cpu`"),
            Failure::NotANumber { phase } => {
                Self::new(Exit::Other, format!("the model produced values that are not numbers in `{}`", phase.name()))
                    .hint("the weights may be damaged: check them with `headroom inspect`")
            }
            Failure::Write { .. } => {
                Self::new(Exit::Other, failure.to_string()).hint("choose another folder with `-o FOLDER/`")
            }
            Failure::Crash { .. } => {
                Self::new(Exit::Other, failure.to_string()).hint("this is a bug: please report it with the lines above")
            }
        }
    }
}
