//! Norms over rows and channel groups, rotary positions, residual sums: in place where the graph allows.

#![expect(unsafe_code, reason = "tasks read disjoint parts")]

use super::math;
use super::memory::{Shared, read, tensor, update};
use crate::planner::footprint::ops::NORM_PARTS;
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::{ParallelSlice as _, ParallelSliceMut as _};

/// Rows of one task.
const TASK: usize = 16;

/// `x / rms(x) * weight`, times `scale` where given: (rows, dim) to a new tensor.
pub(crate) fn rms_norm(x: &Tensor, weight: &[f32], eps: f64, scale: Option<&[f32]>) -> Result<Tensor> {
    let (rows, dim) = x.dims2()?;
    check(dim, weight.len())?;
    let mut out = vec![0.0; rows * dim];
    read(x, |x| {
        out.par_chunks_mut(dim * TASK).zip(x.par_chunks(dim * TASK)).for_each(|(out, x)| {
            for (out, x) in out.chunks_exact_mut(dim).zip(x.chunks_exact(dim)) {
                let factor = rms_factor(x, eps);
                match scale {
                    Some(scale) => {
                        for (((out, &x), &w), &s) in out.iter_mut().zip(x).zip(weight).zip(scale) {
                            *out = x * factor * w * s;
                        }
                    }
                    None => {
                        for ((out, &x), &w) in out.iter_mut().zip(x).zip(weight) {
                            *out = x * factor * w;
                        }
                    }
                }
            }
        });
    })?;
    tensor(out, (rows, dim))
}

/// `into += gate * (x / rms(x) * weight)`, in place.
pub(crate) fn rms_norm_add(x: &Tensor, weight: &[f32], eps: f64, gate: Option<&[f32]>, into: &Tensor) -> Result<()> {
    let (rows, dim) = x.dims2()?;
    check(dim, weight.len())?;
    if into.dims2()? != (rows, dim) {
        bail!("{:?} cannot be added to {:?}", x.dims(), into.dims());
    }
    read(x, |x| {
        update(into, |into| {
            into.par_chunks_mut(dim * TASK).zip(x.par_chunks(dim * TASK)).for_each(|(into, x)| {
                for (into, x) in into.chunks_exact_mut(dim).zip(x.chunks_exact(dim)) {
                    let factor = rms_factor(x, eps);
                    for (i, (into, &x)) in into.iter_mut().zip(x).enumerate() {
                        *into += gate.map_or(1.0, |gate| gate[i]) * (x * factor * weight[i]);
                    }
                }
            });
        })
    })?
}

fn rms_factor(x: &[f32], eps: f64) -> f32 {
    1.0 / (math::sum_squares(x) / x.len() as f32 + eps as f32).sqrt()
}

/// `(x - mean) / deviation * scale`: a layer norm without weights of its own, to a new tensor.
pub(crate) fn layer_norm(x: &Tensor, eps: f64, scale: &[f32]) -> Result<Tensor> {
    normed(x, eps, scale, None)
}

/// `(x - mean) / deviation * weight + bias`, to a new tensor.
pub(crate) fn layer_norm_affine(x: &Tensor, eps: f64, weight: &[f32], bias: &[f32]) -> Result<Tensor> {
    check(weight.len(), bias.len())?;
    normed(x, eps, weight, Some(bias))
}

fn normed(x: &Tensor, eps: f64, scale: &[f32], bias: Option<&[f32]>) -> Result<Tensor> {
    let (rows, dim) = x.dims2()?;
    check(dim, scale.len())?;
    let mut out = vec![0.0; rows * dim];
    read(x, |x| {
        out.par_chunks_mut(dim * TASK).zip(x.par_chunks(dim * TASK)).for_each(|(out, x)| {
            for (out, x) in out.chunks_exact_mut(dim).zip(x.chunks_exact(dim)) {
                let mean = math::sum(x) / dim as f32;
                for (out, &x) in out.iter_mut().zip(x) {
                    *out = x - mean;
                }
                let factor = 1.0 / (math::sum_squares(out) / dim as f32 + eps as f32).sqrt();
                for (out, &s) in out.iter_mut().zip(scale) {
                    *out *= factor * s;
                }
                for (out, &b) in out.iter_mut().zip(bias.unwrap_or_default()) {
                    *out += b;
                }
            }
        });
    })?;
    tensor(out, (rows, dim))
}

