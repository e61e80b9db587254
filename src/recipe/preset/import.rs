//! Preset files of other programs, told apart by what is in them, never by their names.

use super::{PLACEHOLDER, Preset, Words, csv};
use crate::model::json::Value;
use crate::recipe::restore::{
    DRAW_THINGS, Gather, Left, Program, SWARM, Slot, Why, draw_things_loras, draw_things_sampler, pairs, relaxed_json,
    text_of,
};

/// What a file of presets is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    Own,
    A1111Styles,
    InvokeStyles,
    FooocusStyles,
    FooocusPreset,
    KritaStyle,
    SwarmPresets,
    DrawThings,
    SdNextStyles,
}

impl Format {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "Headroom presets",
            Self::A1111Styles => "A1111 styles",
            Self::InvokeStyles => "InvokeAI styles",
            Self::FooocusStyles => "Fooocus styles",
            Self::FooocusPreset => "Fooocus preset",
            Self::KritaStyle => "Krita style",
            Self::SwarmPresets => "SwarmUI presets",
            Self::DrawThings => "Draw Things configurations",
            Self::SdNextStyles => "SD.Next styles",
        }
    }
}

/// Presets that were taken, and what of them was not, each under `PRESET: KEY`.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    pub format: Format,
    pub presets: Vec<Preset>,
    pub left: Vec<Left>,
}

/// More presets than a file may bring: beyond that it is a mistake or an attack.
const MAX_PRESETS: usize = 20_000;

/// Presets from the text of a file. `name` is for formats that carry none. `None` where it is no preset file.
#[must_use]
pub fn import(text: &str, name: &str) -> Option<Imported> {
    let text = text.trim_start_matches('\u{feff}').trim_matches(['\0', ' ', '\n', '\r', '\t']);
    if !text.starts_with(['{', '[']) {
        return styles_csv(text);
    }
    let value = relaxed_json(text)?;
    let mut reader =
        Reader { imported: Imported { format: Format::InvokeStyles, presets: Vec::new(), left: Vec::new() } };
    match &value {
        Value::Array(items) => {
            for item in items.iter().take(MAX_PRESETS) {
                reader.item(item, name);
            }
        }
        Value::Object(entries) if entries.iter().any(|(_, value)| value.get("param_map").is_some()) => {
            for (title, preset) in entries.iter().take(MAX_PRESETS) {
                reader.swarm(title, preset);
            }
        }
        item => reader.item(item, name),
    }
    reader.done()
}

/// `name,prompt,negative_prompt`, in the oldest files `name,text`.
fn styles_csv(text: &str) -> Option<Imported> {
    let mut rows = csv::rows(text).into_iter();
    let header: Vec<String> = rows.next()?.iter().map(|field| field.trim().to_lowercase()).collect();
    let column = |names: &[&str]| header.iter().position(|field| names.contains(&field.as_str()));
    let name = column(&["name"])?;
    let prompt = column(&["prompt", "text", "positive_prompt"])?;
    let negative = column(&["negative_prompt", "negative"]);
    let mut reader =
        Reader { imported: Imported { format: Format::A1111Styles, presets: Vec::new(), left: Vec::new() } };
    for row in rows.take(MAX_PRESETS) {
        let field = |index: Option<usize>| index.and_then(|index| row.get(index)).map(|field| field.trim());
        let name = field(Some(name)).unwrap_or_default();
        let mut preset = Preset { name: name.to_owned(), ..Preset::default() };
        preset.settings.prompt = words(field(Some(prompt)));
        preset.settings.negative = words(field(negative));
        reader.add(preset);
    }
    reader.done()
}

