//! The dimensions of each network, as plain numbers: the planner's arithmetic and the engine's layers read the same.

mod clip;
mod flux;
mod qwen3;
mod t5;
mod unet;
mod vae;
mod z_image;

pub use clip::{ClipActivation, ClipOutput, ClipPooled, ClipShape};
pub use flux::FluxShape;
pub use qwen3::Qwen3Shape;
pub use t5::T5Shape;
pub use unet::{AddedConditions, UnetLevel, UnetLevels, UnetPiece, UnetPieceKind, UnetPlace, UnetShape};
pub use vae::VaeShape;
pub use z_image::{Z_IMAGE_SEQUENCE_MULTIPLE, ZImageShape};

/// A network that turns a prompt into features.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TextEncoderShape {
    Clip(ClipShape),
    Qwen3(Qwen3Shape),
    T5(T5Shape),
}

impl TextEncoderShape {
    /// Width of the features of one token.
    #[must_use]
    pub const fn features(&self) -> usize {
        match self {
            Self::Clip(shape) => shape.hidden,
            Self::Qwen3(shape) => shape.hidden,
            Self::T5(shape) => shape.hidden,
        }
    }
}

/// The network that turns noise into a latent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DenoiserShape {
    Flux(FluxShape),
    Unet(UnetShape),
    ZImage(ZImageShape),
}

impl DenoiserShape {
    #[must_use]
    pub const fn patch(&self) -> u32 {
        match self {
            Self::Flux(shape) => shape.patch as u32,
            Self::Unet(_) => 1,
            Self::ZImage(shape) => shape.patch as u32,
        }
    }

    /// Squares of a latent of `width` x `height` that become one token each.
    #[must_use]
    pub const fn image_tokens(&self, (width, height): (usize, usize)) -> usize {
        let patch = self.patch() as usize;
        (width / patch) * (height / patch)
    }

    #[must_use]
    pub const fn latent_channels(&self) -> usize {
        match self {
            Self::Flux(shape) => shape.channels,
            Self::Unet(shape) => shape.channels_out,
            Self::ZImage(shape) => shape.channels,
        }
    }
}
