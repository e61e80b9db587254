//! The plan as a picture: each phase as wide as it is long, as high as it is full, with the measured curve over it.

use super::model::{Block, Timeline};
use crate::i18n::Catalog;
use crate::planner::{Phase, Term};
use crate::ui::Cx;
use crate::ui::theme::{Themed as _, Tokens, size, space};
use crate::ui::widgets::{heading, small};
use crate::units::Bytes;
use egui::{
    Align, Align2, FontId, Layout, Rect, Response, RichText, Role, Sense, Shape, Stroke, Ui, WidgetInfo, pos2, vec2,
};

pub(super) fn ui(ui: &mut Ui, cx: &Cx<'_>, timeline: Option<&Timeline>) {
    ui.spacing_mut().item_spacing.y = 4.0;
    ui.horizontal(|ui| {
        ui.set_height(18.0);
        heading(ui, &cx.t.get("timeline-label"));
        if let Some(timeline) = timeline {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| summary_ui(ui, cx.t, timeline));
        }
    });
    let Some(timeline) = timeline else {
        small(ui, &cx.t.get("timeline-empty"));
        return;
    };
    let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::hover());
    response.widget_info(|| {
        let phases: Vec<_> = timeline
            .blocks
            .iter()
            .map(|block| {
                let args = [("phase", cx.t.phase(block.phase).into()), ("bytes", cx.t.bytes(block.total).into())];
                cx.t.with("timeline-phase", &args)
            })
            .collect();
        let spoken = cx.t.with("timeline-spoken", &[("phases", phases.join(", ").into())]);
        WidgetInfo::labeled(Role::Figure, true, spoken)
    });
    if ui.is_rect_visible(rect) && rect.height() > 24.0 {
        paint(ui, cx.t, timeline, rect);
        hover_ui(cx.t, timeline, rect, response);
    }
}

/// Predicted against measured, in numbers.
fn summary_ui(ui: &mut Ui, t: &Catalog, timeline: &Timeline) {
    let ink = ui.tokens().text_muted;
    let fits = |ui: &Ui, text: &str| {
        let galley = ui.painter().layout_no_wrap(text.to_owned(), FontId::proportional(size::SMALL), ink);
        galley.size().x <= ui.available_width()
    };
    let text = match timeline.measured {
        Some(measured) => {
            let planned = timeline.predicted;
            let off = (measured.get() as f64 / planned.get().max(1) as f64 - 1.0) * 100.0;
            let percent = t.number(off.abs(), 1);
            let error = if off.abs() < 0.05 {
                t.get("timeline-exact")
            } else if off > 0.0 {
                t.with("timeline-over", &[("percent", percent.into())])
            } else {
                t.with("timeline-within", &[("percent", percent.into())])
            };
            let short =
                t.with("timeline-compare-short", &[("measured", t.bytes(measured).into()), ("error", (&error).into())]);
            let args =
                [("planned", t.bytes(planned).into()), ("measured", t.bytes(measured).into()), ("error", error.into())];
            let long = t.with("timeline-compare", &args);
            let bare = t.with("timeline-measured", &[("bytes", t.bytes(measured).into())]);
            [long, short].into_iter().find(|text| fits(ui, text)).unwrap_or(bare)
        }
        None => t.with("timeline-planned", &[("bytes", t.bytes(timeline.predicted).into())]),
    };
    ui.add(egui::Label::new(RichText::new(text).size(size::SMALL).color(ink)).truncate());
}

fn chart(rect: Rect) -> Rect {
    rect.with_max_y(rect.bottom() - 15.0)
}

fn block_rect(area: Rect, block: &Block) -> Rect {
    let x = |share: f32| area.left() + area.width() * share;
    Rect::from_min_max(pos2(x(block.from), area.top()), pos2(x(block.to) - 2.0, area.bottom()))
}