fn check(dim: usize, weights: usize) -> Result<()> {
    if dim != weights {
        bail!("a norm of {weights} values cannot take {dim}");
    }
    Ok(())
}

/// Angles of rotary positions: for each token, the cosines and then the sines of `head_dim / 2` pairs.
pub(crate) struct Rope {
    values: Vec<f32>,
    head_dim: usize,
}

impl Rope {
    /// `axes` are the rotary dimensions of each coordinate; a token's position has one value an axis.
    pub(crate) fn new<const N: usize>(
        theta: f64,
        axes: [usize; N],
        positions: impl ExactSizeIterator<Item = [usize; N]>,
    ) -> Self {
        let head_dim: usize = axes.iter().sum();
        let half = head_dim / 2;
        let mut values = vec![0.0; positions.len() * head_dim];
        for (row, position) in values.chunks_exact_mut(head_dim).zip(positions) {
            let mut at = 0;
            for (&dim, &position) in axes.iter().zip(&position) {
                for i in 0..dim / 2 {
                    let frequency = theta.powf(-((2 * i) as f64) / dim as f64);
                    // Rounded to f32 before the cosine, as the reference does.
                    let angle = f64::from((position as f64 * frequency) as f32);
                    row[at] = angle.cos() as f32;
                    row[half + at] = angle.sin() as f32;
                    at += 1;
                }
            }
        }
        Self { values, head_dim }
    }
}

/// Which values of a head turn together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// 2i with 2i + 1 (complex numbers).
    Neighbours,
    /// i with i + half ("rotate half").
    Halves,
}

/// Norms each head of `x` (rows, heads * `head_dim`) and turns it to its position, in place.
///
/// Row 0 of `x` is token `first` of the table.
pub(crate) fn head_norm_rope(
    x: &Tensor,
    weight: &[f32],
    eps: f64,
    rope: &Rope,
    first: usize,
    pairing: Pairing,
) -> Result<()> {
    let (rows, width) = x.dims2()?;
    let d = rope.head_dim;
    check(d, weight.len())?;
    if !width.is_multiple_of(d) || (first + rows) * d > rope.values.len() {
        bail!("{rows} rows of {width} do not fit heads of {d} with {} positions", rope.values.len() / d.max(1));
    }
    update(x, |x| {
        x.par_chunks_mut(width * TASK).enumerate().for_each(|(task, x)| {
            for (r, row) in x.chunks_exact_mut(width).enumerate() {
                let token = first + task * TASK + r;
                let (cos, sin) = rope.values[token * d..(token + 1) * d].split_at(d / 2);
                for head in row.chunks_exact_mut(d) {
                    let factor = rms_factor(head, eps);
                    for (x, &w) in head.iter_mut().zip(weight) {
                        *x *= factor * w;
                    }
                    for i in 0..d / 2 {
                        let (a, b) = match pairing {
                            Pairing::Neighbours => (2 * i, 2 * i + 1),
                            Pairing::Halves => (i, i + d / 2),
                        };
                        let (x, y) = (head[a], head[b]);
                        head[a] = x * cos[i] - y * sin[i];
                        head[b] = x * sin[i] + y * cos[i];
                    }
                }
            }
        });
    })
}

/// `gate = silu(gate) * up`, in place.
pub(crate) fn silu_multiply(gate: &Tensor, up: &Tensor) -> Result<()> {
    if gate.dims() != up.dims() {
        bail!("{:?} cannot gate {:?}", gate.dims(), up.dims());
    }
    read(up, |up| {
        update(gate, |gate| {
            gate.par_chunks_mut(1 << 14).zip(up.par_chunks(1 << 14)).for_each(|(gate, up)| {
                math::silu_multiply(gate, up);
            });
        })
    })?
}

/// What a group norm does to each channel once its statistics are known: `x * scale + shift`.
pub(crate) struct Affine {
    pub scale: Vec<f32>,
    pub shift: Vec<f32>,
}

