//! Programs that keep their settings as JSON: a table each says what their keys mean.

use super::{Gather, Program, Restored, Slot, Why, text_of};
use crate::model::json::Value;

const INVOKE: &[(&str, Slot)] = &[
    ("positive_prompt", Slot::Prompt),
    ("negative_prompt", Slot::Negative),
    ("width", Slot::Width),
    ("height", Slot::Height),
    ("seed", Slot::Seed),
    ("cfg_scale", Slot::Guidance),
    ("guidance", Slot::Distilled),
    ("rand_device", Slot::Noise),
    ("steps", Slot::Steps),
    ("scheduler", Slot::Sampler),
    ("clip_skip", Slot::ClipSkip),
    ("app_version", Slot::Version),
    ("metadata_version", Slot::Skip),
    ("positive_style_prompt", Slot::Skip),
    ("negative_style_prompt", Slot::Skip),
    ("canvas_v2_metadata", Slot::Skip),
    ("imageDTO", Slot::Skip),
];

/// InvokeAI, version 3 and later.
pub(super) fn invoke(value: &Value) -> Option<Restored> {
    let value = value.get("invokeai_metadata").unwrap_or(value);
    let mut gather = Gather::new(Program::InvokeAi);
    let Value::Object(entries) = value else { return None };
    for (key, value) in entries {
        match key.as_str() {
            "model" => model(&mut gather, value),
            "loras" => loras(&mut gather, value),
            "generation_mode" => {
                let mode = text_of(value);
                if !mode.ends_with("txt2img") {
                    gather.leave(key, &mode, Why::NotHere);
                }
            }
            "vae" => gather.leave_value(key, value.get("name").unwrap_or(value), Why::NotHere),
            _ => match INVOKE.iter().find(|(name, _)| name == key) {
                Some((_, slot)) => gather.value(*slot, key, value),
                None if is_off(value) => {}
                None => gather.leave_value(key, value, Why::NotHere),
            },
        }
    }
    gather.done()
}

/// A model in one of the shapes that InvokeAI had: a name, or an object with name and hash.
fn model(gather: &mut Gather, value: &Value) {
    let name = ["name", "model_name", "key"].into_iter().find_map(|key| value.get(key)).unwrap_or(value);
    gather.value(Slot::Model, "model", name);
    if let Some(hash) = value.get("hash") {
        gather.value(Slot::ModelHash, "hash", hash);
    }
}

/// `LoRA name 0.8` for each, whatever shape the list has.
fn loras(gather: &mut Gather, value: &Value) {
    for item in value.as_array().unwrap_or_default() {
        let (name, weight) = if let Value::Array(parts) = item {
            match parts.as_slice() {
                [Value::Bool(false), ..] => continue,
                [Value::Bool(true), name, weight, ..] | [name, weight, ..] => (Some(name), Some(weight)),
                _ => (None, None),
            }
        } else {
            let inner = item.get("model").or_else(|| item.get("lora")).unwrap_or(item);
            let keys = ["name", "model_name", "file", "key"];
            let name = keys.into_iter().find_map(|key| inner.get(key).or_else(|| item.get(key)));
            (Some(name.unwrap_or(inner)), item.get("weight").or_else(|| item.get("strength")))
        };
        let Some(name) = name.map(text_of).filter(|name| !name.is_empty() && name != "None") else { continue };
        gather.leave("LoRA", format!("{name} {}", weight.map(text_of).unwrap_or_default()).trim(), Why::NotHere);
    }
}

/// A number that switches something off.
fn is_off(value: &Value) -> bool {
    value.as_f64() == Some(0.0)
}

/// InvokeAI 2: `sd-metadata`, the negative prompt in square brackets inside the prompt.
pub(super) fn invoke_old(value: &Value) -> Option<Restored> {
    let value = value.get("sd-metadata").unwrap_or(value);
    let image = value.get("image")?;
    let mut gather = Gather::new(Program::InvokeAi);
    for (key, slot) in [("app_version", Slot::Version), ("model_weights", Slot::Model), ("model_hash", Slot::ModelHash)]
    {
        if let Some(value) = value.get(key) {
            gather.value(slot, key, value);
        }
    }
    let Value::Object(entries) = image else { return None };
    for (key, value) in entries {
        match key.as_str() {
            "prompt" => {
                let parts = value.as_array().unwrap_or(std::slice::from_ref(value));
                let parts = parts.iter().map(|part| text_of(part.get("prompt").unwrap_or(part)));
                let (prompt, negative) = out_of_brackets(&parts.collect::<Vec<_>>().join(" "));
                gather.text(Slot::Prompt, key, &prompt);
                gather.text(Slot::Negative, key, &negative);
            }
            "sampler" => gather.value(Slot::Sampler, key, value),
            "type" if value.as_str() != Some("txt2img") => gather.leave_value(key, value, Why::NotHere),
            "type" | "variations" | "postprocessing" => {}
            _ => match INVOKE.iter().find(|(name, _)| name == key) {
                Some((_, slot)) => gather.value(*slot, key, value),
                None if is_off(value) => {}
                None => gather.leave_value(key, value, Why::NotHere),
            },
        }
    }
    gather.done()
}

