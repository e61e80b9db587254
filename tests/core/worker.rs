//! The worker with an engine whose every move a test decides. Where a test waits, it waits for a message.

use crate::support::{laptop, recipe, with_card, z_image_turbo};
use headroom::job::{Command, Drawn, Engine, Event, Failure, Job, JobId, Latent, Latents, Observer, Order};
use headroom::ledger;
use headroom::machine::{Glance, Machine, Overflow, Reading};
use headroom::pixels::Pixels;
use headroom::planner::{Decode, Device, Phase, Policy, Pool, Tier, Verdict, plan};
use headroom::units::{Bytes, PixelSize};
use headroom::worker::{COMMANDS, Outcome, Rejected, Worker, WorkerHost, run_job};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Longer than any machine takes; only a hang gets here.
const PATIENCE: Duration = Duration::from_secs(30);

type Draw = Box<dyn FnMut(&Order, &mut dyn Observer) -> Result<(), Failure> + Send>;

/// The world around a worker, and what its engines did.
#[derive(Clone)]
struct World {
    machine: Arc<Mutex<Machine>>,
    glance: Arc<Mutex<Glance>>,
    /// How often the guard has looked.
    looks: Arc<AtomicUsize>,
    live: Arc<AtomicU64>,
    kept: Arc<AtomicU64>,
    engines: Arc<AtomicUsize>,
    draws: Arc<AtomicUsize>,
    ends: Arc<AtomicUsize>,
}

struct Scripted {
    world: World,
    draw: Arc<Mutex<Draw>>,
}

impl Engine for Scripted {
    fn draw(&mut self, order: &Order, observer: &mut dyn Observer) -> Result<(), Failure> {
        self.world.draws.fetch_add(1, SeqCst);
        let mut draw = self.draw.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        draw(order, observer)
    }

    fn held(&self) -> Bytes {
        Bytes(self.world.kept.load(SeqCst))
    }

    fn release(&mut self) {
        self.world.kept.store(0, SeqCst);
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        self.world.ends.fetch_add(1, SeqCst);
    }
}

impl World {
    fn new(machine: Machine) -> Self {
        Self {
            machine: Arc::new(Mutex::new(machine)),
            glance: Arc::new(Mutex::new(Glance::BLIND)),
            looks: Arc::default(),
            live: Arc::new(AtomicU64::new(Bytes::mib(20).get())),
            kept: Arc::default(),
            engines: Arc::default(),
            draws: Arc::default(),
            ends: Arc::default(),
        }
    }

    fn host(&self) -> WorkerHost {
        let Self { machine, glance, looks, live, .. } = self.clone();
        let survey = move || machine.lock().unwrap().clone();
        let glance = move || {
            looks.fetch_add(1, SeqCst);
            glance.lock().unwrap().clone()
        };
        let mut host = WorkerHost::new(survey, glance);
        host.live = Box::new(move |pool| match pool {
            ledger::Pool::Host => Bytes(live.load(SeqCst)),
            ledger::Pool::Device => Bytes::ZERO,
        });
        host
    }

    fn engine(&self, draw: &Arc<Mutex<Draw>>) -> Box<dyn Engine> {
        self.engines.fetch_add(1, SeqCst);
        Box::new(Scripted { world: self.clone(), draw: Arc::clone(draw) })
    }

    fn worker(&self, draw: impl FnMut(&Order, &mut dyn Observer) -> Result<(), Failure> + Send + 'static) -> Worker {
        let (world, draw) = (self.clone(), Arc::new(Mutex::new(Box::new(draw) as Draw)));
        Worker::start(move || world.engine(&draw), self.host()).unwrap()
    }

    fn set_available(&self, gib: u64) {
        self.machine.lock().unwrap().ram.available = Reading::Known(Bytes::gib(gib));
    }
}

fn job(id: u64) -> Job {
    let model = z_image_turbo();
    Job {
        id: JobId(id),
        model_ref: "z-image-turbo".to_owned(),
        recipe: recipe(&model, 512, 512),
        model: Arc::new(model),
        policy: Policy::new(Device::Cpu),
        force: false,
        resume: None,
        start: None,
    }
}

