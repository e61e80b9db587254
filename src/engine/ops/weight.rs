//! Weights in their stored type, expanded a strip at a time where a product needs them.

use crate::model::Precision;
use crate::planner::footprint::ops::STRIP;
use half::{bf16, f16};

/// A matrix of `rows` x `columns`, or a convolution of `rows` outputs, as its file stores it.
pub(crate) struct Weight {
    precision: Precision,
    rows: usize,
    /// Values of one output: inputs times kernel positions.
    columns: usize,
    bytes: Vec<u8>,
}

impl Weight {
    /// `None` where the type is not one that products read, or the bytes are not as many as the shape needs.
    pub(crate) fn new(precision: Precision, rows: usize, columns: usize, bytes: Vec<u8>) -> Option<Self> {
        let readable = matches!(precision, Precision::F32 | Precision::F16 | Precision::Bf16);
        let expected = precision.bytes_of((rows * columns) as u64)?;
        (readable && expected.get() == bytes.len() as u64).then_some(Self { precision, rows, columns, bytes })
    }

    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) const fn columns(&self) -> usize {
        self.columns
    }

    /// Expands one row to f32.
    pub(crate) fn expand_row(&self, row: usize, out: &mut [f32]) {
        expand(self.precision, self.row_bytes(row), out);
    }

    fn row_bytes(&self, row: usize) -> &[u8] {
        let each = self.bytes.len() / self.rows;
        &self.bytes[row * each..(row + 1) * each]
    }

    /// Packs up to `STRIP` rows from `first` on as `columns` x `STRIP`; missing rows become zeros.
    ///
    /// With `taps > 1` the stored order `input, tap` of a convolution becomes `tap, input`.
    pub(super) fn pack(&self, first: usize, taps: usize, strip: &mut [f32]) {
        const CHUNK: usize = 64;
        let inputs = self.columns / taps;
        let n = STRIP.min(self.rows.saturating_sub(first));
        if n < STRIP {
            strip.fill(0.0);
        }
        let value_bytes = self.precision.block().1 as usize;
        for column in 0..n {
            let row = self.row_bytes(first + column);
            let mut values = [0.0; CHUNK];
            for (index, chunk) in row.chunks(CHUNK * value_bytes).enumerate() {
                let count = chunk.len() / value_bytes;
                expand(self.precision, chunk, &mut values[..count]);
                for (offset, &value) in values[..count].iter().enumerate() {
                    let k = index * CHUNK + offset;
                    let k = if taps == 1 { k } else { (k % taps) * inputs + k / taps };
                    strip[k * STRIP + column] = value;
                }
            }
        }
    }
}

/// Expands stored values to f32, one for one.
pub(crate) fn expand(precision: Precision, bytes: &[u8], out: &mut [f32]) {
    match precision {
        Precision::F32 => {
            for (out, b) in out.iter_mut().zip(bytes.as_chunks::<4>().0) {
                *out = f32::from_le_bytes(*b);
            }
        }
        Precision::Bf16 => {
            for (out, b) in out.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *out = bf16::from_le_bytes(*b).to_f32();
            }
        }
        Precision::F16 => {
            for (out, b) in out.iter_mut().zip(bytes.as_chunks::<2>().0) {
                *out = f16::from_le_bytes(*b).to_f32();
            }
        }
        _ => out.fill(f32::NAN),
    }
}

/// A dense layer.
pub(crate) struct Linear {
    pub weight: Weight,
    pub bias: Option<Vec<f32>>,
}

/// A convolution with a square kernel of 1 or 3 and padding that keeps the size.
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
