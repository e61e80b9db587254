//! The decoder of the autoencoder, whole and in tiles. Layout: rows x columns x channels, f32.

use super::{Footprint, Meter, latent_size, ops};
use crate::model::shapes::VaeShape;
use crate::planner::Decode;
use crate::units::{Bytes, PixelSize};

/// Side of a tile and the overlap of neighbours, in pixels of the picture.
pub const TILE_PIXELS: usize = 512;
pub const TILE_OVERLAP: usize = 128;

/// Decoding one latent to 8-bit pixels, the pixels themselves not counted.
#[must_use]
pub fn decode(shape: &VaeShape, size: PixelSize, way: Decode, threads: usize) -> Footprint {
    let (width, height) = latent_size(shape.factor(), size);
    match way {
        Decode::Whole => whole(shape, width, height, threads),
        Decode::Tiled => {
            let (tile, _) = latent_tile(shape);
            let canvas = Bytes::f32s(3 * size.pixels() as usize);
            let mut m = Meter::holding(canvas);
            m.nest(whole(shape, width.min(tile), height.min(tile), threads));
            m.peak()
        }
    }
}

/// Side and overlap of a tile in latent positions.
#[must_use]
pub const fn latent_tile(shape: &VaeShape) -> (usize, usize) {
    let factor = shape.factor() as usize;
    (TILE_PIXELS / factor, TILE_OVERLAP / factor)
}

/// Decoding `width` x `height` latent positions in one piece, to f32 pixels.
#[must_use]
pub fn whole(shape: &VaeShape, width: usize, height: usize, threads: usize) -> Footprint {
    let widths = shape.widths();
    let Some(&deepest) = widths.last() else { return Footprint::default() };
    let mut positions = width * height;
    let conv = |side, from, to| ops::conv(side, from, to, threads);

    let mut m = Meter::default();
    let latent = m.make(positions * shape.latent_channels, Bytes::ZERO);
    let mut input = latent;
    if shape.post_quant_conv {
        let c = shape.latent_channels;
        let out = m.make(positions * c, conv(1, c, c));
        m.free(input);
        input = out;
    }
    let mut x = m.make(positions * deepest, conv(3, shape.latent_channels, deepest));
    m.free(input);
    x = residual(&mut m, x, positions, deepest, deepest, threads);
    if shape.mid_attention {
        attention(&mut m, positions, deepest, threads);
    }
    x = residual(&mut m, x, positions, deepest, deepest, threads);
    let mut channels = deepest;
    for (level, &to) in widths.iter().rev().enumerate() {
        for _ in 0..=shape.layers_per_block {
            x = residual(&mut m, x, positions, channels, to, threads);
            channels = to;
        }
        if level + 1 < widths.len() {
            positions *= 4;
            let out = m.make(positions * to, conv(3, to, to));
            m.free(x);
            x = out;
        }
    }
    m.work(ops::group_norm(channels));
    m.make(positions * 3, conv(3, channels, 3));
    m.free(x);
    m.peak()
}

/// A residual block; returns the size of its output, which replaces `x`.
fn residual(m: &mut Meter, x: Bytes, positions: usize, from: usize, to: usize, threads: usize) -> Bytes {
    m.work(ops::group_norm(from));
    let h = m.make(positions * to, ops::conv(3, from, to, threads));
    m.work(ops::group_norm(to));
    let out = if from == to {
        x
    } else {
        let out = m.make(positions * to, ops::conv(1, from, to, threads));
        m.free(x);
        out
    };
    m.work(ops::conv(3, to, to, threads));
    m.free(h);
    out
}

fn attention(m: &mut Meter, positions: usize, channels: usize, threads: usize) {
    let n = positions * channels;
    let projection = ops::linear(channels, channels);
    m.work(ops::group_norm(channels));
    let h = m.make(n, Bytes::ZERO);
    let q = m.make(n, projection);
    let k = m.make(n, projection);
    let v = m.make(n, projection);
    m.free(h);
    m.work(ops::attention(1, positions, channels, threads));
    m.free(k);
    m.free(v);
    m.work(projection);
    m.free(q);
}
