//! The inner product kernel: a few rows times a packed strip of 32 columns, for each instruction set.
//!
//! A strip is two halves of 16 columns, each `k` x 16 values on end. Sums live in the caller's target and are carried
//! from one stretch of `k` to the next, so every value is summed in the order of `k` by fused multiply-adds, whatever
//! the instruction set's width, the blocking or the number of threads: results do not depend on any of them.

#![expect(unsafe_code, reason = "raw pointers keep the strides of callers; each function states what it needs")]

#[cfg(target_arch = "aarch64")]
mod arm;
#[cfg(target_arch = "x86_64")]
mod x86;

use crate::planner::footprint::ops::{HALF, STRIP};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isa {
    Avx512,
    Avx2,
    Neon,
    Portable,
}

/// The best instruction set here. The standard library caches what it asks the processor.
pub(super) fn isa() -> Isa {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") {
            return Isa::Avx512;
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return Isa::Avx2;
        }
    }
    // Every 64-bit processor of ARM has it.
    if cfg!(target_arch = "aarch64") { Isa::Neon } else { Isa::Portable }
}

/// Rows with a common distance, and a packed strip.
#[derive(Clone, Copy)]
pub(super) struct Operands {
    pub rows: *const f32,
    /// From one row to the next, in values.
    pub stride: usize,
    pub k: usize,
    /// `k` x `HALF` values of the first half.
    pub strip: *const f32,
    /// From there to the second half, in values.
    pub half: usize,
    /// Each value of rows and strip is a pair of bf16 values, the first one in the lower bits; `k` counts pairs.
    pub pairs: bool,
}

/// Where sums are kept: rows of up to `STRIP` values.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub at: *mut f32,
    pub stride: usize,
}

/// What a product starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Start {
    Zero,
    /// What the target holds.
    Target,
}

/// `target[r][c] = start + rows[r] * strip[c]` for the first `n` rows and `width` columns.
///
/// # Safety
/// `rows + r * stride` must be readable for `k` values for each `r < n`; both halves of the strip for `k * HALF` (the
/// second one only where `width > HALF`); `target` writable, by this call alone, for `width` values of each row.
pub(super) unsafe fn multiply(isa: Isa, op: Operands, target: Target, n: usize, width: usize, start: Start) {
    debug_assert!(width <= STRIP, "a strip has {STRIP} columns");
    // SAFETY: passed on from the caller; the instruction set was detected.
    unsafe {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 if op.pairs && multiplies_pairs() => x86::avx512_pairs(op, target, n, width, start),
            _ if op.pairs => portable(op, target, n, width, start, |x, w, sum| {
                multiply_add(upper(x), upper(w), multiply_add(lower(x), lower(w), sum))
            }),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => x86::avx512(op, target, n, width, start),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => by_halves(op, target, n, width, start, x86::avx2_half),
            #[cfg(target_arch = "aarch64")]
            Isa::Neon => by_halves(op, target, n, width, start, arm::neon_half),
            _ => portable(op, target, n, width, start, multiply_add),
        }
    }
}

/// Rows of a kernel for one half that take it at a time.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const HALF_ROWS: usize = 6;

/// Half after half by `kernel`, which takes rows of 16 columns; a ragged edge goes through a half of its own.
///
/// # Safety
/// As [`multiply`], and the processor must have what `kernel` is made of.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
unsafe fn by_halves(
    op: Operands,
    target: Target,
    n: usize,
    width: usize,
    start: Start,
    kernel: unsafe fn(Operands, Target, usize, Start),
) {
    for first in (0..width).step_by(HALF) {
        let count = HALF.min(width - first);
        // SAFETY: within the caller's promises.
        unsafe {
            let strip = op.strip.add(if first == 0 { 0 } else { op.half });
            let out = Target { at: target.at.add(first), stride: target.stride };
            if count == HALF {
                kernel(Operands { strip, ..op }, out, n, start);
                continue;
            }
            for r in (0..n).step_by(HALF_ROWS) {
                let rows = HALF_ROWS.min(n - r);
                let mut edge = [0.0_f32; HALF_ROWS * HALF];
                let at = out.at.add(r * out.stride);
                if start == Start::Target {
                    for i in 0..rows {
                        at.add(i * out.stride).copy_to_nonoverlapping(edge[i * HALF..].as_mut_ptr(), count);
                    }
                }
                let part = Operands { rows: op.rows.add(r * op.stride), strip, ..op };
                kernel(part, Target { at: edge.as_mut_ptr(), stride: HALF }, rows, start);
                for i in 0..rows {
                    at.add(i * out.stride).copy_from_nonoverlapping(edge[i * HALF..].as_ptr(), count);
                }
            }
        }
    }
}

/// # Safety
/// As [`multiply`].
unsafe fn portable(
    op: Operands,
    target: Target,
    n: usize,
    width: usize,
    start: Start,
    multiply_add: impl Fn(f32, f32, f32) -> f32,
) {
    for first in (0..width).step_by(HALF) {
        let count = HALF.min(width - first);
        for r in 0..n {
            // SAFETY: within the caller's promises.
            unsafe {
                let out = std::slice::from_raw_parts_mut(target.at.add(r * target.stride + first), count);
                let mut sums = [0.0_f32; HALF];
                if start == Start::Target {
                    sums[..count].copy_from_slice(out);
                }
                let strip = op.strip.add(if first == 0 { 0 } else { op.half });
                for p in 0..op.k {
                    let x = *op.rows.add(r * op.stride + p);
                    let strip = std::slice::from_raw_parts(strip.add(p * HALF), HALF);
                    for (sum, &w) in sums.iter_mut().zip(strip) {
                        *sum = multiply_add(x, w, *sum);
                    }
                }
                out.copy_from_slice(&sums[..count]);
            }
        }
    }
}

