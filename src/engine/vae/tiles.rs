//! How a picture is cut into overlapping tiles.

/// One stretch of tiles: where it starts, and how far it overlaps its neighbours.
#[derive(Clone, Copy)]
pub(super) struct Tile {
    pub from: usize,
    pub before: usize,
    pub after: usize,
}

impl Tile {
    /// Weight of a pixel at `at` of `len`, along one direction.
    pub(super) fn weight(self, at: usize, len: usize, factor: usize) -> f32 {
        let ramp = |inside: usize, overlap: usize| {
            if inside < overlap { (inside as f32 + 0.5) / overlap as f32 } else { 1.0 }
        };
        ramp(at, self.before * factor) * ramp(len - 1 - at, self.after * factor)
    }
}

/// Starts and lengths of tiles that cover `len` with neighbours overlapping; the last one is as long as the others.
pub(super) fn tiles(len: usize, tile: usize, overlap: usize) -> Vec<(Tile, usize)> {
    if len <= tile {
        return vec![(Tile { from: 0, before: 0, after: 0 }, len)];
    }
    let count = (len - overlap).div_ceil(tile - overlap);
    let starts: Vec<usize> = (0..count).map(|i| i * (len - tile) / (count - 1)).collect();
    let shared = |i: usize| starts[i] + tile - starts[i + 1];
    (0..count)
        .map(|i| {
            let before = if i > 0 { shared(i - 1) } else { 0 };
            let after = if i + 1 < count { shared(i) } else { 0 };
            (Tile { from: starts[i], before, after }, tile)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_all_tiles_sum_to_one_at_every_pixel() {
        for (len, tile, overlap) in [(10, 16, 4), (16, 16, 4), (17, 16, 4), (64, 16, 4), (129, 32, 8), (65, 64, 16)] {
            let factor = 8;
            let mut sums = vec![0.0_f32; len * factor];
            for (part, n) in tiles(len, tile, overlap) {
                for at in 0..n * factor {
                    sums[part.from * factor + at] += part.weight(at, n * factor, factor);
                }
            }
            assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{len} {tile} {overlap}: {sums:?}");
        }
    }
}
