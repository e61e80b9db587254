//! What ops and networks hold beyond their inputs, as pure functions that the engine obeys.
//!
//! `ops` states single ops; the networks replay, alloc by alloc, the order in which the engine makes and drops its
//! buffers. A test runs each under the ledger and demands that measured equals stated.

pub mod denoiser;
pub mod flux;
pub mod ops;
pub mod text;
pub mod unet;
pub mod vae;

use super::placement::{Term, Terms};
use crate::model::Inventory;
use crate::units::{Bytes, PixelSize};

/// The fullest moment of a piece of work: live tensors and op workspace, beyond what was there before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub activations: Bytes,
    pub workspace: Bytes,
}

impl Footprint {
    #[must_use]
    pub fn total(self) -> Bytes {
        self.activations + self.workspace
    }

    pub(super) fn add_to(self, terms: &mut Terms) {
        terms.add(Term::Activations, self.activations);
        terms.add(Term::Workspace, self.workspace);
    }

    #[must_use]
    pub fn larger(self, other: Self) -> Self {
        if other.total() > self.total() { other } else { self }
    }
}

/// Follows buffers through a network: what is live, and the fullest moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Meter {
    live: Bytes,
    peak: Footprint,
}

impl Meter {
    /// Starts with `live` bytes already counted as activations.
    #[must_use]
    pub fn holding(live: Bytes) -> Self {
        Self { live, peak: Footprint { activations: live, workspace: Bytes::ZERO } }
    }

    /// A new buffer of `n` f32 values, made by an op that needs `workspace` meanwhile. Returns its size for `free`.
    pub fn make(&mut self, n: usize, workspace: Bytes) -> Bytes {
        let bytes = Bytes::f32s(n);
        self.live += bytes;
        self.work(workspace);
        bytes
    }

    /// An op that makes nothing, or works in place.
    pub fn work(&mut self, workspace: Bytes) {
        self.peak = self.peak.larger(Footprint { activations: self.live, workspace });
    }

    /// A part with a footprint of its own on top of what is live.
    pub fn nest(&mut self, inner: Footprint) {
        let moment = Footprint { activations: self.live + inner.activations, workspace: inner.workspace };
        self.peak = self.peak.larger(moment);
    }

    pub fn free(&mut self, bytes: Bytes) {
        self.live = self.live - bytes;
    }

    #[must_use]
    pub const fn peak(&self) -> Footprint {
        self.peak
    }
}

/// The table of an open file: name, place and shape of each tensor, and the way to them by name.
#[must_use]
pub fn table_bytes(tensors: usize) -> Bytes {
    Bytes::kib(1) * tensors as u64
}

/// Latent of one picture: f32, channels x height x width.
#[must_use]
pub fn latent_bytes(model: &Inventory, size: PixelSize) -> Bytes {
    let (width, height) = latent_size(model.vae_shape.factor(), size);
    Bytes::f32s(model.vae_shape.latent_channels * width * height)
}

/// Width and height of the latent.
#[must_use]
pub const fn latent_size(factor: u32, size: PixelSize) -> (usize, usize) {
    ((size.width / factor) as usize, (size.height / factor) as usize)
}

/// One finished picture: 8-bit RGB.
#[must_use]
pub fn picture_bytes(size: PixelSize) -> Bytes {
    Bytes(size.pixels() * 3)
}

/// Buffers of the PNG encoder: the filtered rows and their compressed form.
#[must_use]
pub fn save_bytes(size: PixelSize) -> Bytes {
    picture_bytes(size) * 2 + Bytes::mib(1)
}
