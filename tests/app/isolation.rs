//! Pictures drawn by a process of its own, the real one, and what happens when it dies.

use crate::support::laptop;
use headroom::engine::Engine as LocalEngine;
use headroom::hub;
use headroom::job::{Cause, Command, Death, Engine, Event, Failure, Job, JobId, Latents};
use headroom::ledger;
use headroom::machine::{Glance, Gpu, GpuKind, Machine, Overflow, Reading};
use headroom::planner::{Device, Phase, Policy, Pool, Tier};
use headroom::recipe::{Draft, Vocabulary};
use headroom::store;
use headroom::units::Bytes;
use headroom::worker::{Launch, Remote, Status, Worker, WorkerHost};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_mins(1);
const THREADS: usize = 2;

fn launch() -> Launch {
    Launch {
        program: PathBuf::from(env!("CARGO_BIN_EXE_headroom")),
        arguments: vec!["worker".into(), "--threads".into(), THREADS.to_string().into()],
        environment: Vec::new(),
        recipe: store::recipe_to_text,
        adopt: |_| {},
    }
}

fn local() -> Box<dyn Engine> {
    let resolve = |reference: &str| hub::open(reference).map_err(Failure::from);
    Box::new(LocalEngine::new(THREADS, Box::new(resolve)).unwrap())
}

struct Rig {
    worker: Worker,
    status: Arc<Status>,
}

impl Rig {
    fn new() -> Self {
        Self::with(|_| {})
    }

    fn with(change: impl FnOnce(&mut WorkerHost)) -> Self {
        let status = Arc::<Status>::default();
        let seen = Arc::clone(&status);
        let mut host = WorkerHost::new(|| laptop(64, Bytes::gib(60)), || Glance::BLIND);
        host.live = Box::new(move |pool| ledger::live(pool) + seen.live(pool));
        change(&mut host);
        let theirs = Arc::clone(&status);
        let make = move || Box::new(Remote::new(launch(), Arc::clone(&theirs))) as Box<dyn Engine>;
        Self { worker: Worker::start(make, host).unwrap(), status }
    }

    fn run(&self, job: Job) {
        self.worker.send(Command::Run(Box::new(job))).unwrap();
    }

    fn next(&self) -> Event {
        self.worker.next_event(PATIENCE).expect("an event")
    }

    /// Waits until the job is in `phase`, or has done `step`.
    fn reach(&self, phase: Phase, step: u32) {
        loop {
            match self.next() {
                Event::Phase { phase: now, .. } if now == phase && (step == 0 || phase > Phase::Denoise) => return,
                Event::Step { step: done, .. } if phase == Phase::Denoise && step > 0 && done >= step => return,
                Event::Finished { .. } | Event::Failed { .. } | Event::Refused { .. } => {
                    panic!("ended before {phase:?}")
                }
                _ => {}
            }
        }
    }

    fn end(&self) -> End {
        let mut end = End::default();
        loop {
            match self.next() {
                Event::Picture { pixels, .. } => end.pictures.push(pixels.rgb().to_vec()),
                Event::Kept { latents, .. } => end.latents = Some(latents),
                Event::Phase { phase, .. } => end.phases.push(phase),
                Event::Finished { .. } => return end,
                Event::Failed { failure, .. } => {
                    end.failure = Some(failure);
                    return end;
                }
                Event::Refused { answer, .. } => panic!("{:?}", answer.verdict),
                _ => {}
            }
        }
    }

    fn pid(&self) -> rustix::process::Pid {
        let pid = self.status.pid().expect("a drawing process");
        rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap()
    }
}

#[derive(Debug, Default)]
struct End {
    pictures: Vec<Vec<u8>>,
    latents: Option<Arc<Latents>>,
    phases: Vec<Phase>,
    failure: Option<Failure>,
}

impl End {
    fn death(&self) -> &Death {
        match &self.failure {
            Some(Failure::Died(death)) => death,
            other => panic!("{other:?}"),
        }
    }
}

/// What is drawn in this process counts in its ledger, and a kill must find its phase: one test at a time.
static TURN: Mutex<()> = Mutex::new(());

fn job(id: u64, side: i64, steps: i64) -> Job {
    let model = hub::open(hub::BUILTIN).unwrap().inventory;
    let vocabulary = Vocabulary::of(&model);
    let prompt = "a red apple".to_owned();
    let draft = Draft { prompt, width: side, height: side, steps, seed: 7, ..Draft::new(&vocabulary) };
    Job {
        id: JobId(id),
        model_ref: hub::BUILTIN.to_owned(),
        recipe: draft.parse(&vocabulary).unwrap().0,
        model,
        policy: Policy::new(Device::Cpu),
        force: false,
        resume: None,
        start: None,
    }
}

