//! Z-Image's diffusion transformer: image and caption tokens in one stream, modulated by the time.

use crate::engine::blocks::Blocks;
use crate::engine::family::{Caption, Denoiser, Pass, Size, no_caption};
use crate::engine::ops::{self, Heads, Linear, Mask, Pairing, Rope};
use crate::engine::weights::{Progress, Weights};
use crate::job::{Failure, Observer};
use crate::model::Component;
use crate::model::shapes::ZImageShape;
use crate::planner::footprint::ops::FEED_FORWARD_CHUNK;
use candle_core::Tensor;

/// Norm of queries and keys, of the final layer, and width of the time's frequencies: fixed in the reference.
const HEAD_NORM_EPS: f64 = 1e-5;
const FINAL_NORM_EPS: f64 = 1e-6;
const FREQUENCIES: usize = 256;

pub(crate) struct Transformer {
    shape: ZImageShape,
    patch_in: Linear,
    pad_image: Vec<f32>,
    pad_caption: Vec<f32>,
    caption_norm: Vec<f32>,
    caption_in: Linear,
    time_in: Linear,
    time_out: Linear,
    final_scale: Linear,
    final_out: Linear,
    /// Noise refiners, context refiners, then the main layers.
    blocks: Blocks<Block>,
}

struct Block {
    norm1: Vec<f32>,
    q: Linear,
    k: Linear,
    v: Linear,
    q_norm: Vec<f32>,
    k_norm: Vec<f32>,
    out: Linear,
    norm2: Vec<f32>,
    feed_norm1: Vec<f32>,
    gate: Linear,
    up: Linear,
    down: Linear,
    feed_norm2: Vec<f32>,
    /// Context refiners have none.
    modulation: Option<Linear>,
}

/// A caption made ready for one picture size: its refined tokens and the places of all tokens.
pub(crate) struct Ready {
    tokens: Tensor,
    rope: Rope,
    image_tokens: usize,
}

impl Transformer {
    pub(crate) fn load(
        weights: Weights,
        shape: ZImageShape,
        component: &Component,
        streamed: bool,
        observer: &mut dyn Observer,
    ) -> Result<Self, Failure> {
        let mut progress = Progress::new(observer, component.bytes());
        let patch = format!("{}-1", shape.patch);
        let patch_width = shape.patch * shape.patch * shape.channels;
        let dim = shape.dim;
        let modulation = shape.modulation_dim;
        let time_width = weights.rows("t_embedder.mlp.0.weight")?;
        let fixed = Self {
            shape,
            patch_in: weights.linear(&format!("all_x_embedder.{patch}"), patch_width, dim, true)?,
            pad_image: weights.flat("x_pad_token", &[1, dim])?,
            pad_caption: weights.flat("cap_pad_token", &[1, dim])?,
            caption_norm: weights.vector("cap_embedder.0.weight", shape.caption_dim)?,
            caption_in: weights.linear("cap_embedder.1", shape.caption_dim, dim, true)?,
            time_in: weights.linear("t_embedder.mlp.0", FREQUENCIES, time_width, true)?,
            time_out: weights.linear("t_embedder.mlp.2", time_width, modulation, true)?,
            final_scale: weights.linear(
                &format!("all_final_layer.{patch}.adaLN_modulation.1"),
                modulation,
                dim,
                true,
            )?,
            final_out: weights.linear(&format!("all_final_layer.{patch}.linear"), dim, patch_width, true)?,
            blocks: Blocks::Loaded(Vec::new()),
        };
        progress.add(component.fixed.bytes)?;
        let load = move |weights: &Weights, index| Block::load(weights, index, &shape);
        let blocks = Blocks::load(weights, &component.blocks, streamed, &mut progress, load)?;
        Ok(Self { blocks, ..fixed })
    }

