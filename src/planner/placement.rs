//! What each phase of a run holds in each pool, as sums of named terms.

use super::footprint::{self, Footprint};
use super::{Choice, Tier};
use crate::model::{ComponentKind, Inventory};
use crate::recipe::Recipe;
use crate::units::Bytes;

/// The phases of a run in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    LoadTextEncoder,
    Encode,
    LoadDenoiser,
    Denoise,
    LoadVae,
    Decode,
    Save,
}

impl Phase {
    pub const ALL: [Self; 7] = [
        Self::LoadTextEncoder,
        Self::Encode,
        Self::LoadDenoiser,
        Self::Denoise,
        Self::LoadVae,
        Self::Decode,
        Self::Save,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::LoadTextEncoder => "load_text_encoder",
            Self::Encode => "encode",
            Self::LoadDenoiser => "load_denoiser",
            Self::Denoise => "denoise",
            Self::LoadVae => "load_vae",
            Self::Decode => "decode",
            Self::Save => "save",
        }
    }
}

/// A budget that a need is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    Device,
    Host,
    Commit,
}

impl Pool {
    pub const ALL: [Self; 3] = [Self::Device, Self::Host, Self::Commit];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Device => "device",
            Self::Host => "host",
            Self::Commit => "commit",
        }
    }
}

/// Where a term lies before pools are told apart: with the networks, or with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Device,
    Host,
}

/// A named part of a need.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    TextEncoderWeights,
    DenoiserWeights,
    VaeWeights,
    Activations,
    /// Buffers of single ops: packed tiles, scratch.
    Workspace,
    Embeddings,
    Latents,
    Pixels,
    /// Files being read, encoded or written.
    Staging,
    Runtime,
}

impl Term {
    pub const ALL: [Self; 10] = [
        Self::TextEncoderWeights,
        Self::DenoiserWeights,
        Self::VaeWeights,
        Self::Activations,
        Self::Workspace,
        Self::Embeddings,
        Self::Latents,
        Self::Pixels,
        Self::Staging,
        Self::Runtime,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TextEncoderWeights => "text_encoder_weights",
            Self::DenoiserWeights => "denoiser_weights",
            Self::VaeWeights => "vae_weights",
            Self::Activations => "activations",
            Self::Workspace => "workspace",
            Self::Embeddings => "embeddings",
            Self::Latents => "latents",
            Self::Pixels => "pixels",
            Self::Staging => "staging",
            Self::Runtime => "runtime",
        }
    }

    const fn of_weights(kind: ComponentKind) -> Self {
        match kind {
            ComponentKind::TextEncoder => Self::TextEncoderWeights,
            ComponentKind::Denoiser => Self::DenoiserWeights,
            ComponentKind::Vae => Self::VaeWeights,
        }
    }
}

/// Bytes by term. A fixed array, so that a plan allocates nothing while it searches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terms([Bytes; Term::ALL.len()]);

impl Terms {
    pub fn add(&mut self, term: Term, bytes: Bytes) {
        self.0[term as usize] += bytes;
    }

    #[must_use]
    pub fn total(&self) -> Bytes {
        self.0.into_iter().sum()
    }

    #[must_use]
    pub const fn get(&self, term: Term) -> Bytes {
        self.0[term as usize]
    }

    /// The terms that are not zero.
    pub fn iter(&self) -> impl Iterator<Item = (Term, Bytes)> + '_ {
        Term::ALL.into_iter().map(|term| (term, self.get(term))).filter(|(_, bytes)| *bytes > Bytes::ZERO)
    }

    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        for (mine, theirs) in self.0.iter_mut().zip(other.0) {
            *mine += theirs;
        }
        self
    }
}

/// What one phase holds at its fullest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseNeed {
    pub phase: Phase,
    /// With the networks: weights, activations.
    pub device: Terms,
    /// With the program: staging, pixels, its own heap.
    pub host: Terms,
}

/// Small change of a run that has no term of its own: tables of tensors, names, records of threads and tensors.
const RECORDS: Bytes = Bytes::mib(1);

