//! What each phase of a run holds in each pool, as sums of named terms.

use super::footprint::{self, Footprint};
use super::{Choice, Device, Policy, Tier};
use crate::model::{Component, ComponentKind, Inventory, TextEncoder, Unit};
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
    TextEncoder2Weights,
    TextEncoder3Weights,
    DenoiserWeights,
    VaeWeights,
    /// The halves of `LoRAs`, which lie beside the weights that they change.
    Loras,
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
    pub const ALL: [Self; 13] = [
        Self::TextEncoderWeights,
        Self::TextEncoder2Weights,
        Self::TextEncoder3Weights,
        Self::DenoiserWeights,
        Self::VaeWeights,
        Self::Loras,
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
            Self::TextEncoder2Weights => "text_encoder_2_weights",
            Self::TextEncoder3Weights => "text_encoder_3_weights",
            Self::DenoiserWeights => "denoiser_weights",
            Self::VaeWeights => "vae_weights",
            Self::Loras => "loras",
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
            ComponentKind::TextEncoder2 => Self::TextEncoder2Weights,
            ComponentKind::TextEncoder3 => Self::TextEncoder3Weights,
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

/// Small change of a run that has no term of its own: names, records of threads and loaded tensors.
const RECORDS: Bytes = Bytes::mib(1);

/// What one text encoder does in a run.
#[derive(Clone, Copy, Default)]
pub(super) struct TextWork {
    /// Of the longest prompt.
    pub tokens: usize,
    /// Features of all prompts.
    pub captions: Bytes,
    pub encode: Footprint,
}

/// Everything about a run that does not depend on the choice, computed once a plan.
pub(super) struct Work<'a> {
    pub model: &'a Inventory,
    pub recipe: &'a Recipe,
    pub threads: usize,
    texts: [TextWork; ComponentKind::TEXT_ENCODERS.len()],
    pub denoise: Footprint,
    pub runtime: Bytes,
    on_gpu: bool,
    /// The latents are there: nothing before the decode is loaded or run.
    pub decode_only: bool,
}

impl<'a> Work<'a> {
    pub(super) fn new(model: &'a Inventory, recipe: &'a Recipe, threads: usize, policy: &Policy) -> Self {
        let mut texts = [TextWork::default(); ComponentKind::TEXT_ENCODERS.len()];
        for (text, encoder) in texts.iter_mut().zip(&model.text_encoders) {
            let bound = |prompt| footprint::text::token_bound(prompt, &encoder.shape);
            let (with, without) = (bound(recipe.prompt()), if recipe.guided() { bound(recipe.negative()) } else { 0 });
            let tokens = with.max(without);
            let captions = footprint::text::caption_bytes(&encoder.shape, tokens);
            *text = TextWork {
                tokens,
                captions: captions * if recipe.guided() { 2 } else { 1 },
                encode: footprint::text::encode(&encoder.shape, tokens, threads),
            };
        }
        let tokens = texts.map(|text| text.tokens);
        // One component is open at a time.
        let most_tensors = model.components().map(Component::tensors).max().unwrap_or_default();
        Self {
            model,
            recipe,
            threads,
            texts,
            denoise: footprint::denoiser::denoise(model, recipe, &tokens, threads),
            runtime: policy.runtime + RECORDS + footprint::table_bytes(most_tensors),
            on_gpu: policy.device != Device::Cpu,
            decode_only: policy.decode_only,
        }
    }

