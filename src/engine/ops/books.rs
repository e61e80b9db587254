//! Every op under the ledger: what it takes beyond its inputs is what the planner states, no more and no less.

use super::norm::Affine;
use super::stored::BLOCKS;
use super::*;
use crate::ledger::{self, Pool};
use crate::model::Precision;
use crate::planner::Arithmetic;
use crate::planner::footprint::ops as stated;
use crate::units::Bytes;
use candle_core::Tensor;
use proptest::prelude::*;
use std::sync::Mutex;

/// The ledger counts the whole process, so measurements take turns; other tests of this binary wait as well.
pub(crate) static TURN: Mutex<()> = Mutex::new(());

/// Runs `work` on `threads` threads and returns what it took at most beyond what was there.
pub(crate) fn measure<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> (Bytes, R) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).exit_handler(|_| ledger::settle()).build().unwrap();
    pool.install(|| {
        // Wakes every thread once, so that their own first allocations are not counted.
        rayon::broadcast(|_| ());
        let before = ledger::live(Pool::Host);
        ledger::reset_peak();
        let result = work();
        (ledger::peak(Pool::Host) - before, result)
    })
}

/// The rule of the house: within 2 % and one MiB, in both directions.
#[track_caller]
pub(crate) fn equal(what: &str, measured: Bytes, stated: Bytes) {
    let slack = Bytes::mib(1) + stated.percent(2);
    assert!(measured <= stated + slack && stated <= measured + slack, "{what}: measured {measured}, stated {stated}");
}

fn values(n: usize, salt: usize) -> Vec<f32> {
    (0..n).map(|i| (((i + salt) * 2_654_435_761) % 1999) as f32 / 1000.0 - 1.0).collect()
}

fn weight(rows: usize, columns: usize, precision: Precision) -> Weight {
    Weight::new(precision, rows, columns, noise(precision, rows * columns)).unwrap()
}

/// A weight's values as products see them.
fn expanded(weight: &Weight) -> Vec<f64> {
    let mut all = Vec::new();
    let mut row = vec![0.0; weight.columns()];
    for r in 0..weight.rows() {
        weight.expand_row(r, &mut row);
        all.extend(row.iter().map(|v| f64::from(*v)));
    }
    all
}

fn close(what: &str, got: &Tensor, want: &[f64], tolerance: f64) {
    read(got, |got| {
        assert_eq!(got.len(), want.len(), "{what}");
        let largest = want.iter().fold(1e-6_f64, |a, b| a.max(b.abs()));
        for (i, (g, w)) in got.iter().zip(want).enumerate() {
            assert!((f64::from(*g) - w).abs() <= tolerance * largest, "{what}: value {i} is {g}, not {w}");
        }
    })
    .unwrap();
}

fn precisions() -> impl Strategy<Value = Precision> {
    prop_oneof![
        Just(Precision::F32),
        Just(Precision::F16),
        Just(Precision::Bf16),
        Just(Precision::F8E4M3),
        Just(Precision::F8E5M2)
    ]
}

const RESIZES: [Resize; 4] = [Resize::Keep, Resize::Double, Resize::Halve, Resize::HalveLate];

