//! Our own preset files, the ones that come with the program, and the folders of presets and wildcards.
//!
//! A file is TOML with `headroom_preset = 1` and one or more `[[preset]]` tables; the README describes it. Every key but
//! the name may be left out.

use super::atomic;
use super::error::{StoreError, Trouble};
use super::folders::data_folder;
use crate::recipe::preset::{Format, Imported, Preset, Words};
use crate::recipe::restore::{Left, Why, decode_text};
use crate::recipe::{Partial, Rng, Sampler, Schedule, wildcards};
use crate::units::PixelSize;
use serde::{Deserialize, Serialize};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The format that is written.
const FORMAT: i64 = 1;
/// Largest file of wildcards or presets that is read.
const MAX_FILE: u64 = 32 << 20;
/// Longest name of a file, in bytes, before its ending.
const MAX_NAME: usize = 80;

const STARTERS: &[&str] = &[
    include_str!("../../assets/presets/01-plain-white.toml"),
    include_str!("../../assets/presets/02-sticker.toml"),
    include_str!("../../assets/presets/03-glossy-toy.toml"),
    include_str!("../../assets/presets/04-cartoon.toml"),
    include_str!("../../assets/presets/05-night.toml"),
    include_str!("../../assets/presets/06-sunny.toml"),
    include_str!("../../assets/presets/07-tiny.toml"),
    include_str!("../../assets/presets/08-big.toml"),
    include_str!("../../assets/presets/09-red-apple.toml"),
    include_str!("../../assets/presets/10-fox-in-green.toml"),
    include_str!("../../assets/presets/11-small-house.toml"),
    include_str!("../../assets/presets/12-quick-draft.toml"),
];

#[derive(Serialize, Deserialize)]
struct File {
    headroom_preset: i64,
    #[serde(default)]
    preset: Vec<Table>,
}

#[derive(Serialize, Deserialize, Default)]
struct Table {
    name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    words: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    negative: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    steps: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    guidance: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    distilled: Option<f64>,
    /// As text: TOML has no number beyond 2^63.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seed: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    batch: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sampler: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schedule: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    rng: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(flatten)]
    others: toml::Table,
}

/// Where a preset that is here came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PresetSource {
    /// Came with the program.
    BuiltIn,
    File(PathBuf),
}

#[derive(Clone, Debug, PartialEq)]
pub struct StoredPreset {
    pub preset: Preset,
    pub source: PresetSource,
}

/// The folder of the user's presets.
#[must_use]
pub fn presets_folder() -> PathBuf {
    data_folder().join("presets")
}

/// The folder of wildcard lists: `animals.txt` is `__animals__`.
#[must_use]
pub fn wildcards_folder() -> PathBuf {
    data_folder().join("wildcards")
}

/// Presets of one of our own files. `None` for any other text.
#[must_use]
pub fn from_toml(text: &str) -> Option<Imported> {
    // Cheap first: most texts that are asked for are prompts.
    if !text.contains("headroom_preset") {
        return None;
    }
    let file: File = toml::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let mut imported = Imported { format: Format::Own, presets: Vec::new(), left: Vec::new() };
    for table in file.preset {
        let preset = preset(table, &mut imported.left);
        imported.presets.push(preset);
    }
    Some(imported)
}

/// The text of a file with these presets.
///
/// # Errors
/// Where TOML cannot say it, which no preset is known to bring about.
pub fn to_toml(presets: &[Preset]) -> Result<String, Trouble> {
    let file = File { headroom_preset: FORMAT, preset: presets.iter().map(Table::from).collect() };
    toml::to_string(&file).map_err(|error| Trouble::Other(error.to_string()))
}

