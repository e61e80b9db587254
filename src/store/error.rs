//! Why something could not be kept or read back.

use crate::job::Failure;
use std::io;
use std::path::{Path, PathBuf};

/// Shown as cause, then path; [`StoreError::hint`] says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{trouble}: {}", path.display())]
pub struct StoreError {
    pub trouble: Trouble,
    pub path: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Trouble {
    #[error("no such file or folder")]
    NotFound,
    #[error("permission denied")]
    Denied,
    #[error("the file system can only be read")]
    ReadOnly,
    #[error("the disk is full")]
    Full,
    #[error("a file stands where a folder should be")]
    NotAFolder,
    #[error("a folder stands where the file should be")]
    IsAFolder,
    #[error("the name is not valid here")]
    BadName,
    #[error("{0}")]
    Other(String),
    #[error("this is no readable PNG: {0}")]
    NotPng(String),
    #[error("the picture carries no settings of this program")]
    NoRecipe,
    #[error("the settings in the picture are damaged: {0}")]
    DamagedRecipe(String),
    #[error("the settings in the picture are of format {0}, which a newer version wrote")]
    NewerFormat(u64),
}

impl StoreError {
    #[must_use]
    pub fn new(trouble: Trouble, path: &Path) -> Self {
        Self { trouble, path: path.to_owned() }
    }

    #[must_use]
    pub(super) fn io(error: &io::Error, path: &Path) -> Self {
        let trouble = match error.kind() {
            io::ErrorKind::NotFound => Trouble::NotFound,
            io::ErrorKind::PermissionDenied => Trouble::Denied,
            io::ErrorKind::ReadOnlyFilesystem => Trouble::ReadOnly,
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Trouble::Full,
            io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => Trouble::NotAFolder,
            io::ErrorKind::IsADirectory => Trouble::IsAFolder,
            io::ErrorKind::InvalidFilename | io::ErrorKind::InvalidInput => Trouble::BadName,
            _ => Trouble::Other(error.to_string()),
        };
        Self::new(trouble, path)
    }

    /// One sentence on what to do.
    #[must_use]
    pub const fn hint(&self) -> &'static str {
        match self.trouble {
            Trouble::NotFound => "check the spelling of the path",
            Trouble::Denied | Trouble::ReadOnly | Trouble::NotAFolder | Trouble::IsAFolder => {
                "choose another folder, for example with `-o FOLDER/`"
            }
            Trouble::Full => "free some space, or choose a folder on another disk",
            Trouble::BadName => "choose a shorter or simpler name",
            Trouble::Other(_) => "check that the disk is there and healthy",
            Trouble::NotPng(_) => "only PNG pictures can be read",
            Trouble::NoRecipe => "only pictures drawn by this program remember their settings exactly",
            Trouble::DamagedRecipe(_) => "another program may have changed the file: use the original",
            Trouble::NewerFormat(_) => "update Headroom",
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Write { reason: error.trouble.to_string(), path: error.path }
    }
}
