//! What the user asks for becomes state; what must follow from it is returned, not done.

use super::outlook::largest_that_fits;
use super::reduce::{Effect, start_next};
use super::state::State;
use crate::job::Job;
use crate::planner::{Choice, Remedy, Tier, Verdict};
use crate::recipe::{Draft, Vocabulary};
use crate::ui::{Dialog, Form, Intent, MAX_RUNS, Pane, Seeds, ThemeChoice};

/// One wish. `dark` says which theme is on the screen now.
#[expect(clippy::too_many_lines, reason = "one arm for each wish")]
pub fn apply(state: &mut State, intent: Intent, dark: bool) -> Vec<Effect> {
    state.refresh();
    match intent {
        Intent::Generate => return generate(state, false, false),
        Intent::GenerateFirst => return generate(state, false, true),
        Intent::ArmForce => state.armed = Some(state.form.draft.clone()),
        Intent::GenerateAnyway => {
            if state.armed.as_ref() == Some(&state.form.draft) {
                return generate(state, true, false);
            }
        }
        Intent::Stop => {
            if let Some(run) = &mut state.run
                && !run.stopping
            {
                run.stopping = true;
                return vec![Effect::Cancel];
            }
        }
        Intent::Apply(remedy) => return mend(state, remedy),
        Intent::Pin(choice) => {
            state.pinned = choice;
            state.armed = None;
        }
        Intent::ChooseModel(index) => {
            choose_model(state, index);
            return vec![Effect::SaveSettings];
        }
        Intent::PlanFor(machine) => state.plan_for(machine),
        Intent::TakeSize(size) => state.form.set_size(size),
        Intent::Aspect(long, short) => state.form.set_aspect(long, short, &state.vocabulary),
        Intent::Swap => {
            let draft = &mut state.form.draft;
            std::mem::swap(&mut draft.width, &mut draft.height);
            state.form.locked_ratio = state.form.locked_ratio.map(f64::recip);
        }
        Intent::Native => state.form.set_size(state.vocabulary.native),
        Intent::LargestThatFits => take_largest(state),
        Intent::RollSeed => {
            state.form.draft.seed = (state.entropy)();
            state.form.seeds = Seeds::Fixed;
        }
        Intent::Defaults => defaults(state),
        Intent::Example(prompt) => {
            state.form.draft.prompt = prompt;
            return vec![Effect::FocusPrompt];
        }
        Intent::Select(id) => {
            state.gallery.select(id);
            state.follow = false;
        }
        Intent::Step(by) => {
            state.gallery.step(by);
            state.follow = false;
        }
        Intent::ReuseSelected => reuse(state),
        Intent::Remove(id) => {
            if state.queue.running().is_none_or(|job| job.id != id) {
                state.queue.remove(id);
                state.held.remove(&id);
                state.planned.remove(&id);
                state.stopped.remove(&id);
                state.interrupted.remove(&id);
                return vec![Effect::Forget(id)];
            }
        }
        Intent::MoveJob(id, by) => state.queue.shift(id, by),
        Intent::JobFirst(id) => state.queue.first(id),
        Intent::ClearQueue => clear_queue(state),
        Intent::TogglePause => {
            state.paused ^= true;
            return start_next(state);
        }
        Intent::History(by) => history(state, by),
        Intent::Undo => {
            if let Some(form) = state.undo.undo() {
                state.form = form;
            }
        }
        Intent::Redo => {
            if let Some(form) = state.undo.redo() {
                state.form = form;
            }
        }
        Intent::Retry(id) => {
            if let Some(was) = state.stopped.remove(&id) {
                state.queue.amend(id, |job| lower(job, was));
            }
            state.queue.retry(id);
            state.held.remove(&id);
            state.interrupted.remove(&id);
            return start_next(state);
        }
        Intent::Open(dialog) => open(state, dialog),
        Intent::CloseDialog => state.dialog = None,
        Intent::ToggleTheme => {
            return set_theme(state, if dark { ThemeChoice::Light } else { ThemeChoice::Dark });
        }
        Intent::SetTheme(theme) => return set_theme(state, theme),
        Intent::SetZoom(zoom) => return set_zoom(state, zoom),
        Intent::Zoom(steps) => return set_zoom(state, state.settings.zoomed(steps)),
        Intent::KeepLayout(layout) => {
            state.settings.layout = layout;
            return vec![Effect::SaveSettings];
        }
        Intent::ToggleSide => {
            state.settings.layout.side_open ^= true;
            state.pane = Pane::Side;
            return vec![Effect::SaveSettings];
        }
        Intent::ToggleMemory => {
            state.settings.layout.memory_open ^= true;
            state.pane = Pane::Memory;
            return vec![Effect::SaveSettings];
        }
        Intent::Show(pane) => state.pane = pane,
        Intent::SetLanguage(language) => {
            state.settings.language = language;
            return vec![Effect::Restyle, Effect::SaveSettings];
        }
        Intent::SetLimit(limit) => {
            state.settings.memory_limit = limit;
            return vec![Effect::SaveSettings];
        }
        Intent::Dismiss(id) => state.notices.retain(|notice| notice.id != id),
        Intent::OpenFiles => return vec![Effect::OpenFiles],
        Intent::FocusPrompt => return vec![Effect::FocusPrompt],
    }
    Vec::new()
}