fn run(worker: &Worker, job: Job) {
    worker.send(Command::Run(Box::new(job))).unwrap();
}

fn next(worker: &Worker) -> Event {
    worker.next_event(PATIENCE).expect("an event")
}

/// Events up to the end of a job, samples left out.
fn story(worker: &Worker) -> Vec<Event> {
    let mut events = Vec::new();
    loop {
        let event = next(worker);
        let end = matches!(event, Event::Finished { .. } | Event::Failed { .. } | Event::Refused { .. });
        if !matches!(event, Event::Sample { .. }) {
            events.push(event);
        }
        if end {
            return events;
        }
    }
}

fn failure(worker: &Worker) -> Failure {
    match story(worker).pop() {
        Some(Event::Failed { failure, .. }) => failure,
        other => panic!("{other:?}"),
    }
}

fn tier(event: &Event) -> Tier {
    match event {
        Event::Started { answer, .. } => answer.plan.choice.tier,
        other => panic!("{other:?}"),
    }
}

fn pixels(shade: u8) -> Pixels {
    Pixels::new(PixelSize::new(8, 8), vec![shade; 192]).unwrap()
}

fn drawn(picture: u32) -> Drawn {
    Drawn { picture, seed: u64::from(picture), pixels: Arc::new(pixels(picture as u8)) }
}

/// Goes on from block to block until told to stop.
fn blocks_until_stopped(observer: &mut dyn Observer) -> Result<(), Failure> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        observer.block()?;
        std::thread::yield_now();
    }
    panic!("never stopped");
}

fn gate() -> (SyncSender<()>, Receiver<()>) {
    sync_channel(100)
}

#[test]
fn a_job_is_told_from_start_to_finish() {
    let _turn = crate::support::large_blocks();
    let world = World::new(laptop(64, 60));
    let worker = world.worker(|_, observer| {
        observer.phase(Phase::LoadTextEncoder)?;
        observer.loading(Bytes::mib(1), Bytes::mib(1))?;
        observer.phase(Phase::Denoise)?;
        // Held to the end of the phase: jobs of other tests reset the peak that all share.
        let block = black_box(vec![1_u8; 96 << 20]);
        observer.block()?;
        observer.step(0, 1, 1)?;
        observer.phase(Phase::Decode)?;
        drop(black_box(block));
        observer.picture(drawn(0))?;
        // A second picture comes back to the same phases.
        observer.phase(Phase::Denoise)?;
        observer.phase(Phase::Decode)?;
        Ok(observer.picture(drawn(1))?)
    });
    run(&worker, job(7));
    let events = story(&worker);
    let told: Vec<&str> = events
        .iter()
        .map(|event| match event {
            Event::Started { job: JobId(7), .. } => "started",
            Event::Phase { job: JobId(7), phase } => phase.name(),
            Event::Loading { job: JobId(7), .. } => "loading",
            Event::Step { job: JobId(7), picture: 0, step: 1, steps: 1, .. } => "step",
            Event::Picture { job: JobId(7), seed: 0 | 1, .. } => "picture",
            Event::Finished { job: JobId(7), .. } => "finished",
            other => panic!("{other:?}"),
        })
        .collect();
    let expected = [
        "started",
        "load_text_encoder",
        "loading",
        "denoise",
        "step",
        "decode",
        "picture",
        "denoise",
        "decode",
        "picture",
        "finished",
    ];
    assert_eq!(told, expected);
    let Some(Event::Finished { measured, .. }) = events.last() else { panic!() };
    let phases: Vec<Phase> = measured.phases.iter().map(|phase| phase.phase).collect();
    assert_eq!(phases, [Phase::LoadTextEncoder, Phase::Denoise, Phase::Decode]);
    assert!(measured.phases[1].host_peak >= Bytes::mib(96), "{measured:?}");
    assert!(measured.ledger_peak >= measured.phases[1].host_peak);
    assert!(measured.phases.iter().all(|phase| phase.elapsed.0 >= 0.0));
}

