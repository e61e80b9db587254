//! A model in diffusers layout: one folder a component, each with its config and one or several weight files.

use super::error::{Cause, HubError};
use super::reader;
use super::root::Root;
use crate::model::json::{self, Value};
use crate::model::layout::{self, Network};
use crate::model::{self, FileRef, LatentRgb, ModelFiles, Shard, TensorTable, TextFiles, TokenizerFiles, ZImageParts};
use crate::units::Bytes;
use std::sync::Arc;

/// No config or index of a model is longer.
const MAX_JSON: u64 = 64 << 20;
/// The pipelines of the Stable Diffusion families; those for pictures as input hold the same networks.
const STABLE_DIFFUSION: [&str; 6] = [
    "StableDiffusionPipeline",
    "StableDiffusionImg2ImgPipeline",
    "StableDiffusionInpaintPipeline",
    "StableDiffusionXLPipeline",
    "StableDiffusionXLImg2ImgPipeline",
    "StableDiffusionXLInpaintPipeline",
];
/// Those of FLUX.1 whose denoiser draws from text alone.
const FLUX: [&str; 3] = ["FluxPipeline", "FluxImg2ImgPipeline", "FluxInpaintPipeline"];
const TOKENIZER: &str = "tokenizer/tokenizer.json";

pub(super) fn open(root: &Root, name: &str, builtin: bool) -> Result<ModelFiles, HubError> {
    let pipeline = pipeline(root)?;
    if pipeline == Some(Pipeline::StableDiffusion) {
        return super::stable_diffusion::open(root, name);
    }
    let denoiser = component(root, "transformer")?;
    let transformer = merged(&denoiser);
    let parts = layout::parts(&transformer).map_err(|error| HubError::new(error, &root.display("transformer")))?;
    let flux = parts.first().is_some_and(|part| part.network == Network::Flux);
    if pipeline == Some(Pipeline::Flux) || pipeline.is_none() && flux {
        return super::flux::open(root, name, denoiser);
    }
    if let Some(part) = parts.first().filter(|part| part.network != Network::ZImage) {
        let what = format!("the denoiser is a {}", model::words(part));
        return Err(HubError::new(Cause::Unsupported(what), &root.display("transformer")));
    }
    let text_encoder = component(root, "text_encoder")?;
    let vae = component(root, "vae")?;
    let tokenizer = root
        .file(TOKENIZER)
        .ok_or_else(|| HubError::new(Cause::MissingPart(TOKENIZER.to_owned()), &root.display("")))?;
    let parts = ZImageParts {
        text_encoder: merged(&text_encoder),
        text_config: config(root, "text_encoder/config.json")?,
        transformer,
        transformer_config: config(root, "transformer/config.json")?,
        vae: merged(&vae),
        vae_config: config(root, "vae/config.json")?,
        scheduler_config: config(root, "scheduler/scheduler_config.json")?,
        tokenizer: Bytes(length(&tokenizer)?),
    };
    let inventory = model::z_image(name, builtin, &parts).map_err(|error| HubError::new(error, &root.display("")))?;
    let latent_rgb = LatentRgb::from_config(&parts.vae_config);
    let text_encoders = vec![TextFiles { shards: text_encoder, tokenizer: TokenizerFiles::File(tokenizer) }];
    Ok(ModelFiles { inventory: Arc::new(inventory), text_encoders, denoiser, vae, latent_rgb, loras: Vec::new() })
}

