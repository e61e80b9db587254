//! FLUX: a rectified flow transformer over text and image tokens in packed latents.
//!
//! After Black Forest Labs' FLUX.1 (2024) and diffusers' `FluxTransformer2DModel` and `FluxPipeline`.

mod block;
#[cfg(test)]
pub(super) mod parity;
mod transformer;

pub(crate) use transformer::Transformer;
