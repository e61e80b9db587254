//! What a picture remembers: the versioned JSON in its own chunk, which restores the recipe exactly.
//!
//! Format 1. Keys that are not known are ignored, so later versions may add some; what changes meaning raises the
//! number. No path and no name of a person is ever in it.

use super::error::Trouble;
use crate::planner::Decode;
use crate::recipe::{Draft, Recipe, Rng, Sampler, Schedule};
use serde::{Deserialize, Serialize};

/// The format that is written.
pub const FORMAT: u64 = 1;

/// What was read back from a picture. The draft gives the recipe under the vocabulary of its model.
#[derive(Clone, Debug, PartialEq)]
pub struct Remembered {
    pub model: String,
    pub draft: Draft,
    /// How the latent became pixels; tiled pictures differ a little from whole ones.
    pub decode: Option<Decode>,
    /// Version of the program that drew it.
    pub version: String,
}

#[derive(Serialize, Deserialize)]
struct Memory {
    format: u64,
    #[serde(default)]
    version: String,
    model: String,
    recipe: RecipeText,
    #[serde(default)]
    decode: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct RecipeText {
    prompt: String,
    #[serde(default)]
    negative: String,
    width: u32,
    height: u32,
    steps: u32,
    guidance: f32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    distilled: Option<f32>,
    /// As text: many readers of JSON lose digits beyond 2^53.
    seed: String,
    batch: u32,
    sampler: String,
    schedule: String,
    /// Absent in pictures of before there was a choice.
    #[serde(default = "cpu")]
    rng: String,
    /// Of pictures that were made from another one, which is not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    denoise: Option<f32>,
}

fn cpu() -> String {
    Rng::Cpu.name().to_owned()
}

#[derive(Deserialize)]
struct FormatOnly {
    format: u64,
}

impl From<&Draft> for RecipeText {
    fn from(draft: &Draft) -> Self {
        let count = |value: i64| u32::try_from(value.max(0)).unwrap_or(u32::MAX);
        Self {
            prompt: draft.prompt.clone(),
            negative: draft.negative.clone(),
            width: count(draft.width),
            height: count(draft.height),
            steps: count(draft.steps),
            guidance: draft.guidance as f32,
            distilled: Some(draft.distilled as f32),
            seed: draft.seed.to_string(),
            batch: count(draft.batch),
            sampler: draft.sampler.name().to_owned(),
            schedule: draft.schedule.name().to_owned(),
            rng: draft.rng.name().to_owned(),
            denoise: draft.denoise.map(|denoise| denoise as f32),
        }
    }
}

impl TryFrom<RecipeText> for Draft {
    type Error = Trouble;

    fn try_from(recipe: RecipeText) -> Result<Self, Trouble> {
        let odd = |what: &str, value: &str| Trouble::DamagedRecipe(format!("{what} `{value}` is not known"));
        Ok(Self {
            seed: recipe.seed.parse().map_err(|_digits| odd("seed", &recipe.seed))?,
            sampler: Sampler::from_name(&recipe.sampler).ok_or_else(|| odd("sampler", &recipe.sampler))?,
            schedule: Schedule::from_name(&recipe.schedule).ok_or_else(|| odd("schedule", &recipe.schedule))?,
            rng: Rng::from_name(&recipe.rng).ok_or_else(|| odd("noise", &recipe.rng))?,
            prompt: recipe.prompt,
            negative: recipe.negative,
            width: i64::from(recipe.width),
            height: i64::from(recipe.height),
            steps: i64::from(recipe.steps),
            guidance: f64::from(recipe.guidance),
            distilled: recipe.distilled.map_or(3.5, f64::from),
            batch: i64::from(recipe.batch),
            denoise: recipe.denoise.map(f64::from),
        })
    }
}

pub(super) fn to_json(recipe: &Recipe, model: &str, decode: Option<Decode>, version: &str) -> Result<String, Trouble> {
    let memory = Memory {
        format: FORMAT,
        version: version.to_owned(),
        model: model.to_owned(),
        recipe: RecipeText { distilled: recipe.distilled(), ..RecipeText::from(&Draft::from(recipe)) },
        decode: decode.map(|decode| decode.name().to_owned()),
    };
    serde_json::to_string(&memory).map_err(|error| Trouble::Other(error.to_string()))
}

/// A draft as a row of the library keeps it.
pub(super) fn draft_json(draft: &Draft) -> String {
    // Numbers and strings always have a JSON form.
    serde_json::to_string(&RecipeText::from(draft)).unwrap_or_default()
}

/// The draft of a row; `None` where a version with other names wrote it.
pub(super) fn draft_from_json(text: &str) -> Option<Draft> {
    serde_json::from_str::<RecipeText>(text).ok().and_then(|recipe| recipe.try_into().ok())
}

/// A recipe in the words that a picture would carry, for another process of this program.
///
/// # Errors
/// Where it cannot be written as text.
pub fn recipe_to_text(recipe: &Recipe, model: &str) -> Result<String, String> {
    to_json(recipe, model, None, env!("CARGO_PKG_VERSION")).map_err(|trouble| trouble.to_string())
}

/// The draft of such a recipe.
///
/// # Errors
/// Where the text is none.
pub fn recipe_from_text(text: &str) -> Result<Draft, String> {
    from_json(text).map(|remembered| remembered.draft).map_err(|trouble| trouble.to_string())
}

pub(super) fn from_json(text: &str) -> Result<Remembered, Trouble> {
    let damaged = |error: serde_json::Error| Trouble::DamagedRecipe(error.to_string());
    let FormatOnly { format } = serde_json::from_str(text).map_err(damaged)?;
    if format > FORMAT {
        return Err(Trouble::NewerFormat(format));
    }
    let memory: Memory = serde_json::from_str(text).map_err(damaged)?;
    Ok(Remembered {
        model: memory.model,
        decode: memory.decode.and_then(|name| Decode::ALL.into_iter().find(|decode| decode.name() == name)),
        version: memory.version,
        draft: memory.recipe.try_into()?,
    })
}
