//! Published layouts, mapped to one set of names: those of diffusers and transformers.
//!
//! A file may hold one network or several, under the names of whoever published it. [`parts`] splits it and gives each
//! network a table of canonical tensors. Splitting a fused product costs nothing: rows are outermost, so a share of
//! them is a shorter stretch of the same bytes, whatever the type, and the table of a part is again a table of where
//! to read. Only the order within a tensor needs a word of its own ([`Arrangement`](super::Arrangement)).
//!
//! The names were checked against diffusers 0.42 (`loaders/single_file_utils.py`), transformers 5 and gguf-py by
//! files that `tests/golden/make_layouts.py` writes.

mod complete;
mod flux;
mod network;
mod rule;
mod sd3;
mod text;
mod unet;
mod vae;
mod z_image;

pub use network::{Naming, Network};
pub use rule::Share;
pub use unet::Numbered;

use super::header::{Scale, TensorInfo, TensorTable};
use rule::{Numbers, Rule};

/// Why a file's tensors cannot be brought into canonical order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    #[error("tensor {tensor} has shape {shape:?}, which cannot be divided as its name says")]
    OddShape { tensor: String, shape: Vec<usize> },
    #[error("the weights are packed by {0}, which is not read")]
    Packed(&'static str),
}

/// One network in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    pub network: Network,
    pub naming: Naming,
    /// What stood before every name: `model.diffusion_model.` and the like, or nothing.
    pub prefix: String,
    /// Canonical names; offsets are those of the file. The file's metadata stays with it.
    pub table: TensorTable,
    /// Published names that no rule knows: they are not read.
    pub strays: Vec<String>,
}

impl Part {
    /// Canonical tensors that the network needs and the file does not have.
    #[must_use]
    pub fn missing(&self) -> Vec<String> {
        complete::missing(self.network, &self.table)
    }
}

/// Prefixes that separate the networks of one file. Braces stand for one segment.
const PREFIXES: [&str; 9] = [
    "model.diffusion_model.",
    "diffusion_model.",
    "first_stage_model.",
    "vae.",
    "cond_stage_model.",
    "conditioner.embedders.{}.",
    "text_encoders.{}.",
    "control_model.",
    "model_ema.",
];

/// Tensors beside the networks: the noise schedule of LDM checkpoints and markers of how they were trained or stored.
const BESIDE: [&str; 19] = [
    "alphas_cumprod",
    "alphas_cumprod_prev",
    "betas",
    "edm_mean",
    "edm_std",
    "log_one_minus_alphas_cumprod",
    "logvar",
    "lvlb_weights",
    "posterior_log_variance_clipped",
    "posterior_mean_coef1",
    "posterior_mean_coef2",
    "posterior_variance",
    "sqrt_alphas_cumprod",
    "sqrt_one_minus_alphas_cumprod",
    "sqrt_recip_alphas_cumprod",
    "sqrt_recipm1_alphas_cumprod",
    "scaled_fp8",
    "v_pred",
    "ztsnr",
];

/// Where a name's prefix ends; 0 where it has none.
fn prefix_length(name: &str) -> usize {
    for prefix in PREFIXES {
        let length = match prefix.split_once("{}") {
            None => name.starts_with(prefix).then_some(prefix.len()),
            Some((head, _)) => {
                name.strip_prefix(head).and_then(|rest| rest.find('.')).map(|segment| head.len() + segment + 1)
            }
        };
        if let Some(length) = length {
            return length;
        }
    }
    0
}

/// What is left of a text encoder's name when its wrapper goes: LDM and ComfyUI keep the module inside an object.
fn unwrapped(name: &str) -> &str {
    if let Some(rest) = name.strip_prefix("model.").filter(|rest| !rest.starts_with("layers.")) {
        return rest;
    }
    match name.strip_prefix("transformer.") {
        Some(rest) if !rest.starts_with("resblocks.") => rest,
        _ => name,
    }
}

/// The networks of a file, each in canonical names. A file that no rule knows gives none.
///
/// # Errors
/// Where a tensor cannot be divided as its name says, or the weights are packed in a way that is not read.
pub fn parts(table: &TensorTable) -> Result<Vec<Part>, LayoutError> {
    if let Some(packer) = packed_by(table) {
        return Err(LayoutError::Packed(packer));
    }
    let mut groups: Vec<(String, TensorTable)> = Vec::new();
    for tensor in with_scales_and_shapes(table)? {
        let length = prefix_length(&tensor.name);
        let (prefix, name) = tensor.name.split_at(length);
        if BESIDE.contains(&name) || prefix == "model_ema." {
            continue;
        }
        let is_text = prefix.starts_with("cond") || prefix.starts_with("text_encoders.");
        let name = if is_text { unwrapped(name) } else { name }.to_owned();
        let at = groups.iter().position(|(known, _)| known == prefix).unwrap_or_else(|| {
            groups.push((prefix.to_owned(), TensorTable::default()));
            groups.len() - 1
        });
        groups[at].1.tensors.push(TensorInfo { name, ..tensor });
    }
    let mut parts = Vec::with_capacity(groups.len());
    for (prefix, group) in groups {
        if let Some((network, naming)) = network::identify(&group, &prefix) {
            parts.push(canonical(network, naming, prefix, group)?);
        }
    }
    Ok(parts)
}

