//! What can be wrong with a model or machine file: cause, path, and what to do.

use crate::job::Failure;
use crate::model::{DetectError, HeaderError};
use std::io;
use std::path::{Path, PathBuf};

/// Shown as cause, then path; [`HubError::hint`] says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{cause}: {}", path.display())]
pub struct HubError {
    pub cause: Cause,
    pub path: PathBuf,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    #[error("no such file or folder")]
    NotFound,
    #[error("permission denied")]
    Denied,
    #[error("cannot be read: {0}")]
    Unreadable(String),
    #[error("is not a file or a folder")]
    NotAFile,
    #[error("no model has this name")]
    UnknownName,
    #[error("no machine has this name")]
    UnknownMachine,
    /// A single file, with what it holds.
    #[error("this file is {0}, one part of a model")]
    LoneFile(String),
    #[error(transparent)]
    Header(#[from] HeaderError),
    #[error(transparent)]
    Detect(#[from] DetectError),
    #[error("{0} is missing from the model")]
    MissingPart(String),
    #[error("{0}, an architecture that is not supported yet")]
    Unsupported(String),
    #[error("the index names {missing} tensors that {shard} does not hold, {example} among them")]
    IndexMismatch { shard: String, missing: usize, example: String },
    #[error("the JSON is damaged")]
    Json,
    #[error("the file is {0} bytes long, far more than such a file has")]
    TooLarge(u64),
    #[error("{0}")]
    Machine(String),
}

impl HubError {
    #[must_use]
    pub fn new(cause: impl Into<Cause>, path: &Path) -> Self {
        Self { cause: cause.into(), path: path.to_owned() }
    }

    #[must_use]
    pub(super) fn io(error: &io::Error, path: &Path) -> Self {
        let cause = match error.kind() {
            io::ErrorKind::NotFound => Cause::NotFound,
            io::ErrorKind::PermissionDenied => Cause::Denied,
            _ => Cause::Unreadable(error.to_string()),
        };
        Self::new(cause, path)
    }

    /// One sentence on what to do.
    #[must_use]
    pub fn hint(&self) -> String {
        match &self.cause {
            Cause::NotFound => "check the spelling of the path".to_owned(),
            Cause::Denied => "give yourself the right to read it, or copy it to a folder of your own".to_owned(),
            Cause::Unreadable(_) => "check that the disk is there and healthy".to_owned(),
            Cause::NotAFile => "name a file or a folder".to_owned(),
            Cause::UnknownName => {
                format!("known models: {}; or give the path of a folder in diffusers layout", super::KNOWN.join(", "))
            }
            Cause::UnknownMachine => {
                format!("known machines: {}; or give the path of a TOML file", super::machine::names().join(", "))
            }
            Cause::LoneFile(_) => {
                "give the folder in diffusers layout that holds transformer, text_encoder, vae and tokenizer".to_owned()
            }
            Cause::Header(
                HeaderError::Empty
                | HeaderError::Truncated { .. }
                | HeaderError::Trailing { .. }
                | HeaderError::Damaged(_),
            )
            | Cause::IndexMismatch { .. }
            | Cause::Json => "download the file again".to_owned(),
            Cause::Header(HeaderError::NotWeights(_)) => "use a .safetensors or .gguf file".to_owned(),
            Cause::Header(HeaderError::UnknownType { .. } | HeaderError::NeedMore(_)) => {
                "use the model in f32, f16 or bf16".to_owned()
            }
            Cause::Detect(DetectError::Missing(_)) | Cause::MissingPart(_) => {
                "download the whole model: transformer, text_encoder, vae, tokenizer and scheduler".to_owned()
            }
            Cause::Detect(_) => "check that all parts come from the same model".to_owned(),
            Cause::Unsupported(_) => "use a model of the Z-Image or Stable Diffusion families".to_owned(),
            Cause::TooLarge(_) => "check that the name belongs to the right file".to_owned(),
            Cause::Machine(_) => "see the machine files in assets/machines for the shape".to_owned(),
        }
    }
}

impl From<HubError> for Failure {
    fn from(error: HubError) -> Self {
        Self::Model { reason: error.cause.to_string(), path: error.path }
    }
}
