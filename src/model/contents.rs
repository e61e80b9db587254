//! What one weight file is, told from the names and shapes of its tensors, never from its own name.

use super::header::{TensorInfo, TensorTable};
use super::inventory::Precision;
use super::layout::{self, LayoutError, Network, Part};
use crate::units::Bytes;

/// What a weight file is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A denoiser with at least one of the networks that it needs beside it.
    Checkpoint,
    Denoiser,
    TextEncoder,
    Vae,
    Lora(LoraStyle),
    ControlNet,
    TextualInversion,
    Upscaler(&'static str),
    /// A network that is known by name and not drawn with.
    Foreign(&'static str),
    Unknown,
}

impl Kind {
    /// A word for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checkpoint => "checkpoint",
            Self::Denoiser => "denoiser",
            Self::TextEncoder => "text_encoder",
            Self::Vae => "vae",
            Self::Lora(_) => "lora",
            Self::ControlNet => "controlnet",
            Self::TextualInversion => "textual_inversion",
            Self::Upscaler(_) => "upscaler",
            Self::Foreign(_) => "foreign",
            Self::Unknown => "unknown",
        }
    }
}

/// The program whose names a `LoRA`'s tensors have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoraStyle {
    /// `lora_unet_...lora_down.weight`: kohya's scripts and most that followed.
    Kohya,
    /// `...lora_A.weight`: PEFT, and diffusers since it uses it.
    Peft,
    /// `...lora.down.weight`, `...to_q_lora.down.weight`, `...processor...`: older diffusers.
    Diffusers,
    /// `...img_lora...`, `...processor.qkv_lora1...`: `XLabs` for FLUX.
    XLabs,
    /// `...hada_w1_a`: `LoHa` of `LyCORIS`.
    LoHa,
    /// `...lokr_w1`: `LoKr` of `LyCORIS`.
    LoKr,
}

impl LoraStyle {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kohya => "kohya",
            Self::Peft => "peft",
            Self::Diffusers => "diffusers",
            Self::XLabs => "xlabs",
            Self::LoHa => "loha",
            Self::LoKr => "lokr",
        }
    }
}

/// A file's kind and the networks in it.
#[derive(Clone, Debug)]
pub struct Contents {
    pub kind: Kind,
    /// The type that most bytes are stored in.
    pub precision: Precision,
    pub parameters: u64,
    /// Of the tensors.
    pub bytes: Bytes,
    pub parts: Vec<Part>,
}

/// Says what a file holds.
///
/// # Errors
/// Where the names are those of a known network and the shapes contradict them, or the weights are packed in a way
/// that is not read.
pub fn contents(table: &TensorTable) -> Result<Contents, LayoutError> {
    let add_on = add_on(table);
    let parts = if add_on.is_none() { layout::parts(table)? } else { Vec::new() };
    let kind = add_on.unwrap_or_else(|| kind_of(&parts));
    Ok(Contents {
        kind,
        precision: super::detect::main_precision(table),
        parameters: table.tensors.iter().map(TensorInfo::count).sum(),
        bytes: table.tensors.iter().map(|tensor| tensor.bytes).sum(),
        parts,
    })
}

const fn is_denoiser(network: Network) -> bool {
    matches!(network, Network::ZImage | Network::Flux | Network::Sd3 | Network::Unet)
}

const fn is_text_encoder(network: Network) -> bool {
    matches!(network, Network::Clip | Network::T5 | Network::Qwen3)
}

fn kind_of(parts: &[Part]) -> Kind {
    let some = |is: fn(Network) -> bool| parts.iter().any(|part| is(part.network));
    let foreign = parts.iter().find_map(|part| match part.network {
        Network::Foreign(name) => Some(name),
        _ => None,
    });
    let vae = |network| network == Network::Vae;
    if some(|network| network == Network::ControlNet) {
        Kind::ControlNet
    } else if some(is_denoiser) {
        if some(is_text_encoder) || some(vae) { Kind::Checkpoint } else { Kind::Denoiser }
    } else if let Some(name) = foreign {
        Kind::Foreign(name)
    } else if some(is_text_encoder) {
        Kind::TextEncoder
    } else if some(vae) {
        Kind::Vae
    } else {
        Kind::Unknown
    }
}

