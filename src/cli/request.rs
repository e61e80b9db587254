//! From arguments to a model, a recipe and a policy, with everything that is wrong with them.

use super::args::{FitArg, HowArgs, OrderArgs, PrecisionArg, Seed};
use super::error::{CliError, Exit};
use super::{out, presets};
use crate::engine;
use crate::hub;
use crate::machine::Machine;
use crate::model::{Inventory, LoraFile};
use crate::pixels::Pixels;
use crate::planner::{Arithmetic, Device, Policy};
use crate::recipe::{
    Adjustment, Draft, Fault, Field, Issue, Recipe, Rng, Sampler, Schedule, Vocabulary, prompt, wildcards,
};
use crate::store::{self, Fit};
use crate::units::PixelSize;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

/// Denoise strength where none is given, as in most programs.
const DENOISE: f64 = 0.75;

/// The parts list of the model that `reference` names, with its `LoRAs`. What they change is noted on stderr.
pub(super) fn model(reference: &str) -> Result<Arc<Inventory>, CliError> {
    let files = hub::open(reference).map_err(|error| CliError::open("model", &error))?;
    for LoraFile { file, lora, weight } in &files.loras {
        let path = file.display();
        out::note(format_args!("LoRA applied: {} at weight {weight}: {}", lora.report(), path.display()));
        if let Some(module) = lora.unmatched.first() {
            out::note(format_args!("the model has no `{module}` that fits this LoRA: {}", path.display()));
        }
    }
    Ok(files.inventory)
}

/// The recipe that the arguments ask for. What had to be adjusted is noted on stderr.
pub(super) fn recipe(prompt: Option<&str>, order: &OrderArgs, vocabulary: &Vocabulary) -> Result<Recipe, CliError> {
    let draft = draft(prompt, order, vocabulary)?;
    let (recipe, adjustments) = draft.parse(vocabulary).map_err(|issues| refusal(&draft, &issues, vocabulary))?;
    for Adjustment::Snapped { from: (width, height), to } in adjustments {
        let multiple = vocabulary.multiple;
        out::note(format_args!("{width}x{height} is no multiple of {multiple}: the size is {to}"));
    }
    if order.distilled_guidance.is_some() && vocabulary.distilled.is_none() {
        out::note("this model has no distilled guidance: the scale does nothing");
    }
    if !vocabulary.weights && prompt::has_weights(recipe.prompt()) {
        out::note("this model reads brackets and BREAK in a prompt as text, not as weights");
    }
    if !recipe.guided() && !recipe.negative().is_empty() {
        out::note("the negative prompt does nothing at guidance 1");
    }
    Ok(recipe)
}

/// The picture that the arguments start from, as large as the recipe wants it.
pub(super) fn start(order: &OrderArgs, recipe: &Recipe) -> Result<Option<Arc<Pixels>>, CliError> {
    let Some(file) = &order.init_image else { return Ok(None) };
    let picture = store::open_picture(file).map_err(|error| CliError::picture(&error))?;
    let fit = match order.fit {
        FitArg::Crop => Fit::Crop,
        FitArg::Stretch => Fit::Stretch,
    };
    let fitted = store::fitted(&picture, recipe.size(), fit);
    fitted.map(|picture| Some(Arc::new(picture))).ok_or_else(|| {
        CliError::new(Exit::BadFile, format!("the picture to start from has no pixels: {}", file.display()))
    })
}

/// The size of a picture, or one of its shape with the native number of pixels where it has far more.
fn start_size(picture: PixelSize, vocabulary: &Vocabulary) -> (i64, i64) {
    const MORE: u64 = 2;
    let native = vocabulary.native.pixels();
    let factor = if picture.pixels() > MORE * native { (native as f64 / picture.pixels() as f64).sqrt() } else { 1.0 };
    let side = |side: u32| (f64::from(side) * factor).round() as i64;
    let size = vocabulary.snap(side(picture.width), side(picture.height));
    (i64::from(size.width), i64::from(size.height))
}

