//! Convolutions over rows x columns x channels as products over tiles: no unrolled copy of the input exists.
//!
//! Each task copies one input tile with its border into scratch, applying the norm and SiLU that precede the
//! convolution on the way, then multiplies it once for each kernel position. After nearest upsampling by two, each of
//! the four phases of the output sees only 2 x 2 different inputs, so its kernel positions are summed beforehand: less
//! than half of the products, and the upsampled picture never exists.

#![expect(unsafe_code, reason = "tasks write disjoint tiles of the output")]

use super::kernel::{self, Operands, Start, Target};
use super::linear::product;
use super::math;
use super::memory::{Scratch, Shared, read, tensor, update};
use super::norm::Affine;
use super::weight::{Conv, Side, Weight};
use crate::planner::footprint::ops::{
    HALF, K_BLOCK, STRIP, TILE_HEIGHT, TILE_WIDTH, conv_scratch, conv_taps, conv_tile, panel_columns,
};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;
use std::ops::Range;

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
    /// Every second position, with a border on the right and below alone (autoencoders).
    HalveLate,
}

/// `conv(x)`: (height, width, channels) to (height, width, outputs), where `Resize` does not say otherwise.
pub(crate) fn conv(x: &Tensor, layer: &Conv, before: Before<'_>) -> Result<Tensor> {
    let shape = Shape::new(x, layer, before)?;
    let (height, width) = shape.output();
    let mut out = vec![0.0; height * width * layer.channels_out()];
    let work = Work { shape, norm: before.norm, weight: &layer.weight, bias: &layer.bias };
    read(x, |x| work.run(x, 0..height, &mut out, Store::Set))?;
    tensor(out, (height, width, layer.channels_out()))
}

/// `into += conv(x)`, in place.
pub(crate) fn conv_add(x: &Tensor, layer: &Conv, before: Before<'_>, into: &Tensor) -> Result<()> {
    let rows = 0..Shape::new(x, layer, before)?.output().0;
    conv_rows(x, layer, before, rows, into, Store::Add)
}

/// What becomes of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Store {
    Set,
    Add,
}

/// Rows `rows` of `conv(x)`, into a tensor of that many rows.
pub(crate) fn conv_rows(
    x: &Tensor,
    layer: &Conv,
    before: Before<'_>,
    rows: Range<usize>,
    into: &Tensor,
    store: Store,
) -> Result<()> {
    let shape = Shape::new(x, layer, before)?;
    let (height, width) = shape.output();
    if rows.end > height || into.dims() != [rows.len(), width, layer.channels_out()] {
        bail!("rows {rows:?} of a convolution of {:?} do not fit {:?}", x.dims(), into.dims());
    }
    let work = Work { shape, norm: before.norm, weight: &layer.weight, bias: &layer.bias };
    read(x, |x| update(into, |out| work.run(x, rows, out, store)))?
}

/// Positions that are computed together, and the input that they are read from.
#[derive(Clone, Copy)]
struct Shape {
    /// Size in positions: pixels of the output, or squares of 2 x 2 of them where it is doubled.
    height: usize,
    width: usize,
    input_height: usize,
    input_width: usize,
    channels: usize,
    side: usize,
    /// Input rows and columns from one position to the next.
    step: usize,
    /// Rows and columns of zeros before the first input.
    border: usize,
    /// Output rows and columns of a position.
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
            Resize::Keep | Resize::Double => n,
            Resize::Halve => n.div_ceil(2),
            Resize::HalveLate => n / 2,
        };
        let (height, width) = (size(input_height), size(input_width));
        Ok(Self { height, width, input_height, input_width, channels, side, step, border, factor })
    }

    /// Rows and columns of the output.
    const fn output(self) -> (usize, usize) {
        (self.height * self.factor, self.width * self.factor)
    }

    /// Rows and columns of one task, in positions.
    const fn tile(self) -> (usize, usize) {
        let part = self.step * self.factor;
        (TILE_HEIGHT / part, TILE_WIDTH / part)
    }

    /// Values of one row of a task's padded input.
    const fn line(self) -> usize {
        ((self.tile().1 - 1) * self.step + self.side) * self.channels
    }

    /// Products of one output value with one input channel.
    const fn taps(self) -> usize {
        conv_taps(self.side, self.factor == 2)
    }

    /// Values in one f32 of the packed weights. The summed kernels of an upsampling are never paired.
    const fn packed(self, weight: &Weight) -> usize {
        if self.factor == 2 { 1 } else { weight.packed(self.taps()) }
    }

    /// Values of the packed panel for so many outputs.
    fn room(self, outputs: usize) -> usize {
        let values = self.factor * self.factor * self.taps() * self.channels;
        values * panel_columns(values, outputs)
    }
}