/// Words, unless there are none.
fn words(text: Option<&str>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

struct Reader {
    imported: Imported,
}

impl Reader {
    /// Keeps a preset that sets something. Dividers (`# people`), rows without a name and repetitions are passed over; a
    /// name that is taken gets a number.
    fn add(&mut self, mut preset: Preset) {
        let presets = &mut self.imported.presets;
        let divider = preset.name.trim().is_empty() || preset.name.trim_start().starts_with('#');
        let base = preset.name.clone();
        let said = |known: &Preset| {
            known.name.strip_prefix(&base).is_some_and(|tail| tail.is_empty() || tail.starts_with(" ("))
                && known.settings == preset.settings
                && known.model == preset.model
        };
        if divider || preset.settings.is_empty() && preset.model.is_none() || presets.iter().any(said) {
            return;
        }
        for number in 2.. {
            if presets.iter().all(|known| known.name != preset.name) {
                break;
            }
            preset.name = format!("{base} ({number})");
        }
        presets.push(preset);
    }

    fn done(self) -> Option<Imported> {
        (!self.imported.presets.is_empty()).then_some(self.imported)
    }

    /// What was gathered for one preset.
    fn gathered(&mut self, mut preset: Preset, gather: Gather) {
        let left = gather.restored.left.iter();
        self.imported
            .left
            .extend(left.map(|left| Left { what: format!("{}: {}", preset.name, left.what), ..left.clone() }));
        preset.model = gather.restored.model.map(|model| model.name).filter(|name| !name.is_empty());
        let mut settings = gather.restored.settings;
        settings.prompt = words(settings.prompt.as_deref()).filter(|prompt| prompt.trim() != PLACEHOLDER);
        settings.negative = words(settings.negative.as_deref());
        preset.settings = settings;
        self.add(preset);
    }

    /// One JSON object, by its keys.
    fn item(&mut self, item: &Value, name: &str) {
        let has = |key: &str| item.get(key).is_some();
        let Value::Object(entries) = item else { return };
        if has("configuration") {
            self.draw_things(item);
        } else if has("style_prompt") {
            self.krita(item, name);
        } else if entries.iter().any(|(key, _)| key.starts_with("default_")) {
            self.fooocus(item, name);
        } else if has("param_map") {
            self.swarm(name, item);
        } else if let Some(data) = item.get("preset_data") {
            self.style(item, data, Format::InvokeStyles);
        } else if has("negative") || has("extra") {
            self.sd_next(item);
        } else if has("name") && (has("prompt") || has("positive_prompt") || has("negative_prompt")) {
            let placed = item.get("prompt").and_then(Value::as_str).is_some_and(|prompt| prompt.contains(PLACEHOLDER));
            self.style(item, item, if placed { Format::FooocusStyles } else { Format::InvokeStyles });
        }
    }

    fn style(&mut self, item: &Value, data: &Value, format: Format) {
        self.imported.format = format;
        let text = |value: &Value, keys: &[&str]| keys.iter().find_map(|key| value.get(key)).map(text_of);
        let mut preset = Preset { name: text(item, &["name"]).unwrap_or_default(), ..Preset::default() };
        preset.description = text(item, &["description"]).unwrap_or_default();
        preset.settings.prompt = words(text(data, &["prompt", "positive_prompt"]).as_deref());
        preset.settings.negative = words(text(data, &["negative_prompt"]).as_deref());
        self.add(preset);
    }

    fn sd_next(&mut self, item: &Value) {
        self.imported.format = Format::SdNextStyles;
        let mut gather = Gather::new(Program::SdNext);
        let text = |key: &str| item.get(key).map(text_of).unwrap_or_default();
        gather.text(Slot::Prompt, "prompt", &text("prompt"));
        gather.text(Slot::Negative, "negative", &text("negative"));
        for (key, value) in pairs(&text("extra")) {
            let slot = match key.to_lowercase().as_str() {
                "steps" => Slot::Steps,
                "sampler" => Slot::Sampler,
                "cfg scale" | "cfg_scale" => Slot::Guidance,
                "seed" => Slot::Seed,
                "size" => Slot::Size,
                "model" => Slot::Model,
                _ => {
                    gather.leave(&key, &value, Why::NotHere);
                    continue;
                }
            };
            gather.text(slot, &key, &value);
        }
        let (name, description) = (text("name"), text("description"));
        self.gathered(Preset { name, description, ..Preset::default() }, gather);
    }

    fn krita(&mut self, item: &Value, name: &str) {
        self.imported.format = Format::KritaStyle;
        const TABLE: &[(&str, Slot)] = &[
            ("style_prompt", Slot::Prompt),
            ("negative_prompt", Slot::Negative),
            ("sampler", Slot::Sampler),
            ("sampler_steps", Slot::Steps),
            ("cfg_scale", Slot::Guidance),
            ("clip_skip", Slot::ClipSkip),
            ("sd_checkpoint", Slot::Model),
            ("name", Slot::Skip),
            ("version", Slot::Skip),
            ("architecture", Slot::Skip),
            ("sd_version", Slot::Skip),
            ("linked_edit_style", Slot::Skip),
            ("live_sampler", Slot::Skip),
            ("live_sampler_steps", Slot::Skip),
            ("live_cfg_scale", Slot::Skip),
        ];
        let mut gather = Gather::new(Program::Unknown);
        let Value::Object(entries) = item else { return };
        let mut rest = Vec::new();
        for (key, value) in entries {
            match key.as_str() {
                // The first one that is there is used; it stands for all of them.
                "checkpoints" => {
                    if let Some(first) = value.as_array().and_then(<[Value]>::first) {
                        gather.value(Slot::Model, key, first);
                    }
                }
                // `Default - DPM++ 2M` and the like are names of a preset of samplers.
                "sampler" => {
                    let name = text_of(value);
                    gather.text(Slot::Sampler, key, name.rsplit(" - ").next().unwrap_or(&name));
                }
                "vae" if value.as_str() == Some("Checkpoint Default") => {}
                _ => rest.push((key.clone(), value.clone())),
            }
        }
        gather.object(&Value::Object(rest), TABLE);
        let name = item.get("name").map_or_else(|| name.to_owned(), text_of);
        self.gathered(Preset { name, ..Preset::default() }, gather);
    }

    fn fooocus(&mut self, item: &Value, name: &str) {
        self.imported.format = Format::FooocusPreset;
        const TABLE: &[(&str, Slot)] = &[
            ("default_model", Slot::Model),
            ("default_cfg_scale", Slot::Guidance),
            ("default_sampler", Slot::Sampler),
            ("default_scheduler", Slot::Schedule),
            ("default_prompt", Slot::Prompt),
            ("default_prompt_negative", Slot::Negative),
            ("default_aspect_ratio", Slot::Size),
            ("default_clip_skip", Slot::ClipSkip),
            ("default_overwrite_step", Slot::Steps),
            ("default_refiner_switch", Slot::Skip),
            ("previous_default_models", Slot::Skip),
            // Where to download from is nobody's business in a preset that came by drag and drop.
            ("checkpoint_downloads", Slot::Skip),
            ("embeddings_downloads", Slot::Skip),
            ("lora_downloads", Slot::Skip),
            ("vae_downloads", Slot::Skip),
        ];
        let mut gather = Gather::new(Program::Fooocus);
        let Value::Object(entries) = item else { return };
        let mut rest = Vec::new();
        for (key, value) in entries {
            match key.as_str() {
                "default_performance" => {
                    let steps = match value.as_str() {
                        Some("Quality") => "60",
                        Some("Speed") => "30",
                        Some("Extreme Speed") => "8",
                        Some("Lightning" | "Hyper-SD") => "4",
                        _ => "",
                    };
                    gather.text(Slot::Steps, key, steps);
                }
                "default_loras" => {
                    for item in value.as_array().unwrap_or_default() {
                        let parts = item.as_array().unwrap_or_default();
                        let parts = parts.iter().filter(|part| part.as_bool().is_none()).map(text_of);
                        let text = parts.collect::<Vec<_>>().join(" ");
                        let off = item.as_array().and_then(<[Value]>::first) == Some(&Value::Bool(false));
                        if !off && !text.starts_with("None") && !text.is_empty() {
                            gather.leave("LoRA", &text, Why::NotHere);
                        }
                    }
                }
                _ => rest.push((key.clone(), value.clone())),
            }
        }
        // A step count that overrides others is -1 where it does not.
        rest.retain(|(key, value)| key != "default_overwrite_step" || value.as_f64().is_some_and(|steps| steps > 0.0));
        gather.object(&Value::Object(rest), TABLE);
        let whole = gather.restored.settings.prompt.as_deref().is_some_and(|prompt| !prompt.trim().is_empty());
        let words = if whole { Words::Whole } else { Words::Style };
        self.gathered(Preset { name: name.to_owned(), words, ..Preset::default() }, gather);
    }

    fn swarm(&mut self, title: &str, item: &Value) {
        self.imported.format = Format::SwarmPresets;
        let Some(Value::Object(map)) = item.get("param_map") else { return };
        let mut gather = Gather::new(Program::SwarmUi);
        let mut rest = Vec::new();
        for (key, value) in map {
            match key.as_str() {
                "images" => gather.value(Slot::Batch, key, value),
                _ => rest.push((key.clone(), value.clone())),
            }
        }
        gather.object(&Value::Object(rest), SWARM);
        // Swarm's placeholder has another name.
        let settings = &mut gather.restored.settings;
        for text in [&mut settings.prompt, &mut settings.negative].into_iter().flatten() {
            *text = text.replace("{value}", PLACEHOLDER);
        }
        let name = item.get("title").map(text_of).filter(|title| !title.is_empty()).unwrap_or_else(|| title.to_owned());
        let description = item.get("description").map(text_of).unwrap_or_default();
        self.gathered(Preset { name, description, ..Preset::default() }, gather);
    }

    fn draw_things(&mut self, item: &Value) {
        self.imported.format = Format::DrawThings;
        let Some(Value::Object(configuration)) = item.get("configuration") else { return };
        let mut gather = Gather::new(Program::DrawThings);
        let mut rest = Vec::new();
        for (key, value) in configuration {
            match key.as_str() {
                "sampler" => gather.text(Slot::Sampler, key, &draw_things_sampler(value)),
                "loras" => draw_things_loras(&mut gather, value),
                "strength" if value.as_f64() == Some(1.0) => {}
                _ => rest.push((key.clone(), value.clone())),
            }
        }
        gather.object(&Value::Object(rest), DRAW_THINGS);
        for (key, slot) in [("prompt", Slot::Prompt), ("negative", Slot::Negative)] {
            if let Some(value) = item.get(key) {
                gather.value(slot, key, value);
            }
        }
        let name = item.get("name").map(text_of).unwrap_or_default();
        self.gathered(Preset { name, ..Preset::default() }, gather);
    }
}