/// The picture of a job, drawn in this process without any disturbance.
fn undisturbed(job: Job) -> Vec<Vec<u8>> {
    let worker = Worker::start(local, WorkerHost::new(|| laptop(64, Bytes::gib(60)), || Glance::BLIND)).unwrap();
    let rig = Rig { worker, status: Arc::default() };
    rig.run(job);
    let end = rig.end();
    assert_eq!(end.failure, None);
    end.pictures
}

#[test]
fn a_process_of_its_own_draws_the_same_and_shows_its_previews() {
    let _turn = TURN.lock();
    let rig = Rig::new();
    let mut order = job(1, 128, 4);
    order.policy.tiers = vec![Tier::Streamed];
    rig.run(order);
    let mut seen = 0;
    let mut samples = 0;
    let pictures = loop {
        match rig.next() {
            Event::Step { .. } => seen += usize::from(rig.worker.take_preview().is_some()),
            Event::Sample { live, .. } => {
                assert!(live > Bytes::mib(1));
                samples += 1;
            }
            Event::Picture { pixels, .. } => break vec![pixels.rgb().to_vec()],
            Event::Failed { failure, .. } => panic!("{failure}"),
            _ => {}
        }
    };
    assert!(seen > 0, "no preview");
    let measured = loop {
        if let Event::Finished { measured, .. } = rig.next() {
            break measured;
        }
    };
    assert!(measured.phases.len() >= 6 && measured.ledger_peak > Bytes::mib(4), "{measured:?}, {samples} samples");
    assert!(pictures == undisturbed(job(2, 128, 4)));
}

#[test]
fn a_killed_process_is_told_the_next_job_runs_and_the_picture_goes_on() {
    let _turn = TURN.lock();
    use rustix::process::{Signal, kill_process};
    let whole = undisturbed(job(1, 512, 24));
    let rig = Rig::new();
    let (killed, fault) = ((Signal::KILL, Cause::Killed), (Signal::SEGV, Cause::Fault));
    let cases = [
        (Phase::LoadTextEncoder, 0, killed),
        (Phase::LoadTextEncoder, 0, fault),
        (Phase::Encode, 0, killed),
        (Phase::Encode, 0, fault),
        (Phase::LoadDenoiser, 0, killed),
        (Phase::LoadDenoiser, 0, fault),
        (Phase::Denoise, 2, killed),
        (Phase::Denoise, 3, fault),
        // From the last step on a kill speaks of memory, and the worker tries a smaller decode: see below.
        (Phase::LoadVae, 24, fault),
        (Phase::Decode, 24, fault),
    ];
    for (id, (phase, step, (signal, cause))) in cases.into_iter().enumerate() {
        rig.run(job(id as u64, 512, 24));
        rig.reach(phase, step);
        let killed = Instant::now();
        let pid = rig.pid();
        kill_process(pid, signal).unwrap();
        if signal == Signal::SEGV {
            // The first one only takes Rust's own handler away where no instruction of the process was at fault.
            std::thread::sleep(Duration::from_millis(20));
            let _gone = kill_process(pid, signal);
        }
        let end = rig.end();
        // Told at once; the tests beside this one share the machine.
        assert!(killed.elapsed() < Duration::from_secs(4), "{phase:?}: told after {:?}", killed.elapsed());
        assert!(end.failure.is_some(), "{phase:?}: it ended well");
        let death = end.death();
        assert_eq!(death.cause, cause, "{phase:?}: {death:?}");
        assert!(death.phase >= Some(phase) && death.planned > Bytes::ZERO, "{death:?}");
        assert_eq!(rig.status.pid(), None);

        // The same job again, from where it was.
        let latents = end.latents.clone();
        assert!(step == 0 || latents.as_ref().is_some_and(|kept| kept.steps_done() >= step), "{phase:?}");
        rig.run(Job { resume: latents.clone(), ..job(100 + id as u64, 512, 24) });
        let again = rig.end();
        assert_eq!(again.failure, None, "{phase:?}");
        assert!(again.pictures == whole, "{phase:?}: another picture");
    }
}

