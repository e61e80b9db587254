//! `inspect`: what a weight file, a model folder or a picture holds.

use super::args::InspectArgs;
use super::error::{CliError, Exit};
use super::presets::{LeftJson, left_lines};
use super::{models, out};
use crate::hub::{self, HubError, Inspected};
use crate::model::{self, ComponentKind, Kind, ModelFiles, Part, TensorInfo};
use crate::planner::Decode;
use crate::recipe::restore::Restored;
use crate::recipe::{Draft, Partial, Rng, Sampler, Schedule};
use crate::store::{self, Remembered, StoreError, Trouble};
use crate::units::Bytes;
use serde::Serialize;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

pub(super) fn run(arguments: &InspectArgs) -> Result<Exit, CliError> {
    let path = arguments.file.as_path();
    if path.is_dir() || path.as_os_str() == hub::BUILTIN && !path.exists() {
        let reference = path.to_str().ok_or_else(|| bad_name(path))?;
        let files = hub::open(reference).map_err(|error| CliError::open("model", &error))?;
        return models::show(&files.inventory, arguments.json);
    }
    if is_picture(path) {
        return picture(path, arguments.json);
    }
    let inspected = hub::inspect(path).map_err(|error| inspect_error(&error))?;
    let model = try_model(path, inspected.contents.kind);
    if arguments.json {
        out::json(&FileJson::new(&inspected, model.as_ref()))?;
    } else {
        out::result(words(&inspected, model.as_ref()))?;
    }
    Ok(Exit::Done)
}

fn bad_name(path: &Path) -> CliError {
    CliError::new(Exit::BadFile, format!("cannot open the model: the path is not Unicode: {}", path.display()))
        .hint("rename the folder")
}

fn inspect_error(error: &HubError) -> CliError {
    CliError::new(Exit::BadFile, format!("cannot inspect: {error}")).hint(error.hint())
}

/// By its first bytes, which only a plain file is asked for.
fn is_picture(path: &Path) -> bool {
    let mut start = [0; 8];
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && (start == *b"\x89PNG\r\n\x1a\n" || start.starts_with(b"\xff\xd8\xff") || start.starts_with(b"RIFF"))
}

