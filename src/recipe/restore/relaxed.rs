//! JSON as programs in Python really write it: with `NaN` and `Infinity`, which are no JSON.

use crate::model::json::{self, Value};

/// Reads a JSON text. `NaN` and the infinities become null; a byte order mark and NULs around it are passed over.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let text = text.trim_start_matches('\u{feff}').trim_matches(['\0', ' ', '\n', '\r', '\t']);
    json::parse(text).or_else(|| json::parse(&without_nan(text)))
}

/// The same text with `null` for each bare `NaN`, `Infinity` and `-Infinity` outside of strings.
fn without_nan(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut inside = false;
    while let Some(character) = rest.chars().next() {
        if !inside && let Some(word) = ["NaN", "-Infinity", "Infinity"].into_iter().find(|word| rest.starts_with(word))
        {
            out.push_str("null");
            rest = &rest[word.len()..];
            continue;
        }
        let mut length = character.len_utf8();
        if inside && character == '\\' {
            // The escaped character is no quote that ends the string.
            length += rest[length..].chars().next().map_or(0, char::len_utf8);
        } else if character == '"' {
            inside = !inside;
        }
        out.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    out
}