#[test]
fn what_does_not_fit_is_refused_before_the_engine_is_asked() {
    let world = World::new(laptop(8, 1));
    let worker = world.worker(|_, _| Ok(()));
    run(&worker, job(1));
    let events = story(&worker);
    assert!(matches!(&events[..], [Event::Refused { answer, .. }] if !answer.admits()));
    assert_eq!(world.draws.load(SeqCst), 0);
}

#[test]
fn a_second_click_overrides_a_shortage_but_not_a_limit() {
    let world = World::new(laptop(8, 1));
    let worker = world.worker(|_, _| Ok(()));
    run(&worker, Job { force: true, ..job(1) });
    assert!(matches!(story(&worker)[..], [Event::Started { .. }, Event::Finished { .. }]));
    let mut limited = Job { force: true, ..job(2) };
    limited.policy.memory_limit = Some(Bytes::gib(1));
    run(&worker, limited);
    assert!(matches!(story(&worker)[..], [Event::Refused { .. }]));
    assert_eq!(world.draws.load(SeqCst), 1);
}

#[test]
fn a_machine_that_cannot_be_read_does_not_block() {
    let world = World::new(laptop(8, 1));
    world.machine.lock().unwrap().ram.available = Reading::MISSING;
    let worker = world.worker(|_, _| Ok(()));
    run(&worker, job(1));
    let events = story(&worker);
    assert!(matches!(&events[0], Event::Started { answer, .. } if matches!(answer.verdict, Verdict::CannotTell(_))));
    assert!(matches!(events[1], Event::Finished { .. }));
}

#[test]
fn a_machine_that_shrank_is_planned_for_anew() {
    let world = World::new(laptop(64, 60));
    let (told, choices) = sync_channel(2);
    let worker = world.worker(move |order, _| {
        told.send(order.choice.tier).unwrap();
        Ok(())
    });
    run(&worker, job(1));
    assert_eq!(tier(&story(&worker)[0]), Tier::Resident);
    world.set_available(17);
    run(&worker, job(2));
    assert_eq!(tier(&story(&worker)[0]), Tier::Phased);
    assert_eq!(choices.recv_timeout(PATIENCE), Ok(Tier::Resident));
    assert_eq!(choices.recv_timeout(PATIENCE), Ok(Tier::Phased));
}

#[test]
fn kept_weights_are_not_counted_twice() {
    let world = World::new(laptop(64, 30));
    let worker = world.worker(|_, _| Ok(()));
    run(&worker, job(1));
    let events = story(&worker);
    assert_eq!(tier(&events[0]), Tier::Resident);
    let runtime = |event: &Event| match event {
        Event::Started { answer, .. } => answer.plan.need(Phase::Save, Pool::Host),
        other => panic!("{other:?}"),
    };
    // The weights of this run stay: the system reports less free memory, the process holds more, the plan is the same.
    let kept = job(1).model.bytes();
    world.kept.store(kept.get(), SeqCst);
    world.live.fetch_add(kept.get(), SeqCst);
    world.machine.lock().unwrap().ram.available = Reading::Known(Bytes::gib(30) - kept);
    run(&worker, job(2));
    let again = story(&worker);
    assert_eq!(tier(&again[0]), Tier::Resident);
    assert_eq!(runtime(&events[0]), runtime(&again[0]));
}

#[test]
fn a_cancel_is_seen_at_the_next_block() {
    let world = World::new(laptop(64, 60));
    let (reached, at_block) = gate();
    let (go, cancelled) = gate();
    let worker = world.worker(move |_, observer| {
        observer.block()?;
        reached.send(()).unwrap();
        cancelled.recv_timeout(PATIENCE).unwrap();
        observer.block()?;
        panic!("went on after a cancel");
    });
    run(&worker, job(1));
    at_block.recv_timeout(PATIENCE).unwrap();
    worker.cancel();
    go.send(()).unwrap();
    assert_eq!(failure(&worker), Failure::Cancelled);
}

