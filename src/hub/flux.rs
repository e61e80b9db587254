//! A FLUX model in diffusers layout.

use super::error::{Cause, HubError};
use super::folder::{component, config, length, merged};
use super::root::Root;
use super::stable_diffusion::clip_part;
use crate::model::{self, FluxParts, LatentRgb, ModelFiles, Shard, T5Parts, TextFiles, TokenizerFiles};
use crate::units::Bytes;
use std::sync::Arc;

/// The tokenizer of T5, in the order of preference.
const TOKENIZERS: [&str; 2] = ["tokenizer_2/tokenizer.json", "tokenizer_2/spiece.model"];

pub(super) fn open(root: &Root, name: &str, denoiser: Vec<Shard>) -> Result<ModelFiles, HubError> {
    let (clip_files, clip) = clip_part(root, "text_encoder", "tokenizer")?;
    let shards = component(root, "text_encoder_2")?;
    let tokenizer = TOKENIZERS.into_iter().find_map(|inside| root.file(inside));
    let missing = || HubError::new(Cause::MissingPart(TOKENIZERS[0].to_owned()), &root.display(""));
    let tokenizer = tokenizer.ok_or_else(missing)?;
    let vae = component(root, "vae")?;
    let parts = FluxParts {
        clip,
        t5: T5Parts {
            table: merged(&shards),
            config: config(root, "text_encoder_2/config.json")?,
            tokenizer: Bytes(length(&tokenizer)?),
        },
        transformer: merged(&denoiser),
        transformer_config: config(root, "transformer/config.json")?,
        vae: merged(&vae),
        vae_config: config(root, "vae/config.json")?,
        scheduler_config: config(root, "scheduler/scheduler_config.json")?,
    };
    let inventory = model::flux(name, &parts).map_err(|error| HubError::new(error, &root.display("")))?;
    let latent_rgb = LatentRgb::from_config(&parts.vae_config);
    let text_encoders = vec![clip_files, TextFiles { shards, tokenizer: TokenizerFiles::File(tokenizer) }];
    Ok(ModelFiles { inventory: Arc::new(inventory), text_encoders, denoiser, vae, latent_rgb, loras: Vec::new() })
}
