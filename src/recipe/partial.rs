//! Some of a draft's fields: what a picture of another program says, or what a preset sets.

use super::{Draft, Rng, Sampler, Schedule, Vocabulary};

/// The fields that are set; the others are left to whoever takes them over. Values are as they were read: whether they
/// are drawable is for [`Draft::parse`] to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partial {
    pub prompt: Option<String>,
    pub negative: Option<String>,
    pub width: Option<i64>,
    pub height: Option<i64>,
    pub steps: Option<i64>,
    /// Classifier-free guidance as most programs count it: 1 is off.
    pub guidance: Option<f64>,
    /// Guidance as an input of the network, for models that have one.
    pub distilled: Option<f64>,
    pub seed: Option<u64>,
    pub batch: Option<i64>,
    pub sampler: Option<Sampler>,
    pub schedule: Option<Schedule>,
    pub rng: Option<Rng>,
}

impl Partial {
    /// `draft` with the fields that are set here in place of its own.
    #[must_use]
    pub fn over(&self, draft: &Draft) -> Draft {
        let mut draft = draft.clone();
        draft.prompt = self.prompt.clone().unwrap_or(draft.prompt);
        draft.negative = self.negative.clone().unwrap_or(draft.negative);
        draft.width = self.width.unwrap_or(draft.width);
        draft.height = self.height.unwrap_or(draft.height);
        draft.steps = self.steps.unwrap_or(draft.steps);
        draft.guidance = self.guidance.unwrap_or(draft.guidance);
        draft.distilled = self.distilled.unwrap_or(draft.distilled);
        draft.seed = self.seed.unwrap_or(draft.seed);
        draft.batch = self.batch.unwrap_or(draft.batch);
        draft.sampler = self.sampler.unwrap_or(draft.sampler);
        draft.schedule = self.schedule.unwrap_or(draft.schedule);
        draft.rng = self.rng.unwrap_or(draft.rng);
        draft
    }

    /// The draft that these fields describe on their own: what is absent becomes the model's default, so that nothing
    /// of an earlier picture stays behind. The seed alone is kept where none is given: no model has a default for it.
    #[must_use]
    pub fn alone(&self, vocabulary: &Vocabulary, seed: u64) -> Draft {
        self.over(&Draft { seed, ..Draft::new(vocabulary) })
    }

    /// How many fields are set.
    #[must_use]
    pub fn count(&self) -> usize {
        let set = [
            self.prompt.is_some(),
            self.negative.is_some(),
            self.width.is_some(),
            self.height.is_some(),
            self.steps.is_some(),
            self.guidance.is_some(),
            self.distilled.is_some(),
            self.seed.is_some(),
            self.batch.is_some(),
            self.sampler.is_some(),
            self.schedule.is_some(),
            self.rng.is_some(),
        ];
        set.into_iter().filter(|set| *set).count()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }
}

impl From<&Draft> for Partial {
    fn from(draft: &Draft) -> Self {
        Self {
            prompt: Some(draft.prompt.clone()),
            negative: Some(draft.negative.clone()),
            width: Some(draft.width),
            height: Some(draft.height),
            steps: Some(draft.steps),
            guidance: Some(draft.guidance),
            distilled: Some(draft.distilled),
            seed: Some(draft.seed),
            batch: Some(draft.batch),
            sampler: Some(draft.sampler),
            schedule: Some(draft.schedule),
            rng: Some(draft.rng),
        }
    }
}
