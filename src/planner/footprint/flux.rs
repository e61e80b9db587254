//! FLUX: one picture at a time, text and image in one buffer of tokens.

use super::{Footprint, Meter, ops};
use crate::model::shapes::FluxShape;
use crate::units::Bytes;

/// What a run keeps of its captions: text tokens of the network's width, and the rotary table.
pub(super) fn captions(m: &mut Meter, shape: &FluxShape, size: (usize, usize), text: usize, captions: usize) {
    for _ in 0..captions {
        m.make(text * shape.dim, ops::linear(shape.caption_dim, shape.dim));
    }
    m.make((text + shape.image_tokens(size.0, size.1)) * shape.head_dim(), Bytes::ZERO);
}

/// One pass over one latent, its answer not counted.
#[must_use]
pub fn forward(shape: &FluxShape, size: (usize, usize), text: usize, threads: usize) -> Footprint {
    let image = shape.image_tokens(size.0, size.1);
    let token = shape.token();
    let mut m = Meter::default();
    let patches = m.make(image * token, Bytes::ZERO);
    let x = m.make((text + image) * shape.dim, ops::linear(token, shape.dim));
    m.free(patches);
    if shape.double_blocks > 0 {
        m.nest(double(shape, text, image, threads));
    }
    if shape.single_blocks > 0 {
        m.nest(single(shape, text + image, threads));
    }
    let h = m.make(image * shape.dim, Bytes::ZERO);
    m.free(x);
    m.make(image * token, ops::linear(shape.dim, token));
    m.free(h);
    m.peak()
}

/// A block of two streams, which works on its tokens in place.
fn double(shape: &FluxShape, text: usize, image: usize, threads: usize) -> Footprint {
    let all = (text + image) * shape.dim;
    let projection = ops::linear(shape.dim, shape.dim);
    let mut m = Meter::default();
    let h = m.make(all, Bytes::ZERO);
    let q = m.make(all, Bytes::ZERO);
    let k = m.make(all, Bytes::ZERO);
    let v = m.make(all, projection);
    m.free(h);
    m.work(ops::attention(shape.heads, text + image, shape.head_dim(), threads));
    m.free(k);
    m.free(v);
    // Both streams still look at the attention's answer.
    for tokens in [text, image] {
        let y = m.make(tokens * shape.dim, projection);
        m.free(y);
        m.nest(feed_forward(shape, tokens));
    }
    m.free(q);
    m.peak()
}

/// Chunked over tokens: normed input, wide middle, result.
fn feed_forward(shape: &FluxShape, tokens: usize) -> Footprint {
    let chunk = tokens.min(ops::FEED_FORWARD_CHUNK);
    let (dim, ff) = (shape.dim, shape.feed_forward);
    let mut m = Meter::default();
    let h = m.make(chunk * dim, Bytes::ZERO);
    let up = m.make(chunk * ff, ops::linear(dim, ff));
    m.free(h);
    m.make(chunk * dim, ops::linear(ff, dim));
    m.free(up);
    m.peak()
}

/// A block of one stream.
fn single(shape: &FluxShape, tokens: usize, threads: usize) -> Footprint {
    let (dim, ff) = (shape.dim, shape.feed_forward);
    let all = tokens * dim;
    let projection = ops::linear(dim, dim);
    let mut m = Meter::default();
    let h = m.make(all, Bytes::ZERO);
    m.make(all, projection);
    let k = m.make(all, projection);
    let v = m.make(all, projection);
    m.free(h);
    m.work(ops::attention(shape.heads, tokens, shape.head_dim(), threads));
    m.free(k);
    m.free(v);
    let chunk = tokens.min(ops::FEED_FORWARD_CHUNK);
    let h = m.make(chunk * dim, Bytes::ZERO);
    let up = m.make(chunk * ff, ops::linear(dim, ff));
    m.free(h);
    let both = m.make(chunk * (dim + ff), Bytes::ZERO);
    m.free(up);
    m.make(chunk * dim, ops::linear(dim + ff, dim));
    m.free(both);
    m.peak()
}
