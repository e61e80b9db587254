//! The blocks: two streams that attend to each other, and one stream of all tokens.

use crate::engine::ops::{self, Heads, Linear, Mask, Pairing, Rope};
use crate::engine::time::silu;
use crate::engine::weights::Weights;
use crate::job::Failure;
use crate::model::shapes::FluxShape;
use crate::planner::footprint::ops::FEED_FORWARD_CHUNK;
use candle_core::Tensor;

/// Of all norms, fixed in the reference.
pub(super) const EPS: f64 = 1e-6;

#[expect(clippy::large_enum_variant, reason = "the handles of weights are small beside the weights")]
pub(super) enum Block {
    Double { text: Stream, image: Stream },
    Single(Single),
}

/// One side of a block of two streams.
pub(super) struct Stream {
    /// Shift, scale and gate of the attention, then of the feed-forward layers.
    modulation: Linear,
    q: Linear,
    k: Linear,
    v: Linear,
    q_norm: Vec<f32>,
    k_norm: Vec<f32>,
    out: Linear,
    up: Linear,
    down: Linear,
}

pub(super) struct Single {
    /// Shift, scale and gate.
    modulation: Linear,
    q: Linear,
    k: Linear,
    v: Linear,
    q_norm: Vec<f32>,
    k_norm: Vec<f32>,
    up: Linear,
    /// Of the attention's answer and the feed-forward layer's, side by side.
    out: Linear,
}

/// All tokens, text first, and where they stand.
pub(super) struct Tokens<'a> {
    pub x: &'a Tensor,
    pub text: usize,
    pub rope: &'a Rope,
    /// The condition after its SiLU, which all modulations start from.
    pub condition: &'a [f32],
}

impl Tokens<'_> {
    fn text(&self) -> Result<Tensor, Failure> {
        Ok(self.x.narrow(0, 0, self.text)?)
    }

    fn image(&self) -> Result<Tensor, Failure> {
        Ok(self.x.narrow(0, self.text, self.x.dim(0)? - self.text)?)
    }
}

impl Block {
    pub(super) fn load(weights: &Weights, index: usize, shape: &FluxShape) -> Result<Self, Failure> {
        if index >= shape.double_blocks {
            return Ok(Self::Single(Single::load(weights, index - shape.double_blocks, shape)?));
        }
        let prefix = format!("transformer_blocks.{index}");
        let image = Stream::load(weights, &prefix, &IMAGE, shape)?;
        Ok(Self::Double { text: Stream::load(weights, &prefix, &TEXT, shape)?, image })
    }

    /// Works on the tokens in place.
    pub(super) fn forward(&self, tokens: &Tokens<'_>, shape: &FluxShape) -> Result<(), Failure> {
        match self {
            Self::Double { text, image } => double(text, image, tokens, shape),
            Self::Single(single) => single.forward(tokens, shape),
        }
    }
}

