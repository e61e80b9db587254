//! What stays on disk: pictures that remember their recipe, the library, presets, and the settings.
//!
//! Every write goes to a temporary file in the same folder, is synced and then renamed, so a full disk or a crash
//! leaves either the whole file or none. Nothing here is ever overwritten unless its exact name was asked for.
//!
//! What comes from other programs is read by [`import_file`] and [`import_text`]; what a text means is told in
//! [`crate::recipe::restore`] and [`crate::recipe::preset`], which know no files.

mod atomic;
mod error;
mod exif_block;
mod folders;
mod image_file;
mod import;
mod infotext;
mod latents;
mod library;
mod memory;
mod picture;
mod presets;
mod runs;
mod settings;

pub use error::{StoreError, Trouble};
pub use folders::{
    data_folder, latents_folder, library_file, models_folder, pictures_folder, pictures_root, runs_file, settings_file,
};
pub use image_file::{ExportFormat, Fit, Said, THUMBNAIL_SIDE, export, fitted, open as open_picture, size_of};
pub use import::{Import, import_file, import_text, read_settings};
pub use infotext::infotext;
pub use latents::{Keeper, Kept, forget, read_latents};
pub use library::{Deleted, JobState, Library, NewJob, NewPicture, Opened, StoredJob, Synced};
pub use memory::{FORMAT, Remembered, recipe_from_text, recipe_to_text};
pub use picture::{Origin, Place, check_place, read_recipe, save_png};
pub use presets::{
    PresetSource, StoredPreset, from_toml as presets_from_toml, list_presets, presets_folder, remove_preset,
    save_preset, save_wildcards, starters, to_toml as presets_to_toml, wildcard_list, wildcard_names, wildcards_folder,
    write_presets,
};
pub use runs::Runs;
pub use settings::{Loaded, Settings, Theme, Window};
