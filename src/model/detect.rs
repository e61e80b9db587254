//! What a file or folder is, told from the names and shapes of its tensors, never from its own name.

mod flux;
mod slots;
mod stable_diffusion;

pub use flux::{FluxParts, T5Parts, flux};
pub use stable_diffusion::{ClipPadding, ClipParts, StableDiffusionParts, stable_diffusion};

use super::header::{TensorInfo, TensorTable};
use super::inventory::{Component, ComponentKind, Family, Inventory, Precision, TextEncoder, Unit};
use super::json::Value;
use super::noise::{Flow, Noise};
use super::shapes::{DenoiserShape, Qwen3Shape, TextEncoderShape, VaeShape, ZImageShape};
use crate::units::{Bytes, PixelSize};

/// Why tensors and configs do not make a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DetectError {
    #[error("tensors are missing: {}", .0.join(", "))]
    Missing(Vec<String>),
    #[error("tensor {tensor} has shape {shape:?}, which does not fit the others")]
    OddShape { tensor: String, shape: Vec<usize> },
    #[error("the configuration is impossible: {0}")]
    OddConfig(String),
}

/// The type that most bytes of a table are stored in.
pub(super) fn main_precision(table: &TensorTable) -> Precision {
    let mut sums: Vec<(Precision, Bytes)> = Vec::new();
    for tensor in &table.tensors {
        match sums.iter_mut().find(|(precision, _)| *precision == tensor.precision) {
            Some((_, bytes)) => *bytes += tensor.bytes,
            None => sums.push((tensor.precision, tensor.bytes)),
        }
    }
    sums.into_iter().max_by_key(|(_, bytes)| *bytes).map_or(Precision::F32, |(precision, _)| precision)
}

/// Tables and configs of a diffusers folder of the Z-Image architecture. A missing config is `Value::Null`.
#[derive(Clone, Debug)]
pub struct ZImageParts {
    pub text_encoder: TensorTable,
    pub text_config: Value,
    pub transformer: TensorTable,
    pub transformer_config: Value,
    pub vae: TensorTable,
    pub vae_config: Value,
    pub scheduler_config: Value,
    /// Length of `tokenizer.json`.
    pub tokenizer: Bytes,
}

/// The inventory of a Z-Image model, every size from its tensors, the rest from its configs.
///
/// # Errors
/// Lists the missing tensors, or names the one whose shape contradicts the others.
pub fn z_image(name: &str, builtin: bool, parts: &ZImageParts) -> Result<Inventory, DetectError> {
    let text_shape = qwen3_shape(&parts.text_encoder, &parts.text_config)?;
    let denoiser_shape = denoiser_shape(&parts.transformer, &parts.transformer_config)?;
    let vae_shape = vae_shape(&parts.vae, &parts.vae_config, 0.3611, 0.1159)?;
    if text_shape.hidden != denoiser_shape.caption_dim {
        return Err(DetectError::OddConfig(format!(
            "the text encoder gives {} features, the denoiser takes {}",
            text_shape.hidden, denoiser_shape.caption_dim
        )));
    }
    if vae_shape.latent_channels != denoiser_shape.channels {
        return Err(DetectError::OddConfig(format!(
            "the denoiser draws {} latent channels, the VAE reads {}",
            denoiser_shape.channels, vae_shape.latent_channels
        )));
    }
    let shift = parts.scheduler_config.get("shift").and_then(Value::as_f64).unwrap_or(3.0);
    if !shift.is_finite() || shift <= 0.0 {
        return Err(DetectError::OddConfig(format!("schedule shift {shift}")));
    }
    let side = parts.vae_config.get("sample_size").and_then(Value::as_u64).and_then(|side| u32::try_from(side).ok());
    let native = if builtin { side.unwrap_or(256).clamp(64, 1024) } else { 1024 };
    let text_shape = TextEncoderShape::Qwen3(text_shape);
    let denoiser_shape = DenoiserShape::ZImage(denoiser_shape);
    let denoiser = component(ComponentKind::Denoiser, &parts.transformer, slots::of_denoiser(&denoiser_shape));
    let text_encoder = component(ComponentKind::TextEncoder, &parts.text_encoder, slots::of_text_encoder(&text_shape));
    Ok(Inventory {
        name: name.to_owned(),
        family: if builtin {
            Family::Builtin
        } else if shift > 4.0 {
            Family::ZImage
        } else {
            Family::ZImageTurbo
        },
        text_encoders: vec![TextEncoder { component: text_encoder, shape: text_shape, tokenizer: parts.tokenizer }],
        denoiser,
        denoiser_shape,
        vae: vae_component(&parts.vae),
        vae_encoder: vae_encoder(&parts.vae),
        vae_shape,
        native: PixelSize::new(native, native),
        noise: Noise::Flow(Flow::fixed(shift)),
    })
}

fn vae_component(table: &TensorTable) -> Component {
    component(ComponentKind::Vae, table, |name| {
        if name.starts_with("decoder.") || name.starts_with("post_quant_conv.") { Slot::Fixed } else { Slot::Unused }
    })
}

