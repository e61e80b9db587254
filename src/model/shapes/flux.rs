/// FLUX's diffusion transformer (diffusers `FluxTransformer2DModel`): blocks of two streams, text and image, that
/// attend to each other, then blocks of one stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluxShape {
    /// Latent channels that come out; each token is a square of `patch` x `patch` of them.
    pub channels: usize,
    pub patch: usize,
    pub dim: usize,
    pub heads: usize,
    pub double_blocks: usize,
    pub single_blocks: usize,
    pub feed_forward: usize,
    /// Width of the text features, and of the pooled vector.
    pub caption_dim: usize,
    pub pooled_dim: usize,
    /// Whether the guidance scale is an input of the network (distilled guidance).
    pub guidance: bool,
    pub rope_theta: f64,
    /// Rotary dimensions of the text, row and column axis; their sum is the head size.
    pub rope_axes: [usize; 3],
}

impl FluxShape {
    #[must_use]
    pub const fn head_dim(&self) -> usize {
        self.dim / self.heads
    }

    /// Values of one image token.
    #[must_use]
    pub const fn token(&self) -> usize {
        self.patch * self.patch * self.channels
    }

    /// Tokens of a latent of `width` x `height`.
    #[must_use]
    pub const fn image_tokens(&self, width: usize, height: usize) -> usize {
        (width / self.patch) * (height / self.patch)
    }
}
