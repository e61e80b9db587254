//! Stable Diffusion's denoiser: its pieces in their order, with what waits for the way up.

use super::{Footprint, Meter, ops};
use crate::model::shapes::{UnetPieceKind, UnetShape};
use crate::units::Bytes;

/// One pass over a latent of `width` x `height` under `tokens` of caption.
#[must_use]
pub fn forward(shape: &UnetShape, (width, height): (usize, usize), tokens: usize, threads: usize) -> Footprint {
    let first = shape.levels().first().map_or(0, |level| level.width);
    let mut run = Run::new(shape.context, tokens, threads);
    let mut size = (width, height);
    let mut channels = first;
    let input = run.m.make(width * height * shape.channels_in, Bytes::ZERO);
    run.x = run.conv(3, size, shape.channels_in, first);
    run.m.free(input);
    let mut skips = vec![(run.x, size)];
    run.shared = true;
    let mut inner = Bytes::ZERO;
    for piece in shape.pieces() {
        let places = size.0 * size.1;
        match piece.kind {
            UnetPieceKind::Resnet { from, to, skip, keeps } => {
                if skip > 0 {
                    let (bytes, _) = skips.pop().unwrap_or_default();
                    let both = run.m.make(places * from, Bytes::ZERO);
                    run.replace(both);
                    run.m.free(bytes);
                }
                run.resnet(size, from, to, keeps);
                channels = to;
            }
            UnetPieceKind::Enter { width } => {
                run.m.work(ops::group_norm(width));
                let h = run.m.make(places * width, Bytes::ZERO);
                inner = run.m.make(places * width, ops::linear(width, width));
                run.m.free(h);
            }
            UnetPieceKind::Layer { width, heads, .. } => run.layer(places, width, heads),
            UnetPieceKind::Leave { width } => {
                run.m.work(ops::linear(width, width));
                run.m.free(inner);
            }
            UnetPieceKind::Downsample { width } => {
                size = (size.0.div_ceil(2), size.1.div_ceil(2));
                let out = run.conv(3, size, width, width);
                run.replace(out);
            }
            UnetPieceKind::Upsample { width } => {
                let twice = (2 * size.0, 2 * size.1);
                size = skips.last().map_or(twice, |(_, size)| *size);
                let out = if size == twice {
                    let threads = run.threads;
                    run.m.make(size.0 * size.1 * width, ops::conv_doubled(3, width, width, threads))
                } else {
                    let large = run.m.make(size.0 * size.1 * width, Bytes::ZERO);
                    run.replace(large);
                    run.conv(3, size, width, width)
                };
                run.replace(out);
            }
        }
        if piece.pushes {
            skips.push((run.x, size));
            run.shared = true;
        }
    }
    run.m.work(ops::group_norm(channels));
    run.conv(3, size, channels, shape.channels_out);
    run.m.peak()
}

struct Run {
    m: Meter,
    threads: usize,
    tokens: usize,
    context: usize,
    /// The stream.
    x: Bytes,
    /// The stream waits for the way up as well, so that letting go of it frees nothing.
    shared: bool,
    /// Footprints of transformer layers by positions, width and heads: many are alike.
    layers: Vec<((usize, usize, usize), Footprint)>,
}

impl Run {
    fn new(context: usize, tokens: usize, threads: usize) -> Self {
        let layers = Vec::with_capacity(8);
        Self { m: Meter::default(), threads, tokens, context, x: Bytes::ZERO, shared: false, layers }
    }

    fn replace(&mut self, out: Bytes) {
        if !self.shared {
            self.m.free(self.x);
        }
        (self.x, self.shared) = (out, false);
    }

    fn conv(&mut self, side: usize, (width, height): (usize, usize), from: usize, to: usize) -> Bytes {
        self.m.make(width * height * to, ops::conv(side, from, to, self.threads))
    }

    fn resnet(&mut self, size: (usize, usize), from: usize, to: usize, keeps: bool) {
        self.m.work(ops::group_norm(from));
        let h = self.conv(3, size, from, to);
        self.m.work(ops::group_norm(to));
        if from != to {
            let out = self.conv(1, size, from, to);
            self.replace(out);
        } else if keeps {
            let out = self.m.make(size.0 * size.1 * to, Bytes::ZERO);
            self.replace(out);
        }
        self.m.work(ops::conv(3, to, to, self.threads));
        self.m.free(h);
    }

    fn layer(&mut self, places: usize, width: usize, heads: usize) {
        let key = (places, width, heads);
        let known = self.layers.iter().find(|(of, _)| *of == key).map(|(_, footprint)| *footprint);
        let footprint = known.unwrap_or_else(|| {
            let made = layer(places, width, heads, self.context, self.tokens, self.threads);
            self.layers.push((key, made));
            made
        });
        self.m.nest(footprint);
    }
}

/// One transformer layer, which works on its tokens in place.
#[must_use]
pub fn layer(places: usize, width: usize, heads: usize, context: usize, tokens: usize, threads: usize) -> Footprint {
    let n = places * width;
    let dim = width / heads.max(1);
    let own = ops::linear(width, width);
    let cross = ops::linear(context, width);
    let mut m = Meter::default();
    let h = m.make(n, Bytes::ZERO);
    let q = m.make(n, own);
    let k = m.make(n, own);
    let v = m.make(n, own);
    m.free(h);
    m.work(ops::attention(heads, places, dim, threads));
    m.free(k);
    m.free(v);
    m.work(own);
    m.free(q);

    let h = m.make(n, Bytes::ZERO);
    let q = m.make(n, own);
    m.free(h);
    let k = m.make(tokens * width, cross);
    let v = m.make(tokens * width, cross);
    m.work(ops::attention(heads, tokens, dim, threads));
    m.free(k);
    m.free(v);
    m.work(own);
    m.free(q);

    let chunk = places.min(ops::FEED_FORWARD_CHUNK);
    let h = m.make(chunk * width, Bytes::ZERO);
    let wide = m.make(chunk * 8 * width, ops::linear(width, 8 * width));
    m.free(h);
    let gated = m.make(chunk * 4 * width, Bytes::ZERO);
    m.free(wide);
    m.work(ops::linear(4 * width, width));
    m.free(gated);
    m.peak()
}
