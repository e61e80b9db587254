//! This computer as both shells use it: who draws, what is held, what is free, and where latents are kept.

use crate::job::{self, Job, Latents, Measured};
use crate::ledger::{self, Pool};
use crate::machine::{Glance, Machine, Overflow, Reading};
use crate::model::Inventory;
use crate::planner::{Learned, Plan, spread};
use crate::probe::{self, confine};
use crate::store::{self, Keeper, Runs};
use crate::units::Bytes;
use crate::worker::{Launch, Remote, Status, WorkerHost};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Set to `1`, pictures are drawn in the process that asks for them.
const IN_PROCESS: &str = "HEADROOM_IN_PROCESS";
/// What a drawing process holds before its first order: arguments, log, threads, catalogues.
const FRESH: Bytes = Bytes::mib(2);

/// Whether the environment or the settings ask for drawing in this process.
pub(crate) fn in_process(settings: &store::Settings) -> bool {
    settings.in_process || std::env::var_os(IN_PROCESS).is_some_and(|value| value == "1")
}

/// What a drawing process that has yet to start will hold.
pub(crate) const fn fresh(in_process: bool) -> Bytes {
    if in_process { Bytes::ZERO } else { FRESH }
}

pub(crate) struct Computer {
    threads: usize,
    /// Of the drawing process, where there is one.
    status: Option<Arc<Status>>,
    /// A machine whose GPU is computed on the processor.
    simulated: Option<Machine>,
    pub(crate) keeper: Keeper,
    runs: Mutex<Runs>,
}

impl Computer {
    pub(crate) fn new(threads: usize, in_process: bool, simulated: Option<Machine>) -> Self {
        let status = (!in_process).then(Arc::default);
        let keeper = Keeper::new(store::latents_folder());
        Self { threads, status, simulated, keeper, runs: Mutex::new(Runs::load(&store::runs_file())) }
    }

    /// The device that is computed on, as the book of runs calls it.
    fn device(&self) -> String {
        let gpu = self.simulated.as_ref().and_then(|machine| Some((machine, machine.gpus.first()?)));
        gpu.map_or_else(|| "cpu".to_owned(), |(machine, gpu)| format!("sim:{}:{}", machine.name, gpu.name))
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the runs of this family on this device taught.
    pub(crate) fn learned(&self, model: &Inventory, gflops: Option<f64>) -> Learned {
        Learned::from_runs(&self.lock().of(&family(model), &self.device()), gflops)
    }

    /// How many runs are remembered, and how far their predictions were off in percent.
    pub(crate) fn spread(&self) -> Option<(usize, f64, f64)> {
        let last = self.lock().last();
        spread(&last).map(|(low, high)| (last.len(), low, high))
    }

    /// Enters a finished run in the book.
    pub(crate) fn record(&self, model: &Inventory, plan: &Plan, measured: &Measured, gflops: f64) {
        let Some(run) = measured.beside(plan, gflops) else { return };
        let mut runs = self.lock();
        runs.add(&family(model), &self.device(), &run);
        if let Err(error) = runs.save(&store::runs_file()) {
            tracing::info!(%error, "the book of runs cannot be written");
        }
    }

    /// Who draws: a process of its own, or this one.
    pub(crate) fn engine(&self) -> Box<dyn job::Engine> {
        match &self.status {
            None => super::worker::engine(self.threads),
            Some(status) => Box::new(Remote::new(launch(self.threads), Arc::clone(status))),
        }
    }

    /// What this program holds, the drawing process included.
    pub(crate) fn live(&self, pool: Pool) -> Bytes {
        ledger::live(pool) + self.status.as_ref().map(|status| status.live(pool)).unwrap_or_default()
    }

    /// The machine as it is now. `folder` is where pictures go.
    pub(crate) fn survey(&self, folder: &Path, gflops: Option<f64>) -> Machine {
        let mut machine = probe::survey(folder);
        machine.cpu.gflops = gflops;
        if let Some(simulated) = &self.simulated {
            machine = Machine { cpu: machine.cpu, disk_free: machine.disk_free, ..simulated.clone() };
            if let Some(gpu) = machine.gpus.first_mut() {
                // As a driver's own count: without what is held on it.
                let held = self.live(Pool::Device);
                gpu.free = gpu.free.map(|free| free - held);
                gpu.gflops = gflops;
            }
        }
        machine.held = self.live(Pool::Host);
        machine
    }

    /// What the guard looks at: of a simulated GPU only what it spills, for the rest is counted where it is allocated.
    pub(crate) fn glance(&self) -> Glance {
        let mut glance = probe::glance();
        if let Some(gpu) = self.simulated.as_ref().and_then(|machine| machine.gpus.first()) {
            let spilled = match (gpu.overflow, gpu.free) {
                (Overflow::Spills, Reading::Known(free)) => Reading::Known(self.live(Pool::Device) - free),
                _ => Reading::MISSING,
            };
            glance.gpu_free = vec![Reading::MISSING];
            glance.gpu_shared = vec![spilled];
        }
        glance
    }

    pub(crate) fn worker_host(
        self: &Arc<Self>,
        folder: impl Fn() -> PathBuf + Send + Sync + 'static,
        gflops: impl Fn() -> Option<f64> + Send + Sync + 'static,
    ) -> WorkerHost {
        let [survey, glance, live, fresh, keep, forget] = std::array::from_fn(|_| Arc::clone(self));
        let mut host = WorkerHost::new(move || survey.survey(&folder(), gflops()), move || glance.glance());
        host.live = Box::new(move |pool| live.live(pool));
        host.rss_peak = probe::rss_peak;
        host.reset_rss_peak = probe::reset_rss_peak;
        host.simulated = self.simulated.is_some();
        host.fresh = Box::new(move || {
            let absent = fresh.status.as_ref().is_some_and(|status| status.pid().is_none());
            if absent { FRESH } else { Bytes::ZERO }
        });
        host.keep = Box::new(move |job, latents| keep.keep(job, latents));
        host.forget = Box::new(move |job| forget.keeper.forget(job.id.0));
        host
    }

    /// Keeping is a belt: where the disk does not take it, the run goes on.
    fn keep(&self, job: &Job, latents: &Latents) {
        if let Err(error) = self.keeper.keep(job.id.0, &job.recipe, &job.model_ref, latents) {
            tracing::warn!(%error, "the latents could not be kept");
        }
    }
}

fn family(model: &Inventory) -> String {
    format!("{:?}", model.family)
}

/// This very program, even where its file was replaced meanwhile.
fn program() -> PathBuf {
    let own = Path::new("/proc/self/exe");
    if cfg!(target_os = "linux") && own.exists() {
        return own.to_owned();
    }
    std::env::current_exe().unwrap_or_else(|_unknown| PathBuf::from("headroom"))
}

fn launch(threads: usize) -> Launch {
    Launch {
        program: program(),
        arguments: vec!["worker".into(), "--threads".into(), threads.to_string().into()],
        environment: Vec::new(),
        recipe: store::recipe_to_text,
        adopt: confine::adopt,
    }
}
