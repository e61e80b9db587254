//! Attention in blocks of queries and keys with a running softmax: nothing quadratic is ever held.
//!
//! After "Online normalizer calculation for softmax" (Milakov and Gimelshein, 2018) and `FlashAttention` (Dao et al.,
//! 2022). Keys and values of a few heads at a time are packed for the product kernel; scores exist for one block of
//! queries and keys only; the output replaces the queries.

#![expect(unsafe_code, reason = "tasks write disjoint parts of the queries")]

use super::kernel::{self, Isa, Operands, Start, Target};
use super::math;
use super::memory::{Scratch, Shared, read, update};
use crate::planner::footprint::ops::{
    HALF, KEY_BLOCK, QUERY_BLOCK, STRIP, attention_head_group, attention_scratch, packed_head,
};
use candle_core::{Result, Tensor, bail};
use rayon::iter::{IndexedParallelIterator as _, IntoParallelIterator as _, ParallelIterator as _};
use rayon::slice::ParallelSliceMut as _;

/// Which keys a query sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mask {
    None,
    /// Keys up to its own place.
    Causal,
}

/// How the columns of queries, keys and values fall into heads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Heads {
    pub queries: usize,
    /// Divides `queries`: each key head serves several query heads.
    pub keys: usize,
    pub dim: usize,
}

/// Attention of `q` (tokens, heads * dim) to `k` and `v` (keys, `kv_heads` * dim). The result replaces `q`.
pub(crate) fn attention(q: &Tensor, k: &Tensor, v: &Tensor, heads: Heads, mask: Mask) -> Result<()> {
    let (queries, q_width) = q.dims2()?;
    let (keys, kv_width) = k.dims2()?;
    if q_width != heads.queries * heads.dim
        || kv_width != heads.keys * heads.dim
        || v.dims() != k.dims()
        || heads.keys == 0
        || !heads.queries.is_multiple_of(heads.keys)
    {
        bail!("attention of {:?} to {:?} and {:?} with {heads:?}", q.dims(), k.dims(), v.dims());
    }
    if queries == 0 || keys == 0 {
        return Ok(());
    }
    let d = heads.dim;
    let group = attention_head_group(heads.keys, keys, d);
    let each = packed_head(keys, d);
    let mut packed = vec![0.0_f32; group * each];
    let mut scratch = Scratch::new(attention_scratch(d));
    let scratch = scratch.share();
    let isa = kernel::isa();
    let shared_heads = heads.queries / heads.keys;
    let blocks = queries.div_ceil(QUERY_BLOCK);
    for first in (0..heads.keys).step_by(group) {
        let count = group.min(heads.keys - first);
        read(k, |k| {
            read(v, |v| {
                packed.par_chunks_mut(each).take(count).enumerate().for_each(|(h, packed)| {
                    pack(packed, k, v, keys, kv_width, (first + h) * d, d);
                });
            })
        })??;
        update(q, |q| {
            let q = Shared::new(q);
            (0..count * shared_heads * blocks).into_par_iter().for_each(|task| {
                let (head, block) = (task / blocks, task % blocks);
                let packed = &packed[head / shared_heads * each..][..each];
                let from = block * QUERY_BLOCK;
                let work = Block {
                    isa,
                    packed,
                    keys,
                    dim: d,
                    column: (first * shared_heads + head) * d,
                    width: q_width,
                    from,
                    count: QUERY_BLOCK.min(queries - from),
                    mask,
                };
                // SAFETY: one scratch a thread; this task alone reads and writes these queries of this head.
                unsafe { work.run(q, scratch.mine()) };
            });
        })?;
    }
    Ok(())
}

/// Keys as halves of 16 keys by `d`, then values as halves of 16 dimensions by `keys`.
fn pack(packed: &mut [f32], k: &[f32], v: &[f32], keys: usize, width: usize, column: usize, d: usize) {
    let (packed_keys, packed_values) = packed.split_at_mut(keys.next_multiple_of(STRIP) * d);
    for (s, half) in packed_keys.chunks_exact_mut(d * HALF).enumerate() {
        let first = s * HALF;
        if first + HALF <= keys {
            kernel::transpose(&k[first * width + column..], width, half);
            continue;
        }
        for (p, line) in half.chunks_exact_mut(HALF).enumerate() {
            for (i, out) in line.iter_mut().enumerate() {
                *out = if first + i < keys { k[(first + i) * width + column + p] } else { 0.0 };
            }
        }
    }
    for (s, half) in packed_values.chunks_exact_mut(keys * HALF).enumerate() {
        let from = s * HALF;
        let n = HALF.min(d - from);
        for (key, row) in half.chunks_exact_mut(HALF).enumerate() {
            row[..n].copy_from_slice(&v[key * width + column + from..][..n]);
            row[n..].fill(0.0);
        }
    }
}

