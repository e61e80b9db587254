//! Every size at a glance: width to the right, height upwards, each cell with the verdict of that size.

use super::settings::dialog;
use crate::planner::CellVerdict;
use crate::ui::theme::{Themed as _, radius, size, space};
use crate::ui::widgets::{look_of_cell, small};
use crate::ui::{Cx, Intent};
use crate::units::PixelSize;
use egui::{
    Align2, Color32, Context, FontId, Mesh, Rect, Role, Sense, Shape, Stroke, StrokeKind, Ui, WidgetInfo, pos2, vec2,
};

/// The grid as far as it is computed. `cell(x, y)` has both sides counted from the smallest.
pub struct FitMap<'a> {
    pub sides: &'a [u32],
    /// Row by row from the smallest height; `None` is not computed yet.
    pub cells: &'a [Option<CellVerdict>],
    pub now: PixelSize,
}

impl FitMap<'_> {
    fn cell(&self, x: usize, y: usize) -> Option<CellVerdict> {
        // Coarse cells are computed first and stand for their finer neighbours until those are known.
        [1_usize, 2, 4, 8].into_iter().find_map(|stride| {
            let (x, y) = (x / stride * stride, y / stride * stride);
            self.cells.get(y * self.sides.len() + x).copied().flatten()
        })
    }
}

pub fn ui(ctx: &Context, cx: &mut Cx<'_>, map: &FitMap<'_>) {
    let room = ctx.content_rect().size();
    let side = (room.x - 120.0).min(room.y - 250.0).clamp(200.0, 448.0);
    dialog(ctx, cx, "map-title", side + 44.0, |ui, cx| {
        let (first, last) = (map.sides.first().copied().unwrap_or(1), map.sides.last().copied().unwrap_or(1));
        let args = [
            ("from", cx.t.size(PixelSize::new(first, first)).into()),
            ("to", cx.t.size(PixelSize::new(last, last)).into()),
        ];
        small(ui, &cx.t.with("map-body", &args));
        ui.add_space(space::S);
        grid_ui(ui, cx, map, side);
        ui.add_space(space::S);
        legend_ui(ui, cx, map);
    });
}

fn grid_ui(ui: &mut Ui, cx: &mut Cx<'_>, map: &FitMap<'_>, side: f32) {
    let tokens = ui.tokens();
    let (outer, _) = ui.allocate_exact_size(vec2(ui.available_width(), side + 18.0), Sense::hover());
    let rect = Rect::from_min_size(pos2(outer.left() + 38.0, outer.top()), vec2(side, side));
    let response = ui.interact(rect, ui.scope_id().with("map"), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, cx.t.get("map-label")));
    ui.painter().rect_filled(rect, radius::S, tokens.sunken);
    let count = map.sides.len().max(1);
    let cell = side / count as f32;
    let place = |x: usize, y: usize| {
        Rect::from_min_size(
            pos2(rect.left() + x as f32 * cell, rect.bottom() - (y + 1) as f32 * cell),
            vec2(cell, cell),
        )
    };
    let mut mesh = Mesh::default();
    for y in 0..count {
        for x in 0..count {
            if let Some(verdict) = map.cell(x, y) {
                let look = look_of_cell(verdict, tokens);
                // Colour alone is not enough: cells that do not fit are smaller.
                let gap = if verdict == CellVerdict::Short { cell * 0.32 } else { 0.0 };
                mesh.add_colored_rect(place(x, y).shrink(gap), look.fill);
            }
        }
    }
    ui.painter().add(Shape::mesh(mesh));
    for line in (8..count).step_by(8) {
        let offset = line as f32 * cell;
        let stroke = Stroke::new(1.0, tokens.surface.gamma_multiply(0.35));
        ui.painter().vline(rect.left() + offset, rect.y_range(), stroke);
        ui.painter().hline(rect.x_range(), rect.bottom() - offset, stroke);
    }
    axes_ui(ui, map, rect, cell);
    let index = |wanted: u32| map.sides.iter().position(|side| *side >= wanted).unwrap_or(count - 1);
    let now = place(index(map.now.width), index(map.now.height));
    ui.painter().rect_stroke(now.expand(2.0), 2.0, Stroke::new(2.0, tokens.text), StrokeKind::Middle);

    if let Some(pointer) = response.hover_pos() {
        let x = (((pointer.x - rect.left()) / cell) as usize).min(count - 1);
        let y = (((rect.bottom() - pointer.y) / cell) as usize).min(count - 1);
        let size = PixelSize::new(map.sides[x], map.sides[y]);
        ui.painter().rect_stroke(place(x, y).expand(1.0), 1.0, Stroke::new(1.5, tokens.accent), StrokeKind::Middle);
        if response.clicked() {
            cx.send(Intent::TakeSize(size));
            cx.send(Intent::CloseDialog);
        }
        if let Some(verdict) = map.cell(x, y) {
            let args = [("size", cx.t.size(size).into()), ("verdict", cx.t.cell(verdict).into())];
            response.on_hover_text_at_pointer(cx.t.with("map-cell", &args));
        }
    }
}

fn axes_ui(ui: &Ui, map: &FitMap<'_>, rect: Rect, cell: f32) {
    let tokens = ui.tokens();
    let font = FontId::proportional(10.0);
    let count = map.sides.len();
    for part in 0..=4_usize {
        let index = (count.saturating_sub(1)) * part / 4;
        let Some(side) = map.sides.get(index) else { continue };
        let offset = (index as f32 + 0.5) * cell;
        let below = pos2(rect.left() + offset, rect.bottom() + 4.0);
        ui.painter().text(below, Align2::CENTER_TOP, side, font.clone(), tokens.text_faint);
        let beside = pos2(rect.left() - 6.0, rect.bottom() - offset);
        ui.painter().text(beside, Align2::RIGHT_CENTER, side, font.clone(), tokens.text_faint);
    }
}

/// One entry for each verdict that the map holds.
fn legend_ui(ui: &mut Ui, cx: &Cx<'_>, map: &FitMap<'_>) {
    let mut seen: Vec<CellVerdict> = Vec::new();
    for verdict in map.cells.iter().flatten() {
        if !seen.contains(verdict) {
            seen.push(*verdict);
        }
    }
    seen.sort_by_key(|verdict| match verdict {
        CellVerdict::Fits(choice) => (0, choice.decode as u8, choice.tier as u8),
        CellVerdict::CannotTell => (1, 0, 0),
        CellVerdict::Short => (2, 0, 0),
    });
    ui.spacing_mut().interact_size.y = 16.0;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for verdict in seen {
            let color = look_of_cell(verdict, ui.tokens()).fill;
            swatch(ui, color);
            let text = cx.t.cell(verdict);
            ui.label(egui::RichText::new(text).size(size::SMALL).color(ui.tokens().text_muted));
            ui.add_space(space::S);
        }
        let now = cx.t.with("map-now", &[("size", cx.t.size(map.now).into())]);
        let ink = ui.tokens().text_faint;
        ui.add(egui::Label::new(egui::RichText::new(now).size(size::SMALL).color(ink)).extend());
    });
}

/// A small square of a colour, before the words that explain it.
pub(super) fn swatch(ui: &mut Ui, color: Color32) {
    let (rect, _) = ui.allocate_exact_size(vec2(10.0, 14.0), Sense::hover());
    ui.painter().rect_filled(Rect::from_center_size(rect.center(), vec2(9.0, 9.0)), 2.5, color);
}
