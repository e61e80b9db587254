//! One bar a pool: what others hold, what we hold, what this picture will take, how far we may go.

use super::model::{Gauge, GaugeOrWhy};
use crate::i18n::Catalog;
use crate::machine::Reading;
use crate::ui::Cx;
use crate::ui::theme::{Themed as _, Tokens, size};
use crate::ui::widgets::{heading, small};
use crate::units::Bytes;
use egui::{
    Align, Align2, Color32, FontId, Layout, Painter, Rect, Role, Sense, Shape, Stroke, StrokeKind, Ui, WidgetInfo,
    pos2, vec2,
};

/// Height of a bar that stands alone, and of one among several.
const ALONE: f32 = 14.0;
const AMONG: f32 = 10.0;

pub(super) fn ui(ui: &mut Ui, cx: &Cx<'_>, gauges: &[GaugeOrWhy]) {
    ui.spacing_mut().item_spacing.y = 4.0;
    ui.horizontal(|ui| {
        ui.set_height(18.0);
        heading(ui, &cx.t.get("memory-label"));
        if let [GaugeOrWhy::Gauge(gauge)] = gauges {
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                small(ui, &cx.t.with("gauge-total", &[("bytes", cx.t.bytes(gauge.total).into())]));
            });
        }
    });
    if gauges.len() > 1 {
        ui.spacing_mut().item_spacing.y = 1.0;
    }
    for gauge in gauges {
        match gauge {
            GaugeOrWhy::Gauge(gauge) => gauge_ui(ui, cx.t, gauge, gauges.len() > 1),
            GaugeOrWhy::Unknown(pool, why) => {
                let args = [("pool", cx.t.pool_title(*pool).into()), ("why", cx.t.unknown(*why).into())];
                small(ui, &cx.t.with("gauge-unknown", &args));
            }
        }
    }
    if let Some(GaugeOrWhy::Gauge(gauge)) = gauges.iter().find(|gauge| matches!(gauge, GaugeOrWhy::Gauge(_))) {
        legend_ui(ui, cx.t, gauge, gauges.len() == 1);
    }
}

fn gauge_ui(ui: &mut Ui, t: &Catalog, gauge: &Gauge, titled: bool) {
    let tokens = ui.tokens();
    let (high, title) = if titled { (AMONG, 14.0) } else { (ALONE, 0.0) };
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), high + title + 2.0), Sense::hover());
    let known = |bytes: Option<Bytes>| bytes.map_or_else(|| t.get("not-known"), |bytes| t.bytes(bytes));
    let spoken = t.with(
        "gauge-spoken",
        &[
            ("pool", t.pool_title(gauge.pool).into()),
            ("others", t.bytes(gauge.others).into()),
            ("ours", t.bytes(gauge.ours).into()),
            ("peak", known(gauge.peak).into()),
            ("budget", known(gauge.budget.known()).into()),
            ("total", t.bytes(gauge.total).into()),
        ],
    );
    response.widget_info(|| WidgetInfo::labeled(Role::Meter, true, &spoken));
    if ui.is_rect_visible(rect) {
        let painter = ui.painter();
        if titled {
            let font = FontId::proportional(size::SMALL);
            painter.text(rect.left_top(), Align2::LEFT_TOP, t.pool_title(gauge.pool), font.clone(), tokens.text_muted);
            let total = t.bytes(gauge.total);
            painter.text(rect.right_top(), Align2::RIGHT_TOP, total, font, tokens.text_faint);
        }
        let bar =
            Rect::from_min_max(pos2(rect.left(), rect.bottom() - high - 1.0), pos2(rect.right(), rect.bottom() - 1.0));
        paint(painter, tokens, bar, gauge);
    }
    response.on_hover_text(spoken);
}

