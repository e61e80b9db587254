//! The `parameters` text of A1111, and of the many programs that write the same: Forge, SD.Next, stable-diffusion.cpp,
//! Fooocus on request, Unsloth, Civitai.
//!
//! Prompt, then from a line `Negative prompt:` on the negative prompt, then one line of `key: value` pairs. Nothing
//! quotes the prompt, so where it ends can only be told from that last line: at least three pairs, one of them a key that
//! every writer of this text uses. dynamic-prompts adds lines of its own behind it (`Template: ...`).

use super::{Gather, Program, Restored, Slot, Why};
use crate::model::json;

const NEGATIVE: &str = "Negative prompt:";

/// What each key means. Keys that are not here are settings that this program lacks.
const TABLE: &[(&str, Slot)] = &[
    ("Steps", Slot::Steps),
    ("Sampler", Slot::Sampler),
    ("Schedule type", Slot::Schedule),
    ("Scheduler", Slot::Schedule),
    ("CFG scale", Slot::Guidance),
    ("Guidance scale", Slot::Guidance),
    ("Distilled CFG Scale", Slot::Distilled),
    // stable-diffusion.cpp's name of the same.
    ("Guidance", Slot::Distilled),
    ("RNG", Slot::Noise),
    ("Seed", Slot::Seed),
    ("Size", Slot::Size),
    ("Model", Slot::Model),
    ("Model hash", Slot::ModelHash),
    ("Clip skip", Slot::ClipSkip),
    ("Version", Slot::Version),
    ("Raw prompt", Slot::Prompt),
    ("Raw negative prompt", Slot::Negative),
    // Of one picture of a batch, whose seed is already its own.
    ("Batch size", Slot::Skip),
    ("Batch pos", Slot::Skip),
    ("Lora hashes", Slot::Skip),
    ("Hashes", Slot::Skip),
    ("TI hashes", Slot::Skip),
    ("VAE hash", Slot::Skip),
    ("User", Slot::Skip),
    ("App", Slot::Skip),
    ("Backend", Slot::Skip),
    ("Parser", Slot::Skip),
    ("Pipeline", Slot::Skip),
    ("Operations", Slot::Skip),
    ("Metadata scheme", Slot::Skip),
    ("Created Date", Slot::Skip),
    ("Civitai resources", Slot::Skip),
    ("Civitai metadata", Slot::Skip),
    ("Model type", Slot::Skip),
    ("SDCPP", Slot::Skip),
];
/// One of these makes a line of pairs a line of settings.
const SURE: &[&str] = &["steps", "seed", "sampler", "size", "cfg scale", "model", "model hash"];

/// Reads such a text. `None` where it holds neither settings nor a negative prompt: then it is just a text.
#[must_use]
pub fn infotext(text: &str) -> Option<Restored> {
    let lines: Vec<&str> = text.trim().lines().collect();
    let settings_line = |line: &str| {
        let pairs = pairs(line);
        let sure = |(key, _): &(String, String)| SURE.contains(&key.to_lowercase().as_str());
        (pairs.len() >= 3 && pairs.iter().any(sure)).then_some(pairs)
    };
    let last = lines.len().saturating_sub(1);
    let steps_first = lines.iter().rposition(|line| line.starts_with("Steps: ") && settings_line(line).is_some());
    let at = steps_first.or_else(|| lines.get(last).and_then(|line| settings_line(line)).map(|_| last));
    let found = at.and_then(|at| settings_line(lines[at])).unwrap_or_default();
    let (prompt, negative) = words(&lines[..at.unwrap_or(lines.len())]);
    if found.is_empty() && negative.is_none() {
        return None;
    }

    let value = |key: &str| found.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| &**value);
    let program = program_of(value("Version").unwrap_or_default(), value("App"), value("SDCPP").is_some());
    let mut gather = Gather::new(program);
    gather.text(Slot::Prompt, "prompt", &prompt);
    gather.text(Slot::Negative, "negative", negative.as_deref().unwrap_or_default());
    // Civitai writes FLUX pictures with this sampler, and their distilled guidance under the name of another thing.
    let distilled = value("Sampler") == Some("Undefined");
    for (key, value) in &found {
        match TABLE.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)) {
            Some((_, Slot::Guidance)) if distilled => gather.text(Slot::Distilled, key, value),
            Some((_, slot)) => gather.text(*slot, key, value),
            None => gather.leave(key, value, Why::NotHere),
        }
    }
    // A1111 draws its noise as a graphics card does unless it says otherwise.
    if value("RNG").is_none() && matches!(program, Program::A1111 | Program::Forge) && value("Seed").is_some() {
        gather.text(Slot::Noise, "RNG", "GPU");
    }
    for line in lines.iter().skip(at.map_or(lines.len(), |at| at + 1)).filter(|line| !line.trim().is_empty()) {
        let (key, value) = line.split_once(':').unwrap_or(("text after the settings", line));
        gather.leave(key, value, Why::NotHere);
    }
    gather.done()
}

