//! Convolutions over rows x columns x channels as products over tiles: no unrolled copy of the input exists.
//!
//! Each task copies one input tile with its border into scratch, applying the norm and SiLU that precede the
//! convolution and the nearest upsampling on the way, then multiplies it once for each kernel position.

#![expect(unsafe_code, reason = "tasks write disjoint tiles of the output")]

use super::kernel::{self, Operands};
use super::math;
use super::memory::{Scratch, Shared, read, tensor, update};
use super::norm::Affine;
use super::weight::Conv;
use crate::planner::footprint::ops::{ROWS, STRIP, TILE_HEIGHT, TILE_WIDTH, conv_tile, panel_columns};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

/// What happens to the input on its way into a convolution.
#[derive(Clone, Copy, Default)]
pub(crate) struct Before<'a> {
    /// Norm and SiLU.
    pub norm: Option<&'a Affine>,
    /// Nearest upsampling by two.
    pub upsample: bool,
}

/// `conv(x)`: (height, width, channels) to (height, width, outputs), twice as high and wide where upsampled.
pub(crate) fn conv(x: &Tensor, layer: &Conv, before: Before<'_>) -> Result<Tensor> {
    let shape = check(x, layer, before)?;
    let mut out = vec![0.0; shape.height * shape.width * layer.channels_out()];
    read(x, |x| run(x, shape, layer, before, &mut out, false))?;
    tensor(out, (shape.height, shape.width, layer.channels_out()))
}

/// `into += conv(x)`, in place.
pub(crate) fn conv_add(x: &Tensor, layer: &Conv, before: Before<'_>, into: &Tensor) -> Result<()> {
    let shape = check(x, layer, before)?;
    if into.dims() != [shape.height, shape.width, layer.channels_out()] {
        bail!("a convolution of {:?} cannot be added to {:?}", x.dims(), into.dims());
    }
    read(x, |x| update(into, |out| run(x, shape, layer, before, out, true)))?
}

/// Sizes of the output, and of the input that it is read from.
#[derive(Clone, Copy)]
struct Shape {
    height: usize,
    width: usize,
    input_width: usize,
    channels: usize,
}

fn check(x: &Tensor, layer: &Conv, before: Before<'_>) -> Result<Shape> {
    let (height, width, channels) = x.dims3()?;
    let norm_fits = before.norm.is_none_or(|norm| norm.scale.len() == channels);
    if channels != layer.channels_in || !norm_fits || ![1, 3].contains(&layer.side) {
        bail!("a convolution of {} channels cannot take {:?}", layer.channels_in, x.dims());
    }
    if layer.weight.columns() != layer.side * layer.side * channels || layer.bias.len() != layer.weight.rows() {
        bail!("a convolution with weights of another shape");
    }
    let factor = if before.upsample { 2 } else { 1 };
    Ok(Shape { height: height * factor, width: width * factor, input_width: width, channels })
}

fn run(x: &[f32], shape: Shape, layer: &Conv, before: Before<'_>, out: &mut [f32], add: bool) {
    if shape.height == 0 || shape.width == 0 {
        return;
    }
    let side = layer.side;
    let taps = side * side;
    let (channels, outputs) = (shape.channels, layer.channels_out());
    let k = taps * channels;
    let columns = panel_columns(k, outputs);
    let mut panel = vec![0.0_f32; k * columns];
    let mut scratch = Scratch::new(conv_tile(side, channels));
    let scratch = scratch.share();
    let out = Shared::new(out);
    let isa = kernel::isa();
    let across = shape.width.div_ceil(TILE_WIDTH);
    let down = shape.height.div_ceil(TILE_HEIGHT);
    let stride = (TILE_WIDTH + side - 1) * channels;
    for first in (0..outputs).step_by(columns) {
        let strips = (outputs - first).min(columns).div_ceil(STRIP);
        panel.par_chunks_mut(k * STRIP).take(strips).enumerate().for_each(|(s, strip)| {
            layer.weight.pack(first + s * STRIP, taps, strip);
        });
        (0..across * down).into_par_iter().for_each(|task| {
            let (y0, x0) = (task / across * TILE_HEIGHT, task % across * TILE_WIDTH);
            let (rows, cols) = (TILE_HEIGHT.min(shape.height - y0), TILE_WIDTH.min(shape.width - x0));
            // SAFETY: one scratch a thread.
            let tile = unsafe { scratch.mine() };
            fill(tile, x, shape, before, side, (y0, x0), (rows, cols));
            for s in 0..strips {
                let column = first + s * STRIP;
                let width = STRIP.min(outputs - column);
                let strip = &panel[s * k * STRIP..][..k * STRIP];
                for row in 0..rows {
                    for col in (0..cols).step_by(ROWS) {
                        let count = ROWS.min(cols - col);
                        let mut sums = [0.0; ROWS * STRIP];
                        for tap in 0..taps {
                            let (dy, dx) = (tap / side, tap % side);
                            let op = Operands {
                                rows: tile[(row + dy) * stride + (col + dx) * channels..].as_ptr(),
                                stride: channels,
                                k: channels,
                                strip: strip[tap * channels * STRIP..].as_ptr(),
                            };
                            // SAFETY: the tile has a border of `side - 1`, so `count` positions follow.
                            unsafe { kernel::multiply(isa, op, count, &mut sums) };
                        }
                        for (i, sums) in sums.chunks_exact(STRIP).take(count).enumerate() {
                            let at = ((y0 + row) * shape.width + x0 + col + i) * outputs + column;
                            // SAFETY: this task alone writes this tile.
                            let out = unsafe { out.part(at, width) };
                            for ((out, &sum), &bias) in out.iter_mut().zip(sums).zip(&layer.bias[column..]) {
                                *out = if add { *out + (sum + bias) } else { sum + bias };
                            }
                        }
                    }
                }
            }
        });
    }
}

/// The input under one tile with a border of zeros where the picture ends.
fn fill(
    tile: &mut [f32],
    x: &[f32],
    shape: Shape,
    before: Before<'_>,
    side: usize,
    (y0, x0): (usize, usize),
    (rows, cols): (usize, usize),
) {
    let channels = shape.channels;
    let border = side / 2;
    let stride = (TILE_WIDTH + side - 1) * channels;
    for row in 0..rows + 2 * border {
        let line = &mut tile[row * stride..][..(cols + 2 * border) * channels];
        let y = (y0 + row).wrapping_sub(border);
        if y >= shape.height {
            line.fill(0.0);
            continue;
        }
        let source = &x[(if before.upsample { y / 2 } else { y }) * shape.input_width * channels..];
        for (col, out) in line.chunks_exact_mut(channels).enumerate() {
            let at = (x0 + col).wrapping_sub(border);
            if at >= shape.width {
                out.fill(0.0);
                continue;
            }
            let at = if before.upsample { at / 2 } else { at };
            let position = &source[at * channels..][..channels];
            match before.norm {
                Some(norm) => math::affine_silu(out, position, &norm.scale, &norm.shift),
                None => out.copy_from_slice(position),
            }
        }
    }
}
