//! Verdicts as colour, icon and height together, so that none of them is needed to tell them apart.

use crate::planner::{Answer, CellVerdict, Choice, Decode, Tier, Verdict};
use crate::ui::icon::Icon;
use crate::ui::theme::{Themed as _, Tokens, radius, size, space, strong};
use egui::{Color32, FontId, Painter, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

/// How a verdict looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// For words, borders and icons.
    pub color: Color32,
    /// For areas.
    pub fill: Color32,
    pub icon: Icon,
    /// Share of a track's height that it fills.
    pub height: f32,
}

#[must_use]
pub fn look_of(answer: &Answer, tokens: &Tokens) -> Look {
    look_of_cell(
        match answer.verdict {
            Verdict::Fits | Verdict::FitsWith(_) => CellVerdict::Fits(answer.plan.choice),
            Verdict::Short(_) => CellVerdict::Short,
            Verdict::CannotTell(_) => CellVerdict::CannotTell,
        },
        tokens,
    )
}

#[must_use]
pub fn look_of_cell(cell: CellVerdict, tokens: &Tokens) -> Look {
    let fills = &tokens.fills;
    // Blended decodes are a shade quieter than exact ones of the same tier.
    let quieter = |color: Color32| color.lerp_to_gamma(tokens.surface, 0.35);
    let (color, fill, icon, height) = match cell {
        CellVerdict::Fits(Choice { tier, decode }) => match (tier, decode) {
            (Tier::Resident, Decode::Banded) => (tokens.fits_slower, fills.fits, Icon::Slower, 0.74),
            (Tier::Phased, Decode::Banded) => (tokens.fits_slower, fills.fits_phased, Icon::Slower, 0.66),
            (Tier::Streamed, Decode::Banded) => (tokens.fits_slower, fills.fits_slower, Icon::Slower, 0.44),
            (Tier::Resident, Decode::Whole) => (tokens.fits, fills.fits, Icon::Check, 1.0),
            (Tier::Phased, Decode::Whole) => (tokens.fits_phased, fills.fits_phased, Icon::Check, 0.78),
            (Tier::Resident, Decode::Tiled) => (tokens.fits_slower, quieter(fills.fits), Icon::Slower, 0.68),
            (Tier::Phased, Decode::Tiled) => (tokens.fits_slower, quieter(fills.fits_phased), Icon::Slower, 0.6),
            (Tier::Streamed, Decode::Whole) => (tokens.fits_slower, fills.fits_slower, Icon::Slower, 0.5),
            (Tier::Streamed, Decode::Tiled) => (tokens.fits_slower, quieter(fills.fits_slower), Icon::Slower, 0.38),
        },
        CellVerdict::Short => (tokens.short, fills.short, Icon::Cross, 0.22),
        CellVerdict::CannotTell => (tokens.unknown, fills.unknown, Icon::Question, 0.5),
    };
    Look { color, fill, icon, height }
}

/// The icon on a disc of its colour.
pub fn paint_icon(painter: &Painter, centre: egui::Pos2, look: Look, ground: Color32) {
    painter.circle_filled(centre, 10.0, look.color);
    look.icon.paint(painter, Rect::from_center_size(centre, vec2(11.0, 11.0)), ground);
}

/// The verdict beside the button: its word, what it takes, and all of it as one accessible line.
pub fn badge(ui: &mut Ui, look: Look, word: &str, tier: &str, detail: &str, spoken: &str) -> Response {
    let tokens = ui.tokens();
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 46.0), Sense::click());
    response.widget_info(|| WidgetInfo::labeled(Role::Button, true, spoken));
    if ui.is_rect_visible(rect) {
        let painter = ui.painter().with_clip_rect(rect);
        let hot = response.hovered() || response.has_focus();
        let ground = if hot { tokens.raised_hover } else { tokens.raised };
        painter.rect(rect, radius::M, ground, Stroke::new(1.0, look.color.gamma_multiply(0.55)), StrokeKind::Inside);
        paint_icon(&painter, rect.left_center() + vec2(20.0, 0.0), look, ground);
        let left = rect.left() + 40.0;
        let word = painter.layout_no_wrap(word.to_owned(), FontId::new(size::BODY, strong()), look.color);
        let tier_left = left + word.size().x + space::S;
        painter.galley(egui::pos2(left, rect.top() + 5.0), word, look.color);
        let tier = painter.layout_no_wrap(tier.to_owned(), FontId::proportional(size::LABEL), tokens.text_muted);
        painter.galley(egui::pos2(tier_left, rect.top() + 6.5), tier, tokens.text_muted);
        let chevron = Rect::from_center_size(rect.right_center() - vec2(14.0, 0.0), vec2(10.0, 10.0));
        Icon::ChevronRight.paint(&painter, chevron, tokens.text_faint);
        let room = chevron.left() - left - space::XS;
        let detail = fitted(&painter, detail, room, tokens.text);
        painter.galley(egui::pos2(left, rect.bottom() - 5.0 - detail.size().y), detail, tokens.text);
        super::focus_ring(ui, &response, radius::M);
    }
    response
}

/// One line of text, a little smaller where it would not fit otherwise.
fn fitted(painter: &Painter, text: &str, room: f32, ink: Color32) -> std::sync::Arc<egui::Galley> {
    let at = |points| painter.layout_no_wrap(text.to_owned(), FontId::proportional(points), ink);
    let wished = at(size::LABEL);
    if wished.size().x <= room {
        return wished;
    }
    at((size::LABEL * room / wished.size().x).max(9.5))
}