#[test]
fn every_word_of_an_engine_may_stop_it() {
    type Word = fn(&mut dyn Observer) -> Result<(), headroom::job::Stop>;
    let words: [Word; 5] = [
        |observer| observer.phase(Phase::Encode),
        |observer| observer.loading(Bytes(1), Bytes(2)),
        |observer| observer.block(),
        |observer| observer.step(0, 1, 2),
        |observer| observer.picture(drawn(0)),
    ];
    for word in words {
        let world = World::new(laptop(64, 60));
        let cancel = headroom::job::Cancel::default();
        let draw: Draw = {
            let cancel = cancel.clone();
            Box::new(move |_, observer| {
                cancel.cancel();
                word(observer)?;
                panic!("went on after a cancel");
            })
        };
        let mut engine = world.engine(&Arc::new(Mutex::new(draw)));
        let outcome = run_job(engine.as_mut(), &job(1), &world.host(), &cancel.token(), &mut |_| {});
        assert_eq!(outcome, Outcome::Failed(Failure::Cancelled));
    }
}

#[test]
fn a_cancel_reaches_jobs_that_have_not_started() {
    let world = World::new(laptop(64, 60));
    let worker = world.worker(|_, observer| blocks_until_stopped(observer));
    run(&worker, job(1));
    run(&worker, job(2));
    assert!(matches!(next(&worker), Event::Started { job: JobId(1), .. }));
    worker.cancel();
    assert_eq!(failure(&worker), Failure::Cancelled);
    let events = story(&worker);
    assert!(matches!(events[..], [Event::Failed { job: JobId(2), failure: Failure::Cancelled }]), "{events:?}");
    assert_eq!(world.draws.load(SeqCst), 1);
}

#[test]
fn a_crash_is_told_and_the_next_job_gets_a_fresh_engine() {
    let world = World::new(laptop(64, 60));
    let mut first = true;
    let worker = world.worker(move |_, observer| {
        observer.phase(Phase::Denoise)?;
        assert!(!std::mem::take(&mut first), "index {} out of range", 7);
        Ok(())
    });
    run(&worker, job(1));
    assert_eq!(failure(&worker), Failure::Crash { what: "index 7 out of range".to_owned() });
    run(&worker, job(2));
    assert!(matches!(story(&worker).last(), Some(Event::Finished { job: JobId(2), .. })));
    assert_eq!(world.engines.load(SeqCst), 2);
    drop(worker);
    assert_eq!(world.ends.load(SeqCst), 2);
}

#[test]
fn an_engine_that_cannot_be_made_is_a_failure_of_the_job() {
    let world = World::new(laptop(64, 60));
    let worker = Worker::start(|| panic!("no engine"), world.host()).unwrap();
    run(&worker, job(1));
    assert_eq!(failure(&worker), Failure::Crash { what: "no engine".to_owned() });
    run(&worker, job(2));
    assert!(matches!(failure(&worker), Failure::Crash { .. }));
}

#[test]
fn an_engines_own_failure_is_passed_on() {
    let world = World::new(laptop(64, 60));
    let worker = world.worker(|_, _| Err(Failure::NotANumber { phase: Phase::Denoise }));
    run(&worker, job(1));
    assert_eq!(failure(&worker), Failure::NotANumber { phase: Phase::Denoise });
    assert_eq!(world.engines.load(SeqCst), 1);
}

#[test]
fn the_guard_stops_a_job_that_holds_more_than_planned() {
    let world = World::new(laptop(64, 60));
    let live = Arc::clone(&world.live);
    let (held, before) = (Bytes::gib(50), world.live.load(SeqCst));
    let worker = world.worker(move |_, observer| {
        observer.phase(Phase::Denoise)?;
        live.store(held.get(), SeqCst);
        blocks_until_stopped(observer)
    });
    run(&worker, job(1));
    let events = story(&worker);
    let Event::Started { answer, .. } = &events[0] else { panic!() };
    let planned = answer.plan.need(Phase::Denoise, Pool::Host);
    assert!(planned >= Bytes(before));
    let guarded = Failure::Guard { phase: Phase::Denoise, pool: Pool::Host, live: held, planned };
    assert!(matches!(events.last(), Some(Event::Failed { failure, .. }) if *failure == guarded), "{events:?}");
}

