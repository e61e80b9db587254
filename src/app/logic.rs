//! What happens whether or not the window is shown: reports come in, jobs go out, pictures are written.

use super::command;
use super::host::{Backend, Host, JobBook, LatentFiles, LeftOver, RunBook, Standing};
use super::intake::Intake;
use super::io::{Saver, Surveyor};
use super::reduce::{Effect, reduce, saved, start_next, unsent};
use super::state::State;
use super::{apply, view};
use crate::i18n::Catalog;
use crate::job::{Command, Event};
use crate::ui::panels::parameters::PROMPT_ID;
use crate::ui::textures::Textures;
use crate::ui::{Intent, Settings, ThemeChoice, theme};
use crate::units::Bytes;
use egui::{Context, Id, ThemePreference, ViewportId};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Time between readings of the machine, at rest and at work; at work, also between frames.
const IDLE_BEAT: Duration = Duration::from_millis(250);
const BUSY_BEAT: Duration = Duration::from_millis(100);

pub struct App {
    pub state: State,
    pub(super) catalog: Catalog,
    pub(super) textures: Textures,
    pub(super) live: Arc<dyn Fn() -> Bytes + Send + Sync>,
    latents: Box<dyn LatentFiles>,
    jobs: Box<dyn JobBook>,
    /// The queue as it was kept last.
    standing: Vec<Standing>,
    /// Until the queue that they belong to is known.
    left: Vec<LeftOver>,
    book: Box<dyn RunBook>,
    worker: Box<dyn Backend>,
    saver: Saver,
    surveyor: Surveyor,
    intake: Intake,
    /// Called when the first frame is on the screen.
    shown: Option<Box<dyn FnOnce()>>,
    /// Whether a frame was made.
    painted: bool,
    save_settings: Box<dyn Fn(&Settings)>,
    keep_machine: Box<dyn Fn(&Path)>,
}

impl App {
    /// # Errors
    /// Where there is no model at all.
    pub fn new(ctx: &Context, host: Host) -> Result<Self, String> {
        // The keys are in our own table, so that the magnification is kept.
        ctx.options_mut(|options| options.zoom_with_keyboard = false);
        let own = (host.survey)();
        let mut state = State::new(host.models, host.machines, own, host.policy, host.settings, &host.locale)
            .ok_or_else(|| "there is no model to draw with".to_owned())?;
        state.looking = true;
        theme::install(ctx, state.language());
        let waker = ctx.clone();
        let wake: Arc<dyn Fn() + Send + Sync> = Arc::new(move || waker.request_repaint_of(ViewportId::ROOT));
        host.worker.set_wake(Arc::clone(&wake));
        let mut app = Self {
            catalog: Catalog::new(state.language()),
            textures: Textures::default(),
            live: host.live,
            latents: host.latents,
            jobs: host.jobs,
            standing: Vec::new(),
            left: host.left,
            book: host.book,
            worker: host.worker,
            saver: Saver::start(host.save, Arc::clone(&wake)),
            surveyor: Surveyor::start(host.survey, state.own.clone(), IDLE_BEAT, Arc::clone(&wake)),
            intake: Intake::start(host.inspect, host.pick, host.opened, wake),
            shown: Some(host.shown),
            painted: false,
            save_settings: host.save_settings,
            keep_machine: host.keep_machine,
            state,
        };
        app.learn();
        app.restyle(ctx);
        ctx.memory_mut(|memory| memory.request_focus(Id::unique(PROMPT_ID)));
        Ok(app)
    }

    /// Waits until every finished picture is on disk.
    pub fn finish_saving(&mut self) {
        for result in self.saver.finish() {
            saved(&mut self.state, result);
        }
    }

    pub(super) fn apply_all(&mut self, ctx: &Context, intents: Vec<Intent>) {
        for intent in intents {
            let dark = ctx.theme() == egui::Theme::Dark;
            let effects = apply(&mut self.state, intent, dark);
            self.perform(ctx, effects);
            ctx.request_repaint();
        }
        self.keep_queue();
    }

