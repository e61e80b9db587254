//! diffusers' `AutoencoderKL`: between picture and latent, rows x columns x channels throughout.

mod banded;
mod decoder;
mod encoder;
mod parts;
mod tiles;

pub(crate) use decoder::Decoder;
pub(crate) use encoder::Encoder;
