//! What can be said to a model of each family: ranges, choices and defaults.

use super::{Sampler, Schedule};
use crate::model::noise::Noise;
use crate::model::shapes::{ClipPooled, DenoiserShape, TextEncoderShape};
use crate::model::{Family, Inventory};
use crate::units::PixelSize;

/// An allowed interval with its default.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range<T> {
    pub min: T,
    pub max: T,
    pub default: T,
}

impl<T: PartialOrd + Copy> Range<T> {
    #[must_use]
    pub fn contains(&self, value: T) -> bool {
        self.min <= value && value <= self.max
    }
}

/// What a model offers of something, with its default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice<T: 'static> {
    pub offered: &'static [T],
    pub default: T,
}

impl<T: PartialEq> Choice<T> {
    #[must_use]
    pub fn offers(&self, value: &T) -> bool {
        self.offered.contains(value)
    }
}

/// The ranges and defaults of one model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vocabulary {
    pub family: Family,
    pub native: PixelSize,
    /// Widths and heights are multiples of this.
    pub multiple: u32,
    /// Smallest and largest side.
    pub side: Range<u32>,
    pub steps: Range<u32>,
    pub guidance: Range<f32>,
    /// Guidance scale as an input of the network, where it has one.
    pub distilled: Option<Range<f32>>,
    pub batch: Range<u32>,
    pub samplers: Choice<Sampler>,
    pub schedules: Choice<Schedule>,
    pub noise: Noise,
    /// Whether a run may start from a picture: the model's file has the encoder for it.
    pub pictures: bool,
    /// Whether prompts may weigh their words (`(word:1.2)`); else brackets are text.
    pub weights: bool,
}

impl Vocabulary {
    #[must_use]
    pub fn of(model: &Inventory) -> Self {
        let multiple = model.size_multiple();
        let (steps, guidance) = match model.family {
            Family::Builtin => (10, 2.5),
            Family::ZImageTurbo => (9, 1.0),
            Family::ZImage => (30, 4.0),
            Family::StableDiffusion1 | Family::StableDiffusion2 => (25, 7.0),
            Family::StableDiffusionXl | Family::StableDiffusionXlRefiner => (25, 6.0),
            Family::StableDiffusionTurbo | Family::StableDiffusionXlTurbo | Family::Flux1Schnell => (4, 1.0),
            Family::Flux1Dev => (25, 1.0),
        };
        let (sampler, schedule) = match model.family {
            Family::Builtin | Family::ZImageTurbo | Family::ZImage | Family::Flux1Dev | Family::Flux1Schnell => {
                (Sampler::Euler, Schedule::Simple)
            }
            Family::StableDiffusion1
            | Family::StableDiffusion2
            | Family::StableDiffusionXl
            | Family::StableDiffusionXlRefiner => (Sampler::Dpmpp2m, Schedule::Karras),
            Family::StableDiffusionTurbo | Family::StableDiffusionXlTurbo => {
                (Sampler::EulerAncestral, Schedule::SgmUniform)
            }
        };
        let schedules: &[Schedule] = match model.noise {
            Noise::Flow(_) => &Schedule::FLOW,
            Noise::Discrete(_) => &Schedule::ALL,
        };
        Self {
            family: model.family,
            native: model.native,
            multiple,
            side: Range { min: 64_u32.next_multiple_of(multiple), max: 4096, default: model.native.width },
            steps: Range { min: 1, max: 150, default: steps },
            guidance: Range { min: 1.0, max: 30.0, default: guidance },
            distilled: match &model.denoiser_shape {
                DenoiserShape::Flux(shape) if shape.guidance => Some(Range { min: 0.0, max: 30.0, default: 3.5 }),
                _ => None,
            },
            batch: Range { min: 1, max: 16, default: 1 },
            samplers: Choice { offered: &Sampler::ALL, default: sampler },
            schedules: Choice { offered: schedules, default: schedule },
            noise: model.noise,
            pictures: model.vae_encoder.is_some(),
            weights: model.text_encoders.iter().any(|text| match text.shape {
                TextEncoderShape::Clip(shape) => shape.pooled != ClipPooled::Plain,
                TextEncoderShape::Qwen3(_) | TextEncoderShape::T5(_) => false,
            }),
        }
    }

    /// The nearest drawable size, ties upwards.
    #[must_use]
    pub fn snap(&self, width: i64, height: i64) -> PixelSize {
        let side = |value: i64| {
            let multiple = i64::from(self.multiple);
            let value = value.clamp(i64::from(self.side.min), i64::from(self.side.max));
            let snapped = (value + multiple / 2) / multiple * multiple;
            (snapped as u32).clamp(self.side.min, self.side.max / self.multiple * self.multiple)
        };
        PixelSize::new(side(width), side(height))
    }
}
