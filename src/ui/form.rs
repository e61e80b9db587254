//! What the user edits in place: the draft and the switches around it, and the settings.

use crate::i18n::Language;
use crate::recipe::{Draft, Vocabulary};
use crate::units::{Bytes, PixelSize};

/// The form at the left.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    pub draft: Draft,
    /// Draw a new seed for each picture.
    pub random_seed: bool,
    /// Width divided by height, kept while it is set.
    pub locked_ratio: Option<f64>,
}

impl Form {
    #[must_use]
    pub fn new(vocabulary: &Vocabulary) -> Self {
        Self { draft: Draft::new(vocabulary), random_seed: true, locked_ratio: None }
    }

    /// A new width; the height follows where the ratio is locked.
    pub fn set_width(&mut self, width: i64, vocabulary: &Vocabulary) {
        self.draft.width = width;
        if let Some(ratio) = self.locked_ratio {
            self.draft.height = snapped_side(width as f64 / ratio, vocabulary);
        }
    }

    /// A new height; the width follows where the ratio is locked.
    pub fn set_height(&mut self, height: i64, vocabulary: &Vocabulary) {
        self.draft.height = height;
        if let Some(ratio) = self.locked_ratio {
            self.draft.width = snapped_side(height as f64 * ratio, vocabulary);
        }
    }

    /// Takes both at once; a locked ratio becomes that of the new size.
    pub fn set_size(&mut self, size: PixelSize) {
        self.draft.width = i64::from(size.width);
        self.draft.height = i64::from(size.height);
        if self.locked_ratio.is_some() {
            self.locked_ratio = Some(f64::from(size.width) / f64::from(size.height.max(1)));
        }
    }

    pub fn toggle_lock(&mut self) {
        self.locked_ratio = match self.locked_ratio {
            Some(_) => None,
            None => Some(self.draft.width.max(1) as f64 / self.draft.height.max(1) as f64),
        };
    }

    /// The same area in another ratio, lying or standing as now.
    pub fn set_aspect(&mut self, long: u32, short: u32, vocabulary: &Vocabulary) {
        let area = self.draft.width.max(1) as f64 * self.draft.height.max(1) as f64;
        let ratio = f64::from(long) / f64::from(short);
        let (wide, narrow) = ((area * ratio).sqrt().round() as i64, (area / ratio).sqrt().round() as i64);
        let standing = self.draft.width < self.draft.height;
        let (width, height) = if standing { (narrow, wide) } else { (wide, narrow) };
        self.set_size(vocabulary.snap(width, height));
    }
}

fn snapped_side(side: f64, vocabulary: &Vocabulary) -> i64 {
    i64::from(vocabulary.snap(side.round() as i64, 0).width)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeChoice {
    #[default]
    System,
    Light,
    Dark,
}

impl ThemeChoice {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];
}

/// What is kept between starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub theme: ThemeChoice,
    /// `None` follows the system.
    pub language: Option<Language>,
    /// A hard limit on what the program may hold.
    pub memory_limit: Option<Bytes>,
}
