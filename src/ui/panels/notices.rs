//! Messages that stay until they are read: what happened, and what helps.

use crate::i18n::Told;
use crate::ui::icon::Icon;
use crate::ui::theme::{Themed as _, radius, size, space, strong};
use crate::ui::widgets::icon_button;
use crate::ui::{Cx, Intent};
use egui::{
    Align2, Area, Context, CornerRadius, Frame, Id, Label, Margin, Order, Rect, RichText, Shadow, Stroke, vec2,
};

pub struct NoticeView {
    pub id: u64,
    pub told: Told,
    pub bad: bool,
}

/// Over the top of `viewer`, so that they never lie on the form.
pub fn ui(ctx: &Context, cx: &mut Cx<'_>, notices: &[NoticeView], viewer: Rect) {
    if notices.is_empty() {
        return;
    }
    let area = Area::new(Id::unique("notices"))
        .order(Order::Middle)
        .pivot(Align2::CENTER_TOP)
        .fixed_pos(viewer.center_top() + vec2(0.0, space::M));
    area.show(ctx, |ui| {
        let width = (viewer.width() - space::XL).clamp(240.0, 450.0);
        ui.set_max_width(width);
        ui.spacing_mut().item_spacing.y = space::S;
        let tokens = ui.tokens();
        for notice in notices {
            let edge = if notice.bad { tokens.short } else { tokens.accent };
            let frame = Frame::new()
                .fill(tokens.raised)
                .stroke(Stroke::new(1.0, edge.gamma_multiply(0.6)))
                .corner_radius(CornerRadius::same(radius::L))
                .shadow(Shadow { offset: [0, 6], blur: 20, spread: 0, color: tokens.shadow })
                .inner_margin(Margin { left: 16, right: 8, top: 8, bottom: 10 });
            frame.show(ui, |ui| {
                ui.horizontal_top(|ui| {
                    ui.vertical(|ui| {
                        ui.set_width(width - 60.0);
                        ui.spacing_mut().item_spacing.y = 2.0;
                        ui.add_space(4.0);
                        ui.add(Label::new(RichText::new(&notice.told.what).family(strong()).color(edge)).wrap());
                        let hint = RichText::new(&notice.told.hint).size(size::LABEL).color(tokens.text_muted);
                        ui.add(Label::new(hint).wrap());
                    });
                    if icon_button(ui, Icon::Cross, &cx.t.get("dismiss"), false).clicked() {
                        cx.send(Intent::Dismiss(notice.id));
                    }
                });
            });
        }
    });
}