#[test]
fn half_of_a_single_row_is_nothing_and_takes_nothing() {
    let _turn = TURN.lock();
    let layer = Conv { weight: weight(3, 2 * 9, Precision::F32), bias: values(3, 9), side: 3, channels_in: 2 };
    let input = tensor(values(5 * 2, 5), (1, 5, 2)).unwrap();
    let before = Before { norm: None, resize: Resize::HalveLate };
    let out = conv(&input, &layer, before).unwrap();
    assert_eq!(out.dims(), [0, 2, 3]);
    conv_add(&input, &layer, before, &out).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_product_is_right_and_takes_what_is_stated(
        rows in 1_usize..200, k in 1_usize..300, n in 1_usize..300, precision in precisions(), threads in 1_usize..5,
    ) {
        let _turn = TURN.lock();
        let x = values(rows * k, 1);
        let layer = Linear { weight: weight(n, k, precision), bias: Some(values(n, 3)) };
        let input = tensor(x.clone(), (rows, k)).unwrap();
        let (taken, out) = measure(threads, || linear(&input, &layer).unwrap());
        equal("linear", taken, Bytes::f32s(rows * n) + stated::linear(k, n));
        let w = expanded(&layer.weight);
        let bias = layer.bias.as_ref().unwrap();
        let dot = |r: usize, c: usize| (0..k).map(|p| f64::from(x[r * k + p]) * w[c * k + p]).sum::<f64>();
        let want: Vec<f64> = (0..rows * n).map(|i| dot(i / n, i % n) + f64::from(bias[i % n])).collect();
        close("linear", &out, &want, 1e-5);
        let (taken, ()) = measure(threads, || linear_add(&input, &layer, &out).unwrap());
        equal("linear_add", taken, stated::linear(k, n));
        let twice: Vec<f64> = want.iter().map(|v| 2.0 * v).collect();
        close("linear_add", &out, &twice, 1e-5);
    }

    #[test]
    fn a_quantised_product_is_the_product_of_its_expansion(
        rows in 1_usize..60, k in 1_usize..4, odd in 0_usize..3, n in 1_usize..80, kind in 0_usize..BLOCKS.len(),
        scale in 0.1_f32..4.0, threads in 1_usize..4,
    ) {
        let _turn = TURN.lock();
        let precision = BLOCKS[kind].0;
        // With `odd` the blocks run on from one row to the next, as in files reshaped to fit them.
        let (k, n) = (256 * k + 12 * odd, if odd > 0 { n.next_multiple_of(64) } else { n });
        let layer = Linear { weight: weight(n, k, precision).scaled(scale), bias: None };
        let x = values(rows * k, 1);
        let input = tensor(x.clone(), (rows, k)).unwrap();
        let (taken, out) = measure(threads, || linear(&input, &layer).unwrap());
        equal("linear", taken, Bytes::f32s(rows * n) + stated::linear(k, n));
        let w = expanded(&layer.weight);
        let dot = |r: usize, c: usize| (0..k).map(|p| f64::from(x[r * k + p]) * w[c * k + p]).sum::<f64>();
        let want: Vec<f64> = (0..rows * n).map(|i| dot(i / n, i % n)).collect();
        close("linear", &out, &want, 1e-5);
    }

    #[test]
    fn a_convolution_is_right_and_takes_what_is_stated(
        height in 1_usize..40, width in 1_usize..70, from in 1_usize..40, to in 1_usize..70, three: bool, way in 0_usize..4,
        normed: bool, threads in 1_usize..5,
    ) {
        let _turn = TURN.lock();
        let side = if three { 3 } else { 1 };
        let x = values(height * width * from, 5);
        let layer = Conv {
            weight: weight(to, from * side * side, Precision::F32), bias: values(to, 9), side, channels_in: from,
        };
        let affine = Affine { scale: values(from, 11), shift: values(from, 13) };
        let before = Before {
            norm: normed.then_some(&affine),
            resize: RESIZES[way],
        };
        let input = tensor(x.clone(), (height, width, from)).unwrap();
        let (taken, out) = measure(threads, || conv(&input, &layer, before).unwrap());
        let conv_stated = if way == 1 { stated::conv_doubled } else { stated::conv };
        let size = |n: usize| [n, 2 * n, n.div_ceil(2), n / 2][way];
        let (high, wide) = (size(height), size(width));
        let step = if way < 2 { 1 } else { 2 };
        equal("conv", taken, Bytes::f32s(high * wide * to) + conv_stated(side, from, to, threads));

        let w = expanded(&layer.weight);
        let border = if way == 3 { 0 } else { side / 2 };
        let (wide_in, high_in) = if way == 1 { (wide, high) } else { (width, height) };
        let mut want = Vec::with_capacity(high * wide * to);
        for i in 0..high * wide * to {
            let (y, x_at, c) = (i / to / wide, i / to % wide, i % to);
            let mut sum = f64::from(layer.bias[c]);
            for dy in 0..side {
                for dx in 0..side {
                    let at = |out: usize, tap: usize| (out * step + tap).wrapping_sub(border);
                    let (sy, sx) = (at(y, dy), at(x_at, dx));
                    if sy >= high_in || sx >= wide_in {
                        continue;
                    }
                    let (sy, sx) = if way == 1 { (sy / 2, sx / 2) } else { (sy, sx) };
                    for p in 0..from {
                        let mut v = f64::from(x[(sy * width + sx) * from + p]);
                        if normed {
                            v = v * f64::from(affine.scale[p]) + f64::from(affine.shift[p]);
                            v /= 1.0 + (-v).exp();
                        }
                        sum += v * w[c * from * side * side + p * side * side + dy * side + dx];
                    }
                }
            }
            want.push(sum);
        }
        close("conv", &out, &want, 1e-5);
        let (taken, ()) = measure(threads, || conv_add(&input, &layer, before, &out).unwrap());
        equal("conv_add", taken, conv_stated(side, from, to, threads));
    }

    #[test]
    fn attention_is_right_and_takes_what_is_stated(
        queries in 1_usize..130, extra in 0_usize..600, kv in 1_usize..4, shared in 1_usize..3, dim in 1_usize..70,
        causal: bool, threads in 1_usize..5,
    ) {
        let _turn = TURN.lock();
        let keys = if causal { queries } else { queries + extra };
        let heads = Heads { queries: kv * shared, keys: kv, dim };
        let (q, k, v) = (values(queries * kv * shared * dim, 1), values(keys * kv * dim, 2), values(keys * kv * dim, 3));
        let out = tensor(q.clone(), (queries, kv * shared * dim)).unwrap();
        let k_in = tensor(k.clone(), (keys, kv * dim)).unwrap();
        let v_in = tensor(v.clone(), (keys, kv * dim)).unwrap();
        let mask = if causal { Mask::Causal } else { Mask::None };
        let (taken, ()) = measure(threads, || attention(&out, &k_in, &v_in, heads, mask).unwrap());
        equal("attention", taken, stated::attention(kv, keys, dim, threads));

        let mut want = vec![0.0_f64; q.len()];
        for row in 0..queries {
            for head in 0..kv * shared {
                let at = |t: &[f32], r: usize, h: usize, w: usize, d: usize| f64::from(t[r * w * dim + h * dim + d]);
                let last = if causal { row + 1 } else { keys };
                let scores: Vec<f64> = (0..last)
                    .map(|key| {
                        let dot: f64 =
                            (0..dim).map(|d| at(&q, row, head, kv * shared, d) * at(&k, key, head / shared, kv, d)).sum();
                        (dot / (dim as f64).sqrt()).exp()
                    })
                    .collect();
                let total: f64 = scores.iter().sum();
                for d in 0..dim {
                    let sum: f64 = (0..last).map(|key| scores[key] * at(&v, key, head / shared, kv, d)).sum();
                    want[row * kv * shared * dim + head * dim + d] = sum / total;
                }
            }
        }
        close("attention", &out, &want, 1e-5);
    }

    #[test]
    fn norms_are_right_and_take_their_output_only(rows in 1_usize..60, dim in 1_usize..200, threads in 1_usize..5) {
        let _turn = TURN.lock();
        let x = values(rows * dim, 1);
        let (w, s) = (values(dim, 2), values(dim, 3));
        let input = tensor(x.clone(), (rows, dim)).unwrap();
        let (taken, out) = measure(threads, || rms_norm(&input, &w, 1e-6, Some(&s)).unwrap());
        equal("rms_norm", taken, Bytes::f32s(rows * dim));
        let mut want = Vec::new();
        for row in x.chunks(dim) {
            let mean = row.iter().map(|v| f64::from(*v).powi(2)).sum::<f64>() / dim as f64;
            let factor = 1.0 / (mean + 1e-6).sqrt();
            want.extend(row.iter().enumerate().map(|(i, v)| f64::from(*v) * factor * f64::from(w[i]) * f64::from(s[i])));
        }
        close("rms_norm", &out, &want, 1e-5);
        let (taken, ()) = measure(threads, || rms_norm_add(&input, &w, 1e-6, Some(&s), &out).unwrap());
        equal("rms_norm_add", taken, Bytes::ZERO);
        let twice: Vec<f64> = want.iter().map(|v| 2.0 * v).collect();
        close("rms_norm_add", &out, &twice, 1e-5);

        let (taken, out) = measure(threads, || layer_norm(&input, 1e-6, &s).unwrap());
        equal("layer_norm", taken, Bytes::f32s(rows * dim));
        let mut want = Vec::new();
        for row in x.chunks(dim) {
            let mean = row.iter().map(|v| f64::from(*v)).sum::<f64>() / dim as f64;
            let spread = row.iter().map(|v| (f64::from(*v) - mean).powi(2)).sum::<f64>() / dim as f64;
            let factor = 1.0 / (spread + 1e-6).sqrt();
            want.extend(row.iter().enumerate().map(|(i, v)| (f64::from(*v) - mean) * factor * f64::from(s[i])));
        }
        close("layer_norm", &out, &want, 1e-4);
    }

    #[test]
    fn a_group_norm_is_right_and_takes_what_is_stated(
        positions in 1_usize..500, groups in 1_usize..6, each in 1_usize..20, threads in 1_usize..5,
    ) {
        let _turn = TURN.lock();
        let channels = groups * each;
        let x = values(positions * channels, 1);
        let norm = GroupNorm { groups, weight: values(channels, 2), bias: values(channels, 3), eps: 1e-6 };
        let input = tensor(x.clone(), (positions, 1, channels)).unwrap();
        let (taken, affine) = measure(threads, || norm.affine(&input).unwrap());
        equal("group_norm", taken, stated::group_norm(channels));
        let mut want = vec![0.0; x.len()];
        for g in 0..groups {
            let of = |p: usize, c: usize| f64::from(x[p * channels + g * each + c]);
            let all = || (0..positions).flat_map(|p| (0..each).map(move |c| (p, c)));
            let count = (positions * each) as f64;
            let mean = all().map(|(p, c)| of(p, c)).sum::<f64>() / count;
            let spread = all().map(|(p, c)| (of(p, c) - mean).powi(2)).sum::<f64>() / count;
            for (p, c) in all() {
                let channel = g * each + c;
                want[p * channels + channel] = (of(p, c) - mean) / (spread + 1e-6).sqrt()
                    * f64::from(norm.weight[channel]) + f64::from(norm.bias[channel]);
            }
        }
        let (taken, out) = measure(threads, || apply_affine(&input, &affine).unwrap());
        equal("apply_affine", taken, Bytes::f32s(x.len()));
        // A group of one value has no spread, and the noise of its mean is divided by almost nothing.
        if positions * each > 4 {
            close("group_norm", &out, &want, 1e-4);
        }
    }

    #[test]
    fn rows_of_a_convolution_are_those_of_the_whole(
        height in 1_usize..30, width in 1_usize..60, from in 1_usize..20, to in 1_usize..40, three: bool,
        way in 0_usize..3, first in 0.0_f64..1.0, share in 0.0_f64..1.0, add: bool, threads in 1_usize..4,
    ) {
        let _turn = TURN.lock();
        let side = if three { 3 } else { 1 };
        let weight = weight(to, from * side * side, Precision::Bf16);
        let layer = Conv { weight, bias: values(to, 9), side, channels_in: from };
        let before = Before { norm: None, resize: RESIZES[way] };
        let input = tensor(values(height * width * from, 5), (height, width, from)).unwrap();
        let whole = conv(&input, &layer, before).unwrap();
        let (high, wide, _) = whole.dims3().unwrap();
        let first = (first * (high - 1) as f64) as usize;
        let rows = first..first + 1 + (share * (high - first - 1) as f64) as usize;
        let held = if add { values(rows.len() * wide * to, 3) } else { vec![7.0; rows.len() * wide * to] };
        let into = tensor(held.clone(), (rows.len(), wide, to)).unwrap();
        let store = if add { Store::Add } else { Store::Set };
        let stated = if way == 1 { stated::conv_doubled } else { stated::conv };
        let (taken, ()) = measure(threads, || conv_rows(&input, &layer, before, rows.clone(), &into, store).unwrap());
        equal("conv_rows", taken, stated(side, from, to, threads));
        let want = read(&whole, |whole| whole[rows.start * wide * to..rows.end * wide * to].to_vec()).unwrap();
        let want = want.iter().zip(&held).map(|(value, held)| if add { held + value } else { *value });
        prop_assert_eq!(read(&into, <[f32]>::to_vec).unwrap(), want.collect::<Vec<_>>());
    }

    #[test]
    fn attention_by_distance_is_right_and_takes_what_is_stated(
        tokens in 1_usize..90, more in 0_usize..20, heads in 1_usize..4, dim in 1_usize..40, threads in 1_usize..5,
    ) {
        let _turn = TURN.lock();
        let width = heads * dim;
        let shift = |head: usize, distance: i64| (head as f32 + 1.0) * ((distance % 7) as f32) / 10.0;
        let bias = DistanceBias::new(heads, tokens + more, shift);
        let all: Vec<Vec<f32>> = (1..4).map(|salt| values(tokens * width, salt)).collect();
        let input = |index: usize| tensor(all[index].clone(), (tokens, width)).unwrap();
        let (q, k, v) = (input(0), input(1), input(2));
        let (taken, out) = measure(threads, || biased_attention(&q, &k, &v, heads, &bias).unwrap());
        equal("biased_attention", taken, Bytes::f32s(tokens * width) + stated::biased_attention(tokens, threads));
        let at = |index: usize, token: usize, column: usize| f64::from(all[index][token * width + column]);
        let mut want = Vec::with_capacity(tokens * width);
        for (query, column) in (0..tokens).flat_map(|query| (0..width).map(move |column| (query, column))) {
            let head = column / dim;
            let columns = head * dim..(head + 1) * dim;
            let weight = |key: usize| {
                let dot: f64 = columns.clone().map(|c| at(0, query, c) * at(1, key, c)).sum();
                (dot + f64::from(shift(head, key as i64 - query as i64))).exp()
            };
            let weights: Vec<f64> = (0..tokens).map(weight).collect();
            let sum: f64 = weights.iter().enumerate().map(|(key, weight)| weight * at(2, key, column)).sum();
            want.push(sum / weights.iter().sum::<f64>());
        }
        close("biased_attention", &out, &want, 1e-5);
    }

    #[test]
    fn gates_are_right_and_work_in_place(rows in 1_usize..70, width in 1_usize..90, threads in 1_usize..4) {
        let _turn = TURN.lock();
        let (x, y) = (values(rows * width, 1), values(rows * width, 2));
        let (gate, shift) = (values(width, 3), values(width, 4));
        let input = || tensor(x.iter().map(|x| 4.0 * x).collect(), (rows, width)).unwrap();
        let other = tensor(y.clone(), (rows, width)).unwrap();
        let wide = |i: usize| 4.0 * f64::from(x[i]);
        let gelu = |x: f64| {
            x / 2.0 * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044_715 * x * x * x)).tanh())
        };
        let check = |what: &str, tensor: &Tensor, taken: Bytes, want: &dyn Fn(usize) -> f64| {
            equal(what, taken, Bytes::ZERO);
            close(what, tensor, &(0..rows * width).map(want).collect::<Vec<_>>(), 1e-5);
        };
        let it = input();
        let (taken, ()) = measure(threads, || tanh_gelu(&it).unwrap());
        check("tanh_gelu", &it, taken, &|i| gelu(wide(i)));
        let it = input();
        let (taken, ()) = measure(threads, || tanh_gelu_multiply(&it, &other).unwrap());
        check("tanh_gelu_multiply", &it, taken, &|i| gelu(wide(i)) * f64::from(y[i]));
        let it = input();
        let (taken, ()) = measure(threads, || silu_multiply(&it, &other).unwrap());
        check("silu_multiply", &it, taken, &|i| wide(i) / (1.0 + (-wide(i)).exp()) * f64::from(y[i]));
        let it = input();
        let (taken, ()) = measure(threads, || gated_add(&other, &gate, &it).unwrap());
        check("gated_add", &it, taken, &|i| wide(i) + f64::from(gate[i % width]) * f64::from(y[i]));
        let (taken, out) = measure(threads, || layer_norm_affine(&other, 1e-6, &gate, &shift).unwrap());
        if width > 4 {
            let row = |i: usize| y[i / width * width..][..width].iter().map(|v| f64::from(*v));
            let mean = |i: usize| row(i).sum::<f64>() / width as f64;
            let spread = |i: usize| row(i).map(|v| (v - mean(i)).powi(2)).sum::<f64>() / width as f64;
            equal("layer_norm_affine", taken, Bytes::f32s(rows * width));
            let normed = |i: usize| (f64::from(y[i]) - mean(i)) / (spread(i) + 1e-6).sqrt();
            let want = (0..rows * width).map(|i| normed(i) * f64::from(gate[i % width]) + f64::from(shift[i % width]));
            close("layer_norm_affine", &out, &want.collect::<Vec<_>>(), 1e-4);
        }
    }

    #[test]
    fn bf16_products_are_near_and_take_what_is_stated(
        rows in 1_usize..120, k in 1_usize..400, n in 1_usize..200, from in 1_usize..20, to in 1_usize..40,
        (height, width) in (1_usize..20, 1_usize..60), way in 0_usize..3, threads in 1_usize..4,
    ) {
        let _turn = TURN.lock();
        let x = values(rows * k, 1);
        let weight = |rows: usize, columns: usize| {
            let bytes = values(rows * columns, 7).iter().flat_map(|v| v.to_le_bytes()).collect();
            Weight::new(Precision::F32, rows, columns, bytes).unwrap()
        };
        let exact = Linear { weight: weight(n, k), bias: Some(values(n, 3)) };
        let near = Linear { weight: weight(n, k).with(Arithmetic::Bf16), bias: Some(values(n, 3)) };
        let input = tensor(x, (rows, k)).unwrap();
        let want = linear(&input, &exact).unwrap();
        let (taken, got) = measure(threads, || linear(&input, &near).unwrap());
        equal("linear", taken, Bytes::f32s(rows * n) + stated::linear(k, n));
        let wide = |tensor: &Tensor| read(tensor, |v| v.iter().map(|v| f64::from(*v)).collect::<Vec<_>>()).unwrap();
        close("linear", &got, &wide(&want), 1e-2);
        prop_assert!(k == 1 || k % 2 == 1 || wide(&got) != wide(&want), "the same bits: nothing was rounded");

        let layer = |arithmetic| Conv {
            weight: weight(to, from * 9).with(arithmetic), bias: values(to, 9), side: 3, channels_in: from,
        };
        let affine = Affine { scale: values(from, 11), shift: values(from, 13) };
        let resize = RESIZES[way];
        let before = Before { norm: Some(&affine), resize };
        let input = tensor(values(height * width * from, 5), (height, width, from)).unwrap();
        let want = conv(&input, &layer(Arithmetic::F32), before).unwrap();
        let near = layer(Arithmetic::Bf16);
        let stated = if way == 1 { stated::conv_doubled } else { stated::conv };
        let (taken, got) = measure(threads, || conv(&input, &near, before).unwrap());
        equal("conv", taken, Bytes::f32s(wide(&want).len()) + stated(3, from, to, threads));
        close("conv", &got, &wide(&want), 1e-2);
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads(rows in 1_usize..150, k in 1_usize..100, n in 1_usize..100) {
        let _turn = TURN.lock();
        let layer = Linear { weight: weight(n, k, Precision::Bf16), bias: None };
        let input = tensor(values(rows * k, 1), (rows, k)).unwrap();
        let with = |threads| {
            let (_, out) = measure(threads, || linear(&input, &layer).unwrap());
            read(&out, <[f32]>::to_vec).unwrap()
        };
        prop_assert_eq!(with(1), with(3));
    }
}

