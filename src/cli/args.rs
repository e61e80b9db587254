//! The command line as it is typed.

use crate::planner::{Decode, Tier};
use crate::units::{Bytes, PixelSize};
use clap::builder::{PathBufValueParser, TypedValueParser as _};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const AFTER: &str = "\
Exit codes: 0 done, 2 usage, 3 refused because it does not fit, 4 bad or unreadable model or input file,
5 cancelled, 6 stopped by the memory guard, 1 anything else.

Without a subcommand the window opens, and takes FILEs as if they were dropped on it. Sizes of memory are plain bytes, or like `512MiB` and `3 GiB`.";

/// Draws pictures from text on your own computer, and tells you the truth about memory first
#[derive(Debug, Parser)]
#[command(name = "headroom", version, about, after_help = AFTER, disable_help_subcommand = true,
    args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// Pictures with settings, models, presets and machine files to open in the window
    #[arg(value_name = "FILE", value_parser = PathBufValueParser::new().try_map(existing))]
    pub(super) files: Vec<PathBuf>,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Draw pictures
    Generate(GenerateArgs),
    /// Tell whether a picture fits, how, and what each phase takes, without drawing it
    Plan(PlanArgs),
    /// Tell for every size whether it fits
    Fitmap(FitmapArgs),
    /// Tell what a weight file, a model folder or a picture holds
    Inspect(InspectArgs),
    /// Models that can be drawn with
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Presets: settings under a name
    #[command(subcommand)]
    Presets(PresetsCommand),
    /// What the probes see of this computer, and what they cannot
    Doctor(JsonArgs),
    /// Measure this program on this computer
    #[command(subcommand)]
    Bench(BenchCommand),
    /// Draw for another process of this program, over pipes
    #[command(hide = true)]
    Worker(WorkerArgs),
}

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct WorkerArgs {
    /// Threads to compute with
    #[arg(long)]
    pub threads: usize,
}

#[derive(Debug, Subcommand)]
pub(super) enum ModelsCommand {
    /// List the models that are here
    List(JsonArgs),
    /// List models that can be fetched: the size of all their files, and whether they fit this computer
    Catalogue(ModelsCatalogueArgs),
    /// Fetch a model with everything it needs, or one file, checked against the hub's SHA-256; goes on where it stopped
    Get(ModelsGetArgs),
}

#[derive(Debug, Args)]
pub(super) struct ModelsCatalogueArgs {
    /// Only these models
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(
    after_help = "The hub is huggingface.co, or what HF_ENDPOINT names. A token is read from HF_TOKEN, or from the \
    file that `hf auth login` writes, and sent to that hub alone. A proxy is taken from HTTPS_PROXY."
)]
pub(super) struct ModelsGetArgs {
    /// A name from `headroom models catalogue`, a file like `OWNER/NAME:PATH`, or `OWNER/NAME` to see which there are
    #[arg(value_name = "NAME")]
    pub what: String,
    /// Where to put it [default: the folder `models` of the program's data]
    #[arg(long, value_name = "FOLDER")]
    pub to: Option<PathBuf>,
    /// Tell sizes, places and whether the model fits, and fetch nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum PresetsCommand {
    /// List the presets that are here
    List(JsonArgs),
    /// Take presets, styles or wildcards out of files of this program and others: styles.csv, Fooocus, Krita, Swarm,
    /// Draw Things, SD.Next, InvokeAI, ComfyUI workflows, pictures with settings
    Import(PresetsImportArgs),
    /// Write presets into one file, to be handed on
    Export(PresetsExportArgs),
}

#[derive(Debug, Args)]
pub(super) struct PresetsImportArgs {
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct PresetsExportArgs {
    /// Names of presets
    #[arg(value_name = "NAME", required = true)]
    pub names: Vec<String>,
    /// The file, which is replaced
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Debug, Subcommand)]
pub(super) enum BenchCommand {
    /// Compare predicted with measured memory, each run in a process of its own
    Memory(BenchMemoryArgs),
    /// Time ops and networks, as shares of what this processor could do at most
    Speed(BenchSpeedArgs),
}

