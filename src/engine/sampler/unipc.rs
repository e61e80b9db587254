//! `UniPC` (Zhao et al. 2023): a multistep predictor, then a corrector that uses the network's next answer for free.
//!
//! Order 3 on denoised latents with the paper's `B(h) = h`, as `uni_pc` of ComfyUI and A1111.

use super::{Run, add, mix};
use crate::job::Failure;
use std::collections::VecDeque;

const ORDER: usize = 3;

/// A denoised latent with the logarithm of its signal-to-noise ratio.
struct Seen {
    denoised: Vec<f32>,
    lambda: f64,
}

pub(super) fn run(run: &mut Run<'_>, x: &mut [f32]) -> Result<(), Failure> {
    let steps = run.sigmas.len().saturating_sub(1);
    // Newest first.
    let mut seen: VecDeque<Seen> = VecDeque::new();
    // The corrected point before the last prediction, the level it lies at, the order of that prediction.
    let mut before: Option<(Vec<f32>, f64, usize)> = None;
    for step in run.steps() {
        let denoised = run.denoised(x, step.from)?;
        if let Some((start, from, order)) = before.take() {
            correct(x, &start, &denoised, (from, step.from), &seen, order);
        }
        seen.push_front(Seen { denoised, lambda: -step.from.ln() });
        seen.truncate(ORDER);
        let order = ORDER.min(steps - step.index).min(seen.len());
        let start = x.to_vec();
        predict(x, (step.from, step.to), &seen, order);
        before = Some((start, step.from, order));
        run.stepped(step, x)?;
    }
    Ok(())
}

/// Ratios of earlier steps to this one, of the points that a step of `order` looks at behind the newest.
fn ratios(seen: &VecDeque<Seen>, order: usize, h: f64) -> Vec<f64> {
    (1..order).map(|k| (seen[k].lambda - seen[0].lambda) / h).collect()
}

/// Moves `x` by the terms that predictor and corrector share.
fn first_order(x: &mut [f32], (from, to): (f64, f64), newest: &[f32]) {
    let ratio = to / from;
    mix(x, ratio, newest, 1.0 - ratio);
}

fn predict(x: &mut [f32], levels: (f64, f64), seen: &VecDeque<Seen>, order: usize) {
    first_order(x, levels, &seen[0].denoised);
    if order < 2 || levels.1 <= 0.0 {
        return;
    }
    let h = (levels.0 / levels.1).ln();
    let ratios = ratios(seen, order, h);
    // The paper's short cut for order 2.
    let weights = if order == 2 { vec![0.5] } else { solve(&ratios, &right_side(h, order - 1)) };
    differences(x, seen, &ratios, &weights, h);
}

/// From `start` over the last step again, now that `denoised` at its end is known.
fn correct(x: &mut [f32], start: &[f32], denoised: &[f32], levels: (f64, f64), seen: &VecDeque<Seen>, order: usize) {
    x.copy_from_slice(start);
    first_order(x, levels, &seen[0].denoised);
    let h = (levels.0 / levels.1).ln();
    let mut ratios = ratios(seen, order, h);
    let weights = if order == 1 {
        vec![0.5]
    } else {
        ratios.push(1.0);
        let weights = solve(&ratios, &right_side(h, order));
        ratios.pop();
        weights
    };
    differences(x, seen, &ratios, &weights[..order - 1], h);
    let last = h * weights[order - 1];
    add(x, last, denoised);
    add(x, -last, &seen[0].denoised);
}

/// Adds the weighted differences to earlier points.
fn differences(x: &mut [f32], seen: &VecDeque<Seen>, ratios: &[f64], weights: &[f64], h: f64) {
    for (k, (weight, ratio)) in weights.iter().zip(ratios).enumerate() {
        let part = h * weight / ratio;
        add(x, part, &seen[k + 1].denoised);
        add(x, -part, &seen[0].denoised);
    }
}

/// `k! * phi_(k+1)(h) / B(h)` for k from 1 to `n`, on denoised latents.
fn right_side(h: f64, n: usize) -> Vec<f64> {
    let hh = -h;
    let mut phi = hh.exp_m1() / hh - 1.0;
    let mut factorial = 1.0;
    let mut right = Vec::with_capacity(n);
    for k in 1..=n {
        right.push(phi * factorial / hh);
        factorial *= (k + 1) as f64;
        phi = phi / hh - 1.0 / factorial;
    }
    right
}

/// Weights with `sum of weight * ratio^k = right[k]`: a Vandermonde system of at most three unknowns, by elimination.
fn solve(ratios: &[f64], right: &[f64]) -> Vec<f64> {
    let n = ratios.len();
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|power| ratios.iter().map(|ratio| ratio.powi(power as i32)).chain([right[power]]).collect())
        .collect();
    for pivot in 0..n {
        let best = (pivot..n).max_by(|&a, &b| rows[a][pivot].abs().total_cmp(&rows[b][pivot].abs()));
        rows.swap(pivot, best.unwrap_or(pivot));
        for row in pivot + 1..n {
            let factor = rows[row][pivot] / rows[pivot][pivot];
            let (above, below) = rows.split_at_mut(row);
            for (value, known) in below[0].iter_mut().zip(&above[pivot]).skip(pivot) {
                *value -= factor * known;
            }
        }
    }
    let mut weights = vec![0.0; n];
    for row in (0..n).rev() {
        let known: f64 = (row + 1..n).map(|column| rows[row][column] * weights[column]).sum();
        weights[row] = (rows[row][n] - known) / rows[row][row];
    }
    weights
}
