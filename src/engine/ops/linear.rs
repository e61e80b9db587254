//! Dense layers: activations times stored weights, a packed panel of columns at a time.

#![expect(unsafe_code, reason = "tasks write disjoint parts of the output")]

use super::kernel::{self, Operands};
use super::memory::{Shared, read, tensor, update};
use super::weight::{Linear, Weight};
use crate::planner::footprint::ops::{ROWS, STRIP, TASK_ROWS, panel_columns};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

/// `x * w^T + bias`: (rows, k) to (rows, n).
pub(crate) fn linear(x: &Tensor, layer: &Linear) -> Result<Tensor> {
    let (rows, k) = x.dims2()?;
    let n = check(k, &layer.weight)?;
    let mut out = vec![0.0; rows * n];
    read(x, |x| product(x, rows, layer, &mut out, Store::Set))?;
    tensor(out, (rows, n))
}

/// `into += x * w^T + bias`, in place.
pub(crate) fn linear_add(x: &Tensor, layer: &Linear, into: &Tensor) -> Result<()> {
    let (rows, k) = x.dims2()?;
    let n = check(k, &layer.weight)?;
    if into.dims2()? != (rows, n) {
        bail!("a product of {rows} x {n} cannot be added to {:?}", into.dims());
    }
    read(x, |x| update(into, |out| product(x, rows, layer, out, Store::Add)))?
}

/// `w * x + bias` for a single vector.
pub(crate) fn linear_vector(x: &[f32], layer: &Linear) -> Result<Vec<f32>> {
    let n = check(x.len(), &layer.weight)?;
    let mut out = vec![0.0; n];
    product(x, 1, layer, &mut out, Store::Set);
    Ok(out)
}

fn check(k: usize, weight: &Weight) -> Result<usize> {
    if weight.columns() != k {
        bail!("a layer of {} inputs cannot take {k}", weight.columns());
    }
    Ok(weight.rows())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Store {
    Set,
    Add,
}

fn product(x: &[f32], rows: usize, layer: &Linear, out: &mut [f32], store: Store) {
    let weight = &layer.weight;
    let (k, n) = (weight.columns(), weight.rows());
    if rows == 0 || n == 0 {
        return;
    }
    let isa = kernel::isa();
    let columns = panel_columns(k, n);
    let mut panel = vec![0.0_f32; k * columns];
    let row_blocks = rows.div_ceil(TASK_ROWS);
    let out = Shared::new(out);
    for first in (0..n).step_by(columns) {
        let strips = (n - first).min(columns).div_ceil(STRIP);
        panel.par_chunks_mut(k * STRIP).take(strips).enumerate().for_each(|(s, strip)| {
            weight.pack(first + s * STRIP, 1, strip);
        });
        // Few rows: share the strips out as well, so that every thread has work. Sums do not depend on it.
        let groups = (4 * rayon::current_num_threads()).div_ceil(row_blocks).clamp(1, strips);
        let group = strips.div_ceil(groups);
        (0..row_blocks * groups).into_par_iter().for_each(|task| {
            let (block, part) = (task / groups, task % groups);
            let last_row = rows.min((block + 1) * TASK_ROWS);
            for s in part * group..strips.min((part + 1) * group) {
                let column = first + s * STRIP;
                let width = STRIP.min(n - column);
                let strip = &panel[s * k * STRIP..(s + 1) * k * STRIP];
                for row in (block * TASK_ROWS..last_row).step_by(ROWS) {
                    let count = ROWS.min(last_row - row);
                    let mut sums = [0.0; ROWS * STRIP];
                    let op = Operands { rows: x[row * k..].as_ptr(), stride: k, k, strip: strip.as_ptr() };
                    // SAFETY: `count` rows of `k` values follow in `x`, the strip is whole.
                    unsafe { kernel::multiply(isa, op, count, &mut sums) };
                    for (r, sums) in sums.chunks_exact(STRIP).take(count).enumerate() {
                        // SAFETY: this task alone writes these rows and columns.
                        let out = unsafe { out.part((row + r) * n + column, width) };
                        finish(out, sums, layer.bias.as_deref().map(|bias| &bias[column..]), store);
                    }
                }
            }
        });
    }
}

fn finish(out: &mut [f32], sums: &[f32], bias: Option<&[f32]>, store: Store) {
    for (i, (out, &sum)) in out.iter_mut().zip(sums).enumerate() {
        let value = sum + bias.map_or(0.0, |bias| bias[i]);
        *out = if store == Store::Add { *out + value } else { value };
    }
}