/// The model's defaults, then the settings of `--from`, then each argument, then the presets around the words.
fn draft(prompt: Option<&str>, order: &OrderArgs, vocabulary: &Vocabulary) -> Result<Draft, CliError> {
    // As others do, below 2^32, so that every program can take it over.
    let random = || RandomState::new().hash_one(std::process::id()) & 0xFFFF_FFFF;
    let mut draft = match &order.from {
        Some(file) => presets::settings_of(file, &order.model)?.draft(vocabulary, random()),
        None => Draft { seed: random(), ..Draft::new(vocabulary) },
    };
    // What presets set gives way to what is typed, but their words go around the typed ones.
    if let Some(prompt) = prompt {
        prompt.clone_into(&mut draft.prompt);
    }
    if let Some(negative) = &order.negative {
        draft.negative.clone_from(negative);
    }
    for name in &order.preset {
        draft = presets::find(name)?.over(&draft);
    }
    if let Some(file) = &order.init_image {
        let size = store::size_of(file).map_err(|error| CliError::picture(&error))?;
        (draft.width, draft.height) = start_size(size, vocabulary);
        draft.denoise = Some(order.denoise.unwrap_or(DENOISE));
    }
    (draft.width, draft.height) = order.size.unwrap_or((draft.width, draft.height));
    draft.steps = order.steps.unwrap_or(draft.steps);
    draft.guidance = order.guidance.unwrap_or(draft.guidance);
    draft.distilled = order.distilled_guidance.unwrap_or(draft.distilled);
    draft.batch = order.batch.unwrap_or(draft.batch);
    match order.seed {
        Some(Seed::Fixed(seed)) => draft.seed = seed,
        Some(Seed::Random) => draft.seed = random(),
        None => {}
    }
    if let Some(name) = &order.sampler {
        // Older programs glue the schedule to the sampler.
        let (sampler, schedule) = Sampler::with_schedule(name)
            .ok_or_else(|| unknown("sampler", name, Sampler::ALL.map(Sampler::name).as_slice()))?;
        draft.sampler = sampler;
        draft.schedule = schedule.unwrap_or(draft.schedule);
    }
    if let Some(name) = &order.schedule {
        draft.schedule = Schedule::from_name(name)
            .ok_or_else(|| unknown("schedule", name, Schedule::ALL.map(Schedule::name).as_slice()))?;
    }
    if let Some(name) = &order.rng {
        draft.rng = Rng::from_name(name)
            .ok_or_else(|| unknown("random number generator", name, Rng::ALL.map(Rng::name).as_slice()))?;
    }
    let folder = store::wildcards_folder();
    for text in [&mut draft.prompt, &mut draft.negative] {
        let filled = wildcards::expand(text, draft.seed, &|name| store::wildcard_list(&folder, name));
        for name in &filled.unknown {
            out::note(format_args!("there is no wildcard list `{name}` with entries in {}", folder.display()));
        }
        for name in &filled.circular {
            out::note(format_args!("the wildcard list `{name}` leads back to itself"));
        }
        *text = filled.text;
    }
    Ok(draft)
}

pub(super) fn unknown(what: &str, name: &str, known: &[&str]) -> CliError {
    CliError::usage(format!("no {what} has the name `{name}`")).hint(format!("known: {}", known.join(", ")))
}

fn refusal(draft: &Draft, issues: &[Issue], vocabulary: &Vocabulary) -> CliError {
    let sentences: Vec<String> = issues.iter().map(|issue| sentence(draft, *issue)).collect();
    let error = CliError::usage(sentences.join("; "));
    if issues.iter().any(|issue| matches!(issue.field, Field::Width | Field::Height)) {
        let Vocabulary { side, multiple, native, .. } = vocabulary;
        let (min, max) = (side.min, side.max);
        return error.hint(format!("sides are multiples of {multiple} from {min} to {max}; {native} is native"));
    }
    error
}

