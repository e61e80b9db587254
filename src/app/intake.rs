//! What comes in from outside: files over the window, files dropped or opened, text pasted beside a field.
//!
//! Everything is looked into on a thread of its own before anything is said or done, so that the overlay tells what a
//! drop will really do, and no file of any size makes the window wait.

use super::host::{Found, Inspect, Pick, Source};
use super::reduce::{Effect, start_next};
use super::state::{News, State};
use crate::recipe::Vocabulary;
use crate::ui::Seeds;
use crossbeam_channel::{Receiver, Sender, bounded};
use egui::Context;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::Builder;

/// More files than anybody drops at once; the rest is told to be left out.
const MOST: usize = 64;

/// A file over the window that has not been let go yet.
#[derive(Clone, Debug)]
pub struct Hovered {
    pub path: PathBuf,
    /// `None` until it has been looked into.
    pub found: Option<Found>,
}

/// What is looked into, and whether it is to be taken then.
struct Task {
    source: Source,
    take: bool,
}

pub(super) struct Intake {
    /// `None` where the thread could not be started.
    tasks: Option<Sender<Task>>,
    results: Receiver<(Task, Found)>,
    /// Named at the start, not yet taken.
    opened: Vec<PathBuf>,
    picked: (Sender<Vec<PathBuf>>, Receiver<Vec<PathBuf>>),
    pick: Pick,
    wake: Arc<dyn Fn() + Send + Sync>,
}

impl Intake {
    /// `opened` are taken at the first look.
    pub(super) fn start(inspect: Inspect, pick: Pick, opened: Vec<PathBuf>, wake: Arc<dyn Fn() + Send + Sync>) -> Self {
        let (tasks, inbox) = bounded::<Task>(MOST * 2);
        let (outbox, results) = bounded(MOST * 2);
        let waker = Arc::clone(&wake);
        let work = move || {
            for task in inbox {
                let found = inspect(&task.source);
                if outbox.send((task, found)).is_err() {
                    return;
                }
                waker();
            }
        };
        let thread = Builder::new().name("intake".to_owned()).spawn(work);
        Self { tasks: thread.is_ok().then_some(tasks), results, opened, picked: bounded(1), pick, wake }
    }

    /// `false` where nothing more can be looked into now.
    fn ask(&self, source: Source, take: bool) -> bool {
        self.tasks.as_ref().is_some_and(|tasks| tasks.try_send(Task { source, take }).is_ok())
    }

    /// Opens the system's file dialog on a thread of its own; what is chosen comes in like a drop.
    pub(super) fn choose_files(&self) {
        let (pick, outbox, wake) = (Arc::clone(&self.pick), self.picked.0.clone(), Arc::clone(&self.wake));
        let work = move || {
            if outbox.try_send(pick()).is_ok() {
                wake();
            }
        };
        if let Err(error) = Builder::new().name("dialog".to_owned()).spawn(work) {
            tracing::warn!("the file dialog could not be opened: {error}");
        }
    }

    /// Once a frame: what hovers, what was let go, what was found.
    pub(super) fn poll(&mut self, ctx: &Context, state: &mut State) -> Vec<Effect> {
        let (hovering, mut dropped): (Vec<PathBuf>, Vec<PathBuf>) = ctx.input(|input| {
            let raw = &input.raw;
            let hovering = raw.hovered_files.iter().filter_map(|file| file.path.clone()).collect();
            (hovering, raw.dropped_files.iter().map(|file| file.path().to_owned()).collect())
        });
        dropped.append(&mut self.opened);
        self.hover(state, hovering);
        let mut effects = self.take(state, dropped);
        while let Ok(chosen) = self.picked.1.try_recv() {
            effects.extend(self.take(state, chosen));
        }
        while let Ok((task, found)) = self.results.try_recv() {
            if task.take {
                effects.extend(take(state, &task.source, found));
            } else if let Source::File(path) = &task.source
                && let Some(hovered) = state.hovered.iter_mut().find(|hovered| hovered.path == *path)
            {
                hovered.found = Some(found);
            }
        }
        effects
    }

    fn hover(&self, state: &mut State, paths: Vec<PathBuf>) {
        if state.hovered.iter().map(|hovered| &hovered.path).eq(paths.iter().take(MOST)) {
            return;
        }
        state.hovered = paths.into_iter().take(MOST).map(|path| Hovered { path, found: None }).collect();
        for hovered in &state.hovered {
            self.ask(Source::File(hovered.path.clone()), false);
        }
    }

