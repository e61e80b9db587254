//! What is asked for: a [`Draft`] is what is typed, a [`Recipe`] is valid by construction.
//!
//! The only way to a recipe is [`Draft::parse`], so nothing behind it has to check a size or a step count again.

mod draft;
mod partial;
pub mod preset;
pub mod prompt;
pub mod restore;
mod sampling;
pub mod spelling;
mod vocabulary;
pub mod wildcards;

pub use draft::{Adjustment, Draft, Fault, Field, Issue};
pub use partial::Partial;
pub use sampling::{Rng, Sampler, Schedule};
pub use vocabulary::{Choice, Range, Vocabulary};

use crate::units::PixelSize;

/// A complete, valid order for one batch of pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    prompt: String,
    negative: String,
    size: PixelSize,
    steps: u32,
    guidance: f32,
    distilled: Option<f32>,
    seed: u64,
    batch: u32,
    sampler: Sampler,
    schedule: Schedule,
    rng: Rng,
    denoise: Option<f32>,
}

impl Recipe {
    #[must_use]
    pub fn prompt(&self) -> &str {
        &self.prompt
    }

    #[must_use]
    pub fn negative(&self) -> &str {
        &self.negative
    }

    #[must_use]
    pub const fn size(&self) -> PixelSize {
        self.size
    }

    #[must_use]
    pub const fn steps(&self) -> u32 {
        self.steps
    }

    /// Classifier-free guidance scale; 1 switches it off.
    #[must_use]
    pub const fn guidance(&self) -> f32 {
        self.guidance
    }

    /// Whether each step runs the denoiser a second time for the negative prompt.
    #[must_use]
    pub fn guided(&self) -> bool {
        self.guidance > 1.0
    }

    /// Guidance scale as an input of the network, where the model has one.
    #[must_use]
    pub const fn distilled(&self) -> Option<f32> {
        self.distilled
    }

    /// Seed of the first picture; picture `i` of a batch uses `seed + i`.
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    #[must_use]
    pub const fn batch(&self) -> u32 {
        self.batch
    }

    #[must_use]
    pub const fn sampler(&self) -> Sampler {
        self.sampler
    }

    #[must_use]
    pub const fn schedule(&self) -> Schedule {
        self.schedule
    }

    /// Whose random numbers the seed stands for.
    #[must_use]
    pub const fn rng(&self) -> Rng {
        self.rng
    }

    /// Denoise strength of a run that starts from a picture, above 0 and at most 1, where the picture is forgotten; `None`
    /// where a run starts from noise.
    #[must_use]
    pub const fn denoise(&self) -> Option<f32> {
        self.denoise
    }

    /// Of `total` steps, those that run: all from noise; from a picture the last `total * denoise`, rounded down as
    /// diffusers does, and at least one.
    #[must_use]
    pub fn steps_of(&self, total: u32) -> u32 {
        let part = |denoise: f32| (total as f32 * denoise + 1e-4) as u32;
        self.denoise.map_or(total, |denoise| part(denoise).clamp(1, total.max(1)))
    }

    /// Steps that run.
    #[must_use]
    pub fn steps_to_run(&self) -> u32 {
        self.steps_of(self.steps)
    }

    /// The same order at another size; `size` is snapped as a draft's would be.
    #[must_use]
    pub fn with_size(&self, size: PixelSize, vocabulary: &Vocabulary) -> Self {
        Self { size: vocabulary.snap(i64::from(size.width), i64::from(size.height)), ..self.clone() }
    }

    /// The same order with another seed.
    #[must_use]
    pub fn with_seed(&self, seed: u64) -> Self {
        Self { seed, ..self.clone() }
    }

    /// The same order for one picture.
    #[must_use]
    pub fn single(&self, index: u32) -> Self {
        Self { batch: 1, seed: self.seed.wrapping_add(u64::from(index)), ..self.clone() }
    }
}
