//! Samplers and schedules against k-diffusion and diffusers, on a network that is known exactly
//! (`tests/golden/make_samplers.py`).

use super::schedule::OPTIMISED_SD;
use super::{Model, Space, sample, sigmas};
use crate::engine::noise::Draws;
use crate::job::Failure;
use crate::ledger::{self, Pool};
use crate::model::json::{self, Value};
use crate::model::noise::Discrete;
use crate::recipe::{Rng, Sampler, Schedule};
use crate::units::Bytes;
use std::path::Path;

fn goldens() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/samplers.json");
    json::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case.get(key).and_then(Value::as_str).unwrap()
}

fn number(case: &Value, key: &str) -> f64 {
    case.get(key).and_then(Value::as_f64).unwrap()
}

fn numbers(case: &Value, key: &str) -> Vec<f64> {
    case.get(key).and_then(Value::as_array).unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn stable_diffusion() -> Space {
    Space::discrete(&Discrete::STABLE_DIFFUSION, &OPTIMISED_SD)
}

fn space(case: &Value) -> Space {
    match text(case, "space") {
        "flow" => Space::Flow { shift: 3.0 },
        _ => stable_diffusion(),
    }
}

/// The exact denoiser of pictures from 0.3 N(-0.8, 0.5) + 0.7 N(0.6, 0.7).
struct Mixture<'a> {
    space: &'a Space,
    evaluations: u32,
    steps: Vec<usize>,
}

impl Mixture<'_> {
    fn denoise(&self, x: f64, sigma: f64) -> f64 {
        let alpha = self.space.alpha(sigma);
        let part = |mean: f64, spread: f64, share: f64| {
            let variance = alpha * alpha * spread * spread + sigma * sigma;
            let away = x - alpha * mean;
            let log = share.ln() - variance.ln() / 2.0 - away * away / (2.0 * variance);
            (log, mean + alpha * spread * spread / variance * away)
        };
        let ((log_a, a), (log_b, b)) = (part(-0.8, 0.5, 0.3), part(0.6, 0.7, 0.7));
        let weight = 1.0 / (1.0 + (log_b - log_a).exp());
        weight * a + (1.0 - weight) * b
    }
}

impl Model for Mixture<'_> {
    fn direction(&mut self, x: &[f32], sigma: f32) -> Result<Vec<f32>, Failure> {
        self.evaluations += 1;
        let sigma = f64::from(sigma);
        Ok(x.iter().map(|&x| ((f64::from(x) - self.denoise(f64::from(x), sigma)) / sigma) as f32).collect())
    }

    fn stepped(&mut self, step: usize, _x: &[f32], _draws: u32) -> Result<(), Failure> {
        self.steps.push(step);
        Ok(())
    }
}

#[test]
fn noise_levels_are_those_of_the_references() {
    let goldens = goldens();
    let cases = goldens.get("schedules").and_then(Value::as_array).unwrap();
    let mut seen = Vec::new();
    for case in cases {
        let schedule = Schedule::from_name(text(case, "schedule")).unwrap();
        seen.push(schedule);
        let (space, steps) = (space(case), number(case, "steps") as u32);
        let (got, want) = (sigmas(Sampler::Euler, schedule, steps, &space), numbers(case, "sigmas"));
        let what = format!("{} {} {steps}", text(case, "space"), schedule.name());
        assert_eq!(got.len(), want.len(), "{what}");
        for (got, want) in got.iter().zip(want) {
            assert!((f64::from(*got) - want).abs() <= 2e-6 * want.max(0.1), "{what}: {got} {want}");
        }
        assert!(got.windows(2).all(|pair| pair[0] > pair[1]), "{what}: levels fall");
        let mut more = sigmas(Sampler::Euler, schedule, steps + 1, &space);
        more.remove(more.len() - 2);
        assert_eq!(sigmas(Sampler::Dpm2, schedule, steps, &space), more, "{what}: without the last level but one");
    }
    assert!(Schedule::ALL.iter().all(|schedule| seen.contains(schedule)));
}

