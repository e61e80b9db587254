//! The strip along the bottom: how full each pool is, and the plan of the next run or the one at work.

mod gauge;
pub mod model;
mod timeline;

pub use model::{Gauge, GaugeOrWhy, Timeline, gauges};

use crate::i18n::Arg;
use crate::ui::Cx;
use crate::ui::theme::space;
use crate::ui::widgets::small;
use egui::{Ui, UiBuilder};

pub struct Memory<'a> {
    pub gauges: &'a [GaugeOrWhy],
    pub timeline: Option<&'a Timeline>,
    /// Runs that are remembered, and how far their predictions were off in percent, lowest and highest.
    pub spread: Option<(usize, f64, f64)>,
}

pub fn ui(ui: &mut Ui, cx: &Cx<'_>, view: &Memory<'_>) {
    let all = ui.available_rect_before_wrap();
    let split = (all.width() * 0.36).clamp(200.0, 330.0);
    let (left, right) = all.split_left_right_at_x(all.left() + split);
    let mut gauges = ui.new_child(UiBuilder::new().max_rect(left));
    gauge::ui(&mut gauges, cx, view.gauges);
    spread_ui(&mut gauges, cx, view.spread);
    let mut plan = ui.new_child(UiBuilder::new().max_rect(right.with_min_x(right.left() + space::XL)));
    timeline::ui(&mut plan, cx, view.timeline);
    ui.allocate_rect(all, egui::Sense::hover());
}

/// How well this program has known itself lately.
fn spread_ui(ui: &mut Ui, cx: &Cx<'_>, spread: Option<(usize, f64, f64)>) {
    let Some((runs, low, high)) = spread else { return };
    let signed = |percent: f64| {
        let sign = if percent < 0.0 { "−" } else { "+" };
        format!("{sign}{}", cx.t.number(percent.abs(), 1))
    };
    let args = [("runs", Arg::Count(runs as u64)), ("low", signed(low).into()), ("high", signed(high).into())];
    small(ui, &cx.t.with("memory-spread", &args)).on_hover_text(cx.t.get("memory-spread-tip"));
}
