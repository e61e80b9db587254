//! How long each phase takes: operations and bytes moved, divided by what this machine was measured to do.

use super::placement::{Phase, Work};
use super::policy::Device;
use super::{Choice, Decode, Tier};
use crate::machine::Machine;
use crate::model::Inventory;
use crate::model::shapes::{DenoiserShape, TextEncoderShape, VaeShape, ZImageShape};
use crate::planner::footprint::latent_size;
use crate::units::{Bytes, Secs};

/// Read rate where none was measured: a plain SATA disk or a busy NVMe one.
const ASSUMED_READ: f64 = 1.0e9;

/// The machine's throughput after a run that was predicted with `gflops` to compute for `predicted` and took
/// `measured`: half of the way to what was seen, so that one disturbed run does not spoil the next prediction.
///
/// A calibration product is the best case; networks reach a share of it that only a run can tell.
#[must_use]
pub fn learned_gflops(gflops: f64, predicted: Secs, measured: Secs) -> f64 {
    let seen = gflops * predicted.0 / measured.0;
    if !seen.is_finite() || seen <= 0.0 {
        return gflops;
    }
    f64::midpoint(gflops, seen.clamp(gflops / 8.0, gflops * 8.0))
}

/// Seconds of one phase, `None` where the machine's speed is unknown.
pub(super) fn phase_secs(
    work: &Work<'_>,
    machine: &Machine,
    device: Device,
    phase: Phase,
    choice: Choice,
) -> Option<Secs> {
    let gflops = match device {
        Device::Cpu => machine.cpu.gflops,
        Device::Gpu(index) => machine.gpus.get(index).and_then(|gpu| gpu.gflops),
    }?;
    let compute = |flops: f64| flops / (gflops * 1e9);
    let read = |bytes: Bytes| bytes.get() as f64 / ASSUMED_READ;
    let model = work.model;
    let recipe = work.recipe;
    let passes = if recipe.guided() { 2.0 } else { 1.0 };
    let secs = match phase {
        Phase::LoadTextEncoder => read(model.text_encoder.bytes()),
        Phase::Encode => compute(text_flops(&model.text_shape, work.tokens)) * passes,
        Phase::LoadDenoiser => {
            if choice.tier == Tier::Streamed {
                read(model.denoiser.fixed.bytes)
            } else {
                read(model.denoiser.bytes())
            }
        }
        Phase::Denoise => {
            let forwards = passes * f64::from(recipe.steps());
            let pictures = f64::from(recipe.batch());
            let step = compute(denoiser_flops(model, recipe.size(), work.tokens)) * forwards * pictures;
            if choice.tier == Tier::Streamed {
                // Blocks are read once a forward pass, behind the compute of the one before.
                step.max(read(model.denoiser.bytes()) * forwards * pictures)
            } else {
                step
            }
        }
        Phase::LoadVae => read(model.vae.bytes()),
        Phase::Decode => {
            let (width, height) = latent_size(model.vae_shape.factor(), recipe.size());
            let overlap = match choice.decode {
                Decode::Whole => 1.0,
                // The first pass over the bands makes most values that the second one makes again.
                Decode::Banded => 1.7,
                Decode::Tiled => 1.6,
            };
            compute(vae_flops(&model.vae_shape, width, height)) * f64::from(recipe.batch()) * overlap
        }
        // Filter and deflate of the PNG, at about 60 MB/s.
        Phase::Save => recipe.size().pixels() as f64 * 3.0 * f64::from(recipe.batch()) / 6e7,
    };
    Some(Secs(secs))
}

fn text_flops(shape: &TextEncoderShape, tokens: usize) -> f64 {
    let q = shape.heads * shape.head_dim;
    let kv = shape.kv_heads * shape.head_dim;
    let weights = shape.hidden * (2 * q + 2 * kv + 3 * shape.feed_forward);
    let t = tokens as f64;
    shape.used_layers() as f64 * (2.0 * t * weights as f64 + 4.0 * t * t * q as f64)
}

/// One pass over one latent.
fn denoiser_flops(model: &Inventory, size: crate::units::PixelSize, tokens: usize) -> f64 {
    let DenoiserShape::ZImage(shape) = &model.denoiser_shape;
    let (width, height) = latent_size(model.vae_shape.factor(), size);
    let image = shape.image_tokens(width, height);
    let all = image + shape.caption_tokens(tokens);
    shape.refiner_layers as f64 * block_flops(shape, image) + shape.layers as f64 * block_flops(shape, all)
}

fn block_flops(shape: &ZImageShape, tokens: usize) -> f64 {
    let t = tokens as f64;
    let weights = shape.dim * (4 * shape.dim + 3 * shape.feed_forward);
    2.0 * t * weights as f64 + 4.0 * t * t * shape.dim as f64
}

fn vae_flops(shape: &VaeShape, width: usize, height: usize) -> f64 {
    let widths = shape.widths();
    let mut positions = (width * height) as f64;
    let Some(&deepest) = widths.last() else { return 0.0 };
    let conv = |positions: f64, from: usize, to: usize| 18.0 * positions * (from * to) as f64;
    let mut flops = conv(positions, shape.latent_channels, deepest) + 4.0 * conv(positions, deepest, deepest);
    if shape.mid_attention {
        flops += 8.0 * positions * (deepest * deepest) as f64 + 4.0 * positions * positions * deepest as f64;
    }
    let mut channels = deepest;
    for (level, &to) in widths.iter().rev().enumerate() {
        for _ in 0..=shape.layers_per_block {
            flops += conv(positions, channels, to) + conv(positions, to, to);
            channels = to;
        }
        if level + 1 < widths.len() {
            positions *= 4.0;
            // Of nine kernel positions, four see different inputs after upsampling.
            flops += conv(positions, to, to) * 4.0 / 9.0;
        }
    }
    flops + conv(positions, channels, super::footprint::ops::STRIP)
}
