//! The watcher: 20 times a second it compares what is held with the plan, and what is free with a floor.

use super::lock;
use super::run::WorkerHost;
use crate::job::{Event, Failure, Job, JobId};
use crate::ledger;
use crate::machine::Reading;
use crate::planner::{Device, Phase, Plan, Policy, Pool};
use crate::units::{Bytes, Secs};
use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Between two looks.
pub(super) const PERIOD: Duration = Duration::from_millis(50);
/// Looks in a row that must agree before a job is stopped: one alone may fall between a phase's end and the free of
/// what it held.
const AGREEING: u32 = 2;
/// A floor never lies under this.
const MIN_FLOOR: Bytes = Bytes::mib(128);
/// Share of ten seconds without any progress for want of memory, in percent, at which the job is what must go. systemd's
/// own watcher ends a whole session at 60.
const STALLED: f64 = 40.0;
const NO_PHASE: usize = usize::MAX;

/// What the job's thread and the guard's share.
pub(super) struct Watched<'a> {
    pub(super) job: JobId,
    pub(super) started: Instant,
    plan: &'a Plan,
    policy: &'a Policy,
    phase: AtomicUsize,
    tripped: AtomicBool,
    why: Mutex<Option<Failure>>,
}

impl<'a> Watched<'a> {
    pub(super) fn new(job: &'a Job, plan: &'a Plan) -> Self {
        Self {
            job: job.id,
            started: Instant::now(),
            plan,
            policy: &job.policy,
            phase: AtomicUsize::new(NO_PHASE),
            tripped: AtomicBool::new(false),
            why: Mutex::new(None),
        }
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.phase.store(phase as usize, Ordering::Release);
    }

    pub(super) fn elapsed(&self) -> Secs {
        Secs(self.started.elapsed().as_secs_f64())
    }

    /// Asks the job to stop at its next block. The first reason stays.
    pub(super) fn trip(&self, why: Failure) {
        lock(&self.why).get_or_insert(why);
        self.tripped.store(true, Ordering::Release);
    }

    /// Why the job should stop, if it should: one atomic read where it should not.
    pub(super) fn tripped(&self) -> Option<Failure> {
        if self.tripped.load(Ordering::Acquire) { lock(&self.why).clone() } else { None }
    }

    pub(super) fn phase(&self) -> Option<Phase> {
        Phase::ALL.get(self.phase.load(Ordering::Acquire)).copied()
    }
}

/// Whether the simulated GPU of this process was asked for more than it has.
pub(super) fn overflow(phase: Phase) -> Option<Failure> {
    if let Some(bytes) = ledger::refused() {
        return Some(Failure::OutOfMemory { phase, pool: Pool::Device, bytes });
    }
    let shared = ledger::spilled();
    (shared > Bytes::ZERO).then_some(Failure::Spilled { phase, shared })
}

/// The guard's own memory.
pub(super) struct Guard<'a> {
    watched: &'a Watched<'a>,
    host: &'a WorkerHost,
    /// What the card's driver had borrowed from the host when the job began.
    shared_before: Cell<Option<Bytes>>,
    looks: u32,
    suspicions: u32,
}

impl<'a> Guard<'a> {
    pub(super) const fn new(watched: &'a Watched<'a>, host: &'a WorkerHost) -> Self {
        Self { watched, host, shared_before: Cell::new(None), looks: 0, suspicions: 0 }
    }

    /// Looks once, and trips the job where it must. Every second look is a sample to tell.
    pub(super) fn look(&mut self) -> Option<Event> {
        let watched = self.watched;
        let phase = watched.phase()?;
        match self.suspicion(phase) {
            // The phase changed meanwhile: what was compared does not belong together.
            Some(_) if watched.phase() != Some(phase) => {}
            Some(why) => {
                self.suspicions += 1;
                if self.suspicions >= AGREEING {
                    watched.trip(why);
                }
            }
            None => self.suspicions = 0,
        }
        self.looks += 1;
        self.looks.is_multiple_of(2).then(|| Event::Sample {
            job: watched.job,
            phase,
            live: self.live(watched.plan.main_pool()),
            elapsed: watched.elapsed(),
        })
    }

    fn suspicion(&self, phase: Phase) -> Option<Failure> {
        let Watched { plan, policy, .. } = self.watched;
        let failure =
            |pool| Some(Failure::Guard { phase, pool, live: self.live(pool), planned: plan.need(phase, pool) });
        for pool in [Pool::Host, Pool::Device] {
            if self.live(pool) > plan.need(phase, pool) + plan.margin {
                return failure(pool);
            }
        }
        let glance = (self.host.glance)();
        let under = |free: Reading, reserve: Bytes| {
            free.known().is_some_and(|free| free < Bytes(reserve.get() / 2).max(MIN_FLOOR))
        };
        if under(glance.host_free(), policy.host_reserve) || glance.stalled.is_some_and(|share| share >= STALLED) {
            return failure(Pool::Host);
        }
        let Device::Gpu(index) = policy.device else { return None };
        if let Some(Reading::Known(shared)) = glance.gpu_shared.get(index) {
            // Half of the margin: what is borrowed between two looks must not exceed all of it.
            let before = self.shared_before.get().unwrap_or(*shared);
            self.shared_before.set(Some(before));
            let grown = *shared - before;
            if grown > Bytes(plan.margin.get() / 2) {
                return Some(Failure::Spilled { phase, shared: grown });
            }
        }
        if glance.gpu_free.get(index).is_some_and(|free| under(*free, policy.device_reserve)) {
            return failure(Pool::Device);
        }
        None
    }

    fn live(&self, pool: Pool) -> Bytes {
        (self.host.live)(match pool {
            Pool::Device => ledger::Pool::Device,
            Pool::Host | Pool::Commit => ledger::Pool::Host,
        })
    }
}