/// `a fox [blurry] in snow [text]` is the prompt `a fox in snow` without `blurry text`.
pub(super) fn out_of_brackets(text: &str) -> (String, String) {
    let (mut prompt, mut negative) = (String::new(), Vec::new());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('[') {
        let Some((inside, behind)) = after.split_once(']') else { break };
        prompt.push_str(before.trim_end());
        if !behind.trim_start().is_empty() && !prompt.is_empty() {
            prompt.push(' ');
        }
        negative.push(inside.trim());
        rest = behind.trim_start();
    }
    prompt.push_str(rest);
    (prompt, negative.join(" "))
}

pub(crate) const SWARM: &[(&str, Slot)] = &[
    ("prompt", Slot::Prompt),
    ("negativeprompt", Slot::Negative),
    ("model", Slot::Model),
    ("seed", Slot::Seed),
    ("steps", Slot::Steps),
    ("cfgscale", Slot::Guidance),
    ("fluxguidancescale", Slot::Distilled),
    ("width", Slot::Width),
    ("height", Slot::Height),
    ("sampler", Slot::Sampler),
    ("scheduler", Slot::Schedule),
    ("comfyuisampler", Slot::Sampler),
    ("comfyuischeduler", Slot::Schedule),
    ("clipstopatlayer", Slot::ClipSkip),
    ("swarm_version", Slot::Version),
    ("images", Slot::Skip),
    ("batchsize", Slot::Skip),
    ("aspectratio", Slot::Skip),
    ("sidelength", Slot::Skip),
    ("nopreviews", Slot::Skip),
    ("donotsave", Slot::Skip),
    ("wildcardseed", Slot::Skip),
    ("imageformat", Slot::Skip),
    ("automaticvae", Slot::Skip),
    ("date", Slot::Skip),
    ("generation_time", Slot::Skip),
    ("original_prompt", Slot::Skip),
    ("used_wildcards", Slot::Skip),
    ("used_embeddings", Slot::Skip),
    ("personalnote", Slot::Skip),
];

/// `SwarmUI`: the `parameters` chunk is JSON there.
pub(super) fn swarm(value: &Value) -> Option<Restored> {
    let params = value.get("sui_image_params")?;
    let mut gather = Gather::new(Program::SwarmUi);
    gather.object(params, SWARM);
    let listed = value.get("sui_models").and_then(Value::as_array).unwrap_or_default();
    let main = listed.iter().find(|model| model.get("param").and_then(Value::as_str) == Some("model"));
    if let Some(hash) = main.and_then(|model| model.get("hash")).and_then(Value::as_str) {
        // Swarm's is the AutoV3 kind, without the header of the file, and says so by its 0x.
        if !hash.starts_with("0x") {
            gather.text(Slot::ModelHash, "hash", hash);
        }
    }
    gather.done()
}

const FOOOCUS: &[(&str, Slot)] = &[
    ("prompt", Slot::Prompt),
    ("negative_prompt", Slot::Negative),
    ("Negative Prompt", Slot::Negative),
    ("resolution", Slot::Size),
    ("steps", Slot::Steps),
    ("guidance_scale", Slot::Guidance),
    ("Guidance Scale", Slot::Guidance),
    ("seed", Slot::Seed),
    ("sampler", Slot::Sampler),
    ("scheduler", Slot::Schedule),
    ("base_model", Slot::Model),
    ("Base Model", Slot::Model),
    ("base_model_hash", Slot::ModelHash),
    ("clip_skip", Slot::ClipSkip),
    ("version", Slot::Version),
    ("full_prompt", Slot::Skip),
    ("full_negative_prompt", Slot::Skip),
    ("refiner_switch", Slot::Skip),
    ("created_by", Slot::Skip),
    ("metadata_scheme", Slot::Skip),
];

/// Fooocus' own scheme. Its styles are named, not spelled out: they are listed, and so is what else it adds by itself.
pub(super) fn fooocus(value: &Value) -> Option<Restored> {
    let Value::Object(entries) = value else { return None };
    let mut gather = Gather::new(Program::Fooocus);
    let mut rest = Vec::new();
    for (key, value) in entries {
        match key.as_str() {
            "loras" => loras(&mut gather, value),
            "vae" if value.as_str().is_some_and(|vae| vae.starts_with("Default")) => {}
            _ => rest.push((key.clone(), value.clone())),
        }
    }
    gather.object(&Value::Object(rest), FOOOCUS);
    gather.done()
}

/// Draw Things names its samplers by number.
const DRAW_THINGS_SAMPLERS: &[&str] = &[
    "DPM++ 2M Karras",
    "Euler a",
    "DDIM",
    "PLMS",
    "DPM++ SDE Karras",
    "UniPC",
    "LCM",
    "Euler A Substep",
    "DPM++ SDE Substep",
    "TCD",
    "Euler A Trailing",
    "DPM++ SDE Trailing",
    "DPM++ 2M AYS",
    "Euler A AYS",
    "DPM++ SDE AYS",
    "DPM++ 2M Trailing",
    "DDIM Trailing",
    "UniPC Trailing",
    "UniPC AYS",
    "TCD Trailing",
];

