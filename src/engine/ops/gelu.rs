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

#[cfg(test)]
mod tests {
    use super::super::books::{TURN, equal, measure};
    use super::*;
    use crate::units::Bytes;

    #[test]
    fn gates_are_right_and_take_their_output_only() {
        let _turn = TURN.lock();
        for (rows, n) in [(1, 1), (7, 33), (300, 1000), (3, 0), (0, 5)] {
            let values: Vec<f32> = (0..rows * 2 * n).map(|i| (i * 37 % 401) as f32 / 50.0 - 4.0).collect();
            let x = tensor(values.clone(), (rows, 2 * n)).unwrap();
            let (taken, out) = measure(2, || geglu(&x).unwrap());
            equal("geglu", taken, Bytes::f32s(rows * n));
            let gate = |v: f32| v * (0.5 + 0.5 * erf(f64::from(v) / std::f64::consts::SQRT_2)) as f32;
            read(&out, |out| {
                for (i, &got) in out.iter().enumerate() {
                    let (row, column) = (i / n, i % n);
                    let want = values[row * 2 * n + column] * gate(values[row * 2 * n + n + column]);
                    assert!((got - want).abs() < 1e-5, "{got} {want}");
                }
            })
            .unwrap();
            if values.is_empty() {
                continue;
            }
            let (taken, ()) = measure(2, || gelu(&x).unwrap());
            equal("gelu", taken, Bytes::ZERO);
            read(&x, |x| assert!(x.iter().zip(&values).all(|(got, v)| (got - gate(*v)).abs() < 1e-6))).unwrap();
            let x = tensor(values.clone(), (rows, 2 * n)).unwrap();
            quick_gelu(&x).unwrap();
            let quick = |v: f32| v / (1.0 + (-1.702 * v).exp());
            read(&x, |x| assert!(x.iter().zip(&values).all(|(got, v)| (got - quick(*v)).abs() < 1e-6))).unwrap();
        }
        assert!(geglu(&tensor(vec![0.0; 3], (1, 3)).unwrap()).is_err());
    }

    /// The error function by its series, for arguments of a few units.
    fn erf(x: f64) -> f64 {
        let mut term = x;
        let mut sum = x;
        for n in 1..200 {
            term *= -x * x / f64::from(n);
            sum += term / f64::from(2 * n + 1);
        }
        sum * 2.0 / std::f64::consts::PI.sqrt()
    }
}
