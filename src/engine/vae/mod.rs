//! diffusers' `AutoencoderKL`: latent to picture, rows x columns x channels throughout.

mod banded;
mod decoder;
mod parts;
mod tiles;

pub(crate) use decoder::Decoder;
