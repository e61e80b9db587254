//! `generate`: plans, draws on this thread, writes the pictures.

use super::args::GenerateArgs;
use super::computer::{self, Computer};
use super::error::{CliError, Exit};
use super::json::GenerateJson;
use super::progress::Progress;
use super::{here, interrupt, out, output, request, text};
use crate::job::{Cancel, Drawn, Event, Failure, Job, JobId, Latents, Measured, MeasuredPhase};
use crate::ledger::{self, Pool};
use crate::machine::Reading;
use crate::model::Inventory;
use crate::pixels::Pixels;
use crate::planner::{Answer, Decode, Phase};
use crate::probe;
use crate::recipe::{Recipe, Vocabulary};
use crate::store::{self, Origin, Place, StoreError};
use crate::units::{Bytes, Secs};
use crate::worker::{self, Outcome};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

pub(super) fn run(arguments: &GenerateArgs) -> Result<Exit, CliError> {
    let cancel = Cancel::default();
    let token = cancel.token();
    interrupt::connect(&cancel);

    let Subject { reference, model, recipe, start, resume } = Subject::of(arguments)?;
    let simulated = request::simulated(&arguments.how)?;
    let mut policy = request::policy(&arguments.how, simulated.as_ref())?;
    let place = output::place(arguments.output.as_deref())?;
    // Before anything is loaded: a picture that cannot be kept is not worth drawing.
    store::check_place(&place).map_err(|error| CliError::write(&error))?;
    let own = here::machine(place.folder());
    check_room(own.disk_free, &recipe, &place)?;

    let in_process = arguments.in_process || computer::in_process(&here::settings());
    let computer = Arc::new(Computer::new(own.cpu.threads, in_process, simulated));
    let (folder, gflops) = (place.folder().to_owned(), own.cpu.gflops);
    policy.learned = computer.learned(&model, gflops);
    let host = computer.worker_host(move || folder.clone(), move || gflops);
    let mut engine = computer.engine();
    let name = model.name.clone();
    let job = Job {
        id: JobId(1),
        model_ref: reference,
        model,
        recipe: recipe.clone(),
        policy,
        force: arguments.force,
        resume: resume.as_ref().map(|(_, latents)| Arc::clone(latents)),
        start,
    };
    let inventory = Arc::clone(&job.model);
    let mut run = Run::new(&recipe);
    let outcome = worker::run_job(engine.as_mut(), &job, &host, &token, &mut |event: Event| run.hear(event));
    run.progress.clear();

    // What was drawn before the end came is kept, whatever the end.
    let saving = Saving { place: &place, recipe: &recipe, model: &name, decode: run.decode() };
    let (files, trouble, saved) = saving.all(&run.drawn);
    // The engine's kept weights count while pictures are written.
    drop(engine);

    if let (Outcome::Finished(measured), Some(answer), Some(gflops)) = (&outcome, &run.answer, gflops) {
        computer.record(&inventory, &answer.plan, measured, gflops);
        here::learn(measured.learned_gflops(&answer.plan, gflops));
    }
    if let (Outcome::Finished(_), Some((file, _))) = (&outcome, &resume) {
        store::forget(file);
    }
    let (measured, end) = match outcome {
        Outcome::Finished(measured) => (Some(with_saving(measured, saved)), None),
        Outcome::Refused(answer) => {
            let error = text::refusal(&answer);
            run.answer = Some(answer);
            (None, Some(error))
        }
        Outcome::Failed(failure) => {
            let error = failed(&failure, files.len());
            let kept = run.kept.then(|| computer.keeper.path(job.id.0)).filter(|path| path.exists());
            let goes_on = |path: PathBuf| format!("`headroom generate --resume {}` goes on from there", path.display());
            (None, Some(kept.into_iter().fold(error, |error, path| error.hint(goes_on(path)))))
        }
    };
    if arguments.json {
        out::json(&GenerateJson {
            files: files.iter().map(|file| file.to_string_lossy().into_owned()).collect(),
            seed: recipe.seed(),
            recipe: (&recipe).into(),
            plan: run.answer.as_deref().map(Into::into),
            measured: measured.as_ref().map(Into::into),
        })?;
    } else {
        for file in &files {
            out::result(file.display())?;
        }
    }
    match end.or(trouble) {
        Some(error) => Err(error),
        None => Ok(Exit::Done),
    }
}

/// What to draw with what.
struct Subject {
    reference: String,
    model: Arc<Inventory>,
    recipe: Recipe,
    start: Option<Arc<Pixels>>,
    /// What an earlier run has worked out, and the file that says so.
    resume: Option<(PathBuf, Arc<Latents>)>,
}

