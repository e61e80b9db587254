//! One job from its order to its end: survey, plan, refuse or draw, measure.

use super::guard::{self, Watched};
use super::observer::Watch;
use super::tick;
use crate::job::{Bounds, CancelToken, Engine, Event, Failure, Job, Latents, Measured, Order, Preview, Simulated};
use crate::ledger::{self, Pool};
use crate::machine::{Glance, Machine, Reading};
use crate::planner::{self, Answer, Decode, Device, Phase, Plan, Policy, Tier, Verdict, plan};
use crate::units::Bytes;
use crossbeam_channel::bounded;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, scope};
use std::time::Duration;

/// How long kept weights wait for the next job before they are let go.
const IDLE: Duration = Duration::from_mins(5);
/// What a process may take beyond its plan before the system refuses: code, stacks, what an allocator rounds up.
const CAP_SLACK: Bytes = Bytes::mib(256);

/// Writes latents where they survive this program.
pub type Keep = Box<dyn Fn(&Job, &Latents) + Send + Sync>;

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
    /// What a drawing process holds before its first order, where one has yet to start.
    pub fresh: Box<dyn Fn() -> Bytes + Send + Sync>,
    /// The policy's GPU is computed on the processor.
    pub simulated: bool,
    pub idle: Duration,
    pub keep: Keep,
    /// The pictures are done: their latents are of no more use.
    pub forget: Box<dyn Fn(&Job) + Send + Sync>,
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
            fresh: Box::new(|| Bytes::ZERO),
            simulated: false,
            idle: IDLE,
            keep: Box::new(|_, _| {}),
            forget: Box::new(|_| {}),
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
    let mut tried = attempt(engine, job, host, cancel, sink);
    // A decode that ran out of memory is tried again with a smaller one, from the same latents.
    while let Some(smaller) = smaller_decode(job, &tried) {
        tracing::warn!(decode = ?smaller.policy.decodes, "the decode is tried again");
        let again = attempt(engine, &smaller, host, cancel, sink);
        if matches!(again.outcome, Outcome::Refused(_)) {
            break;
        }
        tried = Attempt { latents: again.latents.or(tried.latents), ..again };
    }
    match &tried.outcome {
        Outcome::Finished(measured) => {
            (host.forget)(job);
            sink.event(Event::Finished { job: job.id, measured: measured.clone() });
        }
        Outcome::Refused(answer) => sink.event(Event::Refused { job: job.id, answer: answer.clone() }),
        Outcome::Failed(failure) => {
            if let Some(latents) = tried.latents {
                (host.keep)(job, &latents);
                sink.event(Event::Kept { job: job.id, latents });
            }
            sink.event(Event::Failed { job: job.id, failure: failure.clone() });
        }
    }
    tried.outcome
}

/// One try, and what it had worked out when it ended.
struct Attempt {
    outcome: Outcome,
    latents: Option<Arc<Latents>>,
    decode: Decode,
}

fn attempt(
    engine: &mut dyn Engine,
    job: &Job,
    host: &WorkerHost,
    cancel: &CancelToken,
    sink: &mut dyn Sink,
) -> Attempt {
    let (answer, simulated) = plan_now(engine, job, host);
    let decode = answer.plan.choice.decode;
    if let Verdict::Short(shortage) = &answer.verdict
        && (!job.force || shortage.hard || breaks_limit(&answer, &job.policy))
    {
        return Attempt { outcome: Outcome::Refused(Box::new(answer)), latents: job.resume.clone(), decode };
    }
    sink.event(Event::Started { job: job.id, answer: Box::new(answer.clone()) });
    let (result, latents) = draw(engine, job, &answer, simulated, host, cancel, sink);
    let outcome = result.map_or_else(Outcome::Failed, Outcome::Finished);
    Attempt { outcome, latents: latents.or_else(|| job.resume.clone()), decode }
}

/// The same job with smaller decodes only, from finished latents, where memory ended the decode.
fn smaller_decode(job: &Job, tried: &Attempt) -> Option<Job> {
    let Outcome::Failed(failure) = &tried.outcome else { return None };
    if !matches!(failure.memory_phase()?, Phase::LoadVae | Phase::Decode) {
        return None;
    }
    let latents = tried.latents.clone().filter(|latents| latents.finished(job.recipe.batch()))?;
    let smaller = Decode::ALL.into_iter().skip_while(|decode| *decode != tried.decode).skip(1);
    let decodes: Vec<Decode> = smaller.filter(|decode| job.policy.decodes.contains(decode)).collect();
    let policy = Policy { decodes, ..job.policy.clone() };
    (!policy.decodes.is_empty()).then(|| Job { resume: Some(latents), policy, ..job.clone() })
}

fn fail(job: &Job, failure: Failure, sink: &mut dyn Sink) -> Outcome {
    sink.event(Event::Failed { job: job.id, failure: failure.clone() });
    Outcome::Failed(failure)
}

