//! Text encoders: one prompt of a few hundred tokens.

use super::{Footprint, Meter, ops};
use crate::model::shapes::{ClipShape, Qwen3Shape, T5Shape, TextEncoderShape};
use crate::units::Bytes;

/// Tokens of the chat template around a prompt, at most.
const TEMPLATE_TOKENS: usize = 16;

/// The most tokens that `prompt` can become: byte-level BPE never makes more tokens than bytes, and CLIP counts them in
/// whole chunks.
#[must_use]
pub fn token_bound(prompt: &str, shape: &TextEncoderShape) -> usize {
    match shape {
        TextEncoderShape::Clip(shape) => {
            let tokens: usize = prompt.chars().map(clip_tokens).sum();
            tokens.div_ceil(shape.chunk().max(1)).max(1) * shape.positions
        }
        TextEncoderShape::Qwen3(shape) => (prompt.len() + TEMPLATE_TOKENS).min(shape.max_tokens),
        TextEncoderShape::T5(shape) => shape.tokens,
    }
}

/// The most tokens of one character: its bytes, which lower case and composition may make three times as many outside
/// of ASCII. Spaces only part words.
const fn clip_tokens(c: char) -> usize {
    match c {
        ' ' | '\t' | '\n' | '\r' => 0,
        c if c.is_ascii() => 1,
        c => 3 * c.len_utf8(),
    }
}

/// A tokenizer in memory, from the length of its file: vocabulary and merges as maps of strings, in both directions.
#[must_use]
pub fn tokenizer_bytes(file: Bytes) -> Bytes {
    file * 14
}

/// Caption features: f32, tokens x hidden.
#[must_use]
pub const fn caption_bytes(shape: &TextEncoderShape, tokens: usize) -> Bytes {
    Bytes::f32s(tokens * shape.features())
}

/// Work of encoding one prompt, beyond the caption itself.
#[must_use]
pub fn encode(shape: &TextEncoderShape, tokens: usize, threads: usize) -> Footprint {
    match shape {
        TextEncoderShape::Clip(shape) => clip(shape, threads),
        TextEncoderShape::Qwen3(shape) => qwen3(shape, tokens, threads),
        TextEncoderShape::T5(shape) => t5(shape, threads),
    }
}

/// One chunk at a time, however many there are.
fn clip(shape: &ClipShape, threads: usize) -> Footprint {
    let (tokens, hidden, ff) = (shape.positions, shape.hidden, shape.feed_forward);
    let projection = ops::linear(hidden, hidden);
    let mut m = Meter::default();
    m.make(tokens * hidden, Bytes::ZERO); // the stream
    let h = m.make(tokens * hidden, Bytes::ZERO);
    let q = m.make(tokens * hidden, projection);
    let k = m.make(tokens * hidden, projection);
    let v = m.make(tokens * hidden, projection);
    m.free(h);
    m.work(ops::attention(shape.heads, tokens, shape.head_dim(), threads));
    m.free(k);
    m.free(v);
    m.work(projection);
    m.free(q);
    let h = m.make(tokens * hidden, Bytes::ZERO);
    let up = m.make(tokens * ff, ops::linear(hidden, ff));
    m.free(h);
    m.work(ops::linear(ff, hidden));
    m.free(up);
    // The final norm's answer, which the pooled vector is projected from.
    m.make(tokens * hidden, ops::linear(hidden, shape.pooled_width()));
    m.peak()
}

fn qwen3(shape: &Qwen3Shape, tokens: usize, threads: usize) -> Footprint {
    let (hidden, ff) = (shape.hidden, shape.feed_forward);
    let q_width = shape.heads * shape.head_dim;
    let kv_width = shape.kv_heads * shape.head_dim;
    let mut m = Meter::default();
    m.make(tokens * shape.head_dim, Bytes::ZERO); // rotary table
    // Attention; the stream itself is the caption, which is counted as an embedding.
    let h = m.make(tokens * hidden, Bytes::ZERO);
    let q = m.make(tokens * q_width, ops::linear(hidden, q_width));
    let k = m.make(tokens * kv_width, ops::linear(hidden, kv_width));
    let v = m.make(tokens * kv_width, ops::linear(hidden, kv_width));
    m.free(h);
    m.work(ops::attention(shape.kv_heads, tokens, shape.head_dim, threads));
    m.free(k);
    m.free(v);
    m.work(ops::linear(q_width, hidden));
    m.free(q);
    m.nest(feed_forward(tokens, hidden, ff, Sum::InPlace));
    m.peak()
}

/// Always as many tokens as the encoder takes; the answer of the final norm is the caption.
fn t5(shape: &T5Shape, threads: usize) -> Footprint {
    let (tokens, hidden, inner) = (shape.tokens, shape.hidden, shape.inner());
    let projection = ops::linear(hidden, inner);
    let mut m = Meter::default();
    m.make(tokens * hidden, Bytes::ZERO); // the stream
    let h = m.make(tokens * hidden, Bytes::ZERO);
    let q = m.make(tokens * inner, projection);
    let k = m.make(tokens * inner, projection);
    let v = m.make(tokens * inner, projection);
    m.free(h);
    let attended = m.make(tokens * inner, ops::biased_attention(tokens, threads));
    m.free(q);
    m.free(k);
    m.free(v);
    m.work(ops::linear(inner, hidden));
    m.free(attended);
    m.nest(feed_forward(tokens, hidden, shape.feed_forward, Sum::InPlace));
    m.peak()
}

/// How the result of a layer reaches its residual stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sum {
    /// Added by the product itself.
    InPlace,
    /// Normed first, so it exists for a moment.
    Normed,
}

/// A gated feed-forward layer, chunked over tokens: normed input, two wide halves, then the narrow result.
#[must_use]
pub fn feed_forward(tokens: usize, dim: usize, hidden: usize, sum: Sum) -> Footprint {
    let chunk = tokens.min(ops::FEED_FORWARD_CHUNK);
    let mut m = Meter::default();
    let h = m.make(chunk * dim, Bytes::ZERO);
    let gate = m.make(chunk * hidden, ops::linear(dim, hidden));
    let up = m.make(chunk * hidden, ops::linear(dim, hidden));
    m.free(up);
    m.free(h);
    let result = if sum == Sum::Normed { chunk * dim } else { 0 };
    m.make(result, ops::linear(hidden, dim));
    m.free(gate);
    m.peak()
}
