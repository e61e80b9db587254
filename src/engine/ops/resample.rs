//! Steps between resolutions: a convolution at every second position, and nearest upsampling to an odd size.

use super::linear::linear_add;
use super::memory::{read, tensor};
use super::weight::Linear;
use crate::planner::footprint::ops::DOWNSAMPLE_ROWS;
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

/// Kernel positions.
const TAPS: usize = 9;

/// A convolution of 3 x 3 with stride 2 and a border of one: (height, width, channels) to half of each, rounded up.
///
/// A few hundred output positions at a time are gathered with their neighbourhoods, in the order of the stored
/// weights (channel, then kernel position), and multiplied.
pub(crate) fn downsample(x: &Tensor, layer: &Linear) -> Result<Tensor> {
    let (height, width, channels) = x.dims3()?;
    let k = TAPS * channels;
    if layer.weight.columns() != k {
        bail!("a step down of {} inputs cannot take {channels} channels", layer.weight.columns());
    }
    let (high, wide, outputs) = (height.div_ceil(2), width.div_ceil(2), layer.weight.rows());
    let out = tensor(vec![0.0; high * wide * outputs], (high, wide, outputs))?;
    let flat = out.reshape((high * wide, outputs))?;
    for first in (0..high * wide).step_by(DOWNSAMPLE_ROWS) {
        let count = DOWNSAMPLE_ROWS.min(high * wide - first);
        let mut rows = vec![0.0_f32; count * k];
        read(x, |x| {
            rows.par_chunks_mut(k).enumerate().for_each(|(row, into)| {
                let (y, x0) = ((first + row) / wide * 2, (first + row) % wide * 2);
                for tap in 0..TAPS {
                    // One before and one behind; what wraps around lies outside as well.
                    let (sy, sx) = ((y + tap / 3).wrapping_sub(1), (x0 + tap % 3).wrapping_sub(1));
                    if sy >= height || sx >= width {
                        continue;
                    }
                    let source = &x[(sy * width + sx) * channels..][..channels];
                    for (into, &value) in into[tap..].iter_mut().step_by(TAPS).zip(source) {
                        *into = value;
                    }
                }
            });
        })?;
        linear_add(&tensor(rows, (count, k))?, layer, &flat.narrow(0, first, count)?)?;
    }
    Ok(out)
}

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
    use super::super::books::{TURN, equal, measure};
    use super::super::weight::Weight;
    use super::*;
    use crate::model::Precision;
    use crate::planner::footprint::ops as stated;
    use crate::units::Bytes;

    fn values(n: usize, salt: usize) -> Vec<f32> {
        (0..n).map(|i| ((i + salt) * 7919 % 1999) as f32 / 1000.0 - 1.0).collect()
    }

    #[test]
    fn a_step_down_is_right_and_takes_what_is_stated() {
        let _turn = TURN.lock();
        for (height, width, from, to) in [(1, 1, 1, 1), (5, 7, 3, 4), (8, 6, 16, 40), (70, 65, 40, 24)] {
            let (x, w, bias) = (values(height * width * from, 1), values(to * from * 9, 2), values(to, 3));
            let bytes = w.iter().flat_map(|v| v.to_le_bytes()).collect();
            let weight = Weight::new(Precision::F32, to, from * 9, bytes).unwrap();
            let layer = Linear { weight, bias: Some(bias.clone()) };
            let input = tensor(x.clone(), (height, width, from)).unwrap();
            let (taken, out) = measure(2, || downsample(&input, &layer).unwrap());
            let (high, wide) = (height.div_ceil(2), width.div_ceil(2));
            let places = high * wide;
            equal("downsample", taken, Bytes::f32s(places * to) + stated::downsample(from, to, places));
            assert_eq!(out.dims(), [high, wide, to]);
            read(&out, |out| {
                for (i, &got) in out.iter().enumerate() {
                    let (y, x0, c) = (i / to / wide, i / to % wide, i % to);
                    let mut want = f64::from(bias[c]);
                    for tap in 0..9 {
                        let (sy, sx) = ((2 * y + tap / 3).wrapping_sub(1), (2 * x0 + tap % 3).wrapping_sub(1));
                        if sy < height && sx < width {
                            let each = (0..from).map(|p| {
                                f64::from(x[(sy * width + sx) * from + p]) * f64::from(w[(c * from + p) * 9 + tap])
                            });
                            want += each.sum::<f64>();
                        }
                    }
                    assert!((f64::from(got) - want).abs() < 1e-3, "{height}x{width} {from} {to}: {got} {want}");
                }
            })
            .unwrap();
        }
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
