//! What the processor could do at most: multiply-adds that never leave their registers.

#![expect(unsafe_code, reason = "instruction sets are detected before their functions are called")]

use super::kernel::{Isa, isa, multiplies_pairs};
use std::hint::black_box;
use std::time::Instant;

/// GFLOP/s of all threads of the current pool at f32 multiply-adds, each thread's own rate by its own clock, so that
/// a thread that other programs hold up counts as what it gets.
pub(crate) fn f32_gflops(rounds: usize) -> f64 {
    gflops(rounds, f32_work)
}

/// The same at dot products of pairs of bf16 values; `None` where the processor has none.
pub(crate) fn bf16_gflops(rounds: usize) -> Option<f64> {
    multiplies_pairs().then(|| gflops(rounds, bf16_work))
}

/// The name of the instruction set that products are made with.
pub(crate) fn isa_name() -> &'static str {
    match isa() {
        Isa::Avx512 => "AVX-512",
        Isa::Avx2 => "AVX2",
        Isa::Neon => "NEON",
        Isa::Portable => "portable",
    }
}

fn gflops(rounds: usize, work: fn(usize) -> usize) -> f64 {
    rayon::broadcast(|_| {
        let start = Instant::now();
        let operations = work(rounds);
        operations as f64 / start.elapsed().as_secs_f64().max(1e-9) / 1e9
    })
    .iter()
    .sum()
}

/// Returns how many operations were done.
fn f32_work(rounds: usize) -> usize {
    match isa() {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: detected.
        Isa::Avx512 => unsafe { x86::avx512(rounds) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: detected.
        Isa::Avx2 => unsafe { x86::avx2(rounds) },
        _ => portable(rounds),
    }
}

fn bf16_work(rounds: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    if multiplies_pairs() {
        // SAFETY: detected.
        return unsafe { x86::bf16(rounds) };
    }
    f32_work(rounds)
}

fn portable(rounds: usize) -> usize {
    const SUMS: usize = 32;
    let (a, b) = (black_box(0.999_f32), black_box(0.001_f32));
    let mut sums = [0.0_f32; SUMS];
    for _ in 0..rounds {
        for sum in &mut sums {
            *sum = *sum * a + b;
        }
    }
    black_box(sums);
    2 * SUMS * rounds
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::black_box;
    use std::arch::x86_64::{
        __m512bh, __m512i, _mm256_fmadd_ps, _mm256_set1_ps, _mm256_setzero_ps, _mm512_dpbf16_ps, _mm512_fmadd_ps,
        _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps,
    };

    #[target_feature(enable = "avx512f")]
    pub(super) fn avx512(rounds: usize) -> usize {
        const SUMS: usize = 24;
        let (a, b) = (_mm512_set1_ps(black_box(0.999)), _mm512_set1_ps(black_box(0.001)));
        let mut sums = [_mm512_setzero_ps(); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm512_fmadd_ps(*sum, a, b);
            }
        }
        black_box(sums);
        2 * 16 * SUMS * rounds
    }

    #[target_feature(enable = "avx2,fma")]
    pub(super) fn avx2(rounds: usize) -> usize {
        const SUMS: usize = 12;
        let (a, b) = (_mm256_set1_ps(black_box(0.999)), _mm256_set1_ps(black_box(0.001)));
        let mut sums = [_mm256_setzero_ps(); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm256_fmadd_ps(*sum, a, b);
            }
        }
        black_box(sums);
        2 * 8 * SUMS * rounds
    }

    #[target_feature(enable = "avx512f,avx512bf16")]
    pub(super) fn bf16(rounds: usize) -> usize {
        const SUMS: usize = 24;
        // Pairs of 0.001 and of 1.
        // SAFETY: vectors of the same size, and every bit pattern is a value.
        let (a, b) = unsafe {
            (
                std::mem::transmute::<__m512i, __m512bh>(_mm512_set1_epi32(black_box(0x3a83_3a83))),
                std::mem::transmute::<__m512i, __m512bh>(_mm512_set1_epi32(black_box(0x3f80_3f80))),
            )
        };
        let mut sums = [_mm512_setzero_ps(); SUMS];
        for _ in 0..rounds {
            for sum in &mut sums {
                *sum = _mm512_dpbf16_ps(*sum, a, b);
            }
        }
        black_box(sums);
        2 * 32 * SUMS * rounds
    }
}
