//! The product kernel of 64-bit ARM.

use super::{HALF, HALF_ROWS, Operands, Start, Target};
use std::arch::aarch64::{float32x4_t, vdupq_n_f32, vfmaq_n_f32, vld1q_f32, vst1q_f32};

/// Registers of one half.
const VECTORS: usize = HALF / 4;

/// Six rows of one half fill 24 of the 32 registers.
///
/// # Safety
/// As [`super::multiply`], with 16 columns.
pub(super) unsafe fn neon_half(op: Operands, target: Target, n: usize, start: Start) {
    let mut r = 0;
    while r < n {
        // SAFETY: within the caller's promises: `R` rows are left in each case.
        unsafe {
            r += match n - r {
                HALF_ROWS.. => part::<HALF_ROWS>(op, target, r, start),
                4.. => part::<4>(op, target, r, start),
                2.. => part::<2>(op, target, r, start),
                _ => part::<1>(op, target, r, start),
            };
        }
    }
}

/// Rows `first..first + R`; returns `R`.
unsafe fn part<const R: usize>(op: Operands, target: Target, first: usize, start: Start) -> usize {
    // SAFETY: within the caller's promises.
    unsafe {
        let rows = op.rows.add(first * op.stride);
        let out = target.at.add(first * target.stride);
        let mut c: [[float32x4_t; VECTORS]; R] = [[vdupq_n_f32(0.0); VECTORS]; R];
        if start == Start::Target {
            for (r, c) in c.iter_mut().enumerate() {
                for (v, c) in c.iter_mut().enumerate() {
                    *c = vld1q_f32(out.add(r * target.stride + v * 4));
                }
            }
        }
        let mut strip = op.strip;
        for p in 0..op.k {
            let b: [float32x4_t; VECTORS] = std::array::from_fn(|v| vld1q_f32(strip.add(v * 4)));
            for (r, c) in c.iter_mut().enumerate() {
                let x = *rows.add(r.wrapping_mul(op.stride)).add(p);
                for (c, &b) in c.iter_mut().zip(&b) {
                    *c = vfmaq_n_f32(*c, b, x);
                }
            }
            strip = strip.add(HALF);
        }
        for (r, c) in c.iter().enumerate() {
            for (v, &c) in c.iter().enumerate() {
                vst1q_f32(out.add(r * target.stride + v * 4), c);
            }
        }
    }
    R
}