    fn perform(&mut self, ctx: &Context, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(command) => {
                    if matches!(command, Command::Run(_)) {
                        self.keep_queue();
                    }
                    if !self.worker.send(command) {
                        unsent(&mut self.state);
                    }
                }
                Effect::Cancel => self.worker.cancel(),
                Effect::Save(task) => self.saver.save(task),
                Effect::Forget(job) => self.latents.forget(job),
                Effect::SaveSettings => (self.save_settings)(&self.state.settings),
                Effect::FocusPrompt => ctx.memory_mut(|memory| memory.request_focus(Id::unique(PROMPT_ID))),
                Effect::KeepMachine(path) => (self.keep_machine)(&path),
                Effect::OpenFiles => self.intake.choose_files(),
                Effect::Restyle => self.restyle(ctx),
            }
        }
    }

    /// Puts the queue on disk where it has changed.
    fn keep_queue(&mut self) {
        if self.state.looking {
            return;
        }
        let standing = self.state.standing();
        if standing != self.standing {
            self.standing.clone_from(&standing);
            self.jobs.keep(standing);
        }
    }

    /// Takes over what an earlier window left, once it is known.
    fn rejoin(&mut self, ctx: &Context) {
        let Some(backlog) = self.jobs.found() else {
            ctx.request_repaint_after(IDLE_BEAT);
            return;
        };
        for (row, job) in self.state.rejoin(backlog) {
            self.jobs.adopt(row, job);
        }
        for LeftOver { path, model, draft, latents } in std::mem::take(&mut self.left) {
            if let Some(job) = self.state.restore(&model, &draft, latents) {
                self.latents.adopt(&path, job);
            }
        }
        ctx.request_repaint();
    }

    fn restyle(&mut self, ctx: &Context) {
        ctx.set_theme(match self.state.settings.theme {
            ThemeChoice::System => ThemePreference::System,
            ThemeChoice::Light => ThemePreference::Light,
            ThemeChoice::Dark => ThemePreference::Dark,
        });
        ctx.set_zoom_factor(self.state.settings.zoom);
        if self.catalog.language() != self.state.language() {
            self.catalog = Catalog::new(self.state.language());
            theme::install_fonts(ctx, self.state.language());
        }
    }

    /// Takes over what runs taught.
    fn learn(&mut self) {
        self.state.learned = self.state.models.iter().map(|model| self.book.learned(&model.inventory)).collect();
        self.state.spread = self.book.spread();
    }

    fn hear(&mut self, ctx: &Context) {
        if self.state.looking {
            self.rejoin(ctx);
        }
        while let Some(event) = self.worker.poll() {
            if matches!(event, Event::Finished { .. }) {
                self.learn();
            }
            let effects = reduce(&mut self.state, event);
            self.perform(ctx, effects);
        }
        if self.state.run.is_none() && !self.state.queue.is_empty() {
            let effects = start_next(&mut self.state);
            self.perform(ctx, effects);
        }
        if let Some(preview) = self.worker.preview()
            && self.state.run.as_ref().is_some_and(|run| run.job.id == preview.job)
        {
            self.textures.set_preview(ctx, &preview);
        }
        if self.state.run.is_none() {
            self.textures.clear_preview();
        }
        while let Some(result) = self.saver.poll() {
            saved(&mut self.state, result);
        }
    }
}

impl eframe::App for App {
    fn logic(&mut self, ctx: &Context, _frame: &mut eframe::Frame) {
        self.state.now = ctx.input(|input| input.time);
        // A frame is on the screen when the next one begins.
        if self.painted
            && let Some(shown) = self.shown.take()
        {
            shown();
        }
        self.hear(ctx);
        let effects = self.intake.poll(ctx, &mut self.state);
        self.perform(ctx, effects);
        self.keep_queue();
        let busy = self.state.run.is_some();
        if let Some(machine) = self.surveyor.poll(if busy { BUSY_BEAT } else { IDLE_BEAT }) {
            self.state.see_machine(machine);
        }
        if busy {
            ctx.request_repaint_after(BUSY_BEAT);
        }
        // Written when the window closes; a window that fills the screen says nothing of the size it had before.
        let (size, whole) = ctx.input(|input| {
            let viewport = input.viewport();
            (viewport.inner_rect, viewport.maximized == Some(true) || viewport.fullscreen == Some(true))
        });
        if let Some(rect) = size.filter(|_| !whole) {
            // Points of the system, not ours: the next start opens the window before our magnification is set.
            let zoom = self.state.settings.zoom;
            self.state.settings.window = Some((rect.width() * zoom, rect.height() * zoom));
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        if self.state.dialog.is_none() && !ui.text_edit_focused() {
            let pasted = ui.input(|input| {
                input.events.iter().find_map(|event| match event {
                    egui::Event::Paste(text) => Some(text.clone()),
                    _ => None,
                })
            });
            if let Some(text) = pasted {
                self.intake.paste(&mut self.state, &text);
            }
        }
        let pressed = command::pressed(ui, self.state.run.is_some(), self.state.dialog);
        self.apply_all(ui, pressed);
        self.state.refresh();
        self.state.advance_map();
        let intents = view::ui(self, ui);
        let ctx = ui.ctx().clone();
        self.painted = true;
        if self.shown.is_some() {
            ctx.request_repaint();
        }
        self.apply_all(&ctx, intents);
        if !ctx.input(|input| input.pointer.any_down()) {
            self.state.undo.observe(&self.state.form, self.state.now);
        }
        if self.state.map.as_ref().is_some_and(|map| !map.finished()) && self.state.dialog.is_some() {
            ctx.request_repaint();
        }
    }

    fn clear_color(&self, visuals: &egui::Visuals) -> [f32; 4] {
        theme::clear_color(visuals.dark_mode).to_normalized_gamma_f32()
    }

    fn on_exit(&mut self, _gl: Option<&eframe::glow::Context>) {
        self.worker.cancel();
        // Closed on purpose: it is stopped, not what killed the program.
        if let Some(job) = self.state.queue.running().map(|job| job.id) {
            self.state.queue.hold(job);
        }
        self.keep_queue();
        (self.save_settings)(&self.state.settings);
        self.finish_saving();
    }
}