    /// The text encoders with what they do.
    pub(super) fn texts(&self) -> impl Iterator<Item = (&'a TextEncoder, TextWork)> + '_ {
        self.model.text_encoders.iter().zip(self.texts)
    }

    /// Tokens that each text encoder makes of the longest prompt.
    pub(super) fn tokens(&self) -> [usize; ComponentKind::TEXT_ENCODERS.len()] {
        self.texts.map(|text| text.tokens)
    }

    /// Whether a phase is left out.
    pub(super) fn skips(&self, phase: Phase) -> bool {
        self.decode_only && phase < Phase::LoadVae
    }

    /// The needs of every phase under one choice.
    pub(super) fn needs(&self, choice: Choice) -> [PhaseNeed; Phase::ALL.len()] {
        Phase::ALL.map(|phase| self.need(phase, choice))
    }

    fn need(&self, phase: Phase, choice: Choice) -> PhaseNeed {
        if self.skips(phase) {
            return self.base(phase);
        }
        if matches!(phase, Phase::LoadTextEncoder | Phase::Encode) {
            // One encoder after the other: the fullest of them is the need.
            let texts = (0..self.model.text_encoders.len()).map(|index| self.text_need(phase, choice, index));
            let moments = texts.chain(self.picture_need(phase, choice));
            let total = |need: &PhaseNeed| need.device.total() + need.host.total();
            return moments.max_by_key(total).unwrap_or_else(|| self.base(phase));
        }
        let mut need = self.base(phase);
        for component in self.model.components().filter(|of| !self.decode_only || of.kind == ComponentKind::Vae) {
            add_weights(&mut need.device, component, phase, choice.tier, None);
        }
        let batch = u64::from(self.recipe.batch());
        let size = self.recipe.size();
        let shape = &self.model.vae_shape;
        let latents = footprint::latent_bytes(self.model, size) * batch;
        let captions = self.texts.iter().map(|text| text.captions).sum();
        match phase {
            Phase::LoadTextEncoder | Phase::Encode => {}
            Phase::LoadDenoiser => need.device.add(Term::Embeddings, captions),
            Phase::Denoise => {
                need.device.add(Term::Embeddings, captions);
                // The latent at work, and what is kept of its last step with that of the picture to start from.
                let kept = if self.recipe.denoise().is_some() { 2 } else { 1 };
                need.device.add(Term::Latents, latents + footprint::latent_bytes(self.model, size) * kept);
                self.denoise.add_to(&mut need.device);
            }
            Phase::LoadVae => need.device.add(Term::Latents, latents),
            Phase::Decode => {
                need.device.add(Term::Latents, latents);
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

    /// What every phase has.
    fn base(&self, phase: Phase) -> PhaseNeed {
        let mut need = PhaseNeed { phase, device: Terms::default(), host: Terms::default() };
        need.host.add(Term::Runtime, self.runtime);
        if self.recipe.denoise().is_some() {
            // The picture to start from, and its latent.
            need.host.add(Term::Pixels, footprint::picture_bytes(self.recipe.size()));
            need.device.add(Term::Latents, footprint::latent_bytes(self.model, self.recipe.size()));
        }
        need
    }

    /// What makes a latent of the picture to start from, where there is one.
    pub(super) fn picture_encoder(&self) -> Option<&'a Component> {
        self.recipe.denoise().and(self.model.vae_encoder.as_ref())
    }

    /// The need while the picture to start from is encoded, before everything else.
    fn picture_need(&self, phase: Phase, choice: Choice) -> Option<PhaseNeed> {
        let encoder = self.picture_encoder()?;
        let mut need = self.base(phase);
        for component in self.model.components() {
            add_weights(&mut need.device, component, phase, choice.tier, None);
        }
        need.device.add(Term::VaeWeights, encoder.bytes());
        if phase == Phase::Encode {
            let size = self.recipe.size();
            footprint::vae::encode(&self.model.vae_shape, size, choice.decode, self.threads).add_to(&mut need.device);
        }
        Some(need)
    }

    /// The need while text encoder `index` has its turn.
    fn text_need(&self, phase: Phase, choice: Choice, index: usize) -> PhaseNeed {
        let mut need = self.base(phase);
        for component in self.model.components() {
            add_weights(&mut need.device, component, phase, choice.tier, Some(index));
        }
        if phase == Phase::LoadTextEncoder
            && let Some(encoder) = self.model.text_encoders.get(index)
        {
            // The tokenizer is gone before weights are read, unless they were kept from an earlier run or lie elsewhere.
            let apart = self.on_gpu || choice.tier == Tier::Resident;
            let loaded = if apart { Bytes::ZERO } else { need.device.total() };
            need.host.add(Term::Staging, footprint::text::tokenizer_bytes(encoder.tokenizer) - loaded);
        }
        let made = if phase == Phase::Encode { index + 1 } else { index };
        need.device.add(Term::Embeddings, self.texts[..made].iter().map(|text| text.captions).sum());
        if phase == Phase::Encode
            && let Some(work) = self.texts.get(index)
        {
            work.encode.add_to(&mut need.device);
        }
        need
    }
}

/// Weights of a component in a phase and the `LoRAs` beside them, while text encoder `turn` has its turn.
fn add_weights(terms: &mut Terms, component: &Component, phase: Phase, tier: Tier, turn: Option<usize>) {
    terms.add(Term::of_weights(component.kind), in_phase(component, |unit| unit.bytes, phase, tier, turn));
    terms.add(Term::Loras, in_phase(component, |unit| unit.loras, phase, tier, turn));
}

/// What is there of a component in a phase, `of` being what each of its units takes.
fn in_phase(
    component: &Component,
    of: impl Fn(&Unit) -> Bytes,
    phase: Phase,
    tier: Tier,
    turn: Option<usize>,
) -> Bytes {
    let fixed = of(&component.fixed);
    let all = fixed + component.blocks.iter().map(&of).sum();
    let (load, run) = match component.kind {
        ComponentKind::Denoiser => (Phase::LoadDenoiser, Phase::Denoise),
        ComponentKind::Vae => (Phase::LoadVae, Phase::Decode),
        _ => (Phase::LoadTextEncoder, Phase::Encode),
    };
    // The decoder is let go only after the last picture was handed over.
    let handing_over = component.kind == ComponentKind::Vae && phase == Phase::Save;
    let here = (phase == load || phase == run || handing_over) && component.kind.text_index() == turn;
    match tier {
        // Loaded at the first phase that needs it, kept to the end and beyond.
        Tier::Resident => all,
        _ if !here => Bytes::ZERO,
        Tier::Phased => all,
        Tier::Streamed => {
            if component.kind == ComponentKind::Vae || component.blocks.is_empty() {
                all
            } else if phase == load {
                fixed
            } else {
                // The block that runs and the one that is read ahead.
                fixed + component.blocks.iter().map(&of).max().unwrap_or_default() * 2
            }
        }
    }
}
