//! Models of the Stable Diffusion families, from the tensors of their parts in diffusers' names.

use super::super::inventory::{ComponentKind, Family, Inventory, TextEncoder};
use super::super::json::Value;
use super::super::noise::{Betas, Discrete, Noise, Prediction};
use super::super::shapes::{
    AddedConditions, ClipActivation, ClipOutput, ClipPooled, ClipShape, DenoiserShape, TextEncoderShape, UnetLevel,
    UnetPiece, UnetPieceKind, UnetShape,
};
use super::{DetectError, Lookup, Slot, TensorTable, block_index, component, count_blocks, number, slots, vae_shape};
use crate::units::{Bytes, PixelSize};

/// One text encoder with its config and tokenizer.
#[derive(Clone, Debug)]
pub struct ClipParts {
    pub table: TensorTable,
    pub config: Value,
    /// Length of the tokenizer's files.
    pub tokenizer: Bytes,
    /// Where the tokenizer's config tells.
    pub padding: Option<ClipPadding>,
}

/// What chunks of tokens are filled up with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClipPadding {
    /// `!`, the first of the vocabulary: `OpenCLIP`.
    First,
    /// The token that ends a prompt: `OpenAI`'s CLIP.
    End,
}

/// Tables and configs of a Stable Diffusion model. A missing config is `Value::Null`.
#[derive(Clone, Debug)]
pub struct StableDiffusionParts {
    /// One, or two for XL, in the order in which their features stand side by side.
    pub texts: Vec<ClipParts>,
    pub unet: TensorTable,
    pub unet_config: Value,
    pub vae: TensorTable,
    pub vae_config: Value,
    pub scheduler_config: Value,
}

/// The inventory of a Stable Diffusion model, every size from its tensors, the rest from its configs.
///
/// # Errors
/// Lists the missing tensors, or names what contradicts the rest.
pub fn stable_diffusion(name: &str, parts: &StableDiffusionParts) -> Result<Inventory, DetectError> {
    let odd = |what: String| Err(DetectError::OddConfig(what));
    let xl = parts.unet.get("add_embedding.linear_1.weight").is_some();
    let mut shapes = Vec::with_capacity(parts.texts.len());
    for (index, text) in parts.texts.iter().enumerate() {
        let last = index + 1 == parts.texts.len();
        let pooled = if xl && last { ClipPooled::Projected(0) } else { ClipPooled::Unused };
        shapes.push(clip_shape(text, xl, pooled)?);
    }
    let Some(last) = shapes.last().filter(|_| shapes.len() <= 2) else {
        return odd(format!("{} text encoders", shapes.len()));
    };
    let unet = unet_shape(&parts.unet, &parts.unet_config, last.pooled_width())?;
    let features: usize = shapes.iter().map(|shape| shape.hidden).sum();
    if features != unet.context {
        return odd(format!("the text encoders give {features} features, the denoiser takes {}", unet.context));
    }
    let scaling = if xl { 0.13025 } else { 0.18215 };
    let vae = vae_shape(&parts.vae, &parts.vae_config, scaling, 0.0)?;
    if vae.latent_channels != unet.channels_out {
        return odd(format!(
            "the denoiser draws {} latent channels, the VAE reads {}",
            unet.channels_out, vae.latent_channels
        ));
    }
    let noise = noise(&parts.scheduler_config)?;
    let family = family(&parts.scheduler_config, &unet, &shapes);
    let usual = match family {
        Family::StableDiffusionXl | Family::StableDiffusionXlRefiner => 1024,
        Family::StableDiffusion2 if noise.prediction == Prediction::V => 768,
        _ => 512,
    };
    let side = parts.unet_config.get("sample_size").and_then(Value::as_usize);
    let side = side.and_then(|side| u32::try_from(side).ok()?.checked_mul(vae.factor()));
    let native = side.filter(|side| (64..=2048).contains(side)).unwrap_or(usual);
    let text_encoders = parts.texts.iter().zip(&shapes).zip(ComponentKind::TEXT_ENCODERS);
    let text_encoders = text_encoders.map(|((text, shape), kind)| TextEncoder {
        component: component(kind, &text.table, |name| clip_slot(name, shape)),
        shape: TextEncoderShape::Clip(*shape),
        tokenizer: text.tokenizer,
    });
    let denoiser_shape = DenoiserShape::Unet(unet);
    let denoiser = component(ComponentKind::Denoiser, &parts.unet, slots::of_denoiser(&denoiser_shape));
    Ok(Inventory {
        name: name.to_owned(),
        family,
        text_encoders: text_encoders.collect(),
        denoiser,
        denoiser_shape,
        vae: super::vae_component(&parts.vae),
        vae_encoder: super::vae_encoder(&parts.vae),
        vae_shape: vae,
        native: PixelSize::new(native, native),
        noise: Noise::Discrete(noise),
    })
}

