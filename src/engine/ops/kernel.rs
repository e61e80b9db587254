//! The inner product kernel: a few rows times a packed strip of 32 columns, for each instruction set.
//!
//! Every output value is summed in the order of `k` by fused multiply-adds, whatever the instruction set's width or
//! the number of threads, so results do not depend on either.

#![expect(unsafe_code, reason = "raw pointers keep the strides of callers; each function states what it needs")]

use crate::planner::footprint::ops::{ROWS, STRIP};

/// Sums of one kernel call: up to `ROWS` rows of `STRIP` columns.
pub(super) type Sums = [f32; ROWS * STRIP];

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

/// A block of rows with a common distance, and a packed strip.
#[derive(Clone, Copy)]
pub(super) struct Operands {
    pub rows: *const f32,
    /// From one row to the next, in values.
    pub stride: usize,
    pub k: usize,
    /// `k` x `STRIP` values.
    pub strip: *const f32,
}

/// `sums[r] += rows[r] * strip` for the first `n` rows.
///
/// # Safety
/// `rows + r * stride` must be readable for `k` values for each `r < n`, `strip` for `k * STRIP`, and `n <= ROWS`.
pub(super) unsafe fn multiply(isa: Isa, mut op: Operands, n: usize, sums: &mut Sums) {
    let mut done = 0;
    while done < n {
        let out = &raw mut sums[done * STRIP];
        let step = match n - done {
            ROWS.. => ROWS,
            8.. => 8,
            4.. => 4,
            2.. => 2,
            _ => 1,
        };
        // SAFETY: `step` rows are left of the caller's `n`, and `out` has room for them.
        unsafe {
            match step {
                ROWS => rows::<ROWS>(isa, op, out),
                8 => rows::<8>(isa, op, out),
                4 => rows::<4>(isa, op, out),
                2 => rows::<2>(isa, op, out),
                _ => rows::<1>(isa, op, out),
            }
            op.rows = op.rows.add(step * op.stride);
        }
        done += step;
    }
}

/// # Safety
/// As [`multiply`], for `R` rows and sums.
unsafe fn rows<const R: usize>(isa: Isa, op: Operands, sums: *mut f32) {
    // SAFETY: passed on from the caller; the instruction set was detected.
    unsafe {
        match isa {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => x86::avx512::<R>(op, sums),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => x86::avx2::<R>(op, sums),
            _ => portable::<R>(op, sums),
        }
    }
}

/// # Safety
/// As [`multiply`].
unsafe fn portable<const R: usize>(op: Operands, sums: *mut f32) {
    for r in 0..R {
        // SAFETY: within the caller's promises.
        unsafe {
            let mut row = [0.0_f32; STRIP];
            row.copy_from_slice(std::slice::from_raw_parts(sums.add(r * STRIP), STRIP));
            for p in 0..op.k {
                let x = *op.rows.add(r * op.stride + p);
                let strip = std::slice::from_raw_parts(op.strip.add(p * STRIP), STRIP);
                for (sum, &w) in row.iter_mut().zip(strip) {
                    *sum = multiply_add(x, w, *sum);
                }
            }
            std::slice::from_raw_parts_mut(sums.add(r * STRIP), STRIP).copy_from_slice(&row);
        }
    }
}

