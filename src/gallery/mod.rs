//! Pictures as records: their order and which one is shown. No pixels and no files are touched here.

mod record;

pub use record::{Filter, FolderCount, MAX_STARS, Order, Record};

use crate::recipe::Recipe;
use std::path::PathBuf;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PictureId(pub u64);

#[derive(Clone, Debug)]
pub struct Picture {
    pub id: PictureId,
    /// The recipe of this one picture: batch 1, its own seed.
    pub recipe: Recipe,
    pub model: String,
    /// Where it was written, `None` while it exists in memory only.
    pub path: Option<PathBuf>,
}

/// Pictures in the order in which they came, and the one that is looked at.
#[derive(Clone, Debug, Default)]
pub struct Gallery {
    pictures: Vec<Picture>,
    selected: Option<PictureId>,
    last_id: u64,
}

impl Gallery {
    /// Adds a picture as the newest and selects it.
    pub fn add(&mut self, recipe: Recipe, model: String, path: Option<PathBuf>) -> PictureId {
        self.last_id += 1;
        let id = PictureId(self.last_id);
        self.pictures.push(Picture { id, recipe, model, path });
        self.selected = Some(id);
        id
    }

    /// Newest first.
    pub fn newest_first(&self) -> impl Iterator<Item = &Picture> {
        self.pictures.iter().rev()
    }

    #[must_use]
    pub fn get(&self, id: PictureId) -> Option<&Picture> {
        self.pictures.iter().find(|picture| picture.id == id)
    }

    pub fn set_path(&mut self, id: PictureId, path: PathBuf) {
        if let Some(picture) = self.pictures.iter_mut().find(|picture| picture.id == id) {
            picture.path = Some(path);
        }
    }

    #[must_use]
    pub fn selected(&self) -> Option<&Picture> {
        self.get(self.selected?)
    }

    pub fn select(&mut self, id: PictureId) {
        if self.get(id).is_some() {
            self.selected = Some(id);
        }
    }

    /// Selects the picture `by` places newer (positive) or older (negative), stopping at the ends.
    pub fn step(&mut self, by: isize) {
        let Some(at) = self.selected.and_then(|id| self.pictures.iter().position(|picture| picture.id == id)) else {
            return;
        };
        let last = self.pictures.len().saturating_sub(1);
        let to = at.saturating_add_signed(by).min(last);
        self.selected = self.pictures.get(to).map(|picture| picture.id);
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.pictures.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pictures.is_empty()
    }
}
