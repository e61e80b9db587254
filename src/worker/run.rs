//! One job from its order to its end: survey, plan, refuse or draw, measure.

use super::guard::{self, Watched};
use super::observer::Watch;
use super::tick;
use crate::job::{CancelToken, Engine, Event, Failure, Job, Measured, Order, Preview};
use crate::ledger::{self, Pool};
use crate::machine::{Glance, Machine, Reading};
use crate::planner::{self, Answer, Device, Policy, Verdict, plan};
use crate::units::Bytes;
use crossbeam_channel::bounded;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::thread::{Builder, scope};

/// What the worker asks of the system, as values: this room imports no probe.
pub struct WorkerHost {
    /// Reads the machine anew, `cpu.gflops` included; what `held` says is replaced. A simulated GPU's `free` must leave
    /// out what the ledger's device pool holds, as a real driver's does.
    pub survey: Box<dyn Fn() -> Machine + Send + Sync>,
    /// Read 20 times a second while a job runs.
    pub glance: Box<dyn Fn() -> Glance + Send + Sync>,
    /// What the ledger says is live.
    pub live: Box<dyn Fn(Pool) -> Bytes + Send + Sync>,
    /// The most physical memory that the process took since the last reset.
    pub rss_peak: fn() -> Reading,
    /// Starts the reading above anew; `false` where the system cannot.
    pub reset_rss_peak: fn() -> bool,
}

impl WorkerHost {
    /// A host that reads the real ledger, and no resident size.
    #[must_use]
    pub fn new(
        survey: impl Fn() -> Machine + Send + Sync + 'static,
        glance: impl Fn() -> Glance + Send + Sync + 'static,
    ) -> Self {
        Self {
            survey: Box::new(survey),
            glance: Box::new(glance),
            live: Box::new(ledger::live),
            rss_peak: || Reading::MISSING,
            reset_rss_peak: || false,
        }
    }
}

/// Hears what happens to a job. Any closure over events is one that wants no previews.
pub trait Sink: Send {
    fn event(&mut self, event: Event);

    /// Whether previews are of use to anybody.
    fn wants_previews(&self) -> bool {
        false
    }

    fn preview(&mut self, _preview: Preview) {}
}

impl<F: FnMut(Event) + Send> Sink for F {
    fn event(&mut self, event: Event) {
        self(event);
    }
}

/// How a job ended; the sink has heard the same.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Finished(Measured),
    /// Did not fit: nothing was loaded.
    Refused(Box<Answer>),
    /// After [`Failure::Crash`] the engine must be thrown away.
    Failed(Failure),
}

/// Runs `job` on `engine` from start to end, on the calling thread and a guard thread of its own.
pub fn run_job(
    engine: &mut dyn Engine,
    job: &Job,
    host: &WorkerHost,
    cancel: &CancelToken,
    sink: &mut dyn Sink,
) -> Outcome {
    if cancel.is_cancelled() {
        return fail(job, Failure::Cancelled, sink);
    }
    let answer = plan_now(engine, job, host);
    if let Verdict::Short(shortage) = &answer.verdict
        && (!job.force || shortage.hard || breaks_limit(&answer, &job.policy))
    {
        let answer = Box::new(answer);
        sink.event(Event::Refused { job: job.id, answer: answer.clone() });
        return Outcome::Refused(answer);
    }
    sink.event(Event::Started { job: job.id, answer: Box::new(answer.clone()) });

    match draw(engine, job, &answer, host, cancel, sink) {
        Ok(measured) => {
            sink.event(Event::Finished { job: job.id, measured: measured.clone() });
            Outcome::Finished(measured)
        }
        Err(failure) => fail(job, failure, sink),
    }
}

fn fail(job: &Job, failure: Failure, sink: &mut dyn Sink) -> Outcome {
    sink.event(Event::Failed { job: job.id, failure: failure.clone() });
    Outcome::Failed(failure)
}

/// Plans against the machine as it is at this moment. What this process holds is taken out of the machine's free memory
/// already, and the plan counts it again (its own heap as runtime, kept weights as weights), so it is added back.
fn plan_now(engine: &dyn Engine, job: &Job, host: &WorkerHost) -> Answer {
    let mut machine = (host.survey)();
    let kept = engine.held();
    let live = (host.live)(Pool::Host);
    let mut policy: Policy = job.policy.clone();
    match policy.device {
        Device::Cpu => policy.runtime = Policy::runtime_of(live - kept),
        Device::Gpu(index) => {
            policy.runtime = Policy::runtime_of(live);
            if let Some(gpu) = machine.gpus.get_mut(index) {
                gpu.free = gpu.free.map(|free| free + kept);
            }
        }
    }
    machine.held = live;
    plan(&machine, &job.model, &job.recipe, &policy)
}

/// Whether the plan breaks the user's own limit, also where the system's shortage is the larger one.
fn breaks_limit(answer: &Answer, policy: &Policy) -> bool {
    let need = answer.plan.peak(planner::Pool::Host) + answer.plan.margin;
    policy.memory_limit.is_some_and(|limit| need > limit - policy.image)
}

fn draw(
    engine: &mut dyn Engine,
    job: &Job,
    answer: &Answer,
    host: &WorkerHost,
    cancel: &CancelToken,
    sink: &mut dyn Sink,
) -> Result<Measured, Failure> {
    let order = Order { model_ref: job.model_ref.clone(), recipe: job.recipe.clone(), choice: answer.plan.choice };
    let sink = Mutex::new(sink);
    let watched = Watched::new(job, &answer.plan);
    let mut watch = Watch::new(job, cancel, &watched, &sink);
    (host.reset_rss_peak)();
    let result = scope(|scope| {
        let (running, stop) = bounded::<()>(0);
        let guard = Builder::new().name("headroom-guard".to_owned()).spawn_scoped(scope, || {
            let stop = stop;
            let guarded = catch_unwind(AssertUnwindSafe(|| {
                let mut guard = guard::Guard::new(&watched, host);
                while tick(&stop, guard::PERIOD) {
                    if let Some(sample) = guard.look()
                        // Whoever holds the sink has something better to tell.
                        && let Ok(mut sink) = sink.try_lock()
                    {
                        sink.event(sample);
                    }
                }
            }));
            if let Err(panic) = guarded {
                watched.trip(Failure::Crash { what: panic_text(panic.as_ref()) });
            }
            ledger::settle();
        });
        let guard = guard.map_err(|error| Failure::Crash { what: format!("no guard thread: {error}") })?;
        let drawn = catch_unwind(AssertUnwindSafe(|| engine.draw(&order, &mut watch)));
        drop(running);
        // Its panics are caught above.
        drop(guard.join());
        drawn.unwrap_or_else(|panic| Err(Failure::Crash { what: panic_text(panic.as_ref()) }))
    });
    let mut measured = watch.finish();
    measured.rss_peak = (host.rss_peak)().known();
    result.map(|()| measured)
}

/// What a panic said.
pub(super) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}
