//! Hands each panel its part of the state, and collects what they ask for.

use super::command::shortcut_of;
use super::dialogs;
use super::host::ModelEntry;
use super::logic::App;
use super::state::State;
use crate::job::QueueEntry;
use crate::ui::panels::action::Action;
use crate::ui::panels::header::Header;
use crate::ui::panels::memory::{Memory, Timeline, gauges, model};
use crate::ui::panels::notices::NoticeView;
use crate::ui::panels::parameters::Parameters;
use crate::ui::panels::queue::QueueLine;
use crate::ui::panels::viewer::{Progress, Viewer};
use crate::ui::panels::{action, gallery, header, memory, notices, parameters, queue, viewer as viewer_panel};
use crate::ui::textures::Textures;
use crate::ui::theme::{Themed as _, space};
use crate::ui::{Cx, Intent, Pane};
use crate::units::Bytes;
use egui::{CentralPanel, Frame, Layout, Margin, Panel, Rect, ScrollArea, Ui};

/// Below this, one part of the window is shown at a time.
const LEAST: (f32, f32) = (900.0, 500.0);

pub(super) fn ui(app: &mut App, ui: &mut Ui) -> Vec<Intent> {
    let room = ui.available_size();
    let compact = room.x < LEAST.0 || room.y < LEAST.1;
    let App { state, catalog, textures, live, .. } = app;
    let mut cx = Cx { t: catalog, shortcut: shortcut_of, intents: Vec::new() };
    let tokens = ui.tokens();
    let surface = Frame::new().fill(tokens.surface);
    let top = surface.inner_margin(Margin::symmetric(if compact { space::S } else { space::L } as i8, 0));
    let high = if room.y < LEAST.1 { 40.0 } else { 48.0 };
    Panel::top("header").exact_size(high).frame(top).show(ui, |ui| header_ui(ui, &mut cx, state, compact));
    let stage = if compact {
        pane_ui(ui, &mut cx, state, textures, live())
    } else {
        panels_ui(ui, &mut cx, state, textures, live())
    };
    let told: Vec<_> = state
        .notices
        .iter()
        .map(|notice| NoticeView { id: notice.id, told: dialogs::tell(cx.t, &notice.news), bad: notice.news.is_bad() })
        .collect();
    notices::ui(ui, &mut cx, &told, stage);
    dialogs::ui(ui, &mut cx, state);
    cx.intents
}

fn queue_line<'a>(state: &State, entry: &'a QueueEntry) -> QueueLine<'a> {
    let recipe = &entry.job.recipe;
    let kept = entry.job.resume.as_ref().map(|latents| (latents.steps_done(), recipe.steps() * recipe.batch()));
    let interrupted = state.interrupted.contains(&entry.job.id);
    QueueLine { entry, held: state.held.get(&entry.job.id).copied(), interrupted, kept }
}

/// Everything at once. Answers with where the viewer lies.
fn panels_ui(ui: &mut Ui, cx: &mut Cx<'_>, state: &mut State, textures: &mut Textures, live: Bytes) -> Rect {
    let tokens = ui.tokens();
    let surface = Frame::new().fill(tokens.surface);
    let kept = state.settings.layout;
    let mut now = kept;
    let left = surface.inner_margin(Margin { left: 16, right: 6, top: 12, bottom: 14 });
    let form = Panel::left("form").default_size(kept.form).size_range(324.0..=520.0).frame(left);
    now.form = form.show(ui, |ui| form_ui(ui, cx, state)).response.rect.width();
    if kept.side_open {
        let right = surface.inner_margin(Margin::symmetric(14, 12));
        let side = Panel::right("side").default_size(kept.side).size_range(180.0..=560.0).frame(right);
        now.side = side.show(ui, |ui| side_ui(ui, cx, state, textures)).response.rect.width();
    }
    if kept.memory_open {
        let bottom = surface.inner_margin(Margin { left: 16, right: 16, top: 10, bottom: 10 });
        // Three pools and their legend need more height than one.
        let pools = state.outlook.answer.as_ref().map_or(1, |answer| answer.plan.budgets.len());
        let least = if pools > 1 { 176.0 } else { 110.0 };
        let strip = Panel::bottom("memory").default_size(kept.memory).size_range(least..=320.0).resizable(true);
        let strip = strip.frame(bottom).show(ui, |ui| memory_ui(ui, cx, state, live));
        if pools == 1 {
            now.memory = strip.response.rect.height();
        }
    }
    let differs = [(now.form, kept.form), (now.side, kept.side), (now.memory, kept.memory)];
    let moved = differs.iter().any(|(now, kept)| (now - kept).abs() > 0.5);
    if moved && !ui.input(|input| input.pointer.any_down()) {
        cx.send(Intent::KeepLayout(now));
    }
    let stage = Frame::new().fill(tokens.canvas).inner_margin(Margin::symmetric(12, 10));
    CentralPanel::default().frame(stage).show(ui, |ui| viewer_ui(ui, cx, state, textures)).response.rect
}

/// One part at a time, in a window that is too small for all.
fn pane_ui(ui: &mut Ui, cx: &mut Cx<'_>, state: &mut State, textures: &mut Textures, live: Bytes) -> Rect {
    let tokens = ui.tokens();
    let fill = if state.pane == Pane::Viewer { tokens.canvas } else { tokens.surface };
    let frame = Frame::new().fill(fill).inner_margin(Margin::symmetric(12, 8));
    let shown = CentralPanel::default().frame(frame).show(ui, |ui| match state.pane {
        Pane::Form => form_ui(ui, cx, state),
        Pane::Viewer => viewer_ui(ui, cx, state, textures),
        Pane::Side => side_ui(ui, cx, state, textures),
        Pane::Memory => memory_ui(ui, cx, state, live),
    });
    shown.response.rect
}

