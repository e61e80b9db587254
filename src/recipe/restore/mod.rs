//! Settings of pictures and texts that other programs made: what is taken, what is not, and why.
//!
//! Everything here is total: any text gives settings or nothing, never a panic. What a program wrote that this one
//! cannot take over is listed in [`Restored::left`], because a picture that silently lacks its `LoRA` looks like a fault of
//! the model. Keys that only say how a file came to be (versions, hashes, dates) are passed over.

mod comfy;
mod command_line;
mod exif;
mod gather;
mod infotext;
mod json_settings;
mod novelai;
mod relaxed;

pub use command_line::command_line;
pub use exif::{decode_text, exif_entries};
pub(super) use gather::{Gather, Slot, text_of};
pub use infotext::infotext;
pub(super) use infotext::pairs;
pub(super) use json_settings::{DRAW_THINGS, SWARM, draw_things_loras, draw_things_sampler};
pub(super) use relaxed::parse as relaxed_json;

use super::{Draft, Partial, Vocabulary};
use crate::model::json::Value;

/// The program that wrote settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Program {
    Headroom,
    A1111,
    Forge,
    SdNext,
    ComfyUi,
    InvokeAi,
    SwarmUi,
    Fooocus,
    StableDiffusionCpp,
    Unsloth,
    NovelAi,
    DrawThings,
    /// A command line of any program.
    CommandLine,
    Unknown,
}

impl Program {
    /// As its makers write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Headroom => "Headroom",
            Self::A1111 => "A1111",
            Self::Forge => "Forge",
            Self::SdNext => "SD.Next",
            Self::ComfyUi => "ComfyUI",
            Self::InvokeAi => "InvokeAI",
            Self::SwarmUi => "SwarmUI",
            Self::Fooocus => "Fooocus",
            Self::StableDiffusionCpp => "stable-diffusion.cpp",
            Self::Unsloth => "Unsloth",
            Self::NovelAi => "NovelAI",
            Self::DrawThings => "Draw Things",
            Self::CommandLine => "command line",
            Self::Unknown => "unknown program",
        }
    }
}

/// Why something was not taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// This program has nothing of the kind.
    NotHere,
    /// It has such a setting, but not this value.
    UnknownValue,
    /// The value is no number, or damaged.
    Unreadable,
}

/// One setting that was not taken over, under its name in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    pub what: String,
    pub value: String,
    pub why: Why,
}

impl Left {
    /// The strength of a picture that was made of another one, which it does not hold.
    #[must_use]
    pub fn denoise(strength: f64) -> Self {
        Self { what: "Denoising strength".to_owned(), value: (strength as f32).to_string(), why: Why::NotHere }
    }
}

/// A model as a picture names it. Whether it is here is for [`ModelMention::find`] to say; it is never replaced in silence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelMention {
    /// A name or the last part of a path, without the ending of a weight file.
    pub name: String,
    /// Leading hex digits of the SHA-256 of the file, lower case, where the picture gives them.
    pub hash: Option<String>,
}

/// How surely a model that is here is the one that a picture names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    ByHash(usize),
    ByName(usize),
    Absent,
}

impl ModelMention {
    /// The model among `here`, each with its name and the hash of its file where that is known. The hash decides before
    /// the name does.
    #[must_use]
    pub fn find<'a>(&self, here: impl IntoIterator<Item = (&'a str, Option<&'a str>)> + Clone) -> Found {
        if let Some(hash) = self.hash.as_deref().filter(|hash| hash.len() >= 8) {
            let by_hash = here.clone().into_iter().position(|(_, known)| {
                known.is_some_and(|known| known.len() >= hash.len() && known.to_lowercase().starts_with(hash))
            });
            if let Some(index) = by_hash {
                return Found::ByHash(index);
            }
        }
        let name = bare_model_name(&self.name);
        let by_name = here.into_iter().position(|(known, _)| bare_model_name(known).eq_ignore_ascii_case(&name));
        by_name.filter(|_| !name.is_empty()).map_or(Found::Absent, Found::ByName)
    }
}

/// The last part of what may be a path, without the ending of a weight file. A hash in brackets behind it, as old A1111
/// wrote it, goes too.
#[must_use]
pub fn bare_model_name(name: &str) -> String {
    let name = name.trim().trim_end_matches(['/', '\\']);
    let mut name = name.rsplit(['/', '\\']).next().unwrap_or(name).trim();
    if let Some((head, tail)) = name.rsplit_once(" [")
        && tail.ends_with(']')
    {
        name = head;
    }
    let endings = [".safetensors", ".gguf", ".ckpt", ".pt", ".sft", ".bin"];
    let lower = name.to_lowercase();
    let ending = endings.into_iter().find(|ending| lower.ends_with(ending));
    ending.and_then(|ending| name.get(..name.len() - ending.len())).unwrap_or(name).to_owned()
}

/// What was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Restored {
    pub program: Program,
    /// Its version as it wrote it, empty where it did not.
    pub version: String,
    pub settings: Partial,
    pub model: Option<ModelMention>,
    pub left: Vec<Left>,
}

impl Restored {
    /// The draft that these settings describe for a model: what they do not say becomes the model's default, so nothing
    /// of what stood there before is mixed in (InvokeAI #9309). `seed` is taken where they name none.
    #[must_use]
    pub fn draft(&self, vocabulary: &Vocabulary, seed: u64) -> Draft {
        self.settings.alone(vocabulary, seed)
    }
}

/// A named text from a file: a PNG chunk, an EXIF field, an XMP packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The PNG keyword; for others one of `UserComment`, `ImageDescription`, `Make`, `Model`, `Software`, `MakerNote`,
    /// `Comment` and `XMP`.
    pub key: String,
    pub text: String,
}

