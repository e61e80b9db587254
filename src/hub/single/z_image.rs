//! Z-Image: a denoiser, Qwen3 and its tokenizer, a VAE of 16 channels.

use super::{Parts, config_beside, dimension, gguf_config, length, name_of};
use crate::hub::companions::Vocabulary;
use crate::hub::error::{HubError, Missing};
use crate::model::json::Value;
use crate::model::layout::Network;
use crate::model::{self, LatentRgb, ModelFiles, TextFiles, TokenizerFiles, ZImageParts};
use std::sync::Arc;

const VOCABULARY: Vocabulary = Vocabulary { word: "<|im_start|>", kind: "gpt2", sentencepiece: false };

pub(super) fn open(parts: &mut Parts<'_>) -> Result<ModelFiles, HubError> {
    let caption = dimension(&parts.own.part, "cap_embedder.0.weight", 0);
    let patch = dimension(&parts.own.part, "all_x_embedder.2-1.weight", 1);
    let text = parts.network(Missing::Qwen3 { width: caption.unwrap_or(0) }, |part| {
        part.network == Network::Qwen3 && dimension(part, "model.embed_tokens.weight", 1) == caption
    })?;
    let vae = parts.vae(patch.map_or(0, |width| width / 4))?;
    let tokenizer = parts.tokenizer(&text.set, Missing::QwenTokenizer, &VOCABULARY)?;
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
        loras: Vec::new(),
    })
}