/// One block of queries of one head.
struct Block<'a> {
    isa: Isa,
    packed: &'a [f32],
    keys: usize,
    dim: usize,
    column: usize,
    width: usize,
    from: usize,
    count: usize,
    mask: Mask,
}

impl Block<'_> {
    /// # Safety
    /// The caller alone may touch these rows and columns of `q`.
    unsafe fn run(&self, q: Shared, scratch: &mut [f32]) {
        let d = self.dim;
        let padded = d.next_multiple_of(HALF);
        let (scores, rest) = scratch.split_at_mut(QUERY_BLOCK * KEY_BLOCK);
        let (out, rest) = rest.split_at_mut(QUERY_BLOCK * padded);
        let (maxima, totals) = rest.split_at_mut(QUERY_BLOCK);
        out.fill(0.0);
        maxima.fill(f32::NEG_INFINITY);
        totals[..QUERY_BLOCK].fill(0.0);
        let (packed_keys, packed_values) = self.packed.split_at(self.keys.next_multiple_of(STRIP) * d);
        let scale = 1.0 / (d as f32).sqrt();
        let visible = match self.mask {
            Mask::None => self.keys,
            Mask::Causal => self.keys.min(self.from + self.count),
        };
        for first in (0..visible).step_by(KEY_BLOCK) {
            let n = KEY_BLOCK.min(visible - first);
            // SAFETY: passed on from the caller.
            unsafe { self.score(q, packed_keys, first, n, scores) };
            for r in 0..self.count {
                let seen = match self.mask {
                    Mask::None => n,
                    Mask::Causal => n.min((self.from + r + 1).saturating_sub(first)),
                };
                let row = &mut scores[r * KEY_BLOCK..][..n];
                row[seen..].fill(0.0);
                if seen == 0 {
                    continue;
                }
                let max = maxima[r].max(math::max(&row[..seen]) * scale);
                let keep = math::exp(maxima[r] - max);
                totals[r] = totals[r] * keep + math::exp_row(&mut row[..seen], scale, max);
                maxima[r] = max;
                if keep != 1.0 {
                    for out in &mut out[r * padded..(r + 1) * padded] {
                        *out *= keep;
                    }
                }
            }
            for column in (0..padded).step_by(STRIP) {
                let strip = &packed_values[column * self.keys + first * HALF..];
                let op = Operands {
                    rows: scores.as_ptr(),
                    stride: KEY_BLOCK,
                    k: n,
                    strip: strip.as_ptr(),
                    half: self.keys * HALF,
                    pairs: false,
                };
                let target = Target { at: out[column..].as_mut_ptr(), stride: padded };
                let width = STRIP.min(padded - column);
                // SAFETY: `count` rows of `n` scores, and `n` lines of each half that is used.
                unsafe { kernel::multiply(self.isa, op, target, self.count, width, Start::Target) };
            }
        }
        for r in 0..self.count {
            // SAFETY: passed on from the caller.
            let row = unsafe { q.part((self.from + r) * self.width + self.column, d) };
            let factor = 1.0 / totals[r];
            for (row, &out) in row.iter_mut().zip(&out[r * padded..]) {
                *row = out * factor;
            }
        }
    }

    /// Scores of all queries against keys `first..first + n`, unscaled.
    ///
    /// # Safety
    /// As [`Self::run`].
    unsafe fn score(&self, q: Shared, packed_keys: &[f32], first: usize, n: usize, scores: &mut [f32]) {
        let d = self.dim;
        let rows = q.pointer(self.from * self.width + self.column, (self.count - 1) * self.width + d);
        for column in (0..n.next_multiple_of(STRIP)).step_by(STRIP) {
            let strip = &packed_keys[(first + column) * d..][..d * STRIP];
            let op = Operands { rows, stride: self.width, k: d, strip: strip.as_ptr(), half: d * HALF, pairs: false };
            let target = Target { at: scores[column..].as_mut_ptr(), stride: KEY_BLOCK };
            // SAFETY: the last row ends inside the queries, which are this task's alone; the strip is whole.
            unsafe { kernel::multiply(self.isa, op, target, self.count, STRIP, Start::Zero) };
        }
    }
}
