//! The line at the top: who we are, for which machine we plan, what else can be opened.

use crate::ui::icon::{self, Icon};
use crate::ui::theme::{Themed as _, size, space, strong};
use crate::ui::widgets::{combo, icon_button, muted};
use crate::ui::{Cx, Dialog, Intent, Layout as Parts, Pane};
use egui::{Align, FontId, Layout, RichText, Sense, Ui, vec2};

pub struct Header<'a> {
    /// The part that is shown, where there is room for one only.
    pub pane: Option<Pane>,
    pub layout: Parts,
    /// The machine that this runs on, as its probe names it.
    pub own: &'a str,
    /// Well-known machines to plan for.
    pub others: Vec<&'a str>,
    pub elsewhere: Option<usize>,
}

pub fn ui(ui: &mut Ui, cx: &mut Cx<'_>, header: &Header<'_>) {
    ui.horizontal_centered(|ui| {
        let tokens = ui.tokens();
        let (rect, _) = ui.allocate_exact_size(vec2(26.0, 26.0), Sense::hover());
        icon::mark(ui.painter(), rect, tokens.accent, tokens.on_accent);
        ui.add_space(2.0);
        if let Some(pane) = header.pane {
            panes_ui(ui, cx, pane);
        } else {
            let name = cx.t.get("app-name");
            ui.add(egui::Label::new(RichText::new(name).font(FontId::new(17.0, strong()))).selectable(false));
        }

        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            buttons_ui(ui, cx, header);
            ui.add_space(if header.pane.is_some() { space::XS } else { space::M });
            machine_ui(ui, cx, header);
        });
    });
}

/// One button a part of the window, in a window that shows one at a time.
fn panes_ui(ui: &mut Ui, cx: &mut Cx<'_>, shown: Pane) {
    ui.spacing_mut().item_spacing.x = 2.0;
    for pane in Pane::ALL {
        let (icon, name) = match pane {
            Pane::Form => (Icon::Pencil, "pane-form"),
            Pane::Viewer => (Icon::Picture, "pane-viewer"),
            Pane::Side => (Icon::Grid, "pane-side"),
            Pane::Memory => (Icon::Meter, "memory-label"),
        };
        let name = cx.t.get(name);
        if icon_button(ui, icon, &name, pane == shown).on_hover_text(&name).clicked() {
            cx.send(Intent::Show(pane));
        }
    }
}

fn buttons_ui(ui: &mut Ui, cx: &mut Cx<'_>, header: &Header<'_>) {
    let theme = if ui.tokens().dark { Icon::Sun } else { Icon::Moon };
    let mut all = vec![
        (Icon::Gear, "cmd-settings", "cmd-settings-tip", Intent::Open(Dialog::Settings), false),
        (Icon::Keyboard, "cmd-shortcuts", "cmd-shortcuts-tip", Intent::Open(Dialog::Shortcuts), false),
        (theme, "cmd-theme", "cmd-theme-tip", Intent::ToggleTheme, false),
    ];
    if header.pane.is_none() {
        all.push((Icon::SidePanel, "cmd-side", "cmd-side-tip", Intent::ToggleSide, header.layout.side_open));
        all.push((Icon::BottomPanel, "cmd-memory", "cmd-memory-tip", Intent::ToggleMemory, header.layout.memory_open));
    }
    for (icon, name, tip, intent, on) in all {
        let tip = cx.tip(ui, tip, &intent);
        if icon_button(ui, icon, &cx.t.get(name), on).on_hover_text(tip).clicked() {
            cx.send(intent);
        }
    }
}

fn machine_ui(ui: &mut Ui, cx: &mut Cx<'_>, header: &Header<'_>) {
    let this = if header.own.is_empty() {
        cx.t.get("machine-this")
    } else {
        cx.t.with("machine-named", &[("name", header.own.into())])
    };
    let shown = match header.elsewhere.and_then(|index| header.others.get(index)) {
        Some(name) => (*name).to_owned(),
        None => cx.t.get("machine-this"),
    };
    let label = cx.t.get("machine-label");
    let width = if header.pane.is_some() { (ui.available_width() - space::S).clamp(60.0, 190.0) } else { 190.0 };
    let choices = combo("machine").width(width).truncate().selected_text(shown);
    let mut chosen = None;
    let response = choices.height(ui.ctx().content_rect().height() - 80.0).show_ui(ui, |ui| {
        ui.set_min_width(300.0);
        if ui.selectable_label(header.elsewhere.is_none(), this).clicked() {
            chosen = Some(None);
        }
        if !header.others.is_empty() {
            ui.separator();
        }
        for (index, name) in header.others.iter().enumerate() {
            if ui.selectable_label(header.elsewhere == Some(index), *name).clicked() {
                chosen = Some(Some(index));
            }
        }
        ui.separator();
        let ink = ui.tokens().text_faint;
        ui.add(egui::Label::new(RichText::new(cx.t.get("machine-own-files")).size(size::SMALL).color(ink)).wrap());
    });
    response.response.accessible_name(label.clone()).on_hover_text(cx.t.get("machine-tip"));
    if header.pane.is_none() {
        ui.add_space(space::S);
        muted(ui, &label);
    }
    if let Some(chosen) = chosen {
        cx.send(Intent::PlanFor(chosen));
    }
}