/// The last death in the decode by a signal that speaks of memory: the worker tries a smaller decode on its own.
#[test]
fn a_decode_that_memory_ended_is_tried_again_with_a_smaller_one() {
    let _turn = TURN.lock();
    use rustix::process::{Signal, kill_process};
    let rig = Rig::new();
    rig.run(job(1, 512, 2));
    rig.reach(Phase::Decode, 0);
    kill_process(rig.pid(), Signal::KILL).unwrap();
    let end = rig.end();
    assert_eq!(end.failure, None);
    assert_eq!(end.pictures.len(), 1);
    assert!(!end.phases.contains(&Phase::Denoise), "{:?}", end.phases);
}

#[test]
fn its_own_cap_ends_the_process_and_not_the_machine() {
    let _turn = TURN.lock();
    use rustix::process::{Resource, Rlimit, prlimit};
    let whole = undisturbed(job(1, 512, 3));
    let rig = Rig::new();
    // Between the two, the small model finds room in what the process has already.
    for (id, phase) in [(0, Phase::LoadTextEncoder), (1, Phase::LoadTextEncoder), (2, Phase::Decode)] {
        rig.run(job(id, 512, 3));
        rig.reach(phase, 0);
        let cap = Rlimit { current: Some(1 << 20), maximum: Some(1 << 20) };
        // Not every kernel counts mappings as data.
        prlimit(Some(rig.pid()), Resource::Data, cap).unwrap();
        prlimit(Some(rig.pid()), Resource::As, cap).unwrap();
        let end = rig.end();
        if phase == Phase::Decode {
            // The worker has gone on by itself, with a smaller decode.
            assert_eq!(end.failure, None);
            assert_eq!(end.phases.iter().filter(|of| **of == Phase::LoadVae).count(), 1, "{:?}", end.phases);
            continue;
        }
        let death = end.death();
        assert!(matches!(death.cause, Cause::Allocation(bytes) if bytes > Bytes::ZERO), "{death:?}");
        rig.run(Job { resume: end.latents, ..job(100 + id, 512, 3) });
        let again = rig.end();
        assert_eq!(again.failure, None);
        assert!(again.pictures == whole);
    }
}

#[test]
fn a_stopped_job_goes_on_from_its_step_on_a_lower_tier_with_the_same_picture() {
    let _turn = TURN.lock();
    let whole = undisturbed(job(1, 256, 6));
    let rig = Rig::new();
    for tier in [Tier::Resident, Tier::Phased, Tier::Streamed] {
        let mut order = job(2, 256, 6);
        order.policy.tiers = vec![Tier::Resident];
        rig.run(order.clone());
        rig.reach(Phase::Denoise, 3);
        rig.worker.cancel();
        let end = rig.end();
        assert_eq!(end.failure, Some(Failure::Cancelled));
        let latents = end.latents.expect("latents");
        assert!((3..6).contains(&latents.steps_done()), "{}", latents.steps_done());
        order.policy.tiers = vec![tier];
        rig.run(Job { resume: Some(latents), ..order });
        let again = rig.end();
        assert_eq!(again.failure, None);
        assert!(again.pictures == whole, "{}", tier.name());
    }
}

#[test]
fn an_idle_process_ends_and_gives_everything_back() {
    let _turn = TURN.lock();
    let rig = Rig::with(|host| host.idle = Duration::from_millis(100));
    rig.run(job(1, 64, 1));
    assert_eq!(rig.end().failure, None);
    while !matches!(rig.next(), Event::Released) {}
    assert_eq!(rig.status.pid(), None);
    assert_eq!(rig.status.live(ledger::Pool::Host), Bytes::ZERO);
    rig.run(job(2, 64, 1));
    assert_eq!(rig.end().failure, None);
}

