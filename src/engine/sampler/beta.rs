//! Quantiles of the symmetric beta distribution.

/// The value below which Beta(a, a) lies with probability `p`, by bisection of the distribution function.
pub(super) fn beta_quantile(a: f64, p: f64) -> f64 {
    if p <= 0.0 {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    // Exactly, since a schedule rounds what comes of it.
    if p == 0.5 {
        return 0.5;
    }
    if p > 0.5 {
        return 1.0 - beta_quantile(a, 1.0 - p);
    }
    let total = lower(a, 0.5) * 2.0;
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if lower(a, middle) < p * total { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The integral of `t^(a-1) (1-t)^(a-1)` from 0 to `x` up to 1/2, as the series
/// `x^a * sum of (1-a)(2-a)...(n-a) / n! * x^n / (a + n)` (DLMF 8.17.7).
fn lower(a: f64, x: f64) -> f64 {
    let (mut power, mut sum) = (1.0, 1.0 / a);
    for n in 1..200 {
        power *= (f64::from(n) - a) / f64::from(n) * x;
        sum += power / (a + f64::from(n));
        if power < 1e-18 {
            break;
        }
    }
    x.powf(a) * sum
}

#[cfg(test)]
mod tests {
    use super::beta_quantile;

    /// `scipy.stats.beta.ppf(p, 0.6, 0.6)`.
    #[test]
    fn quantiles_are_those_of_scipy() {
        for (p, want) in [(0.001, SCIPY[0]), (0.05, SCIPY[1]), (0.3, SCIPY[2]), (0.5, 0.5), (0.95, SCIPY[3])] {
            assert!((beta_quantile(0.6, p) - want).abs() < 1e-12, "{p}");
        }
        assert_eq!((beta_quantile(0.6, 0.0), beta_quantile(0.6, 1.0)), (0.0, 1.0));
    }

    const SCIPY: [f64; 4] = [1.855873851745199e-05, 0.012554456873611399, 0.23401700387523572, 0.9874455431263885];
}