/// What makes latents of pictures, where the file has it.
fn vae_encoder(table: &TensorTable) -> Option<Component> {
    table.get("encoder.conv_in.weight")?;
    Some(component(ComponentKind::Vae, table, |name| {
        if name.starts_with("encoder.") || name.starts_with("quant_conv.") { Slot::Fixed } else { Slot::Unused }
    }))
}

enum Slot {
    Fixed,
    Block(usize),
    /// Left in the file.
    Unused,
}

fn component(kind: ComponentKind, table: &TensorTable, slot: impl Fn(&str) -> Slot) -> Component {
    let mut fixed = Unit::default();
    let mut blocks: Vec<Unit> = Vec::new();
    for tensor in &table.tensors {
        let unit = match slot(&tensor.name) {
            Slot::Unused => continue,
            Slot::Fixed => &mut fixed,
            Slot::Block(index) => {
                if blocks.len() <= index {
                    blocks.resize(index + 1, Unit::default());
                }
                &mut blocks[index]
            }
        };
        // Vectors (norms, biases) are small and kept in f32; everything else as it is stored.
        let bytes = if tensor.shape.len() == 1 { Bytes::f32s(tensor.shape[0]) } else { tensor.bytes };
        unit.bytes += bytes;
        unit.largest_tensor = unit.largest_tensor.max(bytes);
        unit.tensors += 1;
    }
    Component {
        kind,
        precision: main_precision(table),
        parameters: table.tensors.iter().map(TensorInfo::count).sum(),
        fixed,
        blocks,
    }
}

/// `layers.12.x` with prefix `layers.` gives 12. Absurd numbers are no blocks.
fn block_index(name: &str, prefix: &str) -> Option<usize> {
    let (number, _) = name.strip_prefix(prefix)?.split_once('.')?;
    number.parse().ok().filter(|&index| index < 1024)
}

fn count_blocks(table: &TensorTable, prefix: &str) -> usize {
    table.tensors.iter().filter_map(|tensor| block_index(&tensor.name, prefix)).max().map_or(0, |last| last + 1)
}

/// Looks tensors up and remembers which were not there.
struct Lookup<'a> {
    table: &'a TensorTable,
    missing: Vec<String>,
}

impl<'a> Lookup<'a> {
    const fn new(table: &'a TensorTable) -> Self {
        Self { table, missing: Vec::new() }
    }

    /// The dimensions of a tensor; zeros where it is missing, which `finish` reports.
    fn shape<const N: usize>(&mut self, name: &str) -> Result<[usize; N], DetectError> {
        let Some(tensor) = self.table.get(name) else {
            self.missing.push(name.to_owned());
            return Ok([1; N]);
        };
        if tensor.shape.contains(&0) {
            return Err(DetectError::OddShape { tensor: name.to_owned(), shape: tensor.shape.clone() });
        }
        <[usize; N]>::try_from(tensor.shape.as_slice())
            .map_err(|_len| DetectError::OddShape { tensor: name.to_owned(), shape: tensor.shape.clone() })
    }

    /// A tensor whose shape is checked when it is loaded.
    fn need(&mut self, name: &str) {
        if self.table.get(name).is_none() {
            self.missing.push(name.to_owned());
        }
    }

    fn finish(self) -> Result<(), DetectError> {
        if self.missing.is_empty() { Ok(()) } else { Err(DetectError::Missing(self.missing)) }
    }
}

fn number(config: &Value, key: &str, default: f64) -> f64 {
    config.get(key).and_then(Value::as_f64).filter(|number| number.is_finite()).unwrap_or(default)
}

fn qwen3_shape(table: &TensorTable, config: &Value) -> Result<Qwen3Shape, DetectError> {
    let prefix = if table.get("model.embed_tokens.weight").is_some() { "model." } else { "" };
    let mut look = Lookup::new(table);
    let [vocabulary, hidden] = look.shape(&format!("{prefix}embed_tokens.weight"))?;
    let layers = count_blocks(table, &format!("{prefix}layers."));
    let first = format!("{prefix}layers.0.");
    let [q_width, _] = look.shape(&format!("{first}self_attn.q_proj.weight"))?;
    let [kv_width, _] = look.shape(&format!("{first}self_attn.k_proj.weight"))?;
    let [head_dim] = look.shape(&format!("{first}self_attn.q_norm.weight"))?;
    let [feed_forward, _] = look.shape(&format!("{first}mlp.gate_proj.weight"))?;
    look.finish()?;
    if layers < 2 {
        return Err(DetectError::OddConfig(format!("a text encoder of {layers} layers has no caption layer")));
    }
    if !q_width.is_multiple_of(head_dim) || !kv_width.is_multiple_of(head_dim) || !q_width.is_multiple_of(kv_width) {
        return Err(DetectError::OddConfig(format!("heads of {head_dim} in {q_width} and {kv_width}")));
    }
    // transformers 5 nests the rotary parameters, version 4 did not.
    let nested = config.get("rope_parameters").map_or(1e6, |rope| number(rope, "rope_theta", 1e6));
    Ok(Qwen3Shape {
        vocabulary,
        hidden,
        layers,
        heads: q_width / head_dim,
        kv_heads: kv_width / head_dim,
        head_dim,
        feed_forward,
        norm_eps: number(config, "rms_norm_eps", 1e-6),
        rope_theta: number(config, "rope_theta", nested),
        max_tokens: 512,
    })
}

