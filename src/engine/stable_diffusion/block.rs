//! The pieces of the denoiser, and what each does to the stream. Rows x columns x channels throughout.

use crate::engine::ops::{self, Before, Conv, GroupNorm, Heads, Linear, Mask, Resize};
use crate::engine::weights::Weights;
use crate::job::Failure;
use crate::model::shapes::{UnetPiece, UnetPieceKind, UnetShape};
use crate::planner::footprint::ops::FEED_FORWARD_CHUNK;
use candle_core::Tensor;

const RESNET_EPS: f64 = 1e-5;
const TRANSFORMER_EPS: f64 = 1e-6;
const LAYER_EPS: f64 = 1e-5;

pub(super) enum Block {
    Resnet(Box<Resnet>),
    Enter { norm: GroupNorm, proj: Linear },
    Layer(Box<Layer>),
    Leave(Linear),
    Downsample(Conv),
    Upsample(Conv),
}

pub(super) struct Resnet {
    norm1: GroupNorm,
    conv1: Conv,
    time: Linear,
    norm2: GroupNorm,
    conv2: Conv,
    shortcut: Option<Conv>,
}

pub(super) struct Layer {
    norms: [(Vec<f32>, Vec<f32>); 3],
    own: Attention,
    cross: Attention,
    up: Linear,
    down: Linear,
}

struct Attention {
    q: Linear,
    k: Linear,
    v: Linear,
    out: Linear,
}

/// What flows through the pieces.
pub(super) struct Stream {
    pub x: Tensor,
    /// Tokens between `Enter` and `Leave`.
    tokens: Option<Tensor>,
    skips: Vec<Tensor>,
}

/// What every piece hears beside the stream.
pub(super) struct Conditions<'a> {
    /// SiLU of the time's embedding.
    pub time: &'a [f32],
    /// Caption features (tokens, width).
    pub context: &'a Tensor,
}

impl Stream {
    /// Starts at the first convolution's output, which comes back on the way up.
    pub(super) fn new(x: Tensor) -> Self {
        Self { skips: vec![x.clone()], x, tokens: None }
    }

    /// Runs one piece.
    pub(super) fn step(&mut self, block: &Block, piece: &UnetPiece, with: &Conditions<'_>) -> Result<(), Failure> {
        match (block, piece.kind) {
            (Block::Resnet(resnet), UnetPieceKind::Resnet { skip, keeps, .. }) => {
                if skip > 0 {
                    let skip = self.skips.pop().ok_or_else(|| misplaced("no skip is left"))?;
                    self.x = ops::beside(&self.x, &skip)?;
                }
                resnet.forward(&mut self.x, keeps, with.time)?;
            }
            (Block::Enter { norm, proj }, _) => {
                let norm = norm.affine(&self.x)?;
                let h = ops::apply_affine(&self.x, &norm)?;
                self.tokens = Some(ops::linear(&h, proj)?);
            }
            (Block::Layer(layer), UnetPieceKind::Layer { heads, .. }) => {
                let tokens = self.tokens.as_ref().ok_or_else(|| misplaced("no tokens"))?;
                layer.forward(tokens, with.context, heads)?;
            }
            (Block::Leave(proj), _) => {
                let tokens = self.tokens.take().ok_or_else(|| misplaced("no tokens"))?;
                let (height, width, channels) = self.x.dims3()?;
                ops::linear_add(&tokens, proj, &self.x.reshape((height * width, channels))?)?;
            }
            (Block::Downsample(conv), _) => {
                self.x = ops::conv(&self.x, conv, Before { resize: Resize::Halve, ..Before::default() })?;
            }
            (Block::Upsample(conv), _) => self.upsample(conv)?,
            (Block::Resnet(_) | Block::Layer(_), _) => return Err(misplaced("a piece of another kind")),
        }
        if piece.pushes {
            self.skips.push(self.x.clone());
        }
        Ok(())
    }

    /// To the size of the skip that comes next: twice as high and wide, or one less where the way down rounded up.
    fn upsample(&mut self, conv: &Conv) -> Result<(), Failure> {
        let (height, width, _) = self.x.dims3()?;
        let next = self.skips.last().ok_or_else(|| misplaced("no skip is left"))?;
        let (high, wide, _) = next.dims3()?;
        if (high, wide) == (2 * height, 2 * width) {
            self.x = ops::conv(&self.x, conv, Before { resize: Resize::Double, ..Before::default() })?;
        } else {
            self.x = ops::upsample(&self.x, (high, wide))?;
            self.x = ops::conv(&self.x, conv, Before::default())?;
        }
        Ok(())
    }
}

fn misplaced(what: &str) -> Failure {
    Failure::Crash { what: format!("the denoiser's pieces do not follow one another: {what}") }
}

impl Block {
    pub(super) fn load(weights: &Weights, piece: &UnetPiece, shape: &UnetShape) -> Result<Self, Failure> {
        let prefixes = piece.prefixes();
        // The dot at the end is for matching names.
        let prefix = |index: usize| prefixes.get(index).map_or("", |prefix| prefix.trim_end_matches('.'));
        let first = prefix(0);
        Ok(match piece.kind {
            UnetPieceKind::Resnet { from, to, .. } => {
                Self::Resnet(Box::new(Resnet::load(weights, first, shape, from, to)?))
            }
            UnetPieceKind::Enter { width } => Self::Enter {
                norm: GroupNorm { eps: TRANSFORMER_EPS, ..weights.group_norm(first, shape.groups, width)? },
                proj: weights.unfolded(prefix(1), 1, width, width)?,
            },
            UnetPieceKind::Layer { width, .. } => {
                Self::Layer(Box::new(Layer::load(weights, first, width, shape.context)?))
            }
            UnetPieceKind::Leave { width } => Self::Leave(weights.unfolded(first, 1, width, width)?),
            UnetPieceKind::Downsample { width } => Self::Downsample(weights.conv(first, 3, width, width)?),
            UnetPieceKind::Upsample { width } => Self::Upsample(weights.conv(first, 3, width, width)?),
        })
    }
}

