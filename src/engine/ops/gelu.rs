//! Gaussian error gates (Hendrycks and Gimpel, 2016; GEGLU: Shazeer, 2020).

use super::math;
use super::memory::{read, tensor, update};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};

/// Values of one task.
const TASK: usize = 1 << 14;
/// Rows of one task of a gate.
const ROWS: usize = 8;

/// `x = x * P(N < x)`, in place.
pub(crate) fn gelu(x: &Tensor) -> Result<()> {
    update(x, |x| x.par_chunks_mut(TASK).for_each(math::gelu))
}

/// `x = x * sigmoid(1.702 x)`, in place.
pub(crate) fn quick_gelu(x: &Tensor) -> Result<()> {
    update(x, |x| x.par_chunks_mut(TASK).for_each(math::quick_gelu))
}

/// The first half of each row times the gate of its second half: (rows, 2 n) to a new (rows, n).
pub(crate) fn geglu(x: &Tensor) -> Result<Tensor> {
    let (rows, width) = x.dims2()?;
    if !width.is_multiple_of(2) {
        bail!("a row of {width} has no halves");
    }
    let n = width / 2;
    let mut out = vec![0.0; rows * n];
    if n > 0 {
        read(x, |x| {
            out.par_chunks_mut(n * ROWS).zip(x.par_chunks(width * ROWS)).for_each(|(out, x)| {
                for (out, x) in out.chunks_exact_mut(n).zip(x.chunks_exact(width)) {
                    let (value, gate) = x.split_at(n);
                    math::geglu(out, value, gate);
                }
            });
        })?;
    }
    tensor(out, (rows, n))
}
