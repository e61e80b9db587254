//! The far end of the wire: a process that does nothing but draw what it is told.

use super::observer::{LOADING_PERIOD, Meter, PREVIEW_PERIOD};
use super::run::panic_text;
use super::wire::{self, Down, Draw, LatentsHead, Up};
use super::{guard, lock, tick};
use crate::job::{Bounds, Cancel, CancelToken, Drawn, Engine, Failure, Latents, Observer, Order, Simulated, Stop};
use crate::ledger::{self, Pool};
use crate::machine::{Overflow, Reading};
use crate::pixels::Pixels;
use crate::planner::{self, Arithmetic, Choice, Decode, Phase, Tier};
use crate::recipe::Recipe;
use crate::units::{Bytes, PixelSize};
use crossbeam_channel::{Receiver, bounded};
use std::io::{self, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread::{Builder, scope};
use std::time::Instant;

/// What a drawing process is given by the shell.
pub struct ChildHost {
    /// Called before the first draw, and again after a crash.
    pub make_engine: Box<dyn FnMut() -> Box<dyn Engine>>,
    /// Reads a recipe for a model from the words that the other side wrote.
    pub recipe: fn(&str, &str) -> Result<Recipe, Failure>,
    /// Lets the system refuse more than this to the process; `None` lifts the cap.
    pub confine: fn(Option<Bytes>),
    pub rss: fn() -> Reading,
    pub rss_peak: fn() -> Reading,
    pub reset_rss_peak: fn() -> bool,
}

/// Serves draws until the other side closes `input`.
///
/// # Errors
/// Where the system gives no thread, or the other side cannot be told anything.
pub fn serve(input: impl Read + Send + 'static, output: impl Write + Send, mut host: ChildHost) -> io::Result<()> {
    let cancel = Cancel::default();
    let (sender, inbox) = bounded(4);
    let reader = move || {
        let mut input = io::BufReader::new(input);
        while let Ok(Some((message, body))) = wire::receive::<Down>(&mut input) {
            if matches!(message, Down::Stop) {
                cancel.cancel();
            } else if sender.send((message, body, cancel.token())).is_err() {
                return;
            }
        }
        // Whoever asked is gone: nobody waits for the picture.
        cancel.cancel();
    };
    Builder::new().name("headroom-inbox".to_owned()).spawn(reader)?;
    let output = Mutex::new(output);
    tell(&output, &Up::Hello { version: env!("CARGO_PKG_VERSION").to_owned() }, b"")?;
    serve_all(&inbox, &output, &mut host)
}

type Inbox = Receiver<(Down, Vec<u8>, CancelToken)>;

fn serve_all<W: Write + Send>(inbox: &Inbox, output: &Mutex<W>, host: &mut ChildHost) -> io::Result<()> {
    let mut engine: Option<Box<dyn Engine>> = None;
    while let Ok((message, body, token)) = inbox.recv() {
        match message {
            Down::Stop => {}
            Down::Release => {
                engine = None;
                ledger::trim();
            }
            Down::Draw(draw) => {
                let (result, measured) = match catch_unwind(AssertUnwindSafe(|| {
                    engine.get_or_insert_with(&mut host.make_engine);
                })) {
                    Ok(()) => match (order(*draw, &body, host), &mut engine) {
                        (Ok((order, previews)), Some(engine)) => {
                            drop(body);
                            run(engine.as_mut(), &order, previews, &token, output, host)
                        }
                        (Err(failure), _) => (Err(failure), Default::default()),
                        (Ok(_), None) => (Err(Failure::Crash { what: "no engine".to_owned() }), Default::default()),
                    },
                    Err(panic) => (Err(Failure::Crash { what: panic_text(panic.as_ref()) }), Default::default()),
                };
                if matches!(result, Err(Failure::Crash { .. })) {
                    let broken = engine.take();
                    drop(catch_unwind(AssertUnwindSafe(|| drop(broken))));
                }
                let held = engine.as_ref().map(|engine| engine.held()).unwrap_or_default().get();
                ledger::trim();
                let measured = (&measured).into();
                let end = match result {
                    Ok(()) => Up::Done { measured, held },
                    Err(failure) => Up::Failed { failure: failure.into(), measured, held },
                };
                sample(output, host.rss)?;
                tell(output, &end, b"")?;
            }
        }
    }
    Ok(())
}

fn tell<W: Write>(output: &Mutex<W>, message: &Up, body: &[u8]) -> io::Result<()> {
    wire::send(&mut *lock(output), message, body)
}

fn sample<W: Write>(output: &Mutex<W>, rss: fn() -> Reading) -> io::Result<()> {
    let [host, device] = [Pool::Host, Pool::Device].map(|pool| ledger::live(pool).get());
    tell(output, &Up::Sample(host, device, rss().known().map(Bytes::get)), b"")
}

fn order(draw: Draw, body: &[u8], host: &ChildHost) -> Result<(Order, bool), Failure> {
    let odd = |what: &str| Failure::Crash { what: format!("an order with an unknown {what}") };
    let tier = Tier::ALL.into_iter().find(|tier| tier.name() == draw.tier).ok_or_else(|| odd("tier"))?;
    let decode = Decode::ALL.into_iter().find(|decode| decode.name() == draw.decode).ok_or_else(|| odd("decode"))?;
    let (body, start) = match draw.start {
        Some((width, height)) => {
            let size = PixelSize::new(width, height);
            let length = usize::try_from(size.pixels()).ok().and_then(|pixels| pixels.checked_mul(3));
            let at = length.and_then(|length| body.len().checked_sub(length)).ok_or_else(|| odd("picture"))?;
            (&body[..at], Pixels::new(size, body[at..].to_vec()).map(Arc::new))
        }
        None => (body, None),
    };
    let resume = match draw.resume {
        Some(head) => Some(Arc::new(head.with(body).ok_or_else(|| odd("latent"))?)),
        None => None,
    };
    let [on_host, on_device] = draw.bounds.map(|bounds| {
        let bytes: Vec<Bytes> = bounds.into_iter().map(Bytes).collect();
        <[Bytes; Phase::ALL.len()]>::try_from(bytes)
    });
    let (Ok(on_host), Ok(on_device)) = (on_host, on_device) else { return Err(odd("bound")) };
    let recipe = (host.recipe)(&draw.model, &draw.recipe)?;
    let order = Order {
        arithmetic: if draw.bf16 { Arithmetic::Bf16 } else { Arithmetic::F32 },
        simulated: draw.simulated.map(|(room, spills)| Simulated {
            room: Bytes(room),
            overflow: if spills { Overflow::Spills } else { Overflow::Fails },
        }),
        resume,
        start,
        bounds: Bounds { host: on_host, device: on_device },
        read_once: draw.read_once,
        cap: draw.cap.map(Bytes),
        ..Order::new(draw.model, recipe, Choice { tier, decode })
    };
    Ok((order, draw.previews))
}

fn run<W: Write + Send>(
    engine: &mut dyn Engine,
    order: &Order,
    previews: bool,
    cancel: &CancelToken,
    output: &Mutex<W>,
    host: &ChildHost,
) -> (Result<(), Failure>, crate::job::Measured) {
    (host.confine)(order.cap);
    (host.reset_rss_peak)();
    let (rss, rss_peak) = (host.rss, host.rss_peak);
    let mut teller = Teller {
        output,
        cancel,
        bounds: &order.bounds,
        phase: None,
        previews,
        previewed: None,
        told_loading: None,
        meter: Meter::start(),
    };
    let result = scope(|scope| {
        let (running, stop) = bounded::<()>(0);
        let sampler = Builder::new().name("headroom-sampler".to_owned()).spawn_scoped(scope, || {
            let (stop, _books) = (stop, ledger::Settles);
            // Where nobody hears, the draw is stopped by its own next word.
            while tick(&stop, guard::PERIOD) && sample(output, rss).is_ok() {}
        });
        if let Err(error) = sampler {
            return Err(Failure::Crash { what: format!("no thread to sample: {error}") });
        }
        let drawn = catch_unwind(AssertUnwindSafe(|| engine.draw(order, &mut teller)));
        drop(running);
        drawn.unwrap_or_else(|panic| Err(Failure::Crash { what: panic_text(panic.as_ref()) }))
    });
    let mut measured = teller.meter.finish();
    measured.rss_peak = rss_peak().known();
    (host.confine)(None);
    (result, measured)
}

/// Passes an engine's words on, and keeps an eye on its bounds: nothing else lives in this process, so one look is
/// enough.
struct Teller<'a, W> {
    output: &'a Mutex<W>,
    cancel: &'a CancelToken,
    bounds: &'a Bounds,
    phase: Option<Phase>,
    previews: bool,
    previewed: Option<Instant>,
    told_loading: Option<Instant>,
    meter: Meter,
}

