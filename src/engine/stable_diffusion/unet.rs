//! The denoiser as a whole: what is around its pieces, and its view of noise.

use super::block::{Block, Conditions, Stream};
use crate::engine::blocks::Blocks;
use crate::engine::family::{Caption, Denoiser, Features, Pass, Size, no_caption};
use crate::engine::ops::{self, Before, Conv, GroupNorm, Linear};
use crate::engine::weights::{Progress, Weights};
use crate::job::{Failure, Observer};
use crate::model::noise::{Discrete, Prediction, step_of};
use crate::model::shapes::{AddedConditions, UnetPiece, UnetShape};
use crate::model::{Component, Inventory};
use candle_core::Tensor;

const OUT_EPS: f64 = 1e-5;
/// Aesthetic scores that the refiner is told, for the prompt and for the negative prompt (diffusers' defaults).
const SCORES: [f32; 2] = [6.0, 2.5];
/// Channels that an inpainting model takes beside the latent: a mask and the latent of the masked picture.
const MASK_CHANNELS: usize = 5;
/// The first values of a mid-gray picture's latent, which the SD VAE makes of a picture that is masked everywhere
/// (`ComfyUI`'s constants for "zero in pixel space").
const GRAY_LATENT: [f32; 4] = [0.8223, -0.6876, 0.6364, 0.1380];

pub(crate) struct Unet {
    shape: UnetShape,
    prediction: Prediction,
    /// Noise level of each training step.
    levels: Vec<f64>,
    /// Pixels of one latent position.
    factor: usize,
    conv_in: Conv,
    time_in: Linear,
    time_out: Linear,
    added: Option<(AddedConditions, Linear, Linear)>,
    norm_out: GroupNorm,
    conv_out: Conv,
    pieces: Vec<UnetPiece>,
    blocks: Blocks<Block>,
}

/// A caption as the network takes it.
pub(crate) struct Ready {
    /// (tokens, context width).
    context: Tensor,
    /// Embedding of the added conditions.
    added: Option<Vec<f32>>,
}

impl Unet {
    pub(crate) fn load(
        weights: Weights,
        shape: UnetShape,
        discrete: Discrete,
        model: &Inventory,
        streamed: bool,
        observer: &mut dyn Observer,
    ) -> Result<Self, Failure> {
        let component: &Component = &model.denoiser;
        let mut progress = Progress::new(observer, component.bytes());
        let first = shape.levels().first().map_or(0, |level| level.width);
        let time = shape.time_width;
        let added = match shape.added {
            Some(added) => Some((
                added,
                weights.linear("add_embedding.linear_1", added.width(), time, true)?,
                weights.linear("add_embedding.linear_2", time, time, true)?,
            )),
            None => None,
        };
        let fixed = Self {
            shape,
            prediction: discrete.prediction,
            levels: discrete.sigmas(),
            factor: model.vae_shape.factor() as usize,
            conv_in: weights.conv("conv_in", 3, shape.channels_in, first)?,
            time_in: weights.linear("time_embedding.linear_1", first, time, true)?,
            time_out: weights.linear("time_embedding.linear_2", time, time, true)?,
            added,
            norm_out: GroupNorm { eps: OUT_EPS, ..weights.group_norm("conv_norm_out", shape.groups, first)? },
            conv_out: weights.conv("conv_out", 3, first, shape.channels_out)?,
            pieces: shape.pieces(),
            blocks: Blocks::Loaded(Vec::new()),
        };
        progress.add(component.fixed.bytes)?;
        let pieces = fixed.pieces.clone();
        let load = move |weights: &Weights, index: usize| Block::load(weights, &pieces[index], &shape);
        let blocks = Blocks::load(weights, &component.blocks, streamed, &mut progress, load)?;
        Ok(Self { blocks, ..fixed })
    }

    /// Features of all text encoders side by side, and the added conditions for pictures of `size` latents. `index`
    /// tells the prompt from the negative one.
    pub(crate) fn prepare(&self, caption: &[Features], (width, height): Size, index: usize) -> Result<Ready, Failure> {
        let [first, rest @ ..] = caption else { return Err(no_caption(index)) };
        let mut context = first.tokens.clone();
        for features in rest {
            context = ops::beside(&context, &features.tokens)?;
        }
        let added = match &self.added {
            None => None,
            Some((added, to_time, out)) => {
                let pooled = caption.iter().rev().find_map(|features| features.pooled.as_deref());
                let pooled = pooled.filter(|pooled| pooled.len() == added.pooled);
                let pooled = pooled.ok_or_else(|| Failure::Crash { what: "no pooled caption".to_owned() })?;
                let (high, wide) = ((height * self.factor) as f32, (width * self.factor) as f32);
                let numbers = match added.numbers {
                    5 => vec![high, wide, 0.0, 0.0, SCORES[index.min(1)]],
                    _ => vec![high, wide, 0.0, 0.0, high, wide],
                };
                let mut all = pooled.to_vec();
                for number in numbers {
                    all.extend(waves(number, added.number_width));
                }
                Some(two_layers(&all, to_time, out)?)
            }
        };
        Ok(Ready { context, added })
    }

