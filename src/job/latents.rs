//! What a run has worked out so far, small enough to keep: latents and how far each is.

use crate::units::Bytes;

/// The latents of one job, in the order of its pictures. A picture that has not begun has none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latents {
    /// Channels, height and width of each.
    pub shape: (usize, usize, usize),
    /// Steps of the whole run.
    pub steps: u32,
    pub pictures: Vec<Latent>,
    /// What the picture to start from was encoded to, in runs that have one.
    pub start: Option<Vec<f32>>,
}

/// One latent: f32, channels x height x width.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Latent {
    /// Steps that are done.
    pub step: u32,
    /// How often the sampler has drawn noise until then.
    pub draws: u32,
    pub values: Vec<f32>,
}

impl Latents {
    #[must_use]
    pub const fn count(&self) -> usize {
        self.shape.0 * self.shape.1 * self.shape.2
    }

    /// Whether all of `batch` pictures only wait for their decode.
    #[must_use]
    pub fn finished(&self, batch: u32) -> bool {
        self.pictures.len() == batch as usize && self.pictures.iter().all(|latent| latent.step == self.steps)
    }

    /// Puts the newest latent of `picture` in its place: of those before it each is finished.
    pub fn put(&mut self, picture: u32, latent: Latent) {
        match self.pictures.get_mut(picture as usize) {
            Some(known) => *known = latent,
            None => self.pictures.push(latent),
        }
    }

    /// Steps done of all pictures together.
    #[must_use]
    pub fn steps_done(&self) -> u32 {
        self.pictures.iter().map(|latent| latent.step).sum()
    }

    /// Whether every length and number is as it must be: what was read back from a disk may be anything.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let count = self.count();
        let whole = |values: &Vec<f32>| values.len() == count && values.iter().all(|value| value.is_finite());
        count > 0
            && !self.pictures.is_empty()
            && self.pictures.iter().all(|latent| latent.step <= self.steps && whole(&latent.values))
            && self.start.as_ref().is_none_or(whole)
    }

    #[must_use]
    pub fn bytes(&self) -> Bytes {
        let all = self.pictures.iter().map(|latent| &latent.values).chain(&self.start);
        Bytes::f32s(all.map(Vec::len).sum())
    }
}
