//! The operations of every network: each holds what `planner::footprint::ops` states and nothing more.
//!
//! Activations are contiguous f32 candle tensors, weights stay in their stored type. All work is split into tasks
//! that do not depend on the number of threads, run on the current rayon pool.

mod attention;
mod biased;
#[cfg(test)]
pub(crate) mod books;
mod ceiling;
mod channels;
mod conv;
mod gate;
mod gelu;
mod kernel;
mod linear;
mod math;
mod memory;
mod norm;
mod resample;
mod side;
mod stored;
mod weight;

pub(crate) use attention::{Heads, Mask, attention};
pub(crate) use biased::{DistanceBias, biased_attention};
pub(crate) use ceiling::{bf16_gflops, f32_gflops, isa_name};
pub(crate) use channels::{add_bias, beside, copy};
pub(crate) use conv::{Before, Resize, Store, conv, conv_add, conv_rows};
pub(crate) use gate::{gated_add, tanh_gelu, tanh_gelu_multiply};
pub(crate) use gelu::{geglu, gelu, quick_gelu};
pub(crate) use kernel::multiplies_pairs;
pub(crate) use linear::{linear, linear_add, linear_vector};
pub(crate) use memory::{copy_into, read, tensor, update};
pub(crate) use norm::{
    GroupNorm, Pairing, Rope, apply_affine, head_norm_rope, layer_norm, layer_norm_affine, rms_norm, rms_norm_add,
    silu_multiply,
};
pub(crate) use resample::upsample;
pub(crate) use stored::{expand, noise, readable};
pub(crate) use weight::{Conv, Linear, Side, Weight};
