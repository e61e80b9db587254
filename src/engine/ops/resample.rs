//! Nearest upsampling to an odd size.

use super::memory::{read, tensor};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

/// Nearest upsampling by two, cut to `high` x `wide`: (height, width, channels) to a new tensor.
pub(crate) fn upsample(x: &Tensor, (high, wide): (usize, usize)) -> Result<Tensor> {
    let (height, width, channels) = x.dims3()?;
    if high.div_ceil(2) != height || wide.div_ceil(2) != width {
        bail!("{:?} is not half of {high} x {wide}", x.dims());
    }
    let mut out = vec![0.0; high * wide * channels];
    if channels > 0 && wide > 0 {
        read(x, |x| {
            out.par_chunks_mut(wide * channels).enumerate().for_each(|(y, line)| {
                for (at, position) in line.chunks_exact_mut(channels).enumerate() {
                    position.copy_from_slice(&x[(y / 2 * width + at / 2) * channels..][..channels]);
                }
            });
        })?;
    }
    tensor(out, (high, wide, channels))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(n: usize, salt: usize) -> Vec<f32> {
        (0..n).map(|i| ((i + salt) * 7919 % 1999) as f32 / 1000.0 - 1.0).collect()
    }

    #[test]
    fn an_odd_size_is_reached_by_cutting_what_is_too_much() {
        let x = tensor(values(2 * 3 * 2, 1), (2, 3, 2)).unwrap();
        for (high, wide) in [(3, 5), (4, 6), (3, 6), (4, 5)] {
            let out = upsample(&x, (high, wide)).unwrap();
            let all = read(&x, <[f32]>::to_vec).unwrap();
            read(&out, |out| {
                for (i, &got) in out.iter().enumerate() {
                    let (y, x0, c) = (i / 2 / wide, i / 2 % wide, i % 2);
                    assert_eq!(got, all[(y / 2 * 3 + x0 / 2) * 2 + c]);
                }
            })
            .unwrap();
        }
        assert!(upsample(&x, (5, 6)).is_err());
    }
}