#[test]
fn the_guard_leaves_a_job_alone_that_keeps_to_its_plan() {
    let world = World::new(laptop(64, 60));
    *world.glance.lock().unwrap() = Glance { available: Reading::Known(Bytes::mib(300)), ..Glance::BLIND };
    let model = job(1).model;
    let mut policy = Policy::new(Device::Cpu);
    policy.runtime = Bytes::mib(20);
    let planned =
        plan(&laptop(64, 60), &model, &recipe(&model, 512, 512), &policy).plan.need(Phase::Denoise, Pool::Host);
    world.live.store(Bytes::mib(20).get(), SeqCst);
    let (live, looks) = (Arc::clone(&world.live), Arc::clone(&world.looks));
    let worker = world.worker(move |_, observer| {
        observer.phase(Phase::Denoise)?;
        live.store((planned + Bytes::mib(60)).get(), SeqCst);
        let start = Instant::now();
        let first = looks.load(SeqCst);
        while looks.load(SeqCst) < first + 8 {
            observer.block()?;
            assert!(start.elapsed() < PATIENCE);
            std::thread::yield_now();
        }
        Ok(())
    });
    run(&worker, job(1));
    assert!(matches!(story(&worker).last(), Some(Event::Finished { .. })));
}

#[test]
fn the_guard_stops_a_job_when_the_machine_runs_short() {
    let world = World::new(laptop(64, 60));
    let glance = Arc::clone(&world.glance);
    let worker = world.worker(move |_, observer| {
        observer.phase(Phase::Encode)?;
        glance.lock().unwrap().available = Reading::Known(Bytes::mib(200));
        blocks_until_stopped(observer)
    });
    run(&worker, job(1));
    assert!(matches!(failure(&worker), Failure::Guard { phase: Phase::Encode, pool: Pool::Host, .. }));
}

#[test]
fn a_guard_that_fails_stops_the_job() {
    let world = World::new(laptop(64, 60));
    let mut host = world.host();
    host.glance = Box::new(|| panic!("no glance"));
    let draw: Draw = Box::new(|_, observer| {
        observer.phase(Phase::Encode)?;
        blocks_until_stopped(observer)
    });
    let mut engine = world.engine(&Arc::new(Mutex::new(draw)));
    let cancel = headroom::job::Cancel::default();
    let outcome = run_job(engine.as_mut(), &job(1), &host, &cancel.token(), &mut |_| {});
    assert_eq!(outcome, Outcome::Failed(Failure::Crash { what: "no glance".to_owned() }));
}

#[test]
fn samples_of_what_is_held_are_told_while_a_job_runs() {
    let world = World::new(laptop(64, 60));
    let worker = world.worker(|_, observer| {
        observer.phase(Phase::Denoise)?;
        blocks_until_stopped(observer)
    });
    run(&worker, job(1));
    let mut samples = 0;
    while samples < 3 {
        if let Event::Sample { phase: Phase::Denoise, live, elapsed, .. } = next(&worker) {
            assert_eq!(live, Bytes(world.live.load(SeqCst)));
            assert!(elapsed.0 > 0.0);
            samples += 1;
        }
    }
    worker.cancel();
    assert_eq!(failure(&worker), Failure::Cancelled);
}

#[test]
fn the_latest_preview_wins() {
    let world = World::new(laptop(64, 60));
    let worker = world.worker(|_, observer| {
        assert!(observer.wants_preview());
        for shade in 1..=3 {
            observer.preview(0, pixels(shade));
        }
        assert!(!observer.wants_preview(), "ten a second are enough");
        Ok(())
    });
    run(&worker, job(5));
    assert!(matches!(story(&worker).last(), Some(Event::Finished { .. })));
    let preview = worker.take_preview().expect("a preview");
    assert_eq!((preview.job, preview.size, &*preview.pixels), (JobId(5), PixelSize::new(512, 512), &pixels(3)));
    assert!(worker.take_preview().is_none());
}

#[test]
fn a_full_channel_drops_progress_but_never_a_result() {
    let world = World::new(laptop(64, 60));
    let (reached, full) = gate();
    let worker = world.worker(move |_, observer| {
        for step in 0..5000 {
            observer.step(0, step, 5000)?;
        }
        reached.send(()).unwrap();
        for picture in 0..5 {
            observer.picture(drawn(picture))?;
        }
        Ok(())
    });
    run(&worker, job(1));
    full.recv_timeout(PATIENCE).unwrap();
    let events = story(&worker);
    let pictures = events.iter().filter(|event| matches!(event, Event::Picture { .. })).count();
    let steps = events.iter().filter(|event| matches!(event, Event::Step { .. })).count();
    assert_eq!(pictures, 5);
    assert!(0 < steps && steps < 5000, "{steps}");
    assert!(matches!(events.last(), Some(Event::Finished { .. })));
}

