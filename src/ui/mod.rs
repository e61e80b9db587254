//! The only widgets. Panels are given what they show, edit the [`Form`] and answer with [`Intent`]s; they know no
//! worker, no file and no application state, and every word comes from a [`Catalog`].

pub mod form;
pub mod icon;
pub mod panels;
pub mod scale;
pub mod textures;
pub mod theme;
pub mod trace;
pub mod widgets;

pub use form::{Form, Settings, ThemeChoice};

use crate::gallery::PictureId;
use crate::i18n::{Catalog, Language};
use crate::job::JobId;
use crate::planner::Remedy;
use crate::units::{Bytes, PixelSize};
use egui::{Context, KeyboardShortcut};

/// Everything that a widget or a key may ask for.
#[derive(Clone, Debug, PartialEq)]
pub enum Intent {
    /// Draw, or queue while something is drawn.
    Generate,
    /// First click on "run anyway": arms the second.
    ArmForce,
    /// The second, deliberate click.
    GenerateAnyway,
    Stop,
    Apply(Remedy),
    ChooseModel(usize),
    /// `None` is this machine.
    PlanFor(Option<usize>),
    TakeSize(PixelSize),
    Aspect(u32, u32),
    Swap,
    Native,
    LargestThatFits,
    RollSeed,
    Defaults,
    /// Put an example into the prompt.
    Example(String),
    Select(PictureId),
    /// Towards newer pictures where positive.
    Step(isize),
    ReuseSelected,
    Remove(JobId),
    Retry(JobId),
    Open(Dialog),
    CloseDialog,
    ToggleTheme,
    SetTheme(ThemeChoice),
    SetLanguage(Option<Language>),
    SetLimit(Option<Bytes>),
    Dismiss(u64),
    FocusPrompt,
}

/// What may lie over the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    Settings,
    Shortcuts,
    FitMap,
}

/// What every panel is handed: the words, the keys, and a place for what is asked.
pub struct Cx<'a> {
    pub t: &'a Catalog,
    pub shortcut: fn(&Intent) -> Option<KeyboardShortcut>,
    pub intents: Vec<Intent>,
}

impl Cx<'_> {
    pub fn send(&mut self, intent: Intent) {
        self.intents.push(intent);
    }

    /// A tooltip with the key that does the same, if there is one.
    #[must_use]
    pub fn tip(&self, ctx: &Context, tip_id: &str, intent: &Intent) -> String {
        let tip = self.t.get(tip_id);
        match (self.shortcut)(intent) {
            Some(keys) => {
                let keys = ctx.format_shortcut(&keys);
                self.t.with("button-with-shortcut", &[("tip", tip.into()), ("keys", keys.into())])
            }
            None => tip,
        }
    }
}
