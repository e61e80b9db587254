//! Words for people and for programs: locked handles, one write a message.

use super::error::CliError;
use serde::Serialize;
use std::fmt::Display;
use std::io::{self, Write as _};

/// A result, to stdout.
pub(super) fn result(text: impl Display) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
    match written {
        // Whoever reads has read enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| CliError::output(&error)),
    }
}

/// A result as JSON, to stdout.
pub(super) fn json(value: &impl Serialize) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value).map_err(|error| CliError::output(&error.into()))?;
    result(text)
}

/// Something that is worth knowing, to stderr.
pub(super) fn note(text: impl Display) {
    stderr(format_args!("note: {text}\n"));
}

pub(super) fn error(error: &CliError) {
    stderr(format_args!("error: {}\n", error.message));
    for (index, hint) in error.hints.iter().enumerate() {
        stderr(format_args!("{}hint: {hint}\n", if index == 0 { "\n" } else { "" }));
    }
}

/// To stderr as it is. Where stderr is closed there is nobody to tell.
pub(super) fn stderr(text: impl Display) {
    let mut stderr = io::stderr().lock();
    drop(write!(stderr, "{text}").and_then(|()| stderr.flush()));
}
