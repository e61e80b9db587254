//! The settings and the table of keys.

use crate::i18n::{Catalog, Language};
use crate::ui::icon::Icon;
use crate::ui::theme::space;
use crate::ui::widgets::{chip, combo, heading, icon_button, muted, small};
use crate::ui::{Cx, Intent, Settings, ThemeChoice, ZOOMS};
use crate::units::Bytes;
use egui::{Align, Context, Id, Layout, Modal, RichText, Ui, vec2};

/// A limit that is set for the first time.
const FIRST_LIMIT: Bytes = Bytes::gib(4);

pub fn ui(ctx: &Context, cx: &mut Cx<'_>, settings: &Settings) {
    dialog(ctx, cx, "settings-title", 400.0, |ui, cx| {
        heading(ui, &cx.t.get("settings-theme"));
        ui.horizontal(|ui| {
            for choice in ThemeChoice::ALL {
                let name = cx.t.get(match choice {
                    ThemeChoice::System => "settings-theme-system",
                    ThemeChoice::Light => "settings-theme-light",
                    ThemeChoice::Dark => "settings-theme-dark",
                });
                if chip(ui, &name, &name, settings.theme == choice).clicked() {
                    cx.send(Intent::SetTheme(choice));
                }
            }
        });
        ui.add_space(space::M);
        language_ui(ui, cx, settings);
        ui.add_space(space::M);
        zoom_ui(ui, cx, settings);
        ui.add_space(space::M);
        limit_ui(ui, cx, settings);
    });
}

fn zoom_ui(ui: &mut Ui, cx: &mut Cx<'_>, settings: &Settings) {
    heading(ui, &cx.t.get("settings-zoom"));
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        for zoom in ZOOMS {
            let percent = cx.t.number(f64::from(zoom) * 100.0, 0);
            let text = cx.t.with("percent", &[("n", (&percent).into())]);
            let name = cx.t.with("settings-zoom-choose", &[("percent", percent.into())]);
            if chip(ui, &text, &name, (settings.zoom - zoom).abs() < 0.01).clicked() {
                cx.send(Intent::SetZoom(zoom));
            }
        }
    });
}

fn language_ui(ui: &mut Ui, cx: &mut Cx<'_>, settings: &Settings) {
    let label = cx.t.get("settings-language");
    heading(ui, &label);
    let system = cx.t.get("settings-language-system");
    let shown = settings.language.map_or_else(|| system.clone(), Catalog::language_name);
    let choices = combo("language").width(180.0).height(560.0).selected_text(shown);
    let response = choices.show_ui(ui, |ui| {
        if ui.selectable_label(settings.language.is_none(), system).clicked() {
            cx.send(Intent::SetLanguage(None));
        }
        for language in Language::ALL {
            let name = Catalog::language_name(language);
            if ui.selectable_label(settings.language == Some(language), name).clicked() {
                cx.send(Intent::SetLanguage(Some(language)));
            }
        }
    });
    response.response.accessible_name(label);
}

fn limit_ui(ui: &mut Ui, cx: &mut Cx<'_>, settings: &Settings) {
    heading(ui, &cx.t.get("settings-limit"));
    let mut limited = settings.memory_limit.is_some();
    ui.horizontal(|ui| {
        if ui.checkbox(&mut limited, cx.t.get("settings-limit-on")).changed() {
            cx.send(Intent::SetLimit(limited.then_some(FIRST_LIMIT)));
        }
        if let Some(limit) = settings.memory_limit {
            let mut gib = limit.as_gib();
            let unit = cx.t.with("bytes-gib", &[("n", "".into())]);
            let number = egui::DragValue::new(&mut gib).speed(0.05).range(0.1..=4096.0).max_decimals(2).suffix(unit);
            let response = ui.add_sized(vec2(96.0, 28.0), number).accessible_name(cx.t.get("settings-limit-amount"));
            if response.changed() {
                cx.send(Intent::SetLimit(Some(Bytes((gib * f64::from(1_u32 << 30)) as u64))));
            }
        }
    });
    small(ui, &cx.t.get("settings-limit-note"));
}

/// The table of keys: name and key of each command.
pub fn shortcuts_ui(ctx: &Context, cx: &mut Cx<'_>, lines: &[(String, String)]) {
    dialog(ctx, cx, "shortcuts-title", 380.0, |ui, _| {
        for (name, keys) in lines {
            ui.horizontal(|ui| {
                ui.label(name);
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| muted(ui, keys));
            });
        }
    });
}

/// A titled card over the window that Esc, a click beside it or its cross closes.
pub(super) fn dialog(
    ctx: &Context,
    cx: &mut Cx<'_>,
    title_id: &'static str,
    width: f32,
    content: impl FnOnce(&mut Ui, &mut Cx<'_>),
) {
    let modal = Modal::new(Id::unique(title_id));
    let response = modal.backdrop_color(backdrop(ctx)).frame(frame(ctx)).show(ctx, |ui| {
        let room = ctx.content_rect().size();
        ui.set_width(width.min(room.x - 64.0));
        ui.horizontal(|ui| {
            ui.label(RichText::new(cx.t.get(title_id)).heading());
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if icon_button(ui, Icon::Cross, &cx.t.get("close"), false).clicked() {
                    cx.send(Intent::CloseDialog);
                }
            });
        });
        ui.add_space(space::S);
        // In a window too small for it, the content scrolls under the title.
        let area = egui::ScrollArea::vertical().id_salt(title_id).max_height((room.y - 132.0).max(80.0));
        area.show(ui, |ui| content(ui, cx));
    });
    if response.should_close() {
        cx.send(Intent::CloseDialog);
    }
}

fn backdrop(ctx: &Context) -> egui::Color32 {
    crate::ui::theme::scrim(ctx.global_style().visuals.dark_mode)
}

fn frame(ctx: &Context) -> egui::Frame {
    let style = ctx.global_style();
    egui::Frame::window(&style).inner_margin(20)
}
