//! The seam between a run and the families of models: text encoders and denoisers behind two traits.
//!
//! A run sees a denoiser as k-diffusion does, as a function of a latent and its noise level. Its answer is the
//! direction of growing noise, `(x - x0) / sigma`, `x0` being the picture that the network sees in `x`: velocity in
//! flow matching, noise in epsilon prediction. `x0` itself is `x - sigma * direction`; guidance mixes either alike.

use super::flux;
use super::stable_diffusion::Unet;
use super::text::{self, Chunk, Clip, Qwen3, T5, Words};
use super::weights::Weights;
use super::z_image::Transformer;
use crate::job::{Failure, Observer, Order};
use crate::ledger::{Pool, in_pool};
use crate::model::lora::Place;
use crate::model::noise::Noise;
use crate::model::shapes::{DenoiserShape, TextEncoderShape};
use crate::model::{self, ComponentKind, ModelFiles, Shard, TextFiles};
use crate::planner::{Arithmetic, Tier};
use candle_core::Tensor;

/// Width and height of a latent.
pub(crate) type Size = (usize, usize);

/// What one text encoder makes of a prompt.
pub(crate) struct Features {
    /// (tokens, width).
    pub tokens: Tensor,
    /// One vector for the whole prompt, from encoders that have one.
    pub pooled: Option<Vec<f32>>,
}

/// A prompt as a denoiser takes it: the features of each text encoder, in the order of the inventory.
pub(crate) type Caption = Vec<Features>;

pub(crate) trait TextEncoder: Send {
    fn features(&self, words: &[Chunk], observer: &mut dyn Observer) -> Result<Features, Failure>;
}

pub(crate) trait Denoiser: Send {
    /// Takes the guidance scale of the next run, where it is an input of the network.
    fn guide(&mut self, _scale: Option<f32>) {}

    /// Makes `captions` ready for latents of `size`.
    fn begin<'a>(
        &'a self,
        captions: &'a [Caption],
        size: Size,
        observer: &mut dyn Observer,
    ) -> Result<Box<dyn Pass + 'a>, Failure>;
}

/// A denoiser with the captions and the size of one run.
pub(crate) trait Pass {
    /// `(x - x0) / sigma` of a latent (channels, height, width) under caption number `caption`.
    fn direction(
        &self,
        caption: usize,
        latent: &[f32],
        sigma: f32,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f32>, Failure>;
}

/// A pass under guidance: the function of latent and noise level that a sampler follows.
pub(crate) struct Guided<'a> {
    pub pass: &'a dyn Pass,
    /// Scale of classifier-free guidance with caption 1 as the one to go away from; without it caption 0 alone counts.
    pub scale: Option<f32>,
}

impl Guided<'_> {
    /// `(x - x0) / sigma`.
    pub(crate) fn direction(
        &self,
        latent: &[f32],
        sigma: f32,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f32>, Failure> {
        let mut direction = self.pass.direction(0, latent, sigma, observer)?;
        if let Some(scale) = self.scale {
            let without = self.pass.direction(1, latent, sigma, observer)?;
            super::sampler::guide(&mut direction, &without, scale);
        }
        Ok(direction)
    }
}

/// How weights are loaded.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loading {
    /// A block at a time, each when it is its turn.
    pub streamed: bool,
    pub read_once: bool,
    pub arithmetic: Arithmetic,
}

impl Loading {
    pub(crate) fn of(order: &Order) -> Self {
        let streamed = order.choice.tier == Tier::Streamed;
        Self { streamed, read_once: order.read_once, arithmetic: order.arithmetic }
    }

    pub(crate) fn open(self, shards: &[Shard]) -> Result<Weights, Failure> {
        Ok(Weights::open(shards)?.read_once(self.read_once).with(self.arithmetic))
    }
}

/// Prompts as text encoder `index` reads them.
pub(crate) fn words(files: &ModelFiles, index: usize, prompts: &[&str]) -> Result<Vec<Words>, Failure> {
    let (text, own) = text_encoder(files, index)?;
    in_pool(Pool::Host, || text::split(&own.tokenizer, &text.shape, prompts))
}

fn text_encoder(files: &ModelFiles, index: usize) -> Result<(&model::TextEncoder, &TextFiles), Failure> {
    files
        .inventory
        .text_encoders
        .get(index)
        .zip(files.text_encoders.get(index))
        .ok_or_else(|| Failure::Crash { what: format!("no text encoder {index}") })
}

pub(crate) fn load_text_encoder(
    files: &ModelFiles,
    index: usize,
    loading: Loading,
    observer: &mut dyn Observer,
) -> Result<Box<dyn TextEncoder>, Failure> {
    let (text, own) = text_encoder(files, index)?;
    let weights = loading.open(&own.shards)?.with_loras(&files.loras, Place::TextEncoder(index))?;
    let streamed = loading.streamed;
    match text.shape {
        TextEncoderShape::Clip(shape) => Ok(Box::new(Clip::load(weights, shape, &text.component, streamed, observer)?)),
        TextEncoderShape::Qwen3(shape) => {
            Ok(Box::new(Qwen3::load(weights, shape, &text.component, streamed, observer)?))
        }
        TextEncoderShape::T5(shape) => Ok(Box::new(T5::load(weights, shape, &text.component, streamed, observer)?)),
    }
}

pub(crate) fn load_denoiser(
    files: &ModelFiles,
    loading: Loading,
    observer: &mut dyn Observer,
) -> Result<Box<dyn Denoiser>, Failure> {
    let model = &files.inventory;
    let weights = loading.open(files.shards(ComponentKind::Denoiser))?.with_loras(&files.loras, Place::Denoiser)?;
    let streamed = loading.streamed;
    match model.denoiser_shape {
        DenoiserShape::Flux(shape) => {
            Ok(Box::new(flux::Transformer::load(weights, shape, &model.denoiser, streamed, observer)?))
        }
        DenoiserShape::Unet(shape) => {
            let Noise::Discrete(discrete) = model.noise else {
                return Err(Failure::Crash { what: "a Stable Diffusion denoiser without noise steps".to_owned() });
            };
            Ok(Box::new(Unet::load(weights, shape, discrete, model, streamed, observer)?))
        }
        DenoiserShape::ZImage(shape) => {
            Ok(Box::new(Transformer::load(weights, shape, &model.denoiser, streamed, observer)?))
        }
    }
}

pub(crate) fn no_caption(index: usize) -> Failure {
    Failure::Crash { what: format!("no caption {index}") }
}