fn paint(painter: &Painter, tokens: &Tokens, bar: Rect, gauge: &Gauge) {
    let total = gauge.total.get().max(1) as f64;
    let x = |bytes: Bytes| bar.left() + bar.width() * (bytes.get() as f64 / total).min(1.0) as f32;
    painter.rect_filled(bar, 4.0, tokens.sunken);
    let clipped = painter.with_clip_rect(bar.intersect(painter.clip_rect()));
    let segment = |from: Bytes, to: Bytes, color: Color32| {
        let rect = Rect::from_min_max(pos2(x(from), bar.top()), pos2(x(to), bar.bottom()));
        clipped.rect_filled(rect, 0.0, color);
        rect
    };
    segment(Bytes::ZERO, gauge.others, tokens.others);
    segment(gauge.others, gauge.others + gauge.ours, tokens.ours);
    if let Some(peak) = gauge.peak {
        let end = gauge.others + peak;
        let allowed = match gauge.budget {
            Reading::Known(room) => gauge.others + room,
            Reading::Unknown(_) => gauge.total,
        };
        let from = gauge.others + gauge.ours;
        let fits = segment(from, end.min(allowed).max(from), tokens.planned.gamma_multiply(0.55));
        hatch(&clipped, fits, tokens.planned);
        if end > allowed {
            let over = segment(allowed.max(from), end.max(from), tokens.short.gamma_multiply(0.7));
            hatch(&clipped, over, tokens.short);
        }
    }
    painter.rect_stroke(bar, 4.0, Stroke::new(1.0, tokens.hairline), StrokeKind::Inside);
    if let Reading::Known(room) = gauge.budget {
        let at = x(gauge.others + room);
        let reach = if bar.height() < ALONE { 1.0 } else { 3.0 };
        painter.vline(at, bar.top() - reach..=bar.bottom() + reach, Stroke::new(2.0, tokens.text));
    }
}

/// Slanted lines: what is planned but not held yet.
fn hatch(painter: &Painter, rect: Rect, color: Color32) {
    if rect.width() < 1.0 {
        return;
    }
    let painter = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
    let mut x = rect.left() - rect.height();
    while x < rect.right() {
        let line = [pos2(x, rect.bottom()), pos2(x + rect.height(), rect.top())];
        painter.add(Shape::line_segment(line, Stroke::new(1.0, color)));
        x += 5.0;
    }
}

/// The four colours with their numbers; without numbers where several bars share them.
fn legend_ui(ui: &mut Ui, t: &Catalog, gauge: &Gauge, numbers: bool) {
    let tokens = ui.tokens();
    let mut entries = vec![
        (tokens.others, "gauge-others-name", "gauge-others", Some(gauge.others)),
        (tokens.ours, "gauge-ours-name", "gauge-ours", Some(gauge.ours)),
    ];
    if gauge.peak.is_some() {
        entries.push((tokens.planned, "gauge-peak-name", "gauge-peak", gauge.peak));
    }
    if numbers {
        entries.push((tokens.text, "gauge-room-name", "gauge-budget", gauge.budget.known()));
    }
    ui.spacing_mut().interact_size.y = 16.0;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(4.0, 0.0);
        for (color, name, with_number, bytes) in entries {
            let text = match bytes {
                Some(bytes) if numbers => t.with(with_number, &[("bytes", t.bytes(bytes).into())]),
                _ => t.get(name),
            };
            legend_entry(ui, color, &text);
        }
    });
}

/// Colour and words as one unit, so that a line break never parts them.
fn legend_entry(ui: &mut Ui, color: Color32, text: &str) {
    let ink = ui.tokens().text_muted;
    let galley = ui.painter().layout_no_wrap(text.to_owned(), FontId::proportional(size::SMALL), ink);
    let dot = 13.0;
    let (rect, response) = ui.allocate_exact_size(vec2(galley.size().x + dot + 6.0, 16.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, text));
    let place = Rect::from_center_size(rect.left_center() + vec2(4.5, 0.0), vec2(8.0, 8.0));
    ui.painter().rect_filled(place, 2.0, color);
    let at = pos2(rect.left() + dot, rect.center().y - galley.size().y / 2.0);
    ui.painter().galley(at, galley, ink);
}
