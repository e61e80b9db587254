//! The background thread on which pictures are drawn.
//!
//! Commands go down and events come up through bounded channels; neither side ever waits for the other in the middle of
//! a frame. What happens to a job is the same with this thread and without it: see [`run_job`], which the command line
//! calls directly. This room knows no system and no model: both come as values, in [`WorkerHost`] and as an `Engine`.

mod child;
mod guard;
mod observer;
mod remote;
mod run;
mod wire;

pub use child::{ChildHost, serve};
pub use remote::{Launch, Remote, Status};
pub use run::{Keep, Outcome, Sink, WorkerHost, run_job};

use crate::job::{Cancel, CancelToken, Command, Engine, Event, Failure, Observer, Order, Preview};
use crate::ledger;
use crate::units::Bytes;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Commands that may wait.
pub const COMMANDS: usize = 16;
/// Events that may wait. A full channel drops progress, never a result.
pub const EVENTS: usize = 1024;

/// Called after each event and preview, on the worker's thread: asks the window to look.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

/// Why a command was not taken; it comes back.
#[derive(Debug, thiserror::Error)]
pub enum Rejected {
    #[error("too many commands wait")]
    Full(Command),
    #[error("the worker has ended")]
    Ended(Command),
}

/// A slot for the latest preview: a new one replaces an old one that nobody took.
#[derive(Debug, Default)]
pub struct Mailbox(Mutex<Option<Preview>>);

impl Mailbox {
    pub fn put(&self, preview: Preview) {
        *lock(&self.0) = Some(preview);
    }

    pub fn take(&self) -> Option<Preview> {
        lock(&self.0).take()
    }
}

/// The thread and the ends of its channels. Dropping it cancels what runs and waits for the thread to end.
pub struct Worker {
    commands: Option<Sender<(Command, CancelToken)>>,
    events: Option<Receiver<Event>>,
    previews: Arc<Mailbox>,
    wake: Arc<Mutex<Option<Wake>>>,
    cancel: Cancel,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread. `make_engine` is called on it before the first job, and again after a crash.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(
        make_engine: impl FnMut() -> Box<dyn Engine> + Send + 'static,
        host: WorkerHost,
    ) -> std::io::Result<Self> {
        let (commands, inbox) = bounded(COMMANDS);
        let (outbox, events) = bounded(EVENTS);
        let previews = Arc::new(Mailbox::default());
        let wake = Arc::new(Mutex::new(None));
        let sink = ThreadSink { events: outbox, previews: Arc::clone(&previews), wake: Arc::clone(&wake) };
        let thread = Builder::new()
            .name("headroom-worker".to_owned())
            .spawn(move || Loop { make_engine, engine: None, rested: true, host, sink }.run(&inbox))?;
        Ok(Self {
            commands: Some(commands),
            events: Some(events),
            previews,
            wake,
            cancel: Cancel::default(),
            thread: Some(thread),
        })
    }

    /// Hands a command over without waiting.
    ///
    /// # Errors
    /// The command comes back where too many wait, or where the thread has ended.
    pub fn send(&self, command: Command) -> Result<(), Rejected> {
        let Some(commands) = &self.commands else { return Err(Rejected::Ended(command)) };
        // The token is taken here, so that a cancel after this line reaches the job even before it starts.
        commands.try_send((command, self.cancel.token())).map_err(|error| match error {
            TrySendError::Full((command, _)) => Rejected::Full(command),
            TrySendError::Disconnected((command, _)) => Rejected::Ended(command),
        })
    }

    /// Cancels every job sent so far: the running one within a block, waiting ones before they start.
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// The next event, if one is there.
    pub fn try_event(&self) -> Option<Event> {
        self.events.as_ref()?.try_recv().ok()
    }

    /// Waits for the next event, `None` after `timeout` or at the thread's end.
    pub fn next_event(&self, timeout: Duration) -> Option<Event> {
        self.events.as_ref()?.recv_timeout(timeout).ok()
    }

    /// The latest preview, once.
    pub fn take_preview(&self) -> Option<Preview> {
        self.previews.take()
    }

