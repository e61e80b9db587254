//! Hands each panel its part of the state, and collects what they ask for.

use super::command::{AppCommand, shortcut_of};
use super::logic::App;
use super::state::{News, State};
use crate::i18n::{Catalog, Told};
use crate::job::QueueEntry;
use crate::ui::panels::action::Action;
use crate::ui::panels::fit_map::FitMap;
use crate::ui::panels::header::Header;
use crate::ui::panels::memory::{Memory, Timeline, gauges, model};
use crate::ui::panels::notices::NoticeView;
use crate::ui::panels::parameters::Parameters;
use crate::ui::panels::queue::QueueLine;
use crate::ui::panels::viewer::{Progress, Viewer};
use crate::ui::panels::{
    action, fit_map, gallery, header, memory, notices, parameters, queue, settings, viewer as viewer_panel,
};
use crate::ui::theme::{Themed as _, space};
use crate::ui::{Cx, Dialog, Intent};
use egui::{CentralPanel, Frame, Layout, Margin, Panel, ScrollArea, Ui};

pub(super) fn ui(app: &mut App, ui: &mut Ui) -> Vec<Intent> {
    let App { state, catalog, textures, live, .. } = app;
    let mut cx = Cx { t: catalog, shortcut: shortcut_of, intents: Vec::new() };
    let tokens = ui.tokens();
    let surface = Frame::new().fill(tokens.surface);

    let top = surface.inner_margin(Margin::symmetric(space::L as i8, 0));
    Panel::top("header").exact_size(48.0).frame(top).show(ui, |ui| header_ui(ui, &mut cx, state));
    let left = surface.inner_margin(Margin { left: 16, right: 6, top: 12, bottom: 14 });
    Panel::left("form").default_size(340.0).size_range(320.0..=440.0).frame(left).show(ui, |ui| {
        form_ui(ui, &mut cx, state);
    });
    let right = surface.inner_margin(Margin::symmetric(14, 12));
    Panel::right("side").default_size(208.0).size_range(170.0..=420.0).frame(right).show(ui, |ui| {
        ui.set_min_width(ui.available_width());
        let lines: Vec<_> = state.queue.iter().map(|entry| queue_line(state, entry)).collect();
        queue::ui(ui, &mut cx, &lines);
        ui.add_space(space::L);
        let pictures: Vec<_> = state.gallery.newest_first().collect();
        let selected = state.gallery.selected().map(|picture| picture.id);
        gallery::ui(ui, &mut cx, &pictures, selected, |ctx, picture| {
            textures.thumbnail(ctx, picture.id, state.pixels(picture.id).map(|pixels| &**pixels))
        });
    });
    let bottom = surface.inner_margin(Margin { left: 16, right: 16, top: 10, bottom: 10 });
    // Three pools and their legend need more height than one.
    let pools = state.outlook.answer.as_ref().map_or(1, |answer| answer.plan.budgets.len());
    let least = if pools > 1 { 176.0 } else { 110.0 };
    Panel::bottom("memory").default_size(142.0).size_range(least..=300.0).resizable(true).frame(bottom).show(
        ui,
        |ui| {
            memory_ui(ui, &cx, state, live());
        },
    );
    let stage = Frame::new().fill(tokens.canvas).inner_margin(Margin::symmetric(12, 10));
    let viewer = CentralPanel::default().frame(stage).show(ui, |ui| viewer_ui(ui, &mut cx, state, textures));

    let told: Vec<_> = state
        .notices
        .iter()
        .map(|notice| NoticeView {
            id: notice.id,
            told: tell(cx.t, &notice.news),
            bad: !matches!(notice.news, News::Replanned { .. } | News::Busy),
        })
        .collect();
    notices::ui(ui, &mut cx, &told, viewer.response.rect);
    dialog_ui(ui, &mut cx, state);
    cx.intents
}

fn queue_line<'a>(state: &State, entry: &'a QueueEntry) -> QueueLine<'a> {
    let recipe = &entry.job.recipe;
    let kept = entry.job.resume.as_ref().map(|latents| (latents.steps_done(), recipe.steps() * recipe.batch()));
    QueueLine { entry, held: state.held.get(&entry.job.id).copied(), kept }
}

fn header_ui(ui: &mut Ui, cx: &mut Cx<'_>, state: &State) {
    let view = Header {
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
    };
    let foot = Frame::new().inner_margin(Margin { left: 0, right: 10, top: 10, bottom: 0 });
    let foot = Panel::bottom("action").resizable(false).show_separator_line(false).frame(foot);
    foot.show(ui, |ui| action::ui(ui, cx, &action));

    let verdict = state.outlook.cell().map_or_else(|| cx.t.get("verdict-invalid"), |cell| cx.t.cell(cell));
    let view = Parameters {
        models: state.models.iter().map(|model| model.name.as_str()).collect(),
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

fn memory_ui(ui: &mut Ui, cx: &Cx<'_>, state: &State, live: crate::units::Bytes) {
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
        Some(_) => (state.machine(), crate::units::Bytes::ZERO),
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

fn viewer_ui(ui: &mut Ui, cx: &mut Cx<'_>, state: &State, textures: &mut crate::ui::textures::Textures) {
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

fn dialog_ui(ui: &mut Ui, cx: &mut Cx<'_>, state: &State) {
    match state.dialog {
        None => {}
        Some(Dialog::Settings) => settings::ui(ui, cx, &state.settings),
        Some(Dialog::Shortcuts) => {
            let lines: Vec<_> = AppCommand::ALL
                .into_iter()
                .map(|command| {
                    let entry = command.entry();
                    (cx.t.get(entry.name_id), ui.format_shortcut(&entry.shortcut))
                })
                .collect();
            settings::shortcuts_ui(ui, cx, &lines);
        }
        Some(Dialog::FitMap) => {
            if let (Some(map), Some(recipe)) = (&state.map, &state.outlook.recipe) {
                fit_map::ui(ui, cx, &FitMap { sides: &map.sides, cells: &map.cells, now: recipe.size() });
            }
        }
    }
}

/// News in words.
fn tell(t: &Catalog, news: &News) -> Told {
    match news {
        News::Failed(failure) => t.failure(failure),
        News::Refused(shortage) => Told {
            what: t.with("notice-refused", &[("what", t.shortage(shortage).into())]),
            hint: t.get("notice-refused-hint"),
        },
        News::Replanned { was, now } => Told {
            what: t.with("notice-replanned", &[("tier", t.choice(*now).into()), ("was", t.choice(*was).into())]),
            hint: t.get("notice-replanned-hint"),
        },
        News::SaveFailed(why) => {
            Told { what: t.with("notice-save-failed", &[("why", why.into())]), hint: t.get("notice-save-failed-hint") }
        }
        News::Busy => Told { what: t.get("notice-busy"), hint: t.get("notice-busy-hint") },
    }
}