#[test]
fn a_full_queue_gives_the_command_back() {
    let world = World::new(laptop(64, 60));
    let worker = world.worker(|_, observer| blocks_until_stopped(observer));
    run(&worker, job(0));
    assert!(matches!(next(&worker), Event::Started { .. }));
    for id in 1..=COMMANDS as u64 {
        run(&worker, job(id));
    }
    match worker.send(Command::Run(Box::new(job(99)))) {
        Err(Rejected::Full(Command::Run(job))) => assert_eq!(job.id, JobId(99)),
        other => panic!("{other:?}"),
    }
    worker.cancel();
    for _ in 0..=COMMANDS {
        assert_eq!(failure(&worker), Failure::Cancelled);
    }
}

#[test]
fn a_worker_that_was_told_to_quit_takes_no_more() {
    let world = World::new(laptop(64, 60));
    let worker = world.worker(|_, _| Ok(()));
    worker.send(Command::Quit).unwrap();
    // No event ever comes: this returns when the thread has closed its end.
    assert!(worker.next_event(PATIENCE).is_none());
    let start = Instant::now();
    while !matches!(worker.send(Command::Release), Err(Rejected::Ended(Command::Release))) {
        assert!(start.elapsed() < PATIENCE);
        std::thread::yield_now();
    }
}

#[test]
fn weights_are_let_go_on_request() {
    let world = World::new(laptop(64, 60));
    let kept = Arc::clone(&world.kept);
    let worker = world.worker(move |_, _| {
        kept.store(1 << 30, SeqCst);
        Ok(())
    });
    run(&worker, job(1));
    story(&worker);
    worker.send(Command::Release).unwrap();
    // Commands are served in order: once this one is done, so is the release.
    run(&worker, Job { policy: Policy { memory_limit: Some(Bytes(1)), ..Policy::new(Device::Cpu) }, ..job(2) });
    assert!(matches!(story(&worker)[..], [Event::Refused { .. }]));
    assert_eq!(world.kept.load(SeqCst), 0);
}

#[test]
fn dropping_a_worker_stops_its_job_and_its_engine() {
    let world = World::new(laptop(64, 60));
    let worker = world.worker(|_, observer| blocks_until_stopped(observer));
    run(&worker, job(1));
    assert!(matches!(next(&worker), Event::Started { .. }));
    drop(worker);
    assert_eq!(world.ends.load(SeqCst), 1);
}

#[test]
fn the_window_is_woken_for_every_event() {
    let world = World::new(laptop(64, 60));
    let worker = world.worker(|_, observer| {
        observer.preview(0, pixels(1));
        Ok(observer.picture(drawn(0))?)
    });
    let (woken, wakes) = gate();
    worker.set_wake(Arc::new(move || woken.send(()).unwrap()));
    run(&worker, job(1));
    // Started, preview, picture, finished.
    for _ in 0..4 {
        wakes.recv_timeout(PATIENCE).unwrap();
    }
    assert_eq!(story(&worker).len(), 3);
}

#[test]
fn the_same_story_without_a_thread() {
    let world = World::new(laptop(64, 60));
    let draw: Draw = Box::new(|_, observer| {
        assert!(!observer.wants_preview(), "nobody would see it");
        observer.phase(Phase::Decode)?;
        Ok(observer.picture(drawn(0))?)
    });
    let mut engine = world.engine(&Arc::new(Mutex::new(draw)));
    let mut events = Vec::new();
    let cancel = headroom::job::Cancel::default();
    let mut host = world.host();
    host.rss_peak = || Reading::Known(Bytes::mib(77));
    let outcome = run_job(engine.as_mut(), &job(1), &host, &cancel.token(), &mut |event| events.push(event));
    let Outcome::Finished(measured) = outcome else { panic!("{outcome:?}") };
    assert_eq!(measured.rss_peak, Some(Bytes::mib(77)));
    assert!(matches!(
        events[..],
        [Event::Started { .. }, Event::Phase { .. }, Event::Picture { .. }, Event::Finished { .. }]
    ));
}

