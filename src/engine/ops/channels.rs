//! Pieces of networks that only move or shift values: biases by channel, copies, skips laid beside a stream.

use super::memory::{read, tensor, update};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};

/// Positions of one task.
const TASK: usize = 256;

/// `x += bias` at every position of `x` (positions..., channels), in place.
pub(crate) fn add_bias(x: &Tensor, bias: &[f32]) -> Result<()> {
    if x.dims().last() != Some(&bias.len()) || bias.is_empty() {
        bail!("a bias of {} values cannot be added to {:?}", bias.len(), x.dims());
    }
    update(x, |x| {
        x.par_chunks_mut(bias.len() * TASK).for_each(|x| {
            for row in x.chunks_exact_mut(bias.len()) {
                for (x, &bias) in row.iter_mut().zip(bias) {
                    *x += bias;
                }
            }
        });
    })
}

/// A tensor of its own with the same values.
pub(crate) fn copy(x: &Tensor) -> Result<Tensor> {
    let values = read(x, <[f32]>::to_vec)?;
    tensor(values, x.dims())
}

/// `a` and `b` side by side: (positions..., n) and (positions..., m) to a new (positions..., n + m).
pub(crate) fn beside(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (Some((&n, places)), Some((&m, others))) = (a.dims().split_last(), b.dims().split_last()) else {
        bail!("scalars have no sides");
    };
    if places != others {
        bail!("{:?} cannot stand beside {:?}", b.dims(), a.dims());
    }
    let mut shape = places.to_vec();
    shape.push(n + m);
    let mut out = vec![0.0; shape.iter().product()];
    if n > 0 && m > 0 {
        read(a, |a| {
            read(b, |b| {
                let parts = a.par_chunks(n * TASK).zip(b.par_chunks(m * TASK));
                out.par_chunks_mut((n + m) * TASK).zip(parts).for_each(|(out, (a, b))| {
                    let rows = a.chunks_exact(n).zip(b.chunks_exact(m));
                    for (out, (a, b)) in out.chunks_exact_mut(n + m).zip(rows) {
                        let (left, right) = out.split_at_mut(n);
                        left.copy_from_slice(a);
                        right.copy_from_slice(b);
                    }
                });
            })
        })??;
    }
    tensor(out, shape)
}

#[cfg(test)]
mod tests {
    use super::super::books::{TURN, equal, measure};
    use super::*;
    use crate::units::Bytes;

    #[test]
    fn values_are_moved_and_shifted_and_nothing_else_is_held() {
        let _turn = TURN.lock();
        for (places, n, m) in [(1, 1, 1), (600, 3, 5), (1500, 200, 300)] {
            let of = |len: usize, from: f32| (0..len).map(|i| i as f32 + from).collect::<Vec<_>>();
            let (a, b) = (of(places * n, 0.5), of(places * m, -7.0));
            let (x, y) = (tensor(a.clone(), (places, n)).unwrap(), tensor(b.clone(), (places, m)).unwrap());
            let (taken, both) = measure(2, || beside(&x, &y).unwrap());
            equal("beside", taken, Bytes::f32s(places * (n + m)));
            read(&both, |both| {
                for (row, both) in both.chunks(n + m).enumerate() {
                    assert_eq!(both[..n], a[row * n..(row + 1) * n]);
                    assert_eq!(both[n..], b[row * m..(row + 1) * m]);
                }
            })
            .unwrap();
            let (taken, twin) = measure(2, || copy(&x).unwrap());
            equal("copy", taken, Bytes::f32s(places * n));
            let bias = of(n, 1.0);
            let (taken, ()) = measure(2, || add_bias(&x, &bias).unwrap());
            equal("add_bias", taken, Bytes::ZERO);
            read(&x, |x| assert!(x.iter().enumerate().all(|(i, &x)| x == a[i] + bias[i % n]))).unwrap();
            read(&twin, |twin| assert_eq!(twin, a)).unwrap();
            assert!(add_bias(&y, &vec![0.0; m + 1]).is_err());
        }
    }
}
