//! What a file or a text is, by what is in it: a picture with settings, a preset, a model, a machine.

use super::host::{Found, ModelEntry, Restored, Source};
use crate::recipe::preset::{Imported, Preset};
use crate::recipe::restore::Left;
use crate::store::Import;
use crate::{hub, store};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const GGUF: &[u8] = b"GGUF";

/// Looks into a source. Only headers are read, whatever the size of the file.
pub(super) fn inspect(source: &Source) -> Found {
    match source {
        Source::File(path) if path.is_dir() => model(path),
        Source::File(path) => file(path),
        Source::Text(_) => Found::Unknown,
    }
}

fn file(path: &Path) -> Found {
    let mut start = Vec::with_capacity(16);
    match File::open(path).and_then(|file| file.take(16).read_to_end(&mut start)) {
        Ok(_) => {}
        Err(error) => return Found::Nothing(error.to_string()),
    }
    let named = |ending: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(ending));
    if start.starts_with(PNG) {
        return picture(path);
    }
    // A safetensors file starts with the length of its JSON header.
    if start.starts_with(GGUF) || named("safetensors") || start.get(8) == Some(&b'{') {
        return model(path);
    }
    if named("toml") {
        if let Ok(Import::Presets(imported)) = store::import_file(path) {
            return preset(*imported);
        }
        return match hub::machine::open(&path.to_string_lossy()) {
            Ok(machine) => Found::Machine(Box::new(machine)),
            Err(error) => Found::Nothing(error.cause.to_string()),
        };
    }
    Found::Unknown
}

fn preset(imported: Imported) -> Found {
    let Ok([preset]) = <[Preset; 1]>::try_from(imported.presets) else {
        return Found::Nothing("it holds several presets: `headroom presets import` takes them all".to_owned());
    };
    let left = imported.left.into_iter().map(|left| format!("{} = {}", left.what, left.value)).collect();
    Found::Preset(Box::new(preset), left)
}

fn picture(path: &Path) -> Found {
    match store::read_recipe(path) {
        Ok(mut read) => {
            // The picture that this one was made of is not in it.
            let left = read.draft.denoise.take().map(Left::denoise);
            let left = left.map(|left| format!("{} = {}", left.what, left.value)).into_iter().collect();
            Found::Settings(Box::new(Restored { draft: read.draft, model: Some(read.model), left }))
        }
        Err(error) => Found::Nothing(error.to_string()),
    }
}

fn model(path: &Path) -> Found {
    let name = path.to_string_lossy().into_owned();
    match hub::open(&name) {
        Ok(opened) => Found::Model(ModelEntry { name, inventory: opened.inventory }),
        Err(error) => Found::Nothing(error.cause.to_string()),
    }
}
