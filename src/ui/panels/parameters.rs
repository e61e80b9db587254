//! The form: prompt, model, size, then the rest.

use super::size;
use crate::planner::CellVerdict;
use crate::recipe::{Field, Issue, Rng, Sampler, Schedule, Vocabulary};
use crate::ui::icon::Icon;
use crate::ui::theme::{CONTROL_HEIGHT, Themed as _, space};
use crate::ui::widgets::{combo, heading, icon_button, integer, labelled, muted, note, real, text_button};
use crate::ui::{Cx, Form, Intent};
use crate::units::PixelSize;
use egui::{Id, RichText, TextEdit, Ui};

/// The prompt's own id, so that a key can put the cursor there.
pub const PROMPT_ID: &str = "prompt";

pub struct Parameters<'a> {
    pub models: Vec<&'a str>,
    pub model: usize,
    pub vocabulary: &'a Vocabulary,
    pub issues: &'a [Issue],
    /// The size that will be drawn, where the draft is a recipe.
    pub drawn: Option<PixelSize>,
    pub width_track: &'a [CellVerdict],
    pub height_track: &'a [CellVerdict],
    /// What the tracks say of the chosen size, in words.
    pub verdict: &'a str,
}

pub fn ui(ui: &mut Ui, cx: &mut Cx<'_>, form: &mut Form, view: &Parameters<'_>) {
    ui.spacing_mut().item_spacing.y = 6.0;
    prompt_ui(ui, cx, form, view);
    ui.add_space(space::S);
    model_ui(ui, cx, view);
    ui.add_space(space::M);
    size::ui(ui, cx, form, view);
    ui.add_space(space::M);
    sampling_ui(ui, cx, form, view);
    ui.add_space(space::S);
    more_ui(ui, cx, form, view);
    ui.add_space(space::S);
}

/// Whatever is wrong with a field, beneath it.
pub(super) fn issue_ui(ui: &mut Ui, cx: &Cx<'_>, view: &Parameters<'_>, fields: &[Field]) {
    for issue in view.issues.iter().filter(|issue| fields.contains(&issue.field)) {
        note(ui, &cx.t.issue(issue));
    }
}

fn prompt_ui(ui: &mut Ui, cx: &mut Cx<'_>, form: &mut Form, view: &Parameters<'_>) {
    let label = cx.t.get("prompt-label");
    heading(ui, &label);
    let hint = RichText::new(cx.t.get("prompt-hint")).color(ui.tokens().text_faint);
    let edit = TextEdit::multiline(&mut form.draft.prompt)
        .id(Id::unique(PROMPT_ID))
        .hint_text(hint)
        .desired_rows(3)
        .desired_width(f32::INFINITY)
        .margin(egui::vec2(10.0, 8.0))
        // Ctrl+Enter draws; plain Enter is a new line.
        .return_key(egui::KeyboardShortcut::new(egui::Modifiers::NONE, egui::Key::Enter));
    ui.add(edit).accessible_name(label);
    issue_ui(ui, cx, view, &[Field::Prompt]);
    if form.draft.guidance > 1.0 {
        let label = cx.t.get("negative-label");
        muted(ui, &label);
        let hint = RichText::new(cx.t.get("negative-hint")).color(ui.tokens().text_faint);
        let edit = TextEdit::singleline(&mut form.draft.negative)
            .id_salt("negative")
            .hint_text(hint)
            .desired_width(f32::INFINITY)
            .margin(egui::vec2(10.0, 6.0));
        ui.add(edit).accessible_name(label);
        issue_ui(ui, cx, view, &[Field::Negative]);
    }
}

fn model_ui(ui: &mut Ui, cx: &mut Cx<'_>, view: &Parameters<'_>) {
    let label = cx.t.get("model-label");
    labelled(ui, &label.clone(), |ui| {
        let shown = view.models.get(view.model).copied().unwrap_or_default();
        let choices = combo("model").width(ui.available_width().min(220.0)).truncate().selected_text(shown);
        let response = choices.show_ui(ui, |ui| {
            for (index, name) in view.models.iter().enumerate() {
                if ui.selectable_label(index == view.model, *name).clicked() {
                    cx.send(Intent::ChooseModel(index));
                }
            }
        });
        response.response.accessible_name(label);
    });
}

