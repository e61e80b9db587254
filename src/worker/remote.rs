//! An engine in a process of its own, behind the same port as one in this process.
//!
//! A failed allocation aborts a Rust process, a fault in a driver kills it, and the kernel's hand leaves no message:
//! here they end a process that holds nothing but the job at work. What it had worked out is here already, step by step.

use super::lock;
use super::wire::{self, Down, Draw, LatentsHead, Up};
use crate::job::{Cause, Death, Drawn, Engine, Failure, Measured, Observer, Order, Stop};
use crate::ledger::{self, Pool};
use crate::machine::Overflow;
use crate::planner::{Arithmetic, Phase};
use crate::recipe::Recipe;
use crate::units::Bytes;
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// Between two questions to the observer whether to go on, while the process says nothing.
const PATIENCE: Duration = Duration::from_millis(10);
/// How long a process may take to say hello: it reads no model for that.
const GREETING: Duration = Duration::from_secs(20);
/// How long a process may take to end once it is asked to.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long a process may take to stop at its next block before it is ended.
const STOPPING: Duration = Duration::from_mins(1);
/// The same where memory runs out.
const STOPPING_SHORT: Duration = Duration::from_secs(5);
/// Messages that may wait to be read.
const MESSAGES: usize = 16;
/// Of what the process says on stderr, the end is remembered.
const WORDS: usize = 4096;

/// How to start a drawing process.
#[derive(Clone)]
pub struct Launch {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
    /// Writes a recipe for a model in words that the process can read.
    pub recipe: fn(&Recipe, &str) -> Result<String, String>,
    /// Called with each new process: what only the parent can do to confine it.
    pub adopt: fn(&Child),
}

/// What the process holds, for anybody who asks. All zero while there is none.
#[derive(Debug, Default)]
pub struct Status {
    pid: AtomicU32,
    host: AtomicU64,
    device: AtomicU64,
    rss: AtomicU64,
    held: AtomicU64,
}

impl Status {
    /// The process at work or at rest.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        Some(self.pid.load(Relaxed)).filter(|pid| *pid != 0)
    }

    /// What its ledger said last.
    #[must_use]
    pub fn live(&self, pool: Pool) -> Bytes {
        Bytes(match pool {
            Pool::Host => self.host.load(Relaxed),
            Pool::Device => self.device.load(Relaxed),
        })
    }

    /// Physical memory that it took when it last said so.
    #[must_use]
    pub fn rss(&self) -> Bytes {
        Bytes(self.rss.load(Relaxed))
    }

    fn clear(&self) {
        self.pid.store(0, Relaxed);
        for number in [&self.host, &self.device, &self.rss, &self.held] {
            number.store(0, Relaxed);
        }
    }
}

/// The engine.
pub struct Remote {
    launch: Launch,
    running: Option<Running>,
    status: Arc<Status>,
    measured: Option<Measured>,
}

struct Running {
    child: Child,
    input: ChildStdin,
    messages: Receiver<(Up, Vec<u8>)>,
    words: Arc<Mutex<String>>,
    threads: [JoinHandle<()>; 2],
}

impl Remote {
    /// No process yet: the first order starts it. What it holds is told in `status`.
    #[must_use]
    pub fn new(launch: Launch, status: Arc<Status>) -> Self {
        Self { launch, running: None, status, measured: None }
    }

    /// The process, started where there is none or where the last one is gone.
    fn take_running(&mut self) -> Result<Running, Failure> {
        let known = self.running.take().and_then(|mut running| match running.child.try_wait() {
            Ok(None) => Some(running),
            _ => None,
        });
        let running = if let Some(running) = known {
            running
        } else {
            self.status.clear();
            Running::start(&self.launch)?
        };
        self.status.pid.store(running.child.id(), Relaxed);
        Ok(running)
    }

