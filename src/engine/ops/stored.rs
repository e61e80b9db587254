//! Stored values to f32: plain floats, 8-bit floats and the block formats of GGUF files.
//!
//! Layouts follow ggml's definition of each block (`ggml-common.h`); a test holds every type against the values that
//! the `gguf` package expands.

use super::math::for_each_isa;
use crate::model::Precision;

/// Values of the longest block of any type.
pub(super) const LONGEST_BLOCK: usize = 256;

/// Levels of the non-linear 4-bit types.
const IQ4_LEVELS: [f32; 16] =
    [-127.0, -104.0, -83.0, -65.0, -49.0, -35.0, -22.0, -10.0, 1.0, 13.0, 25.0, 38.0, 53.0, 69.0, 89.0, 113.0];

/// Whether [`expand`] knows the type.
pub(crate) const fn readable(precision: Precision) -> bool {
    !matches!(
        precision,
        Precision::F64
            | Precision::I64
            | Precision::I32
            | Precision::I16
            | Precision::I8
            | Precision::U8
            | Precision::Bool
    )
}

for_each_isa!(
    /// Expands whole blocks of stored values. Types that are not [`readable`] become NaN.
    pub(crate) fn expand(precision: Precision, bytes: &[u8], out: &mut [f32]) = expand_body
);

#[inline(always)]
fn expand_body(precision: Precision, bytes: &[u8], out: &mut [f32]) {
    match precision {
        Precision::F32 => each(bytes, out, |b: &[u8; 4]| f32::from_le_bytes(*b)),
        Precision::Bf16 => each(bytes, out, |b: &[u8; 2]| f32::from_bits(u32::from(u16::from_le_bytes(*b)) << 16)),
        Precision::F16 => each(bytes, out, |b: &[u8; 2]| f16_to_f32(u16::from_le_bytes(*b))),
        Precision::F8E4M3 => each(bytes, out, |b: &[u8; 1]| e4m3_to_f32(b[0])),
        Precision::F8E5M2 => each(bytes, out, |b: &[u8; 1]| f16_to_f32(u16::from(b[0]) << 8)),
        Precision::Q4_0 => blocks(bytes, out, q4_0),
        Precision::Q4_1 => blocks(bytes, out, q4_1),
        Precision::Q5_0 => blocks(bytes, out, q5_0),
        Precision::Q5_1 => blocks(bytes, out, q5_1),
        Precision::Q8_0 => blocks(bytes, out, q8_0),
        Precision::Q2K => blocks(bytes, out, q2_k),
        Precision::Q3K => blocks(bytes, out, q3_k),
        Precision::Q4K => blocks(bytes, out, q4_k),
        Precision::Q5K => blocks(bytes, out, q5_k),
        Precision::Q6K => blocks(bytes, out, q6_k),
        Precision::Q8K => blocks(bytes, out, q8_k),
        Precision::Iq4Nl => blocks(bytes, out, iq4_nl),
        Precision::Iq4Xs => blocks(bytes, out, iq4_xs),
        _ => out.fill(f32::NAN),
    }
}

#[inline(always)]
fn each<const N: usize>(bytes: &[u8], out: &mut [f32], value: impl Fn(&[u8; N]) -> f32) {
    for (out, b) in out.iter_mut().zip(bytes.as_chunks::<N>().0) {
        *out = value(b);
    }
}

#[inline(always)]
fn blocks<const BYTES: usize, const VALUES: usize>(
    bytes: &[u8],
    out: &mut [f32],
    block: impl Fn(&[u8; BYTES], &mut [f32; VALUES]),
) {
    for (out, bytes) in out.as_chunks_mut::<VALUES>().0.iter_mut().zip(bytes.as_chunks::<BYTES>().0) {
        block(bytes, out);
    }
}