pub(super) fn length(file: &FileRef) -> Result<u64, HubError> {
    match file {
        FileRef::Embedded { bytes, .. } => Ok(bytes.len() as u64),
        FileRef::Path(path) => Ok(std::fs::metadata(path).map_err(|error| HubError::io(&error, path))?.len()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pipeline {
    Flux,
    StableDiffusion,
    ZImage,
}

/// A pipeline that says what it is is believed; one that says nothing is known by the folder of its denoiser, or by
/// its tensors.
fn pipeline(root: &Root) -> Result<Option<Pipeline>, HubError> {
    let index = config(root, "model_index.json")?;
    match index.get("_class_name").and_then(Value::as_str) {
        None => Ok((!root.weight_names("unet").is_empty()).then_some(Pipeline::StableDiffusion)),
        Some(class) if class.starts_with("ZImage") => Ok(Some(Pipeline::ZImage)),
        Some(class) if STABLE_DIFFUSION.contains(&class) => Ok(Some(Pipeline::StableDiffusion)),
        Some(class) if FLUX.contains(&class) => Ok(Some(Pipeline::Flux)),
        Some(class) => {
            let what = format!("this is a {class}");
            Err(HubError::new(Cause::Unsupported(what), &root.display("model_index.json")))
        }
    }
}

/// A JSON file, `Null` where there is none.
pub(super) fn config(root: &Root, inside: &str) -> Result<Value, HubError> {
    let Some(file) = root.file(inside) else { return Ok(Value::Null) };
    let bytes = reader::read_small(&file, MAX_JSON)?;
    let text = std::str::from_utf8(&bytes).ok().map(|text| text.trim_start_matches('\u{feff}'));
    text.and_then(json::parse).ok_or_else(|| HubError::new(Cause::Json, &file.display()))
}

/// The weight files of a component: by index where there is one, else the single file.
pub(super) fn component(root: &Root, folder: &str) -> Result<Vec<Shard>, HubError> {
    for base in ["diffusion_pytorch_model", "model", "diffusion_pytorch_model.fp16", "model.fp16"] {
        let index = format!("{folder}/{base}.safetensors.index.json");
        if root.file(&index).is_some() {
            return sharded(root, folder, &index);
        }
        if let Some(file) = root.file(&format!("{folder}/{base}.safetensors")) {
            let table = reader::read(&file)?.1;
            return Ok(vec![Shard { file, table }]);
        }
    }
    let names = root.weight_names(folder);
    let only = if let [only] = names.as_slice() { root.file(&format!("{folder}/{only}")) } else { None };
    let file =
        only.ok_or_else(|| HubError::new(Cause::MissingPart(format!("{folder}/*.safetensors")), &root.display("")))?;
    let table = reader::read(&file)?.1;
    Ok(vec![Shard { file, table }])
}

fn sharded(root: &Root, folder: &str, index: &str) -> Result<Vec<Shard>, HubError> {
    let damaged = || HubError::new(Cause::Json, &root.display(index));
    let value = config(root, index)?;
    let Some(Value::Object(map)) = value.get("weight_map") else { return Err(damaged()) };
    // Shard by shard, in the order in which the index names them, so that a plan is the same every time.
    let mut shards: Vec<(String, Vec<&str>)> = Vec::new();
    for (tensor, shard) in map {
        let shard = shard.as_str().filter(|name| is_plain_name(name)).ok_or_else(damaged)?;
        match shards.iter_mut().find(|(name, _)| name == shard) {
            Some((_, tensors)) => tensors.push(tensor),
            None => shards.push((shard.to_owned(), vec![tensor])),
        }
    }
    shards.sort();
    if shards.is_empty() {
        return Err(damaged());
    }
    shards.into_iter().map(|(name, tensors)| shard(root, folder, &name, tensors)).collect()
}

/// One shard, with the tensors that the index gives it.
fn shard(root: &Root, folder: &str, name: &str, mut tensors: Vec<&str>) -> Result<Shard, HubError> {
    let inside = format!("{folder}/{name}");
    let file =
        root.file(&inside).ok_or_else(|| HubError::new(Cause::MissingPart(inside.clone()), &root.display("")))?;
    let mut table = reader::read(&file)?.1;
    tensors.sort_unstable();
    table.tensors.retain(|tensor| tensors.binary_search(&tensor.name.as_str()).is_ok());
    if table.tensors.len() < tensors.len() {
        let mut there: Vec<&str> = table.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
        there.sort_unstable();
        let mut missing = tensors.iter().filter(|name| there.binary_search(name).is_err());
        let example = missing.next().map(|name| (*name).to_owned()).unwrap_or_default();
        let cause = Cause::IndexMismatch { shard: name.to_owned(), missing: 1 + missing.count(), example };
        return Err(HubError::new(cause, &file.display()));
    }
    Ok(Shard { file, table })
}

/// A file right in the component's folder: an index must not lead out of it.
fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0'])
}

pub(super) fn merged(shards: &[Shard]) -> TensorTable {
    TensorTable {
        tensors: shards.iter().flat_map(|shard| shard.table.tensors.iter().cloned()).collect(),
        metadata: Vec::new(),
    }
}
