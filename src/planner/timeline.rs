//! How long each phase takes: operations and bytes moved, divided by what this machine was measured to do.

use super::placement::{Phase, Work};
use super::policy::Device;
use super::{Choice, Decode, Tier, flops};
use crate::machine::Machine;
use crate::model::Component;
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
    if work.skips(phase) {
        return Some(Secs(0.0));
    }
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
        Phase::LoadTextEncoder => {
            let texts = model.text_encoders.iter().map(|text| text.component.bytes()).sum::<Bytes>();
            read(texts + work.picture_encoder().map(Component::bytes).unwrap_or_default())
        }
        Phase::Encode => {
            let texts =
                work.texts().map(|(text, of)| compute(flops::text(&text.shape, of.tokens))).sum::<f64>() * passes;
            let picture = || compute(flops::vae_encoder(&model.vae_shape, recipe.size()));
            texts + work.picture_encoder().map_or(0.0, |_| picture())
        }
        Phase::LoadDenoiser => {
            if choice.tier == Tier::Streamed {
                read(model.denoiser.fixed.bytes)
            } else {
                read(model.denoiser.bytes())
            }
        }
        Phase::Denoise => {
            let forwards = passes * f64::from(recipe.sampler().evaluations(recipe.steps_to_run()));
            let pictures = f64::from(recipe.batch());
            let step = compute(flops::denoiser(model, recipe.size(), &work.tokens())) * forwards * pictures;
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
            compute(flops::vae(&model.vae_shape, width, height)) * f64::from(recipe.batch()) * overlap
        }
        // Filter and deflate of the PNG, at about 60 MB/s.
        Phase::Save => recipe.size().pixels() as f64 * 3.0 * f64::from(recipe.batch()) / 6e7,
    };
    Some(Secs(secs))
}
