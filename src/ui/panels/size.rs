//! Width and height: sliders that show what fits, exact numbers, ratios.

use super::parameters::{Parameters, issue_ui};
use crate::planner::CellVerdict;
use crate::recipe::Field;
use crate::ui::icon::Icon;
use crate::ui::scale::SideScale;
use crate::ui::theme::{Themed as _, size, space};
use crate::ui::widgets::{chip, heading, icon_button, integer, muted, side_slider, text_button};
use crate::ui::{Cx, Dialog, Form, Intent};
use egui::{Align, FontId, Layout, Sense, Ui, pos2, vec2};

/// Ratios of the long side to the short one.
const RATIOS: [(u32, u32); 7] = [(1, 1), (5, 4), (4, 3), (3, 2), (8, 5), (16, 9), (21, 9)];

pub fn ui(ui: &mut Ui, cx: &mut Cx<'_>, form: &mut Form, view: &Parameters<'_>) {
    let scale = SideScale::of(view.vocabulary);
    heading_ui(ui, cx, form, view);
    let width = cx.t.get("width-label");
    let exact = cx.t.get("width-exact");
    if let Some(side) = side_ui(ui, cx, scale, (&width, &exact), form.draft.width, view.width_track, view.verdict) {
        form.set_width(side, view.vocabulary);
    }
    issue_ui(ui, cx, view, &[Field::Width]);
    let height = cx.t.get("height-label");
    let exact = cx.t.get("height-exact");
    if let Some(side) = side_ui(ui, cx, scale, (&height, &exact), form.draft.height, view.height_track, view.verdict) {
        form.set_height(side, view.vocabulary);
    }
    issue_ui(ui, cx, view, &[Field::Height]);
    ticks_ui(ui, scale);
    ratios_ui(ui, cx, form);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        let native = cx.t.with("size-native-tip", &[("size", cx.t.size(view.vocabulary.native).into())]);
        if text_button(ui, None, &cx.t.get("size-native"), None).on_hover_text(native).clicked() {
            cx.send(Intent::Native);
        }
        let largest = text_button(ui, None, &cx.t.get("size-largest"), None);
        if largest.on_hover_text(cx.t.get("size-largest-tip")).clicked() {
            cx.send(Intent::LargestThatFits);
        }
        let open = Intent::Open(Dialog::FitMap);
        let tip = cx.tip(ui, "cmd-fit-map-tip", &open);
        if text_button(ui, Some(Icon::Grid), &cx.t.get("cmd-fit-map"), None).on_hover_text(tip).clicked() {
            cx.send(open);
        }
    });
}

/// The heading, with the size that will be drawn where it is not the one that was typed.
fn heading_ui(ui: &mut Ui, cx: &mut Cx<'_>, form: &mut Form, view: &Parameters<'_>) {
    ui.horizontal(|ui| {
        heading(ui, &cx.t.get("size-label"));
        let typed = (form.draft.width, form.draft.height);
        if let Some(drawn) = view.drawn
            && (i64::from(drawn.width), i64::from(drawn.height)) != typed
        {
            let text = cx.t.with("size-snapped", &[("to", cx.t.size(drawn).into())]);
            let multiple = view.vocabulary.multiple.to_string();
            let tip = cx.t.with("size-snapped-tip", &[("multiple", multiple.into())]);
            let ink = ui.tokens().fits_slower;
            ui.add(egui::Label::new(egui::RichText::new(text).size(size::SMALL).color(ink))).on_hover_text(tip);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.spacing_mut().item_spacing.x = 2.0;
            let locked = form.locked_ratio.is_some();
            let icon = if locked { Icon::Lock } else { Icon::Unlock };
            let lock = icon_button(ui, icon, &cx.t.get("aspect-lock"), locked);
            if lock.on_hover_text(cx.t.get("aspect-lock-tip")).clicked() {
                form.toggle_lock();
            }
            let tip = cx.tip(ui, "cmd-swap-tip", &Intent::Swap);
            if icon_button(ui, Icon::Swap, &cx.t.get("cmd-swap"), false).on_hover_text(tip).clicked() {
                cx.send(Intent::Swap);
            }
        });
    });
}

fn side_ui(
    ui: &mut Ui,
    cx: &Cx<'_>,
    scale: SideScale,
    (label, exact): (&str, &str),
    value: i64,
    track: &[CellVerdict],
    verdict: &str,
) -> Option<i64> {
    let mut typed = value;
    let spoken = cx.t.with(
        "slider-verdict",
        &[("label", label.into()), ("value", value.to_string().into()), ("verdict", verdict.into())],
    );
    ui.horizontal(|ui| {
        ui.scope(|ui| {
            ui.set_width(46.0);
            muted(ui, label);
        });
        let slider_width = ui.available_width() - 68.0 - space::S;
        let moved = ui
            .scope(|ui| {
                ui.set_width(slider_width);
                side_slider(ui, scale, value, track, &spoken, |side, cell| {
                    let verdict = cell.map_or_else(|| cx.t.get("not-known"), |cell| cx.t.cell(cell));
                    let args =
                        [("label", label.into()), ("value", side.to_string().into()), ("verdict", verdict.into())];
                    cx.t.with("slider-verdict", &args)
                })
            })
            .inner;
        integer(ui, &mut typed, exact, f64::from(scale.multiple) / 4.0, 68.0);
        moved
    })
    .inner
    .or((typed != value).then_some(typed))
}

/// The sizes beneath the tracks.
fn ticks_ui(ui: &mut Ui, scale: SideScale) {
    let tokens = ui.tokens();
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 10.0), Sense::hover());
    let left = rect.left() + 46.0 + space::S + 7.0;
    let right = rect.right() - 68.0 - space::S - space::S - 7.0;
    // Every second doubling: all of them would touch.
    for tick in scale.ticks().step_by(2) {
        let x = left + (right - left) * scale.fraction(f64::from(tick));
        let font = FontId::proportional(9.5);
        let at = pos2(x, rect.top() - 3.0);
        ui.painter().text(at, egui::Align2::CENTER_TOP, tick, font, tokens.text_faint);
    }
}

fn ratios_ui(ui: &mut Ui, cx: &mut Cx<'_>, form: &Form) {
    let (width, height) = (form.draft.width.max(1) as f64, form.draft.height.max(1) as f64);
    let now = width.max(height) / width.min(height);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = vec2(6.0, 6.0);
        for (long, short) in RATIOS {
            let standing = width < height;
            let (a, b) = if standing { (short, long) } else { (long, short) };
            let text = format!("{a}:{b}");
            let name = cx.t.with("aspect-choose", &[("ratio", (&text).into())]);
            let near = (now / (f64::from(long) / f64::from(short)) - 1.0).abs() < 0.02;
            if chip(ui, &text, &name, near).clicked() {
                cx.send(Intent::Aspect(long, short));
            }
        }
    });
}
