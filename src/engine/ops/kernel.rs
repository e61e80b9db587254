//! The inner product kernel: a few rows times a packed strip of 32 columns, for each instruction set.
//!
//! A strip is two halves of 16 columns, each `k` x 16 values on end. Sums live in the caller's target and are carried
//! from one stretch of `k` to the next, so every value is summed in the order of `k` by fused multiply-adds, whatever
//! the instruction set's width, the blocking or the number of threads: results do not depend on any of them.

#![expect(unsafe_code, reason = "raw pointers keep the strides of callers; each function states what it needs")]

use crate::planner::footprint::ops::{HALF, STRIP};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isa {
    Avx512,
    Avx2,
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
    Isa::Portable
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
            Isa::Avx512 => x86::avx512(op, target, n, width, start),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => x86::avx2(op, target, n, width, start),
            _ => portable(op, target, n, width, start),
        }
    }
}

/// # Safety
/// As [`multiply`].
unsafe fn portable(op: Operands, target: Target, n: usize, width: usize, start: Start) {
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

/// `out[p][r] = values[r][p]` for `HALF` rows of `values`, `stride` apart, and as many `p` as `out` has lines.
pub(super) fn transpose(values: &[f32], stride: usize, out: &mut [f32]) {
    let count = out.len() / HALF;
    assert!(count <= stride && (HALF - 1) * stride + count <= values.len(), "rows to turn lie outside their buffer");
    let mut done = 0;
    #[cfg(target_arch = "x86_64")]
    if isa() != Isa::Portable {
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

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{HALF, Operands, Start, Target};
    use std::arch::x86_64::{
        _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_permute2f128_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_shuffle_ps,
        _mm256_storeu_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps, _mm512_fmadd_ps, _mm512_loadu_ps,
        _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps, _mm512_set1_ps, _mm512_setzero_ps,
    };

    /// Twelve rows of both halves fill 24 of the 32 registers.
    ///
    /// # Safety
    /// As [`super::multiply`], on a processor with AVX-512F.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn avx512(op: Operands, target: Target, n: usize, width: usize, start: Start) {
        let mut r = 0;
        while r < n {
            // SAFETY: within the caller's promises: `R` rows are left in each case.
            unsafe {
                r += match (n - r, width > HALF) {
                    (12.., true) => avx512_part::<12, 2>(op, target, r, width, start),
                    (8.., true) => avx512_part::<8, 2>(op, target, r, width, start),
                    (4.., true) => avx512_part::<4, 2>(op, target, r, width, start),
                    (2.., true) => avx512_part::<2, 2>(op, target, r, width, start),
                    (_, true) => avx512_part::<1, 2>(op, target, r, width, start),
                    (12.., false) => avx512_part::<12, 1>(op, target, r, width, start),
                    (4.., false) => avx512_part::<4, 1>(op, target, r, width, start),
                    (_, false) => avx512_part::<1, 1>(op, target, r, width, start),
                };
            }
        }
    }

    /// Rows `first..first + R`; returns `R`.
    #[target_feature(enable = "avx512f")]
    unsafe fn avx512_part<const R: usize, const HALVES: usize>(
        op: Operands,
        target: Target,
        first: usize,
        width: usize,
        start: Start,
    ) -> usize {
        // SAFETY: within the caller's promises; the masks leave out the columns from `width` on.
        unsafe {
            let rows = op.rows.add(first * op.stride);
            let out = target.at.add(first * target.stride);
            let mut masks = [u16::MAX; HALVES];
            masks[HALVES - 1] = u16::MAX >> (HALVES * HALF - width);
            let mut c = [[_mm512_setzero_ps(); HALVES]; R];
            if start == Start::Target {
                for (r, c) in c.iter_mut().enumerate() {
                    for (h, c) in c.iter_mut().enumerate() {
                        *c = _mm512_maskz_loadu_ps(masks[h], out.add(r * target.stride + h * HALF));
                    }
                }
            }
            for p in 0..op.k {
                let mut b = [_mm512_setzero_ps(); HALVES];
                for (h, b) in b.iter_mut().enumerate() {
                    *b = _mm512_loadu_ps(op.strip.add(h * op.half + p * HALF));
                }
                for (r, c) in c.iter_mut().enumerate() {
                    let x = _mm512_set1_ps(*rows.add(r * op.stride + p));
                    for (c, &b) in c.iter_mut().zip(&b) {
                        *c = _mm512_fmadd_ps(x, b, *c);
                    }
                }
            }
            for (r, c) in c.iter().enumerate() {
                for (h, &c) in c.iter().enumerate() {
                    _mm512_mask_storeu_ps(out.add(r * target.stride + h * HALF), masks[h], c);
                }
            }
        }
        R
    }

    /// Six rows of one half fill 12 of the 16 registers; a stretch of a half stays in the first cache meanwhile.
    ///
    /// # Safety
    /// As [`super::multiply`], on a processor with AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn avx2(op: Operands, target: Target, n: usize, width: usize, start: Start) {
        for first in (0..width).step_by(HALF) {
            let count = HALF.min(width - first);
            // SAFETY: within the caller's promises.
            unsafe {
                let strip = op.strip.add(if first == 0 { 0 } else { op.half });
                let out = Target { at: target.at.add(first), stride: target.stride };
                if count == HALF {
                    avx2_half(Operands { strip, ..op }, out, n, start);
                    continue;
                }
                // A ragged edge goes through a whole half of its own.
                let mut r = 0;
                while r < n {
                    let rows = 6.min(n - r);
                    let mut edge = [0.0_f32; 6 * HALF];
                    let at = out.at.add(r * out.stride);
                    if start == Start::Target {
                        for i in 0..rows {
                            at.add(i * out.stride).copy_to_nonoverlapping(edge[i * HALF..].as_mut_ptr(), count);
                        }
                    }
                    let part = Operands { rows: op.rows.add(r * op.stride), strip, ..op };
                    avx2_half(part, Target { at: edge.as_mut_ptr(), stride: HALF }, rows, start);
                    for i in 0..rows {
                        at.add(i * out.stride).copy_from_nonoverlapping(edge[i * HALF..].as_ptr(), count);
                    }
                    r += rows;
                }
            }
        }
    }

    /// # Safety
    /// As [`super::multiply`], with 16 columns, on a processor with AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2_half(op: Operands, target: Target, n: usize, start: Start) {
        let mut r = 0;
        while r < n {
            // SAFETY: within the caller's promises: `R` rows are left in each case.
            unsafe {
                r += match n - r {
                    6.. => avx2_part::<6>(op, target, r, start),
                    4.. => avx2_part::<4>(op, target, r, start),
                    2.. => avx2_part::<2>(op, target, r, start),
                    _ => avx2_part::<1>(op, target, r, start),
                };
            }
        }
    }

    /// Rows `first..first + R`; returns `R`.
    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2_part<const R: usize>(op: Operands, target: Target, first: usize, start: Start) -> usize {
        // SAFETY: within the caller's promises.
        unsafe {
            let rows = op.rows.add(first * op.stride);
            let out = target.at.add(first * target.stride);
            let mut c = [[_mm256_setzero_ps(); 2]; R];
            if start == Start::Target {
                for (r, c) in c.iter_mut().enumerate() {
                    let at = out.add(r * target.stride);
                    *c = [_mm256_loadu_ps(at), _mm256_loadu_ps(at.add(8))];
                }
            }
            let mut strip = op.strip;
            for p in 0..op.k {
                let b = [_mm256_loadu_ps(strip), _mm256_loadu_ps(strip.add(8))];
                for (r, c) in c.iter_mut().enumerate() {
                    let x = _mm256_set1_ps(*rows.add(r * op.stride + p));
                    c[0] = _mm256_fmadd_ps(x, b[0], c[0]);
                    c[1] = _mm256_fmadd_ps(x, b[1], c[1]);
                }
                strip = strip.add(HALF);
            }
            for (r, c) in c.iter().enumerate() {
                let at = out.add(r * target.stride);
                _mm256_storeu_ps(at, c[0]);
                _mm256_storeu_ps(at.add(8), c[1]);
            }
        }
        R
    }

    /// Squares of eight by eight values, turned in registers.
    ///
    /// # Safety
    /// On a processor with AVX2; `values` must hold `HALF` rows, `stride` apart, of as many values as `out` has lines,
    /// a multiple of eight.
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn transpose(values: &[f32], stride: usize, out: &mut [f32]) {
        for (first, out) in out.chunks_exact_mut(8 * HALF).enumerate() {
            for side in [0, 8] {
                let mut x = [_mm256_setzero_ps(); 8];
                for (r, x) in x.iter_mut().enumerate() {
                    // SAFETY: within the caller's promise.
                    *x = unsafe { _mm256_loadu_ps(values.as_ptr().add((side + r) * stride + first * 8)) };
                }
                let pairs: [_; 8] = std::array::from_fn(|i| {
                    let (a, b) = (x[i / 2 * 2], x[i / 2 * 2 + 1]);
                    if i % 2 == 0 { _mm256_unpacklo_ps(a, b) } else { _mm256_unpackhi_ps(a, b) }
                });
                let fours: [_; 8] = std::array::from_fn(|i| {
                    let (a, b) = (pairs[i / 4 * 4 + i / 2 % 2], pairs[i / 4 * 4 + i / 2 % 2 + 2]);
                    if i % 2 == 0 { _mm256_shuffle_ps::<0x44>(a, b) } else { _mm256_shuffle_ps::<0xee>(a, b) }
                });
                for i in 0..8 {
                    let (a, b) = (fours[i % 4], fours[i % 4 + 4]);
                    let line =
                        if i < 4 { _mm256_permute2f128_ps::<0x20>(a, b) } else { _mm256_permute2f128_ps::<0x31>(a, b) };
                    // SAFETY: each line has `HALF` values.
                    unsafe { _mm256_storeu_ps(out.as_mut_ptr().add(i * HALF + side), line) };
                }
            }
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
            Isa::Portable => vec![Isa::Portable],
        };
        const ROWS: usize = 15;
        for k in [0, 1, 7, 33] {
            let a: Vec<f32> = (0..ROWS * k).map(|i| ((i * 37 % 101) as f32 - 50.0) / 17.0).collect();
            let b: Vec<f32> = (0..k * STRIP).map(|i| ((i * 53 % 97) as f32 - 48.0) / 23.0).collect();
            for (n, width) in (1..=ROWS).flat_map(|n| (1..=STRIP).map(move |width| (n, width))) {
                for (&isa, start) in isas.iter().flat_map(|isa| [(isa, Start::Zero), (isa, Start::Target)]) {
                    let mut sums = [0.5; ROWS * STRIP];
                    let op = Operands { rows: a.as_ptr(), stride: k, k, strip: b.as_ptr(), half: k * HALF };
                    // SAFETY: the vectors have the stated sizes.
                    unsafe { multiply(isa, op, Target { at: sums.as_mut_ptr(), stride: STRIP }, n, width, start) };
                    for (r, c) in (0..ROWS).flat_map(|r| (0..STRIP).map(move |c| (r, c))) {
                        let weight = |p: usize| f64::from(b[(c / HALF * k + p) * HALF + c % HALF]);
                        let dot: f64 = (0..k).map(|p| f64::from(a[r * k + p]) * weight(p)).sum();
                        let before = if start == Start::Target { 0.5 } else { 0.0 };
                        let want = if r < n && c < width { before + dot } else { 0.5 };
                        let got = f64::from(sums[r * STRIP + c]);
                        assert!((got - want).abs() <= 1e-4, "{isa:?} k={k} n={n} r={r} c={c}: {got} {want}");
                    }
                }
            }
        }
    }
}
