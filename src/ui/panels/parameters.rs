//! The form: prompt, model, size, then the rest.

use super::size as size_panel;
use crate::planner::CellVerdict;
use crate::recipe::prompt::has_weights;
use crate::recipe::{Field, Issue, Rng, Sampler, Schedule, Vocabulary};
use crate::ui::icon::Icon;
use crate::ui::theme::{CONTROL_HEIGHT, Themed as _, size, space};
use crate::ui::widgets::{combo, heading, icon_button, integer, labelled, muted, note, real, text_button};
use crate::ui::{Cx, Form, Intent, Seeds, prompt};
use crate::units::PixelSize;
use egui::text::{CCursor, CCursorRange};
use egui::text_edit::TextEditState;
use egui::{Id, Key, Modifiers, RichText, TextEdit, Ui};

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
    size_panel::ui(ui, cx, form, view);
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
    words_ui(ui, cx, &mut form.draft.prompt, &label);
    bracket_ui(ui, cx, &form.draft.prompt);
    issue_ui(ui, cx, view, &[Field::Prompt]);
    if !view.vocabulary.weights && has_weights(&form.draft.prompt) {
        muted(ui, &cx.t.get("prompt-literal"));
    }
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
        bracket_ui(ui, cx, &form.draft.negative);
        issue_ui(ui, cx, view, &[Field::Negative]);
    }
}

/// The box for the prompt, with its keys: weights, and earlier prompts.
fn words_ui(ui: &mut Ui, cx: &mut Cx<'_>, text: &mut String, label: &str) {
    let id = Id::unique(PROMPT_ID);
    let mut selected = None;
    if ui.memory(|memory| memory.has_focus(id)) {
        let pressed =
            |ui: &mut Ui, modifiers, key| isize::from(ui.input_mut(|input| input.consume_key(modifiers, key)));
        let more = pressed(ui, Modifiers::COMMAND, Key::ArrowUp) - pressed(ui, Modifiers::COMMAND, Key::ArrowDown);
        if more != 0 {
            let state = TextEditState::load(ui, id).unwrap_or_default();
            let range = state.cursor.char_range().map(|range| range.as_sorted_char_range());
            let range = range.map_or(0..0, |range| range.start.0..range.end.0);
            if let Some((weighed, range)) = prompt::weigh(text, range, prompt::WEIGHT_STEP * more as f64) {
                *text = weighed;
                selected = Some(range);
            }
        }
        let back = pressed(ui, Modifiers::ALT, Key::ArrowUp) - pressed(ui, Modifiers::ALT, Key::ArrowDown);
        if back != 0 {
            cx.send(Intent::History(back));
        }
    }
    let hint = RichText::new(cx.t.get("prompt-hint")).color(ui.tokens().text_faint);
    let edit = TextEdit::multiline(text)
        .id(id)
        .hint_text(hint)
        .desired_rows(3)
        .desired_width(f32::INFINITY)
        .margin(egui::vec2(10.0, 8.0))
        // Ctrl+Enter draws; plain Enter is a new line.
        .return_key(egui::KeyboardShortcut::new(Modifiers::NONE, Key::Enter));
    let mut output = edit.show(ui);
    output.response.response.accessible_name(label);
    if let Some(range) = selected {
        let (start, end) = (CCursor::new(range.start), CCursor::new(range.end));
        output.state.cursor.set_char_range(Some(CCursorRange::two(start, end)));
        output.state.store(ui, id);
    }
}

/// Brackets without a partner are told, never an obstacle.
fn bracket_ui(ui: &mut Ui, cx: &Cx<'_>, text: &str) {
    if prompt::unbalanced(text) {
        let ink = ui.tokens().fits_slower;
        let text = RichText::new(cx.t.get("prompt-bracket")).size(size::SMALL).color(ink);
        ui.add(egui::Label::new(text).wrap());
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
        for (seeds, icon, name) in [
            (Seeds::Counting, Icon::Plus, "seed-counting"),
            (Seeds::Fixed, Icon::Lock, "seed-fixed"),
            (Seeds::Random, Icon::Shuffle, "seed-random"),
        ] {
            let tip = match seeds {
                Seeds::Random => "seed-random-tip",
                Seeds::Fixed => "seed-fixed-tip",
                Seeds::Counting => "seed-counting-tip",
            };
            let toggle = icon_button(ui, icon, &cx.t.get(name), form.seeds == seeds);
            if toggle.on_hover_text(cx.t.get(tip)).clicked() {
                form.seeds = seeds;
            }
        }
        let tip = cx.tip(ui, "cmd-random-seed-tip", &Intent::RollSeed);
        if icon_button(ui, Icon::Dice, &cx.t.get("cmd-random-seed"), false).on_hover_text(tip).clicked() {
            cx.send(Intent::RollSeed);
        }
        ui.add_space(space::XS);
        ui.add_enabled_ui(form.seeds != Seeds::Random, |ui| {
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
            let runs = cx.t.get("runs-label");
            labelled(ui, &runs.clone(), |ui| {
                let number = egui::DragValue::new(&mut form.runs).speed(0.05).range(1..=crate::ui::MAX_RUNS);
                let response = ui.add_sized(egui::vec2(76.0, CONTROL_HEIGHT), number);
                response.accessible_name(runs).on_hover_text(cx.t.get("runs-tip"));
            });
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
