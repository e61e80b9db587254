//! The text towers of CLIP and `OpenCLIP` (transformers `CLIPTextModel`, `CLIPTextModelWithProjection`).
//!
//! A prompt longer than one chunk is encoded chunk by chunk, as A1111 and `ComfyUI` do; its pooled vector is that of
//! the first chunk.

#[cfg(test)]
use super::bpe::{self, Bpe};
use super::emphasis::weigh;
use super::words::Chunk;
use crate::engine::blocks::Blocks;
use crate::engine::family::{Features, TextEncoder};
use crate::engine::ops::{self, Heads, Linear, Mask, Weight};
use crate::engine::weights::{Progress, Weights};
use crate::job::{Failure, Observer};
use crate::model::Component;
use crate::model::shapes::{ClipActivation, ClipOutput, ClipPooled, ClipShape};
use candle_core::Tensor;

pub(crate) struct Clip {
    shape: ClipShape,
    embedding: Weight,
    positions: Weight,
    /// Where the last layer's output or the pooled vector is used.
    final_norm: Option<Norm>,
    projection: Option<Linear>,
    layers: Blocks<Layer>,
}

struct Norm {
    weight: Vec<f32>,
    bias: Vec<f32>,
}

struct Layer {
    norm1: Norm,
    q: Linear,
    k: Linear,
    v: Linear,
    out: Linear,
    norm2: Norm,
    up: Linear,
    down: Linear,
}

impl Norm {
    fn load(weights: &Weights, prefix: &str, width: usize) -> Result<Self, Failure> {
        Ok(Self {
            weight: weights.vector(&format!("{prefix}.weight"), width)?,
            bias: weights.vector(&format!("{prefix}.bias"), width)?,
        })
    }

    fn forward(&self, x: &Tensor, eps: f64) -> Result<Tensor, Failure> {
        Ok(ops::layer_norm_affine(x, eps, &self.weight, &self.bias)?)
    }
}

impl Clip {
    /// Loads the layers that run, or none of them where they are streamed.
    pub(crate) fn load(
        weights: Weights,
        shape: ClipShape,
        component: &Component,
        streamed: bool,
        observer: &mut dyn Observer,
    ) -> Result<Self, Failure> {
        let mut progress = Progress::new(observer, component.bytes());
        let prefix = if weights.has("text_model.embeddings.token_embedding.weight") { "text_model." } else { "" };
        let hidden = shape.hidden;
        let embedding =
            weights.table(&format!("{prefix}embeddings.token_embedding.weight"), shape.vocabulary, hidden)?;
        let positions =
            weights.table(&format!("{prefix}embeddings.position_embedding.weight"), shape.positions, hidden)?;
        let normed = shape.output == ClipOutput::Last || shape.pooled != ClipPooled::Unused;
        let final_norm =
            if normed { Some(Norm::load(&weights, &format!("{prefix}final_layer_norm"), hidden)?) } else { None };
        let projection = match shape.pooled {
            ClipPooled::Projected(width) => Some(weights.linear("text_projection", hidden, width, false)?),
            ClipPooled::Plain | ClipPooled::Unused => None,
        };
        progress.add(component.fixed.bytes)?;
        let load =
            move |weights: &Weights, index| Layer::load(weights, &format!("{prefix}encoder.layers.{index}"), &shape);
        let used = &component.blocks[..shape.used_layers()];
        let layers = Blocks::load(weights, used, streamed, &mut progress, load)?;
        Ok(Self { shape, embedding, positions, final_norm, projection, layers })
    }

    /// Features of chunks, one below the other, each as long as the tower's positions; weights are not applied.
    pub(crate) fn encode(&self, chunks: &[Chunk], observer: &mut dyn Observer) -> Result<Features, Failure> {
        let shape = &self.shape;
        let each = shape.positions * shape.hidden;
        let mut all = vec![0.0; chunks.len() * each];
        let mut pooled = None;
        for (chunk, out) in chunks.iter().zip(all.chunks_exact_mut(each)) {
            let vector = self.chunk(&chunk.ids, out, pooled.is_none(), observer)?;
            pooled = pooled.or(vector);
        }
        Ok(Features { tokens: ops::tensor(all, (chunks.len() * shape.positions, shape.hidden))?, pooled })
    }