#[test]
fn empty_inputs_give_empty_outputs() {
    let layer = Linear { weight: weight(8, 4, Precision::F32), bias: None };
    let none = tensor(Vec::new(), (0, 4)).unwrap();
    assert_eq!(linear(&none, &layer).unwrap().dims(), [0, 8]);
    assert_eq!(rms_norm(&none, &[1.0; 4], 1e-6, None).unwrap().dims(), [0, 4]);
    let heads = Heads { queries: 1, keys: 1, dim: 4 };
    attention(&none, &none, &none, heads, Mask::None).unwrap();
}

#[test]
fn an_input_that_is_not_contiguous_is_refused_not_misread() {
    let layer = Linear { weight: weight(8, 4, Precision::F32), bias: None };
    let turned = tensor(values(12, 1), (4, 3)).unwrap().t().unwrap();
    assert!(linear(&turned, &layer).is_err());
}

#[test]
fn large_ops_take_what_is_stated() {
    let _turn = TURN.lock();
    let layer = Linear { weight: weight(1500, 1200, Precision::Bf16), bias: None };
    let input = tensor(values(700 * 1200, 1), (700, 1200)).unwrap();
    let (taken, _) = measure(2, || linear(&input, &layer).unwrap());
    equal("linear", taken, Bytes::f32s(700 * 1500) + stated::linear(1200, 1500));

    let layer = Conv { weight: weight(96, 128 * 9, Precision::F16), bias: vec![0.0; 96], side: 3, channels_in: 128 };
    let input = tensor(values(100 * 130 * 128, 1), (100, 130, 128)).unwrap();
    let (taken, _) = measure(2, || conv(&input, &layer, Before::default()).unwrap());
    equal("conv", taken, Bytes::f32s(100 * 130 * 96) + stated::conv(3, 128, 96, 2));

    let heads = Heads { queries: 6, keys: 6, dim: 128 };
    let q = tensor(values(1500 * 768, 1), (1500, 768)).unwrap();
    let k = tensor(values(3000 * 768, 2), (3000, 768)).unwrap();
    let (taken, ()) = measure(2, || attention(&q, &k, &k, heads, Mask::None).unwrap());
    equal("attention", taken, stated::attention(6, 3000, 128, 2));
}
