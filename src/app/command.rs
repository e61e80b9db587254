//! The table of commands that a key can give: what each is called, what it says, which keys, what it does.

use crate::ui::{Dialog, Intent};
use egui::{Context, Key, KeyboardShortcut, Modifiers};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AppCommand {
    Generate,
    Stop,
    FocusPrompt,
    RandomSeed,
    Swap,
    FitMap,
    Older,
    Newer,
    Theme,
    Settings,
    Shortcuts,
    Ways,
    Side,
    Memory,
    ZoomIn,
    ZoomOut,
    ZoomReset,
    OpenFiles,
    GenerateFirst,
    Pause,
    Undo,
    Redo,
}

/// One row of the table.
#[derive(Clone, Debug)]
pub struct Entry {
    pub name_id: &'static str,
    pub tip_id: &'static str,
    pub shortcut: KeyboardShortcut,
    pub intent: Intent,
    /// Works while a text field has the keyboard.
    pub everywhere: bool,
}

impl AppCommand {
    pub const ALL: [Self; 22] = [
        Self::Generate,
        Self::Stop,
        Self::FocusPrompt,
        Self::RandomSeed,
        Self::Swap,
        Self::FitMap,
        Self::Older,
        Self::Newer,
        Self::Theme,
        Self::Settings,
        Self::Shortcuts,
        Self::Ways,
        Self::Side,
        Self::Memory,
        Self::ZoomIn,
        Self::ZoomOut,
        Self::ZoomReset,
        Self::OpenFiles,
        Self::GenerateFirst,
        Self::Pause,
        Self::Undo,
        Self::Redo,
    ];

    #[must_use]
    pub fn entry(self) -> Entry {
        let ctrl = |key| KeyboardShortcut::new(Modifiers::COMMAND, key);
        let plain = |key| KeyboardShortcut::new(Modifiers::NONE, key);
        let alt = |key| KeyboardShortcut::new(Modifiers::ALT, key);
        let entry =
            |name_id, tip_id, shortcut, intent, everywhere| Entry { name_id, tip_id, shortcut, intent, everywhere };
        match self {
            Self::Generate => entry("cmd-generate", "cmd-generate-tip", ctrl(Key::Enter), Intent::Generate, true),
            Self::Stop => entry("cmd-stop", "cmd-stop-tip", plain(Key::Escape), Intent::Stop, true),
            Self::FocusPrompt => {
                entry("cmd-focus-prompt", "cmd-focus-prompt-tip", alt(Key::A), Intent::FocusPrompt, true)
            }
            Self::RandomSeed => entry("cmd-random-seed", "cmd-random-seed-tip", ctrl(Key::R), Intent::RollSeed, true),
            Self::Swap => entry("cmd-swap", "cmd-swap-tip", ctrl(Key::T), Intent::Swap, true),
            Self::FitMap => entry("cmd-fit-map", "cmd-fit-map-tip", ctrl(Key::M), Intent::Open(Dialog::FitMap), true),
            Self::Older => entry("cmd-older", "cmd-older-tip", alt(Key::ArrowLeft), Intent::Step(-1), false),
            Self::Newer => entry("cmd-newer", "cmd-newer-tip", alt(Key::ArrowRight), Intent::Step(1), false),
            Self::Theme => entry("cmd-theme", "cmd-theme-tip", ctrl(Key::L), Intent::ToggleTheme, true),
            Self::Settings => {
                entry("cmd-settings", "cmd-settings-tip", ctrl(Key::Comma), Intent::Open(Dialog::Settings), true)
            }
            Self::Shortcuts => {
                entry("cmd-shortcuts", "cmd-shortcuts-tip", plain(Key::F1), Intent::Open(Dialog::Shortcuts), true)
            }
            Self::Ways => entry("cmd-ways", "cmd-ways-tip", ctrl(Key::E), Intent::Open(Dialog::Ways), true),
            Self::Side => entry("cmd-side", "cmd-side-tip", ctrl(Key::B), Intent::ToggleSide, true),
            Self::Memory => entry("cmd-memory", "cmd-memory-tip", ctrl(Key::J), Intent::ToggleMemory, true),
            Self::ZoomIn => entry("cmd-zoom-in", "cmd-zoom-tip", ctrl(Key::Plus), Intent::Zoom(1), true),
            Self::ZoomOut => entry("cmd-zoom-out", "cmd-zoom-tip", ctrl(Key::Minus), Intent::Zoom(-1), true),
            Self::ZoomReset => entry("cmd-zoom-reset", "cmd-zoom-tip", ctrl(Key::Num0), Intent::Zoom(0), true),
            Self::OpenFiles => entry("cmd-open", "cmd-open-tip", ctrl(Key::O), Intent::OpenFiles, true),
            Self::GenerateFirst => {
                let keys = KeyboardShortcut::new(Modifiers::COMMAND | Modifiers::SHIFT, Key::Enter);
                entry("cmd-first", "cmd-first-tip", keys, Intent::GenerateFirst, true)
            }
            Self::Pause => entry("cmd-pause", "cmd-pause-tip", ctrl(Key::P), Intent::TogglePause, true),
            // In a field, the field takes its own words back.
            Self::Undo => entry("cmd-undo", "cmd-undo-tip", ctrl(Key::Z), Intent::Undo, false),
            Self::Redo => entry("cmd-redo", "cmd-redo-tip", ctrl(Key::Y), Intent::Redo, false),
        }
    }
}

/// The keys that do the same as `intent`.
#[must_use]
pub fn shortcut_of(intent: &Intent) -> Option<KeyboardShortcut> {
    AppCommand::ALL.into_iter().map(AppCommand::entry).find(|entry| entry.intent == *intent).map(|entry| entry.shortcut)
}

/// What was pressed in this frame. `busy` is whether something can be stopped, `dialog` what lies on top.
pub(super) fn pressed(ctx: &Context, busy: bool, dialog: Option<Dialog>) -> Vec<Intent> {
    let dialog = dialog.is_some();
    let typing = ctx.text_edit_focused();
    let popup = egui::Popup::is_any_open(ctx);
    let mut all = Vec::new();
    // The keys with more modifiers first, or the plain ones would take them.
    let mut commands = AppCommand::ALL;
    commands.sort_by_key(|command| !command.entry().shortcut.modifiers.shift);
    for command in commands {
        let entry = command.entry();
        if typing && !entry.everywhere {
            continue;
        }
        // Esc closes what lies on top first; a dialog takes only the keys that open and close dialogs.
        let allowed = match command {
            AppCommand::Stop => busy && !dialog && !popup,
            AppCommand::Settings
            | AppCommand::Shortcuts
            | AppCommand::FitMap
            | AppCommand::Ways
            | AppCommand::Theme
            | AppCommand::ZoomIn
            | AppCommand::ZoomOut
            | AppCommand::ZoomReset => !popup,
            _ => !dialog && !popup,
        };
        if allowed && ctx.input_mut(|input| input.consume_shortcut(&entry.shortcut)) {
            all.push(entry.intent);
        }
    }
    // The plus of a keyboard without a number pad is often on the key of the equals sign.
    if ctx.input_mut(|input| input.consume_key(Modifiers::COMMAND, Key::Equals)) {
        all.push(Intent::Zoom(1));
    }
    all
}
