//! `LoRA` files beside a component's weights: their halves, read when the weight that they change is.

use super::{OpenFile, Weights};
use crate::engine::ops::{Side, Weight, expand};
use crate::job::Failure;
use crate::model::lora::{Halves, Lora, Place};
use crate::model::{LoraFile, Precision, TensorInfo};
use crate::units::Bytes;
use std::sync::Arc;

/// A change of one weight.
pub(super) struct Change {
    /// Its number among the open files.
    file: usize,
    lora: Arc<Lora>,
    /// Its number among the patches.
    patch: usize,
    weight: f32,
}

impl Weights {
    /// The same weights with what `loras` change in the component at `place`.
    pub(crate) fn with_loras(mut self, loras: &[LoraFile], place: Place) -> Result<Self, Failure> {
        for lora in loras {
            let file = self.files.len();
            self.files.push(OpenFile::open(&lora.file)?);
            for (index, patch) in lora.lora.patches.iter().enumerate().filter(|(_, patch)| patch.place == place) {
                let change = Change { file, lora: Arc::clone(&lora.lora), patch: index, weight: lora.weight };
                self.changes.entry(format!("{}.weight", patch.module)).or_default().push(change);
            }
        }
        Ok(self)
    }

    /// The weight `name` with the products that lie beside it.
    pub(super) fn changed(&self, name: &str, weight: Weight) -> Result<Weight, Failure> {
        let Some(changes) = self.changes.get(name) else { return Ok(weight) };
        let sides = changes.iter().map(|change| self.side(change, &weight)).collect::<Result<_, _>>()?;
        Ok(weight.beside(sides))
    }

    /// Refuses where a `LoRA` changes what is looked up and not multiplied.
    pub(super) fn unchanged(&self, name: &str) -> Result<(), Failure> {
        match self.changes.get(name).and_then(|changes| changes.first()) {
            Some(change) => Err(self.bad(change.file, format!("this LoRA changes {name}, which cannot be changed"))),
            None => Ok(()),
        }
    }

    fn side(&self, change: &Change, weight: &Weight) -> Result<Side, Failure> {
        let Change { file, lora, patch, weight: strength } = change;
        let patch = &lora.patches[*patch];
        let odd = |what: &str| self.bad(*file, format!("module {} has {what}", patch.module));
        let halves = patch.halves().map_err(|why| odd(&why.to_string()))?;
        let (rank, columns, rows) = halves.sizes(patch).map_err(|why| odd(&why.to_string()))?;
        if (rows, columns) != (weight.rows(), weight.columns()) {
            return Err(odd(&format!("a change of {rows} x {columns} for {} x {}", weight.rows(), weight.columns())));
        }
        let first = patch.rows.map_or(0, |(first, _)| first);
        let (down, up) = match halves {
            Halves::Stored { down, up } => {
                let down = (down.precision, self.rows_of(*file, down, 0, rank, columns)?);
                (down, (up.precision, self.rows_of(*file, up, first, rows, rank)?))
            }
            Halves::Core { down, core, up } => {
                let (outer, inner) = (self.values(*file, core)?, self.values(*file, down)?);
                let down = with_core(&inner, &outer, rank);
                ((Precision::F32, down), (up.precision, self.rows_of(*file, up, first, rows, rank)?))
            }
            Halves::Products { first: [a1, b1], second: [a2, b2] } => {
                let read = |tensor| self.values(*file, tensor);
                let (a1, a2) = (read(a1)?, read(a2)?);
                let taken = first * patch.rank..(first + rows) * patch.rank;
                let (Some(a1), Some(a2)) = (a1.get(taken.clone()), a2.get(taken)) else {
                    return Err(odd("too few rows"));
                };
                let down = each_with_each_row(&read(b1)?, &read(b2)?, columns);
                ((Precision::F32, down), (Precision::F32, each_with_each_value(a1, a2, patch.rank)))
            }
        };
        let alpha = match &patch.alpha {
            Some(alpha) if patch.rank > 0 => {
                self.values(*file, alpha)?.first().copied().unwrap_or(1.0) / patch.rank as f32
            }
            _ => 1.0,
        };
        let made = |(precision, bytes), rows, columns| {
            Weight::new(precision, rows, columns, bytes).ok_or_else(|| odd("halves that are not read"))
        };
        Ok(Side { down: made(down, rank, columns)?, up: made(up, rows, rank)?.scaled(alpha * strength) })
    }