fn side_ui(ui: &mut Ui, cx: &mut Cx<'_>, state: &State, textures: &mut Textures) {
    ui.set_min_width(ui.available_width());
    let lines: Vec<_> = state.queue.iter().map(|entry| queue_line(state, entry)).collect();
    queue::ui(ui, cx, &lines, state.paused);
    ui.add_space(space::L);
    let pictures: Vec<_> = state.gallery.newest_first().collect();
    let selected = state.gallery.selected().map(|picture| picture.id);
    gallery::ui(ui, cx, &pictures, selected, |ctx, picture| {
        textures.thumbnail(ctx, picture.id, state.pixels(picture.id).map(|pixels| &**pixels))
    });
}

fn header_ui(ui: &mut Ui, cx: &mut Cx<'_>, state: &State, compact: bool) {
    let view = Header {
        pane: compact.then_some(state.pane),
        layout: state.settings.layout,
        own: &state.own.name,
        others: state.machines.iter().map(|machine| machine.name.as_str()).collect(),
        elsewhere: state.elsewhere,
    };
    header::ui(ui, cx, &view);
}

fn form_ui(ui: &mut Ui, cx: &mut Cx<'_>, state: &mut State) {
    let action = Action {
        answer: state.outlook.answer.as_ref(),
        elsewhere: state.elsewhere.map(|_| state.machine().name.as_str()),
        running: state.run.is_some(),
        stopping: state.run.as_ref().is_some_and(|run| run.stopping),
        armed: state.armed.as_ref() == Some(&state.form.draft),
        pinned: state.pinned.is_some(),
    };
    let foot = Frame::new().inner_margin(Margin { left: 0, right: 10, top: 10, bottom: 0 });
    let foot = Panel::bottom("action").resizable(false).show_separator_line(false).frame(foot);
    foot.show(ui, |ui| action::ui(ui, cx, &action));

    let verdict = state.outlook.cell().map_or_else(|| cx.t.get("verdict-invalid"), |cell| cx.t.cell(cell));
    let view = Parameters {
        models: state.models.iter().map(ModelEntry::short_name).collect(),
        model: state.model,
        vocabulary: &state.vocabulary,
        issues: &state.outlook.issues,
        drawn: state.outlook.recipe.as_ref().map(crate::recipe::Recipe::size),
        width_track: &state.outlook.width_track,
        height_track: &state.outlook.height_track,
        verdict: &verdict,
    };
    let form = &mut state.form;
    ScrollArea::vertical().id_salt("form").auto_shrink([false, false]).show(ui, |ui| {
        ui.with_layout(Layout::top_down_justified(egui::Align::Min), |ui| {
            ui.set_width(ui.available_width() - 10.0);
            parameters::ui(ui, cx, form, &view);
        });
    });
}

fn memory_ui(ui: &mut Ui, cx: &Cx<'_>, state: &State, live: Bytes) {
    let answer = state.outlook.answer.as_ref();
    // At work, the strip tells the run's story; at rest, the form's.
    let running = state.run.as_ref().and_then(|run| Some((&run.answer.as_ref()?.plan, run.trace.as_ref())));
    let shown = running.or_else(|| {
        let plan = &answer?.plan;
        let past = state.past.as_ref().filter(|past| past.model == state.model && same_work(past, state));
        Some(past.map_or((plan, None), |past| (&past.trace.plan, Some(&past.trace))))
    });
    let timeline: Option<Timeline> = shown.map(|(plan, trace)| model::timeline(plan, trace));
    let (machine, live) = match state.elsewhere {
        Some(_) => (state.machine(), Bytes::ZERO),
        None => (&state.own, live),
    };
    let plan = running.map(|(plan, _)| plan).or_else(|| answer.map(|answer| &answer.plan));
    let gauges = gauges(machine, state.planning_policy().device, plan, live);
    memory::ui(ui, cx, &Memory { gauges: &gauges, timeline: timeline.as_ref(), spread: state.spread });
}

/// Whether the last run did what the form asks for, seed and words aside.
fn same_work(past: &super::state::PastRun, state: &State) -> bool {
    state.outlook.recipe.as_ref().is_some_and(|now| {
        let then = &past.recipe;
        now.size() == then.size()
            && now.batch() == then.batch()
            && now.steps() == then.steps()
            && now.guided() == then.guided()
    })
}

fn viewer_ui(ui: &mut Ui, cx: &mut Cx<'_>, state: &State, textures: &mut Textures) {
    let view = match (&state.run, state.gallery.selected()) {
        (Some(run), _) if state.follow => Viewer::Running(Progress {
            job: run.job.id,
            prompt: run.job.recipe.prompt(),
            size: run.job.recipe.size(),
            phase: run.phase,
            loading: run.loading,
            step: run.step.map(|(_, step, steps)| (step, steps)),
            picture: (run.step.map_or(0, |(picture, _, _)| picture) + 1, run.job.recipe.batch()),
            share: run.share(),
            elapsed: run.elapsed(state.now),
            left: run.left(state.now),
            stopping: run.stopping,
            preview: textures.preview(run.job.id).cloned(),
        }),
        (_, Some(picture)) => Viewer::Picture {
            picture,
            texture: textures.large(ui, picture.id, state.pixels(picture.id).map(|pixels| &**pixels)),
            saving: state.saving.contains(&picture.id),
        },
        _ => Viewer::Empty,
    };
    viewer_panel::ui(ui, cx, &view);
}
