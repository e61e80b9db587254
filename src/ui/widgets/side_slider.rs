//! The slider whose track shows the verdict of every position.

use super::verdict::look_of_cell;
use crate::planner::CellVerdict;
use crate::ui::scale::{SideScale, TRACK_CELLS};
use crate::ui::theme::{Themed as _, radius};
use egui::{EventFilter, Key, Painter, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2};

const HEIGHT: f32 = 22.0;
const TRACK: f32 = 14.0;
/// Room at both ends, so that the handle never leaves the track.
const INSET: f32 = 7.0;

/// `Some(side)` where the user moved it. `name` says label, value and verdict; `says` what a place under the pointer
/// would mean.
pub fn side_slider(
    ui: &mut Ui,
    scale: SideScale,
    value: i64,
    track: &[CellVerdict],
    name: &str,
    says: impl FnOnce(i64, Option<CellVerdict>) -> String,
) -> Option<i64> {
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), HEIGHT), Sense::click_and_drag());
    let rail = Rect::from_center_size(rect.center(), vec2(rect.width(), TRACK));
    let span = rail.shrink2(vec2(INSET, 0.0)).x_range();
    let moved = pointer_value(&response, scale, span)
        .or_else(|| key_value(ui, &response, scale, value))
        .or_else(|| spoken_value(ui, &response, scale))
        .filter(|moved| *moved != value);
    let shown = moved.unwrap_or(value);
    response.widget_info(|| WidgetInfo::slider(ui.is_enabled(), shown as f64, name));
    ui.ctx().accesskit_node_builder(response.id, |node| {
        use egui::accesskit::Action;
        node.set_role(Role::Slider);
        node.set_min_numeric_value(f64::from(scale.min));
        node.set_max_numeric_value(f64::from(scale.max));
        node.set_numeric_value_step(f64::from(scale.multiple));
        for action in [Action::SetValue, Action::Increment, Action::Decrement] {
            node.add_action(action);
        }
    });
    if ui.is_rect_visible(rect) {
        paint(ui, &response, rail, span, scale, shown, track);
    }
    // Where a click would land, and what it would say there, before it is done.
    if let Some(pointer) = response.hover_pos()
        && !response.dragged()
    {
        let fraction = ((pointer.x - span.min) / span.span().max(1.0)).clamp(0.0, 1.0);
        let side = i64::from(scale.side(fraction));
        let x = span.min + scale.fraction(side as f64) * span.span();
        let ghost = Rect::from_center_size(pos2(x, rail.center().y), vec2(3.0, HEIGHT - 4.0));
        ui.painter().rect_filled(ghost, 1.5, ui.tokens().text.gamma_multiply(0.5));
        let cell = track.get(((fraction * TRACK_CELLS as f32) as usize).min(TRACK_CELLS - 1)).copied();
        response.on_hover_text_at_pointer(says(side, cell));
    }
    moved
}

fn pointer_value(response: &Response, scale: SideScale, span: egui::Rangef) -> Option<i64> {
    let pointer = response.interact_pointer_pos()?;
    let fraction = (pointer.x - span.min) / span.span().max(1.0);
    Some(i64::from(scale.side(fraction)))
}

fn key_value(ui: &Ui, response: &Response, scale: SideScale, value: i64) -> Option<i64> {
    let mut steps = 0_i64;
    if response.has_focus() {
        let filter = EventFilter { horizontal_arrows: true, ..Default::default() };
        ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
        steps += ui.input(|input| {
            let arrows = input.num_presses(Key::ArrowRight) as i64 - input.num_presses(Key::ArrowLeft) as i64;
            let pages = input.num_presses(Key::PageUp) as i64 - input.num_presses(Key::PageDown) as i64;
            arrows + pages * 8
        });
    }
    steps += ui.input(|input| {
        use egui::accesskit::Action;
        input.num_accesskit_action_requests(response.id, Action::Increment) as i64
            - input.num_accesskit_action_requests(response.id, Action::Decrement) as i64
    });
    if steps == 0 {
        return None;
    }
    let multiple = i64::from(scale.multiple);
    // From a size between two multiples, the first step goes to the next multiple.
    let base = if steps > 0 { value.div_euclid(multiple) } else { (value + multiple - 1).div_euclid(multiple) };
    Some(((base + steps) * multiple).clamp(i64::from(scale.min), i64::from(scale.max)))
}

fn spoken_value(ui: &Ui, response: &Response, scale: SideScale) -> Option<i64> {
    use egui::accesskit::{Action, ActionData};
    let asked = ui.input(|input| {
        input
            .accesskit_action_requests(response.id, Action::SetValue)
            .filter_map(|request| match request.data {
                Some(ActionData::NumericValue(value)) => Some(value),
                _ => None,
            })
            .last()
    })?;
    Some((asked.round() as i64).clamp(i64::from(scale.min), i64::from(scale.max)))
}

fn paint(
    ui: &Ui,
    response: &Response,
    rail: Rect,
    span: egui::Rangef,
    scale: SideScale,
    value: i64,
    track: &[CellVerdict],
) {
    let tokens = ui.tokens();
    let painter = ui.painter();
    painter.rect_filled(rail, radius::S, tokens.sunken);
    paint_track(ui, painter, rail, span, track);
    for tick in scale.ticks() {
        let x = span.min + scale.fraction(f64::from(tick)) * span.span();
        painter.vline(x, rail.bottom() - 3.0..=rail.bottom(), Stroke::new(1.0, tokens.surface.gamma_multiply(0.8)));
    }
    painter.rect_stroke(rail, radius::S, Stroke::new(1.0, tokens.hairline), StrokeKind::Inside);

    let x = span.min + scale.fraction(value as f64) * span.span();
    let hot = response.hovered() || response.dragged() || response.has_focus();
    let handle = Rect::from_center_size(pos2(x, rail.center().y), vec2(if hot { 9.0 } else { 7.0 }, HEIGHT));
    painter.rect_filled(handle.expand(1.5), 5.0, tokens.surface);
    let fill = if hot { tokens.accent } else { tokens.text };
    painter.rect_filled(handle, 4.0, fill);
    if response.has_focus() {
        painter.rect_stroke(handle.expand(3.0), 6.0, Stroke::new(2.0, tokens.accent), StrokeKind::Middle);
    }
}

/// Columns whose colour and height both tell the verdict; neighbours that agree are one column.
fn paint_track(ui: &Ui, painter: &Painter, rail: Rect, span: egui::Rangef, track: &[CellVerdict]) {
    let tokens = ui.tokens();
    let painter = painter.with_clip_rect(rail.intersect(ui.clip_rect()));
    let edge = |index: usize| match index {
        0 => rail.left(),
        last if last == track.len() => rail.right(),
        index => span.min + index as f32 / TRACK_CELLS as f32 * span.span(),
    };
    let mut start = 0;
    for run in track.chunk_by(|a, b| a == b) {
        let end = start + run.len();
        let look = look_of_cell(run[0], tokens);
        let top = rail.bottom() - 1.0 - (rail.height() - 2.0) * look.height;
        let column = Rect::from_min_max(pos2(edge(start), top), pos2(edge(end), rail.bottom() - 1.0));
        painter.rect_filled(column, 1.5, look.fill);
        start = end;
    }
}
