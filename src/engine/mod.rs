//! Runs models. The only room that knows candle.
//!
//! The engine holds what the plan says: components come and go by the tier of the order, pictures of a batch are
//! drawn one after another, and an observer is asked between blocks whether to go on.

mod blocks;
mod family;
mod flux;
#[cfg(test)]
mod from_picture;
mod noise;
mod ops;
#[cfg(test)]
mod parity;
mod preview;
mod sampler;
pub mod speed;
mod stable_diffusion;
mod text;
mod time;
#[cfg(test)]
mod truth;
mod vae;
mod weights;
mod z_image;

use crate::job::{self, Drawn, Failure, Latent, Latents, Observer, Order, Stop};
use crate::ledger::{self, in_pool};
use crate::machine::Overflow;
use crate::model::{Component, ComponentKind, LatentRgb, ModelFiles};
use crate::pixels::Pixels;
use crate::planner::footprint::latent_size;
use crate::planner::{Arithmetic, Phase, Tier};
use crate::recipe::Recipe;
use crate::units::Bytes;
use family::{Caption, Denoiser, Guided, Loading, TextEncoder};
use noise::Draws;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;
use std::time::{Duration, Instant};
use vae::{Decoder, Encoder};

/// Finds the files of a model by the name that the user gave it.
pub type Resolve = Box<dyn Fn(&str) -> Result<ModelFiles, Failure> + Send>;

/// Draws on the processor.
pub struct Engine {
    resolve: Resolve,
    pool: ThreadPool,
    /// The model of the last run: its files, and what the resident tier kept of it.
    current: Option<Current>,
}

struct Current {
    model_ref: String,
    files: ModelFiles,
    /// What loaded weights are multiplied as.
    arithmetic: Arithmetic,
    /// As many as the model has text encoders.
    texts: Vec<Option<Box<dyn TextEncoder>>>,
    denoiser: Option<Box<dyn Denoiser>>,
    vae: Option<Decoder>,
}

impl Current {
    fn new(model_ref: &str, files: ModelFiles) -> Self {
        let texts = files.text_encoders.iter().map(|_| None).collect();
        let arithmetic = Arithmetic::F32;
        Self { model_ref: model_ref.to_owned(), files, arithmetic, texts, denoiser: None, vae: None }
    }

    fn held(&self) -> Bytes {
        let loaded = |component: &&Component| match component.kind.text_index() {
            Some(index) => self.texts.get(index).is_some_and(Option::is_some),
            None if component.kind == ComponentKind::Vae => self.vae.is_some(),
            None => self.denoiser.is_some(),
        };
        self.files.inventory.components().filter(loaded).map(|component| component.bytes() + component.loras()).sum()
    }
}

impl Engine {
    /// An engine that computes on `threads` threads.
    ///
    /// # Errors
    /// Where the system gives no threads.
    pub fn new(threads: usize, resolve: Resolve) -> Result<Self, Failure> {
        Ok(Self { resolve, pool: pool(threads)?, current: None })
    }

    fn open(&mut self, model_ref: &str) -> Result<&mut Current, Failure> {
        let reusable = self.current.take().filter(|current| current.model_ref == model_ref);
        let current = match reusable {
            Some(current) => current,
            None => Current::new(model_ref, (self.resolve)(model_ref)?),
        };
        Ok(self.current.insert(current))
    }
}

impl job::Engine for Engine {
    fn draw(&mut self, order: &Order, observer: &mut dyn Observer) -> Result<(), Failure> {
        self.open(&order.model_ref)?;
        let Self { pool, current, .. } = self;
        let Some(current) = current else { return Ok(()) };
        let book = if order.simulated.is_some() { ledger::Pool::Device } else { ledger::Pool::Host };
        let gpu = order.simulated.as_ref();
        ledger::simulate(gpu.map(|gpu| gpu.room), gpu.is_some_and(|gpu| gpu.overflow == Overflow::Spills));
        pool.broadcast(|_| ledger::enter(book));
        let result = pool.install(|| current.draw(order, &mut OnHost(observer)));
        pool.broadcast(|_| ledger::enter(ledger::Pool::Host));
        ledger::simulate(None, false);
        if order.choice.tier != Tier::Resident || result.is_err() {
            self.release();
        }
        result
    }

