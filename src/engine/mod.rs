//! Runs models. The only room that knows candle.
//!
//! The engine holds what the plan says: components come and go by the tier of the order, pictures of a batch are
//! drawn one after another, and an observer is asked between blocks whether to go on.

mod blocks;
mod noise;
mod ops;
#[cfg(test)]
mod parity;
mod preview;
mod sampler;
#[cfg(test)]
mod truth;
mod vae;
mod weights;
mod z_image;

use crate::job::{self, Drawn, Failure, Observer, Order};
use crate::model::shapes::DenoiserShape;
use crate::model::{ComponentKind, ModelFiles};
use crate::planner::footprint::latent_size;
use crate::planner::{Phase, Tier};
use crate::units::Bytes;
use candle_core::Tensor;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;
use std::time::{Duration, Instant};
use vae::Decoder;
use weights::Weights;
use z_image::{Denoiser, TextEncoder};

/// Finds the files of a model by the name that the user gave it.
pub type Resolve = Box<dyn Fn(&str) -> Result<ModelFiles, Failure> + Send>;

/// Draws with models of the Z-Image architecture on the processor.
pub struct Engine {
    resolve: Resolve,
    pool: ThreadPool,
    /// The model of the last run: its files, and what the resident tier kept of it.
    current: Option<Current>,
}

struct Current {
    model_ref: String,
    files: ModelFiles,
    text: Option<TextEncoder>,
    denoiser: Option<Denoiser>,
    vae: Option<Decoder>,
}

impl Current {
    fn held(&self) -> Bytes {
        let model = &self.files.inventory;
        [
            (self.text.is_some(), &model.text_encoder),
            (self.denoiser.is_some(), &model.denoiser),
            (self.vae.is_some(), &model.vae),
        ]
        .into_iter()
        .filter(|(loaded, _)| *loaded)
        .map(|(_, component)| component.bytes())
        .sum()
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
            None => Current {
                model_ref: model_ref.to_owned(),
                files: (self.resolve)(model_ref)?,
                text: None,
                denoiser: None,
                vae: None,
            },
        };
        Ok(self.current.insert(current))
    }
}

impl job::Engine for Engine {
    fn draw(&mut self, order: &Order, observer: &mut dyn Observer) -> Result<(), Failure> {
        self.open(&order.model_ref)?;
        let Self { pool, current, .. } = self;
        let Some(current) = current else { return Ok(()) };
        let result = pool.install(|| current.draw(order, observer));
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

fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    let builder = ThreadPoolBuilder::new().num_threads(threads.max(1)).thread_name(|i| format!("headroom-compute-{i}"));
    builder.build().map_err(|e| Failure::Crash { what: format!("no compute threads: {e}") })
}

impl Current {
    fn draw(&mut self, order: &Order, observer: &mut dyn Observer) -> Result<(), Failure> {
        let keep = order.choice.tier == Tier::Resident;
        if !keep {
            (self.text, self.denoiser, self.vae) = (None, None, None);
        }
        let captions = self.encode(order, observer)?;
        if !keep {
            self.text = None;
        }
        let latents = self.denoise(order, &captions, observer)?;
        drop(captions);
        if !keep {
            self.denoiser = None;
        }
        self.decode(order, &latents, observer)
    }

    /// Caption features of the prompt and, where guided, of the negative prompt.
    fn encode(&mut self, order: &Order, observer: &mut dyn Observer) -> Result<Vec<Tensor>, Failure> {
        let model = &self.files.inventory;
        observer.phase(Phase::LoadTextEncoder)?;
        let text = match &mut self.text {
            Some(text) => text,
            none => {
                let weights = Weights::open(self.files.shards(ComponentKind::TextEncoder))?;
                let streamed = order.choice.tier == Tier::Streamed;
                none.insert(TextEncoder::load(weights, model.text_shape, &model.text_encoder, streamed, observer)?)
            }
        };
        observer.phase(Phase::Encode)?;
        let mut prompts = vec![order.recipe.prompt()];
        if order.recipe.guided() {
            prompts.push(order.recipe.negative());
        }
        let mut captions = Vec::with_capacity(prompts.len());
        for prompt in prompts {
            let ids = z_image::tokenize(&self.files.tokenizer, prompt, &model.text_shape)?;
            captions.push(text.encode(&ids, observer)?);
        }
        Ok(captions)
    }

    /// The finished latents of all pictures: (channels, height, width) each.
    fn denoise(
        &mut self,
        order: &Order,
        captions: &[Tensor],
        observer: &mut dyn Observer,
    ) -> Result<Vec<Vec<f32>>, Failure> {
        let model = &self.files.inventory;
        let recipe = &order.recipe;
        let DenoiserShape::ZImage(shape) = model.denoiser_shape;
        observer.phase(Phase::LoadDenoiser)?;
        let denoiser = match &mut self.denoiser {
            Some(denoiser) => denoiser,
            none => {
                let weights = Weights::open(self.files.shards(ComponentKind::Denoiser))?;
                let streamed = order.choice.tier == Tier::Streamed;
                none.insert(Denoiser::load(weights, shape, &model.denoiser, streamed, observer)?)
            }
        };
        observer.phase(Phase::Denoise)?;
        let size = latent_size(model.vae_shape.factor(), recipe.size());
        let mut ready = Vec::with_capacity(captions.len());
        for features in captions {
            ready.push(denoiser.prepare(features, size, observer)?);
        }
        let sigmas = sampler::flow_sigmas(recipe.steps(), model.shift);
        let count = shape.channels * size.0 * size.1;
        let mut latents = Vec::with_capacity(recipe.batch() as usize);
        for picture in 0..recipe.batch() {
            let mut latent = noise::randn(recipe.seed().wrapping_add(u64::from(picture)), count);
            for (step, pair) in sigmas.windows(2).enumerate() {
                let &[sigma, next] = pair else { break };
                let mut velocity = denoiser.forward(&latent, size, sigma, &ready[0], observer)?;
                if let Some(negative) = ready.get(1) {
                    let without = denoiser.forward(&latent, size, sigma, negative, observer)?;
                    sampler::guide(&mut velocity, &without, recipe.guidance());
                }
                if !velocity.iter().all(|v| v.is_finite()) {
                    return Err(Failure::NotANumber { phase: Phase::Denoise });
                }
                if observer.wants_preview() {
                    observer.preview(
                        picture,
                        preview::draw(&latent, &velocity, sigma, size, self.files.latent_rgb.as_ref()),
                    );
                }
                sampler::euler_step(&mut latent, &velocity, sigma, next);
                observer.step(picture, step as u32 + 1, recipe.steps())?;
            }
            latents.push(latent);
        }
        Ok(latents)
    }

    fn decode(&mut self, order: &Order, latents: &[Vec<f32>], observer: &mut dyn Observer) -> Result<(), Failure> {
        let model = &self.files.inventory;
        observer.phase(Phase::LoadVae)?;
        let decoder = match &mut self.vae {
            Some(decoder) => decoder,
            none => {
                let weights = Weights::open(self.files.shards(ComponentKind::Vae))?;
                none.insert(Decoder::load(&weights, model.vae_shape, &model.vae, observer)?)
            }
        };
        let size = latent_size(model.vae_shape.factor(), order.recipe.size());
        for (picture, latent) in latents.iter().enumerate() {
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
