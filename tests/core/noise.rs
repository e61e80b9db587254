//! Noise schedules against torch (2.15) in f64, as ComfyUI makes them. diffusers sums in f32 and is off by up to 1e-4.

use headroom::model::noise::{Betas, Discrete, DynamicShift, Flow, Noise, sigma_at, step_of};

fn close(sigmas: &[f64], want: [f64; 5]) {
    for (at, want) in [0, 1, 500, 998, 999].into_iter().zip(want) {
        assert!((sigmas[at] / want - 1.0).abs() < 1e-9, "step {at}: {} is not {want}", sigmas[at]);
    }
}

#[test]
fn the_levels_of_training_steps_are_those_of_the_reference() {
    let stable = Discrete::STABLE_DIFFUSION;
    close(
        &stable.sigmas(),
        [0.029167158151720367, 0.04131441199678309, 1.6182788260186167, 14.526275689349731, 14.614641229333639],
    );
    let linear = Discrete { betas: Betas::Linear, first_beta: 0.0001, last_beta: 0.02, ..stable };
    close(
        &linear.sigmas(),
        [0.010000500037502575, 0.014830923708982586, 3.4429671125258228, 155.82519376238227, 157.40728081040757],
    );
}

#[test]
fn a_schedule_that_ends_in_noise_alone_stays_finite() {
    let sigmas = Discrete { zero_terminal_snr: true, ..Discrete::STABLE_DIFFUSION }.sigmas();
    let wanted =
        [(0, 0.029167158151720367), (500, 1.774557474287331), (998, 2254.237978336995), (999, 4095.9998779296857)];
    for (at, want) in wanted {
        assert!((sigmas[at] / want - 1.0).abs() < 1e-6, "step {at}: {} is not {want}", sigmas[at]);
    }
    assert!(sigmas.windows(2).all(|pair| pair[0] < pair[1]));
}

#[test]
fn a_step_and_its_level_are_inverse_and_the_ends_hold() {
    let sigmas = Discrete::STABLE_DIFFUSION.sigmas();
    for step in [0.0, 0.5, 1.0, 333.25, 998.75, 999.0] {
        assert!((step_of(&sigmas, sigma_at(&sigmas, step)) - step).abs() < 1e-6, "{step}");
    }
    assert_eq!(step_of(&sigmas, 1e-9), 0.0);
    assert_eq!(step_of(&sigmas, 1e9), 999.0);
    assert!((sigma_at(&sigmas, 1e9) / sigmas[999] - 1.0).abs() < 1e-12);
    assert!((sigma_at(&sigmas, -3.0) / sigmas[0] - 1.0).abs() < 1e-12);
    assert_eq!((step_of(&[], 1.0), sigma_at(&[], 1.0)), (0.0, 0.0));
}

#[test]
fn the_first_latent_is_noise_of_the_first_level() {
    assert_eq!(Noise::Flow(Flow::fixed(3.0)).initial_scale(1.0), 1.0);
    assert_eq!(Noise::Discrete(Discrete::STABLE_DIFFUSION).initial_scale(0.75), 1.25);
}

/// diffusers' `calculate_shift` and its exponential time shift.
#[test]
fn a_dynamic_shift_grows_with_the_picture() {
    let flow = Flow { shift: 1.0, dynamic: Some(DynamicShift::FLUX) };
    assert!((flow.shift_at(256) - 0.5_f64.exp()).abs() < 1e-12);
    assert!((flow.shift_at(4096) - 1.15_f64.exp()).abs() < 1e-12);
    assert!((flow.shift_at(1024) - 0.63_f64.exp()).abs() < 1e-12);
    assert_eq!(Flow::fixed(3.0).shift_at(4096), 3.0);
}