    fn held(&self) -> Bytes {
        self.current.as_ref().map(Current::held).unwrap_or_default()
    }

    fn release(&mut self) {
        self.current = None;
    }
}

/// What an observer allocates is no device's.
struct OnHost<'a>(&'a mut dyn Observer);

impl Observer for OnHost<'_> {
    fn phase(&mut self, phase: Phase) -> Result<(), Stop> {
        in_pool(ledger::Pool::Host, || self.0.phase(phase))
    }

    fn loading(&mut self, done: Bytes, total: Bytes) -> Result<(), Stop> {
        in_pool(ledger::Pool::Host, || self.0.loading(done, total))
    }

    fn block(&mut self) -> Result<(), Stop> {
        self.0.block()
    }

    fn step(&mut self, picture: u32, step: u32, steps: u32) -> Result<(), Stop> {
        in_pool(ledger::Pool::Host, || self.0.step(picture, step, steps))
    }

    fn wants_preview(&self) -> bool {
        self.0.wants_preview()
    }

    fn preview(&mut self, picture: u32, pixels: Pixels) {
        in_pool(ledger::Pool::Host, || self.0.preview(picture, pixels));
    }

    fn keep(&mut self, latents: Latents) {
        in_pool(ledger::Pool::Host, || self.0.keep(latents));
    }

    fn picture(&mut self, drawn: Drawn) -> Result<(), Stop> {
        in_pool(ledger::Pool::Host, || self.0.picture(drawn))
    }
}

fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    let builder = ThreadPoolBuilder::new().num_threads(threads.max(1)).thread_name(|i| format!("headroom-compute-{i}"));
    builder
        .exit_handler(|_| ledger::settle())
        .build()
        .map_err(|e| Failure::Crash { what: format!("no compute threads: {e}") })
}

impl Current {
    fn draw(&mut self, order: &Order, observer: &mut dyn Observer) -> Result<(), Failure> {
        let keep = order.choice.tier == Tier::Resident;
        if !keep || self.arithmetic != order.arithmetic {
            self.drop_all();
        }
        self.arithmetic = order.arithmetic;
        let mut latents = self.begin(order)?;
        if !latents.finished(order.recipe.batch()) {
            if order.recipe.denoise().is_some() && latents.start.is_none() {
                latents.start = Some(self.encode_picture(order, observer)?);
            }
            let captions = self.encode(order, observer)?;
            let denoised = self.denoise(order, &captions, &mut latents, observer);
            drop(captions);
            denoised?;
        }
        if !keep {
            self.denoiser = None;
        }
        self.decode(order, &latents, observer)
    }

    fn drop_all(&mut self) {
        self.texts.fill_with(|| None);
        (self.denoiser, self.vae) = (None, None);
    }

    /// The latents to go on from: kept ones where they belong to this order, else none.
    fn begin(&self, order: &Order) -> Result<Latents, Failure> {
        let model = &self.files.inventory;
        let (width, height) = latent_size(model.vae_shape.factor(), order.recipe.size());
        let shape = (model.vae_shape.latent_channels, height, width);
        let space = sampler::Space::of(model, (width, height));
        let recipe = &order.recipe;
        let steps = levels(recipe, &space).len() as u32 - 1;
        let Some(kept) = &order.resume else { return Ok(Latents { shape, steps, ..Latents::default() }) };
        let fits = kept.shape == shape
            && kept.steps == steps
            && kept.pictures.len() <= order.recipe.batch() as usize
            && kept.is_sound();
        if fits {
            Ok(Latents::clone(kept))
        } else {
            Err(Failure::Crash { what: "the kept latents belong to another picture".to_owned() })
        }
    }

    /// The latent of the picture to start from. Its encoder is needed for a moment only, whatever the tier.
    fn encode_picture(&self, order: &Order, observer: &mut dyn Observer) -> Result<Vec<f32>, Failure> {
        let model = &self.files.inventory;
        let size = order.recipe.size();
        let (Some(picture), Some(component)) =
            (order.start.as_ref().filter(|picture| picture.size() == size), &model.vae_encoder)
        else {
            return Err(Failure::Crash { what: "an order to start from a picture, and no such picture".to_owned() });
        };
        observer.phase(Phase::LoadTextEncoder)?;
        let weights = Loading::of(order).open(self.files.shards(ComponentKind::Vae))?;
        let encoder = Encoder::load(&weights, model.vae_shape, component, observer)?;
        drop(weights);
        observer.phase(Phase::Encode)?;
        encoder.encode(picture, order.choice.decode, observer)
    }