impl Resnet {
    fn load(weights: &Weights, prefix: &str, shape: &UnetShape, from: usize, to: usize) -> Result<Self, Failure> {
        let norm = |name: &str, channels| -> Result<GroupNorm, Failure> {
            let norm = weights.group_norm(&format!("{prefix}.{name}"), shape.groups, channels)?;
            Ok(GroupNorm { eps: RESNET_EPS, ..norm })
        };
        Ok(Self {
            norm1: norm("norm1", from)?,
            conv1: weights.conv(&format!("{prefix}.conv1"), 3, from, to)?,
            time: weights.linear(&format!("{prefix}.time_emb_proj"), shape.time_width, to, true)?,
            norm2: norm("norm2", to)?,
            conv2: weights.conv(&format!("{prefix}.conv2"), 3, to, to)?,
            shortcut: if from == to {
                None
            } else {
                Some(weights.conv(&format!("{prefix}.conv_shortcut"), 1, from, to)?)
            },
        })
    }

    /// `x` becomes the block's output; where it `keeps` its input, that is left as it is for whoever else holds it.
    fn forward(&self, x: &mut Tensor, keeps: bool, time: &[f32]) -> Result<(), Failure> {
        let norm = self.norm1.affine(x)?;
        let h = ops::conv(x, &self.conv1, Before { norm: Some(&norm), ..Before::default() })?;
        ops::add_bias(&h, &ops::linear_vector(time, &self.time)?)?;
        let norm = self.norm2.affine(&h)?;
        match &self.shortcut {
            Some(shortcut) => *x = ops::conv(x, shortcut, Before::default())?,
            None if keeps => *x = ops::copy(x)?,
            None => {}
        }
        ops::conv_add(&h, &self.conv2, Before { norm: Some(&norm), ..Before::default() }, x)?;
        Ok(())
    }
}

impl Attention {
    fn load(weights: &Weights, prefix: &str, width: usize, context: usize) -> Result<Self, Failure> {
        Ok(Self {
            q: weights.linear(&format!("{prefix}.to_q"), width, width, false)?,
            k: weights.linear(&format!("{prefix}.to_k"), context, width, false)?,
            v: weights.linear(&format!("{prefix}.to_v"), context, width, false)?,
            out: weights.linear(&format!("{prefix}.to_out.0"), width, width, true)?,
        })
    }
}

impl Layer {
    fn load(weights: &Weights, prefix: &str, width: usize, context: usize) -> Result<Self, Failure> {
        let norm = |name: &str| -> Result<_, Failure> {
            let vector = |part: &str| weights.vector(&format!("{prefix}.{name}.{part}"), width);
            Ok((vector("weight")?, vector("bias")?))
        };
        Ok(Self {
            norms: [norm("norm1")?, norm("norm2")?, norm("norm3")?],
            own: Attention::load(weights, &format!("{prefix}.attn1"), width, width)?,
            cross: Attention::load(weights, &format!("{prefix}.attn2"), width, context)?,
            up: weights.linear(&format!("{prefix}.ff.net.0.proj"), width, 8 * width, true)?,
            down: weights.linear(&format!("{prefix}.ff.net.2"), 4 * width, width, true)?,
        })
    }

    fn normed(&self, index: usize, x: &Tensor) -> Result<Tensor, Failure> {
        let (weight, bias) = &self.norms[index];
        Ok(ops::layer_norm_affine(x, LAYER_EPS, weight, bias)?)
    }

    /// Works on `x` (tokens, width) in place.
    fn forward(&self, x: &Tensor, context: &Tensor, heads: usize) -> Result<(), Failure> {
        let (tokens, width) = x.dims2()?;
        let heads = Heads { queries: heads, keys: heads, dim: width / heads };

        let h = self.normed(0, x)?;
        let q = ops::linear(&h, &self.own.q)?;
        let k = ops::linear(&h, &self.own.k)?;
        let v = ops::linear(&h, &self.own.v)?;
        drop(h);
        ops::attention(&q, &k, &v, heads, Mask::None)?;
        drop((k, v));
        ops::linear_add(&q, &self.own.out, x)?;
        drop(q);

        let h = self.normed(1, x)?;
        let q = ops::linear(&h, &self.cross.q)?;
        drop(h);
        let k = ops::linear(context, &self.cross.k)?;
        let v = ops::linear(context, &self.cross.v)?;
        ops::attention(&q, &k, &v, heads, Mask::None)?;
        drop((k, v));
        ops::linear_add(&q, &self.cross.out, x)?;
        drop(q);

        for from in (0..tokens).step_by(FEED_FORWARD_CHUNK) {
            let x = x.narrow(0, from, FEED_FORWARD_CHUNK.min(tokens - from))?;
            let h = self.normed(2, &x)?;
            let wide = ops::linear(&h, &self.up)?;
            drop(h);
            let gated = ops::geglu(&wide)?;
            drop(wide);
            ops::linear_add(&gated, &self.down, &x)?;
        }
        Ok(())
    }
}
