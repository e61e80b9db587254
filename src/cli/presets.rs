//! `presets`: settings under a name; and settings that come out of files for `--from`, `--preset` and `inspect`.

use super::args::{PresetsExportArgs, PresetsImportArgs};
use super::error::{CliError, Exit};
use super::{out, request};
use crate::hub;
use crate::recipe::preset::Preset;
use crate::recipe::restore::{Left, Restored, Why, bare_model_name};
use crate::store::{self, Import, PresetSource, StoreError, StoredPreset, Trouble};
use serde::Serialize;
use std::path::Path;

#[derive(Serialize)]
struct PresetJson<'a> {
    name: &'a str,
    description: &'a str,
    prompt: Option<&'a str>,
    negative: Option<&'a str>,
    words: &'static str,
    /// Settings beside the words.
    settings: usize,
    /// `null` for those that come with the program.
    file: Option<String>,
}

pub(super) fn list(json: bool) -> Result<Exit, CliError> {
    let presets = all();
    if json {
        let list: Vec<_> = presets.iter().map(|stored| preset_json(&stored.preset, Some(&stored.source))).collect();
        out::json(&list)?;
    } else {
        let lines = presets.iter().map(|StoredPreset { preset, .. }| {
            let words = preset.settings.prompt.as_deref().unwrap_or("(settings only)");
            format!("{:<28} {}", preset.name, words.replace('\n', " "))
        });
        out::result(lines.collect::<Vec<_>>().join("\n"))?;
    }
    Ok(Exit::Done)
}

fn preset_json<'a>(preset: &'a Preset, source: Option<&PresetSource>) -> PresetJson<'a> {
    let file = match source {
        Some(PresetSource::File(path)) => Some(path.to_string_lossy().into_owned()),
        _ => None,
    };
    let settings = &preset.settings;
    let words = [&settings.prompt, &settings.negative].into_iter().flatten().count();
    PresetJson {
        name: &preset.name,
        description: &preset.description,
        prompt: settings.prompt.as_deref(),
        negative: settings.negative.as_deref(),
        words: preset.words.name(),
        settings: settings.count() - words,
        file,
    }
}

/// All presets; files that cannot be read are noted.
fn all() -> Vec<StoredPreset> {
    let (presets, bad) = store::list_presets(&store::presets_folder());
    for error in bad {
        out::note(error);
    }
    presets
}

/// The preset of a name, letters' case aside.
pub(super) fn find(name: &str) -> Result<Preset, CliError> {
    let presets = all();
    let found = presets.iter().find(|stored| stored.preset.name.eq_ignore_ascii_case(name.trim()));
    let names: Vec<&str> = presets.iter().map(|stored| stored.preset.name.as_str()).collect();
    found.map(|stored| stored.preset.clone()).ok_or_else(|| request::unknown("preset", name, &names))
}

#[derive(Serialize)]
struct ImportJson {
    file: String,
    kind: &'static str,
    presets: Vec<String>,
    left: Vec<LeftJson>,
}

#[derive(Serialize)]
pub(super) struct LeftJson {
    what: String,
    value: String,
    why: &'static str,
}

impl From<&Left> for LeftJson {
    fn from(left: &Left) -> Self {
        let why = match left.why {
            Why::NotHere => "not_here",
            Why::UnknownValue => "unknown_value",
            Why::Unreadable => "unreadable",
        };
        Self { what: left.what.clone(), value: left.value.clone(), why }
    }
}

/// What was not taken over, a line each.
pub(super) fn left_lines(left: &[Left]) -> Vec<String> {
    let line = |left: &Left| {
        let why = match left.why {
            Why::NotHere => "there is no such setting here",
            Why::UnknownValue => "this value is not known",
            Why::Unreadable => "it cannot be read",
        };
        format!("not taken: {} = {}: {why}", left.what, left.value)
    };
    left.iter().map(line).collect()
}