/// A convolution of one size.
#[derive(Clone, Copy)]
struct Work<'a> {
    shape: Shape,
    norm: Option<&'a Affine>,
    weight: &'a Weight,
    bias: &'a [f32],
}

impl Work<'_> {
    fn run(self, x: &[f32], rows: Range<usize>, out: &mut [f32], store: Store) {
        if rows.is_empty() || self.shape.width == 0 {
            return;
        }
        self.main(x, rows.clone(), out, store);
        for side in self.weight.sides() {
            self.side(side, x, rows.clone(), out);
        }
    }

    /// `out += up * conv(x, down)`, in bands of rows that fit into the room that the main product had.
    fn side(self, side: &Side, x: &[f32], rows: Range<usize>, out: &mut [f32]) {
        let (rank, outputs) = (side.down.rows(), self.weight.rows());
        let width = self.shape.output().1;
        let own = self.shape.room(rank).max(rank * panel_columns(rank, outputs));
        let fit = self.shape.room(outputs).saturating_sub(own) / (width * rank).max(1);
        // Whole tiles, so that no band computes rows of another.
        let band = (fit / TILE_HEIGHT * TILE_HEIGHT).clamp(TILE_HEIGHT, rows.len().next_multiple_of(TILE_HEIGHT));
        let bias = vec![0.0; rank];
        let down = Work { weight: &side.down, bias: &bias, ..self };
        let mut between = vec![0.0; band.min(rows.len()) * width * rank];
        for from in rows.clone().step_by(band) {
            let to = rows.end.min(from + band);
            let between = &mut between[..(to - from) * width * rank];
            down.main(x, from..to, between, Store::Set);
            let out = &mut out[(from - rows.start) * width * outputs..][..(to - from) * width * outputs];
            product(between, (to - from) * width, &side.up, None, out);
        }
    }

    fn main(self, x: &[f32], rows: Range<usize>, out: &mut [f32], store: Store) {
        let Self { shape, norm, weight, bias } = self;
        let outputs = weight.rows();
        let phases = shape.factor * shape.factor;
        let values = phases * shape.taps() * shape.channels;
        let mut panel = vec![0.0_f32; shape.room(outputs)];
        // Pairs take half the space, so that twice as many columns fit.
        let packed = shape.packed(weight);
        let (k, columns) = (values / packed, packed * panel_columns(values, outputs));
        let mut scratch = Scratch::new(conv_scratch(shape.side, shape.channels));
        let scratch = scratch.share();
        let out = Shared::new(out);
        let (tile_height, tile_width) = shape.tile();
        let (top, bottom) = (rows.start / shape.factor, rows.end.div_ceil(shape.factor));
        let across = shape.width.div_ceil(tile_width);
        let down = (bottom - top).div_ceil(tile_height);
        for first in (0..outputs).step_by(columns) {
            let strips = (outputs - first).min(columns).div_ceil(STRIP);
            panel.par_chunks_mut(k * HALF).take(2 * strips).enumerate().for_each(|(h, half)| {
                if phases == 1 {
                    weight.pack(first + h * HALF, shape.taps(), half);
                } else {
                    weight.pack_phases(first + h * HALF, shape.side, half);
                }
            });
            (0..across * down).into_par_iter().for_each(|task| {
                let (y, x_at) = (top + task / across * tile_height, task % across * tile_width);
                let work = Tile {
                    shape,
                    packed,
                    y,
                    x: x_at,
                    rows: tile_height.min(bottom - y),
                    columns: tile_width.min(shape.width - x_at),
                };
                // SAFETY: one scratch a thread.
                let (input, sums) = unsafe { scratch.mine() }.split_at_mut(conv_tile(shape.side, shape.channels));
                work.fill(input, x, norm);
                for column in (first..outputs.min(first + columns)).step_by(STRIP) {
                    let width = STRIP.min(outputs - column);
                    let bias = &bias[column..column + width];
                    let strip = &panel[(column - first) * k..][..STRIP * k];
                    for phase in 0..phases {
                        work.multiply(input, strip, phase, width, sums);
                        // SAFETY: this task alone writes this tile.
                        unsafe { work.store(sums, phase, bias, &rows, out.offset(column), outputs, store) };
                    }
                }
            });
        }
    }
}