    /// Features of one chunk into `out`; its pooled vector where the shape has one and `first` asks for it.
    fn chunk(
        &self,
        ids: &[u32],
        out: &mut [f32],
        first: bool,
        observer: &mut dyn Observer,
    ) -> Result<Option<Vec<f32>>, Failure> {
        let shape = &self.shape;
        let mut x = vec![0.0; ids.len() * shape.hidden];
        let mut place = vec![0.0; shape.hidden];
        for (position, (row, &id)) in x.chunks_exact_mut(shape.hidden).zip(ids).enumerate() {
            self.embedding.expand_row(id as usize, row);
            self.positions.expand_row(position, &mut place);
            for (x, &place) in row.iter_mut().zip(&place) {
                *x += place;
            }
        }
        let x = ops::tensor(x, (ids.len(), shape.hidden))?;
        let wants_pooled = first && shape.pooled != ClipPooled::Unused;
        let taken = if shape.output == ClipOutput::Penultimate { shape.layers.saturating_sub(1) } else { shape.layers };
        let run = |range, observer: &mut dyn Observer| {
            self.layers.run(range, |layer| {
                observer.block()?;
                layer.forward(&x, shape)
            })
        };
        run(0..taken, observer)?;
        if shape.output == ClipOutput::Penultimate {
            ops::read(&x, |x| out.copy_from_slice(x))?;
            if !wants_pooled {
                return Ok(None);
            }
            run(taken..shape.layers, observer)?;
        }
        let Some(norm) = &self.final_norm else { return Ok(None) };
        let x = norm.forward(&x, shape.norm_eps)?;
        if shape.output == ClipOutput::Last {
            ops::read(&x, |x| out.copy_from_slice(x))?;
        }
        if !wants_pooled {
            return Ok(None);
        }
        let end = ids.iter().position(|&id| id == shape.end()).unwrap_or_default();
        let vector = ops::read(&x, |x| x[end * shape.hidden..(end + 1) * shape.hidden].to_vec())?;
        match &self.projection {
            Some(projection) => Ok(Some(ops::linear_vector(&vector, projection)?)),
            None => Ok(Some(vector)),
        }
    }
}

impl TextEncoder for Clip {
    fn features(&self, words: &[Chunk], observer: &mut dyn Observer) -> Result<Features, Failure> {
        let features = self.encode(words, observer)?;
        let width = self.shape.hidden;
        ops::update(&features.tokens, |tokens| {
            for (tokens, chunk) in tokens.chunks_exact_mut(self.shape.positions * width).zip(words) {
                weigh(tokens, &chunk.weights, width);
            }
        })?;
        Ok(features)
    }
}

#[cfg(test)]
/// Token ids of a prompt in chunks of equal length, each with its two ends; an empty prompt is one chunk as well.
pub(crate) fn chunks(tokenizer: &Bpe, prompt: &str, shape: &ClipShape) -> Result<Vec<Vec<u32>>, Failure> {
    let ids = tokenizer.ids(prompt, shape.vocabulary)?;
    let mut chunks: Vec<Vec<u32>> = ids.chunks(shape.chunk().max(1)).map(|ids| bpe::framed(ids, shape)).collect();
    if chunks.is_empty() {
        chunks.push(bpe::framed(&[], shape));
    }
    Ok(chunks)
}

impl Layer {
    fn load(weights: &Weights, prefix: &str, shape: &ClipShape) -> Result<Self, Failure> {
        let (hidden, ff) = (shape.hidden, shape.feed_forward);
        let linear = |name: &str, from, to| weights.linear(&format!("{prefix}.{name}"), from, to, true);
        Ok(Self {
            norm1: Norm::load(weights, &format!("{prefix}.layer_norm1"), hidden)?,
            q: linear("self_attn.q_proj", hidden, hidden)?,
            k: linear("self_attn.k_proj", hidden, hidden)?,
            v: linear("self_attn.v_proj", hidden, hidden)?,
            out: linear("self_attn.out_proj", hidden, hidden)?,
            norm2: Norm::load(weights, &format!("{prefix}.layer_norm2"), hidden)?,
            up: linear("mlp.fc1", hidden, ff)?,
            down: linear("mlp.fc2", ff, hidden)?,
        })
    }

    fn forward(&self, x: &Tensor, shape: &ClipShape) -> Result<(), Failure> {
        let h = self.norm1.forward(x, shape.norm_eps)?;
        let q = ops::linear(&h, &self.q)?;
        let k = ops::linear(&h, &self.k)?;
        let v = ops::linear(&h, &self.v)?;
        drop(h);
        let heads = Heads { queries: shape.heads, keys: shape.heads, dim: shape.head_dim() };
        ops::attention(&q, &k, &v, heads, Mask::Causal)?;
        drop((k, v));
        ops::linear_add(&q, &self.out, x)?;
        drop(q);
        let h = self.norm2.forward(x, shape.norm_eps)?;
        let up = ops::linear(&h, &self.up)?;
        drop(h);
        match shape.activation {
            ClipActivation::Gelu => ops::gelu(&up)?,
            ClipActivation::QuickGelu => ops::quick_gelu(&up)?,
        }
        ops::linear_add(&up, &self.down, x)?;
        Ok(())
    }
}
