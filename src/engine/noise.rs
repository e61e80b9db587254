//! Gaussian noise as other programs draw it, so that a seed means what it means there.
//!
//! - [`Rng::Cpu`]: PyTorch on the processor. MT19937 (Matsumoto and Nishimura, 1998) and the Box-Muller transform in
//!   the block order of ATen's `normal_fill` (16 values and more) and of its scalar path (fewer).
//! - [`Rng::Nv`]: PyTorch on an Nvidia card, as A1111 imitates it: Philox 4x32 with 10 rounds (Salmon et al. 2011), one
//!   counter a value, one step of the counter's first word a draw.
//!
//! Samplers that add noise on the way draw it from [`Draws::for_steps`]: with `Cpu` a generator of its own with the
//! seed plus one, which is what ComfyUI does on the processor; with `Nv` the draws that follow the first one, which is
//! what A1111 does. Neither is a Brownian tree (`torchsde`): those pictures cannot be had from other programs' seeds.

use crate::recipe::Rng;

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

/// A seeded source of standard normal values; draws follow each other.
pub(crate) enum Draws {
    Cpu(Box<TorchCpu>),
    Nv(Philox),
}

impl Draws {
    /// For the latent that a run starts from.
    pub(crate) fn new(rng: Rng, seed: u64) -> Self {
        match rng {
            Rng::Cpu => Self::Cpu(Box::new(TorchCpu::new(seed))),
            Rng::Nv => Self::Nv(Philox { seed, draws: 0 }),
        }
    }

    /// For what a sampler adds between the steps of the run that started with `seed`.
    pub(crate) fn for_steps(rng: Rng, seed: u64) -> Self {
        match rng {
            Rng::Cpu => Self::Cpu(Box::new(TorchCpu::new(seed.wrapping_add(1)))),
            Rng::Nv => Self::Nv(Philox { seed, draws: 1 }),
        }
    }

    /// The next `n` values.
    pub(crate) fn draw(&mut self, n: usize) -> Vec<f32> {
        match self {
            Self::Cpu(generator) => generator.draw(n),
            Self::Nv(generator) => generator.draw(n),
        }
    }
}

/// `torch.Generator("cpu").manual_seed(seed)`, asked by `torch.randn`.
pub(crate) struct TorchCpu {
    uniform: Mt19937,
    /// The second value of a pair that the scalar path made, kept across draws as ATen keeps it.
    spare: Option<f64>,
}

impl TorchCpu {
    fn new(seed: u64) -> Self {
        Self { uniform: Mt19937::new(seed), spare: None }
    }

    fn draw(&mut self, n: usize) -> Vec<f32> {
        let mut values = vec![0.0; n];
        if n < 16 {
            values.fill_with(|| self.scalar() as f32);
            return values;
        }
        for value in &mut values {
            *value = self.uniform.f32();
        }
        let whole = n / 16 * 16;
        for block in values[..whole].chunks_exact_mut(16) {
            box_muller(block);
        }
        if whole < n {
            // The last sixteen are drawn anew, whatever part of them was done already.
            let tail = &mut values[n - 16..];
            for value in tail.iter_mut() {
                *value = self.uniform.f32();
            }
            box_muller(tail);
        }
        values
    }

    fn scalar(&mut self) -> f64 {
        if let Some(value) = self.spare.take() {
            return value;
        }
        let u1 = self.uniform.f64();
        let u2 = self.uniform.f64();
        let radius = (-2.0 * (1.0 - u2).ln()).sqrt();
        let angle = std::f64::consts::TAU * u1;
        self.spare = Some(radius * angle.sin());
        radius * angle.cos()
    }
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

/// The generator of CUDA's `curandStatePhilox4_32_10` as one draw of PyTorch uses it.
pub(crate) struct Philox {
    seed: u64,
    draws: u32,
}

impl Philox {
    fn draw(&mut self, n: usize) -> Vec<f32> {
        let values = (0..n).map(|index| {
            let [x, y, ..] = self.block(index as u64);
            // Uniform in (0, 1] and in (0, 2 pi], in f32 as on the card.
            const UNIT: f32 = 2.328_306_4e-10;
            const TURN: f32 = UNIT * std::f32::consts::TAU;
            let u = (x as f32).mul_add(UNIT, UNIT / 2.0);
            let v = (y as f32).mul_add(TURN, TURN / 2.0);
            (-2.0 * u.ln()).sqrt() * v.sin()
        });
        let values = values.collect();
        self.draws = self.draws.wrapping_add(1);
        values
    }

    /// Four words for one counter, after ten rounds.
    fn block(&self, index: u64) -> [u32; 4] {
        let mut counter = [self.draws, 0, index as u32, (index >> 32) as u32];
        let mut key = [self.seed as u32, (self.seed >> 32) as u32];
        for round in 0..10 {
            if round > 0 {
                key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
            }
            let a = u64::from(counter[0]) * 0xd251_1f53;
            let b = u64::from(counter[2]) * 0xcd9e_8d57;
            counter =
                [(b >> 32) as u32 ^ counter[1] ^ key[0], b as u32, (a >> 32) as u32 ^ counter[3] ^ key[1], a as u32];
        }
        counter
    }
}

/// `torch.randn(n, generator=torch.Generator("cpu").manual_seed(seed))`.
#[cfg(test)]
pub(crate) fn randn(seed: u64, n: usize) -> Vec<f32> {
    Draws::new(Rng::Cpu, seed).draw(n)
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

    /// First values of `torch.randn((3, 4), device="cuda")` after `torch.manual_seed(0)`.
    #[test]
    fn the_first_values_of_a_card_are_those_of_torch_there() {
        let want = [
            -0.924_662_6,
            -0.425_344_15,
            -2.643_845_8,
            0.145_183_88,
            -0.120_866_47,
            -0.579_725_6,
            -0.622_851_2,
            -0.328_387_1,
            -1.074_542_3,
            -0.363_144_07,
            -1.671_050_7,
            2.265_505,
        ];
        for (got, want) in Draws::new(Rng::Nv, 0).draw(12).iter().zip(want) {
            assert!((got - want).abs() < 1e-6, "{got} {want}");
        }
    }
}
