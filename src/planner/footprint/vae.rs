//! The autoencoder: its decoder whole, by bands and in tiles, its encoder whole and by bands. Layout: rows x columns x channels, f32.

use super::{Footprint, Meter, latent_size, ops};
use crate::model::shapes::VaeShape;
use crate::planner::Decode;
use crate::units::{Bytes, PixelSize};

/// Side of a tile and the overlap of neighbours, in pixels of the picture.
pub const TILE_PIXELS: usize = 512;
pub const TILE_OVERLAP: usize = 128;
/// Aim for what one band of rows holds, and the fewest rows of one.
const BAND_BYTES: usize = 16 << 20;
const BAND_ROWS: usize = 8;

/// Decoding one latent to 8-bit pixels, the pixels themselves not counted.
#[must_use]
pub fn decode(shape: &VaeShape, size: PixelSize, way: Decode, threads: usize) -> Footprint {
    let (width, height) = latent_size(shape.factor(), size);
    match way {
        Decode::Whole => one_piece(shape, width, height, false, threads),
        Decode::Banded => one_piece(shape, width, height, true, threads),
        Decode::Tiled => {
            let (tile, _) = latent_tile(shape);
            let canvas = Bytes::f32s(3 * size.pixels() as usize);
            let mut m = Meter::holding(canvas);
            m.nest(one_piece(shape, width.min(tile), height.min(tile), false, threads));
            m.peak()
        }
    }
}

/// Encoding one picture of f32 values to a latent, both counted. Any way but the whole one goes by bands.
#[must_use]
pub fn encode(shape: &VaeShape, size: PixelSize, way: Decode, threads: usize) -> Footprint {
    let widths = shape.widths();
    let Some(&first) = widths.first() else { return Footprint::default() };
    let by_bands = way != Decode::Whole;
    let mut area = Area { width: size.width as usize, height: size.height as usize };
    let conv = |side, from, to| ops::conv(side, from, to, threads);

    let mut m = Meter::default();
    let rgb = m.make(area.positions() * 3, Bytes::ZERO);
    let mut x = m.make(area.positions() * first, conv(3, 3, first));
    m.free(rgb);
    let mut channels = first;
    for (level, &to) in widths.iter().enumerate() {
        for _ in 0..shape.layers_per_block {
            let block = if by_bands { banded } else { residual };
            x = block(&mut m, x, area, channels, to, threads);
            channels = to;
        }
        if level + 1 < widths.len() {
            area = area.halved();
            let out = m.make(area.positions() * to, conv(3, to, to));
            m.free(x);
            x = out;
        }
    }
    x = middle(&mut m, x, area, shape, channels, threads);
    let both = 2 * shape.latent_channels;
    m.work(ops::group_norm(channels));
    let mut out = m.make(area.positions() * both, conv(3, channels, both));
    m.free(x);
    if shape.quant_conv {
        let of = m.make(area.positions() * both, conv(1, both, both));
        m.free(out);
        out = of;
    }
    m.make(area.positions() * shape.latent_channels, Bytes::ZERO);
    m.free(out);
    m.peak()
}

/// Rows of one band of a picture `width` wide, an even number.
#[must_use]
pub const fn band_rows(width: usize, channels: usize) -> usize {
    let row = width * channels * 4;
    let rows = BAND_BYTES / (if row == 0 { 1 } else { row }) / 2 * 2;
    if rows < BAND_ROWS { BAND_ROWS } else { rows }
}

/// Side and overlap of a tile in latent positions.
#[must_use]
pub const fn latent_tile(shape: &VaeShape) -> (usize, usize) {
    let factor = shape.factor() as usize;
    (TILE_PIXELS / factor, TILE_OVERLAP / factor)
}

/// Rows, columns and positions of an activation.
#[derive(Clone, Copy)]
struct Area {
    width: usize,
    height: usize,
}

impl Area {
    const fn positions(self) -> usize {
        self.width * self.height
    }

    const fn halved(self) -> Self {
        Self { width: self.width / 2, height: self.height / 2 }
    }

    const fn doubled(self) -> Self {
        Self { width: 2 * self.width, height: 2 * self.height }
    }
}

