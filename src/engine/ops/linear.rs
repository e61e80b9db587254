//! Dense layers: activations times stored weights, a packed panel of columns at a time.

#![expect(unsafe_code, reason = "tasks write disjoint parts of the output")]

use super::kernel::{self, Operands, Start, Target};
use super::math;
use super::memory::{Shared, read, tensor, update};
use super::weight::{Linear, Weight};
use crate::planner::footprint::ops::{HALF, K_BLOCK, STRIP, TASK_ROWS, panel_columns};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

/// `x * w^T + bias`: (rows, k) to (rows, n).
pub(crate) fn linear(x: &Tensor, layer: &Linear) -> Result<Tensor> {
    let (rows, k) = x.dims2()?;
    let n = check(k, &layer.weight)?;
    let mut out = vec![0.0; rows * n];
    read(x, |x| product(x, rows, &layer.weight, layer.bias.as_deref(), &mut out))?;
    tensor(out, (rows, n))
}

/// `into += x * w^T + bias`, in place.
pub(crate) fn linear_add(x: &Tensor, layer: &Linear, into: &Tensor) -> Result<()> {
    let (rows, k) = x.dims2()?;
    let n = check(k, &layer.weight)?;
    if into.dims2()? != (rows, n) {
        bail!("a product of {rows} x {n} cannot be added to {:?}", into.dims());
    }
    read(x, |x| update(into, |out| product(x, rows, &layer.weight, layer.bias.as_deref(), out)))?
}

/// `w * x + bias` for a single vector.
pub(crate) fn linear_vector(x: &[f32], layer: &Linear) -> Result<Vec<f32>> {
    let n = check(x.len(), &layer.weight)?;
    let mut out = vec![0.0; n];
    product(x, 1, &layer.weight, layer.bias.as_deref(), &mut out);
    Ok(out)
}

fn check(k: usize, weight: &Weight) -> Result<usize> {
    if weight.columns() != k {
        bail!("a layer of {} inputs cannot take {k}", weight.columns());
    }
    Ok(weight.rows())
}

/// `out += x * w^T + bias`, and what lies beside the weights.
pub(super) fn product(x: &[f32], rows: usize, weight: &Weight, bias: Option<&[f32]>, out: &mut [f32]) {
    let (k, n) = (weight.columns(), weight.rows());
    if rows == 0 || n == 0 {
        return;
    }
    let mut panel = vec![0.0_f32; k * panel_columns(k, n)];
    // Pairs take half the space, so that twice as many columns fit.
    let packed = weight.packed(1);
    let (lines, columns) = (k / packed, packed * panel_columns(k, n));
    let row_blocks = rows.div_ceil(TASK_ROWS);
    let shared = Shared::new(out);
    for first in (0..n).step_by(columns) {
        let strips = (n - first).min(columns).div_ceil(STRIP);
        panel.par_chunks_mut(lines * HALF).take(2 * strips).enumerate().for_each(|(h, half)| {
            weight.pack(first + h * HALF, 1, half);
        });
        // Few rows: share the strips out as well, so that every thread has work. Sums do not depend on it.
        let groups = (4 * rayon::current_num_threads()).div_ceil(row_blocks).clamp(1, strips);
        let group = strips.div_ceil(groups);
        (0..row_blocks * groups).into_par_iter().for_each(|task| {
            let (block, part) = (task / groups, task % groups);
            let (from, to) = (part * group, strips.min((part + 1) * group));
            if from >= to {
                return;
            }
            let row = block * TASK_ROWS;
            let work = Work {
                x: &x[row * k..],
                count: TASK_ROWS.min(rows - row),
                k,
                packed,
                out: shared.offset(row * n),
                n,
                column: first + from * STRIP,
                end: n.min(first + to * STRIP),
                panel: &panel[from * STRIP * lines..],
                bias,
            };
            // SAFETY: this task alone has these rows and columns.
            unsafe { work.run() };
        });
    }
    let room = panel.len();
    drop(panel);
    for side in weight.sides() {
        side.add(x, rows, room, out);
    }
}

/// One task: some rows times some strips of a panel.
struct Work<'a> {
    x: &'a [f32],
    /// Rows.
    count: usize,
    k: usize,
    /// Values in one of the panel.
    packed: usize,
    /// From the first of the rows on.
    out: Shared,
    n: usize,
    /// Columns from this one to `end`.
    column: usize,
    end: usize,
    /// From the first of the columns on.
    panel: &'a [f32],
    bias: Option<&'a [f32]>,
}

impl Work<'_> {
    /// # Safety
    /// Nobody else may touch these rows and columns of the output.
    unsafe fn run(&self) {
        let width = self.end - self.column;
        if let Some(bias) = self.bias {
            for r in 0..self.count {
                // SAFETY: passed on from the caller.
                let out = unsafe { self.out.part(r * self.n + self.column, width) };
                for (out, &bias) in out.iter_mut().zip(&bias[self.column..]) {
                    *out += bias;
                }
            }
        }
        let lines = self.k / self.packed;
        if self.packed == 1 {
            for from in (0..lines).step_by(K_BLOCK) {
                // SAFETY: passed on from the caller.
                unsafe { self.stretch(&self.x[from..], self.k, from, K_BLOCK.min(lines - from)) };
            }
        } else {
            #[expect(clippy::large_stack_arrays, reason = "96 KiB on the stack of a compute thread, which has 2 MiB")]
            let mut pairs = [0.0; TASK_ROWS * K_BLOCK];
            for from in (0..lines).step_by(K_BLOCK) {
                let count = K_BLOCK.min(lines - from);
                for (r, pairs) in pairs.chunks_exact_mut(K_BLOCK).take(self.count).enumerate() {
                    math::pair_bf16(&self.x[r * self.k + 2 * from..][..2 * count], &mut pairs[..count]);
                }
                // SAFETY: passed on from the caller.
                unsafe { self.stretch(&pairs, K_BLOCK, from, count) };
            }
        }
    }

    /// Adds the products of lines `from..from + count` of the panel with `rows`, which start there and lie `stride`
    /// apart.
    ///
    /// # Safety
    /// As [`Self::run`].
    unsafe fn stretch(&self, rows: &[f32], stride: usize, from: usize, count: usize) {
        let isa = kernel::isa();
        let lines = self.k / self.packed;
        for column in (self.column..self.end).step_by(STRIP) {
            let strip = &self.panel[(column - self.column) * lines..][..STRIP * lines];
            let width = STRIP.min(self.end - column);
            let op = Operands {
                rows: rows.as_ptr(),
                stride,
                k: count,
                strip: strip[from * HALF..].as_ptr(),
                half: lines * HALF,
                pairs: self.packed == 2,
            };
            let at = self.out.writable(column, (self.count - 1) * self.n + width);
            // SAFETY: all rows are there, the strip is whole, and the caller has the output.
            unsafe { kernel::multiply(isa, op, Target { at, stride: self.n }, self.count, width, Start::Target) };
        }
    }
}
