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
    #[error("the kept latents are damaged: {0}")]
    DamagedLatents(String),
    #[error("the settings in the picture are of format {0}, which a newer version wrote")]
    NewerFormat(u64),
    #[error("this is no picture that can be read: {0}")]
    NotPicture(String),
    #[error("the picture has {0}x{1} pixels, which is too large")]
    TooLarge(u32, u32),
    #[error("the library is damaged")]
    DamagedLibrary,
    #[error("the library is of version {0}, which a newer version of the program made")]
    NewerLibrary(i64),
    #[error("this is no preset: {0}")]
    NotPreset(String),
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

    /// A readable picture that this program did not draw.
    #[must_use]
    pub(super) const fn is_foreign(&self) -> bool {
        matches!(self.trouble, Trouble::NoRecipe)
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
            Trouble::NoRecipe => "it may have lost its settings on the way, or come from a program that writes none",
            Trouble::DamagedRecipe(_) => "another program may have changed the file: use the original",
            Trouble::DamagedLatents(_) => "draw the picture again from its settings",
            Trouble::NewerFormat(_) | Trouble::NewerLibrary(_) => "update Headroom",
            Trouble::NotPicture(_) => "PNG, JPEG and WebP pictures can be read",
            Trouble::TooLarge(..) => "make it smaller with another program first",
            Trouble::DamagedLibrary => "start again: it is set aside and made anew from the pictures",
            Trouble::NotPreset(_) => "`headroom presets import` names the files that can be read",
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Write { reason: error.trouble.to_string(), path: error.path }
    }
}
