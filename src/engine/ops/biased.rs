//! Attention whose scores are shifted by how far apart query and key stand (T5, Raffel et al. 2020): unscaled, every
//! query sees every key.
//!
//! A block of queries at a time; scores exist for one query and one head only. It is a fiftieth of the work of such an
//! encoder, so plain loops do.

use super::math;
use super::memory::{read, tensor};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

/// Queries of one task.
const TASK: usize = 8;

/// What is added to a score, for each head and each distance of key from query.
pub(crate) struct DistanceBias {
    values: Vec<f32>,
    /// Distances run from `1 - tokens` to `tokens - 1`.
    tokens: usize,
}

impl DistanceBias {
    /// For `heads` heads and sequences of up to `tokens`; `bias` tells the value of a head at a distance.
    pub(crate) fn new(heads: usize, tokens: usize, bias: impl Fn(usize, i64) -> f32) -> Self {
        let last = tokens as i64 - 1;
        let values = (0..heads).flat_map(|head| (-last..=last).map(move |distance| (head, distance)));
        Self { values: values.map(|(head, distance)| bias(head, distance)).collect(), tokens }
    }

    /// The values of a head for the keys of a sequence, first key first, as the query at `place` sees them.
    fn row(&self, head: usize, place: usize, keys: usize) -> &[f32] {
        let each = 2 * self.tokens - 1;
        &self.values[head * each + self.tokens - 1 - place..][..keys]
    }
}

/// Attention of `q` to `k` and `v`, all (tokens, heads * dim): a new tensor.
pub(crate) fn biased_attention(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    heads: usize,
    bias: &DistanceBias,
) -> Result<Tensor> {
    let (tokens, width) = q.dims2()?;
    let known = bias.values.len() == heads * (2 * bias.tokens).saturating_sub(1);
    if k.dims() != q.dims() || v.dims() != q.dims() || heads == 0 || !width.is_multiple_of(heads) {
        bail!("attention of {:?} to {:?} and {:?} with {heads} heads", q.dims(), k.dims(), v.dims());
    }
    if tokens > bias.tokens || !known {
        bail!("{tokens} tokens and {heads} heads do not fit a table of distances");
    }
    let dim = width / heads;
    let mut out = vec![0.0; tokens * width];
    let mut attend = |q: &[f32], k: &[f32], v: &[f32]| {
        out.par_chunks_mut(width * TASK).enumerate().for_each(|(task, out)| {
            let mut scores = vec![0.0; tokens];
            for (r, out) in out.chunks_exact_mut(width).enumerate() {
                let place = task * TASK + r;
                let query = &q[place * width..][..width];
                for head in 0..heads {
                    let columns = head * dim..(head + 1) * dim;
                    let query = &query[columns.clone()];
                    let shifts = bias.row(head, place, tokens);
                    for ((score, key), &shift) in scores.iter_mut().zip(k.chunks_exact(width)).zip(shifts) {
                        *score = dot(query, &key[columns.clone()]) + shift;
                    }
                    let most = math::max(&scores);
                    let factor = 1.0 / math::exp_row(&mut scores, 1.0, most);
                    let out = &mut out[columns.clone()];
                    for (&weight, value) in scores.iter().zip(v.chunks_exact(width)) {
                        for (out, &value) in out.iter_mut().zip(&value[columns.clone()]) {
                            *out += weight * factor * value;
                        }
                    }
                }
            }
        });
    };
    read(q, |q| read(k, |k| read(v, |v| attend(q, k, v))))???;
    tensor(out, (tokens, width))
}

/// In eight sums, which a compiler makes vectors of.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    let (left, right) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in left.0.iter().zip(right.0) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    let rest: f32 = left.1.iter().zip(right.1).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}