/// Settings from the texts of a picture. `None` where no text is of a kind that is known.
#[must_use]
pub fn from_entries(entries: &[Entry]) -> Option<Restored> {
    let text = |key: &str| entries.iter().find(|entry| entry.key == key).map(|entry| entry.text.as_str());
    let json = |key: &str| text(key).and_then(relaxed::parse);
    if let Some(found) = json("invokeai_metadata").and_then(|value| json_settings::invoke(&value)) {
        return Some(found);
    }
    if let Some(found) = json("sd-metadata").and_then(|value| json_settings::invoke_old(&value)) {
        return Some(found);
    }
    if let Some(found) = text("Dream").or_else(|| text("dream")).and_then(command_line) {
        return Some(Restored { program: Program::InvokeAi, ..found });
    }
    let software = text("Software").unwrap_or_default();
    if let Some(found) = json("Comment").and_then(|value| novelai::read(&value, text("Description"), text("Source"))) {
        return Some(found);
    }
    let made_by_unsloth = text("unsloth").is_some();
    // ComfyUI writes both; the API graph is what really ran.
    let graphs = [json("prompt"), json("workflow"), prefixed(entries, "prompt:"), prefixed(entries, "workflow:")];
    let scheme = text("fooocus_scheme").or_else(|| text("MakerNote")).unwrap_or_default();
    for key in ["parameters", "UserComment", "ImageDescription", "Comment"] {
        let Some(found) = text(key).and_then(from_text) else { continue };
        let program = match found.program {
            Program::A1111 | Program::Unknown if made_by_unsloth => Program::Unsloth,
            Program::A1111 | Program::Unknown if software.starts_with("Fooocus") || scheme == "a1111" => {
                Program::Fooocus
            }
            program => program,
        };
        return Some(Restored { program, ..found });
    }
    if let Some(found) = json("unsloth").and_then(|value| json_settings::plain(&value, Program::Unsloth)) {
        return Some(found);
    }
    if let Some(found) = graphs.into_iter().flatten().find_map(|graph| comfy::read(&graph)) {
        return Some(found);
    }
    let xmp = entries.iter().filter(|entry| entry.key == "XMP" || entry.key == "XML:com.adobe.xmp");
    xmp.flat_map(|entry| xmp_texts(&entry.text)).find_map(|text| from_text(&text))
}

/// The JSON after `prefix` in any field: ComfyUI's WebP files keep their graphs so, in EXIF `Make` and `Model`.
fn prefixed(entries: &[Entry], prefix: &str) -> Option<Value> {
    entries.iter().find_map(|entry| relaxed::parse(entry.text.trim().strip_prefix(prefix)?))
}

/// Settings from one text: JSON of any program that is known, an infotext, or a command line.
#[must_use]
pub fn from_text(text: &str) -> Option<Restored> {
    let text = text.trim_start_matches('\u{feff}').trim_matches(['\0', ' ', '\n', '\r', '\t']);
    if text.starts_with('{') {
        return relaxed::parse(text).and_then(|value| from_json(&value));
    }
    command_line(text).or_else(|| infotext(text))
}

/// Settings from JSON by its keys.
fn from_json(value: &Value) -> Option<Restored> {
    let has = |key: &str| value.get(key).is_some();
    if has("sui_image_params") {
        return json_settings::swarm(value);
    }
    if has("nodes") || comfy::is_api_graph(value) {
        return comfy::read(value);
    }
    if let Some(inner) = value.get("prompt").filter(|inner| comfy::is_api_graph(inner)) {
        return comfy::read(inner);
    }
    if has("invokeai_metadata") || has("generation_mode") || has("positive_prompt") && has("cfg_scale") {
        return json_settings::invoke(value);
    }
    if has("sd-metadata") || has("model_weights") && has("image") {
        return json_settings::invoke_old(value);
    }
    if has("metadata_scheme") || has("base_model") && has("resolution") || has("Base Model") {
        return json_settings::fooocus(value);
    }
    if has("c") && has("uc") {
        return json_settings::draw_things(value);
    }
    if has("uc") || has("v4_prompt") {
        return novelai::read(value, None, None);
    }
    json_settings::plain(value, Program::Unknown)
}

/// The texts inside an XMP packet that may hold settings: element and attribute contents, with entities resolved.
///
/// A full XML reader is not needed for that: whatever stands between tags or in quotes is looked at.
fn xmp_texts(xmp: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for element in xmp.split('<').skip(1) {
        let (tag, content) = element.split_once('>').unwrap_or((element, ""));
        for (index, part) in tag.split('"').enumerate() {
            if index % 2 == 1 && part.len() > 8 {
                texts.push(unescaped(part));
            }
        }
        if content.trim().len() > 8 {
            texts.push(unescaped(content.trim()));
        }
    }
    texts
}

/// Text with the entities of XML resolved, numeric ones included.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let Some(end) = rest.find(';').filter(|end| *end <= 10) else {
            out.push('&');
            rest = &rest[1..];
            continue;
        };
        let name = &rest[1..end];
        let number = name.strip_prefix("#x").map(|hex| u32::from_str_radix(hex, 16).ok());
        let number = number.or_else(|| name.strip_prefix('#').map(|digits| digits.parse().ok())).flatten();
        match (name, number.and_then(char::from_u32)) {
            ("lt", _) => out.push('<'),
            ("gt", _) => out.push('>'),
            ("amp", _) => out.push('&'),
            ("quot", _) => out.push('"'),
            ("apos", _) => out.push('\''),
            (_, Some(character)) => out.push(character),
            _ => out.push_str(&rest[..=end]),
        }
        rest = &rest[end + 1..];
    }
    out.push_str(rest);
    out
}