/// Plans against the machine as it is at this moment. What this process holds is taken out of the machine's free memory
/// already, and the plan counts it again (its own heap as runtime, kept weights as weights), so it is added back.
fn plan_now(engine: &dyn Engine, job: &Job, host: &WorkerHost) -> (Answer, Option<Simulated>) {
    let mut machine = (host.survey)();
    let kept = engine.held();
    let live = (host.live)(Pool::Host);
    let mut policy: Policy = job.policy.clone();
    let mut simulated = None;
    match policy.device {
        Device::Cpu => policy.runtime = Policy::runtime_of(live - kept + (host.fresh)()),
        Device::Gpu(index) => {
            policy.runtime = Policy::runtime_of(live + (host.fresh)());
            if let Some(gpu) = machine.gpus.get_mut(index) {
                gpu.free = gpu.free.map(|free| free + kept);
                if host.simulated {
                    let room = gpu.free.known().unwrap_or(Bytes::MAX);
                    simulated = Some(Simulated { room, overflow: gpu.overflow });
                }
            }
        }
    }
    machine.held = live;
    policy.decode_only |= job.resume.as_ref().is_some_and(|latents| latents.finished(job.recipe.batch()));
    (plan(&machine, &job.model, &job.recipe, &policy), simulated)
}

/// Whether streamed weights are larger than the memory that the plan leaves to the system's cache of files.
fn outgrows_the_cache(answer: &Answer, job: &Job) -> bool {
    let plan = &answer.plan;
    let room = plan.budget(planner::Pool::Host).and_then(|budget| budget.budget.known());
    let spare = room.map(|room| room - plan.peak(planner::Pool::Host));
    plan.choice.tier == Tier::Streamed && spare.is_some_and(|spare| spare < job.model.bytes())
}

/// The most that a process of its own may take: what the plan counts with or the budget allows, whichever is more.
fn cap(answer: &Answer, elsewhere: Bytes) -> Option<Bytes> {
    let plan = &answer.plan;
    let Reading::Known(budget) = plan.budget(planner::Pool::Host)?.budget else { return None };
    Some(budget.max(plan.peak(planner::Pool::Host) + plan.margin) - elsewhere + CAP_SLACK)
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
    simulated: Option<Simulated>,
    host: &WorkerHost,
    cancel: &CancelToken,
    sink: &mut dyn Sink,
) -> (Result<Measured, Failure>, Option<Arc<Latents>>) {
    // Where the engine has a process of its own, this one's heap is none of its business.
    let elsewhere = ledger::live(Pool::Host).min((host.live)(Pool::Host));
    let order = Order {
        arithmetic: job.policy.arithmetic,
        simulated,
        resume: job.resume.clone(),
        start: job.start.clone(),
        bounds: Bounds::of(&answer.plan, elsewhere),
        read_once: outgrows_the_cache(answer, job),
        cap: if simulated.is_some() { None } else { cap(answer, elsewhere) },
        ..Order::new(job.model_ref.clone(), job.recipe.clone(), answer.plan.choice)
    };
    let sink = Mutex::new(sink);
    let watched = Watched::new(job, &answer.plan);
    let mut watch = Watch::new(job, host, cancel, &watched, &sink);
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
    let (mut measured, latents) = watch.finish();
    measured.rss_peak = (host.rss_peak)().known();
    if let Some(theirs) = engine.measured() {
        measured = together(&measured, theirs);
    }
    (
        result.map(|()| measured).map_err(|failure| seen_from_here(failure, &answer.plan, &order.bounds, elsewhere)),
        latents,
    )
}

/// What two processes took at the same time: their sums, phase by phase.
fn together(ours: &Measured, theirs: Measured) -> Measured {
    let beside = |phase| ours.phases.iter().find(|of| of.phase == phase).map(|of| of.host_peak);
    let mut all = theirs;
    for phase in &mut all.phases {
        phase.host_peak += beside(phase.phase).unwrap_or_default();
    }
    let peak = all.phases.iter().map(|phase| phase.host_peak + phase.device_peak).max();
    all.ledger_peak = peak.unwrap_or(all.ledger_peak);
    all.rss_peak = all.rss_peak.map(|rss| rss + ours.rss_peak.unwrap_or_default());
    all
}

/// A failure that a process of its own told of itself, in the numbers of the whole plan.
fn seen_from_here(failure: Failure, plan: &Plan, bounds: &Bounds, elsewhere: Bytes) -> Failure {
    match failure {
        Failure::Guard { phase, pool: planner::Pool::Host, live, planned }
            if planned == bounds.host[phase as usize] =>
        {
            let pool = planner::Pool::Host;
            Failure::Guard { phase, pool, live: live + elsewhere, planned: plan.need(phase, pool) }
        }
        Failure::Died(mut death) => {
            let pool = planner::Pool::Host;
            death.live += elsewhere;
            death.planned = death.phase.map_or_else(|| plan.peak(pool), |phase| plan.need(phase, pool));
            Failure::Died(death)
        }
        other => other,
    }
}

/// What a panic said.
pub(super) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("panic without a message").to_owned()
}