#[test]
fn every_sampler_on_every_schedule_ends_where_its_reference_ends() {
    let goldens = goldens();
    let seed = number(&goldens, "seed") as u64;
    let cases = goldens.get("runs").and_then(Value::as_array).unwrap();
    assert_eq!(cases.len(), Sampler::ALL.len() * (Schedule::ALL.len() + Schedule::FLOW.len()));
    let mut wrong = Vec::new();
    for case in cases {
        let sampler = Sampler::from_name(text(case, "sampler")).unwrap();
        let schedule = Schedule::from_name(text(case, "schedule")).unwrap();
        let (space, steps) = (space(case), number(case, "steps") as u32);
        let what = format!("{} {} {}", text(case, "space"), sampler.name(), schedule.name());
        let levels = sigmas(sampler, schedule, steps, &space);
        let want = numbers(case, "x");
        let start = Draws::new(Rng::Cpu, seed).draw(want.len());
        let mut x: Vec<f32> = start.iter().map(|noise| noise * levels[0]).collect();
        let mut model = Mixture { space: &space, evaluations: 0, steps: Vec::new() };
        sample(sampler, &space, &levels, &mut x, &mut Draws::for_steps(Rng::Cpu, seed), &mut model).unwrap();
        let largest = want.iter().fold(1.0_f64, |a, b| a.max(b.abs()));
        let off = x.iter().zip(&want).fold(0.0_f64, |a, (got, want)| a.max((f64::from(*got) - want).abs())) / largest;
        // On levels that fall as fast as these at the end, LMS extrapolates so far that the reference in f32 ends 0.2 %
        // from itself in f64.
        let wild = sampler == Sampler::Lms && schedule == Schedule::LinearQuadratic;
        let rounding = if wild { number(case, "rounding") } else { 0.0 };
        if off.is_nan() || off > f64::max(1e-5, rounding) {
            wrong.push(format!("{what}: off by {off:.1e}, of which rounding makes {rounding:.1e}"));
        }
        assert_eq!(model.steps, (0..levels.len() - 1).collect::<Vec<_>>(), "{what}: each step is told once");
        assert_eq!(model.evaluations, sampler.evaluations(levels.len() as u32 - 1), "{what}");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Measures what is alive beside the latent while the network runs.
struct Weigh {
    before: Bytes,
    most: Bytes,
    left: u32,
}

impl Model for Weigh {
    fn direction(&mut self, x: &[f32], _sigma: f32) -> Result<Vec<f32>, Failure> {
        self.most = self.most.max(ledger::live(Pool::Host) - self.before);
        Ok(vec![0.1; x.len()])
    }

    fn stepped(&mut self, _step: usize, _x: &[f32], _draws: u32) -> Result<(), Failure> {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 { Err(Failure::Crash { what: "enough".to_owned() }) } else { Ok(()) }
    }
}

/// The table that the planner counts with.
#[test]
fn a_sampler_holds_as_many_latents_as_it_says() {
    let _turn = crate::engine::ops::books::TURN.lock();
    let values = 1 << 18;
    for space in [Space::Flow { shift: 3.0 }, stable_diffusion()] {
        let levels = sigmas(Sampler::Euler, Schedule::Simple, 8, &space);
        for sampler in Sampler::ALL {
            let stated = Bytes::f32s(values * sampler.held_latents());
            let weigh = || {
                let mut x = vec![0.5; values];
                let mut model = Weigh { before: ledger::live(Pool::Host), most: Bytes::ZERO, left: 100 };
                sample(sampler, &space, &levels, &mut x, &mut Draws::for_steps(Rng::Cpu, 1), &mut model).unwrap();
                model.most
            };
            // Other tests allocate meanwhile: one undisturbed run out of a few is enough, a wrong number never fits.
            let weighed: Vec<Bytes> = (0..6).map(|_| weigh()).collect();
            let fits = weighed.iter().any(|most| most.get().abs_diff(stated.get()) < 1 << 18);
            assert!(fits, "{}: {weighed:?} instead of {stated}", sampler.name());
        }
    }
}

#[test]
fn a_run_ends_where_the_listener_says_so() {
    let space = Space::Flow { shift: 1.0 };
    let levels = sigmas(Sampler::Heun, Schedule::Simple, 8, &space);
    for sampler in Sampler::ALL {
        let mut model = Weigh { before: Bytes::ZERO, most: Bytes::ZERO, left: 3 };
        let mut x = vec![0.5; 16];
        let end = sample(sampler, &space, &levels, &mut x, &mut Draws::for_steps(Rng::Nv, 1), &mut model);
        assert!(matches!(end, Err(Failure::Crash { .. })), "{}", sampler.name());
    }
}

#[test]
fn times_and_levels_are_each_others_inverse() {
    for space in [Space::Flow { shift: 3.0 }, Space::Flow { shift: 1.0 }, stable_diffusion()] {
        for time in [0.0, 0.5, 1.0, 250.25, 998.9, 999.0] {
            assert!((space.time(space.sigma(time)) - time).abs() < 1e-6, "{time}");
        }
    }
}
