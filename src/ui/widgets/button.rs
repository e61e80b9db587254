//! Buttons: the one big one, quiet ones with an icon, chips.

use super::focus_ring;
use crate::ui::icon::Icon;
use crate::ui::theme::{CONTROL_HEIGHT, Themed as _, radius, size, space, strong};
use egui::{Align2, Color32, FontId, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

const PRIMARY_HEIGHT: f32 = 46.0;

/// A square button with an icon; `name` is what it is called aloud.
pub fn icon_button(ui: &mut Ui, icon: Icon, name: &str, selected: bool) -> Response {
    let side = CONTROL_HEIGHT;
    let (rect, response) = ui.allocate_exact_size(vec2(side, side), Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), selected, name));
    if ui.is_rect_visible(rect) {
        let tokens = ui.tokens();
        let hot = response.hovered() || response.has_focus();
        let fill = match (selected, response.is_pointer_button_down_on(), hot) {
            (true, ..) => tokens.accent_soft,
            (_, true, _) => tokens.raised_active,
            (_, _, true) => tokens.raised_hover,
            _ => Color32::TRANSPARENT,
        };
        ui.painter().rect_filled(rect, radius::M, fill);
        let ink = if selected {
            tokens.accent
        } else if hot {
            tokens.text
        } else {
            tokens.text_muted
        };
        icon.paint(ui.painter(), Rect::from_center_size(rect.center(), vec2(16.0, 16.0)), ink);
        focus_ring(ui, &response, radius::M);
    }
    response
}

/// A small pill with text.
pub fn chip(ui: &mut Ui, text: &str, name: &str, selected: bool) -> Response {
    let tokens = ui.tokens();
    let font = FontId::proportional(size::LABEL);
    let galley = ui.painter().layout_no_wrap(text.to_owned(), font, tokens.text);
    let wanted = vec2(galley.size().x + 18.0, 26.0);
    let (rect, response) = ui.allocate_exact_size(wanted, Sense::click());
    response.widget_info(|| WidgetInfo::selected(Role::Button, ui.is_enabled(), selected, name));
    if ui.is_rect_visible(rect) {
        let hot = response.hovered() || response.has_focus();
        let (fill, border, ink) = if selected {
            (tokens.accent_soft, tokens.accent, tokens.text)
        } else if hot {
            (tokens.raised_hover, tokens.outline, tokens.text)
        } else {
            (tokens.raised, tokens.hairline, tokens.text_muted)
        };
        ui.painter().rect(rect, 13.0, fill, Stroke::new(1.0, border), StrokeKind::Inside);
        ui.painter().galley_with_override_text_color(rect.center() - galley.size() / 2.0, galley, ink);
        focus_ring(ui, &response, 13);
    }
    response
}

/// A quiet button with text and, before it, an icon.
pub fn text_button(ui: &mut Ui, icon: Option<Icon>, text: &str, ink: Option<Color32>) -> Response {
    let tokens = ui.tokens();
    let ink = ink.unwrap_or(tokens.text);
    let font = FontId::proportional(size::LABEL);
    let icon_room = if icon.is_some() { 14.0 + space::S } else { 0.0 };
    let galley = ui.painter().layout(text.to_owned(), font, ink, (ui.available_width() - 22.0 - icon_room).max(40.0));
    let wanted = vec2(galley.size().x + 20.0 + icon_room, (galley.size().y + 12.0).max(28.0));
    let (rect, response) = ui.allocate_exact_size(wanted, Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), text));
    if ui.is_rect_visible(rect) {
        let hot = response.hovered() || response.has_focus();
        let fill = match (response.is_pointer_button_down_on(), hot) {
            (true, _) => tokens.raised_active,
            (_, true) => tokens.raised_hover,
            _ => tokens.raised,
        };
        let border = if hot { tokens.outline } else { tokens.hairline };
        ui.painter().rect(rect, radius::M, fill, Stroke::new(1.0, border), StrokeKind::Inside);
        if let Some(icon) = icon {
            let place = Rect::from_center_size(rect.left_center() + vec2(10.0 + 7.0, 0.0), vec2(14.0, 14.0));
            icon.paint(ui.painter(), place, ink);
        }
        let left = rect.left() + 10.0 + icon_room;
        ui.painter().galley(egui::pos2(left, rect.center().y - galley.size().y / 2.0), galley, ink);
        focus_ring(ui, &response, radius::M);
    }
    response
}

/// As high as the big button, with an icon only.
pub fn square(ui: &mut Ui, icon: Icon, name: &str) -> Response {
    let tokens = ui.tokens();
    let (rect, response) = ui.allocate_exact_size(vec2(PRIMARY_HEIGHT, PRIMARY_HEIGHT), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), name));
    if ui.is_rect_visible(rect) {
        let hot = ui.is_enabled() && (response.hovered() || response.has_focus());
        let (fill, ink) = match (ui.is_enabled(), hot) {
            (false, _) => (tokens.raised, tokens.text_faint),
            (true, true) => (tokens.accent_hover, tokens.on_accent),
            (true, false) => (tokens.accent, tokens.on_accent),
        };
        ui.painter().rect_filled(rect, radius::L - 2, fill);
        icon.paint(ui.painter(), Rect::from_center_size(rect.center(), vec2(18.0, 18.0)), ink);
        focus_ring(ui, &response, radius::L);
    }
    response
}

/// The one button that matters most, as wide as there is room. `calm` is its look while it means "stop".
pub fn primary(ui: &mut Ui, icon: Icon, text: &str, keys: &str, calm: bool) -> Response {
    let tokens = ui.tokens();
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), PRIMARY_HEIGHT), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), text));
    if ui.is_rect_visible(rect) {
        let hot = ui.is_enabled() && (response.hovered() || response.has_focus());
        let (fill, ink) = match (ui.is_enabled(), calm, hot) {
            (false, ..) => (tokens.raised, tokens.text_faint),
            (_, true, false) => (tokens.raised_active, tokens.text),
            (_, true, true) => (tokens.short, tokens.on_accent),
            (_, false, false) => (tokens.accent, tokens.on_accent),
            (_, false, true) => (tokens.accent_hover, tokens.on_accent),
        };
        let painter = ui.painter();
        let border = if ui.is_enabled() { fill } else { tokens.hairline };
        painter.rect(rect, radius::L - 2, fill, Stroke::new(1.0, border), StrokeKind::Inside);
        let galley = painter.layout_no_wrap(text.to_owned(), FontId::new(15.0, strong()), ink);
        let width = galley.size().x + 16.0 + space::S;
        let left = rect.center().x - width / 2.0;
        let place = Rect::from_center_size(egui::pos2(left + 8.0, rect.center().y), vec2(15.0, 15.0));
        icon.paint(painter, place, ink);
        let text_left = left + 16.0 + space::S;
        let text_right = text_left + galley.size().x;
        painter.galley(egui::pos2(text_left, rect.center().y - galley.size().y / 2.0), galley, ink);
        let hint = painter.layout_no_wrap(keys.to_owned(), FontId::proportional(size::SMALL), ink.gamma_multiply(0.7));
        if text_right + space::L + hint.size().x + space::M < rect.right() {
            painter.text(
                rect.right_center() - vec2(space::M + 2.0, 0.0),
                Align2::RIGHT_CENTER,
                keys,
                FontId::proportional(size::SMALL),
                ink.gamma_multiply(0.7),
            );
        }
        focus_ring(ui, &response, radius::L);
    }
    response
}