    /// Reads how the process ended.
    fn bury(&self, running: Running, order: &Order, phase: Option<Phase>) -> Failure {
        let live = self.status.live(Pool::Host);
        let (status, words) = running.bury();
        let planned = phase.map(|phase| order.bounds.host[phase as usize]).unwrap_or_default();
        let cause = Cause::read(status.and_then(signal), status.and_then(|status| status.code()), &words);
        let last = words.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned();
        tracing::warn!(?cause, ?phase, %live, "the drawing process ended: {last}");
        Failure::Died(Box::new(Death { cause, phase, live, planned, words: last }))
    }

    fn end(&mut self) {
        if let Some(running) = self.running.take() {
            running.end();
        }
        self.status.clear();
    }
}

/// How a conversation ended.
enum Ended {
    Finished(Result<(), Failure>, Measured),
    /// It did not stop when it was told to.
    Deaf(Failure),
    /// Nobody answers any more.
    Gone,
}

/// Sends the order and passes on what comes back, until the process is done with it or gone.
fn converse(
    running: &mut Running,
    (draw, body): (Draw, Vec<u8>),
    observer: &mut dyn Observer,
    status: &Status,
) -> Ended {
    if wire::send(&mut running.input, &Down::Draw(Box::new(draw)), &body).is_err() {
        return Ended::Gone;
    }
    drop(body);
    let mut asked: Option<(Failure, Instant)> = None;
    loop {
        let told = match running.messages.recv_timeout(PATIENCE) {
            Ok((message, body)) => match message.tell(body, observer, status) {
                Told::On(told) => told,
                Told::End(result, measured) => {
                    let result = match (asked, result) {
                        // It was told to stop: for the reason that this side knows.
                        (Some((why, _)), Ok(()) | Err(Failure::Cancelled)) => Err(why),
                        (_, result) => result,
                    };
                    return Ended::Finished(result, measured);
                }
            },
            Err(RecvTimeoutError::Timeout) => observer.block(),
            Err(RecvTimeoutError::Disconnected) => return Ended::Gone,
        };
        match (&asked, told) {
            (None, Err(Stop(why))) => {
                // Where the process is gone meanwhile, the channel says so next.
                drop(wire::send(&mut running.input, &Down::Stop, b""));
                asked = Some((why, Instant::now()));
            }
            (Some((why, at)), _) if at.elapsed() > patience(why) => return Ended::Deaf(why.clone()),
            _ => {}
        }
    }
}

/// How long a process may go on with its block: where memory runs out, not long. Its latents are on this side.
const fn patience(why: &Failure) -> Duration {
    match why {
        Failure::Cancelled => STOPPING,
        _ => STOPPING_SHORT,
    }
}

/// Remembers the phase that an engine told last.
struct Noting<'a> {
    observer: &'a mut dyn Observer,
    phase: Option<Phase>,
}

impl Observer for Noting<'_> {
    fn phase(&mut self, phase: Phase) -> Result<(), Stop> {
        self.phase = Some(phase);
        self.observer.phase(phase)
    }

    fn loading(&mut self, done: Bytes, total: Bytes) -> Result<(), Stop> {
        self.observer.loading(done, total)
    }

    fn block(&mut self) -> Result<(), Stop> {
        self.observer.block()
    }

    fn step(&mut self, picture: u32, step: u32, steps: u32) -> Result<(), Stop> {
        self.observer.step(picture, step, steps)
    }

    fn wants_preview(&self) -> bool {
        self.observer.wants_preview()
    }

    fn preview(&mut self, picture: u32, pixels: crate::pixels::Pixels) {
        self.observer.preview(picture, pixels);
    }

    fn keep(&mut self, latents: crate::job::Latents) {
        self.observer.keep(latents);
    }

    fn picture(&mut self, drawn: Drawn) -> Result<(), Stop> {
        self.observer.picture(drawn)
    }
}