    /// The features of the prompt and, where guided, of the negative prompt: one text encoder after the other, gone
    /// before the next one comes unless the tier keeps it.
    fn encode(&mut self, order: &Order, observer: &mut dyn Observer) -> Result<Vec<Caption>, Failure> {
        let mut prompts = vec![order.recipe.prompt()];
        if order.recipe.guided() {
            prompts.push(order.recipe.negative());
        }
        let mut captions: Vec<Caption> = prompts.iter().map(|_| Caption::new()).collect();
        for (index, slot) in self.texts.iter_mut().enumerate() {
            observer.phase(Phase::LoadTextEncoder)?;
            let words = family::words(&self.files, index, &prompts)?;
            let text = match &mut *slot {
                Some(text) => text,
                none => none.insert(family::load_text_encoder(&self.files, index, Loading::of(order), observer)?),
            };
            observer.phase(Phase::Encode)?;
            for (words, caption) in words.iter().zip(&mut captions) {
                caption.push(text.features(words, observer)?);
            }
            if order.choice.tier != Tier::Resident {
                *slot = None;
            }
        }
        Ok(captions)
    }

    /// Brings the latents of all pictures to their last step. What is done is told after each step, so that nothing
    /// that ends this early takes more than a step along.
    fn denoise(
        &mut self,
        order: &Order,
        captions: &[Caption],
        latents: &mut Latents,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        let model = &self.files.inventory;
        let recipe = &order.recipe;
        observer.phase(Phase::LoadDenoiser)?;
        let denoiser = match &mut self.denoiser {
            Some(denoiser) => denoiser,
            none => none.insert(family::load_denoiser(&self.files, Loading::of(order), observer)?),
        };
        observer.phase(Phase::Denoise)?;
        let size = latent_size(model.vae_shape.factor(), recipe.size());
        denoiser.guide(recipe.distilled());
        let pass = denoiser.begin(captions, size, observer)?;
        let guided = Guided { pass: &*pass, scale: recipe.guided().then(|| recipe.guidance()) };
        let space = sampler::Space::of(model, size);
        let sigmas = levels(recipe, &space);
        let count = model.denoiser_shape.latent_channels() * size.0 * size.1;
        let of = sigmas.len() as u32 - 1;
        for picture in 0..recipe.batch() {
            let seed = recipe.seed().wrapping_add(u64::from(picture));
            let mut draws = Draws::for_steps(recipe.rng(), seed);
            let begun = latents.pictures.get(picture as usize).cloned();
            let mut latent = if let Some(begun) = &begun {
                for _ in 0..begun.draws {
                    draws.draw(count);
                }
                begun.values.clone()
            } else {
                let mut noise = Draws::new(recipe.rng(), seed).draw(count);
                match &latents.start {
                    Some(start) => space.add_noise(&mut noise, start, f64::from(sigmas[0])),
                    None => sampler::scale(&mut noise, model.noise.initial_scale(f64::from(sigmas[0]))),
                }
                noise
            };
            let (done, drawn) = begun.map_or((0, 0), |begun| (begun.step, begun.draws));
            let mut steps = Steps {
                guided: &guided,
                size,
                latent_rgb: self.files.latent_rgb.as_ref(),
                picture,
                before: done,
                done,
                of,
                drawn,
                kept: recipe.sampler().forgets().then_some(&mut *latents),
                shown: None,
                observer: &mut *observer,
            };
            let rest = sigmas.get(done as usize..).unwrap_or_default();
            if rest.len() > 1 {
                sampler::sample(recipe.sampler(), &space, rest, &mut latent, &mut draws, &mut steps)?;
            }
            latents.put(picture, Latent { step: of, draws: drawn, values: latent });
            observer.keep(latents.clone());
        }
        Ok(())
    }