/// Distilled models differ from their teachers in nothing but the schedule that they come with.
fn family(scheduler: &Value, unet: &UnetShape, texts: &[ClipShape]) -> Family {
    let turbo = scheduler.get("timestep_spacing").and_then(Value::as_str) == Some("trailing");
    match (unet.added, texts) {
        (Some(_), [_]) => Family::StableDiffusionXlRefiner,
        (Some(_), _) if turbo => Family::StableDiffusionXlTurbo,
        (Some(_), _) => Family::StableDiffusionXl,
        (None, _) if turbo => Family::StableDiffusionTurbo,
        (None, [text, ..]) if text.activation == ClipActivation::Gelu => Family::StableDiffusion2,
        (None, _) => Family::StableDiffusion1,
    }
}

fn noise(config: &Value) -> Result<Discrete, DetectError> {
    let odd = |what: String| Err(DetectError::OddConfig(what));
    let usual = Discrete::STABLE_DIFFUSION;
    let text = |key| config.get(key).and_then(Value::as_str);
    let noise = Discrete {
        prediction: match text("prediction_type") {
            None | Some("epsilon") => Prediction::Epsilon,
            Some("v_prediction") => Prediction::V,
            Some(other) => return odd(format!("a denoiser that predicts {other}")),
        },
        betas: match text("beta_schedule") {
            None | Some("scaled_linear") => Betas::ScaledLinear,
            Some("linear") => Betas::Linear,
            Some(other) => return odd(format!("a noise schedule of the kind {other}")),
        },
        first_beta: number(config, "beta_start", usual.first_beta),
        last_beta: number(config, "beta_end", usual.last_beta),
        steps: config.get("num_train_timesteps").and_then(Value::as_usize).unwrap_or(usual.steps),
        zero_terminal_snr: config.get("rescale_betas_zero_snr").and_then(Value::as_bool).unwrap_or(false),
    };
    let plausible = 0.0 < noise.first_beta && noise.first_beta <= noise.last_beta && noise.last_beta < 1.0;
    if !plausible || !(2..=100_000).contains(&noise.steps) {
        return odd(format!("betas from {} to {} in {} steps", noise.first_beta, noise.last_beta, noise.steps));
    }
    Ok(noise)
}

/// The tensor names of a text tower begin with this, or with nothing.
fn clip_prefix(table: &TensorTable) -> &'static str {
    if table.get("text_model.embeddings.token_embedding.weight").is_some() { "text_model." } else { "" }
}

/// The shape of a text tower; of a projection its width is read from the tensors.
pub(super) fn clip_shape(parts: &ClipParts, penultimate: bool, pooled: ClipPooled) -> Result<ClipShape, DetectError> {
    let (table, config) = (&parts.table, &parts.config);
    let prefix = clip_prefix(table);
    let mut look = Lookup::new(table);
    let [vocabulary, hidden] = look.shape(&format!("{prefix}embeddings.token_embedding.weight"))?;
    let [positions, _] = look.shape(&format!("{prefix}embeddings.position_embedding.weight"))?;
    let [feed_forward, _] = look.shape(&format!("{prefix}encoder.layers.0.mlp.fc1.weight"))?;
    let pooled = match pooled {
        ClipPooled::Projected(_) => {
            let [width, _] = look.shape("text_projection.weight")?;
            ClipPooled::Projected(width)
        }
        other => other,
    };
    let layers = count_blocks(table, &format!("{prefix}encoder.layers."));
    for index in 0..layers {
        for part in CLIP_LAYER {
            look.need(&format!("{prefix}encoder.layers.{index}.{part}"));
        }
    }
    look.finish()?;
    // OpenAI's tower of width 768 is the only one with the quick gate.
    let gelu = match config.get("hidden_act").and_then(Value::as_str) {
        Some(name) => name != "quick_gelu",
        None => hidden != 768,
    };
    let heads = config.get("num_attention_heads").and_then(Value::as_usize).unwrap_or((hidden / 64).max(1));
    if heads == 0 || !hidden.is_multiple_of(heads) || vocabulary < 3 || !(3..=4096).contains(&positions) || layers < 2 {
        let what = format!("{heads} heads in {hidden}, {vocabulary} tokens, {positions} positions, {layers} layers");
        return Err(DetectError::OddConfig(what));
    }
    // OpenCLIP-H is used without its last layer, which files in the original layout still hold.
    let surplus = usize::from(!penultimate && hidden == 1024 && layers == 24);
    Ok(ClipShape {
        vocabulary,
        hidden,
        layers: layers - surplus,
        heads,
        feed_forward,
        positions,
        activation: if gelu { ClipActivation::Gelu } else { ClipActivation::QuickGelu },
        output: if penultimate { ClipOutput::Penultimate } else { ClipOutput::Last },
        pooled,
        padding: match parts.padding {
            Some(ClipPadding::First) => 0,
            None if gelu => 0,
            Some(ClipPadding::End) | None => vocabulary as u32 - 1,
        },
        norm_eps: number(config, "layer_norm_eps", 1e-5),
    })
}