/// Without branches, so that loops over it become vector code.
#[inline(always)]
fn f16_to_f32(half: u16) -> f32 {
    let h = u32::from(half);
    let magnitude = (h & 0x7fff) << 13;
    // The exponent's bias moves from 15 to 127 by a product, which also makes subnormal numbers right.
    let scaled = f32::from_bits(magnitude) * f32::from_bits((254 - 15) << 23);
    let special = if h & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(scaled.to_bits() | special | (h & 0x8000) << 16)
}

/// Four exponent and three mantissa bits, no infinity.
#[inline(always)]
fn e4m3_to_f32(byte: u8) -> f32 {
    let b = u32::from(byte);
    let scaled = f32::from_bits((b & 0x7f) << 20) * f32::from_bits((254 - 7) << 23);
    let special = if b & 0x7f == 0x7f { 0x7fc0_0000 } else { 0 };
    f32::from_bits(scaled.to_bits() | special | (b & 0x80) << 24)
}

#[inline(always)]
fn scale_at(bytes: &[u8], at: usize) -> f32 {
    f16_to_f32(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

/// The two nibbles of each of 16 bytes: the low ones are values 0..16, the high ones 16..32.
#[inline(always)]
fn nibbles(bytes: &[u8], out: &mut [f32], value: impl Fn(u8, usize) -> f32) {
    let (low, high) = out.split_at_mut(16);
    for (j, ((low, high), &b)) in low.iter_mut().zip(high).zip(&bytes[..16]).enumerate() {
        *low = value(b & 15, j);
        *high = value(b >> 4, j + 16);
    }
}

#[inline(always)]
fn q4_0(b: &[u8; 18], out: &mut [f32; 32]) {
    let d = scale_at(b, 0);
    nibbles(&b[2..], out, |q, _| (f32::from(q) - 8.0) * d);
}

#[inline(always)]
fn q4_1(b: &[u8; 20], out: &mut [f32; 32]) {
    let (d, m) = (scale_at(b, 0), scale_at(b, 2));
    nibbles(&b[4..], out, |q, _| f32::from(q) * d + m);
}

#[inline(always)]
fn q5_0(b: &[u8; 22], out: &mut [f32; 32]) {
    let d = scale_at(b, 0);
    let fifth = u32::from_le_bytes([b[2], b[3], b[4], b[5]]);
    nibbles(&b[6..], out, |q, j| (f32::from(q | ((fifth >> j & 1) << 4) as u8) - 16.0) * d);
}

#[inline(always)]
fn q5_1(b: &[u8; 24], out: &mut [f32; 32]) {
    let (d, m) = (scale_at(b, 0), scale_at(b, 2));
    let fifth = u32::from_le_bytes([b[4], b[5], b[6], b[7]]);
    nibbles(&b[8..], out, |q, j| f32::from(q | ((fifth >> j & 1) << 4) as u8) * d + m);
}

#[inline(always)]
fn q8_0(b: &[u8; 34], out: &mut [f32; 32]) {
    let d = scale_at(b, 0);
    for (out, &q) in out.iter_mut().zip(&b[2..]) {
        *out = f32::from(q.cast_signed()) * d;
    }
}

/// 16 scales and minima of 16 values each (4 bits both), then 2-bit values in four layers of 32.
#[inline(always)]
fn q2_k(b: &[u8; 84], out: &mut [f32; 256]) {
    let (d, m) = (scale_at(b, 80), scale_at(b, 82));
    for (group, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let scale = d * f32::from(b[group] & 15);
        let min = m * f32::from(b[group] >> 4);
        let (half, layer, side) = (group / 8, group / 2 % 4, group % 2);
        for (out, &q) in out.iter_mut().zip(&b[16 + half * 32 + side * 16..]) {
            *out = scale * f32::from(q >> (2 * layer) & 3) - min;
        }
    }
}

/// 16 scales of 6 bits; 2-bit values as in `q2_k`, and a third bit that subtracts 4 where it is clear.
#[inline(always)]
fn q3_k(b: &[u8; 110], out: &mut [f32; 256]) {
    let d = scale_at(b, 108);
    let scales = &b[96..108];
    for (group, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let low = scales[group % 8] >> (4 * (group / 8)) & 15;
        let high = scales[8 + group % 4] >> (2 * (group / 4)) & 3;
        let scale = d * (f32::from(low | high << 4) - 32.0);
        let (half, layer, side) = (group / 8, group / 2 % 4, group % 2);
        let bit = 4 * half + layer;
        let quants = &b[32 + half * 32 + side * 16..];
        for ((out, &q), &h) in out.iter_mut().zip(quants).zip(&b[side * 16..]) {
            let third = if h >> bit & 1 == 1 { 0.0 } else { 4.0 };
            *out = scale * (f32::from(q >> (2 * layer) & 3) - third);
        }
    }
}

/// Scale and minimum of group `j` of 32 values, 6 bits each, out of 12 bytes.
#[inline(always)]
fn six_bits(scales: &[u8], j: usize) -> (f32, f32) {
    let (scale, min) = if j < 4 {
        (scales[j] & 63, scales[j + 4] & 63)
    } else {
        (scales[j + 4] & 15 | scales[j - 4] >> 6 << 4, scales[j + 4] >> 4 | scales[j] >> 6 << 4)
    };
    (f32::from(scale), f32::from(min))
}

#[inline(always)]
fn q4_k(b: &[u8; 144], out: &mut [f32; 256]) {
    let (d, m) = (scale_at(b, 0), scale_at(b, 2));
    for (group, out) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let (scale, min) = six_bits(&b[4..16], group);
        let (scale, min) = (d * scale, m * min);
        let shift = 4 * (group % 2);
        for (out, &q) in out.iter_mut().zip(&b[16 + group / 2 * 32..]) {
            *out = scale * f32::from(q >> shift & 15) - min;
        }
    }
}

#[inline(always)]
fn q5_k(b: &[u8; 176], out: &mut [f32; 256]) {
    let (d, m) = (scale_at(b, 0), scale_at(b, 2));
    for (group, out) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let (scale, min) = six_bits(&b[4..16], group);
        let (scale, min) = (d * scale, m * min);
        let shift = 4 * (group % 2);
        for ((out, &q), &h) in out.iter_mut().zip(&b[48 + group / 2 * 32..]).zip(&b[16..48]) {
            *out = scale * f32::from(q >> shift & 15 | (h >> group & 1) << 4) - min;
        }
    }
}