/// What there is to say of a weight file, for programs.
#[derive(Serialize)]
struct FileJson {
    container: &'static str,
    kind: &'static str,
    /// In words: the family and what the file is of it.
    what: String,
    precision: &'static str,
    parameters: u64,
    /// Of the tensors.
    bytes: u64,
    /// Of all parts of a split file.
    file_bytes: u64,
    files: usize,
    components: Vec<PartJson>,
    /// Whether a picture can be drawn from here, companions included; `null` where the file is no model.
    complete: Option<bool>,
    /// Why not.
    problem: Option<String>,
    tensors: Vec<TensorJson>,
    metadata: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct PartJson {
    what: String,
    names: &'static str,
    prefix: String,
    tensors: usize,
    bytes: u64,
    missing: Vec<String>,
    /// Tensors that belong to nothing known and are not read.
    unknown: Vec<String>,
}

impl PartJson {
    fn new(part: &Part) -> Self {
        Self {
            what: model::words(part),
            names: part.naming.name(),
            prefix: part.prefix.clone(),
            tensors: part.table.tensors.len(),
            bytes: part_bytes(part).get(),
            missing: part.missing(),
            unknown: part.strays.clone(),
        }
    }
}

fn part_bytes(part: &Part) -> Bytes {
    part.table.tensors.iter().map(|tensor| tensor.bytes).sum()
}

#[derive(Serialize)]
struct TensorJson {
    name: String,
    precision: &'static str,
    shape: Vec<usize>,
    bytes: u64,
}

/// Whether a picture can be drawn from this file: `None` for files that are no model.
fn try_model(path: &Path, kind: Kind) -> Option<Result<ModelFiles, HubError>> {
    let is_model = matches!(kind, Kind::Checkpoint | Kind::Denoiser);
    path.to_str().filter(|_| is_model).map(hub::open)
}

impl FileJson {
    fn new(inspected: &Inspected, model: Option<&Result<ModelFiles, HubError>>) -> Self {
        let contents = &inspected.contents;
        let tensors = inspected.table.tensors.iter().map(|tensor| TensorJson {
            name: tensor.name.clone(),
            precision: tensor.precision.name(),
            shape: tensor.shape.clone(),
            bytes: tensor.bytes.get(),
        });
        let metadata = inspected.table.metadata.iter().map(|(key, value)| (key.clone(), value.clone().into()));
        Self {
            container: inspected.container.name(),
            kind: contents.kind.name(),
            what: inspected.kind_words(),
            precision: contents.precision.name(),
            parameters: contents.parameters,
            bytes: contents.bytes.get(),
            file_bytes: inspected.file_len,
            files: inspected.files,
            components: contents.parts.iter().map(PartJson::new).collect(),
            complete: model.map(Result::is_ok),
            problem: model.and_then(|model| model.as_ref().err()).map(|error| error.cause.to_string()),
            tensors: tensors.collect(),
            metadata: metadata.collect(),
        }
    }
}

/// At most this many names of a list are printed.
const LISTED: usize = 8;

fn list(names: &[String]) -> String {
    let mut text = names.iter().take(LISTED).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > LISTED {
        text.push_str(&format!(" and {} more", names.len() - LISTED));
    }
    text
}

fn words(inspected: &Inspected, model: Option<&Result<ModelFiles, HubError>>) -> String {
    let tensors = &inspected.table.tensors;
    let split = if inspected.files > 1 { format!(" in {} files", inspected.files) } else { String::new() };
    let container = inspected.container.name();
    let mut lines = vec![format!("{}, {} tensors, {container}{split}", inspected.summary(), tensors.len())];
    for part in &inspected.contents.parts {
        let prefix = if part.prefix.is_empty() { String::new() } else { format!(" behind {}", part.prefix) };
        let what = model::words(part);
        lines.push(format!("{:>11}  {what}, {} names{prefix}", part_bytes(part).to_string(), part.naming.name()));
        let missing = part.missing();
        if !missing.is_empty() {
            lines.push(format!("             missing: {}", list(&missing)));
        }
        if !part.strays.is_empty() {
            lines.push(format!("             unknown, not read: {}", list(&part.strays)));
        }
    }
    match model {
        Some(Ok(files)) => {
            lines.push("complete; drawn with:".to_owned());
            let mut seen: Vec<PathBuf> = Vec::new();
            for kind in ComponentKind::ALL {
                for shard in files.shards(kind) {
                    let path = shard.file.display();
                    if !seen.contains(&path) {
                        lines.push(format!("{:>15}  {}", kind.name(), path.display()));
                        seen.push(path);
                    }
                }
            }
        }
        Some(Err(error)) => lines.push(format!("cannot be drawn with: {}\nhint: {}", error.cause, error.hint())),
        None => lines.push(model::place_words(inspected.contents.kind).to_owned()),
    }
    if inspected.contents.parts.is_empty() {
        let mut largest: Vec<_> = tensors.iter().collect();
        largest.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
        lines.extend(largest.into_iter().take(5).map(|TensorInfo { name, precision, shape, bytes, .. }| {
            format!("{:>11}  {name} {} {shape:?}", bytes.to_string(), precision.name())
        }));
    }
    lines.join("\n")
}

#[derive(Serialize)]
struct PictureJson<'a> {
    model: &'a str,
    decode: Option<&'static str>,
    version: &'a str,
    recipe: DraftJson<'a>,
}

/// As the recipe of `generate --json`, for a recipe whose model may not be here.
#[derive(Serialize)]
struct DraftJson<'a> {
    prompt: &'a str,
    negative: &'a str,
    width: i64,
    height: i64,
    steps: i64,
    guidance: f32,
    seed: u64,
    batch: i64,
    sampler: &'static str,
    schedule: &'static str,
    rng: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    denoise: Option<f32>,
}

/// What a picture of another program says, or one of ours in another format than PNG.
#[derive(Serialize)]
struct RestoredJson {
    program: &'static str,
    version: String,
    model: Option<String>,
    model_hash: Option<String>,
    prompt: Option<String>,
    negative: Option<String>,
    width: Option<i64>,
    height: Option<i64>,
    steps: Option<i64>,
    guidance: Option<f64>,
    distilled: Option<f64>,
    seed: Option<u64>,
    batch: Option<i64>,
    sampler: Option<&'static str>,
    schedule: Option<&'static str>,
    rng: Option<&'static str>,
    left: Vec<LeftJson>,
}

