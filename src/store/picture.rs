//! PNG files that carry their recipe: once as A1111 text for everybody, once as our own JSON.

use super::atomic;
use super::error::{StoreError, Trouble};
use super::infotext::infotext;
use super::memory::{self, Remembered};
use crate::pixels::Pixels;
use crate::planner::Decode;
use crate::recipe::Recipe;
use png::text_metadata::{ITXtChunk, TEXtChunk};
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

const FOREIGN_KEY: &str = "parameters";
pub(super) const OWN_KEY: &str = "headroom";
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Compressed bytes of one IDAT chunk, which is all that is held of the compressed picture.
const CHUNK: usize = 64 << 10;

/// Where a picture goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Into this folder, under the next free number.
    Folder(PathBuf),
    /// Exactly here, replacing what is there.
    File(PathBuf),
}

impl Place {
    /// The folder that is written to.
    #[must_use]
    pub fn folder(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder,
            Self::File(file) => file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new(".")),
        }
    }
}

/// How a picture came to be, beside its recipe.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The model's name; never a path.
    pub model: &'a str,
    pub decode: Option<Decode>,
}

/// Makes the folder of `place` where it is missing, and proves that a picture can be written there.
///
/// # Errors
/// What stands in the way; nothing is left behind.
pub fn check_place(place: &Place) -> Result<(), StoreError> {
    if let Place::File(file) = place
        && file.is_dir()
    {
        return Err(StoreError::new(Trouble::IsAFolder, file));
    }
    atomic::check_folder(place.folder())
}

/// Writes one picture. `recipe` is that of this one picture: its own seed, a batch of one. Returns where it went.
///
/// # Errors
/// What stands in the way; no half-written file is left behind.
pub fn save_png(place: &Place, pixels: &Pixels, recipe: &Recipe, origin: Origin<'_>) -> Result<PathBuf, StoreError> {
    let folder = place.folder();
    let model = model_name(origin.model);
    let own = memory::to_json(recipe, model, origin.decode, VERSION);
    let own = own.map_err(|trouble| StoreError::new(trouble, folder))?;
    let foreign = infotext(recipe, model, VERSION);
    let pending = atomic::write(folder, &mut |writer| encode(writer, pixels, Some((&foreign, &own))))?;
    match place {
        Place::File(file) => {
            pending.replace(file)?;
            Ok(file.clone())
        }
        Place::Folder(folder) => {
            let mut number = next_number(folder);
            let mut pending = pending;
            loop {
                let path = folder.join(format!("{number:05}-{}.png", recipe.seed()));
                match pending.claim(&path)? {
                    None => return Ok(path),
                    Some(back) => pending = back,
                }
                number += 1;
            }
        }
    }
}

/// The last part of what may be a path, so that no folder of the user's ends up in a picture.
pub(super) fn model_name(model: &str) -> &str {
    model.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(model)
}

/// One more than the largest number in the folder.
fn next_number(folder: &Path) -> u64 {
    let names =
        std::fs::read_dir(folder).into_iter().flatten().filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let numbers = names.filter_map(|name| name.split_once('-')?.0.parse::<u64>().ok());
    numbers.filter(|number| *number < u64::MAX / 2).max().map_or(0, |last| last + 1)
}

/// Writes a PNG with its texts, those for others first, or without any.
pub(super) fn encode(writer: &mut dyn Write, pixels: &Pixels, texts: Option<(&str, &str)>) -> io::Result<()> {
    let size = pixels.size();
    let mut encoder = png::Encoder::new(writer, size.width, size.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let mut header = encoder.write_header()?;
    if let Some((foreign, own)) = texts {
        // tEXt holds Latin-1 only.
        if foreign.chars().all(|c| c <= '\u{ff}') {
            header.write_text_chunk(&TEXtChunk::new(FOREIGN_KEY, foreign))?;
        } else {
            header.write_text_chunk(&ITXtChunk::new(FOREIGN_KEY, foreign))?;
        }
        header.write_text_chunk(&ITXtChunk::new(OWN_KEY, own))?;
    }
    let mut stream = header.stream_writer_with_size(CHUNK)?;
    stream.write_all(pixels.rgb())?;
    stream.finish()?;
    header.finish()?;
    Ok(())
}

/// Reads the recipe back from a picture.
///
/// # Errors
/// Where it cannot be read, is no PNG, or carries no recipe of this program.
pub fn read_recipe(path: &Path) -> Result<Remembered, StoreError> {
    let failed = |trouble| StoreError::new(trouble, path);
    let metadata = std::fs::metadata(path).map_err(|error| StoreError::io(&error, path))?;
    if !metadata.is_file() {
        return Err(failed(Trouble::NotPng("it is no file".to_owned())));
    }
    let file = File::open(path).map_err(|error| StoreError::io(&error, path))?;
    let decoder = png::Decoder::new(BufReader::new(file));
    let reader = decoder.read_info().map_err(|error| failed(Trouble::NotPng(error.to_string())))?;
    let own = reader.info().utf8_text.iter().find(|chunk| chunk.keyword == OWN_KEY);
    let text = own.ok_or_else(|| failed(Trouble::NoRecipe))?.get_text();
    let text = text.map_err(|error| failed(Trouble::DamagedRecipe(error.to_string())))?;
    memory::from_json(&text).map_err(failed)
}
