//! What stays on disk: pictures that remember their recipe, and the settings.
//!
//! Every write goes to a temporary file in the same folder, is synced and then renamed, so a full disk or a crash
//! leaves either the whole file or none. Nothing here is ever overwritten unless its exact name was asked for.

mod atomic;
mod error;
mod folders;
mod infotext;
mod memory;
mod picture;
mod settings;

pub use error::{StoreError, Trouble};
pub use folders::{data_folder, pictures_folder, settings_file};
pub use infotext::infotext;
pub use memory::{FORMAT, Remembered};
pub use picture::{Origin, Place, check_place, read_recipe, save_png};
pub use settings::{Loaded, Settings, Theme, Window};
