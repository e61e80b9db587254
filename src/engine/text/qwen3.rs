//! Qwen3 as text encoder: the caption is what enters its last layer.
//!
//! transformers `Qwen3Model`, `hidden_states[-2]`; prompts go through the chat template as `ZImagePipeline` writes it.

use super::feed_forward::FeedForward;
use super::words::{Chunk, one};
use crate::engine::blocks::Blocks;
use crate::engine::family::{Features, TextEncoder};
use crate::engine::ops::{self, Heads, Linear, Mask, Pairing, Rope, Weight};
use crate::engine::weights::{Progress, Weights};
use crate::job::{Failure, Observer};
use crate::model::Component;
use crate::model::shapes::Qwen3Shape;
use candle_core::Tensor;
use tokenizers::Tokenizer;

pub(crate) struct Qwen3 {
    shape: Qwen3Shape,
    embedding: Weight,
    layers: Blocks<Layer>,
}

struct Layer {
    input_norm: Vec<f32>,
    q: Linear,
    k: Linear,
    v: Linear,
    q_norm: Vec<f32>,
    k_norm: Vec<f32>,
    out: Linear,
    feed: FeedForward,
}

/// What stands around turns of a chat: a token each in every vocabulary that belongs to this encoder.
pub(super) const TURNS: [&str; 2] = ["<|im_start|>", "<|im_end|>"];

/// Token ids of a prompt in its chat template, cut to the longest that the encoder takes.
pub(super) fn ids(tokenizer: &Tokenizer, prompt: &str, shape: &Qwen3Shape) -> tokenizers::Result<Vec<u32>> {
    let text = format!("<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n");
    let mut ids = tokenizer.encode(text, false)?.get_ids().to_vec();
    ids.truncate(shape.max_tokens);
    Ok(ids)
}

impl Qwen3 {
    /// Loads all layers but the last, or none of them where they are streamed.
    pub(crate) fn load(
        weights: Weights,
        shape: Qwen3Shape,
        component: &Component,
        streamed: bool,
        observer: &mut dyn Observer,
    ) -> Result<Self, Failure> {
        let mut progress = Progress::new(observer, component.bytes());
        let prefix = if weights.has("model.embed_tokens.weight") { "model." } else { "" };
        let embedding = weights.table(&format!("{prefix}embed_tokens.weight"), shape.vocabulary, shape.hidden)?;
        progress.add(component.fixed.bytes)?;
        let load = move |weights: &Weights, index| Layer::load(weights, &format!("{prefix}layers.{index}"), &shape);
        let used = &component.blocks[..shape.used_layers()];
        let layers = Blocks::load(weights, used, streamed, &mut progress, load)?;
        Ok(Self { shape, embedding, layers })
    }

    /// Caption features of a prompt: (tokens, hidden).
    pub(crate) fn encode(&self, ids: &[u32], observer: &mut dyn Observer) -> Result<Tensor, Failure> {
        let shape = &self.shape;
        let mut x = vec![0.0; ids.len() * shape.hidden];
        for (row, &id) in x.chunks_exact_mut(shape.hidden).zip(ids) {
            self.embedding.expand_row(id as usize, row);
        }
        let x = ops::tensor(x, (ids.len(), shape.hidden))?;
        let rope = Rope::new(shape.rope_theta, [shape.head_dim], (0..ids.len()).map(|position| [position]));
        self.layers.run(0..shape.used_layers(), |layer| {
            observer.block()?;
            layer.forward(&x, shape, &rope)
        })?;
        Ok(x)
    }
}

impl TextEncoder for Qwen3 {
    fn features(&self, words: &[Chunk], observer: &mut dyn Observer) -> Result<Features, Failure> {
        Ok(Features { tokens: self.encode(one(words)?, observer)?, pooled: None })
    }
}

impl Layer {
    fn load(weights: &Weights, prefix: &str, shape: &Qwen3Shape) -> Result<Self, Failure> {
        let (hidden, ff) = (shape.hidden, shape.feed_forward);
        let q_width = shape.heads * shape.head_dim;
        let kv_width = shape.kv_heads * shape.head_dim;
        let linear = |name: &str, from, to| weights.linear(&format!("{prefix}.{name}"), from, to, false);
        let norm = |name: &str, len| weights.vector(&format!("{prefix}.{name}.weight"), len);
        Ok(Self {
            input_norm: norm("input_layernorm", hidden)?,
            q: linear("self_attn.q_proj", hidden, q_width)?,
            k: linear("self_attn.k_proj", hidden, kv_width)?,
            v: linear("self_attn.v_proj", hidden, kv_width)?,
            q_norm: norm("self_attn.q_norm", shape.head_dim)?,
            k_norm: norm("self_attn.k_norm", shape.head_dim)?,
            out: linear("self_attn.o_proj", q_width, hidden)?,
            feed: FeedForward {
                norm: norm("post_attention_layernorm", hidden)?,
                gate: linear("mlp.gate_proj", hidden, ff)?,
                up: linear("mlp.up_proj", hidden, ff)?,
                down: linear("mlp.down_proj", ff, hidden)?,
            },
        })
    }

    fn forward(&self, x: &Tensor, shape: &Qwen3Shape, rope: &Rope) -> Result<(), Failure> {
        let eps = shape.norm_eps;
        let h = ops::rms_norm(x, &self.input_norm, eps, None)?;
        let q = ops::linear(&h, &self.q)?;
        let k = ops::linear(&h, &self.k)?;
        let v = ops::linear(&h, &self.v)?;
        drop(h);
        ops::head_norm_rope(&q, &self.q_norm, eps, rope, 0, Pairing::Halves)?;
        ops::head_norm_rope(&k, &self.k_norm, eps, rope, 0, Pairing::Halves)?;
        let heads = Heads { queries: shape.heads, keys: shape.kv_heads, dim: shape.head_dim };
        ops::attention(&q, &k, &v, heads, Mask::Causal)?;
        drop((k, v));
        ops::linear_add(&q, &self.out, x)?;
        drop(q);
        self.feed.forward(x, eps, ops::silu_multiply)
    }
}
