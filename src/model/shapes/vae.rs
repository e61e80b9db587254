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
