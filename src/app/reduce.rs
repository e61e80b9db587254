//! What the worker and the writer report becomes state; what must follow from it is returned, not done.

use super::io::{SaveTask, Saved};
use super::progress::Run;
use super::state::{News, PastRun, State};
use crate::job::{Command, Event, Failure, JobId};
use crate::planner::{Answer, Shortage, Tier, Verdict};
use crate::ui::trace::{Point, Trace};
use crate::units::Bytes;
use std::path::PathBuf;

/// Something for the world outside.
#[derive(Debug)]
pub enum Effect {
    Send(Command),
    Cancel,
    Save(SaveTask),
    /// Kept latents of a job are of no more use.
    Forget(JobId),
    SaveSettings,
    FocusPrompt,
    OpenFiles,
    KeepMachine(PathBuf),
    /// Theme or language: what hangs on them is made anew.
    Restyle,
}

/// One report of the worker.
pub fn reduce(state: &mut State, event: Event) -> Vec<Effect> {
    match event {
        Event::Started { job, answer } => {
            if let Some(was) = state.planned.get(&job).copied()
                && was != answer.plan.choice
            {
                state.tell(News::Replanned { was, now: answer.plan.choice });
            }
            if let Some(run) = running(state, job) {
                run.trace = Some(Trace::new(answer.plan.clone()));
                run.answer = Some(answer);
            }
            Vec::new()
        }
        Event::Refused { job, answer } => {
            refuse(state, job, shortage_of(&answer));
            start_next(state)
        }
        Event::Phase { job, phase } => {
            if let Some(run) = running(state, job) {
                run.phase = Some(phase);
                run.loading = None;
            }
            Vec::new()
        }
        Event::Loading { job, done, total } => {
            if let Some(run) = running(state, job) {
                run.loading = Some((done, total));
            }
            Vec::new()
        }
        Event::Step { job, picture, step, steps, elapsed } => {
            if let Some(run) = running(state, job) {
                run.see_step(picture, step, steps, elapsed);
            }
            Vec::new()
        }
        Event::Sample { job, phase, live, elapsed } => {
            if let Some(trace) = running(state, job).and_then(|run| run.trace.as_mut()) {
                trace.push(Point { phase, elapsed, live });
            }
            Vec::new()
        }
        Event::Picture { job, picture, pixels, seed: _ } => {
            let Some(run) = running(state, job) else { return Vec::new() };
            let recipe = run.job.recipe.single(picture);
            let model = run.job.model_ref.clone();
            let id = state.gallery.add(recipe.clone(), model.clone(), None);
            state.keep_pixels(id, pixels.clone());
            state.saving.insert(id);
            vec![Effect::Save(SaveTask { id, pixels, recipe, model })]
        }
        Event::Kept { job, latents } => {
            // Amended once the job does not run any more.
            if let Some(run) = running(state, job) {
                run.latents = Some(latents);
            }
            Vec::new()
        }
        Event::Released => {
            state.kept = Bytes::ZERO;
            Vec::new()
        }
        Event::Finished { job, measured } => {
            state.kept = running(state, job).map_or(Bytes::ZERO, |run| kept_by(run));
            if let Some(trace) = running(state, job).and_then(|run| run.trace.as_mut()) {
                trace.finish(&measured);
            }
            end(state, job);
            start_next(state)
        }
        Event::Failed { job, failure } => {
            state.kept = Bytes::ZERO;
            let mut effects = Vec::new();
            match &failure {
                Failure::Refused => {
                    refuse(state, job, None);
                    return start_next(state);
                }
                // Kept: once memory is free again, a click goes on.
                Failure::Guard { phase, pool, live, planned } => {
                    let by = live.minus(*planned);
                    let shortage = Shortage { pool: *pool, phase: *phase, by, hard: false };
                    state.held.insert(job, shortage);
                    stop(state, job, true);
                }
                Failure::OutOfMemory { .. } | Failure::Spilled { .. } => stop(state, job, true),
                Failure::Died(death) => stop(state, job, death.cause.of_memory()),
                _ => {
                    end(state, job);
                    effects.push(Effect::Forget(job));
                }
            }
            if failure != Failure::Cancelled {
                state.tell(News::Failed(failure));
            }
            effects.extend(start_next(state));
            effects
        }
    }
}

/// Keeps a job that was stopped, with what was worked out: a click goes on, one tier lower where memory was short.
fn stop(state: &mut State, job: JobId, of_memory: bool) {
    state.queue.hold(job);
    let Some(run) = take_run(state, job) else { return };
    let latents = run.latents;
    state.queue.amend(job, |job| job.resume = latents.or(job.resume.take()));
    if let Some(answer) = run.answer.filter(|_| of_memory) {
        state.stopped.insert(job, answer.plan.choice);
    }
}

/// A picture was written, or not.
pub fn saved(state: &mut State, (id, result): Saved) {
    state.saving.remove(&id);
    match result {
        Ok(path) => state.gallery.set_path(id, path),
        Err(why) => state.tell(News::SaveFailed(why)),
    }
}

/// Sends the next waiting job, if none runs.
pub(super) fn start_next(state: &mut State) -> Vec<Effect> {
    if state.paused || state.looking {
        return Vec::new();
    }
    let Some(job) = state.queue.start_next() else { return Vec::new() };
    state.run = Some(Run::new(job.clone(), state.now));
    state.follow = true;
    vec![Effect::Send(Command::Run(Box::new(job)))]
}

/// The worker had no room: the job waits again.
pub fn unsent(state: &mut State) {
    if let Some(run) = state.run.take() {
        state.queue.hold(run.job.id);
        state.queue.retry(run.job.id);
        state.tell(News::Busy);
    }
}

fn running(state: &mut State, job: JobId) -> Option<&mut Run> {
    state.run.as_mut().filter(|run| run.job.id == job)
}

fn take_run(state: &mut State, job: JobId) -> Option<Run> {
    if state.run.as_ref().is_some_and(|run| run.job.id == job) { state.run.take() } else { None }
}

/// What a run leaves loaded: everything on the resident tier, nothing on the others.
fn kept_by(run: &Run) -> Bytes {
    match &run.answer {
        Some(answer) if answer.plan.choice.tier == Tier::Resident => run.job.model.bytes(),
        _ => Bytes::ZERO,
    }
}

fn end(state: &mut State, job: JobId) {
    state.queue.remove(job);
    state.planned.remove(&job);
    if let Some(run) = take_run(state, job)
        && let Some(trace) = run.trace
        && !trace.is_empty()
    {
        let model = state.models.iter().position(|model| model.name == run.job.model_ref).unwrap_or_default();
        state.past = Some(PastRun { recipe: run.job.recipe, model, trace });
    }
}

fn refuse(state: &mut State, job: JobId, shortage: Option<Shortage>) {
    state.queue.hold(job);
    take_run(state, job);
    match shortage {
        Some(shortage) => {
            state.held.insert(job, shortage);
            state.tell(News::Refused(shortage));
        }
        None => state.tell(News::Failed(Failure::Refused)),
    }
}

const fn shortage_of(answer: &Answer) -> Option<Shortage> {
    match &answer.verdict {
        Verdict::Short(shortage) => Some(*shortage),
        _ => None,
    }
}