pub(super) fn import(arguments: &PresetsImportArgs) -> Result<Exit, CliError> {
    let mut results = Vec::new();
    for file in &arguments.files {
        let result = import_one(file)?;
        if !arguments.json {
            let taken = format!("{}: {}, {} taken", file.display(), result.kind, result.presets.len());
            let names = result.presets.iter().map(|name| format!("  {name}"));
            let left = result.left.iter().map(|left| format!("  not taken: {} = {}", left.what, left.value));
            out::result(std::iter::once(taken).chain(names).chain(left).collect::<Vec<_>>().join("\n"))?;
        }
        results.push(result);
    }
    if arguments.json {
        out::json(&results)?;
    }
    Ok(Exit::Done)
}

fn import_one(file: &Path) -> Result<ImportJson, CliError> {
    let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let (kind, presets, left) = match store::import_file(file).map_err(|error| bad(&error))? {
        Import::Presets(imported) => (imported.format.name(), imported.presets, imported.left),
        Import::Settings { restored, .. } => {
            (restored.program.name(), vec![Preset::from_restored(&name, &restored)], restored.left)
        }
        Import::Wildcards { name, entries } => {
            let kept =
                store::save_wildcards(&store::wildcards_folder(), &name, &entries).map_err(|error| write(&error))?;
            let name = kept.file_stem().unwrap_or_default().to_string_lossy();
            let presets = vec![format!("__{name}__ ({} entries)", entries.len())];
            return Ok(ImportJson { file: display(file), kind: "wildcards", presets, left: Vec::new() });
        }
        Import::Picture { .. } => return Err(nothing(file, "the picture carries no settings")),
        Import::Weights => return Err(nothing(file, "these are weights of a model: use `--model`")),
        Import::Unknown => return Err(nothing(file, "it is of no kind that is known")),
    };
    let folder = store::presets_folder();
    for preset in &presets {
        store::save_preset(&folder, preset, false).map_err(|error| write(&error))?;
    }
    Ok(ImportJson {
        file: display(file),
        kind,
        presets: presets.into_iter().map(|preset| preset.name).collect(),
        left: left.iter().map(LeftJson::from).collect(),
    })
}

fn display(file: &Path) -> String {
    file.to_string_lossy().into_owned()
}

fn bad(error: &StoreError) -> CliError {
    CliError::new(Exit::BadFile, format!("cannot import: {error}")).hint(error.hint())
}

fn write(error: &StoreError) -> CliError {
    CliError::new(Exit::Other, format!("cannot write the preset: {error}")).hint(error.hint())
}

fn nothing(file: &Path, why: &str) -> CliError {
    bad(&StoreError::new(Trouble::NotPreset(why.to_owned()), file))
}

pub(super) fn export(arguments: &PresetsExportArgs) -> Result<Exit, CliError> {
    let presets = arguments.names.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?;
    store::write_presets(&arguments.output, &presets).map_err(|error| write(&error))?;
    out::result(arguments.output.display())?;
    Ok(Exit::Done)
}

/// The settings of a picture or text for `--from`. What is not taken is noted, and so is another model than `model`.
pub(super) fn settings_of(file: &Path, model: &str) -> Result<Restored, CliError> {
    let import = store::import_file(file).map_err(|error| bad(&error))?;
    let Import::Settings { restored, .. } = import else {
        let error = StoreError::new(Trouble::NoRecipe, file);
        return Err(CliError::new(Exit::BadFile, format!("cannot take settings: {error}")).hint(error.hint()));
    };
    for line in left_lines(&restored.left) {
        out::note(line);
    }
    if let Some(mention) = &restored.model
        && !mention.name.is_empty()
        && !bare_model_name(model).eq_ignore_ascii_case(&mention.name)
    {
        let how = if model == hub::BUILTIN { "; choose it with `--model` where you have it" } else { "" };
        out::note(format_args!("it was made with the model `{}`, not with `{model}`{how}", mention.name));
    }
    Ok(*restored)
}
