//! The foot of the form: the verdict, what would help where it is bad, and the big button.

use crate::machine::Reading;
use crate::planner::{Answer, Remedy, Verdict};
use crate::ui::icon::Icon;
use crate::ui::theme::{Themed as _, space};
use crate::ui::widgets::{Look, badge, look_of, primary, small, square, text_button};
use crate::ui::{Cx, Dialog, Intent};
use egui::Ui;

pub struct Action<'a> {
    /// `None` where the form holds something that must be mended.
    pub answer: Option<&'a Answer>,
    /// Name of the machine, where it is another one.
    pub elsewhere: Option<&'a str>,
    pub running: bool,
    pub stopping: bool,
    /// "Run anyway" was clicked once.
    pub armed: bool,
    /// Only one way to draw is allowed.
    pub pinned: bool,
}

impl Action<'_> {
    fn startable(&self) -> bool {
        self.answer.is_some_and(Answer::admits) && self.elsewhere.is_none()
    }
}

/// Bottom-up, so that the button never moves while what is above it grows.
pub fn ui(ui: &mut Ui, cx: &mut Cx<'_>, view: &Action<'_>) {
    ui.spacing_mut().item_spacing.y = space::S;
    if let Some(answer) = view.answer {
        help_ui(ui, cx, view, answer);
    }
    verdict_ui(ui, cx, view);
    buttons_ui(ui, cx, view);
}

fn verdict_ui(ui: &mut Ui, cx: &mut Cx<'_>, view: &Action<'_>) {
    let tokens = ui.tokens();
    let Some(answer) = view.answer else {
        let look = Look { color: tokens.unknown, fill: tokens.unknown, icon: Icon::Pencil, height: 0.0 };
        let word = cx.t.get("verdict-invalid");
        let spoken = cx.t.with("verdict-line", &[("text", (&word).into())]);
        badge(ui, look, &word, "", &cx.t.get("timeline-empty"), &spoken);
        return;
    };
    let parts = cx.t.plan_parts(answer);
    let (tier, detail) =
        parts.split_first().map_or((String::new(), String::new()), |(t, d)| (t.clone(), d.join(" · ")));
    let spoken = cx.t.with("verdict-line", &[("text", cx.t.verdict_line(answer).into())]);
    let word = cx.t.verdict(&answer.verdict);
    let tip = cx.t.tier_tip(answer.plan.choice.tier);
    let open = Intent::Open(Dialog::Ways);
    let tip = format!("{tip}\n{}", cx.tip(ui, "cmd-ways-tip", &open));
    if badge(ui, look_of(answer, tokens), &word, &tier, &detail, &spoken).on_hover_text(tip).clicked() {
        cx.send(open);
    }
}

/// Why it is short, slower or unknown, and what can be done.
fn help_ui(ui: &mut Ui, cx: &mut Cx<'_>, view: &Action<'_>, answer: &Answer) {
    if let Some(machine) = view.elsewhere {
        let name = cx.t.with("verdict-elsewhere", &[("machine", machine.into())]);
        small(ui, &cx.t.get("verdict-elsewhere-note")).on_hover_text(name);
        if text_button(ui, Some(Icon::Reuse), &cx.t.get("verdict-back"), None).clicked() {
            cx.send(Intent::PlanFor(None));
        }
    }
    if view.pinned {
        let name = cx.t.with("ways-pinned", &[("choice", cx.t.choice(answer.plan.choice).into())]);
        if text_button(ui, Some(Icon::Cross), &name, None).on_hover_text(cx.t.get("ways-automatic-tip")).clicked() {
            cx.send(Intent::Pin(None));
        }
    }
    match &answer.verdict {
        Verdict::Fits => {}
        Verdict::FitsWith(concessions) => {
            let all: Vec<_> = concessions.iter().map(|concession| cx.t.concession(*concession)).collect();
            small(ui, &all.join(" · "));
        }
        Verdict::CannotTell(_) => {
            for budget in &answer.plan.budgets {
                if let Reading::Unknown(why) = budget.budget {
                    let args = [("pool", cx.t.pool_title(budget.pool).into()), ("why", cx.t.unknown(why).into())];
                    small(ui, &cx.t.with("verdict-unknown-reading", &args));
                }
            }
        }
        Verdict::Short(shortage) => {
            small(ui, &cx.t.shortage(shortage));
            remedies_ui(ui, cx, answer);
            if !shortage.hard && view.elsewhere.is_none() && !view.running {
                let (id, tip) = if view.armed {
                    let by = cx.t.bytes(shortage.by);
                    let tip = cx.t.with("verdict-run-anyway-sure-tip", &[("by", by.into())]);
                    ("verdict-run-anyway-sure", tip)
                } else {
                    ("verdict-run-anyway", cx.t.get("verdict-run-anyway-tip"))
                };
                let ink = ui.tokens().short;
                if text_button(ui, None, &cx.t.get(id), Some(ink)).on_hover_text(tip).clicked() {
                    cx.send(if view.armed { Intent::GenerateAnyway } else { Intent::ArmForce });
                }
            }
        }
    }
}

fn remedies_ui(ui: &mut Ui, cx: &mut Cx<'_>, answer: &Answer) {
    if answer.remedies.is_empty() {
        small(ui, &cx.t.get("remedy-none"));
        return;
    }
    let ink = ui.tokens().fits;
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing = egui::vec2(6.0, 6.0);
        for remedy in &answer.remedies {
            // What only the user can do is told, not offered as a button.
            if !matches!(remedy, Remedy::CloseOthers(_) | Remedy::GrowPagefile(_))
                && text_button(ui, Some(Icon::Check), &cx.t.remedy(remedy), Some(ink)).clicked()
            {
                cx.send(Intent::Apply(*remedy));
            }
        }
    });
    for remedy in &answer.remedies {
        if matches!(remedy, Remedy::CloseOthers(_) | Remedy::GrowPagefile(_)) {
            small(ui, &cx.t.remedy(remedy));
        }
    }
}

fn buttons_ui(ui: &mut Ui, cx: &mut Cx<'_>, view: &Action<'_>) {
    let keys = |intent: &Intent| (cx.shortcut)(intent).map(|keys| ui.format_shortcut(&keys)).unwrap_or_default();
    let (generate_keys, stop_keys) = (keys(&Intent::Generate), keys(&Intent::Stop));
    if view.running {
        let id = if view.stopping { "viewer-stopping" } else { "cmd-stop" };
        let tip = cx.tip(ui, "cmd-stop-tip", &Intent::Stop);
        ui.horizontal(|ui| {
            let side = ui.available_width() - 46.0 - space::S;
            ui.scope(|ui| {
                ui.set_width(side);
                ui.add_enabled_ui(!view.stopping, |ui| {
                    if primary(ui, Icon::Stop, &cx.t.get(id), &stop_keys, true).on_hover_text(tip).clicked() {
                        cx.send(Intent::Stop);
                    }
                });
            });
            ui.add_enabled_ui(view.startable(), |ui| {
                let tip = cx.tip(ui, "cmd-queue-tip", &Intent::Generate);
                if square(ui, Icon::Plus, &cx.t.get("cmd-queue")).on_hover_text(tip).clicked() {
                    cx.send(Intent::Generate);
                }
            });
        });
        return;
    }
    let tip = cx.tip(ui, "cmd-generate-tip", &Intent::Generate);
    ui.add_enabled_ui(view.startable(), |ui| {
        let button = primary(ui, Icon::Spark, &cx.t.get("cmd-generate"), &generate_keys, false);
        if button.on_hover_text(tip).clicked() {
            cx.send(Intent::Generate);
        }
    });
}
