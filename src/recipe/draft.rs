//! From what is typed to a recipe, or to everything that is wrong with it, field by field.

use super::{Recipe, Rng, Sampler, Schedule, Vocabulary};
use crate::units::PixelSize;

/// The form as it stands, valid or not.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    pub prompt: String,
    pub negative: String,
    pub width: i64,
    pub height: i64,
    pub steps: i64,
    pub guidance: f64,
    /// Guidance scale as an input of the network; models without one do not look at it.
    pub distilled: f64,
    pub seed: u64,
    pub batch: i64,
    pub sampler: Sampler,
    pub schedule: Schedule,
    pub rng: Rng,
    /// Denoise strength where the run starts from a picture.
    pub denoise: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Field {
    Prompt,
    Negative,
    Width,
    Height,
    Steps,
    Guidance,
    Distilled,
    Batch,
    Sampler,
    Schedule,
    Denoise,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// Outside the limits, both given.
    OutOfRange {
        min: f64,
        max: f64,
    },
    NotANumber,
    /// More bytes of text than a prompt may have.
    TooLong {
        max: usize,
    },
    /// A choice that this model does not offer.
    NotOffered,
    /// A NUL or another control character that no file format carries.
    ControlCharacter,
}

/// One thing that must be mended before there is a recipe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Issue {
    pub field: Field,
    pub fault: Fault,
}

/// Something that was changed to make a drawable recipe, to be shown before the click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjustment {
    /// The asked size is not a multiple of the model's; the nearest one is drawn.
    Snapped { from: (i64, i64), to: PixelSize },
}

/// Distilled guidance of a draft for a model that has none: what it was for most that have it.
const DISTILLED: f64 = 3.5;
/// Less would not change a picture.
const MIN_DENOISE: f64 = 0.01;
/// Longest prompt in bytes.
const MAX_PROMPT: usize = 64 << 10;

impl Draft {
    /// The defaults of a model's family.
    #[must_use]
    pub fn new(vocabulary: &Vocabulary) -> Self {
        Self {
            prompt: String::new(),
            negative: String::new(),
            width: i64::from(vocabulary.native.width),
            height: i64::from(vocabulary.native.height),
            steps: i64::from(vocabulary.steps.default),
            guidance: f64::from(vocabulary.guidance.default),
            distilled: vocabulary.distilled.map_or(DISTILLED, |range| f64::from(range.default)),
            seed: 0,
            batch: 1,
            sampler: vocabulary.samplers.default,
            schedule: vocabulary.schedules.default,
            rng: Rng::Cpu,
            denoise: None,
        }
    }

    /// The recipe that this draft asks for, with what had to be adjusted.
    ///
    /// # Errors
    /// Every issue at once, at most one a field.
    pub fn parse(&self, vocabulary: &Vocabulary) -> Result<(Recipe, Vec<Adjustment>), Vec<Issue>> {
        let mut issues = Vec::new();
        let mut check = |field, fault: Option<Fault>| {
            if let Some(fault) = fault {
                issues.push(Issue { field, fault });
            }
        };
        check(Field::Prompt, text_fault(&self.prompt));
        check(Field::Negative, text_fault(&self.negative));
        let side = vocabulary.side;
        check(Field::Width, range_fault(self.width as f64, f64::from(side.min), f64::from(side.max)));
        check(Field::Height, range_fault(self.height as f64, f64::from(side.min), f64::from(side.max)));
        let steps = vocabulary.steps;
        check(Field::Steps, range_fault(self.steps as f64, f64::from(steps.min), f64::from(steps.max)));
        let guidance = vocabulary.guidance;
        // Zero is how many programs spell "off".
        let asked = if self.guidance == 0.0 { 1.0 } else { self.guidance };
        check(Field::Guidance, range_fault(asked, f64::from(guidance.min), f64::from(guidance.max)));
        if let Some(range) = vocabulary.distilled {
            check(Field::Distilled, range_fault(self.distilled, f64::from(range.min), f64::from(range.max)));
        }
        let batch = vocabulary.batch;
        check(Field::Batch, range_fault(self.batch as f64, f64::from(batch.min), f64::from(batch.max)));
        let offered = |offered: bool| (!offered).then_some(Fault::NotOffered);
        check(Field::Sampler, offered(vocabulary.samplers.offers(&self.sampler)));
        check(Field::Schedule, offered(vocabulary.schedules.offers(&self.schedule)));
        if let Some(denoise) = self.denoise {
            check(Field::Denoise, offered(vocabulary.pictures).or_else(|| range_fault(denoise, MIN_DENOISE, 1.0)));
        }
        if !issues.is_empty() {
            return Err(issues);
        }

        let size = vocabulary.snap(self.width, self.height);
        let mut adjustments = Vec::new();
        if (i64::from(size.width), i64::from(size.height)) != (self.width, self.height) {
            adjustments.push(Adjustment::Snapped { from: (self.width, self.height), to: size });
        }
        let recipe = Recipe {
            prompt: self.prompt.clone(),
            negative: self.negative.clone(),
            size,
            steps: self.steps as u32,
            guidance: asked as f32,
            distilled: vocabulary.distilled.map(|_range| self.distilled as f32),
            seed: self.seed,
            batch: self.batch as u32,
            sampler: self.sampler,
            schedule: self.schedule,
            rng: self.rng,
            denoise: self.denoise.map(|denoise| denoise as f32),
        };
        Ok((recipe, adjustments))
    }
}

fn range_fault(value: f64, min: f64, max: f64) -> Option<Fault> {
    if !value.is_finite() {
        return Some(Fault::NotANumber);
    }
    (value < min || max < value).then_some(Fault::OutOfRange { min, max })
}

fn text_fault(text: &str) -> Option<Fault> {
    if text.len() > MAX_PROMPT {
        return Some(Fault::TooLong { max: MAX_PROMPT });
    }
    text.chars().any(|c| c == '\0').then_some(Fault::ControlCharacter)
}

impl From<&Recipe> for Draft {
    fn from(recipe: &Recipe) -> Self {
        Self {
            prompt: recipe.prompt.clone(),
            negative: recipe.negative.clone(),
            width: i64::from(recipe.size.width),
            height: i64::from(recipe.size.height),
            steps: i64::from(recipe.steps),
            guidance: f64::from(recipe.guidance),
            distilled: recipe.distilled.map_or(DISTILLED, f64::from),
            seed: recipe.seed,
            batch: i64::from(recipe.batch),
            sampler: recipe.sampler,
            schedule: recipe.schedule,
            rng: recipe.rng,
            denoise: recipe.denoise.map(f64::from),
        }
    }
}