pub(crate) struct GroupNorm {
    pub groups: usize,
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
    pub eps: f64,
}

impl GroupNorm {
    /// What the norm does to `x` (positions..., channels).
    pub(crate) fn affine(&self, x: &Tensor) -> Result<Affine> {
        Ok(self.affine_of(&self.sums(x)?))
    }

    /// Sums over no positions, to add to.
    pub(crate) fn no_sums(&self) -> Sums {
        Sums { positions: 0, channels: vec![[0.0; 2]; self.weight.len()] }
    }

    /// Sums over all positions of `x` (positions..., channels).
    pub(crate) fn sums(&self, x: &Tensor) -> Result<Sums> {
        let channels = self.weight.len();
        let Some(&last) = x.dims().last() else { bail!("a group norm needs channels") };
        check(last, channels)?;
        let positions = x.elem_count() / channels.max(1);
        // The parts are fixed, so the result is the same on any thread count.
        let mut parts = vec![[0.0_f64; 2]; NORM_PARTS * channels];
        let part = positions.div_ceil(NORM_PARTS).max(1);
        read(x, |x| {
            parts.par_chunks_mut(channels).enumerate().for_each(|(p, sums)| {
                let (from, to) = ((p * part).min(positions), ((p + 1) * part).min(positions));
                for row in x[from * channels..to * channels].chunks_exact(channels) {
                    math::add_moments(sums, row);
                }
            });
        })?;
        let mut all = self.no_sums();
        for part in parts.chunks_exact(channels) {
            all.add_channels(part);
        }
        Ok(Sums { positions, ..all })
    }

    /// What the norm does, given the sums of a whole picture.
    pub(crate) fn affine_of(&self, sums: &Sums) -> Affine {
        let channels = self.weight.len();
        let group = channels / self.groups;
        let mut affine = Affine { scale: vec![0.0; channels], shift: vec![0.0; channels] };
        for g in 0..self.groups {
            let own = &sums.channels[g * group..(g + 1) * group];
            let (sum, squares) = own.iter().fold((0.0, 0.0), |(a, b), [s, q]| (a + s, b + q));
            let count = (sums.positions * group) as f64;
            let mean = sum / count;
            let factor = 1.0 / ((squares / count - mean * mean).max(0.0) + self.eps).sqrt();
            for c in g * group..(g + 1) * group {
                affine.scale[c] = (f64::from(self.weight[c]) * factor) as f32;
                affine.shift[c] = (f64::from(self.bias[c]) - mean * f64::from(self.weight[c]) * factor) as f32;
            }
        }
        affine
    }
}

/// Sums and sums of squares of each channel, in f64.
pub(crate) struct Sums {
    positions: usize,
    channels: Vec<[f64; 2]>,
}

impl Sums {
    /// Adds those of other positions.
    pub(crate) fn add(&mut self, other: &Self) {
        self.positions += other.positions;
        self.add_channels(&other.channels);
    }

    fn add_channels(&mut self, other: &[[f64; 2]]) {
        for (sum, other) in self.channels.iter_mut().zip(other) {
            sum[0] += other[0];
            sum[1] += other[1];
        }
    }
}

/// `x * scale + shift` channel by channel, to a new tensor of two dimensions (positions, channels).
pub(crate) fn apply_affine(x: &Tensor, affine: &Affine) -> Result<Tensor> {
    let channels = affine.scale.len();
    let n = x.elem_count();
    let mut out = vec![0.0; n];
    read(x, |x| {
        let shared = Shared::new(&mut out);
        let positions = n / channels;
        (0..positions.div_ceil(256)).into_par_iter().for_each(|task| {
            let (from, to) = (task * 256 * channels, ((task + 1) * 256).min(positions) * channels);
            // SAFETY: tasks cover disjoint positions.
            let out = unsafe { shared.part(from, to - from) };
            for (out, x) in out.chunks_exact_mut(channels).zip(x[from..to].chunks_exact(channels)) {
                for (i, (out, &x)) in out.iter_mut().zip(x).enumerate() {
                    *out = x * affine.scale[i] + affine.shift[i];
                }
            }
        });
    })?;
    tensor(out, (n / channels, channels))
}