impl Engine for Remote {
    fn draw(&mut self, order: &Order, observer: &mut dyn Observer) -> Result<(), Failure> {
        self.measured = None;
        let recipe = (self.launch.recipe)(&order.recipe, &order.model_ref);
        let recipe = recipe.map_err(|what| Failure::Crash { what })?;
        let message = draw(order, recipe, observer.wants_preview());
        let mut running = self.take_running()?;
        let mut noting = Noting { observer, phase: None };
        match converse(&mut running, message, &mut noting, &self.status) {
            Ended::Finished(result, measured) => {
                self.running = Some(running);
                self.measured = Some(measured);
                result
            }
            Ended::Deaf(why) => {
                tracing::warn!("the drawing process did not stop and is ended");
                running.end();
                self.status.clear();
                Err(why)
            }
            Ended::Gone => {
                let failure = self.bury(running, order, noting.phase);
                self.status.clear();
                Err(failure)
            }
        }
    }

    fn held(&self) -> Bytes {
        Bytes(self.status.held.load(Relaxed))
    }

    /// Ends the process: that gives back everything, whatever a driver kept.
    fn release(&mut self) {
        self.end();
    }

    fn measured(&mut self) -> Option<Measured> {
        self.measured.take()
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        self.end();
    }
}

fn draw(order: &Order, recipe: String, previews: bool) -> (Draw, Vec<u8>) {
    let (resume, mut body) = match &order.resume {
        Some(latents) => {
            let (head, body) = LatentsHead::of(latents);
            (Some(head), body)
        }
        None => (None, Vec::new()),
    };
    let start = order.start.as_ref().map(|pixels| {
        body.extend_from_slice(pixels.rgb());
        (pixels.size().width, pixels.size().height)
    });
    let numbers = |bytes: &[Bytes]| bytes.iter().map(|bytes| bytes.get()).collect();
    let draw = Draw {
        model: order.model_ref.clone(),
        recipe,
        tier: order.choice.tier.name().to_owned(),
        decode: order.choice.decode.name().to_owned(),
        bf16: order.arithmetic == Arithmetic::Bf16,
        simulated: order.simulated.map(|gpu| (gpu.room.get(), gpu.overflow == Overflow::Spills)),
        bounds: [numbers(&order.bounds.host), numbers(&order.bounds.device)],
        read_once: order.read_once,
        cap: order.cap.map(Bytes::get),
        previews,
        resume,
        start,
    };
    (draw, body)
}

/// What a message of the process came to.
enum Told {
    On(Result<(), Stop>),
    End(Result<(), Failure>, Measured),
}

impl Up {
    fn tell(self, body: Vec<u8>, observer: &mut dyn Observer, status: &Status) -> Told {
        Told::On(match self {
            Self::Hello { .. } => Ok(()),
            Self::Phase(phase) => observer.phase(wire::phase(phase)),
            Self::Loading(done, total) => observer.loading(Bytes(done), Bytes(total)),
            Self::Step(picture, step, steps) => observer.step(picture, step, steps),
            Self::Preview { picture, width, height } => {
                if let Some(pixels) = wire::pixels(width, height, body) {
                    observer.preview(picture, pixels);
                }
                Ok(())
            }
            Self::Picture { picture, seed, width, height } => match wire::pixels(width, height, body) {
                Some(pixels) => observer.picture(Drawn { picture, seed, pixels: Arc::new(pixels) }),
                None => Err(Stop(Failure::Crash { what: "a picture of the wrong size".to_owned() })),
            },
            Self::Keep(head) => {
                if let Some(latents) = head.with(&body) {
                    observer.keep(latents);
                }
                Ok(())
            }
            Self::Sample(host, device, rss) => {
                status.host.store(host, Relaxed);
                status.device.store(device, Relaxed);
                status.rss.store(rss.unwrap_or_default(), Relaxed);
                observer.block()
            }
            Self::Done { measured, held } => {
                status.held.store(held, Relaxed);
                return Told::End(Ok(()), measured.into());
            }
            Self::Failed { failure, measured, held } => {
                status.held.store(held, Relaxed);
                return Told::End(Err(failure.into()), measured.into());
            }
        })
    }
}

