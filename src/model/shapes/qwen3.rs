/// A Qwen3 decoder used as text encoder (grouped query attention, normed queries and keys, gated feed-forward).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Qwen3Shape {
    pub vocabulary: usize,
    pub hidden: usize,
    /// Layers in the file. The caption is the input of the last one, which therefore is never loaded.
    pub layers: usize,
    pub heads: usize,
    pub kv_heads: usize,
    pub head_dim: usize,
    pub feed_forward: usize,
    pub norm_eps: f64,
    pub rope_theta: f64,
    /// Longest prompt in tokens, chat template included.
    pub max_tokens: usize,
}

impl Qwen3Shape {
    /// Layers that run.
    #[must_use]
    pub const fn used_layers(&self) -> usize {
        self.layers.saturating_sub(1)
    }
}
