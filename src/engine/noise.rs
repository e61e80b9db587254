//! Gaussian noise exactly as PyTorch draws it on the processor, so that a seed means what it means elsewhere.
//!
//! MT19937 (Matsumoto and Nishimura, 1998) and the Box-Muller transform in the block order of ATen's
//! `normal_fill` (16 values and more) and of its scalar path (fewer).

const N: usize = 624;
const M: usize = 397;

struct Mt19937 {
    state: [u32; N],
    next: usize,
}

impl Mt19937 {
    /// Only the lower 32 bits of the seed count, as in PyTorch.
    fn new(seed: u64) -> Self {
        let mut state = [0_u32; N];
        state[0] = seed as u32;
        for i in 1..N {
            let before = state[i - 1];
            state[i] = 1_812_433_253_u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(i as u32);
        }
        Self { state, next: N }
    }

    fn refill(&mut self) {
        for i in 0..N {
            let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % N] & 0x7fff_ffff);
            let twist = if y & 1 == 0 { 0 } else { 0x9908_b0df };
            self.state[i] = self.state[(i + M) % N] ^ (y >> 1) ^ twist;
        }
        self.next = 0;
    }

    fn u32(&mut self) -> u32 {
        if self.next >= N {
            self.refill();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// Uniform in [0, 1) with 24 bits.
    fn f32(&mut self) -> f32 {
        (self.u32() & 0x00ff_ffff) as f32 / 16_777_216.0
    }

    /// Uniform in [0, 1) with 53 bits.
    fn f64(&mut self) -> f64 {
        let high = u64::from(self.u32());
        let low = u64::from(self.u32());
        (((high << 32) | low) & ((1 << 53) - 1)) as f64 / 9_007_199_254_740_992.0
    }
}

/// `torch.randn(n, generator=torch.Generator("cpu").manual_seed(seed))`.
pub(crate) fn randn(seed: u64, n: usize) -> Vec<f32> {
    let mut generator = Mt19937::new(seed);
    let mut values = vec![0.0; n];
    if n >= 16 {
        for value in &mut values {
            *value = generator.f32();
        }
        let whole = n / 16 * 16;
        for block in values[..whole].chunks_exact_mut(16) {
            box_muller(block);
        }
        if whole < n {
            // The last sixteen are drawn anew, whatever part of them was done already.
            let tail = &mut values[n - 16..];
            for value in tail.iter_mut() {
                *value = generator.f32();
            }
            box_muller(tail);
        }
        return values;
    }
    let mut spare: Option<f64> = None;
    for value in &mut values {
        *value = spare.take().unwrap_or_else(|| {
            let u1 = generator.f64();
            let u2 = generator.f64();
            let radius = (-2.0 * (1.0 - u2).ln()).sqrt();
            let angle = std::f64::consts::TAU * u1;
            spare = Some(radius * angle.sin());
            radius * angle.cos()
        }) as f32;
    }
    values
}

fn box_muller(block: &mut [f32]) {
    let (left, right) = block.split_at_mut(8);
    for (a, b) in left.iter_mut().zip(right) {
        let u1 = 1.0 - *a;
        let radius = (-2.0 * u1.ln()).sqrt();
        let angle = std::f32::consts::TAU * *b;
        *a = radius * angle.cos();
        *b = radius * angle.sin();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// First values of `torch.manual_seed(0); torch.randn(16)` and of `torch.randn(3)`, PyTorch 2.
    #[test]
    fn the_first_values_are_those_of_torch() {
        let want = [-1.1258398, -1.1523602, -0.25057858, -0.4338788, 0.84871036, 0.69200915, -0.31601277, -2.1152194];
        for (got, want) in randn(0, 16).iter().zip(want) {
            assert!((got - want).abs() < 1e-5, "{got} {want}");
        }
        let want = [1.5409961, -0.2934289, -2.1787894];
        for (got, want) in randn(0, 3).iter().zip(want) {
            assert!((got - want).abs() < 1e-5, "{got} {want}");
        }
    }
}