    /// Takes what lies at these places.
    fn take(&self, state: &mut State, paths: Vec<PathBuf>) -> Vec<Effect> {
        let many = paths.len() > MOST;
        for path in paths.into_iter().take(MOST) {
            let name = name_of(&Source::File(path.clone()));
            if !self.ask(Source::File(path), true) {
                state.tell(News::NotTaken { name, why: None });
            }
        }
        if many {
            state.tell(News::TooMany(MOST as u64));
        }
        Vec::new()
    }

    /// Takes what was pasted beside every field: a path, or settings as text.
    pub(super) fn paste(&self, state: &mut State, text: &str) {
        let source = pasted_path(text).map_or_else(|| Source::Text(text.to_owned()), Source::File);
        let name = name_of(&source);
        if !self.ask(source, true) {
            state.tell(News::NotTaken { name, why: None });
        }
    }
}

/// The one existing file that a text names, as a file manager copies it.
fn pasted_path(text: &str) -> Option<PathBuf> {
    let text = text.trim().trim_matches('"');
    if text.is_empty() || text.contains('\n') || text.len() > 4096 {
        return None;
    }
    let path = text.strip_prefix("file://").map_or_else(|| PathBuf::from(text), |uri| PathBuf::from(unescaped(uri)));
    (path.is_absolute() && path.exists()).then_some(path)
}

/// Percent signs of a file URI.
fn unescaped(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escaped = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        if let (b'%', Some(byte)) = (first, escaped.and_then(|hex| u8::from_str_radix(hex, 16).ok())) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn name_of(source: &Source) -> String {
    match source {
        Source::File(path) => file_name(path),
        // Pasted text has no name; the words for it are the catalogue's.
        Source::Text(_) => String::new(),
    }
}

/// The last part of a path, as text.
pub(super) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

/// What follows from something that was let go over the window, opened or pasted.
pub fn take(state: &mut State, source: &Source, found: Found) -> Vec<Effect> {
    let name = name_of(source);
    match found {
        Found::Settings(restored) => {
            let wanted = restored.model.clone();
            let here = wanted.as_ref().map(|wanted| state.models.iter().position(|model| model.short_name() == wanted));
            if let Some(Some(index)) = here {
                state.model = index;
                state.vocabulary = Vocabulary::of(&state.models[index].inventory);
                state.map = None;
            }
            state.form.draft = restored.draft.clone();
            state.form.seeds = Seeds::Fixed;
            state.form.locked_ratio = None;
            state.tell(News::Restored { name, left: restored.left.clone() });
            // An absent model is said, never replaced in silence.
            if let (Some(model), Some(None)) = (wanted, here) {
                state.tell(News::ModelAbsent { model });
            }
            start_next(state)
        }
        Found::Preset(preset, left) => {
            state.form.draft = preset.over(&state.form.draft);
            if preset.settings.seed.is_some() {
                state.form.seeds = Seeds::Fixed;
            }
            if preset.settings.width.is_some() || preset.settings.height.is_some() {
                state.form.locked_ratio = None;
            }
            state.tell(News::Restored { name: preset.name, left });
            start_next(state)
        }
        Found::Machine(machine) => {
            let at = state.machines.iter().position(|known| known.name == machine.name);
            let name = machine.name.clone();
            let index = at.unwrap_or(state.machines.len());
            match state.machines.get_mut(index) {
                Some(known) => *known = *machine,
                None => state.machines.push(*machine),
            }
            state.plan_for(Some(index));
            state.tell(News::MachineAdded { name });
            match source {
                Source::File(path) => vec![Effect::KeepMachine(path.clone())],
                Source::Text(_) => Vec::new(),
            }
        }
        Found::Model(entry) => {
            let at = state.models.iter().position(|known| known.name == entry.name);
            let index = at.unwrap_or(state.models.len());
            if at.is_none() {
                state.models.push(entry);
            }
            super::apply::choose_model(state, index);
            state.tell(News::ModelAdded { name });
            vec![Effect::SaveSettings]
        }
        Found::Nothing(why) => {
            state.tell(News::NotTaken { name, why: Some(why) });
            Vec::new()
        }
        Found::Unknown => {
            state.tell(News::NotKnown { name });
            Vec::new()
        }
    }
}
