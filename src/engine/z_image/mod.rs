//! The Z-Image family: single-stream diffusion transformer on Qwen3 features, flow matching.
//!
//! After "Z-Image: An Efficient Image Generation Foundation Model with Single-Stream Diffusion Transformer" (2025)
//! and diffusers' `ZImageTransformer2DModel` and `ZImagePipeline`.

mod transformer;

pub(crate) use transformer::Transformer;
