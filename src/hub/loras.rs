//! `LoRA` files named behind a model: what each changes in it.

use super::error::{Cause, HubError};
use super::reader;
use crate::model::layout::Network;
use crate::model::lora::{self, Modules};
use crate::model::shapes::DenoiserShape;
use crate::model::{FileRef, Inventory, Kind, LoraFile, ModelFiles, Shard, TensorTable};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file named behind a model, with the weight that was written behind it: `ink.safetensors:0.8`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Named {
    pub path: PathBuf,
    pub weight: Option<f32>,
}

impl Named {
    /// A number behind a colon is a weight, unless a file has it in its name.
    pub(super) fn parse(text: &str) -> Self {
        let divided = text.rsplit_once(':').filter(|_| !Path::new(text).exists());
        let weight = |text: &str| text.parse::<f32>().ok().filter(|weight| weight.is_finite());
        match divided.and_then(|(path, number)| Some((path, weight(number)?))) {
            Some((path, weight)) => Self { path: PathBuf::from(path), weight: Some(weight) },
            None => Self { path: PathBuf::from(text), weight: None },
        }
    }

    /// Said to be one by its weight, or by its tensors.
    pub(super) fn is_lora(&self) -> bool {
        let says_so = || reader::inspect(&self.path).is_ok_and(|found| matches!(found.contents.kind, Kind::Lora(_)));
        self.weight.is_some() || says_so()
    }
}

/// The model with what the files of `named` change in it.
///
/// # Errors
/// Where one of them is no `LoRA`, fits nothing of the model, or cannot be applied.
pub(super) fn add(mut files: ModelFiles, named: &[Named]) -> Result<ModelFiles, HubError> {
    if named.is_empty() {
        return Ok(files);
    }
    let modules = modules(&files);
    let mut inventory = Inventory::clone(&files.inventory);
    for Named { path, weight } in named {
        let inspected = reader::inspect(path)?;
        if !matches!(inspected.contents.kind, Kind::Lora(_) | Kind::Unknown) {
            return Err(HubError::new(Cause::NoLora(inspected.summary()), path));
        }
        let lora = lora::read(&inspected.table, &modules).map_err(|error| HubError::new(error, path))?;
        if lora.applied == 0 {
            return Err(HubError::new(Cause::LoraElsewhere(lora.report()), path));
        }
        let weight = weight.unwrap_or(1.0);
        if weight == 0.0 {
            continue;
        }
        let name = path.file_stem().map(|name| name.to_string_lossy()).unwrap_or_default();
        inventory.name = format!("{} + {name}:{weight}", inventory.name);
        inventory = inventory
            .with_lora(&lora)
            .map_err(|(module, why)| HubError::new(Cause::LoraForm { module, why: why.to_string() }, path))?;
        files.loras.push(LoraFile { file: FileRef::Path(path.clone()), lora: Arc::new(lora), weight });
    }
    files.inventory = Arc::new(inventory);
    Ok(files)
}

fn modules(files: &ModelFiles) -> Modules {
    let mut modules = Modules::default();
    let network = match files.inventory.denoiser_shape {
        DenoiserShape::Flux(_) => Network::Flux,
        DenoiserShape::Unet(_) => Network::Unet,
        DenoiserShape::ZImage(_) => Network::ZImage,
    };
    modules.add_denoiser(network, &table(&files.denoiser));
    for (index, text) in files.text_encoders.iter().enumerate() {
        modules.add_text_encoder(index, &table(&text.shards));
    }
    modules
}

/// The tensors of all files of a component.
fn table(shards: &[Shard]) -> TensorTable {
    let tensors = shards.iter().flat_map(|shard| shard.table.tensors.iter().cloned()).collect();
    TensorTable { tensors, metadata: Vec::new() }
}