/// A job on a card of 15.92 GiB, as in Unsloth Studio #8188.
fn on_a_card(world: &World) -> Job {
    *world.machine.lock().unwrap() =
        with_card(laptop(32, 20), Bytes::mib(16_302), Reading::Known(Bytes::mib(15_900)), Overflow::Spills);
    Job { policy: Policy::new(Device::Gpu(0)), ..job(1) }
}

fn shared(mib: u64) -> Glance {
    let free = vec![Reading::Known(Bytes::gib(4))];
    Glance { gpu_free: free, gpu_shared: vec![Reading::Known(Bytes::mib(mib))], ..Glance::BLIND }
}

/// The report's counters: 13,215 MB on the card, 14,025 MB beside it, and nothing failed for 48 minutes.
#[test]
fn g15_a_card_that_spills_is_stopped_before_the_margin_is_gone() {
    let world = World::new(laptop(64, 60));
    let order = on_a_card(&world);
    *world.glance.lock().unwrap() = shared(100);
    let (glance, looks) = (Arc::clone(&world.glance), Arc::clone(&world.looks));
    let worker = world.worker(move |_, observer| {
        observer.phase(Phase::Denoise)?;
        // What was borrowed before the job is not its doing.
        let first = looks.load(SeqCst);
        while looks.load(SeqCst) < first + 4 {
            observer.block()?;
            std::thread::yield_now();
        }
        *glance.lock().unwrap() = shared(14_025);
        blocks_until_stopped(observer)
    });
    run(&worker, order);
    assert_eq!(failure(&worker), Failure::Spilled { phase: Phase::Denoise, shared: Bytes::mib(13_925) });
}

#[test]
fn a_machine_that_stands_still_for_want_of_memory_stops_the_job() {
    let world = World::new(laptop(64, 60));
    let glance = Arc::clone(&world.glance);
    let worker = world.worker(move |_, observer| {
        observer.phase(Phase::Denoise)?;
        glance.lock().unwrap().stalled = Some(55.0);
        blocks_until_stopped(observer)
    });
    run(&worker, job(1));
    assert!(matches!(failure(&worker), Failure::Guard { phase: Phase::Denoise, pool: Pool::Host, .. }));
}

fn latents(steps_done: u32) -> Latents {
    let steps = job(1).recipe.steps();
    let latent = Latent { step: steps_done.min(steps), values: vec![0.5; 64 * 64 * 16], draws: 0 };
    Latents { shape: (16, 64, 64), steps, pictures: vec![latent], start: None }
}

#[test]
fn a_decode_without_memory_is_tried_again_smaller_from_the_same_latents() {
    let world = World::new(laptop(64, 60));
    let draw: Draw = Box::new(|order: &Order, observer: &mut dyn Observer| match &order.resume {
        None => {
            assert_eq!(order.choice.decode, Decode::Whole);
            observer.phase(Phase::Denoise)?;
            observer.keep(latents(99));
            observer.phase(Phase::Decode)?;
            Err(Failure::OutOfMemory { phase: Phase::Decode, pool: Pool::Device, bytes: Bytes::gib(9) })
        }
        Some(kept) => {
            assert_eq!(**kept, latents(99));
            assert_ne!(order.choice.decode, Decode::Whole);
            observer.phase(Phase::Decode)?;
            Ok(observer.picture(drawn(0))?)
        }
    });
    let mut engine = world.engine(&Arc::new(Mutex::new(draw)));
    let (kept, forgotten) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut host = world.host();
    host.keep = Box::new({
        let kept = Arc::clone(&kept);
        move |job, latents| {
            assert!(latents.finished(job.recipe.batch()));
            kept.fetch_add(1, SeqCst);
        }
    });
    host.forget = Box::new({
        let forgotten = Arc::clone(&forgotten);
        move |_| {
            forgotten.fetch_add(1, SeqCst);
        }
    });
    let mut events = Vec::new();
    let cancel = headroom::job::Cancel::default();
    let outcome = run_job(engine.as_mut(), &job(1), &host, &cancel.token(), &mut |event| events.push(event));
    assert!(matches!(outcome, Outcome::Finished(_)), "{outcome:?}");
    let starts: Vec<Decode> = events
        .iter()
        .filter_map(|event| match event {
            Event::Started { answer, .. } => Some(answer.plan.choice.decode),
            _ => None,
        })
        .collect();
    assert_eq!(starts.len(), 2);
    assert!(starts[0] == Decode::Whole && starts[1] != Decode::Whole);
    assert!(!events.iter().any(|event| matches!(event, Event::Failed { .. } | Event::Kept { .. })));
    assert_eq!((kept.load(SeqCst), forgotten.load(SeqCst)), (1, 1));
}

