//! Labels and exact numbers.

use crate::i18n::Catalog;
use crate::ui::theme::{CONTROL_HEIGHT, Themed as _, size, strong};
use egui::{DragValue, Label, Response, RichText, Ui, vec2};
use std::ops::RangeInclusive;

/// The name of a group.
pub fn heading(ui: &mut Ui, text: &str) -> Response {
    ui.label(RichText::new(text).size(13.0).family(strong()))
}

/// The name of a field.
pub fn muted(ui: &mut Ui, text: &str) -> Response {
    let ink = ui.tokens().text_muted;
    ui.add(Label::new(RichText::new(text).size(size::LABEL).color(ink)).selectable(false))
}

/// Side remarks.
pub fn small(ui: &mut Ui, text: &str) -> Response {
    let ink = ui.tokens().text_faint;
    ui.add(Label::new(RichText::new(text).size(size::SMALL).color(ink)).selectable(false).wrap())
}

/// Something to be mended, beneath its field.
pub fn note(ui: &mut Ui, text: &str) -> Response {
    let ink = ui.tokens().short;
    ui.add(Label::new(RichText::new(text).size(size::SMALL).color(ink)).wrap())
}

/// A label at the left and its control at the right of one row.
pub fn labelled<R>(ui: &mut Ui, label: &str, content: impl FnOnce(&mut Ui) -> R) -> R {
    ui.horizontal(|ui| {
        muted(ui, label);
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), content).inner
    })
    .inner
}

/// An exact whole number. Out-of-range values can be typed and are told to be so, never silently changed.
pub fn integer(ui: &mut Ui, value: &mut i64, name: &str, speed: f64, width: f32) -> Response {
    let response = ui.add_sized(
        vec2(width, CONTROL_HEIGHT),
        DragValue::new(value).speed(speed).clamp_existing_to_range(false).update_while_editing(false),
    );
    response.accessible_name(name)
}

/// An exact number with a fraction.
pub fn real(ui: &mut Ui, t: &Catalog, value: &mut f64, name: &str, drag_range: RangeInclusive<f64>) -> Response {
    let read = |text: &str| text.trim().replace(',', ".").parse().ok();
    let write = |value: f64, places: RangeInclusive<usize>| t.number(value, *places.end());
    let number = DragValue::new(value)
        .speed(0.1)
        .range(drag_range)
        .clamp_existing_to_range(false)
        .max_decimals(1)
        .custom_parser(read)
        .custom_formatter(write);
    ui.add_sized(vec2(76.0, CONTROL_HEIGHT), number).accessible_name(name)
}
