//! How a subcommand ends: the exit codes, and errors as people read them.

use crate::hub::HubError;
use crate::hub::download::{DownloadError, Trouble};
use crate::job::{Cause, Death, Failure};
use crate::planner::Phase;
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

    /// A picture to start from that could not be opened.
    pub(super) fn picture(error: &StoreError) -> Self {
        Self::new(Exit::BadFile, format!("cannot open the picture to start from: {error}")).hint(error.hint())
    }

    /// A file that could not be fetched.
    pub(super) fn download(error: &DownloadError) -> Self {
        let exit = match error.trouble {
            Trouble::Stopped => Exit::Cancelled,
            Trouble::Checksum { .. } | Trouble::Length { .. } => Exit::BadFile,
            _ => Exit::Other,
        };
        Self::new(exit, format!("cannot fetch: {error}")).hint(error.hint())
    }

    /// Output that could not be written: a closed pipe, a full disk behind it.
    pub(super) fn output(error: &std::io::Error) -> Self {
        Self::new(Exit::Other, format!("cannot write the result: {error}"))
    }

    /// The drawing process is gone: what the system did, what it held, and what the plan had said.
    fn died(death: &Death) -> Self {
        let Death { cause, phase, live, planned, words } = death;
        let what = match cause {
            Cause::Killed => "was ended from outside, most often by the system when memory runs out".to_owned(),
            Cause::Allocation(bytes) => format!("asked for {bytes} more memory and was refused"),
            Cause::Commit => "got no more memory promised by the system".to_owned(),
            Cause::Fault => "touched memory that is not there: a fault of a driver or of this program".to_owned(),
            Cause::Aborted => "gave up".to_owned(),
            Cause::Signal(signal) => format!("was ended by signal {signal}"),
            Cause::Code(code) => format!("ended with code {code}"),
        };
        let phase = phase.map_or("its start", Phase::name);
        let mut message = format!("the drawing process {what}, in `{phase}`: {live} held, {planned} planned");
        if !words.is_empty() && !matches!(cause, Cause::Allocation(_)) {
            message = format!("{message}; its last words: {words}");
        }
        let exit = if cause.of_memory() { Exit::Guard } else { Exit::Other };
        Self::new(exit, message).hint(if cause.of_memory() {
            "close other programs, or choose a smaller size or `--tier streamed`"
        } else {
            "try again; where it comes back, please report it with the lines above"
        })
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
            Failure::OutOfMemory { phase, pool, bytes } => Self::new(
                Exit::Guard,
                format!("out of {} memory in `{}`: {bytes} more were asked for", pool.name(), phase.name()),
            )
            .hint("choose a smaller size, `--decode tiled` or `--tier streamed`"),
            Failure::Spilled { phase, shared } => Self::new(
                Exit::Guard,
                format!(
                    "stopped in `{}`: the driver moved {shared} of the graphics card's memory into the host's",
                    phase.name()
                ),
            )
            .hint("close other programs that use the card, or choose a smaller size or `--tier streamed`"),
            Failure::Died(death) => Self::died(death),
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