#[inline(always)]
fn q6_k(b: &[u8; 210], out: &mut [f32; 256]) {
    let d = scale_at(b, 208);
    for (group, out) in out.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let scale = d * f32::from(b[192 + group].cast_signed());
        let (half, part, side) = (group / 8, group / 2 % 4, group % 2);
        let low = &b[half * 64 + part % 2 * 32 + side * 16..];
        let high = &b[128 + half * 32 + side * 16..];
        for ((out, &l), &h) in out.iter_mut().zip(low).zip(high) {
            let q = l >> (4 * (part / 2)) & 15 | (h >> (2 * part) & 3) << 4;
            *out = scale * (f32::from(q) - 32.0);
        }
    }
}

#[inline(always)]
fn q8_k(b: &[u8; 292], out: &mut [f32; 256]) {
    let d = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    for (out, &q) in out.iter_mut().zip(&b[4..260]) {
        *out = d * f32::from(q.cast_signed());
    }
}

#[inline(always)]
fn iq4_nl(b: &[u8; 18], out: &mut [f32; 32]) {
    let d = scale_at(b, 0);
    nibbles(&b[2..], out, |q, _| d * IQ4_LEVELS[usize::from(q)]);
}

#[inline(always)]
fn iq4_xs(b: &[u8; 136], out: &mut [f32; 256]) {
    let d = scale_at(b, 0);
    let high = u16::from_le_bytes([b[2], b[3]]);
    for (group, out) in out.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let low = b[4 + group / 2] >> (4 * (group % 2)) & 15;
        let scale = d * (f32::from(low | ((high >> (2 * group) & 3) << 4) as u8) - 32.0);
        nibbles(&b[8 + group * 16..], out, |q, _| scale * IQ4_LEVELS[usize::from(q)]);
    }
}

