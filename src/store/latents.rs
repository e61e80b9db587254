//! Latents that survive the program: small safetensors files with the recipe inside.
//!
//! A decode that ran out of memory, a cancel, a killed process or a power cut lose no picture: what was worked out lies
//! in a folder of its own until the picture is done.

use super::atomic;
use super::error::{StoreError, Trouble};
use super::memory::{self, Remembered};
use crate::job::{Latent, Latents};
use crate::model;
use crate::recipe::Recipe;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const RECIPE: &str = "headroom";
const STEPS: &str = "headroom.steps";
const START: &str = "start.latent";
/// No file of this program is larger: a batch of pictures of the largest size.
const MAX_FILE: u64 = 4 << 30;

/// Latents read back, with the recipe that they belong to.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub path: PathBuf,
    /// The model by the name or path that the job gave it.
    pub model: String,
    pub recipe: Remembered,
    pub latents: Latents,
}

/// Where the latents of this run of the program go.
#[derive(Clone, Debug)]
pub struct Keeper {
    folder: PathBuf,
    /// Tells the files of this start from those of the last.
    start: String,
}

impl Keeper {
    /// Files in `folder`, made when the first one is written.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        let start = format!("{}-{}", jiff::Timestamp::now().as_second(), std::process::id());
        Self { folder, start }
    }

    /// Where the latents of a job go.
    #[must_use]
    pub fn path(&self, job: u64) -> PathBuf {
        self.folder.join(format!("{}-{job}.safetensors", self.start))
    }

    /// Writes the latents of a job, whole or not at all, over what was kept of it before. Returns where.
    ///
    /// # Errors
    /// What stands in the way; what was kept before is still there then.
    pub fn keep(&self, job: u64, recipe: &Recipe, model: &str, latents: &Latents) -> Result<PathBuf, StoreError> {
        let path = self.path(job);
        let failed = |error: io::Error| StoreError::io(&error, &path);
        fs::create_dir_all(&self.folder).map_err(failed)?;
        let recipe = memory::to_json(recipe, model, None, env!("CARGO_PKG_VERSION"));
        let recipe = recipe.map_err(|trouble| StoreError::new(trouble, &path))?;
        let header = header_of(latents, &recipe);
        atomic::write(&self.folder, &mut |writer| {
            writer.write_all(&(header.len() as u64).to_le_bytes())?;
            writer.write_all(header.as_bytes())?;
            let all = latents.pictures.iter().map(|latent| &latent.values).chain(&latents.start);
            for value in all.flatten() {
                writer.write_all(&value.to_le_bytes())?;
            }
            Ok(())
        })?
        .replace(&path)?;
        Ok(path)
    }

    /// A file that an earlier start left belongs to this job now.
    ///
    /// # Errors
    /// Where it cannot be renamed; it is still there then.
    pub fn adopt(&self, path: &Path, job: u64) -> Result<(), StoreError> {
        fs::rename(path, self.path(job)).map_err(|error| StoreError::io(&error, path))
    }

    /// Lets go of what is kept of a job, if anything is.
    pub fn forget(&self, job: u64) {
        forget(&self.path(job));
    }

    /// Whether a file belongs to this start, or to another process that is still at it.
    fn is_at_work(&self, name: &str) -> bool {
        let process = name.split('-').nth(1).filter(|process| process.bytes().all(|byte| byte.is_ascii_digit()));
        name.starts_with(&self.start) || process.is_some_and(|process| Path::new("/proc").join(process).is_dir())
    }

    /// What earlier starts of the program left, oldest first. Files that cannot be read are told and left alone.
    #[must_use]
    pub fn left(&self) -> Vec<Kept> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "safetensors"))
            .filter(|path| !path.file_name().is_some_and(|name| self.is_at_work(&name.to_string_lossy())))
            .collect();
        paths.sort();
        let read = |path: &PathBuf| match read_latents(path) {
            Ok(kept) => Some(kept),
            Err(error) => {
                tracing::warn!(%error, "kept latents cannot be read");
                None
            }
        };
        paths.iter().filter_map(read).collect()
    }
}

/// Removes a file of kept latents.
pub fn forget(path: &Path) {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::info!(%error, path = %path.display(), "kept latents cannot be removed");
        }
        _ => {}
    }
}

