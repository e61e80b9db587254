//! `NovelAI`: `Comment` is JSON, `Description` the prompt, `Source` the model.

use super::{Gather, Program, Restored, Slot, Why, text_of};
use crate::model::json::Value;

const TABLE: &[(&str, Slot)] = &[
    ("prompt", Slot::Prompt),
    ("uc", Slot::Negative),
    ("steps", Slot::Steps),
    ("scale", Slot::Guidance),
    ("seed", Slot::Seed),
    ("width", Slot::Width),
    ("height", Slot::Height),
    ("sampler", Slot::Sampler),
    ("noise_schedule", Slot::Schedule),
];
/// Settings that change the picture and that this program lacks. All other keys are bookkeeping.
const CHANGES: &[&str] = &["cfg_rescale", "strength", "noise", "sm", "sm_dyn", "dynamic_thresholding", "uncond_scale"];

pub(super) fn read(value: &Value, description: Option<&str>, source: Option<&str>) -> Option<Restored> {
    let is_novelai =
        value.get("uc").is_some() || value.get("v4_prompt").is_some() || value.get("request_type").is_some();
    let Value::Object(entries) = value else { return None };
    if !is_novelai {
        return None;
    }
    let mut gather = Gather::new(Program::NovelAi);
    if let Some(description) = description {
        gather.text(Slot::Prompt, "Description", description);
    }
    for (key, value) in entries {
        if let Some((_, slot)) = TABLE.iter().find(|(name, _)| name == key) {
            gather.value(*slot, key, value);
        } else if CHANGES.contains(&key.as_str()) && !matches!(value.as_f64(), Some(0.0 | 1.0)) {
            gather.leave_value(key, value, Why::NotHere);
        }
    }
    for (key, slot) in [("v4_prompt", Slot::Prompt), ("v4_negative_prompt", Slot::Negative)] {
        let Some(caption) = value.get(key).and_then(|prompt| prompt.get("caption")) else { continue };
        if let Some(base) = caption.get("base_caption") {
            gather.value(slot, key, base);
        }
        for part in caption.get("char_captions").and_then(Value::as_array).unwrap_or_default() {
            let words = part.get("char_caption").map(text_of).unwrap_or_default();
            if !words.is_empty() {
                gather.leave("character prompt", &words, Why::NotHere);
            }
        }
    }
    if let Some(source) = source {
        gather.text(Slot::Model, "Source", source);
    }
    gather.done()
}
