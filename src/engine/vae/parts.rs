//! What encoder and decoder are made of: residual blocks and the attention of the middle.

use crate::engine::ops::{self, Before, Conv, GroupNorm, Heads, Linear, Mask, Resize};
use crate::engine::weights::Weights;
use crate::job::{Failure, Observer};
use crate::model::shapes::VaeShape;
use candle_core::Tensor;

pub(super) struct Residual {
    pub norm1: GroupNorm,
    pub conv1: Conv,
    pub norm2: GroupNorm,
    pub conv2: Conv,
    pub shortcut: Option<Conv>,
}

/// The deepest level: attention between two residual blocks.
pub(super) struct Middle {
    first: Residual,
    attention: Option<MidAttention>,
    second: Residual,
}

struct MidAttention {
    norm: GroupNorm,
    q: Linear,
    k: Linear,
    v: Linear,
    out: Linear,
}

impl Residual {
    pub(super) fn load(
        weights: &Weights,
        prefix: &str,
        groups: usize,
        from: usize,
        to: usize,
    ) -> Result<Self, Failure> {
        Ok(Self {
            norm1: weights.group_norm(&format!("{prefix}.norm1"), groups, from)?,
            conv1: weights.conv(&format!("{prefix}.conv1"), 3, from, to)?,
            norm2: weights.group_norm(&format!("{prefix}.norm2"), groups, to)?,
            conv2: weights.conv(&format!("{prefix}.conv2"), 3, to, to)?,
            shortcut: if from == to {
                None
            } else {
                Some(weights.conv(&format!("{prefix}.conv_shortcut"), 1, from, to)?)
            },
        })
    }

    pub(super) fn forward(&self, x: Tensor) -> Result<Tensor, Failure> {
        let norm = self.norm1.affine(&x)?;
        let h = ops::conv(&x, &self.conv1, Before { norm: Some(&norm), resize: Resize::Keep })?;
        let norm = self.norm2.affine(&h)?;
        let out = match &self.shortcut {
            Some(shortcut) => {
                let out = ops::conv(&x, shortcut, Before::default())?;
                drop(x);
                out
            }
            None => x,
        };
        ops::conv_add(&h, &self.conv2, Before { norm: Some(&norm), resize: Resize::Keep }, &out)?;
        Ok(out)
    }
}

impl Middle {
    pub(super) fn load(weights: &Weights, prefix: &str, shape: VaeShape, channels: usize) -> Result<Self, Failure> {
        let residual = |index: usize| {
            Residual::load(weights, &format!("{prefix}.resnets.{index}"), shape.groups, channels, channels)
        };
        let attention = if shape.mid_attention {
            let prefix = format!("{prefix}.attentions.0");
            let linear = |name: &str| weights.linear(&format!("{prefix}.{name}"), channels, channels, true);
            Some(MidAttention {
                norm: weights.group_norm(&format!("{prefix}.group_norm"), shape.groups, channels)?,
                q: linear("to_q")?,
                k: linear("to_k")?,
                v: linear("to_v")?,
                out: linear("to_out.0")?,
            })
        } else {
            None
        };
        Ok(Self { first: residual(0)?, attention, second: residual(1)? })
    }

    pub(super) fn forward(&self, x: Tensor, observer: &mut dyn Observer) -> Result<Tensor, Failure> {
        let mut x = self.first.forward(x)?;
        if let Some(attention) = &self.attention {
            observer.block()?;
            x = attention.forward(x)?;
        }
        self.second.forward(x)
    }
}

impl MidAttention {
    fn forward(&self, x: Tensor) -> Result<Tensor, Failure> {
        let (height, width, channels) = x.dims3().map_err(Failure::from)?;
        let norm = self.norm.affine(&x)?;
        let h = ops::apply_affine(&x, &norm)?;
        let q = ops::linear(&h, &self.q)?;
        let k = ops::linear(&h, &self.k)?;
        let v = ops::linear(&h, &self.v)?;
        drop(h);
        ops::attention(&q, &k, &v, Heads { queries: 1, keys: 1, dim: channels }, Mask::None)?;
        drop((k, v));
        let flat = x.reshape((height * width, channels)).map_err(Failure::from)?;
        ops::linear_add(&q, &self.out, &flat)?;
        Ok(x)
    }
}