fn header_of(latents: &Latents, recipe: &str) -> String {
    let (channels, height, width) = latents.shape;
    let each = latents.count() * 4;
    let mut at = 0;
    let mut entries = Map::new();
    let mut about = Map::new();
    about.insert(RECIPE.to_owned(), Value::from(recipe));
    about.insert(STEPS.to_owned(), Value::from(latents.steps.to_string()));
    let mut tensor = |name: String| {
        let entry = json!({
            "dtype": "F32",
            "shape": [channels, height, width],
            "data_offsets": [at, at + each],
        });
        at += each;
        entries.insert(name, entry);
    };
    for (index, latent) in latents.pictures.iter().enumerate() {
        about.insert(key(index, "step"), Value::from(latent.step.to_string()));
        about.insert(key(index, "draws"), Value::from(latent.draws.to_string()));
        tensor(name_of(index));
    }
    if latents.start.is_some() {
        tensor(START.to_owned());
    }
    let mut all = Map::new();
    all.insert("__metadata__".to_owned(), Value::Object(about));
    all.extend(entries);
    let mut text = Value::Object(all).to_string();
    // The format asks for data at a multiple of eight.
    while !text.len().is_multiple_of(8) {
        text.push(' ');
    }
    text
}

fn key(index: usize, what: &str) -> String {
    format!("headroom.{index}.{what}")
}

fn name_of(index: usize) -> String {
    format!("{index}.latent")
}

/// Reads latents back.
///
/// # Errors
/// A file that is not there, is damaged, or was written by something else.
pub fn read_latents(path: &Path) -> Result<Kept, StoreError> {
    let failed = |error: io::Error| StoreError::io(&error, path);
    let length = fs::metadata(path).map_err(failed)?.len();
    let odd = |what: &str| StoreError::new(Trouble::DamagedLatents(what.to_owned()), path);
    if length > MAX_FILE {
        return Err(odd("it is far too large"));
    }
    let bytes = fs::read(path).map_err(failed)?;
    let (recipe, latents) = parse(&bytes).map_err(|what| odd(&what))?;
    let recipe = memory::from_json(&recipe).map_err(|trouble| StoreError::new(trouble, path))?;
    Ok(Kept { path: path.to_owned(), model: recipe.model.clone(), recipe, latents })
}

fn parse(bytes: &[u8]) -> Result<(String, Latents), String> {
    let length = model::header_length(bytes, bytes.len() as u64).map_err(|error| error.to_string())?;
    let end = usize::try_from(length).ok().and_then(|length| length.checked_add(8));
    let (head, data) = end.and_then(|end| Some((bytes.get(8..end)?, bytes.get(end..)?))).ok_or("it is cut off")?;
    let table = model::safetensors(head, bytes.len() as u64).map_err(|error| error.to_string())?;
    let recipe = table.metadata(RECIPE).ok_or("it holds no recipe")?.to_owned();
    let number = |key: &str| table.metadata(key).and_then(|text| text.parse().ok());
    let steps = number(STEPS).ok_or("it does not say how many steps there are")?;
    let first = table.get(&name_of(0)).ok_or("it holds no latent")?;
    let &[channels, height, width] = &first.shape[..] else { return Err("a latent has an odd shape".to_owned()) };
    let mut latents = Latents { shape: (channels, height, width), steps, ..Latents::default() };
    let data_start = bytes.len() - data.len();
    let values = |name: &str| -> Option<Vec<f32>> {
        let info = table.get(name)?;
        let from = usize::try_from(info.offset).ok()?.checked_sub(data_start)?;
        let part = data.get(from..from.checked_add(latents.count().checked_mul(4)?)?)?;
        let values = part.as_chunks::<4>().0.iter().map(|&value| f32::from_le_bytes(value));
        (info.shape == first.shape).then(|| values.collect())
    };
    let mut pictures = Vec::new();
    while let Some(values) = values(&name_of(pictures.len())) {
        let count = |what| number(&key(pictures.len(), what)).ok_or("it does not say how far a picture is");
        let (step, draws) = (count("step")?, count("draws")?);
        pictures.push(Latent { step, draws, values });
    }
    let start = values(START);
    latents.pictures = pictures;
    latents.start = start;
    if latents.is_sound() { Ok((recipe, latents)) } else { Err("its numbers make no sense".to_owned()) }
}