#[test]
fn what_was_worked_out_is_kept_when_a_job_ends_early() {
    let world = World::new(laptop(64, 60));
    let written = Arc::new(AtomicUsize::new(0));
    let mut host = world.host();
    host.keep = Box::new({
        let written = Arc::clone(&written);
        move |_, latents| {
            written.fetch_add(latents.steps_done() as usize, SeqCst);
        }
    });
    let draw: Draw = Box::new(|_, observer| {
        observer.phase(Phase::Denoise)?;
        observer.keep(latents(1));
        observer.keep(latents(2));
        Err(Failure::Spilled { phase: Phase::Denoise, shared: Bytes::mib(70) })
    });
    let mut engine = world.engine(&Arc::new(Mutex::new(draw)));
    let mut events = Vec::new();
    let cancel = headroom::job::Cancel::default();
    run_job(engine.as_mut(), &job(1), &host, &cancel.token(), &mut |event| events.push(event));
    let [.., Event::Kept { latents: told, .. }, Event::Failed { .. }] = &events[..] else { panic!("{events:?}") };
    assert_eq!(**told, latents(2));
    assert_eq!(written.load(SeqCst), 2, "the newest, once");
}

#[test]
fn finished_latents_need_room_for_their_decode_only() {
    // Enough for the decode of 512 x 512 and not for a block of the denoiser.
    let mut machine = laptop(16, 1);
    machine.ram.available = Reading::Known(Bytes::mib(1_500));
    let world = World::new(machine);
    let worker = world.worker(|order, observer| {
        assert!(order.resume.is_some());
        Ok(observer.picture(drawn(0))?)
    });
    let only = |job: Job| Job { policy: Policy { tiers: vec![Tier::Phased], ..job.policy.clone() }, ..job };
    run(&worker, only(job(1)));
    assert!(matches!(story(&worker)[..], [Event::Refused { .. }]));
    run(&worker, only(Job { resume: Some(Arc::new(latents(99))), ..job(2) }));
    let events = story(&worker);
    let [Event::Started { answer, .. }, Event::Picture { .. }, Event::Finished { .. }] = &events[..] else {
        panic!("{events:?}")
    };
    assert!(answer.plan.need(Phase::Denoise, Pool::Host) < Bytes::mib(64));
    // In mid-way it is the whole run again.
    run(&worker, only(Job { resume: Some(Arc::new(latents(1))), ..job(3) }));
    assert!(matches!(story(&worker)[..], [Event::Refused { .. }]));
}

#[test]
fn weights_are_let_go_after_a_while_and_the_window_hears_of_it() {
    let world = World::new(laptop(64, 60));
    let kept = Arc::clone(&world.kept);
    let draw: Draw = Box::new(move |_, _| {
        kept.store(1 << 30, SeqCst);
        Ok(())
    });
    let (engines, draw) = (world.clone(), Arc::new(Mutex::new(draw)));
    let mut host = world.host();
    host.idle = Duration::from_millis(20);
    let worker = Worker::start(move || engines.engine(&draw), host).unwrap();
    run(&worker, job(1));
    story(&worker);
    assert!(matches!(next(&worker), Event::Released));
    assert_eq!(world.kept.load(SeqCst), 0);
    assert!(worker.next_event(Duration::from_millis(100)).is_none(), "once is enough");
}
