//! What the user asks for becomes state; what must follow from it is returned, not done.

use super::outlook::largest_that_fits;
use super::reduce::{Effect, start_next};
use super::state::State;
use crate::job::Job;
use crate::planner::{Choice, Remedy, Tier, Verdict};
use crate::recipe::{Draft, Vocabulary};
use crate::ui::{Dialog, Form, Intent, ThemeChoice};

/// One wish. `dark` says which theme is on the screen now.
pub fn apply(state: &mut State, intent: Intent, dark: bool) -> Vec<Effect> {
    state.refresh();
    match intent {
        Intent::Generate => return generate(state, false),
        Intent::ArmForce => state.armed = Some(state.form.draft.clone()),
        Intent::GenerateAnyway => {
            if state.armed.as_ref() == Some(&state.form.draft) {
                return generate(state, true);
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
        Intent::ChooseModel(index) => choose_model(state, index),
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
            state.form.random_seed = false;
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
                return vec![Effect::Forget(id)];
            }
        }
        Intent::Retry(id) => {
            if let Some(was) = state.stopped.remove(&id) {
                state.queue.amend(id, |job| lower(job, was));
            }
            state.queue.retry(id);
            state.held.remove(&id);
            return start_next(state);
        }
        Intent::Open(dialog) => open(state, dialog),
        Intent::CloseDialog => state.dialog = None,
        Intent::ToggleTheme => {
            return set_theme(state, if dark { ThemeChoice::Light } else { ThemeChoice::Dark });
        }
        Intent::SetTheme(theme) => return set_theme(state, theme),
        Intent::SetLanguage(language) => {
            state.settings.language = language;
            return vec![Effect::Restyle, Effect::SaveSettings];
        }
        Intent::SetLimit(limit) => {
            state.settings.memory_limit = limit;
            return vec![Effect::SaveSettings];
        }
        Intent::Dismiss(id) => state.notices.retain(|notice| notice.id != id),
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

/// Freezes the form into a job. Without `force`, only what fits; with it, anything but a hard limit.
fn generate(state: &mut State, force: bool) -> Vec<Effect> {
    if state.elsewhere.is_some() {
        return Vec::new();
    }
    if state.form.random_seed {
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
    let id = state.queue.next_id();
    let policy = state.policy();
    state.armed = None;
    state.planned.insert(id, choice);
    state.queue.push(Job { id, model_ref: model.name, model: model.inventory, recipe, policy, force, resume: None });
    start_next(state)
}

fn mend(state: &mut State, remedy: Remedy) -> Vec<Effect> {
    match remedy {
        Remedy::Size(size) => state.form.set_size(size),
        Remedy::Single => state.form.draft.batch = 1,
        Remedy::Choice(choice) => {
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
fn choose_model(state: &mut State, index: usize) {
    let Some(model) = state.models.get(index) else { return };
    state.vocabulary = Vocabulary::of(&model.inventory);
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
    if let Some(index) = state.models.iter().position(|entry| entry.name == model) {
        choose_model(state, index);
    }
    state.form.draft = Draft::from(&recipe);
    state.form.random_seed = false;
    state.form.locked_ratio = None;
}

fn open(state: &mut State, dialog: Dialog) {
    state.dialog = (state.dialog != Some(dialog)).then_some(dialog);
    if dialog == Dialog::FitMap && state.outlook.recipe.is_none() {
        state.dialog = None;
    }
}
