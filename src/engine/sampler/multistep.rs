//! Linear multistep methods: a step is a weighted sum of the last few directions.

use super::{Run, add};
use crate::job::Failure;
use std::collections::VecDeque;

/// Weights of the last directions, newest first, for the step from `levels[i]` to `levels[i + 1]`, where `levels` is
/// falling and `order` directions are there.
type Weights = fn(levels: &[f64], i: usize, order: usize) -> Vec<f64>;

/// Runs a method that looks at most `order` directions back. The last step, down to zero, takes the denoised latent
/// for methods that would extrapolate through the logarithm of the level, or as their first users do.
pub(super) fn run(run: &mut Run<'_>, x: &mut [f32], order: usize, weights: Weights) -> Result<(), Failure> {
    let levels: Vec<f64> = run.sigmas.iter().map(|&sigma| f64::from(sigma)).collect();
    let mut directions: VecDeque<Vec<f32>> = VecDeque::new();
    for step in run.steps() {
        let d = run.direction(x, step.from)?;
        directions.push_front(d);
        directions.truncate(order);
        for (weight, d) in weights(&levels, step.index, directions.len()).into_iter().zip(&directions) {
            add(x, weight, d);
        }
        // Only what the next step looks at stays while the network runs.
        directions.truncate(order - 1);
        run.stepped(step, x)?;
    }
    Ok(())
}

/// The integral of the polynomial through the last directions over the noise level (k-diffusion's `lms`).
pub(super) fn lms(levels: &[f64], i: usize, order: usize) -> Vec<f64> {
    let nodes: Vec<f64> = (0..order).map(|k| levels[i - k] - levels[i]).collect();
    let end = levels[i + 1] - levels[i];
    // Integrals of 1, u, u^2 ... from 0 to the end of the step.
    let moments: Vec<f64> = (1..=order).map(|power| end.powi(power as i32) / power as f64).collect();
    integrate(&nodes, &moments)
}

/// The same with polynomials in the logarithm of the level (Zhang and Chen 2023, DEIS of the log-rho kind, as diffusers
/// has it).
pub(super) fn deis(levels: &[f64], i: usize, order: usize) -> Vec<f64> {
    let (from, to) = (levels[i], levels[i + 1]);
    if to <= 0.0 {
        return vec![-from];
    }
    let nodes: Vec<f64> = (0..order).map(|k| (levels[i - k] / from).ln()).collect();
    let (u, e) = ((to / from).ln(), to / from);
    // Integrals of 1, u, u^2 over the level, u being its logarithm: parts of e^u.
    let moments = [from * (e - 1.0), from * (e * (u - 1.0) + 1.0), from * (e * (u * u - 2.0 * u + 2.0) - 2.0)];
    integrate(&nodes, &moments[..order])
}

/// Adams and Bashforth's weights for even steps (Liu et al. 2022, as diffusers' `IPNDMScheduler`), whatever the steps.
pub(super) fn ipndm(levels: &[f64], i: usize, order: usize) -> Vec<f64> {
    let way = levels[i + 1] - levels[i];
    let weights: &[f64] = match order {
        _ if levels[i + 1] <= 0.0 => &[1.0],
        1 => &[1.0],
        2 => &[3.0 / 2.0, -1.0 / 2.0],
        3 => &[23.0 / 12.0, -16.0 / 12.0, 5.0 / 12.0],
        _ => &[55.0 / 24.0, -59.0 / 24.0, 37.0 / 24.0, -9.0 / 24.0],
    };
    weights.iter().map(|weight| weight * way).collect()
}

/// For each node the integral of its Lagrange polynomial, given the integrals of the powers.
fn integrate(nodes: &[f64], moments: &[f64]) -> Vec<f64> {
    let weight = |j: usize| {
        let mut polynomial = vec![1.0];
        for (_, node) in nodes.iter().enumerate().filter(|(k, _)| *k != j) {
            let scale = 1.0 / (nodes[j] - node);
            let mut next = vec![0.0; polynomial.len() + 1];
            for (power, coefficient) in polynomial.iter().enumerate() {
                next[power] -= coefficient * node * scale;
                next[power + 1] += coefficient * scale;
            }
            polynomial = next;
        }
        polynomial.iter().zip(moments).map(|(coefficient, moment)| coefficient * moment).sum()
    };
    (0..nodes.len()).map(weight).collect()
}
