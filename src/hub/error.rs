//! What can be wrong with a model or machine file: cause, path, and what to do.

use crate::job::Failure;
use crate::model::lora::LoraError;
use crate::model::{DetectError, HeaderError, Kind, LayoutError, PickleError, TorchError};
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
    /// A single file that no model starts from, with what it is.
    #[error("this file is {0}")]
    LoneFile(String, Kind),
    #[error("this file is {0}, not a LoRA")]
    NoLora(String),
    /// With how much of it fits and what it is for.
    #[error("nothing of this LoRA belongs to the model: {0}")]
    LoraElsewhere(String),
    #[error("this LoRA cannot be applied: module {module} has {why}")]
    LoraForm { module: String, why: String },
    #[error(transparent)]
    Lora(#[from] LoraError),
    #[error("{missing} is missing")]
    NoCompanion { missing: Missing, searched: Vec<PathBuf> },
    #[error(transparent)]
    Header(#[from] HeaderError),
    #[error(transparent)]
    Detect(#[from] DetectError),
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error(transparent)]
    Torch(#[from] TorchError),
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

/// A part that a denoiser needs and nobody has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    #[error("the text encoder of this denoiser (Qwen3 of width {width})")]
    Qwen3 { width: usize },
    #[error("the tokenizer of the text encoder (Qwen3)")]
    QwenTokenizer,
    #[error("a text encoder of this denoiser (CLIP of width {width})")]
    Clip { width: usize },
    #[error("the vocabulary of the text encoder, which is not CLIP's own,")]
    ClipTokenizer,
    #[error("a text encoder of this denoiser (T5 of width {width})")]
    T5 { width: usize },
    #[error("the tokenizer of the text encoder (T5)")]
    T5Tokenizer,
    #[error("the VAE of this denoiser ({channels} latent channels)")]
    Vae { channels: usize },
}

impl Missing {
    /// What such files are called where they are published.
    const fn called(self) -> &'static str {
        match self {
            Self::Qwen3 { .. } => "qwen_3_4b.safetensors or Qwen3-4B-Q4_K_M.gguf",
            Self::QwenTokenizer => "tokenizer.json; a text encoder in GGUF brings its own",
            Self::Clip { width: 1280 } => "clip_g.safetensors",
            Self::Clip { .. } => "clip_l.safetensors",
            Self::ClipTokenizer => "tokenizer.json, in a folder in diffusers layout",
            Self::T5 { .. } => "t5xxl_fp16.safetensors or t5-v1_1-xxl-encoder-Q4_K_M.gguf",
            Self::T5Tokenizer => "spiece.model or tokenizer.json; a text encoder in GGUF brings its own",
            Self::Vae { channels: 4 } => "vae-ft-mse-840000-ema-pruned.safetensors or sdxl_vae.safetensors",
            Self::Vae { .. } => "ae.safetensors",
        }
    }

    /// The part of the catalogue that is just this.
    #[must_use]
    pub const fn part(self) -> Option<&'static str> {
        match self {
            Self::Qwen3 { width: 2560 } | Self::QwenTokenizer => Some("qwen3-4b-q4_k_m"),
            Self::Clip { width: 768 } => Some("clip-l"),
            Self::T5 { width: 4096 } | Self::T5Tokenizer => Some("t5-xxl-q4_k_m"),
            Self::Vae { channels: 16 } => Some("flux-vae"),
            _ => None,
        }
    }
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

    /// The folder of the file, as it is typed in a command.
    fn folder(&self) -> String {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folder = folder.display().to_string();
        if folder.contains(' ') { format!("\"{folder}\"") } else { folder }
    }

    /// One sentence on what to do.
    #[must_use]
    pub fn hint(&self) -> String {
        match &self.cause {
            Cause::NotFound => "check the spelling of the path".to_owned(),
            Cause::Denied => "give yourself the right to read it, or copy it to a folder of your own".to_owned(),
            Cause::Unreadable(_) => "check that the disk is there and healthy".to_owned(),
            Cause::NotAFile => "name a file or a folder".to_owned(),
            Cause::UnknownName => format!(
                "known models: {}; or give the path of a file, or of a folder in diffusers layout; `headroom models \
                 catalogue` lists what can be fetched",
                super::KNOWN.join(", ")
            ),
            Cause::UnknownMachine => {
                format!("known machines: {}; or give the path of a TOML file", super::machine::names().join(", "))
            }
            Cause::LoneFile(_, kind) => crate::model::place_words(*kind).to_owned(),
            Cause::NoLora(_) | Cause::Lora(LoraError::None) => "name a LoRA file; the model goes before it".to_owned(),
            Cause::LoraElsewhere(_) => "use it with the model that it was made for".to_owned(),
            Cause::LoraForm { .. } | Cause::Lora(_) => "use a plain LoRA or a LoHa in f32, f16 or bf16".to_owned(),
            Cause::NoCompanion { missing, .. } => {
                let hint = format!(
                    "such a file is called like {}; put it beside the model, into text_encoders or vae beside the \
                     model's folder, or name it with `+` behind the model",
                    missing.called()
                );
                match missing.part() {
                    Some(part) => format!("{hint}; `headroom models get {part} --to {}` fetches it", self.folder()),
                    None => hint,
                }
            }
            Cause::Layout(LayoutError::Packed(_)) => "use the model in safetensors (f16, bf16, fp8) or GGUF".to_owned(),
            Cause::Torch(TorchError::Pickle(PickleError::Code(_))) => {
                "delete it, and use the model in safetensors, which cannot hold a program".to_owned()
            }
            Cause::Torch(TorchError::Header(_)) | Cause::Layout(LayoutError::OddShape { .. }) => {
                "download the file again".to_owned()
            }
            Cause::Torch(_) => "use the model in safetensors".to_owned(),
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