/// The name of a Draw Things sampler, given by number or by name.
pub(crate) fn draw_things_sampler(value: &Value) -> String {
    let number = value.as_usize().and_then(|number| DRAW_THINGS_SAMPLERS.get(number));
    number.map_or_else(|| text_of(value), |name| (*name).to_owned())
}

/// Both the camelCase of its configurations and the short keys of its pictures.
pub(crate) const DRAW_THINGS: &[(&str, Slot)] = &[
    ("c", Slot::Prompt),
    ("uc", Slot::Negative),
    ("width", Slot::Width),
    ("height", Slot::Height),
    ("size", Slot::Size),
    ("seed", Slot::Seed),
    ("steps", Slot::Steps),
    ("scale", Slot::Guidance),
    ("guidanceScale", Slot::Guidance),
    ("model", Slot::Model),
    ("batchSize", Slot::Batch),
    ("clipSkip", Slot::ClipSkip),
    ("batchCount", Slot::Skip),
    ("seedMode", Slot::Skip),
    ("seed_mode", Slot::Skip),
    ("v2", Slot::Skip),
    ("profile", Slot::Skip),
    ("original_width", Slot::Skip),
    ("original_height", Slot::Skip),
    ("originalImageWidth", Slot::Skip),
    ("originalImageHeight", Slot::Skip),
    ("targetImageWidth", Slot::Skip),
    ("targetImageHeight", Slot::Skip),
    ("negativeOriginalImageWidth", Slot::Skip),
    ("negativeOriginalImageHeight", Slot::Skip),
    ("cropTop", Slot::Skip),
    ("cropLeft", Slot::Skip),
    ("hiresFixWidth", Slot::Skip),
    ("hiresFixHeight", Slot::Skip),
    ("maskBlur", Slot::Skip),
    ("maskBlurOutset", Slot::Skip),
    ("preserveOriginalAfterInpaint", Slot::Skip),
];

/// Draw Things: JSON inside the XMP packet.
pub(super) fn draw_things(value: &Value) -> Option<Restored> {
    let Value::Object(entries) = value else { return None };
    let mut gather = Gather::new(Program::DrawThings);
    let mut rest = Vec::new();
    for (key, value) in entries {
        match key.as_str() {
            "sampler" => gather.text(Slot::Sampler, key, &draw_things_sampler(value)),
            "lora" | "loras" => draw_things_loras(&mut gather, value),
            // All of the noise: text to image.
            "strength" if value.as_f64() == Some(1.0) => {}
            _ => rest.push((key.clone(), value.clone())),
        }
    }
    gather.object(&Value::Object(rest), DRAW_THINGS);
    gather.done()
}

pub(crate) fn draw_things_loras(gather: &mut Gather, value: &Value) {
    for item in value.as_array().unwrap_or_default() {
        let name = item.get("file").or_else(|| item.get("model")).map(text_of).unwrap_or_default();
        let weight = item.get("weight").map(text_of).unwrap_or_default();
        gather.leave("LoRA", format!("{name} {weight}").trim(), Why::NotHere);
    }
}

/// Names that JSON of no known program uses for the same few things.
const PLAIN: &[(&str, Slot)] = &[
    ("prompt", Slot::Prompt),
    ("positive_prompt", Slot::Prompt),
    ("negative_prompt", Slot::Negative),
    ("negativePrompt", Slot::Negative),
    ("negative", Slot::Negative),
    ("width", Slot::Width),
    ("height", Slot::Height),
    ("size", Slot::Size),
    ("steps", Slot::Steps),
    ("num_inference_steps", Slot::Steps),
    ("guidance", Slot::Guidance),
    ("guidance_scale", Slot::Guidance),
    ("cfg_scale", Slot::Guidance),
    ("cfg", Slot::Guidance),
    ("seed", Slot::Seed),
    ("sampler", Slot::Sampler),
    ("sampler_name", Slot::Sampler),
    ("scheduler", Slot::Schedule),
    ("schedule", Slot::Schedule),
    ("model", Slot::Model),
    ("model_id", Slot::Model),
    ("model_name", Slot::Model),
    ("model_hash", Slot::ModelHash),
    ("version", Slot::Version),
    ("batch_size", Slot::Skip),
    ("created_at", Slot::Skip),
    ("timestamp", Slot::Skip),
    ("date", Slot::Skip),
];

/// JSON with a prompt and at least one number that a picture is made with.
pub(super) fn plain(value: &Value, program: Program) -> Option<Restored> {
    let prompt = value.get("prompt").or_else(|| value.get("positive_prompt"))?;
    prompt.as_str()?;
    let mut gather = Gather::new(program);
    gather.object(value, PLAIN);
    let settings = &gather.restored.settings;
    let made_with = settings.steps.is_some() || settings.seed.is_some() || settings.width.is_some();
    made_with.then(|| gather.done()).flatten()
}
