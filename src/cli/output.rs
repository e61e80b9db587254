//! Where pictures go: the `-o` of the command line, or today's folder.

use super::error::CliError;
use super::here;
use crate::store::{self, Place};
use std::path::{Path, PathBuf};

/// The place that `-o` names: an existing folder or a name that ends in a separator is a folder, `.png` a file.
pub(super) fn place(output: Option<&Path>) -> Result<Place, CliError> {
    let Some(path) = output else { return Ok(Place::Folder(usual_folder())) };
    let text = path.to_string_lossy();
    if path.as_os_str().is_empty() {
        return Err(CliError::usage("`-o` names no file"));
    }
    if path.is_dir() || text.ends_with(std::path::is_separator) {
        return Ok(Place::Folder(path.to_owned()));
    }
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
        return Ok(Place::File(path.to_owned()));
    }
    Err(CliError::usage(format!("`-o` is neither a .png file nor a folder that exists: {}", path.display()))
        .hint("end the name with `.png` for a file, or with `/` for a folder"))
}

fn usual_folder() -> PathBuf {
    here::settings().pictures.unwrap_or_else(store::pictures_folder)
}

/// The place of picture `index` of a batch: after `a.png` come `a-2.png`, `a-3.png`.
pub(super) fn nth(place: &Place, index: u32) -> Place {
    match place {
        Place::File(file) if index > 0 => {
            let stem = file.file_stem().unwrap_or_default().to_string_lossy();
            let extension = file.extension().unwrap_or_default().to_string_lossy();
            Place::File(file.with_file_name(format!("{stem}-{}.{extension}", index + 1)))
        }
        place => place.clone(),
    }
}
