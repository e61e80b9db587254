//! Quantities with their unit in the type: bytes, seconds, picture sizes.
//!
//! Arithmetic saturates instead of wrapping, so that a sum of needs can never come out small by overflow.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

impl Bytes {
    pub const ZERO: Self = Self(0);
    pub const MAX: Self = Self(u64::MAX);

    #[must_use]
    pub const fn kib(n: u64) -> Self {
        Self(n.saturating_mul(1 << 10))
    }

    #[must_use]
    pub const fn mib(n: u64) -> Self {
        Self(n.saturating_mul(1 << 20))
    }

    #[must_use]
    pub const fn gib(n: u64) -> Self {
        Self(n.saturating_mul(1 << 30))
    }

    /// The size of `n` values of 32 bits.
    #[must_use]
    pub const fn f32s(n: usize) -> Self {
        Self((n as u64).saturating_mul(4))
    }

    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    #[must_use]
    pub fn as_gib(self) -> f64 {
        self.0 as f64 / f64::from(1 << 30)
    }

    #[must_use]
    pub fn as_mib(self) -> f64 {
        self.0 as f64 / f64::from(1 << 20)
    }

    /// `part` in a hundred of this, rounded down.
    #[must_use]
    pub const fn percent(self, part: u64) -> Self {
        Self((self.0 as u128 * part as u128 / 100) as u64)
    }

    /// The next multiple of `unit`, which must not be zero.
    #[must_use]
    pub const fn rounded_up(self, unit: Self) -> Self {
        match self.0.checked_next_multiple_of(unit.0) {
            Some(bytes) => Self(bytes),
            None => Self::MAX,
        }
    }

    /// Difference, or zero where `other` is larger.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Reads `1234`, `512MiB`, `3 GiB`, `15.92 GB` (powers of 1024 for `GiB`, of 1000 for `GB`).
    ///
    /// # Errors
    /// `None` where the text is no size: unknown unit, negative, not a number, too large.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let split = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
        let (number, unit) = (text[..split].trim(), text[split..].trim());
        let factor: f64 = match unit.to_ascii_lowercase().as_str() {
            "" | "b" => 1.0,
            "k" | "kib" => 1024.0,
            "m" | "mib" => 1024.0 * 1024.0,
            "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
            "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
            "kb" => 1e3,
            "mb" => 1e6,
            "gb" => 1e9,
            "tb" => 1e12,
            _ => return None,
        };
        if let Ok(whole) = number.parse::<u64>()
            && factor == 1.0
        {
            return Some(Self(whole));
        }
        if !number.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return None;
        }
        let bytes = number.parse::<f64>().ok()? * factor;
        (bytes.is_finite() && bytes < 1.8e19).then_some(Self(bytes.round() as u64))
    }
}

/// GiB with two decimals, MiB below a tenth of a GiB: `5.21 GiB`, `38.0 MiB`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < Self::gib(1).0 / 10 {
            write!(f, "{:.1} MiB", self.as_mib())
        } else {
            write!(f, "{:.2} GiB", self.as_gib())
        }
    }
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Bytes {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self.minus(other)
    }
}

impl Mul<u64> for Bytes {
    type Output = Self;
    fn mul(self, n: u64) -> Self {
        Self(self.0.saturating_mul(n))
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self::ZERO, Add::add)
    }
}

/// A duration in seconds, never negative.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Secs(pub f64);

impl Add for Secs {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl Sum for Secs {
    fn sum<I: Iterator<Item = Self>>(items: I) -> Self {
        items.fold(Self(0.0), Add::add)
    }
}

/// Width and height of a picture in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PixelSize {
    pub width: u32,
    pub height: u32,
}

impl PixelSize {
    #[must_use]
    pub const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }

    #[must_use]
    pub const fn pixels(self) -> u64 {
        self.width as u64 * self.height as u64
    }

    #[must_use]
    pub const fn swapped(self) -> Self {
        Self { width: self.height, height: self.width }
    }

    /// Reads `832x1216`, `832×1216`, `832*1216`.
    #[must_use]
    pub fn parse(text: &str) -> Option<(i64, i64)> {
        let (w, h) = text.trim().split_once(['x', 'X', '×', '*'])?;
        Some((w.trim().parse().ok()?, h.trim().parse().ok()?))
    }
}

impl fmt::Display for PixelSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}
