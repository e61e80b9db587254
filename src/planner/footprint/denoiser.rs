//! The denoiser: one picture at a time, whatever the batch, so that a batch costs only its latents.

use super::text::{Sum, feed_forward};
use super::{Footprint, Meter, flux, latent_size, ops, unet};
use crate::model::Inventory;
use crate::model::shapes::{DenoiserShape, ZImageShape};
use crate::recipe::Recipe;
use crate::units::Bytes;

/// Work of all steps: what the family keeps of the captions, and the fullest forward pass. `tokens` are those of each
/// text encoder.
#[must_use]
pub fn denoise(model: &Inventory, recipe: &Recipe, tokens: &[usize], threads: usize) -> Footprint {
    let size = latent_size(model.vae_shape.factor(), recipe.size());
    let captions = if recipe.guided() { 2 } else { 1 };
    // Predictions with and without the prompt, their mix, and what the sampler remembers.
    passes(model, size, tokens, captions, captions + 1 + recipe.sampler().held_latents(), threads)
}

/// Passes over latents of `size` under so many captions, with so many latents beside them.
#[must_use]
pub fn passes(
    model: &Inventory,
    size: (usize, usize),
    tokens: &[usize],
    captions: usize,
    latents: usize,
    threads: usize,
) -> Footprint {
    let latent = model.denoiser_shape.latent_channels() * size.0 * size.1;
    let first = tokens.first().copied().unwrap_or_default();

    let mut m = Meter::default();
    match &model.denoiser_shape {
        DenoiserShape::Flux(shape) => flux::captions(&mut m, shape, size, flux_text(tokens), captions),
        // Where several text encoders speak, their features side by side; a single one's are used as they are.
        DenoiserShape::Unet(shape) if model.text_encoders.len() > 1 => {
            m.make(captions * first * shape.context, Bytes::ZERO);
        }
        DenoiserShape::Unet(_) => {}
        DenoiserShape::ZImage(shape) => z_image_captions(&mut m, shape, size, first, captions, threads),
    }
    m.make(latent * latents, Bytes::ZERO);
    m.nest(match &model.denoiser_shape {
        DenoiserShape::Flux(shape) => flux::forward(shape, size, flux_text(tokens), threads),
        DenoiserShape::Unet(shape) => unet::forward(shape, size, first, threads),
        DenoiserShape::ZImage(shape) => {
            forward(shape, shape.image_tokens(size.0, size.1), shape.caption_tokens(first), threads)
        }
    });
    m.peak()
}

/// FLUX reads the tokens of its second text encoder; the first gives one vector.
fn flux_text(tokens: &[usize]) -> usize {
    tokens.get(1).copied().unwrap_or_default()
}

/// Each caption's own tokens and the rotary table.
fn z_image_captions(
    m: &mut Meter,
    shape: &ZImageShape,
    (width, height): (usize, usize),
    tokens: usize,
    captions: usize,
    threads: usize,
) {
    let image = shape.image_tokens(width, height);
    let caption = shape.caption_tokens(tokens);
    for _ in 0..captions {
        m.make(caption * shape.dim, ops::linear(shape.caption_dim, shape.dim));
        m.make((image + caption) * shape.head_dim(), Bytes::ZERO);
    }
    m.nest(block(shape, caption, threads));
}

/// One pass over one latent.
#[must_use]
pub fn forward(shape: &ZImageShape, image: usize, caption: usize, threads: usize) -> Footprint {
    let patch = shape.patch * shape.patch * shape.channels;
    let mut m = Meter::default();
    let patches = m.make(image * patch, Bytes::ZERO);
    let x = m.make(image * shape.dim, ops::linear(patch, shape.dim));
    m.free(patches);
    m.nest(block(shape, image, threads));
    let all = m.make((image + caption) * shape.dim, Bytes::ZERO);
    m.free(x);
    m.nest(block(shape, image + caption, threads));
    let h = m.make(image * shape.dim, Bytes::ZERO);
    m.free(all);
    m.make(image * patch, ops::linear(shape.dim, patch));
    m.free(h);
    m.peak()
}

/// One block, which works on its token stream in place.
#[must_use]
pub fn block(shape: &ZImageShape, tokens: usize, threads: usize) -> Footprint {
    let width = tokens * shape.dim;
    let projection = ops::linear(shape.dim, shape.dim);
    let mut m = Meter::default();
    let h = m.make(width, Bytes::ZERO);
    let q = m.make(width, projection);
    let k = m.make(width, projection);
    let v = m.make(width, projection);
    m.free(h);
    m.work(ops::attention(shape.heads, tokens, shape.head_dim(), threads));
    m.free(k);
    m.free(v);
    let y = m.make(width, projection);
    m.free(q);
    m.free(y);
    m.nest(feed_forward(tokens, shape.dim, shape.feed_forward, Sum::Normed));
    m.peak()
}
