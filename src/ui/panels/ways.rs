//! Every way to draw the same picture, side by side: tier, decode, what it holds, how long it takes, whether it fits.

use super::settings::dialog;
use crate::i18n::Catalog;
use crate::planner::{CellVerdict, Choice, Rung};
use crate::ui::theme::{Themed as _, radius, size, space, strong};
use crate::ui::widgets::{chip, focus_ring, look_of_cell, paint_icon, small};
use crate::ui::{Cx, Intent};
use egui::{Align2, Color32, Context, FontId, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

pub struct Ways<'a> {
    pub rungs: &'a [Rung],
    /// The one that would run now.
    pub chosen: Choice,
    /// The only one allowed, where the user said so.
    pub pinned: Option<Choice>,
}

const ROW: f32 = 34.0;
const LEFT: f32 = 38.0;

/// Width of each column: tier, decode, one peak a pool, time, verdict.
fn columns(pools: usize) -> Vec<f32> {
    let mut all = vec![118.0, 96.0];
    all.extend(std::iter::repeat_n(112.0, pools));
    all.extend([104.0, 108.0]);
    all
}

pub fn ui(ctx: &Context, cx: &mut Cx<'_>, view: &Ways<'_>) {
    let pools = view.rungs.first().map_or(1, |rung| rung.peaks.len());
    let widths = columns(pools);
    let width = widths.iter().sum::<f32>() + LEFT + space::S;
    dialog(ctx, cx, "ways-title", width, |ui, cx| {
        small(ui, &cx.t.get("ways-body"));
        ui.add_space(space::XS);
        let automatic = cx.t.get("ways-automatic");
        if chip(ui, &automatic, &automatic, view.pinned.is_none())
            .on_hover_text(cx.t.get("ways-automatic-tip"))
            .clicked()
        {
            cx.send(Intent::Pin(None));
        }
        ui.add_space(space::S);
        egui::ScrollArea::horizontal().show(ui, |ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            head_ui(ui, cx.t, view, &widths, width);
            for rung in view.rungs {
                rung_ui(ui, cx, view, rung, &widths, width);
            }
        });
    });
}

fn head_ui(ui: &mut Ui, t: &Catalog, view: &Ways<'_>, widths: &[f32], width: f32) {
    let mut names = vec![t.get("ways-tier"), t.get("ways-decode")];
    if let Some(rung) = view.rungs.first() {
        names.extend(rung.peaks.iter().map(|(pool, _)| t.pool_title(*pool)));
    }
    names.extend([t.get("ways-time"), t.get("ways-verdict")]);
    let (rect, _) = ui.allocate_exact_size(vec2(width, 22.0), Sense::hover());
    let ink = ui.tokens().text_faint;
    let font = FontId::proportional(size::SMALL);
    cells(ui, rect, widths, &names, &font, |_| ink);
}

/// Texts in their columns, cut where a column ends.
fn cells(ui: &Ui, rect: Rect, widths: &[f32], texts: &[String], font: &FontId, ink: impl Fn(usize) -> Color32) {
    let mut left = rect.left() + LEFT;
    for (index, (width, text)) in widths.iter().zip(texts).enumerate() {
        let column = Rect::from_min_max(pos2(left, rect.top()), pos2(left + width - 6.0, rect.bottom()));
        let painter = ui.painter().with_clip_rect(column.intersect(ui.clip_rect()));
        painter.text(column.left_center(), Align2::LEFT_CENTER, text, font.clone(), ink(index));
        left += width;
    }
}

fn rung_ui(ui: &mut Ui, cx: &mut Cx<'_>, view: &Ways<'_>, rung: &Rung, widths: &[f32], width: f32) {
    let tokens = ui.tokens();
    let cell = match rung.fits {
        Some(true) => CellVerdict::Fits(rung.choice),
        Some(false) => CellVerdict::Short,
        None => CellVerdict::CannotTell,
    };
    let verdict = cx.t.get(match rung.fits {
        Some(true) => "verdict-fits",
        Some(false) => "verdict-short",
        None => "verdict-cannot-tell",
    });
    let time = rung.secs.map_or_else(|| cx.t.get("not-known"), |secs| cx.t.about(secs));
    let mut texts = vec![cx.t.tier(rung.choice.tier), cx.t.decode(rung.choice.decode)];
    texts.extend(rung.peaks.iter().map(|(_, bytes)| cx.t.bytes(*bytes)));
    texts.extend([time, verdict]);
    let pinned = view.pinned == Some(rung.choice);
    let now = view.chosen == rung.choice;

    let (rect, response) = ui.allocate_exact_size(vec2(width, ROW), Sense::click());
    let spoken = cx.t.with("ways-row", &[("facts", texts.join(", ").into())]);
    response.widget_info(|| WidgetInfo::selected(Role::Button, true, pinned, &spoken));
    if ui.is_rect_visible(rect) {
        let hot = response.hovered() || response.has_focus();
        let fill = match (now, hot) {
            (true, _) => tokens.accent_soft,
            (false, true) => tokens.raised_hover,
            (false, false) => tokens.raised,
        };
        ui.painter().rect_filled(rect, radius::M, fill);
        let look = look_of_cell(cell, tokens);
        paint_icon(ui.painter(), rect.left_center() + vec2(19.0, 0.0), look, fill);
        let font = if now { FontId::new(size::LABEL, strong()) } else { FontId::proportional(size::LABEL) };
        let last = texts.len() - 1;
        let ink = |index| if index == last { look.color } else { tokens.text };
        cells(ui, rect, widths, &texts, &font, ink);
        focus_ring(ui, &response, radius::M);
    }
    let tip = cx.t.tier_tip(rung.choice.tier);
    if response.on_hover_text(tip).clicked() {
        cx.send(Intent::Pin((!pinned).then_some(rung.choice)));
    }
}
