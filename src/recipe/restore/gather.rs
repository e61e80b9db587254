//! Collects settings one by one, by a table that says what each key of a program means.

use super::{Left, Program, Restored, Why, bare_model_name};
use crate::model::json::Value;
use crate::recipe::{Partial, Rng, spelling};
use crate::units::PixelSize;

/// What a key of another program means here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    Prompt,
    Negative,
    Width,
    Height,
    /// Both in one text: `832x1216`, `832*1216`, `(832, 1216)`.
    Size,
    Steps,
    Guidance,
    Distilled,
    Seed,
    Batch,
    Sampler,
    Schedule,
    /// Whose random numbers a seed stands for: `CPU`, `NV`, `GPU`, `cuda`.
    Noise,
    Model,
    ModelHash,
    Version,
    /// How layers of CLIP are counted from the end: 1, or 0 in some programs, is all of them.
    ClipSkip,
    /// Says how the file came to be, or repeats another key.
    Skip,
}

/// Longest value that is shown of what was not taken.
const SHOWN: usize = 120;
/// More lines than anybody reads.
const MAX_LEFT: usize = 60;

pub(crate) struct Gather {
    pub restored: Restored,
}

impl Gather {
    pub(crate) fn new(program: Program) -> Self {
        let (settings, left) = (Partial::default(), Vec::new());
        Self { restored: Restored { program, version: String::new(), settings, model: None, left } }
    }

    /// Takes every key of an object by `table`; what is not in it is left.
    pub(crate) fn object(&mut self, object: &Value, table: &[(&str, Slot)]) {
        let Value::Object(entries) = object else { return };
        for (key, value) in entries {
            match table.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)) {
                Some((_, slot)) => self.value(*slot, key, value),
                // Zero is how most of them write that something is off.
                None if value.as_f64() == Some(0.0) => {}
                None => self.leave_value(key, value, Why::NotHere),
            }
        }
    }

    pub(crate) fn value(&mut self, slot: Slot, key: &str, value: &Value) {
        if !is_nothing(value) || matches!((slot, value), (Slot::Prompt | Slot::Negative, Value::String(_))) {
            self.text(slot, key, &text_of(value));
        }
    }

    /// Takes one setting that is written as text.
    pub(crate) fn text(&mut self, slot: Slot, key: &str, text: &str) {
        let settings = &mut self.restored.settings;
        let trimmed = text.trim();
        let taken = match slot {
            Slot::Skip => true,
            Slot::Prompt => {
                settings.prompt = Some(text.to_owned());
                true
            }
            Slot::Negative => {
                settings.negative = Some(text.to_owned());
                true
            }
            Slot::Width => set(&mut settings.width, whole(trimmed)),
            Slot::Height => set(&mut settings.height, whole(trimmed)),
            Slot::Size => match size(trimmed) {
                Some((width, height)) => {
                    (settings.width, settings.height) = (Some(width), Some(height));
                    true
                }
                None => false,
            },
            Slot::Steps => set(&mut settings.steps, whole(trimmed)),
            Slot::Guidance => set(&mut settings.guidance, number(trimmed)),
            Slot::Distilled => set(&mut settings.distilled, number(trimmed)),
            Slot::Noise => {
                // A graphics card's own numbers are Nvidia's as a rule.
                let known = match trimmed.to_lowercase().as_str() {
                    "cpu" => Some(Rng::Cpu),
                    "nv" | "gpu" | "cuda" => Some(Rng::Nv),
                    _ => None,
                };
                settings.rng = known.or(settings.rng);
                if known.is_none() {
                    self.leave(key, trimmed, Why::UnknownValue);
                }
                return;
            }
            // -1 asks for a random seed, which is what a seed that is absent means, too.
            Slot::Seed => trimmed == "-1" || set(&mut settings.seed, seed(trimmed)),
            Slot::Batch => set(&mut settings.batch, whole(trimmed)),
            Slot::Sampler => return self.sampler(key, trimmed),
            Slot::Schedule => {
                let known = spelling::schedule(trimmed);
                settings.schedule = known.or(settings.schedule);
                if known.is_none() && !spelling::is_automatic(trimmed) {
                    self.leave(key, trimmed, Why::UnknownValue);
                }
                return;
            }
            Slot::Model => {
                self.model(trimmed);
                true
            }
            Slot::ModelHash => {
                let hash = trimmed.trim_start_matches("blake3:").to_lowercase();
                // InvokeAI's are of another function: no file can be found by them.
                if hash.len() == trimmed.len() && hash.chars().all(|c| c.is_ascii_hexdigit()) && !hash.is_empty() {
                    self.restored.model.get_or_insert_default().hash = Some(hash);
                }
                true
            }
            Slot::Version => {
                trimmed.clone_into(&mut self.restored.version);
                true
            }
            Slot::ClipSkip => {
                if !matches!(trimmed, "0" | "1" | "-1") {
                    self.leave(key, trimmed, Why::NotHere);
                }
                true
            }
        };
        if !taken {
            self.leave(key, trimmed, Why::Unreadable);
        }
    }

    fn sampler(&mut self, key: &str, name: &str) {
        let (sampler, schedule) = spelling::sampler(name);
        let settings = &mut self.restored.settings;
        settings.sampler = sampler.or(settings.sampler);
        settings.schedule = schedule.or(settings.schedule);
        if sampler.is_none() && !spelling::is_automatic(name) {
            self.leave(key, name, Why::UnknownValue);
        }
    }

    fn model(&mut self, name: &str) {
        if name.is_empty() || name == "None" {
            return;
        }
        let mention = self.restored.model.get_or_insert_default();
        mention.name = bare_model_name(name);
        // Old A1111 wrote the hash behind the name.
        let bracketed = name.rsplit_once(" [").and_then(|(_, tail)| tail.strip_suffix(']'));
        if let Some(hash) = bracketed.filter(|hash| hash.chars().all(|c| c.is_ascii_hexdigit())) {
            mention.hash.get_or_insert_with(|| hash.to_lowercase());
        }
    }

    pub(crate) fn leave_value(&mut self, what: &str, value: &Value, why: Why) {
        if !is_nothing(value) {
            self.leave(what, &text_of(value), why);
        }
    }

    /// Notes something that is not taken. Said twice, it is noted once.
    pub(crate) fn leave(&mut self, what: &str, value: &str, why: Why) {
        let left = Left { what: shown(what), value: shown(value), why };
        if self.restored.left.len() < MAX_LEFT && !self.restored.left.contains(&left) {
            self.restored.left.push(left);
        }
    }

    /// What was gathered, unless it is nothing at all. `<lora:...>` in a prompt is listed here for every program.
    pub(crate) fn done(mut self) -> Option<Restored> {
        let prompt = self.restored.settings.prompt.clone().unwrap_or_default();
        for tag in prompt.split("<lora:").skip(1) {
            if let Some((tag, _)) = tag.split_once('>') {
                self.leave("LoRA", &tag.replacen(':', " ", 1), Why::NotHere);
            }
        }
        if self.restored.model.as_ref().is_some_and(|model| model.name.is_empty() && model.hash.is_none()) {
            self.restored.model = None;
        }
        let nothing = self.restored.settings.is_empty() && self.restored.model.is_none();
        (!nothing).then_some(self.restored)
    }
}