    /// Refines a caption's features (tokens, caption width) for latents of `width` x `height`.
    pub(crate) fn prepare(
        &self,
        features: &Tensor,
        (width, height): (usize, usize),
        observer: &mut dyn Observer,
    ) -> Result<Ready, Failure> {
        let shape = &self.shape;
        let count = features.dim(0)?;
        let padded = shape.caption_tokens(count);
        let image_tokens = shape.image_tokens(width, height);
        let (across, down) = (width / shape.patch, height / shape.patch);
        // Rows and columns of the picture stand behind the caption on the first axis; padding stands at the origin.
        let positions = (0..image_tokens + padded).map(|token| {
            if token >= image_tokens {
                [1 + token - image_tokens, 0, 0]
            } else if token < across * down {
                [padded + 1, token / across, token % across]
            } else {
                [0, 0, 0]
            }
        });
        let positions: Vec<[usize; 3]> = positions.collect();
        let rope = Rope::new(shape.rope_theta, shape.rope_axes, positions.into_iter());
        let normed = ops::rms_norm(features, &self.caption_norm, shape.norm_eps, None)?;
        let embedded = ops::linear(&normed, &self.caption_in)?;
        drop(normed);
        let mut tokens = vec![0.0; padded * shape.dim];
        ops::read(&embedded, |values| tokens[..values.len()].copy_from_slice(values))?;
        drop(embedded);
        for row in tokens[count * shape.dim..].chunks_exact_mut(shape.dim) {
            row.copy_from_slice(&self.pad_caption);
        }
        let tokens = ops::tensor(tokens, (padded, shape.dim))?;
        let refiners = shape.refiner_layers;
        self.blocks.run(refiners..2 * refiners, |block| {
            observer.block()?;
            block.forward(&tokens, shape, &rope, image_tokens, None)
        })?;
        Ok(Ready { tokens, rope, image_tokens })
    }

