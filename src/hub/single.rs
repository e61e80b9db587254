//! A model that starts from one file: a denoiser, whose companions are in the file too or are found.

use super::companions::{Found, Places};
use super::error::{Cause, HubError, Missing};
use super::reader::{self, Inspected, is_denoiser};
use super::set::FileSet;
use crate::model::json::{self, Value};
use crate::model::layout::{Network, Part};
use crate::model::{self, FileRef, Kind, LatentRgb, ModelFiles, TensorTable, TextFiles, TokenizerFiles, ZImageParts};
use crate::units::Bytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// No config is longer.
const MAX_CONFIG: u64 = 1 << 20;
/// A word that every tokenizer of Qwen3 knows.
const QWEN_MARK: &str = "<|im_start|>";

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
        Network::ZImage => z_image(&mut parts),
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

    fn tokenizer(&mut self, encoder: &FileSet, missing: Missing, mark: &str) -> Result<FileRef, HubError> {
        let found = self.places().tokenizer(encoder, mark);
        found.ok_or_else(|| self.lacks(missing))
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

fn z_image(parts: &mut Parts<'_>) -> Result<ModelFiles, HubError> {
    let dimension = |part: &Part, name: &str, at: usize| part.table.get(name).and_then(|t| t.shape.get(at)).copied();
    let caption = dimension(&parts.own.part, "cap_embedder.0.weight", 0);
    let patch = dimension(&parts.own.part, "all_x_embedder.2-1.weight", 1);
    let text = parts.network(Missing::Qwen3 { width: caption.unwrap_or(0) }, |part| {
        part.network == Network::Qwen3 && dimension(part, "model.embed_tokens.weight", 1) == caption
    })?;
    let vae = parts.network(Missing::Vae { channels: patch.map_or(0, |width| width / 4) }, |part| {
        let channels = dimension(part, "decoder.conv_in.weight", 1);
        part.network == Network::Vae && channels.map(|channels| channels * 4) == patch
    })?;
    let tokenizer = parts.tokenizer(&text.set, Missing::QwenTokenizer, QWEN_MARK)?;
    let vae_config = config_beside(&vae.set, "_class_name", "AutoencoderKL");
    let text_config = gguf_config(&text.set.table).unwrap_or_else(|| config_beside(&text.set, "model_type", "qwen3"));
    let all = ZImageParts {
        text_encoder: text.part.table.clone(),
        text_config,
        transformer: parts.own.part.table.clone(),
        transformer_config: config_beside(&parts.own.set, "_class_name", "ZImageTransformer2DModel"),
        vae: vae.part.table.clone(),
        vae_config,
        scheduler_config: Value::Null,
        tokenizer: length(&tokenizer),
    };
    let inventory = model::z_image(&name_of(parts.path), false, &all);
    let inventory = inventory.map_err(|error| HubError::new(error, parts.path))?;
    Ok(ModelFiles {
        inventory: Arc::new(inventory),
        latent_rgb: LatentRgb::from_config(&all.vae_config),
        text_encoders: vec![TextFiles {
            shards: text.set.shards(&text.part),
            tokenizer: TokenizerFiles::File(tokenizer),
        }],
        denoiser: parts.own.set.shards(&parts.own.part),
        vae: vae.set.shards(&vae.part),
    })
}
