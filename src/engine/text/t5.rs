//! The encoder of T5 (transformers `T5EncoderModel`), as FLUX and SD3 use it: prompts are cut or filled up to a fixed
//! length, and the filling is attended to as well.

use super::feed_forward::FeedForward;
use super::words::{Chunk, one};
use crate::engine::blocks::Blocks;
use crate::engine::family::{Features, TextEncoder};
use crate::engine::ops::{self, DistanceBias, Linear, Weight};
use crate::engine::weights::{Progress, Weights};
use crate::job::{Failure, Observer};
use crate::model::Component;
use crate::model::shapes::T5Shape;
use candle_core::Tensor;
use tokenizers::Tokenizer;

/// The token that fills a prompt up, and the one that ends it, in every T5 vocabulary.
const PADDING: u32 = 0;
const END: u32 = 1;

pub(crate) struct T5 {
    shape: T5Shape,
    embedding: Weight,
    bias: DistanceBias,
    final_norm: Vec<f32>,
    layers: Blocks<Layer>,
}

struct Layer {
    norm: Vec<f32>,
    q: Linear,
    k: Linear,
    v: Linear,
    out: Linear,
    feed: FeedForward,
}

impl T5 {
    /// Loads the layers, or none of them where they are streamed.
    pub(crate) fn load(
        weights: Weights,
        shape: T5Shape,
        component: &Component,
        streamed: bool,
        observer: &mut dyn Observer,
    ) -> Result<Self, Failure> {
        let mut progress = Progress::new(observer, component.bytes());
        let embedding = if weights.has("shared.weight") { "shared.weight" } else { "encoder.embed_tokens.weight" };
        let embedding = weights.table(embedding, shape.vocabulary, shape.hidden)?;
        let by_bucket = weights.flat(
            "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
            &[shape.buckets, shape.heads],
        )?;
        let bias = DistanceBias::new(shape.heads, shape.tokens, |head, distance| {
            by_bucket[shape.bucket(distance) * shape.heads + head]
        });
        let final_norm = weights.vector("encoder.final_layer_norm.weight", shape.hidden)?;
        progress.add(component.fixed.bytes)?;
        let load = move |weights: &Weights, index| Layer::load(weights, index, &shape);
        let layers = Blocks::load(weights, &component.blocks, streamed, &mut progress, load)?;
        Ok(Self { shape, embedding, bias, final_norm, layers })
    }

    /// Features of a prompt's tokens: (tokens, hidden).
    pub(crate) fn encode(&self, ids: &[u32], observer: &mut dyn Observer) -> Result<Tensor, Failure> {
        let shape = &self.shape;
        let mut x = vec![0.0; ids.len() * shape.hidden];
        for (row, &id) in x.chunks_exact_mut(shape.hidden).zip(ids) {
            self.embedding.expand_row(id as usize, row);
        }
        let x = ops::tensor(x, (ids.len(), shape.hidden))?;
        self.layers.run(0..shape.layers, |layer| {
            observer.block()?;
            layer.forward(&x, shape, &self.bias)
        })?;
        Ok(ops::rms_norm(&x, &self.final_norm, shape.norm_eps, None)?)
    }
}

impl TextEncoder for T5 {
    fn features(&self, words: &[Chunk], observer: &mut dyn Observer) -> Result<Features, Failure> {
        Ok(Features { tokens: self.encode(one(words)?, observer)?, pooled: None })
    }
}

/// Token ids of a prompt: as many as the shape says.
pub(super) fn ids(tokenizer: &Tokenizer, prompt: &str, shape: &T5Shape) -> tokenizers::Result<Vec<u32>> {
    let encoding = tokenizer.encode(prompt, false)?;
    let mut ids: Vec<u32> = encoding.get_ids().iter().copied().take(shape.tokens.saturating_sub(1)).collect();
    ids.push(END);
    ids.resize(shape.tokens, PADDING);
    Ok(ids)
}

impl Layer {
    fn load(weights: &Weights, index: usize, shape: &T5Shape) -> Result<Self, Failure> {
        let prefix = format!("encoder.block.{index}.layer");
        let (hidden, inner, ff) = (shape.hidden, shape.inner(), shape.feed_forward);
        let linear = |name: &str, from, to| weights.linear(&format!("{prefix}.{name}"), from, to, false);
        Ok(Self {
            norm: weights.vector(&format!("{prefix}.0.layer_norm.weight"), hidden)?,
            q: linear("0.SelfAttention.q", hidden, inner)?,
            k: linear("0.SelfAttention.k", hidden, inner)?,
            v: linear("0.SelfAttention.v", hidden, inner)?,
            out: linear("0.SelfAttention.o", inner, hidden)?,
            feed: FeedForward {
                norm: weights.vector(&format!("{prefix}.1.layer_norm.weight"), hidden)?,
                gate: linear("1.DenseReluDense.wi_0", hidden, ff)?,
                up: linear("1.DenseReluDense.wi_1", hidden, ff)?,
                down: linear("1.DenseReluDense.wo", ff, hidden)?,
            },
        })
    }

    fn forward(&self, x: &Tensor, shape: &T5Shape, bias: &DistanceBias) -> Result<(), Failure> {
        let eps = shape.norm_eps;
        let h = ops::rms_norm(x, &self.norm, eps, None)?;
        let q = ops::linear(&h, &self.q)?;
        let k = ops::linear(&h, &self.k)?;
        let v = ops::linear(&h, &self.v)?;
        drop(h);
        let attended = ops::biased_attention(&q, &k, &v, shape.heads, bias)?;
        drop((q, k, v));
        ops::linear_add(&attended, &self.out, x)?;
        drop(attended);
        self.feed.forward(x, eps, ops::tanh_gelu_multiply)
    }
}
