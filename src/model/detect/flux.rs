//! FLUX.1 models, from the tensors of their parts in diffusers' names.

use super::super::inventory::{ComponentKind, Family, Inventory, TextEncoder};
use super::super::json::Value;
use super::super::noise::{DynamicShift, Flow, Noise};
use super::super::shapes::{ClipPooled, DenoiserShape, FluxShape, T5Shape, TextEncoderShape};
use super::stable_diffusion::{ClipParts, clip_shape, clip_slot};
use super::{DetectError, Lookup, Slot, TensorTable, block_index, component, count_blocks, number, slots, vae_shape};
use crate::units::{Bytes, PixelSize};

/// A T5 encoder with its config and tokenizer.
#[derive(Clone, Debug)]
pub struct T5Parts {
    pub table: TensorTable,
    pub config: Value,
    /// Length of the tokenizer's file.
    pub tokenizer: Bytes,
}

/// Tables and configs of a FLUX model. A missing config is `Value::Null`.
#[derive(Clone, Debug)]
pub struct FluxParts {
    pub clip: ClipParts,
    pub t5: T5Parts,
    pub transformer: TensorTable,
    pub transformer_config: Value,
    pub vae: TensorTable,
    pub vae_config: Value,
    pub scheduler_config: Value,
}

/// The inventory of a FLUX model, every size from its tensors, the rest from its configs.
///
/// # Errors
/// Lists the missing tensors, or names what contradicts the rest.
pub fn flux(name: &str, parts: &FluxParts) -> Result<Inventory, DetectError> {
    let odd = |what: String| Err(DetectError::OddConfig(what));
    let shape = flux_shape(&parts.transformer, &parts.transformer_config)?;
    // The tuned model reads longer prompts than the distilled one (diffusers' `max_sequence_length`).
    let tokens = if shape.guidance { 512 } else { 256 };
    let clip = clip_shape(&parts.clip, false, ClipPooled::Plain)?;
    let t5 = t5_shape(&parts.t5.table, &parts.t5.config, tokens)?;
    if (clip.hidden, t5.hidden) != (shape.pooled_dim, shape.caption_dim) {
        return odd(format!(
            "the text encoders give {} and {} features, the denoiser takes {} and {}",
            clip.hidden, t5.hidden, shape.pooled_dim, shape.caption_dim
        ));
    }
    let vae = vae_shape(&parts.vae, &parts.vae_config, 0.3611, 0.1159)?;
    if vae.latent_channels != shape.channels {
        return odd(format!(
            "the denoiser draws {} latent channels, the VAE reads {}",
            shape.channels, vae.latent_channels
        ));
    }
    let noise = noise(&parts.scheduler_config, shape.guidance)?;
    let guidance = shape.guidance;
    let denoiser_shape = DenoiserShape::Flux(shape);
    let denoiser = component(ComponentKind::Denoiser, &parts.transformer, slots::of_denoiser(&denoiser_shape));
    Ok(Inventory {
        name: name.to_owned(),
        family: if guidance { Family::Flux1Dev } else { Family::Flux1Schnell },
        text_encoders: vec![
            TextEncoder {
                component: component(ComponentKind::TextEncoder, &parts.clip.table, |name| clip_slot(name, &clip)),
                shape: TextEncoderShape::Clip(clip),
                tokenizer: parts.clip.tokenizer,
            },
            TextEncoder {
                component: component(ComponentKind::TextEncoder2, &parts.t5.table, t5_slot),
                shape: TextEncoderShape::T5(t5),
                tokenizer: parts.t5.tokenizer,
            },
        ],
        denoiser,
        denoiser_shape,
        vae: super::vae_component(&parts.vae),
        vae_encoder: super::vae_encoder(&parts.vae),
        vae_shape: vae,
        native: PixelSize::new(1024, 1024),
        noise: Noise::Flow(noise),
    })
}

fn noise(config: &Value, guidance: bool) -> Result<Flow, DetectError> {
    let dynamic = config.get("use_dynamic_shifting").and_then(Value::as_bool).unwrap_or(guidance);
    let shift = if dynamic { 1.0 } else { number(config, "shift", 1.0) };
    let usual = DynamicShift::FLUX;
    let dynamic = dynamic.then(|| DynamicShift {
        fewest: number(config, "base_image_seq_len", usual.fewest),
        most: number(config, "max_image_seq_len", usual.most),
        least_shift: number(config, "base_shift", usual.least_shift),
        most_shift: number(config, "max_shift", usual.most_shift),
    });
    let impossible =
        dynamic.is_some_and(|by| by.fewest >= by.most || by.least_shift.abs().max(by.most_shift.abs()) > 20.0);
    if shift <= 0.0 || impossible {
        return Err(DetectError::OddConfig(format!("schedule shift {shift}, {dynamic:?}")));
    }
    Ok(Flow { shift, dynamic })
}