const CLIP_LAYER: [&str; 16] = [
    "layer_norm1.weight",
    "layer_norm1.bias",
    "self_attn.q_proj.weight",
    "self_attn.q_proj.bias",
    "self_attn.k_proj.weight",
    "self_attn.k_proj.bias",
    "self_attn.v_proj.weight",
    "self_attn.v_proj.bias",
    "self_attn.out_proj.weight",
    "self_attn.out_proj.bias",
    "layer_norm2.weight",
    "layer_norm2.bias",
    "mlp.fc1.weight",
    "mlp.fc1.bias",
    "mlp.fc2.weight",
    "mlp.fc2.bias",
];

pub(super) fn clip_slot(name: &str, shape: &ClipShape) -> Slot {
    let name = name.strip_prefix("text_model.").unwrap_or(name);
    let normed = shape.output == ClipOutput::Last || shape.pooled != ClipPooled::Unused;
    match block_index(name, "encoder.layers.") {
        Some(index) if index < shape.used_layers() => Slot::Block(index),
        Some(_) => Slot::Unused,
        None => match name {
            "embeddings.token_embedding.weight" | "embeddings.position_embedding.weight" => Slot::Fixed,
            "final_layer_norm.weight" | "final_layer_norm.bias" if normed => Slot::Fixed,
            "text_projection.weight" if matches!(shape.pooled, ClipPooled::Projected(_)) => Slot::Fixed,
            _ => Slot::Unused,
        },
    }
}

fn unet_shape(table: &TensorTable, config: &Value, pooled: usize) -> Result<UnetShape, DetectError> {
    let odd = |what: String| Err(DetectError::OddConfig(what));
    let count = count_blocks(table, "down_blocks.");
    let mut look = Lookup::new(table);
    let [first, channels_in, _, _] = look.shape("conv_in.weight")?;
    let [channels_out, _, _, _] = look.shape("conv_out.weight")?;
    let [time_width, _] = look.shape("time_embedding.linear_1.weight")?;
    let mid = "mid_block.attentions.0.transformer_blocks.";
    let [_, context] = look.shape(&format!("{mid}0.attn2.to_k.weight"))?;
    let mut levels = Vec::with_capacity(count);
    for l in 0..count {
        let [width, _, _, _] = look.shape(&format!("down_blocks.{l}.resnets.0.conv1.weight"))?;
        let depth = count_blocks(table, &format!("down_blocks.{l}.attentions.0.transformer_blocks."));
        levels.push(UnetLevel { width, depth, heads: heads(config, l, width, context) });
    }
    look.finish()?;
    let Some(shape) = UnetShape::new(&levels) else { return odd(format!("a denoiser of {count} levels")) };
    let added = match table.get("add_embedding.linear_1.weight").map(|tensor| tensor.shape.as_slice()) {
        Some(&[_, width]) => {
            let number_width = config.get("addition_time_embed_dim").and_then(Value::as_usize).unwrap_or(256).max(2);
            let numbers = width.saturating_sub(pooled) / number_width;
            let added = AddedConditions { pooled, numbers, number_width };
            if added.width() != width || ![5, 6].contains(&numbers) || !number_width.is_multiple_of(2) {
                return odd(format!("added conditions of {width} beside a pooled vector of {pooled}"));
            }
            Some(added)
        }
        _ => None,
    };
    let shape = UnetShape {
        channels_in,
        channels_out,
        layers_per_block: count_blocks(table, "down_blocks.0.resnets."),
        mid_depth: count_blocks(table, mid),
        context,
        time_width,
        added,
        groups: config.get("norm_num_groups").and_then(Value::as_usize).unwrap_or(32),
        levels: shape.levels,
    };
    if ![channels_out, channels_out + 5].contains(&channels_in)
        || levels.first().map(|level| level.width) != Some(first)
    {
        return odd(format!("{channels_in} channels in, {channels_out} out, {first} between"));
    }
    let mut look = Lookup::new(table);
    for name in ["conv_in", "time_embedding.linear_1", "time_embedding.linear_2", "conv_norm_out", "conv_out"] {
        look.need(&format!("{name}.weight"));
        look.need(&format!("{name}.bias"));
    }
    for piece in shape.pieces() {
        check(&piece, shape.groups)?;
        let prefixes = piece.prefixes();
        for (part, names) in tensors(&piece) {
            for name in names {
                look.need(&format!("{}{name}", prefixes[part]));
            }
        }
    }
    look.finish()?;
    Ok(shape)
}

