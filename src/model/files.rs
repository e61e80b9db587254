//! Where the bytes of a model lie: data only, whoever reads them brings the file system.

use super::header::TensorTable;
use super::inventory::{ComponentKind, Inventory};
use std::path::PathBuf;
use std::sync::Arc;

/// A file on disk, or one inside the program.
#[derive(Clone, PartialEq, Eq)]
pub enum FileRef {
    Path(PathBuf),
    Embedded { name: &'static str, bytes: &'static [u8] },
}

impl FileRef {
    /// For messages: the path, or the name of the embedded file.
    #[must_use]
    pub fn display(&self) -> PathBuf {
        match self {
            Self::Path(path) => path.clone(),
            Self::Embedded { name, .. } => PathBuf::from(format!("(built in) {name}")),
        }
    }
}

impl std::fmt::Debug for FileRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FileRef({})", self.display().display())
    }
}

/// One weight file with its table, whose offsets are those of this file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shard {
    pub file: FileRef,
    pub table: TensorTable,
}

/// Everything that an engine needs to load a model.
#[derive(Clone, Debug)]
pub struct ModelFiles {
    pub inventory: Arc<Inventory>,
    pub text_encoder: Vec<Shard>,
    pub denoiser: Vec<Shard>,
    pub vae: Vec<Shard>,
    /// `tokenizer.json` of the text encoder.
    pub tokenizer: FileRef,
}

impl ModelFiles {
    #[must_use]
    pub fn shards(&self, kind: ComponentKind) -> &[Shard] {
        match kind {
            ComponentKind::TextEncoder => &self.text_encoder,
            ComponentKind::Denoiser => &self.denoiser,
            ComponentKind::Vae => &self.vae,
        }
    }
}
