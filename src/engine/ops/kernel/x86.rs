//! The product kernels of x86-64, and turning squares of values.

use super::{HALF, HALF_ROWS, Operands, Start, Target};
use std::arch::x86_64::{
    __m512, __m512bh, _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_permute2f128_ps, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_shuffle_ps, _mm256_storeu_ps, _mm256_unpackhi_ps, _mm256_unpacklo_ps, _mm512_dpbf16_ps, _mm512_fmadd_ps,
    _mm512_loadu_ps, _mm512_mask_storeu_ps, _mm512_maskz_loadu_ps, _mm512_set1_ps, _mm512_setzero_ps,
};
use std::mem::transmute;

/// A kernel that takes both halves at once: twelve rows of them fill 24 of the 32 registers.
macro_rules! wide {
    ($(#[$doc:meta])* $name:ident, $part:ident, $features:literal, $multiply_add:path) => {
        $(#[$doc])*
        #[target_feature(enable = $features)]
        pub(super) unsafe fn $name(op: Operands, target: Target, n: usize, width: usize, start: Start) {
    let mut r = 0;
    while r < n {
        // SAFETY: within the caller's promises: `R` rows are left in each case.
        unsafe {
            r += match (n - r, width > HALF) {
                (12.., true) => $part::<12, 2>(op, target, r, width, start),
                (8.., true) => $part::<8, 2>(op, target, r, width, start),
                (4.., true) => $part::<4, 2>(op, target, r, width, start),
                (2.., true) => $part::<2, 2>(op, target, r, width, start),
                (_, true) => $part::<1, 2>(op, target, r, width, start),
                (12.., false) => $part::<12, 1>(op, target, r, width, start),
                (4.., false) => $part::<4, 1>(op, target, r, width, start),
                (_, false) => $part::<1, 1>(op, target, r, width, start),
            };
        }
    }
}

/// Rows `first..first + R`; returns `R`.
#[target_feature(enable = $features)]
unsafe fn $part<const R: usize, const HALVES: usize>(
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
                *b = _mm512_loadu_ps(op.strip.add(h.wrapping_mul(op.half)).add(p.wrapping_mul(HALF)));
            }
            for (r, c) in c.iter_mut().enumerate() {
                let x = _mm512_set1_ps(*rows.add(r.wrapping_mul(op.stride)).add(p));
                for (c, &b) in c.iter_mut().zip(&b) {
                    *c = $multiply_add(x, b, *c);
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
    };
}

wide!(
    /// # Safety
    /// As [`super::multiply`], on a processor with AVX-512F.
    avx512, avx512_part, "avx512f", _mm512_fmadd_ps
);
wide!(
    /// # Safety
    /// As [`super::multiply`] with pairs, on a processor with AVX-512F and its bf16 extension.
    avx512_pairs, avx512_pairs_part, "avx512f,avx512bf16", multiply_pairs
);

#[inline]
#[target_feature(enable = "avx512f,avx512bf16")]
fn multiply_pairs(x: __m512, w: __m512, sum: __m512) -> __m512 {
    // SAFETY: vectors of the same size, and every bit pattern is a value.
    unsafe { _mm512_dpbf16_ps(sum, transmute::<__m512, __m512bh>(x), transmute::<__m512, __m512bh>(w)) }
}

/// Six rows of one half fill 12 of the 16 registers; a stretch of a half stays in the first cache meanwhile.
///
/// # Safety
/// As [`super::multiply`], with 16 columns, on a processor with AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn avx2_half(op: Operands, target: Target, n: usize, start: Start) {
    let mut r = 0;
    while r < n {
        // SAFETY: within the caller's promises: `R` rows are left in each case.
        unsafe {
            r += match n - r {
                HALF_ROWS.. => avx2_part::<HALF_ROWS>(op, target, r, start),
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
                let x = _mm256_set1_ps(*rows.add(r.wrapping_mul(op.stride)).add(p));
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
