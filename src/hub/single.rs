//! A model that starts from one file: a denoiser, whose companions are in the file too or are found.

use super::companions::{Found, Places};
use super::error::{Cause, HubError, Missing};
use super::reader::{self, Inspected, is_denoiser};
use super::set::FileSet;
use crate::model::json::{self, Value};
use crate::model::layout::{Network, Part};
use crate::model::{
    self, ClipParts, FileRef, FluxParts, Kind, LatentRgb, ModelFiles, StableDiffusionParts, T5Parts, TensorTable,
    TextFiles, TokenizerFiles, ZImageParts,
};
use crate::units::Bytes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// No config is longer.
const MAX_CONFIG: u64 = 1 << 20;
/// A word that every tokenizer of Qwen3 knows.
/// A word that every tokenizer of T5 knows.
const T5_MARK: &str = "<extra_id_0>";
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
        Network::Flux => flux(&mut parts),
        Network::ZImage => z_image(&mut parts),
        Network::Unet => stable_diffusion(&mut parts),
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

fn dimension(part: &Part, name: &str, at: usize) -> Option<usize> {
    part.table.get(name).and_then(|tensor| tensor.shape.get(at)).copied()
}

fn z_image(parts: &mut Parts<'_>) -> Result<ModelFiles, HubError> {
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

fn flux(parts: &mut Parts<'_>) -> Result<ModelFiles, HubError> {
    const TOKENS: &str = "text_model.embeddings.token_embedding.weight";
    let own = &parts.own.part;
    let pooled = dimension(own, "time_text_embed.text_embedder.linear_1.weight", 1);
    let caption = dimension(own, "context_embedder.weight", 1);
    let token = dimension(own, "proj_out.weight", 0);
    let clip = parts.network(Missing::Clip { width: pooled.unwrap_or(0) }, |part| {
        part.network == Network::Clip && dimension(part, TOKENS, 1) == pooled
    })?;
    if dimension(&clip.part, TOKENS, 0) != Some(TokenizerFiles::CLIP_TOKENS) {
        return Err(parts.lacks(Missing::ClipTokenizer));
    }
    let t5 = parts.network(Missing::T5 { width: caption.unwrap_or(0) }, |part| {
        part.network == Network::T5 && dimension(part, "shared.weight", 1) == caption
    })?;
    let vae = parts.network(Missing::Vae { channels: token.map_or(0, |width| width / 4) }, |part| {
        let channels = dimension(part, "decoder.conv_in.weight", 1);
        part.network == Network::Vae && channels.map(|channels| channels * 4) == token
    })?;
    let tokenizer = parts.tokenizer(&t5.set, Missing::T5Tokenizer, T5_MARK)?;
    let all = FluxParts {
        clip: ClipParts {
            table: clip.part.table.clone(),
            config: config_beside(&clip.set, "model_type", "clip_text_model"),
            tokenizer: TokenizerFiles::CLIP_BYTES,
            padding: None,
        },
        t5: T5Parts {
            table: t5.part.table.clone(),
            config: config_beside(&t5.set, "model_type", "t5"),
            tokenizer: length(&tokenizer),
        },
        transformer: parts.own.part.table.clone(),
        transformer_config: config_beside(&parts.own.set, "_class_name", "FluxTransformer2DModel"),
        vae: vae.part.table.clone(),
        vae_config: config_beside(&vae.set, "_class_name", "AutoencoderKL"),
        scheduler_config: Value::Null,
    };
    let inventory = model::flux(&name_of(parts.path), &all);
    let inventory = inventory.map_err(|error| HubError::new(error, parts.path))?;
    Ok(ModelFiles {
        inventory: Arc::new(inventory),
        latent_rgb: LatentRgb::from_config(&all.vae_config),
        text_encoders: vec![
            TextFiles { shards: clip.set.shards(&clip.part), tokenizer: TokenizerFiles::Clip },
            TextFiles { shards: t5.set.shards(&t5.part), tokenizer: TokenizerFiles::File(tokenizer) },
        ],
        denoiser: parts.own.set.shards(&parts.own.part),
        vae: vae.set.shards(&vae.part),
    })
}

/// The text encoders of a denoiser that was trained with features of this width.
fn clip_widths(context: usize) -> Vec<usize> {
    // SDXL puts the features of CLIP-L and OpenCLIP-G side by side.
    if context == 2048 { vec![768, 1280] } else { vec![context] }
}

fn stable_diffusion(parts: &mut Parts<'_>) -> Result<ModelFiles, HubError> {
    const TOKENS: &str = "text_model.embeddings.token_embedding.weight";
    let mut context = parts.own.part.table.tensors.iter().filter(|tensor| tensor.name.ends_with("attn2.to_k.weight"));
    let context = context.next().and_then(|tensor| tensor.shape.get(1)).copied().unwrap_or(0);
    let channels = dimension(&parts.own.part, "conv_out.weight", 0).unwrap_or(0);
    let is_clip = |part: &&Part| part.network == Network::Clip;
    let mut texts: Vec<Found> = parts
        .inspected
        .contents
        .parts
        .iter()
        .filter(is_clip)
        .map(|part| Found { set: parts.own.set.clone(), part: part.clone() })
        .collect();
    texts.sort_by(|a, b| a.part.prefix.cmp(&b.part.prefix));
    if texts.is_empty() {
        for width in clip_widths(context) {
            texts.push(parts.network(Missing::Clip { width }, |part| {
                part.network == Network::Clip && dimension(part, TOKENS, 1) == Some(width)
            })?);
        }
    }
    for text in &texts {
        let missing = text.part.missing();
        if !missing.is_empty() {
            return Err(HubError::new(model::DetectError::Missing(missing), parts.path));
        }
        if dimension(&text.part, TOKENS, 0) != Some(TokenizerFiles::CLIP_TOKENS) {
            return Err(parts.lacks(Missing::ClipTokenizer));
        }
    }
    let vae = parts.network(Missing::Vae { channels }, |part| {
        part.network == Network::Vae && dimension(part, "decoder.conv_in.weight", 1) == Some(channels)
    })?;
    let clip = |text: &Found| ClipParts {
        table: text.part.table.clone(),
        config: config_beside(&text.set, "model_type", "clip_text_model"),
        tokenizer: TokenizerFiles::CLIP_BYTES,
        padding: None,
    };
    let all = StableDiffusionParts {
        texts: texts.iter().map(clip).collect(),
        unet: parts.own.part.table.clone(),
        unet_config: config_beside(&parts.own.set, "_class_name", "UNet2DConditionModel"),
        vae: vae.part.table.clone(),
        vae_config: config_beside(&vae.set, "_class_name", "AutoencoderKL"),
        scheduler_config: schedule(parts, context)?,
    };
    let inventory = model::stable_diffusion(&name_of(parts.path), &all);
    let inventory = inventory.map_err(|error| HubError::new(error, parts.path))?;
    let files = |text: &Found| TextFiles { shards: text.set.shards(&text.part), tokenizer: TokenizerFiles::Clip };
    Ok(ModelFiles {
        inventory: Arc::new(inventory),
        latent_rgb: LatentRgb::from_config(&all.vae_config),
        text_encoders: texts.iter().map(files).collect(),
        denoiser: parts.own.set.shards(&parts.own.part),
        vae: vae.set.shards(&vae.part),
    })
}

/// What a checkpoint says of its noise schedule, in the words of a scheduler's config.
///
/// Finetunes of XL that predict velocity carry a marker. Stable Diffusion 2 has two models with the same tensors that
/// only training told apart; ComfyUI goes by the spread of one bias, which is wide where velocity is predicted.
fn schedule(parts: &Parts<'_>, context: usize) -> Result<Value, HubError> {
    const BIAS: &str = "up_blocks.3.attentions.2.transformer_blocks.0.norm1.bias";
    const WIDE: f32 = 0.09;
    let table = &parts.inspected.table;
    let mut velocity = table.get("v_pred").is_some() || table.metadata("modelspec.prediction_type") == Some("v");
    if context == 1024
        && let Some(bias) = parts.own.part.table.get(BIAS)
        && let Some(path) = parts.own.set.files.get(bias.file)
    {
        let values = reader::values(&FileRef::Path(path.clone()), bias)?;
        let count = values.len().max(1) as f32;
        let mean = values.iter().sum::<f32>() / count;
        let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count).sqrt();
        velocity |= spread > WIDE;
    }
    let mut entries = Vec::new();
    if velocity {
        entries.push(("prediction_type".to_owned(), Value::String("v_prediction".to_owned())));
    }
    if table.get("ztsnr").is_some() {
        entries.push(("rescale_betas_zero_snr".to_owned(), Value::Bool(true)));
    }
    Ok(Value::Object(entries))
}