fn denoiser_shape(table: &TensorTable, config: &Value) -> Result<ZImageShape, DetectError> {
    let embedder = table
        .tensors
        .iter()
        .find_map(|tensor| tensor.name.strip_prefix("all_x_embedder.")?.strip_suffix("-1.weight"))
        .and_then(|patch| patch.parse::<usize>().ok())
        .filter(|patch| (1..=16).contains(patch));
    let patch = embedder.ok_or_else(|| DetectError::Missing(vec!["all_x_embedder.2-1.weight".to_owned()]))?;
    let mut look = Lookup::new(table);
    let [dim, patch_width] = look.shape(&format!("all_x_embedder.{patch}-1.weight"))?;
    let [caption_dim] = look.shape("cap_embedder.0.weight")?;
    let [head_dim] = look.shape("layers.0.attention.norm_q.weight")?;
    let [feed_forward, _] = look.shape("layers.0.feed_forward.w1.weight")?;
    let [_, modulation_dim] = look.shape("layers.0.adaLN_modulation.0.weight")?;
    look.finish()?;
    let default_axes = [32, 48, 48].map(|part| part * head_dim / 128);
    let rope_axes = match config.get("axes_dims").and_then(Value::as_array) {
        None => default_axes,
        Some(axes) => {
            let axes: Option<Vec<usize>> = axes.iter().map(Value::as_usize).collect();
            axes.and_then(|axes| <[usize; 3]>::try_from(axes).ok())
                .ok_or_else(|| DetectError::OddConfig("axes_dims must be three numbers".to_owned()))?
        }
    };
    let odd_axes = rope_axes.iter().any(|axis| !axis.is_multiple_of(2));
    if odd_axes || rope_axes.iter().try_fold(0_usize, |sum, &axis| sum.checked_add(axis)) != Some(head_dim) {
        return Err(DetectError::OddConfig(format!("rotary axes {rope_axes:?} for heads of {head_dim}")));
    }
    if !dim.is_multiple_of(head_dim) || !patch_width.is_multiple_of(patch * patch) {
        return Err(DetectError::OddConfig(format!("width {dim}, heads of {head_dim}, patches of {patch_width}")));
    }
    Ok(ZImageShape {
        channels: patch_width / (patch * patch),
        patch,
        dim,
        heads: dim / head_dim,
        layers: count_blocks(table, "layers."),
        refiner_layers: count_blocks(table, "noise_refiner."),
        feed_forward,
        caption_dim,
        modulation_dim,
        norm_eps: number(config, "norm_eps", 1e-5),
        rope_theta: number(config, "rope_theta", 256.0),
        rope_axes,
        time_scale: number(config, "t_scale", 1000.0),
    })
}

/// `scaling` and `shift` are those of the family, where the config tells none.
fn vae_shape(table: &TensorTable, config: &Value, scaling: f64, shift: f64) -> Result<VaeShape, DetectError> {
    let levels = count_blocks(table, "decoder.up_blocks.");
    let mut look = Lookup::new(table);
    let [deepest, latent_channels, _, _] = look.shape("decoder.conv_in.weight")?;
    let mut widths = Vec::with_capacity(levels);
    for level in (0..levels).rev() {
        let [to, _, _, _] = look.shape(&format!("decoder.up_blocks.{level}.resnets.0.conv1.weight"))?;
        widths.push(to);
    }
    let [last_norm] = look.shape("decoder.conv_norm_out.weight")?;
    look.finish()?;
    let mut shape = VaeShape::new(latent_channels, &widths)
        .ok_or_else(|| DetectError::OddConfig(format!("a VAE of {levels} levels")))?;
    if widths.last() != Some(&deepest) || widths.first() != Some(&last_norm) {
        return Err(DetectError::OddConfig(format!("VAE widths {widths:?} between {deepest} and {last_norm}")));
    }
    shape.layers_per_block = count_blocks(table, "decoder.up_blocks.0.resnets.").saturating_sub(1);
    shape.groups = config.get("norm_num_groups").and_then(Value::as_usize).unwrap_or(32);
    if shape.groups == 0 || widths.iter().any(|width| !width.is_multiple_of(shape.groups)) {
        return Err(DetectError::OddConfig(format!("{} norm groups in widths {widths:?}", shape.groups)));
    }
    shape.mid_attention = table.get("decoder.mid_block.attentions.0.to_q.weight").is_some();
    shape.quant_conv = table.get("quant_conv.weight").is_some();
    shape.post_quant_conv = table.get("post_quant_conv.weight").is_some();
    shape.scaling_factor = number(config, "scaling_factor", scaling);
    shape.shift_factor = number(config, "shift_factor", shift);
    if shape.scaling_factor == 0.0 {
        return Err(DetectError::OddConfig("a VAE scaling factor of zero".to_owned()));
    }
    Ok(shape)
}
