//! What the user edits in place: the draft and the switches around it, and the settings.

use crate::i18n::Language;
use crate::recipe::{Draft, Vocabulary};
use crate::units::{Bytes, PixelSize};

/// Where the seed of the next picture comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seeds {
    /// A new one for each order.
    #[default]
    Random,
    /// The one in the form.
    Fixed,
    /// The one in the form, which goes on behind each order.
    Counting,
}

impl Seeds {
    pub const ALL: [Self; 3] = [Self::Random, Self::Fixed, Self::Counting];
}

/// How often one click may order the same.
pub const MAX_RUNS: i64 = 100;

/// The form at the left.
#[derive(Clone, Debug, PartialEq)]
pub struct Form {
    pub draft: Draft,
    pub seeds: Seeds,
    /// How many times one click orders it, each with the next seed.
    pub runs: i64,
    /// Width divided by height, kept while it is set.
    pub locked_ratio: Option<f64>,
}

impl Form {
    #[must_use]
    pub fn new(vocabulary: &Vocabulary) -> Self {
        Self { draft: Draft::new(vocabulary), seeds: Seeds::Random, runs: 1, locked_ratio: None }
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

/// Magnifications of the whole window that a step of the zoom keys goes through.
pub const ZOOMS: [f32; 6] = [1.0, 1.1, 1.25, 1.5, 1.75, 2.0];

/// How the window is divided, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    pub form: f32,
    pub side: f32,
    pub memory: f32,
    /// Queue and pictures at the right are shown.
    pub side_open: bool,
    /// The memory strip along the bottom is shown.
    pub memory_open: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self { form: 344.0, side: 236.0, memory: 142.0, side_open: true, memory_open: true }
    }
}

/// What is kept between starts.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub theme: ThemeChoice,
    /// `None` follows the system.
    pub language: Option<Language>,
    /// A hard limit on what the program may hold.
    pub memory_limit: Option<Bytes>,
    /// What was drawn with last: a name, a file, a folder.
    pub model: Option<String>,
    /// Magnification of everything, from 1 to 2.
    pub zoom: f32,
    pub layout: Layout,
    /// Size of the window in points, `None` for the usual one.
    pub window: Option<(f32, f32)>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: ThemeChoice::default(),
            language: None,
            memory_limit: None,
            model: None,
            zoom: 1.0,
            layout: Layout::default(),
            window: None,
        }
    }
}

impl Settings {
    /// The next magnification up or down, or the usual one where `steps` is zero.
    #[must_use]
    pub fn zoomed(&self, steps: i32) -> f32 {
        if steps == 0 {
            return 1.0;
        }
        let near = |a: &f32, b: &f32| (a - self.zoom).abs().total_cmp(&(b - self.zoom).abs());
        let at = ZOOMS.iter().enumerate().min_by(|(_, a), (_, b)| near(a, b)).map_or(0, |(at, _)| at);
        let to = at.saturating_add_signed(steps as isize).min(ZOOMS.len() - 1);
        ZOOMS[to]
    }
}