impl Subject {
    fn of(arguments: &GenerateArgs) -> Result<Self, CliError> {
        let Some(file) = &arguments.resume else {
            let reference = arguments.order.reference();
            let model = request::model(&reference)?;
            let recipe = request::recipe(arguments.prompt.as_deref(), &arguments.order, &Vocabulary::of(&model))?;
            let start = request::start(&arguments.order, &recipe)?;
            return Ok(Self { reference, model, recipe, start, resume: None });
        };
        let kept = store::read_latents(file)
            .map_err(|error| CliError::new(Exit::BadFile, format!("cannot go on: {error}")).hint(error.hint()))?;
        let model = request::model(&kept.model)?;
        let parsed = kept.recipe.draft.parse(&Vocabulary::of(&model));
        let (recipe, _) = parsed.map_err(|_issues| {
            CliError::new(Exit::BadFile, format!("cannot go on: the model has changed: {}", kept.model))
                .hint("draw the picture again from its settings")
        })?;
        let resume = Some((kept.path, Arc::new(kept.latents)));
        Ok(Self { reference: kept.model, model, recipe, start: None, resume })
    }
}

fn failed(failure: &Failure, files: usize) -> CliError {
    let error = CliError::failure(failure);
    match files {
        0 => error,
        1 => error.hint("the picture that was finished before is kept"),
        n => error.hint(format!("the {n} pictures that were finished before are kept")),
    }
}

/// Refuses where the disk cannot take the pictures. An unknown reading refuses nothing.
fn check_room(free: Reading, recipe: &Recipe, place: &Place) -> Result<(), CliError> {
    // A PNG of noise is a little larger than its pixels.
    let need = Bytes(recipe.size().pixels() * 3 + (recipe.size().pixels() / 8)) * u64::from(recipe.batch());
    match free {
        Reading::Known(free) if free < need => {
            let folder = place.folder().display();
            let message = format!("cannot write the picture: the disk has {free} free, {need} may be needed: {folder}");
            Err(CliError::new(Exit::Other, message).hint("free some space, or choose a folder on another disk"))
        }
        _ => Ok(()),
    }
}

/// What is heard of the job.
struct Run {
    progress: Progress,
    answer: Option<Box<Answer>>,
    /// What was worked out is on disk.
    kept: bool,
    drawn: Vec<Drawn>,
}

impl Run {
    fn new(recipe: &Recipe) -> Self {
        Self { progress: Progress::new(recipe.batch()), answer: None, kept: false, drawn: Vec::new() }
    }

    fn hear(&mut self, event: Event) {
        self.progress.hear(&event);
        match event {
            Event::Started { answer, .. } => {
                tracing::info!("{}", text::summary(&answer));
                self.answer = Some(answer);
            }
            Event::Kept { .. } => self.kept = true,
            Event::Picture { picture, pixels, seed, .. } => self.drawn.push(Drawn { picture, seed, pixels }),
            _ => {}
        }
    }

    fn decode(&self) -> Option<Decode> {
        self.answer.as_ref().map(|answer| answer.plan.choice.decode)
    }
}

struct Saving<'a> {
    place: &'a Place,
    recipe: &'a Recipe,
    model: &'a str,
    decode: Option<Decode>,
}

impl Saving<'_> {
    /// Writes every picture, and measures that as the phase that it is.
    fn all(&self, drawn: &[Drawn]) -> (Vec<PathBuf>, Option<CliError>, MeasuredPhase) {
        ledger::reset_peak();
        let start = Instant::now();
        let mut files = Vec::with_capacity(drawn.len());
        let mut trouble = None;
        for picture in drawn {
            match self.one(picture) {
                Ok(file) => files.push(file),
                Err(error) => {
                    let (error, file) = self.elsewhere(picture, &error);
                    files.extend(file);
                    trouble = Some(error);
                }
            }
        }
        let phase = MeasuredPhase {
            phase: Phase::Save,
            elapsed: Secs(start.elapsed().as_secs_f64()),
            host_peak: ledger::peak(Pool::Host),
            device_peak: ledger::peak(Pool::Device),
        };
        (files, trouble, phase)
    }

    fn one(&self, drawn: &Drawn) -> Result<PathBuf, StoreError> {
        self.write(&output::nth(self.place, drawn.picture), drawn)
    }

    fn write(&self, place: &Place, drawn: &Drawn) -> Result<PathBuf, StoreError> {
        let origin = Origin { model: self.model, decode: self.decode };
        store::save_png(place, &drawn.pixels, &self.recipe.single(drawn.picture), origin)
    }

    /// The folder went away or filled up while it was drawn: the picture goes to the usual folder instead.
    fn elsewhere(&self, drawn: &Drawn, error: &StoreError) -> (CliError, Option<PathBuf>) {
        let mut told = CliError::write(error);
        let usual = Place::Folder(store::pictures_folder());
        let saved = store::check_place(&usual).and_then(|()| self.write(&usual, drawn));
        if let Ok(file) = &saved {
            told = told.hint(format!("it was written here instead: {}", file.display()));
        }
        (told, saved.ok())
    }
}

/// The measurement of the job with that of the writing after it.
fn with_saving(mut measured: Measured, saved: MeasuredPhase) -> Measured {
    measured.ledger_peak = measured.ledger_peak.max(saved.host_peak + saved.device_peak);
    measured.rss_peak = probe::rss_peak().known().max(measured.rss_peak);
    measured.phases.retain(|phase| phase.phase != Phase::Save);
    measured.phases.push(saved);
    measured
}
