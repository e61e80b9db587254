//! What the user and the program allow: reserves, limits, tiers, the learned margin.

use super::{Decode, Learned, Tier};
use crate::units::Bytes;

/// Where the networks run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    Cpu,
    /// Index into `Machine::gpus`.
    Gpu(usize),
}

/// What products are made of. Sums and everything between products are f32 in either case, and so is the memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Arithmetic {
    #[default]
    F32,
    /// Weights and activations rounded to bf16 and multiplied in pairs, on processors that can: twice as fast, and a
    /// slightly different picture.
    Bf16,
}

impl Arithmetic {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Bf16 => "bf16",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    pub device: Device,
    pub arithmetic: Arithmetic,
    /// Hard limit on everything that the process holds, set by the user.
    pub memory_limit: Option<Bytes>,
    /// Host memory left to the rest of the system.
    pub host_reserve: Bytes,
    /// Device memory left to the desktop and the driver.
    pub device_reserve: Bytes,
    /// Windows commit charge left to other programs.
    pub commit_reserve: Bytes,
    /// Added to every need before it is compared: the learned error of the predictions, never under 64 MiB.
    pub margin: Bytes,
    /// What earlier runs of this family on this device taught.
    pub learned: Learned,
    pub tiers: Vec<Tier>,
    pub decodes: Vec<Decode>,
    /// Heap of the program itself: window, fonts, textures, tokenizer.
    pub runtime: Bytes,
    /// Only the decode is left to do: the latents are there.
    pub decode_only: bool,
    /// Code, stacks and file mappings, which the ledger does not count but a memory limit does.
    pub image: Bytes,
}

impl Policy {
    pub const MIN_MARGIN: Bytes = Bytes::mib(64);

    /// What the heap of a program counts as, from what it holds: rounded up, so that its small moves change no verdict.
    #[must_use]
    pub fn runtime_of(held: Bytes) -> Bytes {
        held.rounded_up(Bytes::mib(2))
    }

    /// What is added to the needs of a tier.
    #[must_use]
    pub fn margin_of(&self, tier: Tier) -> Bytes {
        self.margin.max(self.learned.margins[tier as usize])
    }

    /// The defaults: everything allowed, on the processor.
    #[must_use]
    pub fn new(device: Device) -> Self {
        Self {
            device,
            arithmetic: Arithmetic::F32,
            memory_limit: None,
            host_reserve: Bytes::mib(512),
            device_reserve: Bytes::mib(640),
            commit_reserve: Bytes::gib(1),
            margin: Self::MIN_MARGIN,
            learned: Learned::default(),
            tiers: Tier::ALL.to_vec(),
            decodes: Decode::ALL.to_vec(),
            runtime: Bytes::mib(8),
            decode_only: false,
            image: Bytes::mib(96),
        }
    }
}
