//! The whole network: packed latents and text features in, velocity out.

use super::block::{Block, EPS, Tokens, condition};
use crate::engine::blocks::Blocks;
use crate::engine::family::{Caption, Denoiser, Pass, Size, no_caption};
use crate::engine::ops::{self, Linear, Rope};
use crate::engine::time::{Embedder, waves};
use crate::engine::weights::{Progress, Weights};
use crate::job::{Failure, Observer};
use crate::model::Component;
use crate::model::shapes::FluxShape;
use candle_core::Tensor;

/// Times and guidance scales are counted in thousandths.
const THOUSAND: f32 = 1000.0;

pub(crate) struct Transformer {
    shape: FluxShape,
    image_in: Linear,
    text_in: Linear,
    time: Embedder,
    guidance: Option<Embedder>,
    pooled: Embedder,
    /// The guidance scale of the next run.
    scale: f32,
    final_modulation: Linear,
    final_out: Linear,
    /// Those of two streams, then those of one.
    blocks: Blocks<Block>,
}

impl Transformer {
    pub(crate) fn load(
        weights: Weights,
        shape: FluxShape,
        component: &Component,
        streamed: bool,
        observer: &mut dyn Observer,
    ) -> Result<Self, Failure> {
        let mut progress = Progress::new(observer, component.bytes());
        let dim = shape.dim;
        let guidance = if shape.guidance {
            Some(Embedder::of_waves(&weights, "time_text_embed.guidance_embedder", dim)?)
        } else {
            None
        };
        let fixed = Self {
            shape,
            image_in: weights.linear("x_embedder", shape.token(), dim, true)?,
            text_in: weights.linear("context_embedder", shape.caption_dim, dim, true)?,
            time: Embedder::of_waves(&weights, "time_text_embed.timestep_embedder", dim)?,
            guidance,
            scale: 1.0,
            pooled: Embedder::load(&weights, "time_text_embed.text_embedder", shape.pooled_dim, dim)?,
            final_modulation: weights.linear("norm_out.linear", dim, 2 * dim, true)?,
            final_out: weights.linear("proj_out", dim, shape.token(), true)?,
            blocks: Blocks::Loaded(Vec::new()),
        };
        progress.add(component.fixed.bytes)?;
        let load = move |weights: &Weights, index| Block::load(weights, index, &shape);
        let blocks = Blocks::load(weights, &component.blocks, streamed, &mut progress, load)?;
        Ok(Self { blocks, ..fixed })
    }

    /// The velocity at noise level `sigma` (1 is pure noise): values of the latent's shape, channels first.
    fn forward(
        &self,
        latent: &[f32],
        (width, height): Size,
        sigma: f32,
        ready: &Ready,
        rope: &Rope,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f32>, Failure> {
        let shape = &self.shape;
        let time = self.time.forward(&waves(sigma * THOUSAND))?;
        let condition = condition(&[time, ready.condition.clone()]);
        let text = ready.text.dim(0)?;
        let image = shape.image_tokens(width, height);
        let patches = ops::tensor(pack(latent, shape, (width, height)), (image, shape.token()))?;
        let mut x = vec![0.0; (text + image) * shape.dim];
        ops::read(&ready.text, |text| x[..text.len()].copy_from_slice(text))?;
        let x = ops::tensor(x, (text + image, shape.dim))?;
        ops::linear_add(&patches, &self.image_in, &x.narrow(0, text, image)?)?;
        drop(patches);
        let tokens = Tokens { x: &x, text, rope, condition: &condition };
        self.blocks.run(0..shape.double_blocks + shape.single_blocks, |block| {
            observer.block()?;
            block.forward(&tokens, shape)
        })?;
        let mut modulation = ops::linear_vector(&condition, &self.final_modulation)?;
        let (scale, shift) = modulation.split_at_mut(shape.dim);
        for scale in &mut *scale {
            *scale += 1.0;
        }
        let h = ops::layer_norm_affine(&x.narrow(0, text, image)?, EPS, scale, shift)?;
        drop(x);
        let patches = ops::linear(&h, &self.final_out)?;
        drop(h);
        Ok(ops::read(&patches, |patches| unpack(patches, shape, (width, height)))?)
    }
}

/// What one caption is to the network.
struct Ready {
    /// (tokens, dim).
    text: Tensor,
    /// The part of the condition that no step changes: pooled vector and guidance.
    condition: Vec<f32>,
}

struct Run<'a> {
    transformer: &'a Transformer,
    size: Size,
    rope: Rope,
    ready: Vec<Ready>,
}

impl Denoiser for Transformer {
    fn guide(&mut self, scale: Option<f32>) {
        self.scale = scale.unwrap_or(1.0);
    }

    fn begin<'a>(
        &'a self,
        captions: &'a [Caption],
        size: Size,
        _observer: &mut dyn Observer,
    ) -> Result<Box<dyn Pass + 'a>, Failure> {
        let shape = &self.shape;
        let (width, height) = size;
        let mut ready = Vec::with_capacity(captions.len());
        let mut count = 0;
        for caption in captions {
            let [clip, t5] = caption.as_slice() else { return Err(no_caption(ready.len())) };
            let pooled = clip.pooled.as_deref().ok_or_else(|| no_caption(ready.len()))?;
            let mut condition = self.pooled.forward(pooled)?;
            if let Some(embedder) = &self.guidance {
                let guidance = embedder.forward(&waves(self.scale * THOUSAND))?;
                for (sum, guidance) in condition.iter_mut().zip(guidance) {
                    *sum += guidance;
                }
            }
            count = t5.tokens.dim(0)?;
            ready.push(Ready { text: ops::linear(&t5.tokens, &self.text_in)?, condition });
        }
        // Text stands at the origin, image tokens at their row and column.
        let across = width / shape.patch;
        let positions = (0..count + shape.image_tokens(width, height)).map(|token| match token.checked_sub(count) {
            None => [0, 0, 0],
            Some(place) => [0, place / across, place % across],
        });
        let positions: Vec<[usize; 3]> = positions.collect();
        let rope = Rope::new(shape.rope_theta, shape.rope_axes, positions.into_iter());
        Ok(Box::new(Run { transformer: self, size, rope, ready }))
    }
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
        self.transformer.forward(latent, self.size, sigma, ready, &self.rope, observer)
    }
}

/// Where a value of a token lies in a latent (channels, height, width): channels first, then rows, then columns.
fn place(token: usize, value: usize, shape: &FluxShape, (width, height): Size) -> usize {
    let (across, patch) = (width / shape.patch, shape.patch);
    let (channel, inside) = (value / (patch * patch), value % (patch * patch));
    let y = token / across * patch + inside / patch;
    let x = token % across * patch + inside % patch;
    (channel * height + y) * width + x
}

fn pack(latent: &[f32], shape: &FluxShape, size: Size) -> Vec<f32> {
    let each = shape.token();
    (0..shape.image_tokens(size.0, size.1) * each).map(|i| latent[place(i / each, i % each, shape, size)]).collect()
}

fn unpack(tokens: &[f32], shape: &FluxShape, size: Size) -> Vec<f32> {
    let each = shape.token();
    let mut latent = vec![0.0; tokens.len()];
    for (i, &value) in tokens.iter().enumerate() {
        latent[place(i / each, i % each, shape, size)] = value;
    }
    latent
}