    pub fn set_wake(&self, wake: Wake) {
        *lock(&self.wake) = Some(wake);
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancel.cancel();
        // Without a receiver no send waits, without a sender the thread's loop ends.
        self.events = None;
        self.commands = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported where it happened.
            drop(thread.join());
        }
    }
}

/// What the thread owns.
struct Loop<F> {
    make_engine: F,
    /// Made before the first job; none after a crash until the next one.
    engine: Option<Box<dyn Engine>>,
    /// Nothing was drawn since everything was let go.
    rested: bool,
    host: WorkerHost,
    sink: ThreadSink,
}

impl<F: FnMut() -> Box<dyn Engine>> Loop<F> {
    fn run(&mut self, inbox: &Receiver<(Command, CancelToken)>) {
        loop {
            let next = if self.rested {
                inbox.recv().map_err(|_ended| RecvTimeoutError::Disconnected)
            } else {
                inbox.recv_timeout(self.host.idle)
            };
            let (command, cancel) = match next {
                Ok(next) => next,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    self.release();
                    self.sink.event(Event::Released);
                    continue;
                }
            };
            match command {
                Command::Quit => break,
                Command::Release => self.release(),
                Command::Run(job) => {
                    self.rested = false;
                    let Self { make_engine, engine, host, sink, .. } = self;
                    let made = catch_unwind(AssertUnwindSafe(|| engine.get_or_insert_with(make_engine)));
                    let outcome = match made {
                        Ok(engine) => run_job(engine.as_mut(), &job, host, &cancel, sink),
                        Err(panic) => {
                            let failure = Failure::Crash { what: run::panic_text(panic.as_ref()) };
                            sink.event(Event::Failed { job: job.id, failure: failure.clone() });
                            Outcome::Failed(failure)
                        }
                    };
                    if matches!(outcome, Outcome::Failed(Failure::Crash { .. })) {
                        self.discard();
                    }
                    ledger::trim();
                }
            }
        }
        self.discard();
    }

    /// Lets go of everything that the engine keeps.
    fn release(&mut self) {
        self.rested = true;
        if let Some(engine) = &mut self.engine {
            let released = catch_unwind(AssertUnwindSafe(|| engine.release()));
            if released.is_err() {
                self.discard();
            }
            ledger::trim();
        }
    }

    /// Drops the engine. One that crashed may crash again on the way out.
    fn discard(&mut self) {
        let engine = self.engine.take();
        drop(catch_unwind(AssertUnwindSafe(|| drop(engine))));
    }
}

/// Stands in where no engine could be made, and says why at each job.
pub struct Broken(pub Failure);

impl Engine for Broken {
    fn draw(&mut self, _: &Order, _: &mut dyn Observer) -> Result<(), Failure> {
        Err(self.0.clone())
    }

    fn held(&self) -> Bytes {
        Bytes::ZERO
    }

    fn release(&mut self) {}
}

struct ThreadSink {
    events: Sender<Event>,
    previews: Arc<Mailbox>,
    wake: Arc<Mutex<Option<Wake>>>,
}

impl ThreadSink {
    fn wake(&self) {
        let wake = lock(&self.wake).clone();
        if let Some(wake) = wake {
            wake();
        }
    }
}

impl Sink for ThreadSink {
    fn event(&mut self, event: Event) {
        // Progress is stale by the time there is room again. A send fails only where nobody will ever read it.
        if is_progress(&event) {
            drop(self.events.try_send(event));
        } else if let Err(TrySendError::Full(event)) = self.events.try_send(event) {
            self.wake();
            drop(self.events.send(event));
        }
        self.wake();
    }

    fn wants_previews(&self) -> bool {
        true
    }

    fn preview(&mut self, preview: Preview) {
        self.previews.put(preview);
        self.wake();
    }
}

const fn is_progress(event: &Event) -> bool {
    matches!(event, Event::Loading { .. } | Event::Step { .. } | Event::Sample { .. })
}

/// Locks even where another thread panicked while it held the lock: every value in here is whole at each moment.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Waits out `time`, or less where `stop` closes; `true` where it is time to go on.
fn tick(stop: &Receiver<()>, time: Duration) -> bool {
    matches!(stop.recv_timeout(time), Err(RecvTimeoutError::Timeout))
}
