//! FLUX.1: a denoiser, CLIP, T5 and its tokenizer, a VAE of 16 channels.

use super::{Parts, clip_files, clip_parts, config_beside, dimension, length, name_of};
use crate::hub::companions::Vocabulary;
use crate::hub::error::{HubError, Missing};
use crate::model::json::Value;
use crate::model::layout::Network;
use crate::model::{self, FluxParts, LatentRgb, ModelFiles, T5Parts, TextFiles, TokenizerFiles};
use std::sync::Arc;

const VOCABULARY: Vocabulary = Vocabulary { word: "<extra_id_0>", kind: "t5", sentencepiece: true };

pub(super) fn open(parts: &mut Parts<'_>) -> Result<ModelFiles, HubError> {
    let own = &parts.own.part;
    let pooled = dimension(own, "time_text_embed.text_embedder.linear_1.weight", 1);
    let caption = dimension(own, "context_embedder.weight", 1);
    let token = dimension(own, "proj_out.weight", 0);
    let clip = parts.clip(pooled.unwrap_or(0))?;
    let t5 = parts.network(Missing::T5 { width: caption.unwrap_or(0) }, |part| {
        part.network == Network::T5 && dimension(part, "shared.weight", 1) == caption
    })?;
    let vae = parts.vae(token.map_or(0, |width| width / 4))?;
    let tokenizer = parts.tokenizer(&t5.set, Missing::T5Tokenizer, &VOCABULARY)?;
    let all = FluxParts {
        clip: clip_parts(&clip),
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
            clip_files(&clip),
            TextFiles { shards: t5.set.shards(&t5.part), tokenizer: TokenizerFiles::File(tokenizer) },
        ],
        denoiser: parts.own.set.shards(&parts.own.part),
        vae: vae.set.shards(&vae.part),
        loras: Vec::new(),
    })
}