/// Files that change or follow a model, whose names must not be taken for those of the model they belong to.
fn add_on(table: &TensorTable) -> Option<Kind> {
    let has = |part: &str| table.tensors.iter().any(|tensor| tensor.name.contains(part));
    let starts = |part: &str| table.tensors.iter().any(|tensor| tensor.name.starts_with(part));
    if has(".hada_w1_a") || has(".hada_w1_b") {
        Some(Kind::Lora(LoraStyle::LoHa))
    } else if has(".lokr_w1") || has(".lokr_w2") {
        Some(Kind::Lora(LoraStyle::LoKr))
    } else if has(".processor.qkv_lora") || has(".processor.proj_lora") {
        Some(Kind::Lora(LoraStyle::XLabs))
    } else if has(".lora_A.") || has(".lora_B.") {
        Some(Kind::Lora(LoraStyle::Peft))
    } else if has(".lora_down.") || has(".lora_up.") {
        Some(Kind::Lora(LoraStyle::Kohya))
    } else if has("_lora.down.") || has(".lora.down.") || has("lora_linear_layer.") {
        Some(Kind::Lora(LoraStyle::Diffusers))
    } else if let Some(what) = upscaler(&starts) {
        Some(Kind::Upscaler(what))
    } else {
        textual_inversion(table).then_some(Kind::TextualInversion)
    }
}

fn upscaler(starts: &impl Fn(&str) -> bool) -> Option<&'static str> {
    let any = |names: &[&str]| names.iter().any(|name| starts(name) || starts(&format!("params_ema.{name}")));
    if any(&["model.1.sub.0.RDB1.conv1.", "body.0.rdb1.conv1.", "RRDB_trunk.0.RDB1."]) {
        Some("ESRGAN")
    } else if any(&["block_1.c1_r.sk."]) {
        Some("SPAN")
    } else if any(&["layers.0.residual_group.blocks.0."]) {
        Some("SwinIR, HAT or DAT")
    } else if starts("body.0.weight") && starts("body.1.weight") && starts("body.2.weight") {
        Some("Real-ESRGAN compact")
    } else {
        None
    }
}

/// One or two short lists of embedding vectors and nothing else.
fn textual_inversion(table: &TensorTable) -> bool {
    const WIDTHS: [usize; 4] = [768, 1024, 1280, 4096];
    let is_vectors = |tensor: &TensorInfo| match tensor.shape[..] {
        [count, width] => count <= 256 && WIDTHS.contains(&width),
        [width] => WIDTHS.contains(&width),
        _ => false,
    };
    let named = |name: &str| matches!(name, "emb_params" | "clip_l" | "clip_g" | "string_to_param.*");
    let tensors = &table.tensors;
    let one = tensors.len() == 1 && is_vectors(&tensors[0]) && !tensors[0].name.contains('.');
    one || (1..=2).contains(&tensors.len())
        && tensors.iter().all(|tensor| named(&tensor.name) || tensor.name.starts_with("string_to_param."))
}

