//! The only widgets. Panels are given what they show, edit the [`Form`] and answer with [`Intent`]s; they know no
//! worker, no file and no application state, and every word comes from a [`Catalog`].

pub mod form;
pub mod icon;
pub mod panels;
pub mod prompt;
pub mod scale;
pub mod textures;
pub mod theme;
pub mod trace;
pub mod widgets;

pub use form::{Form, Layout, MAX_RUNS, Seeds, Settings, ThemeChoice, ZOOMS};

use crate::gallery::PictureId;
use crate::i18n::{Catalog, Language};
use crate::job::JobId;
use crate::planner::{Choice, Remedy};
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
    /// Before everything that waits.
    GenerateFirst,
    Stop,
    Apply(Remedy),
    /// Draw this way and no other; `None` takes the fastest that fits.
    Pin(Option<Choice>),
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
    /// Towards the front where negative.
    MoveJob(JobId, isize),
    JobFirst(JobId),
    ClearQueue,
    /// Finish what is drawn, start nothing more.
    TogglePause,
    /// Earlier prompts where positive, back towards the present where negative.
    History(isize),
    Undo,
    Redo,
    Retry(JobId),
    Open(Dialog),
    CloseDialog,
    ToggleTheme,
    SetTheme(ThemeChoice),
    SetZoom(f32),
    /// Steps through the magnifications; zero is the usual one.
    Zoom(i32),
    KeepLayout(Layout),
    ToggleSide,
    ToggleMemory,
    Show(Pane),
    SetLanguage(Option<Language>),
    SetLimit(Option<Bytes>),
    Dismiss(u64),
    FocusPrompt,
    /// Choose files in the system's own dialog.
    OpenFiles,
}

/// What may lie over the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    Settings,
    Shortcuts,
    FitMap,
    /// Every tier and decode side by side.
    Ways,
}

/// The parts of the window. A small window shows one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    #[default]
    Form,
    Viewer,
    Side,
    Memory,
}

impl Pane {
    pub const ALL: [Self; 4] = [Self::Form, Self::Viewer, Self::Side, Self::Memory];
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