impl<W: Write> Teller<'_, W> {
    fn tell(&self, message: &Up, body: &[u8]) -> Result<(), Stop> {
        // A window that does not listen any more wants no picture.
        tell(self.output, message, body).map_err(|_closed| Stop(Failure::Cancelled))
    }

    fn check(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop(Failure::Cancelled));
        }
        let Some(phase) = self.phase else { return Ok(()) };
        guard::overflow(phase).or_else(|| self.over(phase)).map_or(Ok(()), |why| Err(Stop(why)))
    }

    fn over(&self, phase: Phase) -> Option<Failure> {
        let pools = [
            (Pool::Host, planner::Pool::Host, self.bounds.host[phase as usize]),
            (Pool::Device, planner::Pool::Device, self.bounds.device[phase as usize]),
        ];
        pools.into_iter().find_map(|(book, pool, planned)| {
            let live = ledger::live(book);
            (live > planned).then_some(Failure::Guard { phase, pool, live, planned })
        })
    }
}

impl<W: Write + Send> Observer for Teller<'_, W> {
    fn phase(&mut self, phase: Phase) -> Result<(), Stop> {
        self.check()?;
        self.meter.enter(phase);
        self.phase = Some(phase);
        self.tell(&Up::Phase(phase as usize), b"")
    }

    fn loading(&mut self, done: Bytes, total: Bytes) -> Result<(), Stop> {
        self.check()?;
        if done >= total || self.told_loading.is_none_or(|told| told.elapsed() >= LOADING_PERIOD) {
            self.told_loading = Some(Instant::now());
            self.tell(&Up::Loading(done.get(), total.get()), b"")?;
        }
        Ok(())
    }

    fn block(&mut self) -> Result<(), Stop> {
        self.check()
    }

    fn step(&mut self, picture: u32, step: u32, steps: u32) -> Result<(), Stop> {
        self.tell(&Up::Step(picture, step, steps), b"")?;
        self.check()
    }

    fn wants_preview(&self) -> bool {
        self.previews && self.previewed.is_none_or(|at| at.elapsed() >= PREVIEW_PERIOD)
    }

    fn preview(&mut self, picture: u32, pixels: Pixels) {
        self.previewed = Some(Instant::now());
        let size = pixels.size();
        let head = Up::Preview { picture, width: size.width, height: size.height };
        // The next word that may stop tells of a closed pipe.
        drop(self.tell(&head, pixels.rgb()));
    }

    fn keep(&mut self, latents: Latents) {
        let (head, body) = LatentsHead::of(&latents);
        drop(latents);
        drop(self.tell(&Up::Keep(head), &body));
    }

    fn picture(&mut self, drawn: Drawn) -> Result<(), Stop> {
        if let Some(phase) = self.phase
            && let Some(failure) = guard::overflow(phase)
        {
            return Err(Stop(failure));
        }
        let size = drawn.pixels.size();
        let head = Up::Picture { picture: drawn.picture, seed: drawn.seed, width: size.width, height: size.height };
        self.tell(&head, drawn.pixels.rgb())?;
        drop(drawn);
        self.check()
    }
}
