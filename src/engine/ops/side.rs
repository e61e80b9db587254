//! Low-rank products beside a weight, which is how a `LoRA` counts: two narrow products, and the weight stays as it is.

use super::linear::product;
use super::weight::Side;
use crate::planner::footprint::ops::panel_columns;

/// Fewer rows at a time are not worth the packing.
const FEWEST_ROWS: usize = 16;

impl Side {
    /// `out += x * down^T * up^T` for `rows` rows. What lies between the two is made for as many rows at a time as fit
    /// into `room` values, those of the panel that was there before: so the workspace stays what is stated without it.
    pub(super) fn add(&self, x: &[f32], rows: usize, room: usize, out: &mut [f32]) {
        let (rank, k, n) = (self.down.rows(), self.down.columns(), self.up.rows());
        let panels = (k * panel_columns(k, rank)).max(rank * panel_columns(rank, n));
        let chunk = (room.saturating_sub(panels) / rank.max(1)).max(FEWEST_ROWS).min(rows);
        let mut between = vec![0.0; chunk * rank];
        for (x, out) in x[..rows * k].chunks(chunk * k).zip(out.chunks_mut(chunk * n)) {
            let count = x.len() / k;
            let between = &mut between[..count * rank];
            between.fill(0.0);
            product(x, count, &self.down, None, between);
            product(between, count, &self.up, None, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::books::{TURN, equal, measure};
    use super::super::{Before, Conv, Linear, Resize, Weight, conv, linear, linear_vector, read, tensor};
    use super::*;
    use crate::model::Precision;
    use crate::planner::footprint::ops as stated;
    use crate::units::Bytes;
    use candle_core::Tensor;

    fn values(n: usize, salt: usize) -> Vec<f32> {
        (0..n).map(|i| (((i + salt) * 2_654_435_761) % 1999) as f32 / 1000.0 - 1.0).collect()
    }

    fn close(got: &Tensor, want: &Tensor) {
        let [got, want] = [got, want].map(|tensor| read(tensor, <[f32]>::to_vec).unwrap());
        let largest = want.iter().fold(1e-6_f32, |a, b| a.max(b.abs()));
        assert!(got.iter().zip(&want).all(|(a, b)| (a - b).abs() <= 1e-5 * largest));
    }

    fn weight(rows: usize, columns: usize, values: &[f32]) -> Weight {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Weight::new(Precision::F32, rows, columns, bytes).unwrap()
    }

    /// Weights with sides of these ranks, and the one weight that they amount to.
    fn both(rows: usize, columns: usize, ranks: &[usize]) -> (Weight, Weight) {
        let own = values(rows * columns, 1);
        let mut sum = own.clone();
        let sides = ranks.iter().map(|&rank| {
            let (down, up) = (values(rank * columns, 2), values(rows * rank, 3));
            for row in 0..rows {
                for r in 0..rank {
                    for column in 0..columns {
                        sum[row * columns + column] += 0.5 * up[row * rank + r] * down[r * columns + column];
                    }
                }
            }
            Side { down: weight(rank, columns, &down), up: weight(rows, rank, &up).scaled(0.5) }
        });
        let sides = sides.collect();
        (weight(rows, columns, &own).beside(sides), weight(rows, columns, &sum))
    }

    #[test]
    fn products_beside_weights_are_those_of_the_sum_and_take_no_more_room() {
        let _turn = TURN.lock();
        for (rows, k, n, ranks) in
            [(1, 40, 24, &[3][..]), (700, 256, 320, &[4, 8]), (3000, 512, 96, &[128]), (6000, 64, 640, &[64])]
        {
            let (beside, sum) = both(n, k, ranks);
            let (beside, sum) = (Linear { weight: beside, bias: None }, Linear { weight: sum, bias: None });
            let input = tensor(values(rows * k, 5), (rows, k)).unwrap();
            let (taken, got) = measure(2, || linear(&input, &beside).unwrap());
            equal("linear", taken, Bytes::f32s(rows * n) + stated::linear(k, n));
            close(&got, &linear(&input, &sum).unwrap());
            let one = linear_vector(&values(k, 5), &beside).unwrap();
            let want = linear_vector(&values(k, 5), &sum).unwrap();
            assert!(one.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-3));
        }
    }

    #[test]
    fn convolutions_beside_weights_are_those_of_the_sum_and_take_no_more_room() {
        let _turn = TURN.lock();
        for (height, width, from, to, side, resize) in [
            (13, 50, 8, 24, 3, Resize::Keep),
            (21, 96, 64, 96, 3, Resize::Double),
            (37, 20, 16, 40, 3, Resize::Halve),
            (90, 120, 64, 128, 1, Resize::Keep),
        ] {
            let (beside, sum) = both(to, from * side * side, &[5, 16]);
            let layer = |weight| Conv { weight, bias: values(to, 4), side, channels_in: from };
            let (beside, sum) = (layer(beside), layer(sum));
            let before = Before { resize, ..Before::default() };
            let input = tensor(values(height * width * from, 6), (height, width, from)).unwrap();
            let (taken, got) = measure(2, || conv(&input, &beside, before).unwrap());
            let workspace = match resize {
                Resize::Double => stated::conv_doubled(side, from, to, 2),
                _ => stated::conv(side, from, to, 2),
            };
            equal("conv", taken, Bytes::f32s(got.elem_count()) + workspace);
            close(&got, &conv(&input, &sum, before).unwrap());
        }
    }
}