pub(super) fn t5_shape(table: &TensorTable, config: &Value, tokens: usize) -> Result<T5Shape, DetectError> {
    let shared = "shared.weight";
    let embedding = if table.get(shared).is_some() { shared } else { "encoder.embed_tokens.weight" };
    let first = "encoder.block.0.layer";
    let mut look = Lookup::new(table);
    let [vocabulary, hidden] = look.shape(embedding)?;
    let [buckets, heads] = look.shape(&format!("{first}.0.SelfAttention.relative_attention_bias.weight"))?;
    let [inner, _] = look.shape(&format!("{first}.0.SelfAttention.q.weight"))?;
    let [feed_forward, _] = look.shape(&format!("{first}.1.DenseReluDense.wi_0.weight"))?;
    look.need("encoder.final_layer_norm.weight");
    let layers = count_blocks(table, "encoder.block.");
    for index in 0..layers {
        for part in T5_LAYER {
            look.need(&format!("encoder.block.{index}.layer.{part}.weight"));
        }
    }
    look.finish()?;
    let farthest = config.get("relative_attention_max_distance").and_then(Value::as_usize).unwrap_or(128);
    if !inner.is_multiple_of(heads) || buckets < 8 || !buckets.is_multiple_of(4) || farthest <= buckets / 4 {
        let what = format!("{heads} heads in {inner}, {buckets} kinds of distances up to {farthest}");
        return Err(DetectError::OddConfig(what));
    }
    Ok(T5Shape {
        vocabulary,
        hidden,
        layers,
        heads,
        head_dim: inner / heads,
        feed_forward,
        buckets,
        farthest,
        tokens,
        norm_eps: number(config, "layer_norm_epsilon", 1e-6),
    })
}

const T5_LAYER: [&str; 9] = [
    "0.layer_norm",
    "0.SelfAttention.q",
    "0.SelfAttention.k",
    "0.SelfAttention.v",
    "0.SelfAttention.o",
    "1.layer_norm",
    "1.DenseReluDense.wi_0",
    "1.DenseReluDense.wi_1",
    "1.DenseReluDense.wo",
];

/// The table of distances stands in the first layer, but all layers share it. A second copy of the embedding, which
/// some files hold, is not read.
pub(super) fn t5_slot(name: &str) -> Slot {
    match block_index(name, "encoder.block.") {
        Some(_) if name.ends_with("relative_attention_bias.weight") => Slot::Fixed,
        Some(index) => Slot::Block(index),
        None if name == "encoder.embed_tokens.weight" || name.starts_with("decoder.") => Slot::Unused,
        None => Slot::Fixed,
    }
}

fn flux_shape(table: &TensorTable, config: &Value) -> Result<FluxShape, DetectError> {
    const PATCH: usize = 2;
    let odd = |what: String| Err(DetectError::OddConfig(what));
    let mut look = Lookup::new(table);
    let [dim, token] = look.shape("x_embedder.weight")?;
    let [out, _] = look.shape("proj_out.weight")?;
    let [_, caption_dim] = look.shape("context_embedder.weight")?;
    let [_, pooled_dim] = look.shape("time_text_embed.text_embedder.linear_1.weight")?;
    let first = "transformer_blocks.0.";
    let [head_dim] = look.shape(&format!("{first}attn.norm_q.weight"))?;
    let [feed_forward, _] = look.shape(&format!("{first}ff.net.0.proj.weight"))?;
    let (double_blocks, single_blocks) =
        (count_blocks(table, "transformer_blocks."), count_blocks(table, "single_transformer_blocks."));
    for (prefix, count, parts) in
        [("transformer_blocks", double_blocks, DOUBLE), ("single_transformer_blocks", single_blocks, SINGLE)]
    {
        for index in 0..count {
            for part in parts {
                look.need(&format!("{prefix}.{index}.{part}.weight"));
            }
        }
    }
    look.finish()?;
    let guidance = table.get("time_text_embed.guidance_embedder.linear_1.weight").is_some();
    if token != out {
        return odd(format!("image tokens of {token} values in, {out} out: a model for filling or editing pictures"));
    }
    if !dim.is_multiple_of(head_dim) || !token.is_multiple_of(PATCH * PATCH) {
        return odd(format!("width {dim}, heads of {head_dim}, tokens of {token}"));
    }
    let rope_axes = match config.get("axes_dims_rope").and_then(Value::as_array) {
        None => [16, 56, 56].map(|part| part * head_dim / 128),
        Some(axes) => {
            let axes: Option<Vec<usize>> = axes.iter().map(Value::as_usize).collect();
            axes.and_then(|axes| <[usize; 3]>::try_from(axes).ok())
                .ok_or_else(|| DetectError::OddConfig("axes_dims_rope must be three numbers".to_owned()))?
        }
    };
    let sum = rope_axes.iter().try_fold(0_usize, |sum, &axis| sum.checked_add(axis));
    if rope_axes.iter().any(|axis| !axis.is_multiple_of(2)) || sum != Some(head_dim) {
        return odd(format!("rotary axes {rope_axes:?} for heads of {head_dim}"));
    }
    Ok(FluxShape {
        channels: token / (PATCH * PATCH),
        patch: PATCH,
        dim,
        heads: dim / head_dim,
        double_blocks,
        single_blocks,
        feed_forward,
        caption_dim,
        pooled_dim,
        guidance,
        rope_theta: 10_000.0,
        rope_axes,
    })
}

const DOUBLE: &[&str] = &[
    "norm1.linear",
    "norm1_context.linear",
    "attn.to_q",
    "attn.to_k",
    "attn.to_v",
    "attn.add_q_proj",
    "attn.add_k_proj",
    "attn.add_v_proj",
    "attn.norm_q",
    "attn.norm_k",
    "attn.norm_added_q",
    "attn.norm_added_k",
    "attn.to_out.0",
    "attn.to_add_out",
    "ff.net.0.proj",
    "ff.net.2",
    "ff_context.net.0.proj",
    "ff_context.net.2",
];
const SINGLE: &[&str] =
    &["norm.linear", "attn.to_q", "attn.to_k", "attn.to_v", "attn.norm_q", "attn.norm_k", "proj_mlp", "proj_out"];
