//! The settings file: TOML with a version, read leniently and never lost.
//!
//! A damaged file is set aside under another name and the defaults take its place. Keys of a newer version are kept.

use super::atomic;
use super::error::StoreError;
use crate::units::Bytes;
use serde::{Deserialize, Serialize};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

const VERSION: i64 = 1;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// What is kept between starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub theme: Theme,
    /// A language tag; `None` follows the system.
    pub language: Option<String>,
    /// A hard limit on what the program may hold.
    pub memory_limit: Option<Bytes>,
    /// The folder of pictures; `None` is the usual one.
    pub pictures: Option<PathBuf>,
    /// What the user last chose: a name, a file, a folder.
    pub model: Option<String>,
    /// Throughput of this computer in GFLOP/s, measured once.
    pub gflops: Option<f64>,
    /// Draw in the process that asks, without a process of its own.
    pub in_process: bool,
    /// How the window was left.
    pub window: Window,
    /// What this version does not know, kept as it was.
    others: toml::Table,
}

/// How the window was left: lengths in points, `None` where nobody has changed them yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Window {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<f32>,
    /// Magnification of everything in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zoom: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub side_open: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_open: Option<bool>,
}

impl Window {
    /// Without lengths that no window can have: whatever a hand wrote into the file, the window opens.
    fn plausible(self) -> Self {
        let length = |value: Option<f32>| value.filter(|value| (1.0..=16_384.0).contains(value));
        Self {
            width: length(self.width),
            height: length(self.height),
            zoom: self.zoom.filter(|zoom| (1.0..=2.0).contains(zoom)),
            form: length(self.form),
            side: length(self.side),
            memory: length(self.memory),
            ..self
        }
    }
}

/// Settings as they were found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Loaded {
    pub settings: Settings,
    /// Where a file that could not be read was put aside.
    pub set_aside: Option<PathBuf>,
}

#[derive(Serialize, Deserialize, Default)]
struct File {
    #[serde(default)]
    version: i64,
    #[serde(default)]
    theme: Theme,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_limit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pictures: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    gflops: Option<f64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    in_process: bool,
    #[serde(default)]
    window: Window,
    #[serde(flatten)]
    others: toml::Table,
}

impl Settings {
    /// Reads the file at `path`; defaults where there is none.
    ///
    /// # Errors
    /// Where the file is there but cannot be read or set aside. It is left as it is.
    pub fn load(path: &Path) -> Result<Loaded, StoreError> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Loaded::default()),
            Err(error) => return Err(StoreError::io(&error, path)),
        };
        let text = String::from_utf8(bytes).ok();
        let file = text.as_deref().and_then(|text| toml::from_str::<File>(text.trim_start_matches('\u{feff}')).ok());
        match file {
            Some(file) => Ok(Loaded { settings: file.into(), set_aside: None }),
            None => Ok(Loaded { settings: Self::default(), set_aside: Some(set_aside(path)?) }),
        }
    }

    /// Writes the file at `path`, whole or not at all.
    ///
    /// # Errors
    /// What stands in the way; the old file is still there then.
    pub fn save(&self, path: &Path) -> Result<(), StoreError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder).map_err(|error| StoreError::io(&error, folder))?;
        let text =
            toml::to_string(&File::from(self)).map_err(|error| StoreError::io(&io::Error::other(error), path))?;
        atomic::write(folder, &mut |writer| writer.write_all(text.as_bytes()))?.replace(path)
    }
}

/// Moves a damaged file out of the way under a name that is free.
fn set_aside(path: &Path) -> Result<PathBuf, StoreError> {
    let mut backup = path.with_extension("damaged.toml");
    for number in 2_u32.. {
        if std::fs::symlink_metadata(&backup).is_err() {
            break;
        }
        backup = path.with_extension(format!("damaged-{number}.toml"));
    }
    std::fs::rename(path, &backup).map_err(|error| StoreError::io(&error, path))?;
    Ok(backup)
}

impl From<File> for Settings {
    fn from(file: File) -> Self {
        Self {
            theme: file.theme,
            language: file.language,
            memory_limit: file.memory_limit.as_deref().and_then(Bytes::parse),
            pictures: file.pictures,
            model: file.model,
            gflops: file.gflops.filter(|gflops| gflops.is_finite() && *gflops > 0.0),
            in_process: file.in_process,
            window: file.window.plausible(),
            others: file.others,
        }
    }
}

impl From<&Settings> for File {
    fn from(settings: &Settings) -> Self {
        Self {
            version: VERSION,
            theme: settings.theme,
            language: settings.language.clone(),
            memory_limit: settings.memory_limit.map(|limit| limit.get().to_string()),
            pictures: settings.pictures.clone(),
            model: settings.model.clone(),
            gflops: settings.gflops,
            in_process: settings.in_process,
            window: settings.window,
            others: settings.others.clone(),
        }
    }
}
