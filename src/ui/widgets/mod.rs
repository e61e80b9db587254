//! Small parts that panels are made of. All have an accessible name and take the keyboard.

mod button;
mod field;
mod side_slider;
mod verdict;

pub use button::{chip, icon_button, primary, square, text_button};
pub use field::{heading, integer, labelled, muted, note, real, small};
pub use side_slider::side_slider;
pub use verdict::{Look, badge, look_of, look_of_cell, paint_icon};

use super::theme::{Themed as _, radius, space};
use egui::{Frame, InnerResponse, Margin, Response, Stroke, StrokeKind, Ui};

/// A drop-down list with our own chevron.
pub fn combo(id_salt: &'static str) -> egui::ComboBox<'static> {
    egui::ComboBox::from_id_salt(id_salt).icon(|ui, rect, visuals, _| {
        let rect = egui::Rect::from_center_size(rect.center(), egui::vec2(12.0, 12.0));
        super::icon::Icon::ChevronDown.paint(ui.painter(), rect, visuals.text_color());
    })
}

/// A raised, rounded group.
pub fn card<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
    let tokens = ui.tokens();
    Frame::new()
        .fill(tokens.raised)
        .stroke(Stroke::new(1.0, tokens.hairline))
        .corner_radius(radius::L)
        .inner_margin(Margin::same(space::M as i8))
        .show(ui, content)
}

/// The ring around what has the keyboard.
pub fn focus_ring(ui: &Ui, response: &Response, corner: u8) {
    if response.has_focus() {
        let stroke = Stroke::new(2.0, ui.tokens().accent);
        ui.painter().rect_stroke(response.rect.expand(1.5), corner.saturating_add(1), stroke, StrokeKind::Middle);
    }
}
