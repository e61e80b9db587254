//! Elementary functions over slices, compiled for each instruction set.
//!
//! No fused multiply-add is used here, so every width gives the same bits.

/// Compiles `$body`, an inlined function over slices, for the widest instruction set at hand.
macro_rules! for_each_isa {
    ($(#[$doc:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? = $body:path) => {
        $(#[$doc])*
        #[expect(unsafe_code, reason = "the instruction set was detected")]
        $vis fn $name($($arg: $ty),*) $(-> $ret)? {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
                fn wide($($arg: $ty),*) $(-> $ret)? { $body($($arg),*) }
                #[target_feature(enable = "avx2")]
                fn middle($($arg: $ty),*) $(-> $ret)? { $body($($arg),*) }
                if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512bw") {
                    // SAFETY: detected just now.
                    return unsafe { wide($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: detected just now.
                    return unsafe { middle($($arg),*) };
                }
            }
            $body($($arg),*)
        }
    };
}
pub(super) use for_each_isa;

const LANES: usize = 16;

/// e^x in f32, relative error under 2e-7; 0 below -87, large but finite above 88 (Cephes' `expf` polynomial).
///
/// Every line is one or two vector instructions: softmax is a third of an attention with small heads.
#[inline(always)]
#[expect(clippy::excessive_precision, reason = "coefficients as published")]
pub(super) fn exp(x: f32) -> f32 {
    /// Added to a small number, it leaves the nearest whole one in the lowest bits.
    const ROUNDER: f32 = 12_582_912.0;
    let low = if x < -87.0 { -87.0 } else { x };
    let clamped = if low > 88.0 { 88.0 } else { low };
    let rounded = clamped * std::f32::consts::LOG2_E + ROUNDER;
    let n = rounded - ROUNDER;
    let r = clamped - n * 0.693359375 - n * -2.12194440e-4;
    let mut p = 1.9875691500e-4;
    p = p * r + 1.3981999507e-3;
    p = p * r + 8.3334519073e-3;
    p = p * r + 4.1665795894e-2;
    p = p * r + 1.6666665459e-1;
    p = p * r + 5.0000001201e-1;
    let y = p * r * r + r + 1.0;
    let scaled = y * f32::from_bits((rounded.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    if x < -87.0 { 0.0 } else { scaled }
}

#[inline(always)]
pub(super) fn silu(x: f32) -> f32 {
    x / (1.0 + exp(-x))
}

#[inline(always)]
fn sum_squares_body(values: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &v) in lanes.iter_mut().zip(chunk) {
            *lane += v * v;
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().map(|v| v * v).sum::<f32>()
}

#[inline(always)]
fn sum_body(values: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &v) in lanes.iter_mut().zip(chunk) {
            *lane += v;
        }
    }
    lanes.iter().sum::<f32>() + rest.iter().sum::<f32>()
}

#[inline(always)]
fn silu_multiply_body(gate: &mut [f32], up: &[f32]) {
    for (gate, &up) in gate.iter_mut().zip(up) {
        *gate = silu(*gate) * up;
    }
}

/// `values[i] = exp(values[i] * scale - max)`, and their sum.
#[inline(always)]
fn exp_row_body(values: &mut [f32], scale: f32, max: f32) -> f32 {
    for v in values.iter_mut() {
        *v = exp(*v * scale - max);
    }
    sum_body(values)
}

#[inline(always)]
fn max_body(values: &[f32]) -> f32 {
    let mut lanes = [f32::NEG_INFINITY; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, &v) in lanes.iter_mut().zip(chunk) {
            *lane = if v > *lane { v } else { *lane };
        }
    }
    lanes.iter().chain(rest).fold(f32::NEG_INFINITY, |a, &b| if b > a { b } else { a })
}

/// `out = silu(x * scale + shift)` channel by channel over whole positions.
#[inline(always)]
fn affine_silu_body(out: &mut [f32], x: &[f32], scale: &[f32], shift: &[f32]) {
    let channels = scale.len();
    for (out, x) in out.chunks_exact_mut(channels).zip(x.chunks_exact(channels)) {
        for (((out, &x), &a), &b) in out.iter_mut().zip(x).zip(scale).zip(shift) {
            *out = silu(x * a + b);
        }
    }
}

/// Adds each value and its square to its channel's sums.
#[inline(always)]
fn add_moments_body(sums: &mut [[f64; 2]], row: &[f32]) {
    for (sum, &x) in sums.iter_mut().zip(row) {
        let x = f64::from(x);
        sum[0] += x;
        sum[1] += x * x;
    }
}

/// Half of the chance that a normal number of spread one lies beyond `x >= 0` on either side, by the error function's
/// rational approximation (Abramowitz and Stegun, 7.1.26): within 1e-7.
#[inline(always)]
#[expect(clippy::excessive_precision, reason = "coefficients as published")]
fn tail(x: f32) -> f32 {
    let z = x * std::f32::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.3275911 * z);
    let p = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
    0.5 * p * exp(-z * z)
}