fn set<T>(place: &mut Option<T>, value: Option<T>) -> bool {
    let known = value.is_some();
    *place = value.or(place.take());
    known
}

/// Values that say nothing: an absent thing, an empty list, a switch that is off.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty() || text == "None",
        Value::Array(items) => items.is_empty(),
        Value::Object(entries) => entries.is_empty(),
        _ => false,
    }
}

/// A value as text: strings as they are, numbers with all their digits, the rest as short JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().take(12).map(text_of).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(entries) => {
            let entries = entries.iter().filter(|(_, value)| !is_nothing(value)).take(12);
            let entries: Vec<String> = entries.map(|(key, value)| format!("{key}: {}", text_of(value))).collect();
            format!("{{{}}}", entries.join(", "))
        }
    }
}

fn shown(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

/// A whole number, also where it is written with a fraction of nothing: `20.0`.
fn whole(text: &str) -> Option<i64> {
    text.parse().ok().or_else(|| {
        let value = text.parse::<f64>().ok()?;
        (value.fract() == 0.0 && value.abs() < 1e15).then_some(value as i64)
    })
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

fn seed(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| whole(text).and_then(|value| u64::try_from(value).ok()))
}

fn size(text: &str) -> Option<(i64, i64)> {
    let plain: String = text.chars().filter(|c| !matches!(c, '(' | ')' | '[' | ']' | ' ')).collect();
    let plain = plain.replace(['*', '×', ',', 'X'], "x");
    PixelSize::parse(&plain)
}