fn sentence(draft: &Draft, Issue { field, fault }: Issue) -> String {
    let (name, value) = match field {
        Field::Prompt => ("the prompt", None),
        Field::Negative => ("the negative prompt", None),
        Field::Width => ("width", Some(draft.width.to_string())),
        Field::Height => ("height", Some(draft.height.to_string())),
        Field::Steps => ("steps", Some(draft.steps.to_string())),
        Field::Guidance => ("guidance", Some(draft.guidance.to_string())),
        Field::Distilled => ("distilled guidance", Some(draft.distilled.to_string())),
        Field::Batch => ("batch", Some(draft.batch.to_string())),
        Field::Sampler => ("sampler", Some(draft.sampler.name().to_owned())),
        Field::Denoise => ("denoise strength", draft.denoise.map(|denoise| denoise.to_string())),
        Field::Schedule => ("schedule", Some(draft.schedule.name().to_owned())),
    };
    let what = value.map_or_else(|| name.to_owned(), |value| format!("{name} {value}"));
    match fault {
        Fault::OutOfRange { min, max } => format!("{what} is outside {min} to {max}"),
        Fault::NotANumber => format!("{what} is not a number"),
        Fault::TooLong { max } => format!("{what} is longer than {max} bytes"),
        Fault::NotOffered => format!("{what} does not go with this model"),
        Fault::ControlCharacter => format!("{what} holds a NUL character"),
    }
}

/// The machine whose GPU is to be computed on the processor: `--device sim:FILE`.
pub(super) fn simulated(how: &HowArgs) -> Result<Option<Machine>, CliError> {
    let Some(file) = how.device.as_deref().and_then(|device| device.strip_prefix("sim:")) else { return Ok(None) };
    let machine = hub::machine::open(file).map_err(|error| CliError::open("machine file", &error))?;
    if machine.gpus.is_empty() {
        return Err(CliError::usage(format!("that machine has no GPU to compute as: {file}"))
            .hint("name one with a `[[gpu]]` table, or use `--device cpu`"));
    }
    Ok(Some(machine))
}

/// What the arguments allow. `elsewhere` is another machine that is planned for.
pub(super) fn policy(how: &HowArgs, elsewhere: Option<&Machine>) -> Result<Policy, CliError> {
    let mut policy = Policy::new(device(how.device.as_deref(), elsewhere)?);
    if how.precision == PrecisionArg::Bf16 {
        if elsewhere.is_none() && !engine::multiplies_bf16() {
            return Err(CliError::usage("precision `bf16` is not available: this processor cannot multiply bf16")
                .hint("use `--precision f32`, or leave it out: weights stay in their own type, products are f32"));
        }
        policy.arithmetic = Arithmetic::Bf16;
    }
    policy.memory_limit = how.memory_limit;
    policy.tiers = how.tier.tiers();
    policy.decodes = how.decode.decodes();
    Ok(policy)
}

fn device(name: Option<&str>, elsewhere: Option<&Machine>) -> Result<Device, CliError> {
    let Some(machine) = elsewhere else {
        return match name {
            None | Some("cpu") => Ok(Device::Cpu),
            Some(name) => Err(CliError::usage(format!("device `{name}` is not available in this version"))
                .hint("use `--device cpu`, or `--device sim:FILE` for the GPU of a machine file")),
        };
    };
    let index = match name {
        None if machine.gpus.is_empty() => return Ok(Device::Cpu),
        Some("cpu") => return Ok(Device::Cpu),
        None | Some("cuda" | "metal") => Some(0),
        Some(name) if name.starts_with("sim:") => Some(0),
        Some(name) => name.strip_prefix("cuda:").and_then(|index| index.parse::<usize>().ok()),
    };
    let name = name.unwrap_or_default();
    match index {
        None => {
            Err(CliError::usage(format!("device `{name}` is not known")).hint("use `cpu`, `cuda`, `cuda:N` or `metal`"))
        }
        Some(index) if index < machine.gpus.len() => Ok(Device::Gpu(index)),
        Some(_) => Err(CliError::usage(format!("that machine has no device `{name}`"))
            .hint("use `--device cpu`, or a number below that of its GPUs")),
    }
}
