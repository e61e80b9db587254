//! The dimensions of each network, as plain numbers: the planner's arithmetic and the engine's layers read the same.

/// A Qwen3 decoder used as text encoder (grouped query attention, normed queries and keys, gated feed-forward).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TextEncoderShape {
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

impl TextEncoderShape {
    /// Layers that run.
    #[must_use]
    pub const fn used_layers(&self) -> usize {
        self.layers.saturating_sub(1)
    }
}

/// The network that turns noise into a latent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DenoiserShape {
    ZImage(ZImageShape),
}

impl DenoiserShape {
    #[must_use]
    pub const fn patch(&self) -> u32 {
        match self {
            Self::ZImage(shape) => shape.patch as u32,
        }
    }

    #[must_use]
    pub const fn latent_channels(&self) -> usize {
        match self {
            Self::ZImage(shape) => shape.channels,
        }
    }
}

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

/// A convolutional autoencoder (diffusers `AutoencoderKL`), widths from the pixel side to the latent side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VaeShape {
    pub latent_channels: usize,
    widths: [usize; Self::MAX_LEVELS],
    levels: usize,
    /// Residual blocks of an encoder level; a decoder level has one more.
    pub layers_per_block: usize,
    pub groups: usize,
    pub mid_attention: bool,
    pub quant_conv: bool,
    pub post_quant_conv: bool,
    pub scaling_factor: f64,
    pub shift_factor: f64,
}

impl VaeShape {
    pub const MAX_LEVELS: usize = 8;

    /// `None` where there is no level or more than [`Self::MAX_LEVELS`].
    #[must_use]
    pub fn new(latent_channels: usize, widths: &[usize]) -> Option<Self> {
        if widths.is_empty() || widths.len() > Self::MAX_LEVELS {
            return None;
        }
        let mut all = [0; Self::MAX_LEVELS];
        all[..widths.len()].copy_from_slice(widths);
        Some(Self {
            latent_channels,
            widths: all,
            levels: widths.len(),
            layers_per_block: 2,
            groups: 32,
            mid_attention: true,
            quant_conv: false,
            post_quant_conv: false,
            scaling_factor: 1.0,
            shift_factor: 0.0,
        })
    }

    #[must_use]
    pub fn widths(&self) -> &[usize] {
        &self.widths[..self.levels]
    }

    /// Pixels of one latent position in each direction.
    #[must_use]
    pub const fn factor(&self) -> u32 {
        1 << (self.levels - 1)
    }
}
