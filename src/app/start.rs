//! Wires the window to the real rooms: models, machine, worker, disk.

use super::backlog::Shelf;
use super::host::{Backend, Host, LatentFiles, LeftOver, ModelEntry, RunBook, Save};
use super::inspect;
use crate::cli::computer::{self, Computer};
use crate::engine;
use crate::hub;
use crate::job::{Command, Event, JobId, Preview};
use crate::ledger::Pool;
use crate::machine::Machine;
use crate::model::{Inventory, ModelFiles};
use crate::planner::{Device, Learned, Plan, Policy};
use crate::store::{self, Origin, Place};
use crate::ui::{Layout, Settings, ThemeChoice};
use crate::worker::Worker;
use crate::{i18n, probe};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How long the processor is measured at the first start.
const CALIBRATION: Duration = Duration::from_millis(400);

/// Where the user's own machine files lie, in the data folder.
const MACHINES: &str = "machines";

/// Opens the window on this computer. `opened` are files that it takes as if they were dropped; `begun` is when the
/// program did.
///
/// # Errors
/// What keeps the window from opening.
pub fn start(opened: Vec<PathBuf>, begun: Instant) -> Result<(), String> {
    let kept = Arc::new(Kept::load());
    let builtin = hub::open(hub::BUILTIN).map_err(|error| error.to_string())?;
    let threads = probe::threads();

    let computer = Arc::new(Computer::new(threads, computer::in_process(&kept.lock()), None));
    let survey = {
        let (kept, computer) = (Arc::clone(&kept), Arc::clone(&computer));
        move || -> Machine {
            let gflops = kept.lock().gflops;
            computer.survey(&kept.pictures(), gflops)
        }
    };
    let host = {
        let (folder, gflops) = (Arc::clone(&kept), Arc::clone(&kept));
        computer.worker_host(move || folder.pictures(), move || gflops.lock().gflops)
    };
    let worker = {
        let computer = Arc::clone(&computer);
        Worker::start(move || computer.engine(), host).map_err(|error| error.to_string())?
    };
    let live = {
        let computer = Arc::clone(&computer);
        Arc::new(move || computer.live(Pool::Host))
    };
    let left = computer.keeper.left().into_iter().map(|kept| LeftOver {
        path: kept.path,
        model: kept.model,
        draft: kept.recipe.draft,
        latents: kept.latents,
    });

    let policy = Policy { memory_limit: kept.lock().memory_limit, ..Policy::new(Device::Cpu) };
    let save = {
        let kept = Arc::clone(&kept);
        let save: Save = Arc::new(move |pixels, recipe, model| {
            let origin = Origin { model, decode: None };
            let place = Place::Folder(kept.pictures());
            let saved = store::check_place(&place).and_then(|()| store::save_png(&place, pixels, recipe, origin));
            saved.map_err(|error| error.to_string())
        });
        save
    };
    let models = models(builtin, kept.lock().model.as_deref());
    let jobs = Shelf::start(store::library_file(), |name| hub::open(name).ok().map(|opened| opened.inventory))
        .map_err(|error| error.to_string())?;
    let measured = Arc::clone(&kept);
    super::run(Host {
        models,
        machines: machines(),
        survey: Box::new(survey),
        live,
        left: left.collect(),
        latents: Box::new(Files(Arc::clone(&computer))),
        jobs: Box::new(jobs),
        worker: Box::new(Learning {
            worker,
            computer: Arc::clone(&computer),
            kept: Arc::clone(&kept),
            models: RefCell::default(),
            plan: RefCell::default(),
        }),
        book: Box::new(Book { computer: Arc::clone(&computer), kept: Arc::clone(&kept) }),
        save,
        inspect: Arc::new(inspect::inspect),
        pick: Arc::new(|| rfd::FileDialog::new().pick_files().unwrap_or_default()),
        keep_machine: Box::new(keep_machine),
        policy,
        settings: kept.shown(),
        save_settings: Box::new(move |settings| kept.take(settings)),
        locale: sys_locale::get_locale().unwrap_or_default(),
        opened,
        shown: Box::new(move || {
            tracing::info!("first frame {} ms after the start", begun.elapsed().as_millis());
            measured.measure_speed(threads);
        }),
    })
}