    /// The velocity at noise level `sigma` (1 is pure noise): values of the latent's shape, channels first.
    pub(crate) fn forward(
        &self,
        latent: &[f32],
        (width, height): (usize, usize),
        sigma: f32,
        caption: &Ready,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f32>, Failure> {
        let shape = &self.shape;
        let time = self.time_embedding(f64::from(1.0 - sigma) * shape.time_scale)?;
        let image_tokens = caption.image_tokens;
        let real_tokens = (width / shape.patch) * (height / shape.patch);
        let dim = shape.dim;
        let patches = ops::tensor(
            patchify(latent, shape.channels, (width, height), shape.patch, image_tokens),
            (image_tokens, shape.patch * shape.patch * shape.channels),
        )?;
        let x = ops::linear(&patches, &self.patch_in)?;
        drop(patches);
        ops::update(&x, |x| {
            for row in x[real_tokens * dim..].chunks_exact_mut(dim) {
                row.copy_from_slice(&self.pad_image);
            }
        })?;
        let refiners = shape.refiner_layers;
        self.blocks.run(0..refiners, |block| {
            observer.block()?;
            block.forward(&x, shape, &caption.rope, 0, Some(&time))
        })?;

        let all_tokens = image_tokens + caption.tokens.dim(0)?;
        let mut all = vec![0.0; all_tokens * dim];
        ops::read(&x, |x| all[..x.len()].copy_from_slice(x))?;
        drop(x);
        ops::read(&caption.tokens, |tokens| all[image_tokens * dim..].copy_from_slice(tokens))?;
        let all = ops::tensor(all, (all_tokens, dim))?;
        self.blocks.run(2 * refiners..2 * refiners + shape.layers, |block| {
            observer.block()?;
            block.forward(&all, shape, &caption.rope, 0, Some(&time))
        })?;

        let gated: Vec<f32> = time.iter().map(|&x| x / (1.0 + (-x).exp())).collect();
        let mut scale = ops::linear_vector(&gated, &self.final_scale)?;
        for scale in &mut scale {
            *scale += 1.0;
        }
        let h = ops::layer_norm(&all.narrow(0, 0, image_tokens)?, FINAL_NORM_EPS, &scale)?;
        drop(all);
        let patches = ops::linear(&h, &self.final_out)?;
        drop(h);
        let velocity = ops::read(&patches, |p| unpatchify(p, shape.channels, (width, height), shape.patch))?;
        Ok(velocity)
    }

    /// Sinusoids of the time, cosines first, through two layers.
    fn time_embedding(&self, time: f64) -> Result<Vec<f32>, Failure> {
        let half = FREQUENCIES / 2;
        let mut waves = vec![0.0; FREQUENCIES];
        for i in 0..half {
            let frequency = (-(10_000.0_f64.ln()) * i as f64 / half as f64).exp();
            let angle = f64::from((time as f32) * (frequency as f32));
            waves[i] = angle.cos() as f32;
            waves[half + i] = angle.sin() as f32;
        }
        let mut h = ops::linear_vector(&waves, &self.time_in)?;
        for x in &mut h {
            *x /= 1.0 + (-*x).exp();
        }
        Ok(ops::linear_vector(&h, &self.time_out)?)
    }
}

/// Latent (channels, height, width) to tokens of `patch` x `patch` x channels; padding repeats the last token.
fn patchify(latent: &[f32], channels: usize, (width, height): (usize, usize), patch: usize, tokens: usize) -> Vec<f32> {
    let (across, down) = (width / patch, height / patch);
    let each = patch * patch * channels;
    let mut out = vec![0.0; tokens * each];
    for (token, out) in out.chunks_exact_mut(each).enumerate() {
        let token = token.min(across * down - 1);
        let (ty, tx) = (token / across, token % across);
        for (position, out) in out.chunks_exact_mut(channels).enumerate() {
            let y = ty * patch + position / patch;
            let x = tx * patch + position % patch;
            for (c, out) in out.iter_mut().enumerate() {
                *out = latent[(c * height + y) * width + x];
            }
        }
    }
    out
}

/// Tokens back to a latent, negated: the network predicts the direction towards the picture, the sampler wants the
/// direction of growing noise.
fn unpatchify(tokens: &[f32], channels: usize, (width, height): (usize, usize), patch: usize) -> Vec<f32> {
    let across = width / patch;
    let each = patch * patch * channels;
    let mut out = vec![0.0; channels * width * height];
    for c in 0..channels {
        for y in 0..height {
            for x in 0..width {
                let token = y / patch * across + x / patch;
                let position = y % patch * patch + x % patch;
                out[(c * height + y) * width + x] = -tokens[token * each + position * channels + c];
            }
        }
    }
    out
}

impl Denoiser for Transformer {
    fn begin<'a>(
        &'a self,
        captions: &[Caption],
        size: Size,
        observer: &mut dyn Observer,
    ) -> Result<Box<dyn Pass + 'a>, Failure> {
        let mut ready = Vec::with_capacity(captions.len());
        for features in captions.iter().filter_map(|caption| caption.first()) {
            ready.push(self.prepare(&features.tokens, size, observer)?);
        }
        Ok(Box::new(Run { transformer: self, size, ready }))
    }
}

/// The captions of a run, ready for its size.
struct Run<'a> {
    transformer: &'a Transformer,
    size: Size,
    ready: Vec<Ready>,
}

impl Pass for Run<'_> {
    /// The network's own velocity: in flow matching, `(x - x0) / sigma` is `noise - x0`.
    fn direction(
        &self,
        caption: usize,
        latent: &[f32],
        sigma: f32,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f32>, Failure> {
        let ready = self.ready.get(caption).ok_or_else(|| no_caption(caption))?;
        self.transformer.forward(latent, self.size, sigma, ready, observer)
    }
}