/// Heads of a level: diffusers' `attention_head_dim` is their number, whatever it is called.
fn heads(config: &Value, level: usize, width: usize, context: usize) -> usize {
    let told = ["num_attention_heads", "attention_head_dim"].into_iter().find_map(|key| {
        let value = config.get(key)?;
        value.as_usize().or_else(|| value.as_array()?.get(level)?.as_usize())
    });
    // Stable Diffusion 1 has eight heads everywhere, the others heads of 64.
    told.unwrap_or(if context == 768 { 8 } else { width / 64 })
}

fn check(piece: &UnetPiece, groups: usize) -> Result<(), DetectError> {
    let fits = |width: usize| groups > 0 && width.is_multiple_of(groups);
    let good = match piece.kind {
        UnetPieceKind::Resnet { from, to, .. } => fits(from) && fits(to),
        UnetPieceKind::Enter { width } => fits(width),
        UnetPieceKind::Layer { width, heads, .. } => heads > 0 && width.is_multiple_of(heads),
        _ => true,
    };
    if good { Ok(()) } else { Err(DetectError::OddConfig(format!("{groups} norm groups for {:?}", piece.kind))) }
}

/// The tensors of a piece, each with which of the piece's prefixes it has.
fn tensors(piece: &UnetPiece) -> Vec<(usize, &'static [&'static str])> {
    const PAIR: &[&str] = &["weight", "bias"];
    match piece.kind {
        UnetPieceKind::Resnet { from, to, .. } => {
            let mut all: Vec<(usize, &'static [&'static str])> = vec![(0, RESNET)];
            if from != to {
                all.push((0, &["conv_shortcut.weight", "conv_shortcut.bias"]));
            }
            all
        }
        UnetPieceKind::Enter { .. } => vec![(0, PAIR), (1, PAIR)],
        UnetPieceKind::Layer { .. } => vec![(0, LAYER)],
        _ => vec![(0, PAIR)],
    }
}

const RESNET: &[&str] = &[
    "norm1.weight",
    "norm1.bias",
    "conv1.weight",
    "conv1.bias",
    "time_emb_proj.weight",
    "time_emb_proj.bias",
    "norm2.weight",
    "norm2.bias",
    "conv2.weight",
    "conv2.bias",
];
const LAYER: &[&str] = &[
    "norm1.weight",
    "norm1.bias",
    "norm2.weight",
    "norm2.bias",
    "norm3.weight",
    "norm3.bias",
    "attn1.to_q.weight",
    "attn1.to_k.weight",
    "attn1.to_v.weight",
    "attn1.to_out.0.weight",
    "attn1.to_out.0.bias",
    "attn2.to_q.weight",
    "attn2.to_k.weight",
    "attn2.to_v.weight",
    "attn2.to_out.0.weight",
    "attn2.to_out.0.bias",
    "ff.net.0.proj.weight",
    "ff.net.0.proj.bias",
    "ff.net.2.weight",
    "ff.net.2.bias",
];
