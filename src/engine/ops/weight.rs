//! Weights in their stored type, expanded half a strip at a time where a product needs them.

use super::kernel::transpose;
use super::math;
use super::stored;
use crate::model::Precision;
use crate::planner::Arithmetic;
use crate::planner::footprint::ops::HALF;

/// Columns that are expanded and turned at a time.
const CHUNK: usize = 256;

/// A matrix of `rows` x `columns`, or a convolution of `rows` outputs, as its file stores it.
pub(crate) struct Weight {
    precision: Precision,
    rows: usize,
    /// Values of one output: inputs times kernel positions.
    columns: usize,
    bytes: Vec<u8>,
    /// What every stored value is multiplied with: 8-bit floats come with such a number.
    scale: f32,
    arithmetic: Arithmetic,
    /// What is added to every product beside the weights: `LoRAs`.
    sides: Vec<Side>,
}

/// A low-rank product beside a weight: `up * down`, of (rank, columns) and (rows, rank).
pub(crate) struct Side {
    pub down: Weight,
    pub up: Weight,
}

impl Weight {
    /// `None` where the type is not one that products read, or the bytes are not as many as the shape needs.
    pub(crate) fn new(precision: Precision, rows: usize, columns: usize, bytes: Vec<u8>) -> Option<Self> {
        let expected = precision.bytes_of((rows * columns) as u64)?;
        let whole = stored::readable(precision) && expected.get() == bytes.len() as u64;
        let (scale, arithmetic, sides) = (1.0, Arithmetic::F32, Vec::new());
        whole.then_some(Self { precision, rows, columns, bytes, scale, arithmetic, sides })
    }

    /// The same weights times `scale`.
    #[must_use]
    pub(crate) fn scaled(self, scale: f32) -> Self {
        Self { scale: self.scale * scale, ..self }
    }

    /// The same weights for products of that kind.
    #[must_use]
    pub(crate) fn with(self, arithmetic: Arithmetic) -> Self {
        Self { arithmetic, ..self }
    }

    /// The same weights with products beside them.
    #[must_use]
    pub(crate) fn beside(self, sides: Vec<Side>) -> Self {
        Self { sides, ..self }
    }

    pub(super) fn sides(&self) -> &[Side] {
        &self.sides
    }

    /// Values in one f32 of a packed strip: two where products are made of pairs, which needs an even number of inputs.
    pub(super) const fn packed(&self, taps: usize) -> usize {
        if matches!(self.arithmetic, Arithmetic::Bf16) && (self.columns / taps).is_multiple_of(2) { 2 } else { 1 }
    }

    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) const fn columns(&self) -> usize {
        self.columns
    }

    /// Expands one row to f32.
    pub(crate) fn expand_row(&self, row: usize, out: &mut [f32]) {
        self.expand(row * self.columns, out);
    }

    /// Expands the values from `first` on, counted through all rows. Files that were reshaped to fit their blocks
    /// have blocks that run on from one row to the next.
    fn expand(&self, first: usize, out: &mut [f32]) {
        let (values, bytes) = self.precision.block();
        let (values, bytes) = (values as usize, bytes as usize);
        if first.is_multiple_of(values) && out.len().is_multiple_of(values) {
            let from = first / values * bytes;
            stored::expand(self.precision, &self.bytes[from..from + out.len() / values * bytes], out);
        } else {
            let mut block = [0.0; stored::LONGEST_BLOCK];
            let mut done = 0;
            while done < out.len() {
                let at = first + done;
                let from = at / values * bytes;
                stored::expand(self.precision, &self.bytes[from..from + bytes], &mut block[..values]);
                let count = (values - at % values).min(out.len() - done);
                out[done..done + count].copy_from_slice(&block[at % values..at % values + count]);
                done += count;
            }
        }
        if self.scale != 1.0 {
            for value in out {
                *value *= self.scale;
            }
        }
    }

    /// Packs up to `HALF` rows from `first` on as `columns` x `HALF`, or as half as many lines of pairs; missing rows
    /// become zeros.
    ///
    /// With `taps > 1` the stored order `input, tap` of a convolution becomes `tap, input`.
    pub(super) fn pack(&self, first: usize, taps: usize, half: &mut [f32]) {
        if self.packed(taps) == 2 {
            let inputs = self.columns / taps;
            self.turned(first, |k, line| {
                let k = (k % taps) * inputs + k / taps;
                math::put_bf16(line, k % 2 == 1, &mut half[k / 2 * HALF..(k / 2 + 1) * HALF]);
            });
            return;
        }
        if taps == 1 {
            // The lines follow one another as they are: no copy on the way.
            self.stretches(first, |from, count, values| {
                transpose(values, CHUNK, &mut half[from * HALF..(from + count) * HALF]);
            });
            return;
        }
        let inputs = self.columns / taps;
        self.turned(first, |k, line| {
            let k = (k % taps) * inputs + k / taps;
            half[k * HALF..(k + 1) * HALF].copy_from_slice(line);
        });
    }

    /// Packs a convolution after nearest upsampling by two: for each of the four phases of the output, the sums of
    /// those kernel positions that see the same input, as `phase, tap, input`.
    pub(super) fn pack_phases(&self, first: usize, side: usize, half: &mut [f32]) {
        let (taps, inputs) = (side * side, self.columns / (side * side));
        let summed = taps.min(4);
        half.fill(0.0);
        self.turned(first, |k, line| {
            let (input, down, right) = (k / taps, k % taps / side, k % side);
            for phase in 0..4 {
                let tap = if side == 1 { 0 } else { phase_tap(phase / 2, down) * 2 + phase_tap(phase % 2, right) };
                let at = ((phase * summed + tap) * inputs + input) * HALF;
                for (out, &value) in half[at..at + HALF].iter_mut().zip(line) {
                    *out += value;
                }
            }
        });
    }

    /// Hands on one column of `HALF` rows from `first` on after the other.
    fn turned(&self, first: usize, mut take: impl FnMut(usize, &[f32])) {
        let mut lines = [0.0; CHUNK * HALF];
        self.stretches(first, |from, count, values| {
            let lines = &mut lines[..count * HALF];
            transpose(values, CHUNK, lines);
            for (k, line) in (from..).zip(lines.chunks_exact(HALF)) {
                take(k, line);
            }
        });
    }

    /// Hands on stretches of columns: the first column, how many there are, and their values in `HALF` rows from
    /// `first` on, `CHUNK` apart. Missing rows are zeros.
    fn stretches(&self, first: usize, mut take: impl FnMut(usize, usize, &[f32])) {
        let n = HALF.min(self.rows.saturating_sub(first));
        let mut values = [0.0; CHUNK * HALF];
        for from in (0..self.columns).step_by(CHUNK) {
            let count = CHUNK.min(self.columns - from);
            for r in 0..n {
                self.expand((first + r) * self.columns + from, &mut values[r * CHUNK..r * CHUNK + count]);
            }
            take(from, count, &values);
        }
    }
}

/// Which of the two inputs of a phase a kernel position sees, along one direction: the first phase sees the input
/// before its own and its own, the second one its own and the next.
const fn phase_tap(phase: usize, position: usize) -> usize {
    if position > phase { 1 } else { 0 }
}

/// A dense layer.
pub(crate) struct Linear {
    pub weight: Weight,
    pub bias: Option<Vec<f32>>,
}

/// A convolution with a square kernel of 1 or 3.
pub(crate) struct Conv {
    pub weight: Weight,
    pub bias: Vec<f32>,
    pub side: usize,
    pub channels_in: usize,
}

impl Conv {
    pub(crate) const fn channels_out(&self) -> usize {
        self.weight.rows()
    }
}