fn preset(table: Table, left: &mut Vec<Left>) -> Preset {
    let name = table.name;
    let mut leave = |what: &str, value: String, why: Why| {
        left.push(Left { what: format!("{name}: {what}"), value, why });
    };
    let mut settings = Partial {
        prompt: table.prompt,
        negative: table.negative,
        steps: table.steps,
        guidance: table.guidance,
        distilled: table.distilled,
        batch: table.batch,
        ..Partial::default()
    };
    if let Some(size) = table.size {
        match PixelSize::parse(&size) {
            Some((width, height)) => (settings.width, settings.height) = (Some(width), Some(height)),
            None => leave("size", size, Why::Unreadable),
        }
    }
    if let Some(seed) = table.seed {
        settings.seed = seed.parse().ok();
        if settings.seed.is_none() {
            leave("seed", seed, Why::Unreadable);
        }
    }
    if let Some(sampler) = table.sampler {
        settings.sampler = Sampler::from_name(&sampler);
        if settings.sampler.is_none() {
            leave("sampler", sampler, Why::UnknownValue);
        }
    }
    if let Some(schedule) = table.schedule {
        settings.schedule = Schedule::from_name(&schedule);
        if settings.schedule.is_none() {
            leave("schedule", schedule, Why::UnknownValue);
        }
    }
    if let Some(rng) = table.rng {
        settings.rng = Rng::from_name(&rng);
        if settings.rng.is_none() {
            leave("rng", rng, Why::UnknownValue);
        }
    }
    let words = table.words.as_deref().and_then(Words::from_name);
    if let (None, Some(other)) = (words, table.words) {
        leave("words", other, Why::UnknownValue);
    }
    for (key, value) in table.others {
        leave(&key, value.to_string(), Why::NotHere);
    }
    Preset { name, description: table.description, words: words.unwrap_or_default(), settings, model: table.model }
}

impl From<&Preset> for Table {
    fn from(preset: &Preset) -> Self {
        let Preset { name, description, words, settings, model } = preset;
        let size = settings.width.zip(settings.height).map(|(width, height)| format!("{width}x{height}"));
        Self {
            name: name.clone(),
            description: description.clone(),
            words: (*words != Words::default()).then(|| words.name().to_owned()),
            prompt: settings.prompt.clone(),
            negative: settings.negative.clone(),
            size,
            steps: settings.steps,
            guidance: settings.guidance,
            distilled: settings.distilled,
            seed: settings.seed.map(|seed| seed.to_string()),
            batch: settings.batch,
            sampler: settings.sampler.map(|sampler| sampler.name().to_owned()),
            schedule: settings.schedule.map(|schedule| schedule.name().to_owned()),
            rng: settings.rng.map(|rng| rng.name().to_owned()),
            model: model.clone(),
            others: toml::Table::new(),
        }
    }
}

/// The presets that come with the program.
#[must_use]
pub fn starters() -> Vec<Preset> {
    STARTERS.iter().filter_map(|text| from_toml(text)).flat_map(|imported| imported.presets).collect()
}

/// All presets: those of the folder by name, then those of the program. A file that cannot be read does not hide the
/// others; it comes back in the second list.
#[must_use]
pub fn list_presets(folder: &Path) -> (Vec<StoredPreset>, Vec<StoreError>) {
    let (mut presets, mut bad) = (Vec::new(), Vec::new());
    for path in files(folder, "toml") {
        match read(&path) {
            Ok(text) => match from_toml(&text) {
                Some(imported) => presets.extend(
                    imported
                        .presets
                        .into_iter()
                        .map(|preset| StoredPreset { preset, source: PresetSource::File(path.clone()) }),
                ),
                None => bad.push(StoreError::new(Trouble::NotPreset("it is no preset file".to_owned()), &path)),
            },
            Err(error) => bad.push(error),
        }
    }
    presets.sort_by_key(|stored| stored.preset.name.to_lowercase());
    presets.extend(starters().into_iter().map(|preset| StoredPreset { preset, source: PresetSource::BuiltIn }));
    (presets, bad)
}

/// Writes a preset into the folder, as a file of its own. One of the same name is replaced with `replace`; else the file
/// gets a number. Returns where it is.
///
/// # Errors
/// What stands in the way.
pub fn save_preset(folder: &Path, preset: &Preset, replace: bool) -> Result<PathBuf, StoreError> {
    let text = to_toml(std::slice::from_ref(preset)).map_err(|trouble| StoreError::new(trouble, folder))?;
    std::fs::create_dir_all(folder).map_err(|error| StoreError::io(&error, folder))?;
    let name = file_name(&preset.name);
    let mut pending = atomic::write(folder, &mut |writer| writer.write_all(text.as_bytes()))?;
    let mut path = folder.join(format!("{name}.toml"));
    if replace {
        pending.replace(&path)?;
        return Ok(path);
    }
    for number in 2_u32.. {
        match pending.claim(&path)? {
            None => break,
            Some(back) => pending = back,
        }
        path = folder.join(format!("{name} ({number}).toml"));
    }
    Ok(path)
}

