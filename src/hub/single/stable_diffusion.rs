//! Stable Diffusion 1, 2 and XL: a denoiser, one or two CLIPs, a VAE of 4 channels.

use super::{Found, Parts, clip_files, clip_parts, config_beside, dimension, name_of};
use crate::hub::error::HubError;
use crate::hub::reader;
use crate::model::json::Value;
use crate::model::layout::{Network, Part};
use crate::model::{self, FileRef, LatentRgb, ModelFiles, StableDiffusionParts};
use std::sync::Arc;

/// The text encoders of a denoiser that was trained with features of this width.
fn clip_widths(context: usize) -> Vec<usize> {
    // SDXL puts the features of CLIP-L and OpenCLIP-G side by side.
    if context == 2048 { vec![768, 1280] } else { vec![context] }
}

pub(super) fn open(parts: &mut Parts<'_>) -> Result<ModelFiles, HubError> {
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
            texts.push(parts.clip(width)?);
        }
    }
    for text in &texts {
        let missing = text.part.missing();
        if !missing.is_empty() {
            return Err(HubError::new(model::DetectError::Missing(missing), parts.path));
        }
        parts.check_words(&text.part)?;
    }
    let vae = parts.vae(channels)?;
    let all = StableDiffusionParts {
        texts: texts.iter().map(clip_parts).collect(),
        unet: parts.own.part.table.clone(),
        unet_config: config_beside(&parts.own.set, "_class_name", "UNet2DConditionModel"),
        vae: vae.part.table.clone(),
        vae_config: config_beside(&vae.set, "_class_name", "AutoencoderKL"),
        scheduler_config: schedule(parts, context)?,
    };
    let inventory = model::stable_diffusion(&name_of(parts.path), &all);
    let inventory = inventory.map_err(|error| HubError::new(error, parts.path))?;
    Ok(ModelFiles {
        inventory: Arc::new(inventory),
        latent_rgb: LatentRgb::from_config(&all.vae_config),
        text_encoders: texts.iter().map(clip_files).collect(),
        denoiser: parts.own.set.shards(&parts.own.part),
        vae: vae.set.shards(&vae.part),
        loras: Vec::new(),
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
