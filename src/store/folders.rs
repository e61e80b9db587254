//! Where things are kept unless the user says otherwise.
//!
//! `HEADROOM_HOME` puts everything under one folder: a copy on a stick, a test.

use directories::{ProjectDirs, UserDirs};
use std::path::PathBuf;

const NAME: &str = "Headroom";
const HOME: &str = "HEADROOM_HOME";

fn home() -> Option<PathBuf> {
    std::env::var_os(HOME).filter(|home| !home.is_empty()).map(PathBuf::from)
}

/// `Pictures/Headroom/YYYY-MM-DD` of today.
#[must_use]
pub fn pictures_folder() -> PathBuf {
    pictures_root().join(jiff::Zoned::now().date().to_string())
}

/// `Pictures/Headroom`, with a folder a day in it.
#[must_use]
pub fn pictures_root() -> PathBuf {
    let pictures = home().map(|home| home.join("pictures")).or_else(|| {
        let user = UserDirs::new()?;
        let pictures = user.picture_dir().map_or_else(|| user.home_dir().join("Pictures"), PathBuf::from);
        Some(pictures.join(NAME))
    });
    pictures.unwrap_or_else(|| data_folder().join("pictures"))
}

/// Models, the library: on this machine only, never in a profile that roams.
#[must_use]
pub fn data_folder() -> PathBuf {
    home()
        .or_else(|| ProjectDirs::from("", "", NAME).map(|dirs| dirs.data_local_dir().to_owned()))
        .unwrap_or_else(|| PathBuf::from(NAME))
}

/// Models that were fetched, in folders of the names that `ComfyUI` gives them.
#[must_use]
pub fn models_folder() -> PathBuf {
    data_folder().join("models")
}

/// Latents of pictures that are not done yet.
#[must_use]
pub fn latents_folder() -> PathBuf {
    data_folder().join("latents")
}

/// The book of runs.
#[must_use]
pub fn runs_file() -> PathBuf {
    data_folder().join("runs.json")
}

#[must_use]
pub fn settings_file() -> PathBuf {
    home()
        .or_else(|| ProjectDirs::from("", "", NAME).map(|dirs| dirs.config_local_dir().to_owned()))
        .unwrap_or_else(|| PathBuf::from(NAME))
        .join("settings.toml")
}

/// The library of pictures and jobs.
#[must_use]
pub fn library_file() -> PathBuf {
    data_folder().join("library.db")
}
