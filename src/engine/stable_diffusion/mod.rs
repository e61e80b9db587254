//! The Stable Diffusion families: a convolutional denoiser with attention to CLIP features, discrete noise steps.
//!
//! After "High-Resolution Image Synthesis with Latent Diffusion Models" (Rombach et al., 2022), "SDXL" (Podell et al.,
//! 2023) and diffusers' `UNet2DConditionModel`, `StableDiffusionPipeline` and `StableDiffusionXLPipeline`.

mod block;
#[cfg(test)]
mod books;
#[cfg(test)]
pub(super) mod parity;
mod unet;

pub(crate) use unet::Unet;
