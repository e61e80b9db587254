//! A model that starts from one file: a denoiser, whose companions are in the file too or are found.

mod flux;
mod stable_diffusion;
mod z_image;

use super::companions::{Found, Places, Vocabulary};
use super::error::{Cause, HubError, Missing};
use super::reader::{self, Inspected, is_denoiser};
use super::set::FileSet;
use crate::model::json::{self, Value};
use crate::model::layout::{Network, Part};
use crate::model::{self, ClipParts, FileRef, Kind, ModelFiles, TensorTable, TextFiles, TokenizerFiles};
use crate::units::Bytes;
use std::path::{Path, PathBuf};

/// No config is longer.
const MAX_CONFIG: u64 = 1 << 20;
/// Token embeddings of CLIP: rows are words, columns the width.
const CLIP_WORDS: &str = "text_model.embeddings.token_embedding.weight";

/// Opens the model whose denoiser is in `path`, with `named` files as the first companions to try.
pub(super) fn open(path: &Path, named: &[PathBuf]) -> Result<ModelFiles, HubError> {
    let inspected = reader::inspect(path)?;
    let contents = &inspected.contents;
    if !matches!(contents.kind, Kind::Checkpoint | Kind::Denoiser) {
        return Err(HubError::new(Cause::LoneFile(inspected.summary(), contents.kind), path));
    }
    let set = FileSet::open(path)?;
    let Some(denoiser) = contents.parts.iter().find(|part| is_denoiser(part)) else {
        return Err(HubError::new(Cause::LoneFile(inspected.summary(), Kind::Unknown), path));
    };
    let missing = denoiser.missing();
    if !missing.is_empty() {
        return Err(HubError::new(model::DetectError::Missing(missing), path));
    }
    let mut parts =
        Parts { own: Found { set, part: denoiser.clone() }, inspected: &inspected, path, named, places: None };
    match denoiser.network {
        Network::Flux => flux::open(&mut parts),
        Network::ZImage => z_image::open(&mut parts),
        Network::Unet => stable_diffusion::open(&mut parts),
        _ => Err(HubError::new(Cause::Unsupported(inspected.kind_words()), path)),
    }
}

/// What a model is put together from.
struct Parts<'a> {
    own: Found,
    inspected: &'a Inspected,
    path: &'a Path,
    named: &'a [PathBuf],
    /// Looked through only where the file itself does not hold everything.
    places: Option<Places>,
}

impl Parts<'_> {
    fn places(&mut self) -> &mut Places {
        self.places.get_or_insert_with(|| Places::new(self.path, self.named))
    }

    /// The network that fits, from the file itself or from its companions.
    fn network(&mut self, missing: Missing, fits: impl Fn(&Part) -> bool) -> Result<Found, HubError> {
        if let Some(part) = self.inspected.contents.parts.iter().find(|part| fits(part)) {
            return Ok(Found { set: self.own.set.clone(), part: part.clone() });
        }
        let found = self.places().network(fits);
        let found = found.ok_or_else(|| self.lacks(missing))?;
        let missing = found.part.missing();
        if missing.is_empty() {
            return Ok(found);
        }
        let path = found.set.files.first().map_or(self.path, PathBuf::as_path);
        Err(HubError::new(model::DetectError::Missing(missing), path))
    }

    fn tokenizer(&mut self, encoder: &FileSet, missing: Missing, vocabulary: &Vocabulary) -> Result<FileRef, HubError> {
        let found = self.places().tokenizer(encoder, vocabulary);
        found.ok_or_else(|| self.lacks(missing))
    }

    /// The VAE for latents of so many channels.
    fn vae(&mut self, channels: usize) -> Result<Found, HubError> {
        self.network(Missing::Vae { channels }, |part| {
            part.network == Network::Vae && dimension(part, "decoder.conv_in.weight", 1) == Some(channels)
        })
    }

    /// The CLIP of a width, with the words that the program has inside.
    fn clip(&mut self, width: usize) -> Result<Found, HubError> {
        let found = self.network(Missing::Clip { width }, |part| {
            part.network == Network::Clip && dimension(part, CLIP_WORDS, 1) == Some(width)
        })?;
        self.check_words(&found.part)?;
        Ok(found)
    }

    fn check_words(&mut self, clip: &Part) -> Result<(), HubError> {
        let own = dimension(clip, CLIP_WORDS, 0) == Some(TokenizerFiles::CLIP_TOKENS);
        if own { Ok(()) } else { Err(self.lacks(Missing::ClipTokenizer)) }
    }

    fn lacks(&mut self, missing: Missing) -> HubError {
        let searched = self.places().searched();
        HubError::new(Cause::NoCompanion { missing, searched }, self.path)
    }
}

/// The config that lies beside a file in a folder of diffusers or transformers, if it is of this class.
fn config_beside(set: &FileSet, key: &str, value: &str) -> Value {
    let config = set.files.first().and_then(|file| {
        let bytes = reader::read_small(&FileRef::Path(file.with_file_name("config.json")), MAX_CONFIG).ok()?;
        json::parse(std::str::from_utf8(&bytes).ok()?)
    });
    config.filter(|config| config.get(key).and_then(Value::as_str) == Some(value)).unwrap_or(Value::Null)
}

/// The numbers that a GGUF file of a language model has in its metadata, under the names of its config.
fn gguf_config(table: &TensorTable) -> Option<Value> {
    let number = |suffix: &str| {
        let (_, text) = table.metadata.iter().find(|(key, _)| key.ends_with(suffix))?;
        text.parse().ok().map(Value::Number)
    };
    let entries = [("rope_theta", ".rope.freq_base"), ("rms_norm_eps", ".attention.layer_norm_rms_epsilon")];
    let found: Vec<(String, Value)> =
        entries.iter().filter_map(|(key, suffix)| Some(((*key).to_owned(), number(suffix)?))).collect();
    (!found.is_empty()).then_some(Value::Object(found))
}

fn length(file: &FileRef) -> Bytes {
    match file {
        FileRef::Embedded { bytes, .. } => Bytes(bytes.len() as u64),
        // Of a GGUF file only its header is read for the tokens, which is never longer than this.
        FileRef::Path(path) => Bytes(std::fs::metadata(path).map_or(0, |found| found.len())).min(Bytes::mib(16)),
    }
}

/// The name for display and metadata: of the file, never of its folder.
fn name_of(path: &Path) -> String {
    path.file_stem().map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn dimension(part: &Part, name: &str, at: usize) -> Option<usize> {
    part.table.get(name).and_then(|tensor| tensor.shape.get(at)).copied()
}

/// A CLIP with CLIP's own vocabulary, as the detection takes it.
fn clip_parts(found: &Found) -> ClipParts {
    ClipParts {
        table: found.part.table.clone(),
        config: config_beside(&found.set, "model_type", "clip_text_model"),
        tokenizer: TokenizerFiles::CLIP_BYTES,
        padding: None,
    }
}

fn clip_files(found: &Found) -> TextFiles {
    TextFiles { shards: found.set.shards(&found.part), tokenizer: TokenizerFiles::Clip }
}