fn sampling_ui(ui: &mut Ui, cx: &mut Cx<'_>, form: &mut Form, view: &Parameters<'_>) {
    let steps = cx.t.get("steps-label");
    labelled(ui, &steps.clone(), |ui| integer(ui, &mut form.draft.steps, &steps, 0.1, 76.0));
    issue_ui(ui, cx, view, &[Field::Steps]);

    let guidance = cx.t.get("guidance-label");
    labelled(ui, &guidance.clone(), |ui| {
        let range = view.vocabulary.guidance;
        let range = f64::from(range.min)..=f64::from(range.max);
        real(ui, cx.t, &mut form.draft.guidance, &guidance, range).on_hover_text(cx.t.get("guidance-tip"))
    });
    issue_ui(ui, cx, view, &[Field::Guidance]);

    if let Some(range) = view.vocabulary.distilled {
        let distilled = cx.t.get("distilled-label");
        labelled(ui, &distilled.clone(), |ui| {
            let range = f64::from(range.min)..=f64::from(range.max);
            real(ui, cx.t, &mut form.draft.distilled, &distilled, range).on_hover_text(cx.t.get("distilled-tip"))
        });
        issue_ui(ui, cx, view, &[Field::Distilled]);
    }

    let seed = cx.t.get("seed-label");
    labelled(ui, &seed.clone(), |ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        let name = cx.t.get("seed-random");
        let toggle = icon_button(ui, Icon::Shuffle, &name, form.random_seed);
        if toggle.on_hover_text(cx.t.get("seed-random-tip")).clicked() {
            form.random_seed = !form.random_seed;
        }
        let tip = cx.tip(ui, "cmd-random-seed-tip", &Intent::RollSeed);
        if icon_button(ui, Icon::Dice, &cx.t.get("cmd-random-seed"), false).on_hover_text(tip).clicked() {
            cx.send(Intent::RollSeed);
        }
        ui.add_space(space::XS);
        ui.add_enabled_ui(!form.random_seed, |ui| {
            let width = ui.available_width().min(150.0);
            let number = egui::DragValue::new(&mut form.draft.seed).speed(1.0).update_while_editing(false);
            ui.add_sized(egui::vec2(width, CONTROL_HEIGHT), number).accessible_name(seed);
        });
    });
}

fn more_ui(ui: &mut Ui, cx: &mut Cx<'_>, form: &mut Form, view: &Parameters<'_>) {
    egui::CollapsingHeader::new(RichText::new(cx.t.get("more-label")).size(13.0))
        .id_salt("more")
        .icon(|ui, openness, response| {
            let icon = if openness > 0.5 { Icon::ChevronDown } else { Icon::ChevronRight };
            let rect = egui::Rect::from_center_size(response.rect.center(), egui::vec2(12.0, 12.0));
            icon.paint(ui.painter(), rect, ui.tokens().text_muted);
        })
        .show_unindented(ui, |ui| {
            let batch = cx.t.get("batch-label");
            labelled(ui, &batch.clone(), |ui| {
                integer(ui, &mut form.draft.batch, &batch, 0.05, 76.0).on_hover_text(cx.t.get("batch-tip"))
            });
            issue_ui(ui, cx, view, &[Field::Batch]);
            let draft = &mut form.draft;
            let sampler = cx.t.get("sampler-label");
            let offered = view.vocabulary.samplers.offered;
            choice_ui(ui, "sampler", &sampler, &mut draft.sampler, offered, Sampler::a1111_name);
            issue_ui(ui, cx, view, &[Field::Sampler]);
            let schedule = cx.t.get("schedule-label");
            let offered = view.vocabulary.schedules.offered;
            choice_ui(ui, "schedule", &schedule, &mut draft.schedule, offered, Schedule::a1111_name);
            issue_ui(ui, cx, view, &[Field::Schedule]);
            let rng = cx.t.get("rng-label");
            if let Some(shown) = choice_ui(ui, "rng", &rng, &mut draft.rng, &Rng::ALL, Rng::a1111_name) {
                shown.on_hover_text(cx.t.get("rng-tip"));
            }
            let reset = text_button(ui, Some(Icon::Reuse), &cx.t.get("reset-label"), None);
            if reset.on_hover_text(cx.t.get("reset-tip")).clicked() {
                cx.send(Intent::Defaults);
            }
        });
}

/// A row with one of `offered`; none where there is nothing to choose.
fn choice_ui<T: Copy + PartialEq>(
    ui: &mut Ui,
    id: &'static str,
    label: &str,
    value: &mut T,
    offered: &[T],
    name: fn(T) -> &'static str,
) -> Option<egui::Response> {
    if offered.len() < 2 && offered.contains(value) {
        return None;
    }
    let mut response = None;
    labelled(ui, label, |ui| {
        let shown = combo(id).width(130.0).selected_text(name(*value)).show_ui(ui, |ui| {
            for choice in offered {
                ui.selectable_value(value, *choice, name(*choice));
            }
        });
        response = Some(shown.response.accessible_name(label.to_owned()));
    });
    response
}
