//! Where the tensors of each network stand: in a block, outside of all blocks, or left in the file.

use super::flux::t5_slot;
use super::stable_diffusion::clip_slot;
use super::{Slot, block_index};
use crate::model::inventory::{Component, Inventory};
use crate::model::lora::{Lora, NotApplied, Patch, Place};
use crate::model::shapes::{DenoiserShape, Qwen3Shape, TextEncoderShape, UnetShape};

/// By the canonical names of a denoiser's tensors.
pub(super) fn of_denoiser(shape: &DenoiserShape) -> Box<dyn Fn(&str) -> Slot> {
    match shape {
        DenoiserShape::Flux(shape) => {
            let doubles = shape.double_blocks;
            Box::new(move |name| in_rows(name, &[("transformer_blocks.", 0), ("single_transformer_blocks.", doubles)]))
        }
        DenoiserShape::Unet(shape) => of_unet(shape),
        // Refiners run as blocks as well: noise, context, then the main layers.
        DenoiserShape::ZImage(shape) => {
            let refiners = shape.refiner_layers;
            let rows = [("noise_refiner.", 0), ("context_refiner.", refiners), ("layers.", 2 * refiners)];
            Box::new(move |name| in_rows(name, &rows))
        }
    }
}

/// By the canonical names of a text encoder's tensors.
pub(super) fn of_text_encoder(shape: &TextEncoderShape) -> Box<dyn Fn(&str) -> Slot> {
    match *shape {
        TextEncoderShape::Clip(shape) => Box::new(move |name| clip_slot(name, &shape)),
        TextEncoderShape::Qwen3(shape) => Box::new(move |name| qwen3_slot(name, &shape)),
        TextEncoderShape::T5(_) => Box::new(t5_slot),
    }
}

/// Rows of blocks by what their names start with and the number of the first one.
fn in_rows(name: &str, rows: &[(&str, usize)]) -> Slot {
    let block = rows.iter().find_map(|(prefix, first)| Some(first + block_index(name, prefix)?));
    block.map_or(Slot::Fixed, Slot::Block)
}

fn of_unet(shape: &UnetShape) -> Box<dyn Fn(&str) -> Slot> {
    const FIXED: [&str; 5] = ["conv_in.", "time_embedding.", "add_embedding.", "conv_norm_out.", "conv_out."];
    let numbered = |(index, piece): (usize, crate::model::shapes::UnetPiece)| {
        piece.prefixes().into_iter().map(move |prefix| (prefix, index)).collect::<Vec<_>>()
    };
    let prefixes: Vec<(String, usize)> = shape.pieces().into_iter().enumerate().flat_map(numbered).collect();
    Box::new(move |name| match prefixes.iter().find(|(prefix, _)| name.starts_with(prefix.as_str())) {
        Some((_, index)) => Slot::Block(*index),
        None if FIXED.iter().any(|prefix| name.starts_with(prefix)) => Slot::Fixed,
        None => Slot::Unused,
    })
}

/// A caption is what enters the last layer, which is not read.
fn qwen3_slot(name: &str, shape: &Qwen3Shape) -> Slot {
    let name = name.strip_prefix("model.").unwrap_or(name);
    match block_index(name, "layers.") {
        Some(index) if index + 1 < shape.layers => Slot::Block(index),
        None if name == "embed_tokens.weight" => Slot::Fixed,
        _ => Slot::Unused,
    }
}

impl Inventory {
    /// The same model with a `LoRA` beside its weights.
    ///
    /// # Errors
    /// The module that cannot be changed, and why.
    pub fn with_lora(mut self, lora: &Lora) -> Result<Self, (String, NotApplied)> {
        for patch in &lora.patches {
            let bytes = patch.bytes().map_err(|why| (patch.module.clone(), why))?;
            let name = format!("{}.weight", patch.module);
            let (component, slot): (&mut Component, Slot) = match patch.place {
                Place::Denoiser => (&mut self.denoiser, of_denoiser(&self.denoiser_shape)(&name)),
                Place::TextEncoder(index) => match self.text_encoders.get_mut(index) {
                    Some(text) => (&mut text.component, of_text_encoder(&text.shape)(&name)),
                    None => continue,
                },
            };
            component.fixed.loras += Patch::RECORD;
            let unit = match slot {
                Slot::Fixed => Some(&mut component.fixed),
                Slot::Block(index) => component.blocks.get_mut(index),
                Slot::Unused => None,
            };
            if let Some(unit) = unit {
                unit.loras += bytes;
            }
        }
        Ok(self)
    }
}
