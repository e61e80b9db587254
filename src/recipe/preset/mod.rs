//! Presets: settings under a name, own ones and those of other programs.
//!
//! A style adds to what is typed, a whole preset takes its place. The placeholder `{prompt}` says where the typed words
//! go; without it they come first, then a comma, as A1111 does it.

mod csv;
mod import;

pub use import::{Format, Imported, import};

use super::restore::Restored;
use super::{Draft, Partial};

/// Where the typed prompt goes inside a style.
pub const PLACEHOLDER: &str = "{prompt}";

/// What the words of a preset do to those that are typed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Words {
    /// They are added to what is typed.
    #[default]
    Style,
    /// They replace it.
    Whole,
}

impl Words {
    pub const ALL: [Self; 2] = [Self::Style, Self::Whole];

    /// The name in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Style => "style",
            Self::Whole => "whole",
        }
    }

    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|words| words.name() == name)
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Preset {
    pub name: String,
    pub description: String,
    pub words: Words,
    pub settings: Partial,
    /// The model that it was made for; a wish, never a reason to refuse.
    pub model: Option<String>,
}

impl Preset {
    /// `draft` with this preset on it.
    #[must_use]
    pub fn over(&self, draft: &Draft) -> Draft {
        let mut settings = self.settings.clone();
        if self.words == Words::Style {
            settings.prompt = settings.prompt.map(|style| merged(&style, &draft.prompt));
            settings.negative = settings.negative.map(|style| merged(&style, &draft.negative));
        }
        settings.over(draft)
    }

    /// Settings that were read from somewhere, as a preset of their own.
    #[must_use]
    pub fn from_restored(name: &str, restored: &Restored) -> Self {
        Self {
            name: name.to_owned(),
            description: String::new(),
            words: Words::Whole,
            settings: restored.settings.clone(),
            model: restored.model.as_ref().map(|model| model.name.clone()),
        }
    }
}

/// The words of a style around or behind the typed ones.
fn merged(style: &str, typed: &str) -> String {
    if style.contains(PLACEHOLDER) {
        return style.replace(PLACEHOLDER, typed);
    }
    match (style.trim().is_empty(), typed.trim().is_empty()) {
        (true, _) => typed.to_owned(),
        (false, true) => style.to_owned(),
        (false, false) => format!("{}, {style}", typed.trim_end().trim_end_matches(',')),
    }
}
