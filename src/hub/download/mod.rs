//! Fetches model files from a hub that speaks as Hugging Face does.
//!
//! A file's length and SHA-256 come from the hub's own answer and are checked against what arrives. Bytes go to a part
//! file beside the target, named after the version that they belong to, and get the target's name when they are whole
//! and right. A stop, a drop or a crash leaves the part file, from which the next try goes on. The token is sent to the
//! hub's own address alone.

mod access;
mod error;
mod hub;
mod preview;
mod transfer;

pub use access::{Access, ENDPOINT, Pace};
pub use error::{DownloadError, Trouble};
pub use hub::{Hub, Listed, Remote};
pub use preview::preview;
pub use transfer::{Progress, Survey, fetch, survey};

use std::path::PathBuf;

/// A file of a repository, at its newest version.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RepoFile {
    /// `owner/name`.
    pub repo: String,
    /// Inside the repository, with `/`.
    pub path: String,
}

impl RepoFile {
    #[must_use]
    pub fn new(repo: &str, path: &str) -> Self {
        Self { repo: repo.to_owned(), path: path.to_owned() }
    }

    /// `owner/name:path`. `None` where it is not written so, or leads out of its place.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (repo, path) = text.split_once(':')?;
        let plain = |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains('\\');
        (is_repo(repo) && path.split('/').all(plain)).then(|| Self::new(repo, path))
    }

    /// The file's own name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }
}

/// Whether a text is written like `owner/name`.
#[must_use]
pub fn is_repo(text: &str) -> bool {
    let good = |part: &str| {
        let known = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        !part.is_empty() && !part.starts_with('.') && part.chars().all(known)
    };
    text.split_once('/').is_some_and(|(owner, name)| good(owner) && good(name))
}

/// A file and where it is to lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub file: RepoFile,
    pub target: PathBuf,
}