    /// Some rows of a stored matrix, as bytes.
    fn rows_of(
        &self,
        file: usize,
        tensor: &TensorInfo,
        first: usize,
        rows: usize,
        columns: usize,
    ) -> Result<Vec<u8>, Failure> {
        let bytes_of = |values: usize| tensor.precision.bytes_of(values as u64).map_or(0, Bytes::get);
        let (from, length) = (bytes_of(first * columns), bytes_of(rows * columns));
        if from + length > tensor.bytes.get() {
            return Err(self.bad(file, format!("tensor {} has too few rows", tensor.name)));
        }
        let mut bytes = vec![0; length as usize];
        let read = self.files[file].reader.read_exact_at(&mut bytes, tensor.offset + from);
        read.map_err(|e| self.bad(file, format!("tensor {} could not be read: {e}", tensor.name)))?;
        Ok(bytes)
    }

    /// All values of a small tensor.
    fn values(&self, file: usize, tensor: &TensorInfo) -> Result<Vec<f32>, Failure> {
        let count: usize = tensor.shape.iter().product();
        let bytes = self.rows_of(file, tensor, 0, 1, count)?;
        let mut values = vec![0.0; count];
        expand(tensor.precision, &bytes, &mut values);
        Ok(values)
    }
}

/// So many values as they are stored in f32, without a copy on the way.
fn floats(count: usize, values: impl Iterator<Item = f32>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(count * 4);
    for value in values {
        bytes.extend_from_slice(&value.to_le_bytes());
    }
    bytes
}

/// `down` (rank, inputs) behind a core (rank, rank, kernel): (rank, inputs, kernel).
fn with_core(down: &[f32], core: &[f32], rank: usize) -> Vec<u8> {
    let (inputs, kernel) = (down.len() / rank, core.len() / (rank * rank));
    let all = (0..rank).flat_map(|to| (0..inputs).flat_map(move |input| (0..kernel).map(move |tap| (to, input, tap))));
    let value = |(to, input, tap): (usize, usize, usize)| {
        (0..rank).map(|from| core[(to * rank + from) * kernel + tap] * down[from * inputs + input]).sum()
    };
    floats(rank * inputs * kernel, all.map(value))
}

/// The element-wise products of each row of `a` with each row of `b`.
fn each_with_each_row(a: &[f32], b: &[f32], columns: usize) -> Vec<u8> {
    let rows = a.chunks_exact(columns).flat_map(|a| b.chunks_exact(columns).map(move |b| (a, b)));
    floats(a.len() / columns * b.len(), rows.flat_map(|(a, b)| a.iter().zip(b).map(|(a, b)| a * b)))
}

/// In each row, each value of `a` times each value of `b`.
fn each_with_each_value(a: &[f32], b: &[f32], rank: usize) -> Vec<u8> {
    let rows = a.chunks_exact(rank).zip(b.chunks_exact(rank));
    floats(a.len() * rank, rows.flat_map(|(a, b)| a.iter().flat_map(move |a| b.iter().map(move |b| a * b))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(bytes: &[u8]) -> Vec<f32> {
        bytes.as_chunks::<4>().0.iter().map(|&value| f32::from_le_bytes(value)).collect()
    }

    #[test]
    fn the_product_of_the_halves_of_a_loha_is_its_change() {
        let (rank, outputs, inputs) = (2, 3, 5);
        let some = |n: usize, salt: usize| (0..n).map(|i| ((i * 7 + salt) % 11) as f32 - 5.0).collect::<Vec<_>>();
        let (a1, b1) = (some(outputs * rank, 1), some(rank * inputs, 2));
        let (a2, b2) = (some(outputs * rank, 3), some(rank * inputs, 4));
        let at = |a: &[f32], b: &[f32], o: usize, i: usize, rank: usize| -> f32 {
            (0..rank).map(|r| a[o * rank + r] * b[r * inputs + i]).sum()
        };
        let up = values(&each_with_each_value(&a1, &a2, rank));
        let down = values(&each_with_each_row(&b1, &b2, inputs));
        for (o, i) in (0..outputs).flat_map(|o| (0..inputs).map(move |i| (o, i))) {
            let change = at(&a1, &b1, o, i, rank) * at(&a2, &b2, o, i, rank);
            assert_eq!(at(&up, &down, o, i, rank * rank), change);
        }
    }

    #[test]
    fn a_core_goes_into_the_half_that_goes_down() {
        // Two ranks, one input, two taps.
        let made = with_core(&[2.0, 3.0], &[1.0, 10.0, 100.0, 1000.0, 4.0, 5.0, 6.0, 7.0], 2);
        assert_eq!(values(&made), [302.0, 3020.0, 26.0, 31.0]);
    }
}
