//! What may lie over the window, and news in words.

use super::command::AppCommand;
use super::host::{Found, Unkept};
use super::intake::{Hovered, file_name};
use super::state::{News, State};
use crate::i18n::{Arg, Catalog, Told};
use crate::ui::icon::Icon;
use crate::ui::panels::drop::{self, DropLine};
use crate::ui::panels::fit_map::FitMap;
use crate::ui::panels::ways::Ways;
use crate::ui::panels::{fit_map, settings, ways};
use crate::ui::{Cx, Dialog};
use egui::Ui;

pub(super) fn ui(ui: &Ui, cx: &mut Cx<'_>, state: &State) {
    if !state.hovered.is_empty() {
        let lines: Vec<_> = state.hovered.iter().map(|hovered| drop_line(cx.t, hovered)).collect();
        drop::ui(ui, cx.t, &lines);
        return;
    }
    match state.dialog {
        None => {}
        Some(Dialog::Settings) => settings::ui(ui, cx, &state.settings),
        Some(Dialog::Shortcuts) => {
            let lines: Vec<_> = AppCommand::ALL
                .into_iter()
                .map(|command| {
                    let entry = command.entry();
                    (cx.t.get(entry.name_id), ui.format_shortcut(&entry.shortcut))
                })
                .collect();
            settings::shortcuts_ui(ui, cx, &lines);
        }
        Some(Dialog::Ways) => {
            if let Some(answer) = &state.outlook.answer {
                let view = Ways { rungs: &state.outlook.ladder, chosen: answer.plan.choice, pinned: state.pinned };
                ways::ui(ui, cx, &view);
            }
        }
        Some(Dialog::FitMap) => {
            if let (Some(map), Some(recipe)) = (&state.map, &state.outlook.recipe) {
                fit_map::ui(ui, cx, &FitMap { sides: &map.sides, cells: &map.cells, now: recipe.size() });
            }
        }
    }
}

/// What letting go of a file would do.
fn drop_line(t: &Catalog, hovered: &Hovered) -> DropLine {
    let name = file_name(&hovered.path);
    let (icon, will) = match &hovered.found {
        None => (None, t.get("drop-looking")),
        Some(Found::Settings(_) | Found::Preset(..)) => (Some(Icon::Reuse), t.get("drop-settings")),
        Some(Found::Machine(machine)) => {
            (Some(Icon::Meter), t.with("drop-machine", &[("name", (&machine.name).into())]))
        }
        Some(Found::Model(entry)) => {
            let family = t.family(entry.inventory.family);
            let bytes = t.bytes(entry.inventory.bytes());
            (Some(Icon::Plus), t.with("drop-model", &[("family", family.into()), ("bytes", bytes.into())]))
        }
        Some(Found::Unknown) => (Some(Icon::Cross), t.get("drop-unknown")),
        Some(Found::Nothing(why)) => (Some(Icon::Cross), t.with("drop-nothing", &[("why", why.into())])),
    };
    let good = !matches!(hovered.found, Some(Found::Nothing(_) | Found::Unknown));
    DropLine { icon, name, will, good }
}

/// News in words.
pub(super) fn tell(t: &Catalog, news: &News) -> Told {
    match news {
        News::Failed(failure) => t.failure(failure),
        News::Refused(shortage) => Told {
            what: t.with("notice-refused", &[("what", t.shortage(shortage).into())]),
            hint: t.get("notice-refused-hint"),
        },
        News::Replanned { was, now } => Told {
            what: t.with("notice-replanned", &[("tier", t.choice(*now).into()), ("was", t.choice(*was).into())]),
            hint: t.get("notice-replanned-hint"),
        },
        News::SaveFailed(why) => {
            Told { what: t.with("notice-save-failed", &[("why", why.into())]), hint: t.get("notice-save-failed-hint") }
        }
        News::Restored { name, left } => {
            let what = if name.is_empty() {
                t.get("notice-restored-text")
            } else {
                t.with("notice-restored", &[("name", name.into())])
            };
            let hint = if left.is_empty() {
                t.get("notice-restored-hint")
            } else {
                t.with("notice-restored-left", &[("left", left.join(", ").into())])
            };
            Told { what, hint }
        }
        News::ModelAbsent { model } => Told {
            what: t.with("notice-model-absent", &[("model", model.into())]),
            hint: t.get("notice-model-absent-hint"),
        },
        News::MachineAdded { name } => Told {
            what: t.with("notice-machine-added", &[("name", name.into())]),
            hint: t.get("notice-machine-added-hint"),
        },
        News::ModelAdded { name } => Told {
            what: t.with("notice-model-added", &[("name", name.into())]),
            hint: t.get("notice-model-added-hint"),
        },
        News::NotTaken { name, why } => {
            let what = if name.is_empty() {
                t.get("notice-not-taken-text")
            } else {
                t.with("notice-not-taken", &[("name", name.into())])
            };
            Told { what, hint: why.clone().unwrap_or_else(|| t.get("notice-not-taken-hint")) }
        }
        News::NotKnown { name } => Told {
            what: if name.is_empty() {
                t.get("notice-not-taken-text")
            } else {
                t.with("notice-not-taken", &[("name", name.into())])
            },
            hint: t.get("notice-not-known-hint"),
        },
        News::TooMany(most) => Told {
            what: t.with("notice-too-many", &[("most", Arg::Count(*most))]),
            hint: t.get("notice-too-many-hint"),
        },
        News::Interrupted => Told { what: t.get("notice-interrupted"), hint: t.get("notice-interrupted-hint") },
        News::QueueUnkept(Unkept::Elsewhere) => {
            Told { what: t.get("notice-queue-elsewhere"), hint: t.get("notice-queue-unkept-hint") }
        }
        News::QueueUnkept(Unkept::Failed(why)) => Told {
            what: t.with("notice-queue-unkept", &[("why", why.into())]),
            hint: t.get("notice-queue-unkept-hint"),
        },
        News::Busy => Told { what: t.get("notice-busy"), hint: t.get("notice-busy-hint") },
    }
}
