//! `models list`, and what is said of one model.

use super::error::{CliError, Exit};
use super::out;
use crate::hub;
use crate::model::{Component, Family, Inventory};
use crate::recipe::Vocabulary;
use serde::Serialize;

#[derive(Serialize)]
struct ModelJson {
    name: String,
    family: &'static str,
    bytes: u64,
    width: u32,
    height: u32,
    steps: u32,
    guidance: f32,
    components: Vec<ComponentJson>,
}

#[derive(Serialize)]
struct ComponentJson {
    kind: &'static str,
    precision: &'static str,
    parameters: u64,
    bytes: u64,
    blocks: usize,
}

impl ModelJson {
    fn new(model: &Inventory) -> Self {
        let vocabulary = Vocabulary::of(model);
        Self {
            name: model.name.clone(),
            family: family_name(model.family),
            bytes: model.bytes().get(),
            width: model.native.width,
            height: model.native.height,
            steps: vocabulary.steps.default,
            guidance: vocabulary.guidance.default,
            components: model.components().map(ComponentJson::new).collect(),
        }
    }
}

impl ComponentJson {
    fn new(component: &Component) -> Self {
        Self {
            kind: component.kind.name(),
            precision: component.precision.name(),
            parameters: component.parameters,
            bytes: component.bytes().get(),
            blocks: component.blocks.len(),
        }
    }
}

const fn family_name(family: Family) -> &'static str {
    match family {
        Family::Builtin => "builtin",
        Family::ZImageTurbo => "z-image-turbo",
        Family::ZImage => "z-image",
        Family::StableDiffusion1 => "sd1",
        Family::StableDiffusion2 => "sd2",
        Family::StableDiffusionTurbo => "sd-turbo",
        Family::StableDiffusionXl => "sdxl",
        Family::StableDiffusionXlTurbo => "sdxl-turbo",
        Family::StableDiffusionXlRefiner => "sdxl-refiner",
        Family::Flux1Dev => "flux.1-dev",
        Family::Flux1Schnell => "flux.1-schnell",
    }
}

pub(super) fn list(json: bool) -> Result<Exit, CliError> {
    let models = hub::KNOWN.iter().map(|name| hub::open(name).map(|files| files.inventory));
    let models = models.collect::<Result<Vec<_>, _>>().map_err(|error| CliError::open("model", &error))?;
    if json {
        let list: Vec<ModelJson> = models.iter().map(|model| ModelJson::new(model)).collect();
        out::json(&list)?;
    } else {
        for model in models {
            out::result(line(&model))?;
        }
    }
    Ok(Exit::Done)
}

fn line(model: &Inventory) -> String {
    let family = family_name(model.family);
    format!("{:<24}{family:<16}{:>11}  {} native", model.name, model.bytes().to_string(), model.native)
}

/// One model with its components.
pub(super) fn show(model: &Inventory, json: bool) -> Result<Exit, CliError> {
    if json {
        out::json(&ModelJson::new(model))?;
        return Ok(Exit::Done);
    }
    let components = model.components().map(|component| {
        let Component { kind, precision, parameters, blocks, .. } = component;
        let (name, bytes) = (kind.name(), component.bytes().to_string());
        format!("  {name:<14}{bytes:>11}  {}, {parameters} parameters, {} blocks", precision.name(), blocks.len())
    });
    out::result(format_args!("{}\n{}", line(model), components.collect::<Vec<_>>().join("\n")))?;
    Ok(Exit::Done)
}