#[inline(always)]
fn gelu_of(x: f32) -> f32 {
    let tail = tail(x.abs());
    x * if x < 0.0 { tail } else { 1.0 - tail }
}

#[inline(always)]
fn gelu_body(values: &mut [f32]) {
    for v in values.iter_mut() {
        *v = gelu_of(*v);
    }
}

#[inline(always)]
fn quick_gelu_body(values: &mut [f32]) {
    for v in values.iter_mut() {
        *v /= 1.0 + exp(-1.702 * *v);
    }
}

#[inline(always)]
fn geglu_body(out: &mut [f32], value: &[f32], gate: &[f32]) {
    for ((out, &value), &gate) in out.iter_mut().zip(value).zip(gate) {
        *out = value * gelu_of(gate);
    }
}

for_each_isa!(pub(super) fn gelu(values: &mut [f32]) = gelu_body);
for_each_isa!(pub(super) fn quick_gelu(values: &mut [f32]) = quick_gelu_body);
for_each_isa!(pub(super) fn geglu(out: &mut [f32], value: &[f32], gate: &[f32]) = geglu_body);
for_each_isa!(pub(super) fn add_moments(sums: &mut [[f64; 2]], row: &[f32]) = add_moments_body);
for_each_isa!(pub(super) fn sum_squares(values: &[f32]) -> f32 = sum_squares_body);
for_each_isa!(pub(super) fn sum(values: &[f32]) -> f32 = sum_body);
for_each_isa!(pub(super) fn max(values: &[f32]) -> f32 = max_body);
for_each_isa!(pub(super) fn silu_multiply(gate: &mut [f32], up: &[f32]) = silu_multiply_body);
for_each_isa!(pub(super) fn exp_row(values: &mut [f32], scale: f32, max: f32) -> f32 = exp_row_body);
for_each_isa!(
    pub(super) fn affine_silu(out: &mut [f32], x: &[f32], scale: &[f32], shift: &[f32]) = affine_silu_body
);

/// The nearest bf16, ties to even, in the upper half of the bits.
#[inline(always)]
fn rounded(x: f32) -> u32 {
    let bits = x.to_bits();
    let nearest = bits.wrapping_add(0x7fff + (bits >> 16 & 1));
    if x.is_nan() { 0x7fc0_0000 } else { nearest & 0xffff_0000 }
}

#[inline(always)]
fn put_bf16_body(values: &[f32], second: bool, into: &mut [f32]) {
    for (into, &value) in into.iter_mut().zip(values) {
        let bits = rounded(value);
        *into = f32::from_bits(if second { into.to_bits() | bits } else { bits >> 16 });
    }
}

#[inline(always)]
fn pair_bf16_body(values: &[f32], into: &mut [f32]) {
    for (into, pair) in into.iter_mut().zip(values.as_chunks::<2>().0) {
        *into = f32::from_bits(rounded(pair[0]) >> 16 | rounded(pair[1]));
    }
}

for_each_isa!(
    /// Rounds `values` to bf16 and puts them into one side of the pairs `into`; the first sides come first.
    pub(super) fn put_bf16(values: &[f32], second: bool, into: &mut [f32]) = put_bf16_body
);
for_each_isa!(
    /// Rounds pairs of values to bf16: `into` has half as many values as `values`.
    pub(super) fn pair_bf16(values: &[f32], into: &mut [f32]) = pair_bf16_body
);

/// The same in place: the pairs fill the first half of `values`.
pub(super) fn pair_bf16_in_place(values: &mut [f32]) {
    let mut pairs = [0.0; 256];
    for from in (0..values.len()).step_by(2 * pairs.len()) {
        let to = values.len().min(from + 2 * pairs.len());
        let pairs = &mut pairs[..(to - from) / 2];
        pair_bf16(&values[from..to], pairs);
        values[from / 2..to / 2].copy_from_slice(pairs);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_to_f64_everywhere_it_matters() {
        for i in -87_000..88_000 {
            let x = i as f32 / 1000.0;
            let want = f64::from(x).exp();
            let got = f64::from(exp(x));
            assert!(((got - want) / want).abs() < 3e-7, "{x}: {got} {want}");
        }
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp(-100.0), 0.0);
    }

    /// `0.5 x (1 + erf(x / sqrt 2))` in f64.
    #[test]
    fn gelu_has_the_values_of_the_error_function() {
        for (x, want) in [
            (-10.0, -7.61985302416052e-23),
            (-3.0, -0.00404969409489031),
            (-1.0, -0.158655253931457),
            (-0.1, -0.0460172162722971),
            (0.0, 0.0),
            (0.3, 0.185373426665889),
            (1.0, 0.841344746068543),
            (4.0, 3.99987331503267),
        ] {
            assert!((f64::from(gelu_of(x)) - want).abs() < 1e-6, "{x}: {} is not {want}", gelu_of(x));
        }
    }

    #[test]
    fn a_value_that_is_no_number_stays_none() {
        assert!(silu(f32::NAN).is_nan());
        assert!(gelu_of(f32::NAN).is_nan());
        assert!(sum_squares(&[1.0, f32::NAN]).is_nan());
    }
}