/// Fused where the target has it in hardware; elsewhere a library call would cost more than the rounding is worth.
#[inline(always)]
fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_arch = "aarch64") { a.mul_add(b, c) } else { a * b + c }
}

/// Whether the processor multiplies pairs of bf16 values.
pub(crate) fn multiplies_pairs() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bf16");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The first value of a pair.
#[inline(always)]
fn lower(pair: f32) -> f32 {
    f32::from_bits(pair.to_bits() << 16)
}

/// The second value of a pair.
#[inline(always)]
fn upper(pair: f32) -> f32 {
    f32::from_bits(pair.to_bits() & 0xffff_0000)
}

/// `out[p][r] = values[r][p]` for `HALF` rows of `values`, `stride` apart, and as many `p` as `out` has lines.
pub(super) fn transpose(values: &[f32], stride: usize, out: &mut [f32]) {
    let count = out.len() / HALF;
    assert!(count <= stride && (HALF - 1) * stride + count <= values.len(), "rows to turn lie outside their buffer");
    let mut done = 0;
    #[cfg(target_arch = "x86_64")]
    if matches!(isa(), Isa::Avx512 | Isa::Avx2) {
        done = count / 8 * 8;
        // SAFETY: AVX2 was detected, and `done` values of each row are there.
        unsafe { x86::transpose(values, stride, &mut out[..done * HALF]) };
    }
    for (p, line) in out.chunks_exact_mut(HALF).enumerate().skip(done) {
        for (r, out) in line.iter_mut().enumerate() {
            *out = values[r * stride + p];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_block_has_each_value_in_its_place() {
        for count in [0, 1, 7, 8, 9, 40] {
            let values: Vec<f32> = (0..HALF * 40).map(|i| i as f32).collect();
            let mut out = vec![-1.0; count * HALF];
            transpose(&values, 40, &mut out);
            for (i, &got) in out.iter().enumerate() {
                assert_eq!(got, values[i % HALF * 40 + i / HALF], "{count}: {i}");
            }
        }
    }

    #[test]
    fn every_instruction_set_agrees_with_f64_for_every_row_and_column_count() {
        let isas = match isa() {
            Isa::Avx512 => vec![Isa::Avx512, Isa::Avx2, Isa::Portable],
            Isa::Avx2 => vec![Isa::Avx2, Isa::Portable],
            Isa::Neon => vec![Isa::Neon, Isa::Portable],
            Isa::Portable => vec![Isa::Portable],
        };
        const ROWS: usize = 15;
        // Whole numbers, which bf16 keeps as they are; two of them for each value, of which single values use the first.
        let a = |i: usize, side: usize| ((i * 37 + side * 11) % 101) as f32 - 50.0;
        let b = |i: usize, side: usize| ((i * 53 + side * 29) % 97) as f32 - 48.0;
        let (sum, target) =
            (|pairs: bool| if pairs { 0..2 } else { 0..1 }, |start| if start == Start::Target { 0.5 } else { 0.0 });
        for (k, pairs) in [0, 1, 7, 33].into_iter().flat_map(|k| [(k, false), (k, true)]) {
            let stored = |of: &dyn Fn(usize, usize) -> f32, i: usize| {
                if pairs { f32::from_bits(of(i, 0).to_bits() >> 16 | of(i, 1).to_bits()) } else { of(i, 0) }
            };
            let rows: Vec<f32> = (0..ROWS * k).map(|i| stored(&a, i)).collect();
            let strip: Vec<f32> = (0..k * STRIP).map(|i| stored(&b, i)).collect();
            let want: Vec<f64> = (0..ROWS * STRIP)
                .map(|at| {
                    let (r, c) = (at / STRIP, at % STRIP);
                    let line = |p: usize| (c / HALF * k + p) * HALF + c % HALF;
                    let product = |p: usize, side| f64::from(a(r * k + p, side)) * f64::from(b(line(p), side));
                    (0..k).flat_map(|p| sum(pairs).map(move |side| (p, side))).map(|(p, side)| product(p, side)).sum()
                })
                .collect();
            for (n, width) in (1..=ROWS).flat_map(|n| (1..=STRIP).map(move |width| (n, width))) {
                for (&isa, start) in isas.iter().flat_map(|isa| [(isa, Start::Zero), (isa, Start::Target)]) {
                    let mut sums = [0.5; ROWS * STRIP];
                    let half = k * HALF;
                    let op = Operands { rows: rows.as_ptr(), stride: k, k, strip: strip.as_ptr(), half, pairs };
                    // SAFETY: the vectors have the stated sizes.
                    unsafe { multiply(isa, op, Target { at: sums.as_mut_ptr(), stride: STRIP }, n, width, start) };
                    for (at, &got) in sums.iter().enumerate() {
                        let inside = at / STRIP < n && at % STRIP < width;
                        let want = if inside { target(start) + want[at] } else { 0.5 };
                        let near = (f64::from(got) - want).abs() <= 1e-6 * want.abs().max(1.0);
                        assert!(near, "{isa:?} pairs={pairs} k={k} n={n} width={width} {at}: {got} {want}");
                    }
                }
            }
        }
    }
}