impl Running {
    fn start(launch: &Launch) -> Result<Self, Failure> {
        let failed = |what: &str| Failure::Crash { what: format!("the drawing process could not be started: {what}") };
        let mut command = Command::new(&launch.program);
        command.args(&launch.arguments).envs(launch.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        apart(&mut command);
        let mut child = command.spawn().map_err(|error| failed(&error.to_string()))?;
        (launch.adopt)(&child);
        let (Some(input), Some(output), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed("no pipes"));
        };
        let words = Arc::new(Mutex::new(String::new()));
        let (sender, messages) = bounded(MESSAGES);
        let reader = Builder::new().name("headroom-messages".to_owned()).spawn(move || {
            let _books = ledger::Settles;
            let read = |output: ChildStdout| -> io::Result<()> {
                let mut output = BufReader::with_capacity(64 << 10, output);
                while let Some(message) = wire::receive::<Up>(&mut output)? {
                    if sender.send(message).is_err() {
                        break;
                    }
                }
                Ok(())
            };
            if let Err(error) = read(output) {
                tracing::info!(%error, "the drawing process broke off in the middle of a word");
            }
        });
        let listener = {
            let words = Arc::clone(&words);
            Builder::new().name("headroom-words".to_owned()).spawn(move || listen(stderr, &words))
        };
        let (Ok(reader), Ok(listener)) = (reader, listener) else {
            // The process ends with its closed input.
            return Err(failed("no threads"));
        };
        let running = Self { child, input, messages, words, threads: [reader, listener] };
        let version = env!("CARGO_PKG_VERSION");
        match running.messages.recv_timeout(GREETING) {
            Ok((Up::Hello { version: theirs }, _)) if theirs == version => Ok(running),
            Ok((Up::Hello { version: theirs }, _)) => {
                running.end();
                Err(failed(&format!("the program on disk is version {theirs} by now: restart this one")))
            }
            _ => {
                let (status, words) = running.bury();
                let status = status.map_or_else(|| "it said nothing".to_owned(), |status| status.to_string());
                Err(failed(&format!("{} ({status})", words.trim())))
            }
        }
    }

    /// Waits for the end of a process that has closed its pipe, and hears its last words.
    fn bury(self) -> (Option<ExitStatus>, String) {
        let Self { mut child, input, messages, words, threads } = self;
        drop((input, messages));
        let status = wait(&mut child, FAREWELL);
        for thread in threads {
            // A panic of the thread was reported where it happened.
            drop(thread.join());
        }
        let words = std::mem::take(&mut *lock(&words));
        (status, words)
    }

    /// Ends the process: by its closed input, and by force where that does not help.
    fn end(self) {
        drop(self.bury());
    }
}

/// Waits for the process; one that does not end in `time` is ended.
fn wait(child: &mut Child, time: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if start.elapsed() < time => std::thread::sleep(Duration::from_millis(2)),
            Ok(None) => {
                drop(child.kill());
                return child.wait().ok();
            }
            Err(error) => {
                tracing::warn!(%error, "the drawing process cannot be waited for");
                return None;
            }
        }
    }
}

/// Passes the process's words on, and remembers the last ones.
fn listen(stderr: ChildStderr, words: &Mutex<String>) {
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    while matches!(stderr.read_until(b'\n', &mut line), Ok(n) if n > 0) {
        // Where this process has no stderr, nobody misses it.
        drop(io::stderr().write_all(&line));
        let mut words = lock(words);
        words.push_str(&String::from_utf8_lossy(&line));
        if words.len() > WORDS {
            let from = words.ceil_char_boundary(words.len() - WORDS);
            words.drain(..from);
        }
        line.clear();
    }
}

/// Out of reach of the terminal's Ctrl+C, which is this process's to hear, and without a console window.
fn apart(command: &mut Command) {
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        command.process_group(0);
    }
    #[cfg(windows)]
    {
        use std::os::windows::process::CommandExt as _;
        const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;
        const CREATE_NO_WINDOW: u32 = 0x0800_0000;
        command.creation_flags(CREATE_NEW_PROCESS_GROUP | CREATE_NO_WINDOW);
    }
    #[cfg(not(any(unix, windows)))]
    let _ = command;
}

#[cfg(unix)]
fn signal(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal(_: ExitStatus) -> Option<i32> {
    None
}