/// Fused where the target has it in hardware; elsewhere a library call would cost more than the rounding is worth.
#[inline(always)]
fn multiply_add(a: f32, b: f32, c: f32) -> f32 {
    if cfg!(target_arch = "aarch64") { a.mul_add(b, c) } else { a * b + c }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Operands, STRIP};
    use std::arch::x86_64::{
        _mm256_fmadd_ps, _mm256_loadu_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm256_storeu_ps, _mm512_fmadd_ps,
        _mm512_loadu_ps, _mm512_set1_ps, _mm512_setzero_ps, _mm512_storeu_ps,
    };

    /// # Safety
    /// As [`super::multiply`], on a processor with AVX-512F.
    #[target_feature(enable = "avx512f")]
    pub(super) unsafe fn avx512<const R: usize>(op: Operands, sums: *mut f32) {
        // SAFETY: within the caller's promises.
        unsafe {
            let mut c = [[_mm512_setzero_ps(); 2]; R];
            for (r, c) in c.iter_mut().enumerate() {
                *c = [_mm512_loadu_ps(sums.add(r * STRIP)), _mm512_loadu_ps(sums.add(r * STRIP + 16))];
            }
            let mut strip = op.strip;
            for p in 0..op.k {
                let b0 = _mm512_loadu_ps(strip);
                let b1 = _mm512_loadu_ps(strip.add(16));
                for (r, c) in c.iter_mut().enumerate() {
                    let x = _mm512_set1_ps(*op.rows.add(r * op.stride + p));
                    c[0] = _mm512_fmadd_ps(x, b0, c[0]);
                    c[1] = _mm512_fmadd_ps(x, b1, c[1]);
                }
                strip = strip.add(STRIP);
            }
            for (r, c) in c.iter().enumerate() {
                _mm512_storeu_ps(sums.add(r * STRIP), c[0]);
                _mm512_storeu_ps(sums.add(r * STRIP + 16), c[1]);
            }
        }
    }

    /// Half a strip of up to four rows at a time, so that the sums stay in registers.
    ///
    /// # Safety
    /// As [`super::multiply`], on a processor with AVX2 and FMA.
    #[target_feature(enable = "avx2,fma")]
    pub(super) unsafe fn avx2<const R: usize>(op: Operands, sums: *mut f32) {
        // SAFETY: within the caller's promises.
        unsafe {
            for half in [0, 16] {
                let mut r = 0;
                while r < R {
                    if R - r >= 4 {
                        avx2_part::<4>(op, r, half, sums);
                        r += 4;
                    } else {
                        avx2_part::<1>(op, r, half, sums);
                        r += 1;
                    }
                }
            }
        }
    }

    #[target_feature(enable = "avx2,fma")]
    unsafe fn avx2_part<const R: usize>(op: Operands, first: usize, half: usize, sums: *mut f32) {
        // SAFETY: within the caller's promises.
        unsafe {
            let rows = op.rows.add(first * op.stride);
            let sums = sums.add(first * STRIP + half);
            let mut c = [[_mm256_setzero_ps(); 2]; R];
            for (r, c) in c.iter_mut().enumerate() {
                *c = [_mm256_loadu_ps(sums.add(r * STRIP)), _mm256_loadu_ps(sums.add(r * STRIP + 8))];
            }
            let mut strip = op.strip.add(half);
            for p in 0..op.k {
                let b0 = _mm256_loadu_ps(strip);
                let b1 = _mm256_loadu_ps(strip.add(8));
                for (r, c) in c.iter_mut().enumerate() {
                    let x = _mm256_set1_ps(*rows.add(r * op.stride + p));
                    c[0] = _mm256_fmadd_ps(x, b0, c[0]);
                    c[1] = _mm256_fmadd_ps(x, b1, c[1]);
                }
                strip = strip.add(STRIP);
            }
            for (r, c) in c.iter().enumerate() {
                _mm256_storeu_ps(sums.add(r * STRIP), c[0]);
                _mm256_storeu_ps(sums.add(r * STRIP + 8), c[1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_instruction_set_agrees_with_f64_for_every_row_count() {
        let isas = match isa() {
            Isa::Avx512 => vec![Isa::Avx512, Isa::Avx2, Isa::Portable],
            Isa::Avx2 => vec![Isa::Avx2, Isa::Portable],
            Isa::Portable => vec![Isa::Portable],
        };
        for k in [0, 1, 7, 33] {
            let a: Vec<f32> = (0..ROWS * k).map(|i| ((i * 37 % 101) as f32 - 50.0) / 17.0).collect();
            let b: Vec<f32> = (0..k * STRIP).map(|i| ((i * 53 % 97) as f32 - 48.0) / 23.0).collect();
            for n in 1..=ROWS {
                for &isa in &isas {
                    let mut sums = [0.5; ROWS * STRIP];
                    let op = Operands { rows: a.as_ptr(), stride: k, k, strip: b.as_ptr() };
                    // SAFETY: the vectors have the stated sizes.
                    unsafe { multiply(isa, op, n, &mut sums) };
                    for r in 0..ROWS {
                        for c in 0..STRIP {
                            let dot: f64 = (0..k).map(|p| f64::from(a[r * k + p]) * f64::from(b[p * STRIP + c])).sum();
                            let want = if r < n { 0.5 + dot } else { 0.5 };
                            let got = f64::from(sums[r * STRIP + c]);
                            assert!((got - want).abs() <= 1e-4, "{isa:?} k={k} n={n} r={r} c={c}: {got} {want}");
                        }
                    }
                }
            }
        }
    }
}
