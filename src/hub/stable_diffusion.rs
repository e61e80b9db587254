//! A Stable Diffusion model in diffusers layout.

use super::error::{Cause, HubError};
use super::folder::{component, config, length, merged};
use super::root::Root;
use crate::model::{
    self, ClipPadding, ClipParts, LatentRgb, ModelFiles, Shard, StableDiffusionParts, TensorTable, TextFiles,
    TokenizerFiles,
};
use crate::units::Bytes;
use std::sync::Arc;

/// Text encoders and their tokenizers; the refiner has the second alone.
const TEXTS: [(&str, &str); 2] = [("text_encoder", "tokenizer"), ("text_encoder_2", "tokenizer_2")];

pub(super) fn open(root: &Root, name: &str) -> Result<ModelFiles, HubError> {
    let denoiser = component(root, "unet")?;
    let mut text_encoders = Vec::with_capacity(TEXTS.len());
    let mut texts = Vec::with_capacity(TEXTS.len());
    for (folder, tokenizer_folder) in TEXTS.into_iter().filter(|(folder, _)| !root.weight_names(folder).is_empty()) {
        let (files, parts) = clip_part(root, folder, tokenizer_folder)?;
        text_encoders.push(files);
        texts.push(parts);
    }
    if texts.is_empty() {
        let part = "text_encoder/*.safetensors".to_owned();
        return Err(HubError::new(Cause::MissingPart(part), &root.display("")));
    }
    let mut vae = component(root, "vae")?;
    vae.iter_mut().for_each(with_new_names);
    let parts = StableDiffusionParts {
        texts,
        unet: merged(&denoiser),
        unet_config: config(root, "unet/config.json")?,
        vae: merged(&vae),
        vae_config: config(root, "vae/config.json")?,
        scheduler_config: config(root, "scheduler/scheduler_config.json")?,
    };
    let inventory = model::stable_diffusion(name, &parts).map_err(|error| HubError::new(error, &root.display("")))?;
    let latent_rgb = LatentRgb::from_config(&parts.vae_config);
    Ok(ModelFiles { inventory: Arc::new(inventory), text_encoders, denoiser, vae, latent_rgb, loras: Vec::new() })
}

/// A text tower of CLIP with its tokenizer.
pub(super) fn clip_part(root: &Root, folder: &str, tokenizer_folder: &str) -> Result<(TextFiles, ClipParts), HubError> {
    let shards = component(root, folder)?;
    let table = merged(&shards);
    let tokenizer = tokenizer(root, tokenizer_folder, &table)?;
    let mut bytes = if tokenizer == TokenizerFiles::Clip { TokenizerFiles::CLIP_BYTES } else { Bytes::ZERO };
    for file in tokenizer.files() {
        bytes += Bytes(length(file)?);
    }
    let parts = ClipParts {
        table,
        config: config(root, &format!("{folder}/config.json"))?,
        tokenizer: bytes,
        padding: padding(root, tokenizer_folder)?,
    };
    Ok((TextFiles { shards, tokenizer }, parts))
}

/// Vocabulary and merges where they are, since they say more plainly than a `tokenizer.json` what CLIP does. A model
/// without either is read with CLIP's own, where it has as many tokens.
fn tokenizer(root: &Root, folder: &str, text_encoder: &TensorTable) -> Result<TokenizerFiles, HubError> {
    let file = |name: &str| root.file(&format!("{folder}/{name}"));
    if let (Some(vocabulary), Some(merges)) = (file("vocab.json"), file("merges.txt")) {
        return Ok(TokenizerFiles::Merges { vocabulary, merges });
    }
    if let Some(file) = file("tokenizer.json") {
        return Ok(TokenizerFiles::File(file));
    }
    let mut tensors = text_encoder.tensors.iter();
    let tokens = tensors.find(|tensor| tensor.name.ends_with("token_embedding.weight"));
    if tokens.and_then(|tensor| tensor.shape.first()) == Some(&TokenizerFiles::CLIP_TOKENS) {
        return Ok(TokenizerFiles::Clip);
    }
    Err(HubError::new(Cause::MissingPart(format!("{folder}/tokenizer.json")), &root.display("")))
}

/// What chunks are filled up with, where the tokenizer's config says it.
fn padding(root: &Root, folder: &str) -> Result<Option<ClipPadding>, HubError> {
    for name in ["tokenizer_config.json", "special_tokens_map.json"] {
        let value = config(root, &format!("{folder}/{name}"))?;
        let token = value.get("pad_token").and_then(|token| token.as_str().or_else(|| token.get("content")?.as_str()));
        if let Some(token) = token {
            return Ok(Some(if token == "!" { ClipPadding::First } else { ClipPadding::End }));
        }
    }
    Ok(None)
}

/// The names that attention in a VAE had before diffusers 0.18, as they are today.
fn with_new_names(shard: &mut Shard) {
    const RENAMED: [(&str, &str); 4] =
        [(".query.", ".to_q."), (".key.", ".to_k."), (".value.", ".to_v."), (".proj_attn.", ".to_out.0.")];
    for tensor in shard.table.tensors.iter_mut().filter(|tensor| tensor.name.contains("mid_block.attentions.")) {
        for (old, new) in RENAMED {
            tensor.name = tensor.name.replace(old, new);
        }
    }
}
