//! What is being drawn and what waits.

use crate::job::{JobId, QueueEntry, Status};
use crate::planner::Shortage;
use crate::ui::icon::Icon;
use crate::ui::theme::{Themed as _, radius, size, space};
use crate::ui::widgets::{heading, icon_button, small};
use crate::ui::{Cx, Intent};
use egui::{Frame, Label, Margin, RichText, Ui};

pub struct QueueLine<'a> {
    pub entry: &'a QueueEntry,
    /// Why it is held.
    pub held: Option<Shortage>,
    /// Steps that an earlier try has done, of all.
    pub kept: Option<(u32, u32)>,
}

pub fn ui(ui: &mut Ui, cx: &mut Cx<'_>, lines: &[QueueLine<'_>]) {
    ui.spacing_mut().item_spacing.y = 6.0;
    heading(ui, &cx.t.get("queue-label"));
    if lines.is_empty() {
        small(ui, &cx.t.get("queue-empty"));
        return;
    }
    egui::ScrollArea::vertical().id_salt("queue").max_height(190.0).auto_shrink([false, true]).show(ui, |ui| {
        for line in lines {
            line_ui(ui, cx, line);
        }
    });
}

fn line_ui(ui: &mut Ui, cx: &mut Cx<'_>, line: &QueueLine<'_>) {
    let tokens = ui.tokens();
    let job = &line.entry.job;
    let running = line.entry.status == Status::Running;
    let fill = if running { tokens.accent_soft } else { tokens.raised };
    Frame::new().fill(fill).corner_radius(radius::M).inner_margin(Margin::symmetric(10, 6)).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 1.0;
        ui.horizontal(|ui| {
            let buttons = if running { 0.0 } else { 34.0 };
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
                    None if line.entry.status == Status::Held => cx.t.get("queue-stopped"),
                    None => cx.t.status(line.entry.status),
                };
                let state = line.kept.filter(|_| !running).map_or(state.clone(), |(done, all)| {
                    let args = [("done", done.to_string().into()), ("all", all.to_string().into())];
                    format!("{state} · {}", cx.t.with("queue-kept", &args))
                });
                let ink = if line.held.is_some() { tokens.short } else { tokens.text_muted };
                let facts = format!("{} · {state}", cx.t.size(job.recipe.size()));
                ui.add(Label::new(RichText::new(facts).size(size::SMALL).color(ink)).wrap().selectable(false));
            });
            if !running {
                remove_ui(ui, cx, job.id, job.recipe.prompt());
            }
        });
        if line.entry.status == Status::Held {
            ui.add_space(space::XS);
            let (name, tip) = if line.kept.is_some() {
                ("queue-go-on", "queue-go-on-tip")
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

fn remove_ui(ui: &mut Ui, cx: &mut Cx<'_>, id: JobId, prompt: &str) {
    let name = cx.t.with("queue-remove", &[("prompt", prompt.into())]);
    if icon_button(ui, Icon::Cross, &name, false).on_hover_text(&name).clicked() {
        cx.send(Intent::Remove(id));
    }
}
