//! Why a file could not be fetched, and what to do.

use crate::units::Bytes;
use std::io;
use std::path::Path;
use std::time::Duration;

/// Shown as cause, then place: an address or a path. [`DownloadError::hint`] says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{trouble}: {place}")]
pub struct DownloadError {
    pub trouble: Trouble,
    pub place: String,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("stopped; what has arrived is kept")]
    Stopped,
    #[error("the hub cannot be reached ({0})")]
    Unreachable(String),
    #[error("the connection was lost after {0}")]
    Dropped(Bytes),
    #[error("the hub is busy (status {status})")]
    Busy { status: u16, retry_after: Option<Duration> },
    #[error("a licence must be accepted before this can be fetched")]
    Gated { page: String, with_token: bool },
    #[error("the hub does not know this repository, or it is private")]
    Unauthorised { with_token: bool },
    #[error("there is no such file on the hub")]
    Absent,
    #[error("the hub refused (status {0})")]
    Refused(u16),
    #[error("too many redirects, or one to an address that is not safe")]
    Redirects,
    #[error("a web page came instead of the file")]
    WebPage,
    #[error("the hub does not say how long the file is")]
    NoLength,
    #[error("the hub announced {said} bytes and sent {sent}")]
    Length { said: u64, sent: u64 },
    #[error("the file that arrived is not the one that the hub lists: its SHA-256 is {found}, not {wanted}; set aside")]
    Checksum { wanted: String, found: String },
    #[error("the disk has {free} free, {need} are needed")]
    Disk { free: Bytes, need: Bytes },
    #[error("the hub's answer cannot be read")]
    Answer,
    #[error("the disk is full")]
    Full,
    #[error("cannot be written: {0}")]
    Write(String),
}

impl DownloadError {
    pub(super) fn new(trouble: Trouble, place: impl Into<String>) -> Self {
        Self { trouble, place: place.into() }
    }

    pub(super) fn write(error: &io::Error, path: &Path) -> Self {
        let trouble = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Trouble::Full,
            _ => Trouble::Write(error.to_string()),
        };
        Self::new(trouble, path.display().to_string())
    }

    /// Whether trying again may help.
    #[must_use]
    pub const fn passes(&self) -> bool {
        matches!(self.trouble, Trouble::Unreachable(_) | Trouble::Dropped(_) | Trouble::Busy { .. })
    }

    /// One sentence on what to do.
    #[must_use]
    pub fn hint(&self) -> String {
        const TOKEN: &str = "a token is read from HF_TOKEN, or from the file that `hf auth login` writes; the system's \
            keychain is not read";
        match &self.trouble {
            Trouble::Stopped => "the same command goes on where it stopped".to_owned(),
            Trouble::Unreachable(_) => {
                "check the network; a proxy is taken from HTTPS_PROXY, another hub from HF_ENDPOINT".to_owned()
            }
            Trouble::Dropped(_) | Trouble::Busy { .. } => {
                "try again later: the same command goes on where it stopped".to_owned()
            }
            Trouble::Gated { page, with_token: true } => {
                format!("accept the licence at {page} with the account that the token belongs to")
            }
            Trouble::Gated { page, with_token: false } => {
                format!("accept the licence at {page}, then make a token of your account: {TOKEN}")
            }
            Trouble::Unauthorised { with_token: true } => {
                "check the spelling, and that the account of the token may read it".to_owned()
            }
            Trouble::Unauthorised { with_token: false } => format!("check the spelling; if it is private, {TOKEN}"),
            Trouble::Absent => "check the spelling: `headroom models get OWNER/NAME` lists what is there".to_owned(),
            Trouble::Refused(_) | Trouble::Redirects | Trouble::WebPage | Trouble::NoLength | Trouble::Answer => {
                "a proxy or login page of the network may stand in between: open the address in a browser".to_owned()
            }
            Trouble::Length { .. } | Trouble::Checksum { .. } => {
                "try again; where it comes back, the file on the hub or something in between is damaged".to_owned()
            }
            Trouble::Disk { .. } | Trouble::Full => {
                "free some space, or choose a folder on another disk with `--to FOLDER`".to_owned()
            }
            Trouble::Write(_) => "choose another folder with `--to FOLDER`".to_owned(),
        }
    }
}