/// Takes a preset out of the folder: exactly its file, or its table where others share the file.
///
/// # Errors
/// What stands in the way.
pub fn remove_preset(path: &Path, name: &str) -> Result<(), StoreError> {
    let shared = read(path).ok().and_then(|text| from_toml(&text)).map(|imported| imported.presets).unwrap_or_default();
    let others: Vec<Preset> = shared.into_iter().filter(|preset| preset.name != name).collect();
    if others.is_empty() {
        return std::fs::remove_file(path).map_err(|error| StoreError::io(&error, path));
    }
    write_presets(path, &others)
}

/// Writes presets into one file, replacing what has the name: to be handed on.
///
/// # Errors
/// What stands in the way.
pub fn write_presets(path: &Path, presets: &[Preset]) -> Result<(), StoreError> {
    let text = to_toml(presets).map_err(|trouble| StoreError::new(trouble, path))?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    atomic::write(folder, &mut |writer| writer.write_all(text.as_bytes()))?.replace(path)
}

/// The entries of a list of wildcards, whatever its text is encoded in. `None` where there is no such list.
#[must_use]
pub fn wildcard_list(folder: &Path, name: &str) -> Option<Vec<String>> {
    // A name never leads out of the folder.
    let inside = Path::new(name).components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let mut path = folder.join(name);
    path.as_mut_os_string().push(".txt");
    let text = inside.then(|| read(&path).ok()).flatten()?;
    Some(wildcards::entries(&text))
}

/// Keeps a list of wildcards under its name, replacing the one that has it.
///
/// # Errors
/// What stands in the way.
pub fn save_wildcards(folder: &Path, name: &str, entries: &[String]) -> Result<PathBuf, StoreError> {
    std::fs::create_dir_all(folder).map_err(|error| StoreError::io(&error, folder))?;
    let path = folder.join(format!("{}.txt", file_name(name)));
    atomic::write(folder, &mut |writer| entries.iter().try_for_each(|entry| writeln!(writer, "{entry}")))?
        .replace(&path)?;
    Ok(path)
}

/// The names of all wildcard lists.
#[must_use]
pub fn wildcard_names(folder: &Path) -> Vec<String> {
    let names = files(folder, "txt").into_iter();
    names.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect()
}

/// Files of one ending, by name.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_one = |path: &PathBuf| {
        let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
        !hidden && path.extension().is_some_and(|found| found.eq_ignore_ascii_case(ending)) && path.is_file()
    };
    let mut files: Vec<PathBuf> = entries.filter(is_one).collect();
    files.sort();
    files
}

fn read(path: &Path) -> Result<String, StoreError> {
    use std::io::Read as _;
    let failed = |error: std::io::Error| StoreError::io(&error, path);
    let mut bytes = Vec::new();
    std::fs::File::open(path).map_err(failed)?.take(MAX_FILE).read_to_end(&mut bytes).map_err(failed)?;
    Ok(decode_text(&bytes))
}

/// A name that every file system takes: no separators, no characters that Windows refuses, none of its reserved names.
fn file_name(name: &str) -> String {
    let plain = |c: char| {
        if c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|') { '_' } else { c }
    };
    let mut text: String = name.trim().chars().map(plain).collect();
    let end =
        text.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= MAX_NAME).last().unwrap_or(0);
    text.truncate(end);
    let text = text.trim_matches(['.', ' ']).to_owned();
    let base = text.split('.').next().unwrap_or_default().to_uppercase();
    let numbered = ["COM", "LPT"].iter().any(|port| base.len() == 4 && base.starts_with(port));
    match text.as_str() {
        "" => "preset".to_owned(),
        _ if numbered || matches!(base.as_str(), "CON" | "PRN" | "AUX" | "NUL") => format!("_{text}"),
        _ => text,
    }
}