fn program_of(version: &str, app: Option<&str>, sdcpp: bool) -> Program {
    let second_is_digit = version.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    match version {
        _ if app.is_some_and(|app| app.contains("SD.Next")) => Program::SdNext,
        _ if version.starts_with("Headroom") => Program::Headroom,
        _ if version.starts_with("Fooocus") => Program::Fooocus,
        _ if version.starts_with("ComfyUI") => Program::ComfyUi,
        _ if sdcpp || version.contains("stable-diffusion.cpp") || version.contains("sd.cpp") => {
            Program::StableDiffusionCpp
        }
        _ if version.starts_with('f') && second_is_digit || version.starts_with("neo") => Program::Forge,
        _ => Program::A1111,
    }
}

/// Prompt and negative prompt: everything from the first line that starts so belongs to the latter.
fn words(lines: &[&str]) -> (String, Option<String>) {
    let start = lines.iter().position(|line| line.trim_start().starts_with(NEGATIVE));
    let prompt = lines[..start.unwrap_or(lines.len())].join("\n").trim().to_owned();
    let negative = start.map(|start| {
        let first = lines[start].trim_start().trim_start_matches(NEGATIVE);
        let rest = lines[start + 1..].iter().copied();
        std::iter::once(first).chain(rest).collect::<Vec<_>>().join("\n").trim().to_owned()
    });
    (prompt, negative)
}

/// `key: value` pairs of one line. Values with a separator in them are JSON strings; stable-diffusion.cpp puts a whole
/// JSON object there. A key that stands alone is its own value.
pub(crate) fn pairs(line: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(colon) = rest.find(':') {
        let before = &rest[..colon];
        let mut keys: Vec<&str> = before.split(',').map(str::trim).filter(|key| !key.is_empty()).collect();
        let Some(key) = keys.pop() else { break };
        found.extend(keys.into_iter().filter(|key| is_key(key)).map(|key| (key.to_owned(), key.to_owned())));
        let start = rest[colon + 1..].trim_start();
        let end = value_end(start);
        let raw = start[..end].trim();
        if is_key(key) {
            let text = raw.starts_with('"').then(|| json::parse(raw)).flatten();
            let text = text.as_ref().and_then(json::Value::as_str);
            found.push((key.to_owned(), text.unwrap_or(raw).to_owned()));
        }
        rest = &start[end..];
    }
    found
}

fn is_key(key: &str) -> bool {
    let mut characters = key.chars();
    characters.next().is_some_and(char::is_alphanumeric)
        && key.len() >= 2
        && characters.all(|c| c.is_alphanumeric() || matches!(c, ' ' | '_' | '-' | '/' | '.' | '(' | ')' | '+'))
}

/// Where the value that `text` starts with ends.
fn value_end(text: &str) -> usize {
    let comma = text.find(',').unwrap_or(text.len());
    let first = text.as_bytes().first();
    if !matches!(first, Some(b'"' | b'{')) {
        return comma;
    }
    let (mut depth, mut inside, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => inside = !inside,
            b'{' if !inside => depth += 1,
            b'}' if !inside => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && !inside && at > 0 && matches!(byte, b'"' | b'}') {
            return at + 1;
        }
    }
    // Never closed: it was no quoted value.
    comma
}
