//! Convolutions over rows x columns x channels as products over tiles: no unrolled copy of the input exists.
//!
//! Each task copies one input tile with its border into scratch, applying the norm and SiLU that precede the
//! convolution and the nearest upsampling on the way, then multiplies it once for each kernel position.

#![expect(unsafe_code, reason = "tasks write disjoint tiles of the output")]

use super::kernel::{self, Operands, Start, Target};
use super::math;
use super::memory::{Scratch, Shared, read, tensor, update};
use super::norm::Affine;
use super::weight::Conv;
use crate::planner::footprint::ops::{
    HALF, K_BLOCK, STRIP, TILE_HEIGHT, TILE_WIDTH, conv_scratch, conv_tile, panel_columns,
};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

/// What happens to the input on its way into a convolution.
#[derive(Clone, Copy, Default)]
pub(crate) struct Before<'a> {
    /// Norm and SiLU.
    pub norm: Option<&'a Affine>,
    pub resize: Resize,
}

/// How a convolution changes the size of the picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Resize {
    #[default]
    Keep,
    /// Nearest upsampling by two on the way in.
    Double,
    /// Every second position, with a border on all sides (U-Nets).
    Halve,
    /// Every second position, with a border at the end only (the autoencoder's encoder).
    HalveLate,
}

/// `conv(x)`: (height, width, channels) to (height, width, outputs), where `Resize` does not say otherwise.
pub(crate) fn conv(x: &Tensor, layer: &Conv, before: Before<'_>) -> Result<Tensor> {
    let shape = Shape::new(x, layer, before)?;
    let mut out = vec![0.0; shape.height * shape.width * layer.channels_out()];
    read(x, |x| run(x, shape, layer, before, &mut out, false))?;
    tensor(out, (shape.height, shape.width, layer.channels_out()))
}

/// `into += conv(x)`, in place.
pub(crate) fn conv_add(x: &Tensor, layer: &Conv, before: Before<'_>, into: &Tensor) -> Result<()> {
    let shape = Shape::new(x, layer, before)?;
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
    input_height: usize,
    input_width: usize,
    channels: usize,
    side: usize,
    /// Input positions from one output position to the next.
    step: usize,
    /// Rows and columns of zeros before the first input position.
    border: usize,
    /// Nearest upsampling of the input.
    factor: usize,
}

impl Shape {
    fn new(x: &Tensor, layer: &Conv, before: Before<'_>) -> Result<Self> {
        let (input_height, input_width, channels) = x.dims3()?;
        let norm_fits = before.norm.is_none_or(|norm| norm.scale.len() == channels);
        if channels != layer.channels_in || !norm_fits || ![1, 3].contains(&layer.side) {
            bail!("a convolution of {} channels cannot take {:?}", layer.channels_in, x.dims());
        }
        if layer.weight.columns() != layer.side * layer.side * channels || layer.bias.len() != layer.weight.rows() {
            bail!("a convolution with weights of another shape");
        }
        let side = layer.side;
        let (step, border, factor) = match before.resize {
            Resize::Keep => (1, side / 2, 1),
            Resize::Double => (1, side / 2, 2),
            Resize::Halve => (2, side / 2, 1),
            Resize::HalveLate => (2, 0, 1),
        };
        let size = |n: usize| match before.resize {
            Resize::Keep => n,
            Resize::Double => 2 * n,
            Resize::Halve => n.div_ceil(2),
            Resize::HalveLate => n / 2,
        };
        let (height, width) = (size(input_height), size(input_width));
        Ok(Self { height, width, input_height, input_width, channels, side, step, border, factor })
    }

    /// Rows and columns of one task's output.
    const fn tile(self) -> (usize, usize) {
        (TILE_HEIGHT / self.step, TILE_WIDTH / self.step)
    }

    /// Values of one row of a task's padded input.
    const fn line(self) -> usize {
        ((self.tile().1 - 1) * self.step + self.side) * self.channels
    }
}