/// Decoding `width` x `height` latent positions without tiles, to f32 pixels.
fn one_piece(shape: &VaeShape, width: usize, height: usize, by_bands: bool, threads: usize) -> Footprint {
    let widths = shape.widths();
    let Some(&deepest) = widths.last() else { return Footprint::default() };
    let mut area = Area { width, height };
    let conv = |side, from, to| ops::conv(side, from, to, threads);

    let mut m = Meter::default();
    let latent = m.make(area.positions() * shape.latent_channels, Bytes::ZERO);
    let mut input = latent;
    if shape.post_quant_conv {
        let c = shape.latent_channels;
        let out = m.make(area.positions() * c, conv(1, c, c));
        m.free(input);
        input = out;
    }
    let mut x = m.make(area.positions() * deepest, conv(3, shape.latent_channels, deepest));
    m.free(input);
    x = middle(&mut m, x, area, shape, deepest, threads);
    let mut channels = deepest;
    for (level, &to) in widths.iter().rev().enumerate() {
        for index in 0..=shape.layers_per_block {
            let grows = level > 0 && index == 0;
            if grows {
                area = area.doubled();
            }
            x = match (by_bands, grows) {
                (true, true) => banded_doubled(&mut m, x, area, channels, to, threads),
                (true, false) => banded(&mut m, x, area, channels, to, threads),
                (false, grows) => {
                    if grows {
                        let out =
                            m.make(area.positions() * channels, ops::conv_doubled(3, channels, channels, threads));
                        m.free(x);
                        x = out;
                    }
                    residual(&mut m, x, area, channels, to, threads)
                }
            };
            channels = to;
        }
    }
    m.work(ops::group_norm(channels));
    m.make(area.positions() * 3, conv(3, channels, 3));
    m.free(x);
    m.peak()
}

/// The deepest level: attention between two residual blocks.
fn middle(m: &mut Meter, x: Bytes, area: Area, shape: &VaeShape, channels: usize, threads: usize) -> Bytes {
    let x = residual(m, x, area, channels, channels, threads);
    if shape.mid_attention {
        attention(m, area.positions(), channels, threads);
    }
    residual(m, x, area, channels, channels, threads)
}

/// A residual block by bands: in place where the number of channels stays.
fn banded(m: &mut Meter, x: Bytes, area: Area, from: usize, to: usize, threads: usize) -> Bytes {
    let rows = band_rows(area.width, to);
    let values = |rows: usize| rows.min(area.height) * area.width * to;
    m.work(ops::group_norm(from));
    let h = m.make(values(rows), ops::conv(3, from, to, threads));
    m.work(ops::group_norm(to));
    m.free(h);
    let in_place = from == to;
    let out = if in_place { x } else { m.make(area.positions() * to, Bytes::ZERO) };
    let h = m.make(values(rows + 2), Bytes::ZERO);
    // Rows that the next band needs as well.
    let kept = if in_place && rows < area.height { m.make(2 * area.width * to, Bytes::ZERO) } else { Bytes::ZERO };
    m.work(ops::conv(3, from, to, threads));
    m.work(ops::conv(3, to, to, threads));
    if !in_place {
        m.work(ops::conv(1, from, to, threads));
        m.free(x);
    }
    m.free(kept);
    m.free(h);
    out
}

/// Upsampling and the first block after it, by bands of the larger area.
fn banded_doubled(m: &mut Meter, x: Bytes, area: Area, from: usize, to: usize, threads: usize) -> Bytes {
    let rows = band_rows(area.width, from.max(to));
    let values = |rows: usize, channels: usize| rows.min(area.height) * area.width * channels;
    let large = ops::conv_doubled(3, from, from, threads);
    let u = m.make(values(rows, from), large);
    m.work(ops::group_norm(from));
    m.free(u);
    let u = m.make(values(rows + 2, from), large);
    let h = m.make(values(rows, to), ops::conv(3, from, to, threads));
    m.work(ops::group_norm(to));
    m.free(u);
    m.free(h);
    let out = m.make(area.positions() * to, Bytes::ZERO);
    let u = m.make(values(rows + 4, from), large);
    let h = m.make(values(rows + 2, to), ops::conv(3, from, to, threads));
    if from != to {
        m.work(ops::conv(1, from, to, threads));
    }
    m.work(ops::conv(3, to, to, threads));
    m.free(u);
    m.free(h);
    m.free(x);
    out
}

/// A residual block; returns the size of its output, which replaces `x`.
fn residual(m: &mut Meter, x: Bytes, area: Area, from: usize, to: usize, threads: usize) -> Bytes {
    let positions = area.positions();
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
