//! Command lines: stable-diffusion.cpp, prompts-from-file lines of A1111, mflux, InvokeAI's `Dream`, our own.

use super::{Gather, Program, Restored, Slot, Why, json_settings};

/// What each option means, without its dashes and with `_` as `-`. Short ones differ by case.
const OPTIONS: &[(&str, Slot)] = &[
    ("p", Slot::Prompt),
    ("prompt", Slot::Prompt),
    ("n", Slot::Negative),
    ("negative", Slot::Negative),
    ("negative-prompt", Slot::Negative),
    ("W", Slot::Width),
    ("width", Slot::Width),
    ("H", Slot::Height),
    ("height", Slot::Height),
    ("size", Slot::Size),
    ("steps", Slot::Steps),
    ("cfg-scale", Slot::Guidance),
    ("guidance", Slot::Guidance),
    ("distilled-guidance", Slot::Distilled),
    ("rng", Slot::Noise),
    ("s", Slot::Seed),
    ("seed", Slot::Seed),
    ("b", Slot::Batch),
    ("batch-count", Slot::Batch),
    ("batch", Slot::Batch),
    ("batch-size", Slot::Skip),
    ("n-iter", Slot::Batch),
    ("sampling-method", Slot::Sampler),
    ("sampler", Slot::Sampler),
    ("sampler-name", Slot::Sampler),
    ("scheduler", Slot::Schedule),
    ("schedule", Slot::Schedule),
    ("m", Slot::Model),
    ("model", Slot::Model),
    ("diffusion-model", Slot::Model),
    ("sd-model", Slot::Model),
    ("clip-skip", Slot::ClipSkip),
    ("o", Slot::Skip),
    ("output", Slot::Skip),
    ("t", Slot::Skip),
    ("threads", Slot::Skip),
    ("M", Slot::Skip),
    ("mode", Slot::Skip),
    ("preview", Slot::Skip),
    ("backend", Slot::Skip),
];
/// InvokeAI's own short options, on lines that start with the prompt in quotes.
const DREAM: &[(&str, Slot)] = &[
    ("s", Slot::Steps),
    ("S", Slot::Seed),
    ("W", Slot::Width),
    ("H", Slot::Height),
    ("C", Slot::Guidance),
    ("A", Slot::Sampler),
    ("n", Slot::Skip),
    ("U", Slot::Skip),
    ("G", Slot::Skip),
];
/// Options that take no value: what follows them is the next option.
const SWITCHES: &[&str] = &[
    "v",
    "verbose",
    "fa",
    "diffusion-fa",
    "vae-tiling",
    "vae-on-cpu",
    "clip-on-cpu",
    "offload-to-cpu",
    "color",
    "force",
    "json",
    "canny",
    "g",
    "do-not-save-grid",
    "do-not-save-samples",
    "restore-faces",
    "tiling",
    "metadata",
    "low-ram",
    "control-net-cpu",
    "normalize-input",
    "chroma-disable-dit-mask",
];

/// Reads a command line: something with a prompt and at least one more option. `None` for any other text.
#[must_use]
pub fn command_line(text: &str) -> Option<Restored> {
    // Cheap first: prompts are long, and few hold an option.
    if !text.contains(" -") && !text.starts_with('-') {
        return None;
    }
    let words = words(text)?;
    let dream = text.trim_start().starts_with('"') && words.get(1).is_some_and(|word| word.starts_with('-'));
    let table = if dream { DREAM } else { OPTIONS };
    let mut gather = Gather::new(if dream { Program::InvokeAi } else { Program::CommandLine });
    if let Some(prompt) = words.first().filter(|_| dream) {
        let (prompt, negative) = json_settings::out_of_brackets(prompt);
        gather.text(Slot::Prompt, "prompt", &prompt);
        gather.text(Slot::Negative, "prompt", &negative);
    }
    let mut options = 0;
    let mut rest = words.iter().map(String::as_str).peekable();
    while let Some(word) = rest.next() {
        let Some((name, inline)) = option(word) else { continue };
        let value = match inline {
            Some(value) => Some(value.to_owned()),
            None if SWITCHES.contains(&name.as_str()) => None,
            None => rest.next_if(|next| option(next).is_none()).map(str::to_owned),
        };
        let value = value.unwrap_or_default();
        match table.iter().find(|(known, _)| *known == name) {
            Some((_, slot)) => {
                options += 1;
                gather.text(*slot, word, &value);
            }
            None if SWITCHES.contains(&name.as_str()) => {}
            None => gather.leave(&name, &value, Why::NotHere),
        }
    }
    let has_prompt = gather.restored.settings.prompt.as_ref().is_some_and(|prompt| !prompt.is_empty());
    (has_prompt && options >= if dream { 1 } else { 2 }).then(|| gather.done()).flatten()
}

/// The name of an option, with the value where it is written as `--name=value`.
fn option(word: &str) -> Option<(String, Option<&str>)> {
    let body = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    if !body.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let (name, value) = body.split_once('=').map_or((body, None), |(name, value)| (name, Some(value)));
    let long = word.starts_with("--");
    let plain = name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    // `-p` is an option, `-like` in a prompt is none; InvokeAI glues numbers to the letter: `-S123`.
    if !plain || !long && name.len() > 2 && !name[1..].chars().all(|c| c.is_ascii_digit()) && name != "fa" {
        return None;
    }
    if !long && name.len() > 1 && name[1..].chars().all(|c| c.is_ascii_digit()) {
        return Some((name[..1].to_owned(), Some(&name[1..])));
    }
    Some((name.replace('_', "-"), value))
}

/// Words as a shell splits them: quotes, escapes, and lines continued with `\`, `^` or a backtick. `None` where a quote
/// is never closed.
fn words(text: &str) -> Option<Vec<String>> {
    let joined = text.replace("\r\n", "\n").replace("\\\n", " ").replace("^\n", " ").replace("`\n", " ");
    let mut words = Vec::new();
    let (mut word, mut open, mut quote) = (String::new(), false, None);
    let mut characters = joined.chars().peekable();
    while let Some(c) = characters.next() {
        match (quote, c) {
            (Some(end), c) if c == end => quote = None,
            // Inside double quotes only these are escaped; a Windows path keeps its backslashes.
            (Some('"'), '\\') if matches!(characters.peek(), Some('"' | '\\')) => word.extend(characters.next()),
            (None, '"' | '\'') => (quote, open) = (Some(c), true),
            (None, c) if c.is_whitespace() => {
                if open || !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                open = false;
            }
            (_, c) => word.push(c),
        }
    }
    if open || !word.is_empty() {
        words.push(word);
    }
    quote.is_none().then_some(words)
}