fn run(x: &[f32], shape: Shape, layer: &Conv, before: Before<'_>, out: &mut [f32], add: bool) {
    if shape.height == 0 || shape.width == 0 {
        return;
    }
    let taps = shape.side * shape.side;
    let outputs = layer.channels_out();
    let k = taps * shape.channels;
    let columns = panel_columns(k, outputs);
    let mut panel = vec![0.0_f32; k * columns];
    let mut scratch = Scratch::new(conv_scratch(shape.side, shape.channels));
    let scratch = scratch.share();
    let out = Shared::new(out);
    let (tile_height, tile_width) = shape.tile();
    let across = shape.width.div_ceil(tile_width);
    let down = shape.height.div_ceil(tile_height);
    for first in (0..outputs).step_by(columns) {
        let strips = (outputs - first).min(columns).div_ceil(STRIP);
        panel.par_chunks_mut(k * HALF).take(2 * strips).enumerate().for_each(|(h, half)| {
            layer.weight.pack(first + h * HALF, taps, half);
        });
        (0..across * down).into_par_iter().for_each(|task| {
            let (y, x_at) = (task / across * tile_height, task % across * tile_width);
            let work = Tile {
                shape,
                y,
                x: x_at,
                rows: tile_height.min(shape.height - y),
                columns: tile_width.min(shape.width - x_at),
            };
            // SAFETY: one scratch a thread.
            let (input, sums) = unsafe { scratch.mine() }.split_at_mut(conv_tile(shape.side, shape.channels));
            work.fill(input, x, before.norm);
            for column in (first..outputs.min(first + columns)).step_by(STRIP) {
                let width = STRIP.min(outputs - column);
                work.multiply(input, &panel[(column - first) * k..][..STRIP * k], width, sums);
                for (row, sums) in sums.chunks(tile_width * STRIP).take(work.rows).enumerate() {
                    for (i, sums) in sums.chunks_exact(STRIP).take(work.columns).enumerate() {
                        let at = ((y + row) * shape.width + x_at + i) * outputs + column;
                        // SAFETY: this task alone writes this tile.
                        let out = unsafe { out.part(at, width) };
                        for ((out, &sum), &bias) in out.iter_mut().zip(sums).zip(&layer.bias[column..]) {
                            *out = if add { *out + (sum + bias) } else { sum + bias };
                        }
                    }
                }
            }
        });
    }
}

/// The output of one task.
struct Tile {
    shape: Shape,
    y: usize,
    x: usize,
    rows: usize,
    columns: usize,
}

impl Tile {
    /// The input under the tile with a border of zeros where the picture ends.
    fn fill(&self, tile: &mut [f32], x: &[f32], norm: Option<&Affine>) {
        let Shape { channels, side, step, border, factor, .. } = self.shape;
        let (height, width) = (self.shape.input_height * factor, self.shape.input_width * factor);
        let columns = (self.columns - 1) * step + side;
        for row in 0..(self.rows - 1) * step + side {
            let line = &mut tile[row * self.shape.line()..][..columns * channels];
            let y = (self.y * step + row).wrapping_sub(border);
            if y >= height {
                line.fill(0.0);
                continue;
            }
            let source = &x[y / factor * self.shape.input_width * channels..][..self.shape.input_width * channels];
            // Columns outside the picture on either side, then what lies inside.
            let from = border.saturating_sub(self.x * step).min(columns);
            let to = (width + border - self.x * step).clamp(from, columns);
            line[..from * channels].fill(0.0);
            line[to * channels..].fill(0.0);
            let first = self.x * step + from - border;
            let inside = &mut line[from * channels..to * channels];
            if factor == 1 {
                let source = &source[first * channels..][..inside.len()];
                match norm {
                    Some(norm) => math::affine_silu(inside, source, &norm.scale, &norm.shift),
                    None => inside.copy_from_slice(source),
                }
            } else {
                for (i, out) in inside.chunks_exact_mut(channels).enumerate() {
                    let position = &source[(first + i) / factor * channels..][..channels];
                    match norm {
                        Some(norm) => math::affine_silu(out, position, &norm.scale, &norm.shift),
                        None => out.copy_from_slice(position),
                    }
                }
            }
        }
    }

    /// Sums of `width` outputs at all positions of the tile: a product for each kernel position.
    fn multiply(&self, tile: &[f32], strip: &[f32], width: usize, sums: &mut [f32]) {
        let isa = kernel::isa();
        let Shape { channels, side, step, .. } = self.shape;
        let tile_width = self.shape.tile().1;
        for tap in 0..side * side {
            for from in (0..channels).step_by(K_BLOCK) {
                let at = tap * channels + from;
                for row in 0..self.rows {
                    let input = (row * step + tap / side) * self.shape.line() + tap % side * channels + from;
                    let op = Operands {
                        rows: tile[input..].as_ptr(),
                        stride: step * channels,
                        k: K_BLOCK.min(channels - from),
                        strip: strip[at * HALF..].as_ptr(),
                        half: side * side * channels * HALF,
                    };
                    let sums = &mut sums[row * tile_width * STRIP..][..self.columns * STRIP];
                    let target = Target { at: sums.as_mut_ptr(), stride: STRIP };
                    let start = if at == 0 { Start::Zero } else { Start::Target };
                    // SAFETY: the tile's border lets every position find its input; the strip is whole.
                    unsafe { kernel::multiply(isa, op, target, self.columns, width, start) };
                }
            }
        }
    }
}