/// Published names of a canonical tensor of a network, in the naming of its original code, with the share of the
/// published rows that it is.
#[must_use]
pub fn published(network: Network, canonical: &str, last: usize) -> Vec<(String, Share)> {
    rule::published(network::rules(network, Naming::Original, true), canonical, Numbers { width: 0, last })
}

/// The numbered blocks of LDM code for a U-Net in canonical names: they translate its names back.
#[must_use]
pub fn unet_blocks(table: &TensorTable) -> Vec<Numbered> {
    unet::places_of_canonical(table)
}

fn packed_by(table: &TensorTable) -> Option<&'static str> {
    let has = |needle: &str| table.tensors.iter().any(|tensor| tensor.name.contains(needle));
    if has(".quant_state.bitsandbytes__") {
        Some("bitsandbytes (nf4 or fp4)")
    } else if has(".wscales") && has(".qweight") {
        Some("SVDQuant (nunchaku)")
    } else if has(".qzeros") {
        Some("GPTQ or AWQ")
    } else if has(".scales") && has(".biases") {
        Some("MLX")
    } else if has(".weight_scale_2") || has(".weight_scale_inv") {
        Some("a block-scaled type (nvfp4, mxfp8 or blockwise fp8)")
    } else {
        None
    }
}

/// The tensors of a file, with the factors of scaled ones attached and the shapes that GGUF flattened given back.
fn with_scales_and_shapes(table: &TensorTable) -> Result<Vec<TensorInfo>, LayoutError> {
    let is_factor = |name: &str| {
        [".scale_weight", ".weight_scale", ".scale_input", ".input_scale", ".comfy_quant"]
            .iter()
            .any(|suffix| name.ends_with(suffix))
    };
    let factors: Vec<&TensorInfo> = table.tensors.iter().filter(|tensor| is_factor(&tensor.name)).collect();
    let mut all = Vec::with_capacity(table.tensors.len());
    for tensor in &table.tensors {
        if is_factor(&tensor.name) {
            continue;
        }
        let mut tensor = tensor.clone();
        if let Some(module) = tensor.name.strip_suffix(".weight").filter(|_| !factors.is_empty()) {
            let found = factors.iter().find(|factor| {
                let suffix = factor.name.strip_prefix(module);
                matches!(suffix, Some(".scale_weight" | ".weight_scale"))
            });
            if let Some(factor) = found {
                tensor.scale = Some(scale_of(factor, &tensor)?);
            }
        }
        if let Some(shape) = flattened_shape(table, &tensor) {
            tensor.shape = shape;
        }
        all.push(tensor);
    }
    Ok(all)
}

fn scale_of(factor: &TensorInfo, tensor: &TensorInfo) -> Result<Scale, LayoutError> {
    let count = usize::try_from(factor.count()).unwrap_or(0);
    let fits = factor.file == tensor.file && (count == 1 || Some(&count) == tensor.shape.first());
    let odd = || LayoutError::OddShape { tensor: factor.name.clone(), shape: factor.shape.clone() };
    fits.then_some(Scale { offset: factor.offset, precision: factor.precision, count }).ok_or_else(odd)
}

/// The shape that a converter wrote down before it flattened a tensor to rows of whole blocks.
fn flattened_shape(table: &TensorTable, tensor: &TensorInfo) -> Option<Vec<usize>> {
    let text = table.metadata(&format!("comfy.gguf.orig_shape.{}", tensor.name))?;
    let shape: Vec<usize> = text.split(',').map(|number| number.trim().parse().ok()).collect::<Option<_>>()?;
    let count = shape.iter().try_fold(1_u64, |all, &n| all.checked_mul(n as u64))?;
    (count == tensor.count()).then_some(shape)
}

fn canonical(network: Network, naming: Naming, prefix: String, group: TensorTable) -> Result<Part, LayoutError> {
    let shared = group.get("shared.weight").is_some();
    let rules: &[Rule] = network::rules(network, naming, shared);
    let numbers = network::numbers(network, &group);
    let places = if network == Network::Unet && naming == Naming::Original { unet::places(&group) } else { Vec::new() };
    let mut table = TensorTable::default();
    let mut strays = Vec::new();
    for tensor in group.tensors {
        // The last layer of Stable Diffusion 2's encoder never runs, and the published folder does not have it.
        if prefix == "cond_stage_model." && naming == Naming::OpenClip {
            let unused = format!("transformer.resblocks.{}.", numbers.last);
            if tensor.name.starts_with(&unused) || tensor.name == "text_projection" {
                continue;
            }
        }
        if let Some(name) = unet::canonical_name(&places, &tensor.name) {
            table.tensors.push(TensorInfo { name, ..tensor });
            continue;
        }
        match rule::apply(rules, &tensor, numbers)? {
            Some(targets) => table.tensors.extend(targets),
            None => strays.push(tensor.name),
        }
    }
    Ok(Part { network, naming, prefix, table, strays })
}
