//! The overlay while files hover over the window: each file, and what letting go of it would do.

use crate::i18n::Catalog;
use crate::ui::icon::Icon;
use crate::ui::theme::{Themed as _, radius, scrim, size, space, strong};
use egui::{
    Align2, Area, Context, FontId, Id, Label, Order, Rect, RichText, Sense, Shape, Stroke, StrokeKind, Ui, vec2,
};

/// One file.
pub struct DropLine {
    /// `None` while it is looked into.
    pub icon: Option<Icon>,
    pub name: String,
    pub will: String,
    pub good: bool,
}

/// More lines than this are counted instead of shown.
const SHOWN: usize = 6;

pub fn ui(ctx: &Context, t: &Catalog, lines: &[DropLine]) {
    let screen = ctx.content_rect();
    let area = Area::new(Id::unique("drop")).order(Order::Foreground).fixed_pos(screen.min).interactable(false);
    area.show(ctx, |ui| {
        let (rect, _) = ui.allocate_exact_size(screen.size(), Sense::hover());
        let tokens = ui.tokens();
        ui.painter().rect_filled(rect, 0.0, scrim(tokens.dark));
        let count = lines.len().min(SHOWN);
        let wanted = vec2((rect.width() - 48.0).min(520.0), 96.0 + 46.0 * count as f32);
        let card = Rect::from_center_size(rect.center(), vec2(wanted.x, wanted.y.min(rect.height() - 24.0)));
        ui.painter().rect_filled(card, radius::L, tokens.surface);
        dashes(ui, card.shrink(6.0));
        let mut inner = ui.new_child(egui::UiBuilder::new().max_rect(card.shrink(22.0)));
        inner.spacing_mut().item_spacing.y = 6.0;
        inner.add(Label::new(RichText::new(t.get("drop-title")).font(FontId::new(size::TITLE, strong()))));
        for line in lines.iter().take(SHOWN) {
            line_ui(&mut inner, line);
        }
        if lines.len() > SHOWN {
            let more = (lines.len() - SHOWN) as u64;
            let text = t.with("drop-more", &[("count", crate::i18n::Arg::Count(more))]);
            inner.label(RichText::new(text).size(size::SMALL).color(tokens.text_faint));
        }
    });
}

fn line_ui(ui: &mut Ui, line: &DropLine) {
    let tokens = ui.tokens();
    ui.horizontal(|ui| {
        let (rect, _) = ui.allocate_exact_size(vec2(32.0, 36.0), Sense::hover());
        let ink = if line.good { tokens.accent } else { tokens.short };
        ui.painter().circle_filled(rect.center(), 14.0, ink.gamma_multiply(0.16));
        match line.icon {
            Some(icon) => icon.paint(ui.painter(), Rect::from_center_size(rect.center(), vec2(14.0, 14.0)), ink),
            None => {
                ui.painter().text(rect.center(), Align2::CENTER_CENTER, "…", FontId::proportional(size::BODY), ink);
            }
        }
        ui.add_space(space::XS);
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 1.0;
            ui.add(Label::new(RichText::new(&line.name).family(strong())).truncate().selectable(false));
            let will = RichText::new(&line.will).size(size::LABEL).color(tokens.text_muted);
            ui.add(Label::new(will).truncate().selectable(false));
        });
    });
}

/// A dashed border: "let go here".
fn dashes(ui: &Ui, rect: Rect) {
    let stroke = Stroke::new(1.5, ui.tokens().accent);
    ui.painter().rect_stroke(rect, radius::M, Stroke::new(1.0, ui.tokens().hairline), StrokeKind::Inside);
    let corners = [rect.left_top(), rect.right_top(), rect.right_bottom(), rect.left_bottom(), rect.left_top()];
    ui.painter().extend(Shape::dashed_line(&corners, stroke, 8.0, 6.0));
}
