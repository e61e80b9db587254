//! A picture in memory: what an engine yields, a store writes and a window shows.

use crate::units::PixelSize;

/// Owned 8-bit RGB, row by row from the top left.
#[derive(Clone, PartialEq, Eq)]
pub struct Pixels {
    size: PixelSize,
    rgb: Vec<u8>,
}

impl Pixels {
    /// `None` unless `rgb` holds exactly three bytes a pixel.
    #[must_use]
    pub fn new(size: PixelSize, rgb: Vec<u8>) -> Option<Self> {
        (rgb.len() as u64 == size.pixels() * 3).then_some(Self { size, rgb })
    }

    /// All black.
    #[must_use]
    pub fn blank(size: PixelSize) -> Self {
        Self { size, rgb: vec![0; size.pixels() as usize * 3] }
    }

    #[must_use]
    pub const fn size(&self) -> PixelSize {
        self.size
    }

    #[must_use]
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }
}

impl std::fmt::Debug for Pixels {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pixels({})", self.size)
    }
}