/// What a network is called in a sentence, with its size where that tells relatives apart.
#[must_use]
pub fn words(part: &Part) -> String {
    let rows = |name: &str| part.table.get(name).and_then(|tensor| tensor.shape.first()).copied().unwrap_or(0);
    let columns = |name: &str| part.table.get(name).and_then(|tensor| tensor.shape.get(1)).copied().unwrap_or(0);
    let some = |needle: &str| part.table.tensors.iter().any(|tensor| tensor.name.contains(needle));
    match part.network {
        Network::ZImage => "Z-Image denoiser".to_owned(),
        Network::Flux => {
            let variant = match (columns("x_embedder.weight"), some("guidance_embedder.")) {
                (384, _) => "FLUX.1 Fill",
                (128, _) => "FLUX.1 Canny or Depth",
                (_, true) => "FLUX.1 dev",
                (_, false) => "FLUX.1 schnell",
            };
            format!("{variant} denoiser")
        }
        Network::Sd3 => {
            let variant = match (some(".attn2."), some(".norm_q.")) {
                (true, _) => "Stable Diffusion 3.5 medium",
                (false, true) => "Stable Diffusion 3.5 large",
                (false, false) => "Stable Diffusion 3 medium",
            };
            format!("{variant} denoiser")
        }
        Network::Unet => format!("{} denoiser{}", unet_words(part), unet_input_words(columns("conv_in.weight"))),
        Network::Clip => {
            let name = "text_model.embeddings.token_embedding.weight";
            match columns(name) {
                768 => "CLIP-L text encoder".to_owned(),
                1024 => "OpenCLIP-H text encoder".to_owned(),
                1280 => "OpenCLIP-G text encoder".to_owned(),
                width => format!("CLIP text encoder of width {width}"),
            }
        }
        Network::T5 => match columns("shared.weight") {
            4096 => "T5-XXL text encoder".to_owned(),
            width => format!("T5 text encoder of width {width}"),
        },
        Network::Qwen3 => match columns("model.embed_tokens.weight") {
            1024 => "Qwen3-0.6B text encoder".to_owned(),
            2048 => "Qwen3-1.7B text encoder".to_owned(),
            2560 => "Qwen3-4B text encoder".to_owned(),
            4096 => "Qwen3-8B text encoder".to_owned(),
            width => format!("Qwen3 text encoder of width {width}"),
        },
        Network::Vae => {
            let belongs = match columns("decoder.conv_in.weight") {
                4 => " (Stable Diffusion 1, 2 and XL)",
                16 => " (FLUX, Z-Image, Stable Diffusion 3)",
                _ => "",
            };
            let half = if rows("encoder.conv_in.weight") == 0 { "decoder of a VAE" } else { "VAE" };
            format!("{half} with {} latent channels{belongs}", columns("decoder.conv_in.weight"))
        }
        Network::ControlNet => "ControlNet".to_owned(),
        Network::Foreign(name) => name.trim_start_matches("an ").trim_start_matches("a ").to_owned(),
    }
}

fn unet_words(part: &Part) -> &'static str {
    let context = part.table.tensors.iter().find(|tensor| tensor.name.ends_with("attn2.to_k.weight"));
    match context.and_then(|tensor| tensor.shape.get(1)) {
        Some(768) => "Stable Diffusion 1",
        Some(1024) => "Stable Diffusion 2",
        Some(1280) => "SDXL refiner",
        Some(2048) => "SDXL",
        _ => "Stable Diffusion",
    }
}

const fn unet_input_words(channels: usize) -> &'static str {
    match channels {
        9 => " for inpainting",
        8 => " that edits a picture by instruction",
        5 => " with a depth map",
        7 => " that enlarges pictures",
        _ => "",
    }
}

/// What a kind that is not a model is for, and where such files belong.
#[must_use]
pub const fn place_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Checkpoint | Kind::Denoiser => "use it as the model",
        Kind::TextEncoder => "put it into the folder text_encoders, beside the folder of the denoiser",
        Kind::Vae => "put it into the folder vae, beside the folder of the denoiser",
        Kind::Lora(_) => "a LoRA changes a model and is none itself; the model that it was made for is another file",
        Kind::ControlNet => "ControlNets are not used yet; the model itself is another file",
        Kind::TextualInversion => "its words are used inside a prompt; the model itself is another file",
        Kind::Upscaler(_) => "it enlarges finished pictures; the model itself is another file",
        Kind::Foreign(_) => "this program does not draw with it",
        Kind::Unknown => "its tensors belong to no model that this program knows",
    }
}
