//! The parts list of a model: components, their units of weights and the shapes that decide what a run needs.

use super::noise::Noise;
use super::shapes::{DenoiserShape, TextEncoderShape, VaeShape};
use crate::units::{Bytes, PixelSize};

/// A family of models: one architecture with its own defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// The tiny model inside the program: the Z-Image architecture at toy size.
    Builtin,
    ZImageTurbo,
    ZImage,
    StableDiffusion1,
    StableDiffusion2,
    /// SD-Turbo: Stable Diffusion 2 distilled to a few steps.
    StableDiffusionTurbo,
    StableDiffusionXl,
    StableDiffusionXlTurbo,
    StableDiffusionXlRefiner,
    /// FLUX.1 dev and what is tuned from it: the guidance scale is an input of the network.
    Flux1Dev,
    /// FLUX.1 schnell: distilled to a few steps.
    Flux1Schnell,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ComponentKind {
    TextEncoder,
    TextEncoder2,
    TextEncoder3,
    Denoiser,
    Vae,
}

impl ComponentKind {
    /// In the order in which a run needs them.
    pub const ALL: [Self; 5] = [Self::TextEncoder, Self::TextEncoder2, Self::TextEncoder3, Self::Denoiser, Self::Vae];
    /// A model has at most this many.
    pub const TEXT_ENCODERS: [Self; 3] = [Self::TextEncoder, Self::TextEncoder2, Self::TextEncoder3];

    /// The name in files and on the command line, which is also the folder of a text encoder in diffusers layout.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TextEncoder => "text_encoder",
            Self::TextEncoder2 => "text_encoder_2",
            Self::TextEncoder3 => "text_encoder_3",
            Self::Denoiser => "denoiser",
            Self::Vae => "vae",
        }
    }

    /// Its place among the text encoders.
    #[must_use]
    pub const fn text_index(self) -> Option<usize> {
        match self {
            Self::TextEncoder => Some(0),
            Self::TextEncoder2 => Some(1),
            Self::TextEncoder3 => Some(2),
            Self::Denoiser | Self::Vae => None,
        }
    }
}

/// How a tensor's values are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Precision {
    F64,
    F32,
    F16,
    Bf16,
    F8E4M3,
    F8E5M2,
    I64,
    I32,
    I16,
    I8,
    U8,
    Bool,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2K,
    Q3K,
    Q4K,
    Q5K,
    Q6K,
    Q8K,
    Iq4Nl,
    Iq4Xs,
}

impl Precision {
    /// Values and bytes of one block: a plain type is a block of one.
    #[must_use]
    pub const fn block(self) -> (u64, u64) {
        match self {
            Self::F64 | Self::I64 => (1, 8),
            Self::F32 | Self::I32 => (1, 4),
            Self::F16 | Self::Bf16 | Self::I16 => (1, 2),
            Self::F8E4M3 | Self::F8E5M2 | Self::I8 | Self::U8 | Self::Bool => (1, 1),
            Self::Q4_0 | Self::Iq4Nl => (32, 18),
            Self::Q4_1 => (32, 20),
            Self::Q5_0 => (32, 22),
            Self::Q5_1 => (32, 24),
            Self::Q8_0 => (32, 34),
            Self::Q2K => (256, 84),
            Self::Q3K => (256, 110),
            Self::Q4K => (256, 144),
            Self::Q5K => (256, 176),
            Self::Q6K => (256, 210),
            Self::Q8K => (256, 292),
            Self::Iq4Xs => (256, 136),
        }
    }

    /// Bytes of `count` values, `None` where they do not fill whole blocks or overflow.
    #[must_use]
    pub fn bytes_of(self, count: u64) -> Option<Bytes> {
        let (values, bytes) = self.block();
        count.is_multiple_of(values).then(|| (count / values).checked_mul(bytes))?.map(Bytes)
    }