#[test]
fn a_process_whose_parent_is_gone_ends() {
    let _turn = TURN.lock();
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_headroom"))
        .args(["worker", "--threads", "1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    drop(child.stdin.take());
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < PATIENCE);
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_program_that_cannot_be_started_is_a_failure_of_the_job() {
    let _turn = TURN.lock();
    let status = Arc::<Status>::default();
    let theirs = Arc::clone(&status);
    let missing = move || {
        let launch = Launch { program: PathBuf::from("/nowhere/headroom"), ..launch() };
        Box::new(Remote::new(launch, Arc::clone(&theirs))) as Box<dyn Engine>
    };
    let worker = Worker::start(missing, WorkerHost::new(|| laptop(64, Bytes::gib(60)), || Glance::BLIND)).unwrap();
    let rig = Rig { worker, status };
    rig.run(job(1, 64, 1));
    let end = rig.end();
    assert!(matches!(&end.failure, Some(Failure::Crash { what }) if what.contains("could not be started")), "{end:?}");
}

/// A card that is computed on the processor, in this process or in one of its own.
fn simulated(room: Bytes, overflow: Overflow, apart: bool) -> Rig {
    let status = Arc::<Status>::default();
    let seen = Arc::clone(&status);
    let on = Arc::clone(&status);
    let survey = move || {
        // As a driver's own count: without what is held on it.
        let free = room - on.live(ledger::Pool::Device) - ledger::live(ledger::Pool::Device);
        card(laptop(64, Bytes::gib(60)), room, free, overflow)
    };
    let mut host = WorkerHost::new(survey, || Glance::BLIND);
    host.live = Box::new(move |pool| ledger::live(pool) + seen.live(pool));
    host.simulated = true;
    let theirs = Arc::clone(&status);
    let make = move || {
        if apart { Box::new(Remote::new(launch(), Arc::clone(&theirs))) as Box<dyn Engine> } else { local() }
    };
    Rig { worker: Worker::start(make, host).unwrap(), status }
}

fn card(mut machine: Machine, total: Bytes, free: Bytes, overflow: Overflow) -> Machine {
    machine.gpus.push(Gpu {
        name: "simulated".to_owned(),
        kind: GpuKind::Discrete,
        total: Reading::Known(total),
        free: Reading::Known(free),
        shared: Reading::Known(Bytes::gib(16)),
        overflow,
        gflops: Some(50.0),
    });
    machine
}

fn on_card(job: Job, tier: Tier) -> Job {
    let policy = Policy { device_reserve: Bytes::ZERO, tiers: vec![tier], device: Device::Gpu(0), ..job.policy };
    Job { policy, ..job }
}

#[test]
fn a_simulated_card_holds_the_networks_and_changes_no_picture() {
    let _turn = TURN.lock();
    let whole = undisturbed(job(1, 192, 2));
    for tier in Tier::ALL {
        let rig = simulated(Bytes::gib(8), Overflow::Fails, true);
        rig.run(on_card(job(1, 192, 2), tier));
        let (pictures, plan, measured) = {
            let (mut pictures, mut plan) = (Vec::new(), None);
            loop {
                match rig.next() {
                    Event::Started { answer, .. } => plan = Some(answer.plan),
                    Event::Picture { pixels, .. } => pictures.push(pixels.rgb().to_vec()),
                    Event::Finished { measured, .. } => break (pictures, plan.unwrap(), measured),
                    Event::Failed { failure, .. } => panic!("{failure}"),
                    _ => {}
                }
            }
        };
        assert!(pictures == whole, "{}", tier.name());
        for phase in &measured.phases {
            let (stated, taken) = (plan.need(phase.phase, Pool::Device), phase.device_peak);
            assert!(taken <= stated + Bytes::kib(256), "{} {:?}: {taken} of {stated}", tier.name(), phase.phase);
            if matches!(phase.phase, Phase::Denoise | Phase::Decode) {
                assert!(stated <= taken + stated.percent(8) + Bytes::mib(2), "{:?}: {taken} of {stated}", phase.phase);
            }
        }
    }
}

#[test]
fn a_full_simulated_card_fails_or_is_stopped_as_it_spills() {
    let _turn = TURN.lock();
    for apart in [false, true] {
        for overflow in [Overflow::Fails, Overflow::Spills] {
            let rig = simulated(Bytes::mib(20), overflow, apart);
            let order = on_card(job(1, 512, 2), Tier::Phased);
            rig.run(order.clone());
            assert!(matches!(rig.next(), Event::Refused { .. }), "planned as too small");
            rig.run(Job { force: true, ..order });
            let end = rig.end();
            match (overflow, &end.failure) {
                (Overflow::Fails, Some(Failure::OutOfMemory { pool: Pool::Device, bytes, .. })) => {
                    assert!(*bytes > Bytes::ZERO);
                }
                // One op may go beyond the end; the next one is not begun.
                (Overflow::Spills, Some(Failure::Spilled { shared, .. })) => {
                    assert!(*shared > Bytes::ZERO && *shared <= Policy::MIN_MARGIN, "{shared}");
                }
                other => panic!("{other:?}"),
            }
            assert!(end.pictures.is_empty());
        }
    }
}
