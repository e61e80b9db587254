//! The `parameters` text that A1111, and most programs since, write into a picture.
//!
//! Prompt, then a line `Negative prompt: ...`, then one line of `key: value` pairs. Its readers know the negative
//! prompt by how its line starts, so a line of the prompt that starts so is joined to the one before: this text is for
//! others, the exact prompt is in our own chunk.

use crate::recipe::Recipe;
use std::fmt::Write as _;

const NEGATIVE: &str = "Negative prompt:";

/// The text for `recipe`, drawn with the model called `model`.
#[must_use]
pub fn infotext(recipe: &Recipe, model: &str, version: &str) -> String {
    let mut text = foreign_prompt(recipe.prompt());
    if !recipe.negative().is_empty() {
        text.push('\n');
        text.push_str(NEGATIVE);
        text.push(' ');
        text.push_str(&foreign_prompt(recipe.negative()));
    }
    let distilled = recipe.distilled().map(|scale| ("Distilled CFG Scale", scale.to_string()));
    let denoise = recipe.denoise().map(|strength| ("Denoising strength", strength.to_string()));
    let pairs = [
        ("Steps", recipe.steps().to_string()),
        ("Sampler", recipe.sampler().a1111_name().to_owned()),
        ("Schedule type", recipe.schedule().a1111_name().to_owned()),
        ("CFG scale", recipe.guidance().to_string()),
        ("Seed", recipe.seed().to_string()),
        ("Size", recipe.size().to_string()),
        ("Model", model.to_owned()),
        ("RNG", recipe.rng().a1111_name().to_owned()),
        ("Version", format!("Headroom {version}")),
    ];
    let (before, rest) = pairs.split_at(4);
    let (after, last) = rest.split_at(3);
    let all = before.iter().chain(&distilled).chain(after).chain(&denoise).chain(last);
    for (index, (key, value)) in all.enumerate() {
        let separator = if index == 0 { "\n" } else { ", " };
        // Writing to a string cannot fail.
        write!(text, "{separator}{key}: {}", quoted(value)).unwrap_or_default();
    }
    text
}

/// Lines that would read as the start of the negative prompt are joined to their neighbours.
fn foreign_prompt(prompt: &str) -> String {
    let mut text = String::with_capacity(prompt.len());
    for (index, line) in prompt.split('\n').enumerate() {
        let ambiguous = line.trim_start().starts_with(NEGATIVE);
        if index > 0 {
            text.push(if ambiguous { ' ' } else { '\n' });
        }
        if ambiguous && text.trim().is_empty() {
            text.push_str(", ");
        }
        text.push_str(line);
    }
    text
}

/// Values with a separator in them are JSON strings, all others stand as they are.
fn quoted(value: &str) -> String {
    if value.contains([',', ':', '\n']) { serde_json::Value::from(value).to_string() } else { value.to_owned() }
}