#[derive(Clone, Copy, Debug, Args)]
pub(super) struct JsonArgs {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct GenerateArgs {
    /// What to draw; `__animal__` takes an entry of the wildcard list `animal`
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true,
        required_unless_present_any = ["from", "preset", "resume"])]
    pub prompt: Option<String>,
    #[command(flatten)]
    pub order: OrderArgs,
    #[command(flatten)]
    pub how: HowArgs,
    /// Where to write: a `.png` file, which is replaced, or a folder
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Draw although the plan says that it does not fit
    #[arg(long)]
    pub force: bool,
    /// Go on with a picture that was stopped, from the file that was named then; it knows prompt, model and settings
    #[arg(long, value_name = "FILE", conflicts_with_all = ["prompt", "model", "lora", "negative", "size", "steps", "guidance",
        "seed", "sampler", "schedule", "batch", "init_image"])]
    pub resume: Option<PathBuf>,
    /// Draw in this process: a crash of the drawing takes everything along
    #[arg(long)]
    pub in_process: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct PlanArgs {
    /// What would be drawn
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub prompt: Option<String>,
    #[command(flatten)]
    pub order: OrderArgs,
    #[command(flatten)]
    pub how: HowArgs,
    /// Plan for another computer: a TOML file, or the name of one that is known
    #[arg(long, value_name = "FILE|NAME")]
    pub machine: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct FitmapArgs {
    #[command(flatten)]
    pub plan: PlanArgs,
    /// Smallest side
    #[arg(long, value_name = "N", default_value_t = 256)]
    pub min: u32,
    /// Largest side
    #[arg(long, value_name = "N", default_value_t = 2048)]
    pub max: u32,
    /// From one side to the next
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub step: u32,
}

/// What is asked for.
#[derive(Debug, Args)]
pub(super) struct OrderArgs {
    /// A folder in diffusers layout, a checkpoint, a denoiser, or a name from `headroom models list`. Companions of a
    /// denoiser (text encoder, VAE, tokenizer) are found around it, or named behind it: `model+encoder+vae`
    #[arg(long, value_name = "REF", default_value = crate::hub::BUILTIN)]
    pub model: String,
    /// Change the model by a LoRA, with a weight [default: 1]; may be given several times
    #[arg(long, value_name = "FILE[:WEIGHT]")]
    pub lora: Vec<String>,
    /// Start from the settings of a picture or text, of this program or another
    #[arg(long, value_name = "FILE")]
    pub from: Option<PathBuf>,
    /// Put a preset on top, by its name in `headroom presets list`; several, one after another
    #[arg(long, value_name = "NAME")]
    pub preset: Vec<String>,
    /// What to keep out of the picture
    #[arg(short, long, value_name = "TEXT", allow_hyphen_values = true)]
    pub negative: Option<String>,
    /// Width and height in pixels [default: the model's own]
    #[arg(long, value_name = "WxH", value_parser = size, allow_hyphen_values = true)]
    pub size: Option<(i64, i64)>,
    /// Denoising steps [default: the model's own]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub steps: Option<i64>,
    /// Classifier-free guidance; 1 is off [default: the model's own]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub guidance: Option<f64>,
    /// Guidance as an input of models that have one, like FLUX.1 dev [default: the model's own]
    #[arg(long, value_name = "X", allow_negative_numbers = true)]
    pub distilled_guidance: Option<f64>,
    /// Seed of the first picture; -1 draws one [default: -1]
    #[arg(long, value_name = "N", value_parser = seed, allow_negative_numbers = true)]
    pub seed: Option<Seed>,
    /// How one step follows another, like `dpmpp_2m` or `DPM++ 2M` [default: the model's own]
    #[arg(long, value_name = "S")]
    pub sampler: Option<String>,
    /// Where the noise levels of the steps lie, like `karras` [default: the model's own]
    #[arg(long, value_name = "S")]
    pub schedule: Option<String>,
    /// Whose random numbers a seed stands for: `cpu` as in ComfyUI, `nv` as in A1111 [default: cpu]
    #[arg(long, value_name = "cpu|nv")]
    pub rng: Option<String>,
    /// Pictures, with seeds that count up [default: 1]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub batch: Option<i64>,
    /// Start from a picture instead of noise. Without `--size` its own size is drawn, scaled down to what the model was
    /// made for where it is larger
    #[arg(long, value_name = "FILE")]
    pub init_image: Option<PathBuf>,
    /// How much of that picture is drawn anew, up to 1 for all of it; as many of the steps run [default: 0.75]
    #[arg(long, value_name = "X", allow_negative_numbers = true, requires = "init_image")]
    pub denoise: Option<f64>,
    /// How that picture is brought to the size
    #[arg(long, value_enum, default_value_t = FitArg::Crop, requires = "init_image")]
    pub fit: FitArg,
}

impl OrderArgs {
    /// The model with its `LoRAs`, as the hub reads it.
    pub(super) fn reference(&self) -> String {
        let number = |lora: &str| lora.rsplit_once(':').is_some_and(|(_, weight)| weight.parse::<f32>().is_ok());
        let weighted = |lora: &String| if number(lora) { format!("+{lora}") } else { format!("+{lora}:1") };
        [self.model.clone()].into_iter().chain(self.lora.iter().map(weighted)).collect()
    }
}

/// How it may be done.
#[derive(Debug, Args)]
pub(super) struct HowArgs {
    /// How long weights stay loaded
    #[arg(long, value_enum, default_value_t = TierArg::Auto)]
    pub tier: TierArg,
    /// How the latent becomes pixels
    #[arg(long, value_enum, default_value_t = DecodeArg::Auto)]
    pub decode: DecodeArg,
    /// In what the networks compute
    #[arg(long, value_enum, default_value_t = PrecisionArg::Auto)]
    pub precision: PrecisionArg,
    /// The most memory that the whole program may take
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory_limit: Option<Bytes>,
    /// Where the networks run: `cpu`, `sim:FILE` for the GPU of a machine file, computed on the processor; with
    /// `--machine` also `cuda`, `cuda:N` or `metal`
    #[arg(long, value_name = "DEVICE")]
    pub device: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct InspectArgs {
    /// A .safetensors or .gguf file, a model folder, or a picture
    pub file: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct BenchMemoryArgs {
    /// A model to measure with; several may be named
    #[arg(long, value_name = "REF", default_value = crate::hub::BUILTIN)]
    pub model: Vec<String>,
    /// A few cells only
    #[arg(long)]
    pub quick: bool,
    /// Every size up to 2048 x 2048: more than 200 cells for each model, which takes hours
    #[arg(long, conflicts_with = "quick")]
    pub full: bool,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(super) struct BenchSpeedArgs {
    /// Only works whose name holds this, for example `product` or `decode`
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub only: String,
    /// Single steps of whole networks too, with made-up weights of true size: 5 GiB and minutes
    #[arg(long)]
    pub networks: bool,
    /// Threads to compute with; as many as pictures are drawn with where it is not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FitArg {
    /// Scaled until it covers the size, what is over cut off
    Crop,
    /// Pulled to the size
    Stretch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TierArg {
    Auto,
    Resident,
    Phased,
    Streamed,
}

impl TierArg {
    pub(super) fn tiers(self) -> Vec<Tier> {
        match self {
            Self::Auto => Tier::ALL.to_vec(),
            Self::Resident => vec![Tier::Resident],
            Self::Phased => vec![Tier::Phased],
            Self::Streamed => vec![Tier::Streamed],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DecodeArg {
    Auto,
    Whole,
    Banded,
    Tiled,
}

impl DecodeArg {
    pub(super) fn decodes(self) -> Vec<Decode> {
        match self {
            Self::Auto => Decode::ALL.to_vec(),
            Self::Whole => vec![Decode::Whole],
            Self::Banded => vec![Decode::Banded],
            Self::Tiled => vec![Decode::Tiled],
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PrecisionArg {
    /// f32
    Auto,
    F32,
    /// Products of values rounded to bf16: faster on processors that multiply them, and a slightly different picture
    Bf16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seed {
    Random,
    Fixed(u64),
}

/// A mistyped subcommand must not open a window.
fn existing(path: PathBuf) -> Result<PathBuf, &'static str> {
    if path.exists() { Ok(path) } else { Err("there is neither a subcommand nor a file of this name") }
}

/// `832x1216`, or one number for a square.
fn size(text: &str) -> Result<(i64, i64), String> {
    let square = || text.trim().parse::<i64>().ok().map(|side| (side, side));
    PixelSize::parse(text).or_else(square).ok_or_else(|| "a size is like 832x1216".to_owned())
}

fn seed(text: &str) -> Result<Seed, String> {
    match text.trim() {
        "-1" => Ok(Seed::Random),
        digits => {
            let fixed = digits.parse().map(Seed::Fixed);
            fixed.map_err(|_digits| format!("a seed is a whole number from 0 to {}, or -1", u64::MAX))
        }
    }
}

fn bytes(text: &str) -> Result<Bytes, String> {
    Bytes::parse(text).ok_or_else(|| "a size of memory is like 512MiB, 3 GiB or 4000000000".to_owned())
}
