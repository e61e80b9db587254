//! The line at the top: who we are, for which machine we plan, what else can be opened.

use crate::ui::icon::{self, Icon};
use crate::ui::theme::{Themed as _, space, strong};
use crate::ui::widgets::{combo, icon_button, muted};
use crate::ui::{Cx, Dialog, Intent};
use egui::{Align, FontId, Layout, RichText, Sense, Ui, vec2};

pub struct Header<'a> {
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
        let name = cx.t.get("app-name");
        ui.add(egui::Label::new(RichText::new(name).font(FontId::new(17.0, strong()))).selectable(false));

        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let theme = if tokens.dark { Icon::Sun } else { Icon::Moon };
            for (icon, name_id, tip_id, intent) in [
                (Icon::Gear, "cmd-settings", "cmd-settings-tip", Intent::Open(Dialog::Settings)),
                (Icon::Keyboard, "cmd-shortcuts", "cmd-shortcuts-tip", Intent::Open(Dialog::Shortcuts)),
                (theme, "cmd-theme", "cmd-theme-tip", Intent::ToggleTheme),
            ] {
                let tip = cx.tip(ui, tip_id, &intent);
                if icon_button(ui, icon, &cx.t.get(name_id), false).on_hover_text(tip).clicked() {
                    cx.send(intent);
                }
            }
            ui.add_space(space::M);
            machine_ui(ui, cx, header);
        });
    });
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
    let choices = combo("machine").width(190.0).truncate().selected_text(shown);
    let mut chosen = None;
    let response = choices.show_ui(ui, |ui| {
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
    });
    response.response.accessible_name(label.clone()).on_hover_text(cx.t.get("machine-tip"));
    ui.add_space(space::S);
    muted(ui, &label);
    if let Some(chosen) = chosen {
        cx.send(Intent::PlanFor(chosen));
    }
}
