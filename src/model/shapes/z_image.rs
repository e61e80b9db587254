/// Z-Image's single-stream diffusion transformer (diffusers `ZImageTransformer2DModel`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ZImageShape {
    pub channels: usize,
    pub patch: usize,
    pub dim: usize,
    pub heads: usize,
    pub layers: usize,
    pub refiner_layers: usize,
    pub feed_forward: usize,
    pub caption_dim: usize,
    /// Width of the timestep embedding that modulates every block.
    pub modulation_dim: usize,
    pub norm_eps: f64,
    pub rope_theta: f64,
    /// Rotary dimensions of the frame, row and column axis; their sum is the head size.
    pub rope_axes: [usize; 3],
    /// The timestep runs from 0 to this.
    pub time_scale: f64,
}

/// Image and caption tokens are each padded to a multiple of this.
pub const Z_IMAGE_SEQUENCE_MULTIPLE: usize = 32;

impl ZImageShape {
    #[must_use]
    pub const fn head_dim(&self) -> usize {
        self.dim / self.heads
    }

    /// Tokens of a latent of `width` x `height`, padding included.
    #[must_use]
    pub const fn image_tokens(&self, width: usize, height: usize) -> usize {
        ((width / self.patch) * (height / self.patch)).next_multiple_of(Z_IMAGE_SEQUENCE_MULTIPLE)
    }

    #[must_use]
    pub const fn caption_tokens(&self, tokens: usize) -> usize {
        tokens.next_multiple_of(Z_IMAGE_SEQUENCE_MULTIPLE)
    }
}
