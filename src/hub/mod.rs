//! Finds models and machine descriptions by the names that users give them, and reads what they are from headers.
//!
//! [`open`] turns `builtin`, a folder or a file into [`ModelFiles`]; no weights are read for that. Every file is
//! taken for what its bytes say, never for its name, and nothing in it can make this room panic. [`catalogue`] knows
//! well-known models by name, and [`download`] fetches them.

mod catalogue;
mod companions;
pub mod download;
mod embedded;
mod error;
mod flux;
mod folder;
mod loras;
pub mod machine;
mod reader;
mod root;
mod set;
mod single;
mod stable_diffusion;

pub use catalogue::{Catalogue, CatalogueModel, CataloguePart, catalogue};
pub use error::{Cause, HubError, Missing};
pub use reader::{FileKind, Inspected, inspect};

use crate::model::{FileRef, ModelFiles};
use loras::Named;
use root::Root;
use std::path::{Path, PathBuf};

/// The model inside the program.
pub const BUILTIN: &str = "builtin";

/// Names that [`open`] knows without a path.
pub const KNOWN: [&str; 1] = [BUILTIN];

/// The files of a model: `builtin`, a folder in diffusers layout, a checkpoint, or a denoiser whose companions are found
/// around it. Companions can be named too, behind the model and a `+`: `denoiser.gguf+qwen3.gguf+ae.safetensors`, and so
/// can `LoRAs` with their weights: `model.safetensors+ink.safetensors:0.8`.
///
/// # Errors
/// What is wrong, with which file, and what to do about it.
pub fn open(reference: &str) -> Result<ModelFiles, HubError> {
    let (model, named) = split_reference(reference);
    let (loras, companions): (Vec<Named>, Vec<Named>) = named.into_iter().partition(Named::is_lora);
    let companions: Vec<PathBuf> = companions.into_iter().map(|named| named.path).collect();
    loras::add(open_model(model, &companions)?, &loras)
}

fn open_model(reference: &str, named: &[PathBuf]) -> Result<ModelFiles, HubError> {
    if reference == BUILTIN {
        return folder::open(&Root::Embedded(embedded::BUILTIN), BUILTIN, true);
    }
    let path = Path::new(reference);
    let Ok(metadata) = std::fs::metadata(path) else { return Err(absent(reference, path)) };
    if metadata.is_dir() {
        return folder::open(&Root::Folder(path.to_owned()), &folder_name(path), false);
    }
    if path.file_name().is_some_and(|name| name == "model_index.json") {
        let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        return folder::open(&Root::Folder(folder.to_owned()), &folder_name(folder), false);
    }
    single::open(path, named)
}

/// The model and the files named behind it. A `+` that belongs to a path does not divide it.
fn split_reference(reference: &str) -> (&str, Vec<Named>) {
    let mut files: Vec<&str> = Vec::new();
    let mut rest = reference;
    while !rest.trim().is_empty() {
        // The shortest part that is there; where none is, the first, so that the error names it.
        let ends = rest.match_indices('+').map(|(at, _)| at).chain([rest.len()]);
        let is_there = |part: &str| part == BUILTIN && files.is_empty() || Named::parse(part).path.exists();
        let there = ends.clone().find(|&end| is_there(rest[..end].trim()));
        let whole = if files.is_empty() { Some(rest.len()) } else { None };
        let end = there.or(whole).or_else(|| ends.min()).unwrap_or(rest.len());
        files.push(rest[..end].trim());
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    let named = files.iter().skip(1).map(|text| Named::parse(text)).collect();
    (files.first().copied().unwrap_or(reference), named)
}

fn absent(reference: &str, path: &Path) -> HubError {
    let looks_like_a_path = reference.contains(['/', '\\']) || path.extension().is_some();
    match std::fs::symlink_metadata(path) {
        Ok(_) => HubError::new(Cause::Unreadable("the link leads nowhere or may not be followed".to_owned()), path),
        Err(error) if looks_like_a_path || error.kind() != std::io::ErrorKind::NotFound => HubError::io(&error, path),
        Err(_) => HubError::new(Cause::UnknownName, path),
    }
}

/// The last part of a path, for display and metadata: never the whole path.
fn folder_name(path: &Path) -> String {
    let whole: PathBuf = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    whole.file_name().map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The whole of a small file: a tokenizer, a config.
///
/// # Errors
/// Where it cannot be read, or is larger than `most` bytes.
pub fn read_small(file: &FileRef, most: u64) -> Result<Vec<u8>, HubError> {
    reader::read_small(file, most)
}