/// The positions of one task.
struct Tile {
    shape: Shape,
    /// Values in one f32 of the packed weights, and of the input once it is filled in.
    packed: usize,
    y: usize,
    x: usize,
    rows: usize,
    columns: usize,
}

impl Tile {
    /// The input under the tile with a border of zeros where the picture ends.
    fn fill(&self, tile: &mut [f32], x: &[f32], norm: Option<&Affine>) {
        let Shape { channels, side, step, border, input_width, input_height, .. } = self.shape;
        let columns = (self.columns - 1) * step + side;
        // Columns outside the picture on either side, then what lies inside.
        let from = border.saturating_sub(self.x * step).min(columns);
        let to = (input_width + border - self.x * step).clamp(from, columns);
        for row in 0..(self.rows - 1) * step + side {
            let line = &mut tile[row * self.shape.line()..][..columns * channels];
            let y = (self.y * step + row).wrapping_sub(border);
            if y >= input_height {
                line.fill(0.0);
                continue;
            }
            line[..from * channels].fill(0.0);
            line[to * channels..].fill(0.0);
            let inside = &mut line[from * channels..to * channels];
            let first = y * input_width + self.x * step + from - border;
            let source = &x[first * channels..][..inside.len()];
            match norm {
                Some(norm) => math::affine_silu(inside, source, &norm.scale, &norm.shift),
                None => inside.copy_from_slice(source),
            }
            if self.packed == 2 {
                math::pair_bf16_in_place(line);
            }
        }
    }

    /// Sums of `width` outputs of one phase at all positions of the tile: a product for each kernel position.
    fn multiply(&self, tile: &[f32], strip: &[f32], phase: usize, width: usize, sums: &mut [f32]) {
        let isa = kernel::isa();
        let Shape { side, step, factor, .. } = self.shape;
        let channels = self.shape.channels / self.packed;
        let tile_width = self.shape.tile().1;
        let taps = self.shape.taps();
        let reach = if factor == 2 && side == 3 { 2 } else { side };
        let (down, right) = if reach == 2 { (phase / 2, phase % 2) } else { (0, 0) };
        for tap in 0..taps {
            for from in (0..channels).step_by(K_BLOCK) {
                let start = if tap == 0 && from == 0 { Start::Zero } else { Start::Target };
                let at = (phase * taps + tap) * channels + from;
                for row in 0..self.rows {
                    let (y, x) = (row * step + down + tap / reach, right + tap % reach);
                    let op = Operands {
                        rows: tile[y * self.shape.line() + x * channels + from..].as_ptr(),
                        stride: step * channels,
                        k: K_BLOCK.min(channels - from),
                        strip: strip[at * HALF..].as_ptr(),
                        half: strip.len() / 2,
                        pairs: self.packed == 2,
                    };
                    let sums = &mut sums[row * tile_width * STRIP..][..self.columns * STRIP];
                    let target = Target { at: sums.as_mut_ptr(), stride: STRIP };
                    // SAFETY: the tile's border lets every position find its input; the strip is whole.
                    unsafe { kernel::multiply(isa, op, target, self.columns, width, start) };
                }
            }
        }
    }

    /// Writes the sums of one phase where they belong, as far as they lie in `rows`.
    ///
    /// # Safety
    /// Nobody else may touch the outputs of this tile.
    #[expect(clippy::too_many_arguments, reason = "where to, what, and how")]
    unsafe fn store(
        &self,
        sums: &[f32],
        phase: usize,
        bias: &[f32],
        rows: &Range<usize>,
        out: Shared,
        outputs: usize,
        store: Store,
    ) {
        let Shape { factor, width, .. } = self.shape;
        let lines = sums.chunks_exact(self.shape.tile().1 * STRIP).take(self.rows);
        for (row, line) in lines.enumerate() {
            let y = (self.y + row) * factor + phase / factor;
            if !rows.contains(&y) {
                continue;
            }
            for (i, sums) in line.chunks_exact(STRIP).take(self.columns).enumerate() {
                let x = (self.x + i) * factor + phase % factor;
                // SAFETY: passed on from the caller.
                let out = unsafe { out.part(((y - rows.start) * width * factor + x) * outputs, bias.len()) };
                for ((out, &sum), &bias) in out.iter_mut().zip(sums).zip(bias) {
                    *out = if store == Store::Add { *out + (sum + bias) } else { sum + bias };
                }
            }
        }
    }
}