/// Why there is no window, in the language of the system.
#[must_use]
pub fn told(why: &str) -> String {
    let language = i18n::Language::from_tag(&sys_locale::get_locale().unwrap_or_default());
    i18n::Catalog::new(language).with("app-no-window", &[("why", why.into())])
}

/// The built-in model, and the one that was drawn with last where it can still be opened.
fn models(builtin: ModelFiles, last: Option<&str>) -> Vec<ModelEntry> {
    let mut all = vec![ModelEntry { name: hub::BUILTIN.to_owned(), inventory: builtin.inventory }];
    if let Some(name) = last.filter(|name| *name != hub::BUILTIN) {
        match hub::open(name) {
            Ok(opened) => all.push(ModelEntry { name: name.to_owned(), inventory: opened.inventory }),
            Err(error) => tracing::warn!("{error}"),
        }
    }
    all
}

/// Copies a machine file into the folder that the next start reads.
fn keep_machine(path: &Path) {
    let folder = store::data_folder().join(MACHINES);
    let Some(name) = path.file_name() else { return };
    let copied = std::fs::create_dir_all(&folder).and_then(|()| {
        let to = folder.join(name);
        if to == path { Ok(0) } else { std::fs::copy(path, to) }
    });
    if let Err(error) = copied {
        tracing::warn!("the machine file could not be kept: {error}");
    }
}

/// The machines that ship with the program, then those that the user put into the folder `machines`.
fn machines() -> Vec<Machine> {
    let mut all: Vec<_> = hub::machine::names().into_iter().filter_map(|name| hub::machine::open(name).ok()).collect();
    let files = std::fs::read_dir(store::data_folder().join(MACHINES)).into_iter().flatten().flatten();
    let mut paths: Vec<_> = files.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")));
    paths.sort();
    for path in paths {
        match hub::machine::open(&path.to_string_lossy()) {
            Ok(machine) => all.push(machine),
            Err(error) => tracing::warn!("{error}"),
        }
    }
    all
}

struct Book {
    computer: Arc<Computer>,
    kept: Arc<Kept>,
}

impl RunBook for Book {
    fn learned(&self, model: &Inventory) -> Learned {
        self.computer.learned(model, self.kept.lock().gflops)
    }

    fn spread(&self) -> Option<(usize, f64, f64)> {
        self.computer.spread()
    }
}

struct Files(Arc<Computer>);

impl LatentFiles for Files {
    fn adopt(&self, path: &Path, job: JobId) {
        if let Err(error) = self.0.keeper.adopt(path, job.0) {
            tracing::warn!("{error}");
        }
    }

    fn forget(&self, job: JobId) {
        self.0.keeper.forget(job.0);
    }
}

/// The settings file, shared by whoever changes it.
struct Kept(Mutex<store::Settings>);

impl Kept {
    fn load() -> Self {
        let loaded = store::Settings::load(&store::settings_file()).unwrap_or_else(|error| {
            tracing::warn!("{error}");
            store::Loaded::default()
        });
        if let Some(path) = loaded.set_aside {
            tracing::warn!("the settings could not be read and were put aside: {}", path.display());
        }
        Self(Mutex::new(loaded.settings))
    }