fn foreign(path: &Path, json: bool) -> Result<Exit, CliError> {
    let Restored { program, version, settings, model, left } =
        store::read_settings(path).map_err(|error| unreadable(&error))?;
    let Partial { prompt, negative, width, height, steps, guidance, distilled, seed, batch, sampler, schedule, rng } =
        settings;
    let (sampler, schedule) = (sampler.map(Sampler::name), schedule.map(Schedule::name));
    let rng = rng.map(Rng::name);
    if json {
        let (model, model_hash) = model.map_or((None, None), |model| (Some(model.name), model.hash));
        let program = program.name();
        let left = left.iter().map(LeftJson::from).collect();
        let json = RestoredJson {
            program,
            version,
            model,
            model_hash,
            prompt,
            negative,
            width,
            height,
            steps,
            guidance,
            distilled,
            seed,
            batch,
            sampler,
            schedule,
            rng,
            left,
        };
        out::json(&json)?;
        return Ok(Exit::Done);
    }
    let mut lines: Vec<String> = prompt.into_iter().filter(|prompt| !prompt.is_empty()).collect();
    lines.extend(negative.filter(|negative| !negative.is_empty()).map(|negative| format!("not: {negative}")));
    let words = [
        width.zip(height).map(|(width, height)| format!("{width}x{height}")),
        steps.map(|steps| format!("{steps} steps")),
        guidance.map(|guidance| format!("guidance {guidance}")),
        distilled.map(|distilled| format!("distilled guidance {distilled}")),
        seed.map(|seed| format!("seed {seed}")),
        sampler.map(str::to_owned),
        schedule.map(str::to_owned),
        rng.map(|rng| format!("noise {rng}")),
        model.map(|model| format!("model {}", model.name)),
        Some(format!("{} {version}", program.name()).trim().to_owned()),
    ];
    lines.push(words.into_iter().flatten().collect::<Vec<_>>().join(", "));
    lines.extend(left_lines(&left));
    out::result(lines.join("\n"))?;
    Ok(Exit::Done)
}

fn unreadable(error: &StoreError) -> CliError {
    let exit = if error.trouble == Trouble::NoRecipe { Exit::Other } else { Exit::BadFile };
    CliError::new(exit, format!("cannot inspect: {error}")).hint(error.hint())
}

fn picture(path: &Path, json: bool) -> Result<Exit, CliError> {
    let Remembered { model, draft, decode, version } = match store::read_recipe(path) {
        Err(error) if matches!(error.trouble, Trouble::NoRecipe | Trouble::NotPng(_)) => return foreign(path, json),
        remembered => remembered.map_err(|error| unreadable(&error))?,
    };
    let Draft {
        prompt,
        negative,
        width,
        height,
        steps,
        guidance,
        distilled: _,
        seed,
        batch,
        sampler,
        schedule,
        rng,
        denoise,
    } = &draft;
    let denoise = denoise.map(|denoise| denoise as f32);
    if json {
        let recipe = DraftJson {
            prompt,
            negative,
            width: *width,
            height: *height,
            steps: *steps,
            guidance: *guidance as f32,
            seed: *seed,
            batch: *batch,
            sampler: sampler.name(),
            schedule: schedule.name(),
            rng: rng.name(),
            denoise,
        };
        out::json(&PictureJson { model: &model, decode: decode.map(Decode::name), version: &version, recipe })?;
    } else {
        let again = denoise.map(|strength| format!(", from a picture at denoise strength {strength}"));
        let again = again.unwrap_or_default();
        let negative = if negative.is_empty() { String::new() } else { format!("\nnot: {negative}") };
        out::result(format_args!(
            "{prompt}{negative}\n{width}x{height}, {steps} steps, guidance {}, seed {seed}, {}, {}{again}, model {model}, \
             version {version}",
            *guidance as f32,
            sampler.name(),
            schedule.name(),
        ))?;
    }
    Ok(Exit::Done)
}
