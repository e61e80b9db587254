//! Sides of a picture along a track: every doubling takes the same length, so small models keep a usable range.

use crate::planner::CellVerdict;
use crate::recipe::Vocabulary;

/// How many places of a track have a verdict of their own.
pub const TRACK_CELLS: usize = 72;

/// The verdict along one slider, from the smallest side to the largest.
pub type Track = Vec<CellVerdict>;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SideScale {
    pub min: u32,
    pub max: u32,
    pub multiple: u32,
}

impl SideScale {
    #[must_use]
    pub fn of(vocabulary: &Vocabulary) -> Self {
        Self { min: vocabulary.side.min, max: vocabulary.side.max, multiple: vocabulary.multiple }
    }

    /// Where a side lies, from 0 to 1.
    #[must_use]
    pub fn fraction(&self, side: f64) -> f32 {
        let (min, max) = (f64::from(self.min), f64::from(self.max));
        ((side.clamp(min, max) / min).ln() / (max / min).ln()) as f32
    }

    /// The drawable side nearest to a place.
    #[must_use]
    pub fn side(&self, fraction: f32) -> u32 {
        let (min, max) = (f64::from(self.min), f64::from(self.max));
        let exact = min * (max / min).powf(f64::from(fraction.clamp(0.0, 1.0)));
        let multiple = f64::from(self.multiple);
        (((exact / multiple).round() * multiple) as u32).clamp(self.min, self.max)
    }

    /// The side that stands for cell `index` of a track.
    #[must_use]
    pub fn cell_side(&self, index: usize) -> u32 {
        self.side((index as f32 + 0.5) / TRACK_CELLS as f32)
    }

    /// Powers of two within the range.
    pub fn ticks(&self) -> impl Iterator<Item = u32> + use<> {
        let Self { min, max, .. } = *self;
        (0..31).map(|power| 1_u32 << power).filter(move |side| min <= *side && *side <= max)
    }
}