impl Block {
    fn load(weights: &Weights, index: usize, shape: &ZImageShape) -> Result<Self, Failure> {
        let refiners = shape.refiner_layers;
        let (prefix, modulated) = if index < refiners {
            (format!("noise_refiner.{index}"), true)
        } else if index < 2 * refiners {
            (format!("context_refiner.{}", index - refiners), false)
        } else {
            (format!("layers.{}", index - 2 * refiners), true)
        };
        let (dim, ff) = (shape.dim, shape.feed_forward);
        let linear = |name: &str, from, to| weights.linear(&format!("{prefix}.{name}"), from, to, false);
        let norm = |name: &str, len| weights.vector(&format!("{prefix}.{name}.weight"), len);
        let modulation = if modulated {
            Some(weights.linear(&format!("{prefix}.adaLN_modulation.0"), shape.modulation_dim, 4 * dim, true)?)
        } else {
            None
        };
        Ok(Self {
            norm1: norm("attention_norm1", dim)?,
            q: linear("attention.to_q", dim, dim)?,
            k: linear("attention.to_k", dim, dim)?,
            v: linear("attention.to_v", dim, dim)?,
            q_norm: norm("attention.norm_q", shape.head_dim())?,
            k_norm: norm("attention.norm_k", shape.head_dim())?,
            out: linear("attention.to_out.0", dim, dim)?,
            norm2: norm("attention_norm2", dim)?,
            feed_norm1: norm("ffn_norm1", dim)?,
            gate: linear("feed_forward.w1", dim, ff)?,
            up: linear("feed_forward.w3", dim, ff)?,
            down: linear("feed_forward.w2", ff, dim)?,
            feed_norm2: norm("ffn_norm2", dim)?,
            modulation,
        })
    }

    /// Works on `x` (tokens, dim) in place; its first row is token `first` of the table.
    fn forward(
        &self,
        x: &Tensor,
        shape: &ZImageShape,
        rope: &Rope,
        first: usize,
        time: Option<&[f32]>,
    ) -> Result<(), Failure> {
        let eps = shape.norm_eps;
        let dim = shape.dim;
        let modulation = match (&self.modulation, time) {
            (Some(layer), Some(time)) => {
                let mut all = ops::linear_vector(time, layer)?;
                for (part, values) in all.chunks_exact_mut(dim).enumerate() {
                    for value in values {
                        // Scales are around one, gates between minus one and one.
                        *value = if part % 2 == 0 { 1.0 + *value } else { value.tanh() };
                    }
                }
                Some(all)
            }
            _ => None,
        };
        let part = |index: usize| modulation.as_ref().map(|all| &all[index * dim..(index + 1) * dim]);

        let h = ops::rms_norm(x, &self.norm1, eps, part(0))?;
        let q = ops::linear(&h, &self.q)?;
        let k = ops::linear(&h, &self.k)?;
        let v = ops::linear(&h, &self.v)?;
        drop(h);
        ops::head_norm_rope(&q, &self.q_norm, HEAD_NORM_EPS, rope, first, Pairing::Neighbours)?;
        ops::head_norm_rope(&k, &self.k_norm, HEAD_NORM_EPS, rope, first, Pairing::Neighbours)?;
        let heads = Heads { queries: shape.heads, keys: shape.heads, dim: shape.head_dim() };
        ops::attention(&q, &k, &v, heads, Mask::None)?;
        drop((k, v));
        let y = ops::linear(&q, &self.out)?;
        drop(q);
        ops::rms_norm_add(&y, &self.norm2, eps, part(1), x)?;
        drop(y);

        let tokens = x.dim(0)?;
        for from in (0..tokens).step_by(FEED_FORWARD_CHUNK) {
            let x = x.narrow(0, from, FEED_FORWARD_CHUNK.min(tokens - from))?;
            let h = ops::rms_norm(&x, &self.feed_norm1, eps, part(2))?;
            let gate = ops::linear(&h, &self.gate)?;
            let up = ops::linear(&h, &self.up)?;
            drop(h);
            ops::silu_multiply(&gate, &up)?;
            drop(up);
            let y = ops::linear(&gate, &self.down)?;
            drop(gate);
            ops::rms_norm_add(&y, &self.feed_norm2, eps, part(3), &x)?;
        }
        Ok(())
    }
}