fn paint(ui: &Ui, t: &Catalog, timeline: &Timeline, rect: Rect) {
    let tokens = ui.tokens();
    let painter = ui.painter_at(rect.expand(1.0));
    let area = chart(rect);
    let top = timeline.top.get() as f64;
    let height = |bytes: Bytes| area.height() * (bytes.get() as f64 / top).min(1.0) as f32;
    for block in &timeline.blocks {
        let column = block_rect(area, block);
        painter.rect_filled(column, 3.0, tokens.sunken);
        let mut bottom = column.bottom();
        for (term, bytes) in block.terms.iter().rev() {
            let high = height(*bytes);
            let part = Rect::from_min_max(pos2(column.left(), bottom - high), pos2(column.right(), bottom));
            painter.rect_filled(part, 1.5, term_color(tokens, *term));
            bottom -= high;
        }
        let name = t.phase_short(block.phase);
        let galley = painter.layout_no_wrap(name, FontId::proportional(10.5), tokens.text_muted);
        if galley.size().x <= column.width() + 1.0 {
            let at = pos2(column.center().x - galley.size().x / 2.0, area.bottom() + 2.0);
            painter.galley(at, galley, tokens.text_muted);
        }
    }
    if let Some(room) = timeline.budget
        && room <= timeline.top
    {
        let y = area.bottom() - height(room);
        let ends = [pos2(area.left(), y), pos2(area.right(), y)];
        painter.extend(Shape::dashed_line(&ends, Stroke::new(1.5, tokens.short), 5.0, 3.0));
    }
    if timeline.curve.len() > 1 {
        let points: Vec<_> = timeline
            .curve
            .iter()
            .map(|(share, bytes)| pos2(area.left() + area.width() * share, area.bottom() - height(*bytes)))
            .collect();
        painter.add(Shape::line(points.clone(), Stroke::new(4.0, tokens.canvas.gamma_multiply(0.7))));
        painter.add(Shape::line(points, Stroke::new(2.0, tokens.measured)));
    }
}

fn term_color(tokens: &Tokens, term: Term) -> egui::Color32 {
    tokens.terms[term as usize % tokens.terms.len()]
}

fn hover_ui(t: &Catalog, timeline: &Timeline, rect: Rect, response: Response) {
    let Some(pointer) = response.hover_pos() else { return };
    let area = chart(rect);
    let Some(block) = timeline.blocks.iter().find(|block| block_rect(area, block).x_range().contains(pointer.x)) else {
        return;
    };
    response.on_hover_ui_at_pointer(|ui| {
        ui.set_min_width(190.0);
        ui.spacing_mut().item_spacing.y = 3.0;
        heading(ui, &t.phase_short(block.phase));
        row(ui, None, &t.with("timeline-planned", &[("bytes", t.bytes(block.total).into())]), "");
        if let Some(measured) = measured_in(timeline, block.phase) {
            row(ui, None, &t.with("timeline-measured", &[("bytes", t.bytes(measured).into())]), "");
        }
        if let Some(secs) = block.secs {
            row(ui, None, &t.about(secs), "");
        }
        ui.add_space(space::XS);
        for (term, bytes) in &block.terms {
            let color = term_color(ui.tokens(), *term);
            row(ui, Some(color), &t.term(*term), &t.bytes(*bytes));
        }
    });
}

fn measured_in(timeline: &Timeline, phase: Phase) -> Option<Bytes> {
    timeline.phase_peaks.get(phase as usize).copied().flatten()
}

fn row(ui: &mut Ui, color: Option<egui::Color32>, name: &str, value: &str) {
    let tokens = ui.tokens();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width().max(190.0), 15.0), Sense::hover());
    let mut left = rect.left();
    if let Some(color) = color {
        ui.painter().rect_filled(Rect::from_center_size(pos2(left + 5.0, rect.center().y), vec2(9.0, 9.0)), 2.5, color);
        left += 16.0;
    }
    let font = FontId::proportional(size::LABEL);
    ui.painter().text(pos2(left, rect.center().y), Align2::LEFT_CENTER, name, font.clone(), tokens.text);
    ui.painter().text(rect.right_center(), Align2::RIGHT_CENTER, value, font, tokens.text_muted);
}