/// Everything about a run that does not depend on the choice, computed once a plan.
pub(super) struct Work<'a> {
    pub model: &'a Inventory,
    pub recipe: &'a Recipe,
    pub threads: usize,
    pub tokens: usize,
    pub encode: Footprint,
    pub denoise: Footprint,
    pub runtime: Bytes,
}

impl<'a> Work<'a> {
    pub(super) fn new(model: &'a Inventory, recipe: &'a Recipe, threads: usize, runtime: Bytes) -> Self {
        let tokens = footprint::text::token_bound(recipe.prompt(), &model.text_shape).max(if recipe.guided() {
            footprint::text::token_bound(recipe.negative(), &model.text_shape)
        } else {
            0
        });
        Self {
            model,
            recipe,
            threads,
            tokens,
            encode: footprint::text::encode(&model.text_shape, tokens, threads),
            denoise: footprint::denoiser::denoise(model, recipe, tokens, threads),
            runtime,
        }
    }

    /// The needs of every phase under one choice.
    pub(super) fn needs(&self, choice: Choice) -> [PhaseNeed; Phase::ALL.len()] {
        Phase::ALL.map(|phase| self.need(phase, choice))
    }

    fn need(&self, phase: Phase, choice: Choice) -> PhaseNeed {
        let mut need = PhaseNeed { phase, device: Terms::default(), host: Terms::default() };
        need.host.add(Term::Runtime, self.runtime + RECORDS);
        for kind in ComponentKind::ALL {
            let weights = self.weights_in(kind, phase, choice.tier);
            need.device.add(Term::of_weights(kind), weights);
        }
        let batch = u64::from(self.recipe.batch());
        let size = self.recipe.size();
        let shape = &self.model.vae_shape;
        let latent = footprint::latent_bytes(self.model, size);
        let caption = footprint::text::caption_bytes(&self.model.text_shape, self.tokens);
        let captions = caption * if self.recipe.guided() { 2 } else { 1 };
        match phase {
            Phase::LoadTextEncoder => {}
            Phase::Encode => {
                need.device.add(Term::Embeddings, captions);
                // The tokenizer is gone before the encoder runs: only what it takes more than that counts.
                let tokenizer = footprint::text::tokenizer_bytes(self.model.tokenizer);
                need.host.add(Term::Staging, tokenizer - self.encode.total());
                self.encode.add_to(&mut need.device);
            }
            Phase::LoadDenoiser => need.device.add(Term::Embeddings, captions),
            Phase::Denoise => {
                need.device.add(Term::Embeddings, captions);
                need.device.add(Term::Latents, latent * batch);
                self.denoise.add_to(&mut need.device);
            }
            Phase::LoadVae => need.device.add(Term::Latents, latent * batch),
            Phase::Decode => {
                need.device.add(Term::Latents, latent * batch);
                need.host.add(Term::Pixels, footprint::picture_bytes(size) * batch);
                footprint::vae::decode(shape, size, choice.decode, self.threads).add_to(&mut need.device);
            }
            Phase::Save => {
                need.host.add(Term::Pixels, footprint::picture_bytes(size) * batch);
                need.host.add(Term::Staging, footprint::save_bytes(size));
            }
        }
        need
    }

    fn weights_in(&self, kind: ComponentKind, phase: Phase, tier: Tier) -> Bytes {
        let component = self.model.component(kind);
        let all = component.bytes();
        let (load, run) = match kind {
            ComponentKind::TextEncoder => (Phase::LoadTextEncoder, Phase::Encode),
            ComponentKind::Denoiser => (Phase::LoadDenoiser, Phase::Denoise),
            ComponentKind::Vae => (Phase::LoadVae, Phase::Decode),
        };
        match tier {
            // Loaded at the first phase that needs it, kept to the end and beyond.
            Tier::Resident => all,
            Tier::Phased => {
                if phase == load || phase == run {
                    all
                } else {
                    Bytes::ZERO
                }
            }
            Tier::Streamed => {
                if phase != load && phase != run {
                    Bytes::ZERO
                } else if kind == ComponentKind::Vae || component.blocks.is_empty() {
                    all
                } else if phase == load {
                    component.fixed.bytes
                } else {
                    // The block that runs and the one that is read ahead.
                    component.fixed.bytes + component.largest_block() * 2
                }
            }
        }
    }
}