    fn decode(&mut self, order: &Order, latents: &Latents, observer: &mut dyn Observer) -> Result<(), Failure> {
        let model = &self.files.inventory;
        observer.phase(Phase::LoadVae)?;
        let decoder = match &mut self.vae {
            Some(decoder) => decoder,
            none => {
                let weights = Loading::of(order).open(self.files.shards(ComponentKind::Vae))?;
                none.insert(Decoder::load(&weights, model.vae_shape, &model.vae, observer)?)
            }
        };
        let size = latent_size(model.vae_shape.factor(), order.recipe.size());
        for (picture, latent) in latents.pictures.iter().map(|latent| &latent.values).enumerate() {
            observer.phase(Phase::Decode)?;
            let pixels = decoder.decode(latent, size, order.choice.decode, observer)?;
            observer.phase(Phase::Save)?;
            observer.picture(Drawn {
                picture: picture as u32,
                seed: order.recipe.seed().wrapping_add(picture as u64),
                pixels: Arc::new(pixels),
            })?;
        }
        Ok(())
    }
}

/// The noise levels of the steps that run, one more than steps. Some samplers and schedules take a step more or less than
/// asked.
fn levels(recipe: &Recipe, space: &sampler::Space) -> Vec<f32> {
    let mut all = sampler::sigmas(recipe.sampler(), recipe.schedule(), recipe.steps(), space);
    let steps = recipe.steps_of(all.len() as u32 - 1) as usize;
    all.split_off(all.len() - 1 - steps)
}

/// One picture's way from noise: what the sampler asks, and who hears of its steps.
struct Steps<'a> {
    guided: &'a Guided<'a>,
    size: (usize, usize),
    latent_rgb: Option<&'a LatentRgb>,
    picture: u32,
    /// Steps that an earlier try has done.
    before: u32,
    done: u32,
    of: u32,
    /// How often the sampler has drawn noise.
    drawn: u32,
    /// Where each step's latent is kept, with samplers that need nothing else to go on.
    kept: Option<&'a mut Latents>,
    /// The step whose preview was offered: once a step is enough, however often the sampler looks.
    shown: Option<u32>,
    observer: &'a mut dyn Observer,
}

impl sampler::Model for Steps<'_> {
    fn direction(&mut self, x: &[f32], sigma: f32) -> Result<Vec<f32>, Failure> {
        let direction = self.guided.direction(x, sigma, self.observer)?;
        if !direction.iter().all(|v| v.is_finite()) {
            return Err(Failure::NotANumber { phase: Phase::Denoise });
        }
        if self.shown != Some(self.done) && self.observer.wants_preview() {
            self.shown = Some(self.done);
            let draw = || preview::draw(x, &direction, sigma, self.size, self.latent_rgb);
            self.observer.preview(self.picture, in_pool(ledger::Pool::Host, draw));
        }
        Ok(direction)
    }

    fn stepped(&mut self, step: usize, x: &[f32], draws: u32) -> Result<(), Failure> {
        self.done = self.before + step as u32 + 1;
        if let Some(latents) = &mut self.kept {
            let latent = Latent { step: self.done, draws: self.drawn + draws, values: x.to_vec() };
            latents.put(self.picture, latent);
            self.observer.keep(latents.clone());
        }
        Ok(self.observer.step(self.picture, self.done, self.of)?)
    }
}

/// Whether this processor multiplies bf16 values, which [`Arithmetic::Bf16`] needs to be worth while.
#[must_use]
pub fn multiplies_bf16() -> bool {
    ops::multiplies_pairs()
}

/// Sustained f32 throughput of `threads` threads in GFLOP/s, measured on a product of a usual shape for about
/// `budget`.
///
/// # Errors
/// Where the system gives no threads.
pub fn calibrate(threads: usize, budget: Duration) -> Result<f64, Failure> {
    const ROWS: usize = 384;
    const SIDE: usize = 768;
    let weight = ops::Weight::new(crate::model::Precision::F32, SIDE, SIDE, vec![0; SIDE * SIDE * 4]);
    let Some(weight) = weight else { return Err(Failure::Crash { what: "no calibration weights".to_owned() }) };
    let layer = ops::Linear { weight, bias: None };
    let x = ops::tensor(vec![0.5; ROWS * SIDE], (ROWS, SIDE))?;
    pool(threads)?.install(|| {
        let start = Instant::now();
        let mut products = 0;
        while start.elapsed() < budget || products == 0 {
            ops::linear(&x, &layer)?;
            products += 1;
        }
        Ok((products * 2 * ROWS * SIDE * SIDE) as f64 / start.elapsed().as_secs_f64().max(1e-9) / 1e9)
    })
}