    /// What the network says of `input` (height, width, channels in) at training step `time`: (height, width, channels
    /// out).
    pub(crate) fn forward(
        &self,
        input: Tensor,
        time: f64,
        ready: &Ready,
        observer: &mut dyn Observer,
    ) -> Result<Tensor, Failure> {
        let first = self.shape.levels().first().map_or(0, |level| level.width);
        let mut time = two_layers(&waves(time as f32, first), &self.time_in, &self.time_out)?;
        for (time, &added) in time.iter_mut().zip(ready.added.as_deref().unwrap_or_default()) {
            *time += added;
        }
        for time in &mut time {
            *time = silu(*time);
        }
        let mut stream = Stream::new(ops::conv(&input, &self.conv_in, Before::default())?);
        drop(input);
        let with = Conditions { time: &time, context: &ready.context };
        let mut pieces = self.pieces.iter();
        self.blocks.run(0..self.pieces.len(), |block| {
            observer.block()?;
            match pieces.next() {
                Some(piece) => stream.step(block, piece, &with),
                None => Ok(()),
            }
        })?;
        let norm = self.norm_out.affine(&stream.x)?;
        Ok(ops::conv(&stream.x, &self.conv_out, Before { norm: Some(&norm), ..Before::default() })?)
    }
}

impl Denoiser for Unet {
    fn begin<'a>(
        &'a self,
        captions: &'a [Caption],
        size: Size,
        _observer: &mut dyn Observer,
    ) -> Result<Box<dyn Pass + 'a>, Failure> {
        let ready = captions.iter().enumerate().map(|(index, caption)| self.prepare(caption, size, index));
        Ok(Box::new(Run { unet: self, size, ready: ready.collect::<Result<_, _>>()? }))
    }
}

/// The captions of a run, ready for its size.
struct Run<'a> {
    unet: &'a Unet,
    size: Size,
    ready: Vec<Ready>,
}

impl Pass for Run<'_> {
    fn direction(
        &self,
        caption: usize,
        latent: &[f32],
        sigma: f32,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f32>, Failure> {
        let ready = self.ready.get(caption).ok_or_else(|| no_caption(caption))?;
        let sigma = f64::from(sigma);
        let spread = (sigma * sigma + 1.0).sqrt();
        let input = self.input(latent, (1.0 / spread) as f32)?;
        let said = self.unet.forward(input, step_of(&self.unet.levels, sigma), ready, observer)?;
        let mut direction = ops::read(&said, |said| channels_first(said, self.unet.shape.channels_out))?;
        if self.unet.prediction == Prediction::V {
            // x0 = x / (sigma^2 + 1) - v sigma / sqrt(sigma^2 + 1), solved for (x - x0) / sigma.
            let (of_x, of_v) = ((sigma / (spread * spread)) as f32, (1.0 / spread) as f32);
            for (v, &x) in direction.iter_mut().zip(latent) {
                *v = x * of_x + *v * of_v;
            }
        }
        Ok(direction)
    }
}

impl Run<'_> {
    /// The latent times `scale` as rows x columns x channels. An inpainting model is told that all is masked.
    fn input(&self, latent: &[f32], scale: f32) -> Result<Tensor, Failure> {
        let (width, height) = self.size;
        let (all, own) = (self.unet.shape.channels_in, self.unet.shape.channels_out);
        let places = width * height;
        let mut input = vec![0.0; places * all];
        for (at, input) in input.chunks_exact_mut(all).enumerate() {
            for (c, x) in input.iter_mut().take(own).enumerate() {
                *x = latent[c * places + at] * scale;
            }
            if all == own + MASK_CHANNELS {
                input[own] = 1.0;
                input[own + 1..].copy_from_slice(&GRAY_LATENT);
            }
        }
        Ok(ops::tensor(input, (height, width, all))?)
    }
}

/// Positions x channels to channels x positions.
fn channels_first(values: &[f32], channels: usize) -> Vec<f32> {
    let places = values.len() / channels.max(1);
    (0..channels * places).map(|i| values[i % places * channels + i / places]).collect()
}

/// Sinusoids of a number, cosines first.
fn waves(number: f32, width: usize) -> Vec<f32> {
    let half = width / 2;
    let angle = |i: usize| {
        let frequency = (-(10_000.0_f64.ln()) * (i % half) as f64 / half as f64).exp() as f32;
        f64::from(number * frequency)
    };
    (0..2 * half).map(|i| if i < half { angle(i).cos() } else { angle(i).sin() } as f32).collect()
}

fn two_layers(x: &[f32], first: &Linear, second: &Linear) -> Result<Vec<f32>, Failure> {
    let mut h = ops::linear_vector(x, first)?;
    for x in &mut h {
        *x = silu(*x);
    }
    Ok(ops::linear_vector(&h, second)?)
}

fn silu(x: f32) -> f32 {
    x / (1.0 + (-x).exp())
}
