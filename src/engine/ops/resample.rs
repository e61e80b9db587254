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
