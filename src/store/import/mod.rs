//! What a file or a pasted text is, told by its content, and what can be taken from it.
//!
//! Pictures give settings, texts give settings, presets or wildcards; weight files are named for what they are and left
//! to the `hub`. Names and endings decide nothing, because a `.png` is often a JPEG.

mod chunks;

use super::error::{StoreError, Trouble};
use super::exif_block::OWN_MARK;
use super::{image_file, memory, picture, presets};
use crate::recipe::Partial;
use crate::recipe::preset::{self, Imported};
use crate::recipe::restore::{self, Entry, Left, ModelMention, Program, Restored, decode_text};
use crate::recipe::wildcards;
use crate::units::PixelSize;
use std::fs::File;
use std::io::{BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

/// The most text that is read of a file that is no picture.
const MAX_TEXT: u64 = 32 << 20;

/// What came in.
#[derive(Clone, Debug, PartialEq)]
pub enum Import {
    /// A picture or text with settings. `size` is that of the picture itself.
    Settings {
        restored: Box<Restored>,
        size: Option<PixelSize>,
    },
    /// A picture that says nothing about how it was made.
    Picture {
        size: PixelSize,
    },
    Presets(Box<Imported>),
    /// A list of entries under its name.
    Wildcards {
        name: String,
        entries: Vec<String>,
    },
    /// Weights of a model.
    Weights,
    /// Nothing that is known; for a text, it may be a prompt.
    Unknown,
}

/// Tells what a file is and takes from it what can be taken.
///
/// # Errors
/// Where it cannot be read, or is a picture that is damaged or too large.
pub fn import_file(path: &Path) -> Result<Import, StoreError> {
    let io = |error: std::io::Error| StoreError::io(&error, path);
    let metadata = std::fs::metadata(path).map_err(io)?;
    if !metadata.is_file() {
        return Err(StoreError::new(Trouble::NotPicture("it is no file".to_owned()), path));
    }
    let mut file = BufReader::new(File::open(path).map_err(io)?);
    let mut start = [0; 16];
    let length = read_up_to(&mut file, &mut start).map_err(io)?;
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    if chunks::is_picture(&start[..length]) {
        let entries = chunks::entries(&mut file, &start[..length]);
        return match from_entries(&entries) {
            Some(restored) => {
                Ok(Import::Settings { restored: Box::new(restored), size: image_file::size_of(path).ok() })
            }
            None => Ok(Import::Picture { size: image_file::size_of(path)? }),
        };
    }
    if is_weights(&start[..length]) {
        return Ok(Import::Weights);
    }
    let mut bytes = Vec::new();
    file.take(MAX_TEXT).read_to_end(&mut bytes).map_err(io)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    // Bytes that no text has: an archive, a program, a film.
    if decode_text(&bytes)
        .chars()
        .take(4096)
        .any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\0' | '\u{c}'))
    {
        return Ok(Import::Unknown);
    }
    match import_text(&decode_text(&bytes), &name) {
        Import::Unknown if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("txt")) => {
            let entries = wildcards::entries(&decode_text(&bytes));
            if entries.is_empty() {
                return Ok(Import::Unknown);
            }
            Ok(Import::Wildcards { name: name.into_owned(), entries })
        }
        import => Ok(import),
    }
}

/// Tells what a text is: pasted, or the content of a file called `name`.
#[must_use]
pub fn import_text(text: &str, name: &str) -> Import {
    if let Some(imported) = presets::from_toml(text).or_else(|| preset::import(text, name)) {
        return Import::Presets(Box::new(imported));
    }
    match restore::from_text(text) {
        Some(restored) => Import::Settings { restored: Box::new(restored), size: None },
        None => Import::Unknown,
    }
}

/// The settings that a picture carries: ours exactly, those of other programs as far as they can be taken over.
///
/// # Errors
/// Where it cannot be read or is no picture; [`Trouble::NoRecipe`] where it carries none.
pub fn read_settings(path: &Path) -> Result<Restored, StoreError> {
    match import_file(path)? {
        Import::Settings { restored, .. } => Ok(*restored),
        Import::Picture { .. } => Err(StoreError::new(Trouble::NoRecipe, path)),
        _ => Err(StoreError::new(Trouble::NotPicture("it is of another kind".to_owned()), path)),
    }
}

fn from_entries(entries: &[Entry]) -> Option<Restored> {
    let own = entries.iter().find_map(|entry| match entry.key.as_str() {
        picture::OWN_KEY => Some(entry.text.as_str()),
        "MakerNote" => entry.text.strip_prefix(OWN_MARK),
        _ => None,
    });
    // A chunk of ours that is damaged or newer still has the text for others beside it.
    own.and_then(|own| memory::from_json(own).ok()).map_or_else(
        || restore::from_entries(entries),
        |own| {
            Some(Restored {
                program: Program::Headroom,
                version: own.version,
                settings: Partial::from(&own.draft),
                model: Some(ModelMention { name: own.model, hash: None }).filter(|model| !model.name.is_empty()),
                // The picture that this one was made of is not in it.
                left: own.draft.denoise.map(Left::denoise).into_iter().collect(),
            })
        },
    )
}

/// GGUF, safetensors (a length, then JSON), or a pickled checkpoint.
fn is_weights(start: &[u8]) -> bool {
    start.starts_with(b"GGUF")
        || start.len() >= 10 && start[8] == b'{' && start[5..8] == [0, 0, 0]
        || start.starts_with(b"PK\x03\x04")
        || start.starts_with(b"\x80\x02")
}

fn read_up_to(file: &mut impl std::io::Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read(&mut buffer[length..])? {
            0 => break,
            read => length += read,
        }
    }
    Ok(length)
}
