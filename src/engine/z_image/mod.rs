//! The Z-Image family: Qwen3 text encoder, single-stream diffusion transformer, flow matching.
//!
//! After "Z-Image: An Efficient Image Generation Foundation Model with Single-Stream Diffusion Transformer" (2025)
//! and diffusers' `ZImageTransformer2DModel` and `ZImagePipeline`.

mod denoiser;
mod text;

pub(crate) use denoiser::Denoiser;
pub(crate) use text::{TextEncoder, tokenize};