/// Every block type that files are published in, and where its blocks keep f16 scales.
pub(super) const BLOCKS: [(Precision, &[usize]); 12] = [
    (Precision::Q4_0, &[0]),
    (Precision::Q4_1, &[0, 2]),
    (Precision::Q5_0, &[0]),
    (Precision::Q5_1, &[0, 2]),
    (Precision::Q8_0, &[0]),
    (Precision::Q2K, &[80, 82]),
    (Precision::Q3K, &[108]),
    (Precision::Q4K, &[0, 2]),
    (Precision::Q5K, &[0, 2]),
    (Precision::Q6K, &[208]),
    (Precision::Iq4Nl, &[0]),
    (Precision::Iq4Xs, &[0]),
];

/// `count` small values that mean nothing, as a file of that type would hold them.
pub(crate) fn noise(precision: Precision, count: usize) -> Vec<u8> {
    let mixed = |i: usize| i.wrapping_mul(2_654_435_761) >> 7;
    let value = |i: usize| (mixed(i) % 1999) as f32 / 50_000.0 - 0.02;
    let Some((_, scales)) = BLOCKS.into_iter().find(|(other, _)| *other == precision) else {
        return match precision {
            Precision::F32 => (0..count).flat_map(|i| value(i).to_le_bytes()).collect(),
            Precision::F16 => (0..count).flat_map(|i| half::f16::from_f32(value(i)).to_le_bytes()).collect(),
            Precision::Bf16 => (0..count).flat_map(|i| half::bf16::from_f32(value(i)).to_le_bytes()).collect(),
            // Eight bits: every finite one, small and large.
            _ => (0..count).map(|i| (mixed(i) % 120) as u8).collect(),
        };
    };
    let (each, size) = precision.block();
    let size = size as usize;
    let mut bytes: Vec<u8> = (0..count.div_ceil(each as usize) * size).map(|i| mixed(i) as u8).collect();
    for (index, block) in bytes.chunks_exact_mut(size).enumerate() {
        for &at in scales {
            let scale = half::f16::from_f32((1 + index % 5) as f32 / 1000.0);
            block[at..at + 2].copy_from_slice(&scale.to_le_bytes());
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[test]
    fn every_f16_expands_to_its_value() {
        for bits in 0..=u16::MAX {
            let (got, want) = (f16_to_f32(bits), f16::from_bits(bits).to_f32());
            assert!(got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan(), "{bits:#x}: {got} {want}");
        }
    }

    #[test]
    fn every_stored_type_expands_to_what_the_gguf_package_and_torch_make_of_it() {
        let goldens = crate::engine::parity::Goldens::load("quants.safetensors");
        for precision in
            BLOCKS.into_iter().map(|(precision, _)| precision).chain([Precision::F8E4M3, Precision::F8E5M2])
        {
            let name = precision.name();
            let bytes: Vec<u8> = goldens.get(&format!("{name}.bytes")).iter().map(|&b| b as u8).collect();
            let want = goldens.get(&format!("{name}.values"));
            let mut got = vec![0.0; want.len()];
            expand(precision, &bytes, &mut got);
            for (i, (got, want)) in got.iter().zip(want).enumerate() {
                assert!((got - want).abs() <= 1e-6 * want.abs().max(1.0), "{name} value {i}: {got} {want}");
            }
        }
    }

    #[test]
    fn eight_bit_floats_have_their_known_values() {
        for (byte, want) in [(0x00, 0.0), (0x01, 0.001_953_125), (0x08, 0.015_625), (0x38, 1.0), (0x7e, 448.0)] {
            assert_eq!(e4m3_to_f32(byte), want);
            assert_eq!(e4m3_to_f32(byte | 0x80), -want);
        }
        assert!(e4m3_to_f32(0x7f).is_nan());
    }
}
