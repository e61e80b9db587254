//! What is being drawn and what waits.

use crate::job::{JobId, QueueEntry, Status};
use crate::planner::Shortage;
use crate::ui::icon::Icon;
use crate::ui::theme::{CONTROL_HEIGHT, Themed as _, radius, size, space};
use crate::ui::widgets::{heading, icon_button, small};
use crate::ui::{Cx, Intent};
use egui::{Frame, Label, Margin, RichText, Ui};

pub struct QueueLine<'a> {
    pub entry: &'a QueueEntry,
    /// Why it is held.
    pub held: Option<Shortage>,
    /// It ran when the program died.
    pub interrupted: bool,
    /// Steps that an earlier try has done, of all.
    pub kept: Option<(u32, u32)>,
}

pub fn ui(ui: &mut Ui, cx: &mut Cx<'_>, lines: &[QueueLine<'_>], paused: bool) {
    ui.spacing_mut().item_spacing.y = 6.0;
    ui.horizontal(|ui| {
        heading(ui, &cx.t.get("queue-label"));
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let (icon, name) = if paused { (Icon::Play, "queue-go-on") } else { (Icon::Pause, "cmd-pause") };
            let tip = cx.tip(ui, "cmd-pause-tip", &Intent::TogglePause);
            if icon_button(ui, icon, &cx.t.get(name), paused).on_hover_text(tip).clicked() {
                cx.send(Intent::TogglePause);
            }
            let waits = lines.iter().any(|line| line.entry.status != Status::Running);
            if waits {
                let name = cx.t.get("queue-clear");
                if icon_button(ui, Icon::Bin, &name, false).on_hover_text(&name).clicked() {
                    cx.send(Intent::ClearQueue);
                }
            }
        });
    });
    if paused {
        let ink = ui.tokens().fits_slower;
        let text = RichText::new(cx.t.get("queue-paused")).size(size::SMALL).color(ink);
        ui.add(Label::new(text).wrap());
    }
    if lines.is_empty() {
        small(ui, &cx.t.get("queue-empty"));
        return;
    }
    egui::ScrollArea::vertical().id_salt("queue").max_height(300.0).auto_shrink([false, true]).show(ui, |ui| {
        for (place, line) in lines.iter().enumerate() {
            let movable =
                |other: Option<&QueueLine<'_>>| other.is_some_and(|line| line.entry.status != Status::Running);
            let up = place.checked_sub(1).is_some_and(|before| movable(lines.get(before)));
            line_ui(ui, cx, line, up, movable(lines.get(place + 1)));
        }
    });
}

fn line_ui(ui: &mut Ui, cx: &mut Cx<'_>, line: &QueueLine<'_>, up: bool, down: bool) {
    let tokens = ui.tokens();
    let job = &line.entry.job;
    let running = line.entry.status == Status::Running;
    let fill = if running { tokens.accent_soft } else { tokens.raised };
    Frame::new().fill(fill).corner_radius(radius::M).inner_margin(Margin::symmetric(10, 6)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.horizontal(|ui| {
            // The button, and the space before it: a line wider than its panel would push the panel wider at every frame.
            let buttons = if running { 0.0 } else { CONTROL_HEIGHT + 2.0 * ui.spacing().item_spacing.x };
            ui.vertical(|ui| {
                ui.set_width((ui.available_width() - buttons).max(40.0));
                let prompt = job.recipe.prompt().trim();
                let prompt = if prompt.is_empty() { cx.t.get("queue-untitled") } else { prompt.to_owned() };
                ui.add(Label::new(RichText::new(prompt).size(13.0)).truncate().selectable(false));
                let state = match line.held {
                    Some(shortage) => {
                        let args = [("by", cx.t.bytes(shortage.by).into()), ("pool", cx.t.pool(shortage.pool).into())];
                        let why = cx.t.with("queue-held-short", &args);
                        cx.t.with("queue-held", &[("why", why.into())])
                    }
                    None if line.interrupted => cx.t.get("queue-interrupted"),
                    None if line.entry.status == Status::Held => cx.t.get("queue-stopped"),
                    None => cx.t.status(line.entry.status),
                };
                let state = line.kept.filter(|_| !running).map_or(state.clone(), |(done, all)| {
                    let args = [("done", done.to_string().into()), ("all", all.to_string().into())];
                    format!("{state} · {}", cx.t.with("queue-kept", &args))
                });
                let ink = if line.held.is_some() || line.interrupted { tokens.short } else { tokens.text_muted };
                let facts = format!("{} · {state}", cx.t.size(job.recipe.size()));
                ui.add(Label::new(RichText::new(facts).size(size::SMALL).color(ink)).wrap().selectable(false));
            });
            if !running {
                remove_ui(ui, cx, job.id, job.recipe.prompt());
            }
        });
        if !running && (up || down) {
            order_ui(ui, cx, job.id, job.recipe.prompt(), up, down);
        }
        if line.entry.status == Status::Held {
            ui.add_space(space::XS);
            let (name, tip) = if line.kept.is_some() {
                ("queue-resume", "queue-resume-tip")
            } else {
                ("queue-retry", "queue-retry-tip")
            };
            let retry = crate::ui::widgets::text_button(ui, None, &cx.t.get(name), None);
            if retry.on_hover_text(cx.t.get(tip)).clicked() {
                cx.send(Intent::Retry(job.id));
            }
        }
    });
}

/// Where in the queue: to the front, one up, one down.
fn order_ui(ui: &mut Ui, cx: &mut Cx<'_>, id: JobId, prompt: &str, up: bool, down: bool) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (icon, name, intent, possible) in [
            (Icon::First, "queue-first", Intent::JobFirst(id), up),
            (Icon::Up, "queue-up", Intent::MoveJob(id, -1), up),
            (Icon::Down, "queue-down", Intent::MoveJob(id, 1), down),
        ] {
            let name = cx.t.with(name, &[("prompt", prompt.into())]);
            ui.add_enabled_ui(possible, |ui| {
                if icon_button(ui, icon, &name, false).on_hover_text(&name).clicked() {
                    cx.send(intent);
                }
            });
        }
    });
}

fn remove_ui(ui: &mut Ui, cx: &mut Cx<'_>, id: JobId, prompt: &str) {
    let name = cx.t.with("queue-remove", &[("prompt", prompt.into())]);
    if icon_button(ui, Icon::Cross, &name, false).on_hover_text(&name).clicked() {
        cx.send(Intent::Remove(id));
    }
}
