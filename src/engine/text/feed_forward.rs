//! The gated feed-forward layer of language models.

use crate::engine::ops::{self, Linear};
use crate::job::Failure;
use crate::planner::footprint::ops::FEED_FORWARD_CHUNK;
use candle_core::Tensor;

pub(super) struct FeedForward {
    pub norm: Vec<f32>,
    pub gate: Linear,
    pub up: Linear,
    pub down: Linear,
}

impl FeedForward {
    /// Adds the layer's answer to `x` (tokens, hidden), a chunk of tokens at a time. `multiply` takes the gate through
    /// its activation and multiplies it with the other half, in place.
    pub(super) fn forward(
        &self,
        x: &Tensor,
        eps: f64,
        multiply: fn(&Tensor, &Tensor) -> candle_core::Result<()>,
    ) -> Result<(), Failure> {
        let tokens = x.dim(0)?;
        for first in (0..tokens).step_by(FEED_FORWARD_CHUNK) {
            let x = x.narrow(0, first, FEED_FORWARD_CHUNK.min(tokens - first))?;
            let h = ops::rms_norm(&x, &self.norm, eps, None)?;
            let gate = ops::linear(&h, &self.gate)?;
            let up = ops::linear(&h, &self.up)?;
            drop(h);
            multiply(&gate, &up)?;
            drop(up);
            ops::linear_add(&gate, &self.down, &x)?;
        }
        Ok(())
    }
}