/// A job that memory stopped goes on with the tiers below the one that it ran on, as long as there are any.
fn lower(job: &mut Job, was: Choice) {
    let below: Vec<Tier> = job.policy.tiers.iter().copied().filter(|tier| *tier > was.tier).collect();
    if !below.is_empty() {
        job.policy.tiers = below;
    }
}

fn set_theme(state: &mut State, theme: ThemeChoice) -> Vec<Effect> {
    state.settings.theme = theme;
    vec![Effect::Restyle, Effect::SaveSettings]
}

fn set_zoom(state: &mut State, zoom: f32) -> Vec<Effect> {
    state.settings.zoom = zoom.clamp(1.0, 2.0);
    vec![Effect::Restyle, Effect::SaveSettings]
}

/// Freezes the form into a job. Without `force`, only what fits; with it, anything but a hard limit.
fn generate(state: &mut State, force: bool, first: bool) -> Vec<Effect> {
    if state.elsewhere.is_some() {
        return Vec::new();
    }
    if state.form.seeds == Seeds::Random {
        state.form.draft.seed = (state.entropy)();
        state.refresh();
    }
    let (Some(recipe), Some(answer)) = (state.outlook.recipe.clone(), state.outlook.answer.as_ref()) else {
        return Vec::new();
    };
    let hard = matches!(&answer.verdict, Verdict::Short(shortage) if shortage.hard);
    let force = force && !hard && !answer.admits();
    if !answer.admits() && !force {
        return Vec::new();
    }
    let choice = answer.plan.choice;
    let model = state.model_entry().clone();
    let policy = state.policy();
    state.armed = None;
    remember_prompt(state);
    let runs = state.form.runs.clamp(1, MAX_RUNS);
    let mut before = None;
    for run in 0..runs {
        let recipe = recipe.with_seed(seed_of(state, run));
        let id = state.queue.next_id();
        state.planned.insert(id, choice);
        let model_ref = model.name.clone();
        let inventory = model.inventory.clone();
        let job =
            Job { id, model_ref, model: inventory, recipe, policy: policy.clone(), force, resume: None, start: None };
        match before {
            _ if !first => state.queue.push(job),
            None => state.queue.push_front(job),
            // One order stays together.
            Some(before) => state.queue.push_behind(before, job),
        }
        before = Some(id);
    }
    if state.form.seeds == Seeds::Counting {
        let step = runs as u64 * u64::from(recipe.batch());
        state.form.draft.seed = state.form.draft.seed.wrapping_add(step);
    }
    start_next(state)
}

/// The seed of one of several orders: the first is that of the form.
fn seed_of(state: &State, run: i64) -> u64 {
    let seed = state.form.draft.seed;
    match state.form.seeds {
        _ if run == 0 => seed,
        Seeds::Random => (state.entropy)(),
        Seeds::Fixed | Seeds::Counting => {
            seed.wrapping_add((run as u64).wrapping_mul(state.form.draft.batch.max(1) as u64))
        }
    }
}

