//! A picture as the library keeps it, and what one may ask the library for.

use super::PictureId;
use crate::recipe::Draft;
use crate::units::PixelSize;
use std::path::PathBuf;

/// One picture on disk. Its model may not be here any more, so it is a draft that it remembers, not a recipe.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    pub id: PictureId,
    pub path: PathBuf,
    /// The model's name as the picture gives it.
    pub model: String,
    /// `None` where another version of the program wrote settings that this one does not know.
    pub draft: Option<Draft>,
    /// Size of the picture itself.
    pub size: PixelSize,
    /// Seconds since 1970, UTC.
    pub created: i64,
    /// The folder that it lies in, `2026-12-01` as a rule: pictures are grouped by it.
    pub folder: String,
    /// 0 to 5.
    pub stars: u8,
    /// In alphabetical order.
    pub tags: Vec<String>,
}

/// The most stars that a picture may have.
pub const MAX_STARS: u8 = 5;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    #[default]
    Newest,
    Oldest,
    /// Most stars first, then newest.
    Stars,
}

/// Which pictures, in which order. The default is all of them, newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Words that must all be there, each as the start of a word, in prompts, tags, model or settings.
    pub text: String,
    /// At least so many.
    pub stars: u8,
    pub tag: Option<String>,
    pub folder: Option<String>,
    pub order: Order,
}

/// A folder of pictures with how many it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderCount {
    pub folder: String,
    pub pictures: u64,
}
