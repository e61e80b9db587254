//! Verdicts as colour, icon and height together, so that none of them is needed to tell them apart.

use crate::planner::{CellVerdict, Choice, Decode, Tier, Verdict};
use crate::ui::icon::Icon;
use crate::ui::theme::{Themed as _, Tokens, radius, size, space, strong};
use egui::{Color32, FontId, Painter, Rect, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

/// How a verdict looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    pub color: Color32,
    pub icon: Icon,
    /// Share of a track's height that it fills.
    pub height: f32,
}

#[must_use]
pub fn look_of(verdict: &Verdict, tokens: &Tokens) -> Look {
    match verdict {
        Verdict::Fits => Look { color: tokens.fits, icon: Icon::Check, height: 1.0 },
        Verdict::FitsWith(_) => Look { color: tokens.fits_slower, icon: Icon::Slower, height: 0.7 },
        Verdict::Short(_) => Look { color: tokens.short, icon: Icon::Cross, height: 0.22 },
        Verdict::CannotTell(_) => Look { color: tokens.unknown, icon: Icon::Question, height: 0.5 },
    }
}

#[must_use]
pub fn look_of_cell(cell: CellVerdict, tokens: &Tokens) -> Look {
    match cell {
        CellVerdict::Fits(Choice { tier: Tier::Resident, decode: Decode::Whole }) => {
            Look { color: tokens.fits, icon: Icon::Check, height: 1.0 }
        }
        CellVerdict::Fits(Choice { tier, decode }) => {
            let height = match (tier, decode) {
                (Tier::Resident, _) => 0.86,
                (Tier::Phased, Decode::Whole) => 0.76,
                (Tier::Phased, Decode::Tiled) => 0.62,
                (Tier::Streamed, Decode::Whole) => 0.52,
                (Tier::Streamed, Decode::Tiled) => 0.42,
            };
            // The slower, the further from green.
            let color = tokens.fits.lerp_to_gamma(tokens.fits_slower, 1.35 - height);
            Look { color, icon: Icon::Slower, height }
        }
        CellVerdict::Short => Look { color: tokens.short, icon: Icon::Cross, height: 0.22 },
        CellVerdict::CannotTell => Look { color: tokens.unknown, icon: Icon::Question, height: 0.5 },
    }
}

/// The icon on a disc of its colour.
pub fn paint_icon(painter: &Painter, centre: egui::Pos2, look: Look, ground: Color32) {
    painter.circle_filled(centre, 10.0, look.color);
    look.icon.paint(painter, Rect::from_center_size(centre, vec2(11.0, 11.0)), ground);
}

/// The verdict beside the button: its word, what it takes, and all of it as one accessible line.
pub fn badge(ui: &mut Ui, look: Look, word: &str, tier: &str, detail: &str, spoken: &str) -> Response {
    let tokens = ui.tokens();
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), 46.0), Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, spoken));
    if ui.is_rect_visible(rect) {
        let painter = ui.painter().with_clip_rect(rect);
        let ground = tokens.raised;
        painter.rect(rect, radius::M, ground, Stroke::new(1.0, look.color.gamma_multiply(0.55)), StrokeKind::Inside);
        paint_icon(&painter, rect.left_center() + vec2(20.0, 0.0), look, ground);
        let left = rect.left() + 40.0;
        let word = painter.layout_no_wrap(word.to_owned(), FontId::new(size::BODY, strong()), look.color);
        let tier_left = left + word.size().x + space::S;
        painter.galley(egui::pos2(left, rect.top() + 5.0), word, look.color);
        let tier = painter.layout_no_wrap(tier.to_owned(), FontId::proportional(size::LABEL), tokens.text_muted);
        painter.galley(egui::pos2(tier_left, rect.top() + 6.5), tier, tokens.text_muted);
        let room = rect.right() - left - space::S;
        let detail = fitted(&painter, detail, room, tokens.text);
        painter.galley(egui::pos2(left, rect.bottom() - 5.0 - detail.size().y), detail, tokens.text);
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
