//! `inspect`: what a weight file, a model folder or a picture holds.

use super::args::InspectArgs;
use super::error::{CliError, Exit};
use super::{models, out};
use crate::hub::{self, HubError, Inspected};
use crate::model::{Kind, TensorInfo};
use crate::planner::Decode;
use crate::recipe::Draft;
use crate::store::{self, Remembered, Trouble};
use serde::Serialize;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

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
    if arguments.json {
        out::json(&FileJson::new(&inspected))?;
    } else {
        out::result(words(&inspected))?;
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
        && start == *b"\x89PNG\r\n\x1a\n"
}

#[derive(Serialize)]
struct FileJson {
    container: &'static str,
    kind: &'static str,
    precision: &'static str,
    parameters: u64,
    /// Of the tensors.
    bytes: u64,
    file_bytes: u64,
    tensors: Vec<TensorJson>,
    metadata: serde_json::Map<String, serde_json::Value>,
}

#[derive(Serialize)]
struct TensorJson {
    name: String,
    precision: &'static str,
    shape: Vec<usize>,
    bytes: u64,
}

impl FileJson {
    fn new(inspected: &Inspected) -> Self {
        let detected = inspected.detected;
        let tensors = inspected.table.tensors.iter().map(|tensor| TensorJson {
            name: tensor.name.clone(),
            precision: tensor.precision.name(),
            shape: tensor.shape.clone(),
            bytes: tensor.bytes.get(),
        });
        let metadata = inspected.table.metadata.iter().map(|(key, value)| (key.clone(), value.clone().into()));
        Self {
            container: inspected.container.name(),
            kind: kind_name(detected.kind),
            precision: detected.precision.name(),
            parameters: detected.parameters,
            bytes: detected.bytes.get(),
            file_bytes: inspected.file_len,
            tensors: tensors.collect(),
            metadata: metadata.collect(),
        }
    }
}

const fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::ZImageDenoiser => "z_image_denoiser",
        Kind::Qwen3TextEncoder => "qwen3_text_encoder",
        Kind::AutoencoderKl => "autoencoder_kl",
        Kind::Lora => "lora",
        Kind::ClipTextEncoder => "clip_text_encoder",
        Kind::T5TextEncoder => "t5_text_encoder",
        Kind::SdUnet => "sd_unet",
        Kind::Flux => "flux",
        Kind::Unknown => "unknown",
    }
}

fn words(inspected: &Inspected) -> String {
    let tensors = &inspected.table.tensors;
    let mut lines = vec![format!("{}, {} tensors, {}", inspected.summary(), tensors.len(), inspected.container.name())];
    let mut largest: Vec<_> = tensors.iter().collect();
    largest.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    lines.extend(largest.into_iter().take(5).map(|TensorInfo { name, precision, shape, bytes, .. }| {
        format!("{:>11}  {name} {} {shape:?}", bytes.to_string(), precision.name())
    }));
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
}

fn picture(path: &Path, json: bool) -> Result<Exit, CliError> {
    let Remembered { model, draft, decode, version } = store::read_recipe(path).map_err(|error| {
        let exit = if error.trouble == Trouble::NoRecipe { Exit::Other } else { Exit::BadFile };
        CliError::new(exit, format!("cannot inspect: {error}")).hint(error.hint())
    })?;
    let Draft { prompt, negative, width, height, steps, guidance, seed, batch, sampler, schedule, rng } = &draft;
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
        };
        out::json(&PictureJson { model: &model, decode: decode.map(Decode::name), version: &version, recipe })?;
    } else {
        let negative = if negative.is_empty() { String::new() } else { format!("\nnot: {negative}") };
        out::result(format_args!(
            "{prompt}{negative}\n{width}x{height}, {steps} steps, guidance {}, seed {seed}, {}, {}, model {model}, \
             version {version}",
            *guidance as f32,
            sampler.name(),
            schedule.name(),
        ))?;
    }
    Ok(Exit::Done)
}