/// Prompts that were ordered, the newest last, each once.
fn remember_prompt(state: &mut State) {
    const MOST: usize = 200;
    let prompt = state.form.draft.prompt.clone();
    state.recalled = None;
    if prompt.trim().is_empty() {
        return;
    }
    state.prompts.retain(|known| *known != prompt);
    state.prompts.push(prompt);
    if state.prompts.len() > MOST {
        state.prompts.remove(0);
    }
}

/// Walks through earlier prompts; what was typed before the walk is where it ends.
fn history(state: &mut State, by: isize) {
    let typed = match &state.recalled {
        Some((_, typed)) => typed.clone(),
        None => state.form.draft.prompt.clone(),
    };
    let at = state.recalled.as_ref().map_or(0, |(at, _)| *at);
    let to = at.saturating_add_signed(by).min(state.prompts.len());
    if to == 0 {
        state.recalled = None;
        state.form.draft.prompt = typed;
    } else if let Some(prompt) = state.prompts.get(state.prompts.len() - to) {
        state.form.draft.prompt.clone_from(prompt);
        state.recalled = Some((to, typed));
    }
}

/// Everything that does not run.
fn clear_queue(state: &mut State) {
    let running = state.queue.running().map(|job| job.id);
    let others: Vec<_> = state.queue.iter().map(|entry| entry.job.id).filter(|id| Some(*id) != running).collect();
    for id in others {
        state.queue.remove(id);
        state.held.remove(&id);
        state.planned.remove(&id);
        state.interrupted.remove(&id);
    }
}

fn mend(state: &mut State, remedy: Remedy) -> Vec<Effect> {
    match remedy {
        Remedy::Size(size) => state.form.set_size(size),
        Remedy::Single => state.form.draft.batch = 1,
        Remedy::Choice(choice) => {
            state.pinned = None;
            if !state.base_policy.tiers.contains(&choice.tier) {
                state.base_policy.tiers.push(choice.tier);
            }
            if !state.base_policy.decodes.contains(&choice.decode) {
                state.base_policy.decodes.push(choice.decode);
            }
        }
        Remedy::RaiseLimit(limit) => {
            state.settings.memory_limit = Some(limit);
            return vec![Effect::SaveSettings];
        }
        // Only the user can do these.
        Remedy::CloseOthers(_) | Remedy::GrowPagefile(_) => {}
    }
    Vec::new()
}

/// Steps, guidance and size belong to a family: another model brings its own. The words stay.
pub(super) fn choose_model(state: &mut State, index: usize) {
    let Some(model) = state.models.get(index) else { return };
    state.vocabulary = Vocabulary::of(&model.inventory);
    state.settings.model = Some(model.name.clone());
    state.model = index;
    state.map = None;
    defaults(state);
}

fn defaults(state: &mut State) {
    let old = state.form.draft.clone();
    let fresh = Form::new(&state.vocabulary);
    state.form.draft = Draft { prompt: old.prompt, negative: old.negative, seed: old.seed, ..fresh.draft };
    state.form.locked_ratio = None;
}

fn take_largest(state: &mut State) {
    let policy = state.planning_policy();
    let found = largest_that_fits(&state.form.draft, state.machine(), state.model_entry(), &policy, &state.vocabulary);
    if let Some(size) = found {
        state.form.set_size(size);
    }
}

fn reuse(state: &mut State) {
    let Some(picture) = state.gallery.selected() else { return };
    let (recipe, model) = (picture.recipe.clone(), picture.model.clone());
    if let Some(index) = state.models.iter().position(|entry| entry.name == model || entry.short_name() == model) {
        choose_model(state, index);
    }
    state.form.draft = Draft::from(&recipe);
    state.form.seeds = Seeds::Fixed;
    state.form.locked_ratio = None;
}

fn open(state: &mut State, dialog: Dialog) {
    state.dialog = (state.dialog != Some(dialog)).then_some(dialog);
    if matches!(dialog, Dialog::FitMap | Dialog::Ways) && state.outlook.recipe.is_none() {
        state.dialog = None;
    }
}
