//! The engine's observer: passes its words on, says stop, and measures phase by phase.

use super::guard::{self, Watched};
use super::lock;
use super::run::{Sink, WorkerHost};
use crate::job::{CancelToken, Drawn, Event, Failure, Job, Latents, Measured, MeasuredPhase, Observer, Preview, Stop};
use crate::ledger::{self, Pool};
use crate::pixels::Pixels;
use crate::planner::Phase;
use crate::units::{Bytes, PixelSize, Secs};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Least time between two previews.
pub(super) const PREVIEW_PERIOD: Duration = Duration::from_millis(100);
/// Least time between two words about loading.
pub(super) const LOADING_PERIOD: Duration = Duration::from_millis(50);

/// Latents of a long run are written again after this time, so that a power cut loses no more.
const KEEP_PERIOD: Duration = Duration::from_secs(30);

pub(super) struct Watch<'a, 's> {
    job: &'a Job,
    host: &'a WorkerHost,
    /// The newest latents, and whether they are written.
    latents: Option<Arc<Latents>>,
    written: Option<Instant>,
    cancel: &'a CancelToken,
    watched: &'a Watched<'a>,
    sink: &'a Mutex<&'s mut dyn Sink>,
    size: PixelSize,
    wants_previews: bool,
    previewed: Option<Instant>,
    told_loading: Option<Instant>,
    meter: Meter,
}

impl<'a, 's> Watch<'a, 's> {
    pub(super) fn new(
        job: &'a Job,
        host: &'a WorkerHost,
        cancel: &'a CancelToken,
        watched: &'a Watched<'a>,
        sink: &'a Mutex<&'s mut dyn Sink>,
    ) -> Self {
        Self {
            job,
            host,
            latents: None,
            written: None,
            cancel,
            watched,
            sink,
            size: job.recipe.size(),
            wants_previews: lock(sink).wants_previews(),
            previewed: None,
            told_loading: None,
            meter: Meter::start(),
        }
    }

    /// What was measured, and the newest latents.
    pub(super) fn finish(self) -> (Measured, Option<Arc<Latents>>) {
        (self.meter.finish(), self.latents)
    }

    fn tell(&self, event: Event) {
        lock(self.sink).event(event);
    }

    fn check(&self) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop(Failure::Cancelled));
        }
        let overflow = || self.watched.phase().and_then(guard::overflow);
        self.watched.tripped().or_else(overflow).map_or(Ok(()), |why| Err(Stop(why)))
    }
}

impl Observer for Watch<'_, '_> {
    fn phase(&mut self, phase: Phase) -> Result<(), Stop> {
        self.check()?;
        self.meter.enter(phase);
        self.watched.enter(phase);
        self.tell(Event::Phase { job: self.watched.job, phase });
        Ok(())
    }

    fn loading(&mut self, done: Bytes, total: Bytes) -> Result<(), Stop> {
        self.check()?;
        if done >= total || self.told_loading.is_none_or(|told| told.elapsed() >= LOADING_PERIOD) {
            self.told_loading = Some(Instant::now());
            self.tell(Event::Loading { job: self.watched.job, done, total });
        }
        Ok(())
    }

    fn block(&mut self) -> Result<(), Stop> {
        self.check()
    }

    fn step(&mut self, picture: u32, step: u32, steps: u32) -> Result<(), Stop> {
        self.tell(Event::Step { job: self.watched.job, picture, step, steps, elapsed: self.watched.elapsed() });
        self.check()
    }

    fn wants_preview(&self) -> bool {
        self.wants_previews && self.previewed.is_none_or(|at| at.elapsed() >= PREVIEW_PERIOD)
    }

    fn preview(&mut self, picture: u32, pixels: Pixels) {
        self.previewed = Some(Instant::now());
        let preview = Preview { job: self.watched.job, picture, pixels: Arc::new(pixels), size: self.size };
        lock(self.sink).preview(preview);
    }

    fn keep(&mut self, latents: Latents) {
        let finished = latents.finished(self.job.recipe.batch());
        let due = self.written.get_or_insert_with(Instant::now).elapsed() >= KEEP_PERIOD;
        if finished || due {
            (self.host.keep)(self.job, &latents);
            self.written = Some(Instant::now());
        }
        self.latents = Some(Arc::new(latents));
    }

    fn picture(&mut self, drawn: Drawn) -> Result<(), Stop> {
        if let Some(failure) = self.watched.phase().and_then(guard::overflow) {
            return Err(Stop(failure));
        }
        let Drawn { picture, seed, pixels } = drawn;
        // A finished picture is told even where the work must stop: nothing that was drawn is lost.
        self.tell(Event::Picture { job: self.watched.job, picture, pixels, seed });
        self.check()
    }
}

/// Time and ledger peaks of each phase. A phase that comes again (a second picture) adds its time to the first.
pub(super) struct Meter {
    phases: Vec<MeasuredPhase>,
    current: Option<Phase>,
    entered: Instant,
    peak: Bytes,
}

impl Meter {
    pub(super) fn start() -> Self {
        ledger::reset_peak();
        Self { phases: Vec::with_capacity(Phase::ALL.len()), current: None, entered: Instant::now(), peak: Bytes::ZERO }
    }

    pub(super) fn enter(&mut self, phase: Phase) {
        self.close();
        ledger::reset_peak();
        self.current = Some(phase);
        self.entered = Instant::now();
    }

    fn close(&mut self) {
        let (host_peak, device_peak) = (ledger::peak(Pool::Host), ledger::peak(Pool::Device));
        self.peak = self.peak.max(host_peak + device_peak);
        let Some(phase) = self.current.take() else { return };
        let elapsed = Secs(self.entered.elapsed().as_secs_f64());
        if let Some(known) = self.phases.iter_mut().find(|known| known.phase == phase) {
            known.elapsed = known.elapsed + elapsed;
            known.host_peak = known.host_peak.max(host_peak);
            known.device_peak = known.device_peak.max(device_peak);
        } else {
            self.phases.push(MeasuredPhase { phase, elapsed, host_peak, device_peak });
        }
    }

    pub(super) fn finish(mut self) -> Measured {
        self.close();
        Measured { phases: self.phases, ledger_peak: self.peak, rss_peak: None }
    }
}