/// How the parts of a stream are called.
struct Names {
    modulation: &'static str,
    projections: [&'static str; 3],
    norms: [&'static str; 2],
    out: &'static str,
    feed_forward: &'static str,
}

const IMAGE: Names = Names {
    modulation: "norm1.linear",
    projections: ["attn.to_q", "attn.to_k", "attn.to_v"],
    norms: ["attn.norm_q", "attn.norm_k"],
    out: "attn.to_out.0",
    feed_forward: "ff",
};
const TEXT: Names = Names {
    modulation: "norm1_context.linear",
    projections: ["attn.add_q_proj", "attn.add_k_proj", "attn.add_v_proj"],
    norms: ["attn.norm_added_q", "attn.norm_added_k"],
    out: "attn.to_add_out",
    feed_forward: "ff_context",
};

impl Stream {
    fn load(weights: &Weights, prefix: &str, names: &Names, shape: &FluxShape) -> Result<Self, Failure> {
        let (dim, ff) = (shape.dim, shape.feed_forward);
        let linear = |name: &str, from, to| weights.linear(&format!("{prefix}.{name}"), from, to, true);
        let norm = |name: &str| weights.vector(&format!("{prefix}.{name}.weight"), shape.head_dim());
        let [q, k, v] = names.projections;
        Ok(Self {
            modulation: linear(names.modulation, dim, 6 * dim)?,
            q: linear(q, dim, dim)?,
            k: linear(k, dim, dim)?,
            v: linear(v, dim, dim)?,
            q_norm: norm(names.norms[0])?,
            k_norm: norm(names.norms[1])?,
            out: linear(names.out, dim, dim)?,
            up: linear(&format!("{}.net.0.proj", names.feed_forward), dim, ff)?,
            down: linear(&format!("{}.net.2", names.feed_forward), ff, dim)?,
        })
    }

    /// Queries, keys and values of normed tokens `h` into their rows of `q`, `k` and `v`, which start at `first`.
    fn project(&self, h: &Tensor, [q, k, v]: [&Tensor; 3], rope: &Rope, first: usize) -> Result<(), Failure> {
        let rows = h.dim(0)?;
        let part = |all: &Tensor| all.narrow(0, first, rows);
        let (q, k) = (part(q)?, part(k)?);
        ops::linear_add(h, &self.q, &q)?;
        ops::linear_add(h, &self.k, &k)?;
        ops::linear_add(h, &self.v, &part(v)?)?;
        ops::head_norm_rope(&q, &self.q_norm, EPS, rope, first, Pairing::Neighbours)?;
        ops::head_norm_rope(&k, &self.k_norm, EPS, rope, first, Pairing::Neighbours)?;
        Ok(())
    }

    /// The answer of the attention and the feed-forward layers onto `x`.
    fn finish(&self, x: &Tensor, attended: &Tensor, modulation: &Modulation) -> Result<(), Failure> {
        let y = ops::linear(attended, &self.out)?;
        ops::gated_add(&y, modulation.part(2), x)?;
        drop(y);
        let tokens = x.dim(0)?;
        for from in (0..tokens).step_by(FEED_FORWARD_CHUNK) {
            let x = x.narrow(0, from, FEED_FORWARD_CHUNK.min(tokens - from))?;
            let h = ops::layer_norm_affine(&x, EPS, modulation.part(4), modulation.part(3))?;
            let up = ops::linear(&h, &self.up)?;
            drop(h);
            ops::tanh_gelu(&up)?;
            let y = ops::linear(&up, &self.down)?;
            drop(up);
            ops::gated_add(&y, modulation.part(5), &x)?;
        }
        Ok(())
    }
}

/// What the condition says to a block: shifts, scales (around one) and gates, in turn.
struct Modulation {
    values: Vec<f32>,
    dim: usize,
}

impl Modulation {
    fn new(condition: &[f32], layer: &Linear) -> Result<Self, Failure> {
        let dim = condition.len();
        let mut values = ops::linear_vector(condition, layer)?;
        for scales in values.chunks_exact_mut(dim).skip(1).step_by(3) {
            for scale in scales {
                *scale += 1.0;
            }
        }
        Ok(Self { values, dim })
    }

    fn part(&self, index: usize) -> &[f32] {
        &self.values[index * self.dim..(index + 1) * self.dim]
    }
}

fn double(text: &Stream, image: &Stream, tokens: &Tokens<'_>, shape: &FluxShape) -> Result<(), Failure> {
    let (x_text, x_image) = (tokens.text()?, tokens.image()?);
    let for_text = Modulation::new(tokens.condition, &text.modulation)?;
    let for_image = Modulation::new(tokens.condition, &image.modulation)?;
    let h_text = ops::layer_norm_affine(&x_text, EPS, for_text.part(1), for_text.part(0))?;
    let h_image = ops::layer_norm_affine(&x_image, EPS, for_image.part(1), for_image.part(0))?;
    let all = (tokens.x.dim(0)?, shape.dim);
    let empty = || ops::tensor(vec![0.0; all.0 * all.1], all);
    let (q, k, v) = (empty()?, empty()?, empty()?);
    text.project(&h_text, [&q, &k, &v], tokens.rope, 0)?;
    image.project(&h_image, [&q, &k, &v], tokens.rope, tokens.text)?;
    drop((h_text, h_image));
    ops::attention(&q, &k, &v, heads(shape), Mask::None)?;
    drop((k, v));
    text.finish(&x_text, &q.narrow(0, 0, tokens.text)?, &for_text)?;
    image.finish(&x_image, &q.narrow(0, tokens.text, all.0 - tokens.text)?, &for_image)
}

const fn heads(shape: &FluxShape) -> Heads {
    Heads { queries: shape.heads, keys: shape.heads, dim: shape.head_dim() }
}

impl Single {
    fn load(weights: &Weights, index: usize, shape: &FluxShape) -> Result<Self, Failure> {
        let (dim, ff) = (shape.dim, shape.feed_forward);
        let prefix = format!("single_transformer_blocks.{index}");
        let linear = |name: &str, from, to| weights.linear(&format!("{prefix}.{name}"), from, to, true);
        let norm = |name: &str| weights.vector(&format!("{prefix}.{name}.weight"), shape.head_dim());
        Ok(Self {
            modulation: linear("norm.linear", dim, 3 * dim)?,
            q: linear("attn.to_q", dim, dim)?,
            k: linear("attn.to_k", dim, dim)?,
            v: linear("attn.to_v", dim, dim)?,
            q_norm: norm("attn.norm_q")?,
            k_norm: norm("attn.norm_k")?,
            up: linear("proj_mlp", dim, ff)?,
            out: linear("proj_out", dim + ff, dim)?,
        })
    }

    fn forward(&self, tokens: &Tokens<'_>, shape: &FluxShape) -> Result<(), Failure> {
        let modulation = Modulation::new(tokens.condition, &self.modulation)?;
        let norm = |x: &Tensor| ops::layer_norm_affine(x, EPS, modulation.part(1), modulation.part(0));
        let h = norm(tokens.x)?;
        let q = ops::linear(&h, &self.q)?;
        let k = ops::linear(&h, &self.k)?;
        let v = ops::linear(&h, &self.v)?;
        drop(h);
        ops::head_norm_rope(&q, &self.q_norm, EPS, tokens.rope, 0, Pairing::Neighbours)?;
        ops::head_norm_rope(&k, &self.k_norm, EPS, tokens.rope, 0, Pairing::Neighbours)?;
        ops::attention(&q, &k, &v, heads(shape), Mask::None)?;
        drop((k, v));
        let count = tokens.x.dim(0)?;
        for from in (0..count).step_by(FEED_FORWARD_CHUNK) {
            let chunk = FEED_FORWARD_CHUNK.min(count - from);
            let x = tokens.x.narrow(0, from, chunk)?;
            // Normed again: keeping what the attention started from would cost another stream.
            let h = norm(&x)?;
            let up = ops::linear(&h, &self.up)?;
            drop(h);
            ops::tanh_gelu(&up)?;
            let both = ops::beside(&q.narrow(0, from, chunk)?, &up)?;
            drop(up);
            let y = ops::linear(&both, &self.out)?;
            drop(both);
            ops::gated_add(&y, modulation.part(2), &x)?;
        }
        Ok(())
    }
}

/// The condition of a step, ready for the modulations.
pub(super) fn condition(parts: &[Vec<f32>]) -> Vec<f32> {
    let mut sum = parts.first().cloned().unwrap_or_default();
    for part in parts.iter().skip(1) {
        for (sum, &part) in sum.iter_mut().zip(part) {
            *sum += part;
        }
    }
    silu(&mut sum);
    sum
}
