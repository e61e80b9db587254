//! Gates of diffusion transformers and T5: the tanh form of the Gaussian error gate, gated residual sums.

use super::math;
use super::memory::{read, update};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};

/// Values of one task.
const TASK: usize = 1 << 14;
/// Rows of one task.
const ROWS: usize = 16;

/// `x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3)))` (Hendrycks and Gimpel, 2016), which is `x` times a sigmoid.
fn tanh_gelu_value(x: f32) -> f32 {
    const SLOPE: f32 = 2.0 * 0.797_884_6;
    x / (1.0 + math::exp(-SLOPE * (x + 0.044_715 * x * x * x)))
}

/// The tanh form of the Gaussian error gate, in place.
pub(crate) fn tanh_gelu(x: &Tensor) -> Result<()> {
    update(x, |x| {
        x.par_chunks_mut(TASK).for_each(|x| {
            for x in x {
                *x = tanh_gelu_value(*x);
            }
        });
    })
}

/// `gate = gelu(gate) * up` with the tanh form, in place.
pub(crate) fn tanh_gelu_multiply(gate: &Tensor, up: &Tensor) -> Result<()> {
    if gate.dims() != up.dims() {
        bail!("{:?} cannot gate {:?}", gate.dims(), up.dims());
    }
    read(up, |up| {
        update(gate, |gate| {
            gate.par_chunks_mut(TASK).zip(up.par_chunks(TASK)).for_each(|(gate, up)| {
                for (gate, &up) in gate.iter_mut().zip(up) {
                    *gate = tanh_gelu_value(*gate) * up;
                }
            });
        })
    })?
}

/// `into += gate * x`, the gate being one value a column, in place.
pub(crate) fn gated_add(x: &Tensor, gate: &[f32], into: &Tensor) -> Result<()> {
    if x.dims() != into.dims() || x.dims().last() != Some(&gate.len()) || gate.is_empty() {
        bail!("{:?} with a gate of {} cannot be added to {:?}", x.dims(), gate.len(), into.dims());
    }
    let width = gate.len();
    read(x, |x| {
        update(into, |into| {
            into.par_chunks_mut(width * ROWS).zip(x.par_chunks(width * ROWS)).for_each(|(into, x)| {
                for (into, x) in into.chunks_exact_mut(width).zip(x.chunks_exact(width)) {
                    for ((into, &x), &gate) in into.iter_mut().zip(x).zip(gate) {
                        *into += gate * x;
                    }
                }
            });
        })
    })?
}