    fn lock(&self) -> MutexGuard<'_, store::Settings> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) {
        if let Err(error) = self.lock().save(&store::settings_file()) {
            tracing::warn!("{error}");
        }
    }

    fn pictures(&self) -> PathBuf {
        self.lock().pictures.clone().unwrap_or_else(store::pictures_folder)
    }

    /// Measures the processor once, on a thread of its own. It takes every core: not before the window is there.
    fn measure_speed(self: &Arc<Self>, threads: usize) {
        if self.lock().gflops.is_some() {
            return;
        }
        let kept = Arc::clone(self);
        let measure = move || match engine::calibrate(threads, CALIBRATION) {
            Ok(gflops) => {
                kept.lock().gflops = Some(gflops);
                kept.write();
            }
            Err(error) => tracing::warn!("{error}"),
        };
        if let Err(error) = Builder::new().name("calibration".to_owned()).spawn(measure) {
            tracing::warn!("the processor could not be measured: {error}");
        }
    }

    /// What the window shows of them.
    fn shown(&self) -> Settings {
        let settings = self.lock();
        Settings {
            theme: match settings.theme {
                store::Theme::System => ThemeChoice::System,
                store::Theme::Light => ThemeChoice::Light,
                store::Theme::Dark => ThemeChoice::Dark,
            },
            language: settings.language.as_deref().map(i18n::Language::from_tag),
            memory_limit: settings.memory_limit,
            model: settings.model.clone(),
            zoom: settings.window.zoom.unwrap_or(1.0),
            layout: {
                let (kept, usual) = (settings.window, Layout::default());
                Layout {
                    form: kept.form.unwrap_or(usual.form),
                    side: kept.side.unwrap_or(usual.side),
                    memory: kept.memory.unwrap_or(usual.memory),
                    side_open: kept.side_open.unwrap_or(usual.side_open),
                    memory_open: kept.memory_open.unwrap_or(usual.memory_open),
                }
            },
            window: settings.window.width.zip(settings.window.height),
        }
    }

    fn take(&self, shown: &Settings) {
        {
            let mut settings = self.lock();
            settings.theme = match shown.theme {
                ThemeChoice::System => store::Theme::System,
                ThemeChoice::Light => store::Theme::Light,
                ThemeChoice::Dark => store::Theme::Dark,
            };
            settings.language = shown.language.map(|language| language.tag().to_owned());
            settings.memory_limit = shown.memory_limit;
            settings.model.clone_from(&shown.model);
            let layout = shown.layout;
            settings.window = store::Window {
                width: shown.window.map(|(width, _)| width),
                height: shown.window.map(|(_, height)| height),
                zoom: Some(shown.zoom),
                form: Some(layout.form),
                side: Some(layout.side),
                memory: Some(layout.memory),
                side_open: Some(layout.side_open),
                memory_open: Some(layout.memory_open),
            };
        }
        self.write();
    }
}

/// The worker, with an ear on what its runs teach of the machine's speed.
struct Learning {
    worker: Worker,
    computer: Arc<Computer>,
    kept: Arc<Kept>,
    /// Of the jobs that were sent and have not ended.
    models: RefCell<BTreeMap<JobId, Arc<Inventory>>>,
    /// Of the job at work, with the throughput that it was made with.
    plan: RefCell<Option<(Plan, f64)>>,
}

impl Learning {
    fn hear(&self, event: &Event) {
        match event {
            Event::Started { answer, .. } => {
                let gflops = self.kept.lock().gflops;
                self.plan.replace(gflops.map(|gflops| (answer.plan.clone(), gflops)));
            }
            Event::Finished { job, measured } => {
                if let Some((plan, gflops)) = self.plan.take() {
                    if let Some(model) = self.models.borrow_mut().remove(job) {
                        self.computer.record(&model, &plan, measured, gflops);
                    }
                    self.kept.lock().gflops = Some(measured.learned_gflops(&plan, gflops));
                    self.kept.write();
                }
            }
            Event::Failed { job, .. } | Event::Refused { job, .. } => {
                self.models.borrow_mut().remove(job);
            }
            _ => {}
        }
    }
}

impl Backend for Learning {
    fn send(&self, command: Command) -> bool {
        if let Command::Run(job) = &command {
            self.models.borrow_mut().insert(job.id, Arc::clone(&job.model));
        }
        self.worker.send(command).is_ok()
    }

    fn poll(&self) -> Option<Event> {
        let event = self.worker.try_event()?;
        self.hear(&event);
        Some(event)
    }

    fn preview(&self) -> Option<Preview> {
        self.worker.take_preview()
    }

    fn cancel(&self) {
        self.worker.cancel();
    }

    fn set_wake(&self, wake: Arc<dyn Fn() + Send + Sync>) {
        self.worker.set_wake(wake);
    }
}
