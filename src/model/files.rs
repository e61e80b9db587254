//! Where the bytes of a model lie: data only, whoever reads them brings the file system.

use super::header::TensorTable;
use super::inventory::{ComponentKind, Inventory};
use super::lora::Lora;
use crate::units::Bytes;
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

/// Linear map from a latent position to a colour in -1..1, fitted to a VAE: one row a channel.
#[derive(Clone, Debug, PartialEq)]
pub struct LatentRgb {
    pub factors: Vec<[f32; 3]>,
    pub bias: [f32; 3],
}

impl LatentRgb {
    /// From the key `latent_rgb_factors` of a VAE's config: a row a channel and a last one for the bias.
    #[must_use]
    pub fn from_config(config: &super::json::Value) -> Option<Self> {
        let rows = config.get("latent_rgb_factors")?.as_array()?;
        let mut factors = Vec::with_capacity(rows.len());
        for row in rows {
            let [r, g, b] = row.as_array()? else { return None };
            factors.push([r.as_f64()? as f32, g.as_f64()? as f32, b.as_f64()? as f32]);
        }
        let bias = factors.pop()?;
        Some(Self { factors, bias })
    }
}

/// What splits a prompt into tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenizerFiles {
    /// One file that says everything: `tokenizer.json`.
    File(FileRef),
    /// `vocab.json` and `merges.txt`, as CLIP's tokenizers are kept.
    Merges { vocabulary: FileRef, merges: FileRef },
    /// CLIP's own vocabulary, which the program has inside.
    Clip,
}

impl TokenizerFiles {
    /// What the vocabulary inside counts as, beside files of this length.
    pub const CLIP_BYTES: Bytes = Bytes::kib(1536);
    /// Tokens of the vocabulary inside.
    pub const CLIP_TOKENS: usize = 49_408;

    #[must_use]
    pub fn files(&self) -> Vec<&FileRef> {
        match self {
            Self::File(file) => vec![file],
            Self::Merges { vocabulary, merges } => vec![vocabulary, merges],
            Self::Clip => Vec::new(),
        }
    }

    /// For messages.
    #[must_use]
    pub fn display(&self) -> PathBuf {
        match self {
            Self::File(file) | Self::Merges { vocabulary: file, .. } => file.display(),
            Self::Clip => PathBuf::from("(built in) CLIP vocabulary"),
        }
    }
}

/// The files of one text encoder.
#[derive(Clone, Debug)]
pub struct TextFiles {
    pub shards: Vec<Shard>,
    pub tokenizer: TokenizerFiles,
}

/// A `LoRA` file that counts beside a model's weights.
#[derive(Clone, Debug)]
pub struct LoraFile {
    pub file: FileRef,
    /// What it changes.
    pub lora: Arc<Lora>,
    /// What its changes are multiplied with, beside what the file says itself.
    pub weight: f32,
}

/// Everything that an engine needs to load a model.
#[derive(Clone, Debug)]
pub struct ModelFiles {
    pub inventory: Arc<Inventory>,
    /// As many as the inventory has text encoders, in the same order.
    pub text_encoders: Vec<TextFiles>,
    pub denoiser: Vec<Shard>,
    pub vae: Vec<Shard>,
    /// Colours for previews, where the model brings them.
    pub latent_rgb: Option<LatentRgb>,
    /// None of them has weight zero.
    pub loras: Vec<LoraFile>,
}

impl ModelFiles {
    /// The weight files of a part; none where the model has no such part.
    #[must_use]
    pub fn shards(&self, kind: ComponentKind) -> &[Shard] {
        match kind {
            ComponentKind::Denoiser => &self.denoiser,
            ComponentKind::Vae => &self.vae,
            text => match text.text_index().and_then(|index| self.text_encoders.get(index)) {
                Some(files) => &files.shards,
                None => &[],
            },
        }
    }
}