    /// The name as files and users write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F64 => "f64",
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::F8E4M3 => "f8_e4m3",
            Self::F8E5M2 => "f8_e5m2",
            Self::I64 => "i64",
            Self::I32 => "i32",
            Self::I16 => "i16",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::Bool => "bool",
            Self::Q4_0 => "q4_0",
            Self::Q4_1 => "q4_1",
            Self::Q5_0 => "q5_0",
            Self::Q5_1 => "q5_1",
            Self::Q8_0 => "q8_0",
            Self::Q2K => "q2_k",
            Self::Q3K => "q3_k",
            Self::Q4K => "q4_k",
            Self::Q5K => "q5_k",
            Self::Q6K => "q6_k",
            Self::Q8K => "q8_k",
            Self::Iq4Nl => "iq4_nl",
            Self::Iq4Xs => "iq4_xs",
        }
    }
}

/// Weights that are loaded and freed together: one transformer block, or everything outside the blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unit {
    pub bytes: Bytes,
    pub largest_tensor: Bytes,
    pub tensors: u32,
    /// The halves of `LoRAs` beside the weights, and outside the blocks what is known of all of them.
    pub loras: Bytes,
}

/// One network of a model, as far as a plan needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    pub kind: ComponentKind,
    /// The type that most bytes are stored in.
    pub precision: Precision,
    pub parameters: u64,
    /// Weights outside the repeated blocks.
    pub fixed: Unit,
    /// The repeated blocks, in the order in which they run.
    pub blocks: Vec<Unit>,
}

impl Component {
    /// Weights, without the `LoRAs` beside them.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.sum(|unit| unit.bytes)
    }

    /// `LoRAs` beside the weights.
    #[must_use]
    pub fn loras(&self) -> Bytes {
        self.sum(|unit| unit.loras)
    }

    /// Tensors in the files.
    #[must_use]
    pub fn tensors(&self) -> usize {
        self.blocks.iter().chain([&self.fixed]).map(|unit| unit.tensors as usize).sum()
    }

    fn sum(&self, of: impl Fn(&Unit) -> Bytes) -> Bytes {
        of(&self.fixed) + self.blocks.iter().map(of).sum()
    }
}

/// One of a model's text encoders.
#[derive(Clone, Debug, PartialEq)]
pub struct TextEncoder {
    pub component: Component,
    pub shape: TextEncoderShape,
    /// Length of the tokenizer's files, which are read while a prompt is encoded.
    pub tokenizer: Bytes,
}

/// Everything that a plan knows of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Inventory {
    /// Catalogue name, file or folder name.
    pub name: String,
    pub family: Family,
    /// In the order in which they run; at least one, at most as many as [`ComponentKind::TEXT_ENCODERS`].
    pub text_encoders: Vec<TextEncoder>,
    pub denoiser: Component,
    pub denoiser_shape: DenoiserShape,
    /// What makes pictures of latents.
    pub vae: Component,
    /// What makes latents of pictures: loaded only by runs that start from one. Not every file has it.
    pub vae_encoder: Option<Component>,
    pub vae_shape: VaeShape,
    /// The size that it was trained for.
    pub native: PixelSize,
    pub noise: Noise,
}

impl Inventory {
    /// `None` where the model has no such part.
    #[must_use]
    pub fn component(&self, kind: ComponentKind) -> Option<&Component> {
        match kind {
            ComponentKind::Denoiser => Some(&self.denoiser),
            ComponentKind::Vae => Some(&self.vae),
            text => Some(&self.text_encoders.get(text.text_index()?)?.component),
        }
    }

    /// In the order in which a run needs them.
    pub fn components(&self) -> impl Iterator<Item = &Component> {
        ComponentKind::ALL.into_iter().filter_map(|kind| self.component(kind))
    }

    #[must_use]
    pub fn bytes(&self) -> Bytes {
        self.components().map(Component::bytes).sum()
    }

    /// Width and height must be multiples of this many pixels.
    #[must_use]
    pub fn size_multiple(&self) -> u32 {
        self.vae_shape.factor() * self.denoiser_shape.patch()
    }
}
