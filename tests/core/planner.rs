use crate::support::{laptop, recipe, with_card, z_image_turbo};
use headroom::machine::{Cgroup, Commit, GpuKind, Machine, Overflow, Reading, Unknown};
use headroom::planner::{
    Answer, CellVerdict, Choice, Concession, Decode, Device, Phase, Policy, Pool, Remedy, Term, Tier, Verdict,
    fit_cell, learned_gflops, plan,
};
use headroom::recipe::{Draft, Vocabulary};
use headroom::units::{Bytes, PixelSize, Secs};
use proptest::prelude::*;

fn answer(machine: &Machine, width: i64, height: i64, policy: &Policy) -> Answer {
    let model = z_image_turbo();
    plan(machine, &model, &recipe(&model, width, height), policy)
}

fn cpu() -> Policy {
    Policy::new(Device::Cpu)
}

#[test]
fn the_tiers_go_down_as_memory_shrinks() {
    let verdict = |gib| answer(&laptop(64, gib), 1024, 1024, &cpu());
    assert_eq!(verdict(48).verdict, Verdict::Fits);
    assert_eq!(verdict(48).plan.choice, Choice { tier: Tier::Resident, decode: Decode::Whole });
    assert_eq!(verdict(16).verdict, Verdict::FitsWith(vec![Concession::Phased]));
    assert_eq!(verdict(6).verdict, Verdict::FitsWith(vec![Concession::Streamed]));
    assert_eq!(verdict(2).verdict, Verdict::FitsWith(vec![Concession::Streamed, Concession::Banded]));
    assert!(matches!(verdict(1).verdict, Verdict::Short(_)));
}

/// Unsloth Studio #8081: the text encoder runs once and must not be reserved while denoising.
#[test]
fn no_text_encoder_is_counted_while_denoising_unless_everything_stays() {
    let answer = answer(&laptop(64, 16), 1024, 1024, &cpu());
    let denoise = answer.plan.phase(Phase::Denoise).unwrap();
    assert_eq!(answer.plan.pool_terms(denoise, Pool::Host).get(Term::TextEncoderWeights), Bytes::ZERO);
    assert!(answer.plan.pool_terms(denoise, Pool::Host).get(Term::DenoiserWeights) > Bytes::gib(11));
}

/// Unsloth Studio #8188: memory must follow the resolution, in whole bytes.
#[test]
fn a_larger_picture_needs_more_under_the_same_choice() {
    let need = |w, h| {
        let answer = answer(&laptop(256, 250), w, h, &cpu());
        (answer.plan.need(Phase::Denoise, Pool::Host), answer.plan.need(Phase::Decode, Pool::Host))
    };
    let (small, large) = (need(1024, 1024), need(1088, 1920));
    assert!(large.0 > small.0 && large.1 > small.1);
    // Bounded attention: the part above the weights grows with the area, not with its square.
    let weights = z_image_turbo().bytes();
    let ratio = (large.0 - weights).get() as f64 / (small.0 - weights).get() as f64;
    assert!((1.3..2.2).contains(&ratio), "{ratio}");
}

#[test]
fn the_terms_of_every_phase_add_up_to_its_need() {
    let answer = answer(&laptop(64, 48), 832, 1216, &cpu());
    for need in &answer.plan.phases {
        let terms = answer.plan.pool_terms(need, Pool::Host);
        assert_eq!(terms.iter().map(|(_, bytes)| bytes).sum::<Bytes>(), answer.plan.need(need.phase, Pool::Host));
    }
    let peak = answer.plan.phases.iter().map(|need| answer.plan.need(need.phase, Pool::Host)).max().unwrap();
    assert_eq!(answer.plan.peak(Pool::Host), peak);
}

#[test]
fn a_card_holds_the_networks_and_the_host_only_the_rest() {
    let machine = with_card(laptop(32, 20), Bytes::gib(16), Reading::Known(Bytes::gib(15)), Overflow::Fails);
    let answer = answer(&machine, 1024, 1024, &Policy::new(Device::Gpu(0)));
    assert_eq!(answer.plan.choice.tier, Tier::Phased);
    assert!(answer.plan.peak(Pool::Device) > Bytes::gib(11));
    assert!(answer.plan.peak(Pool::Host) < Bytes::mib(200));
}

/// Memory that the driver borrows from the host is never room.
#[test]
fn shared_memory_is_not_counted_as_room() {
    let mut machine = with_card(laptop(64, 60), Bytes::gib(8), Reading::Known(Bytes::gib(7)), Overflow::Spills);
    let policy = Policy { tiers: vec![Tier::Resident, Tier::Phased], ..Policy::new(Device::Gpu(0)) };
    let before = answer(&machine, 1024, 1024, &policy);
    assert!(matches!(before.verdict, Verdict::Short(_)));
    machine.gpus[0].shared = Reading::Known(Bytes::gib(200));
    assert_eq!(answer(&machine, 1024, 1024, &policy).verdict, before.verdict);
}

/// InvokeAI #7563: everything that is held is charged, so commit can be short while RAM and VRAM look free.
#[test]
fn commit_is_short_while_ram_and_card_have_room() {
    let mut machine = with_card(laptop(32, 26), Bytes::gib(24), Reading::Known(Bytes::gib(23)), Overflow::Spills);
    machine.commit = Some(Commit {
        limit: Reading::Known(Bytes::gib(34)),
        charged: Reading::Known(Bytes::gib(28)),
        growth: Reading::Known(Bytes::gib(64)),
    });
    let policy = Policy { tiers: vec![Tier::Resident, Tier::Phased], ..Policy::new(Device::Gpu(0)) };
    let answer = answer(&machine, 1024, 1024, &policy);
    let Verdict::Short(shortage) = &answer.verdict else { panic!("{:?}", answer.verdict) };
    assert_eq!(shortage.pool, Pool::Commit);
    assert!(answer.remedies.contains(&Remedy::GrowPagefile(shortage.by)), "{:?}", answer.remedies);
}

#[test]
fn unified_memory_is_one_pool() {
    let mut machine = with_card(laptop(16, 12), Bytes::gib(11), Reading::Known(Bytes::gib(10)), Overflow::Fails);
    machine.gpus[0].kind = GpuKind::Unified;
    let answer = answer(&machine, 512, 512, &Policy::new(Device::Gpu(0)));
    for phase in Phase::ALL {
        assert!(answer.plan.need(phase, Pool::Host) >= answer.plan.need(phase, Pool::Device), "{phase:?}");
    }
}

#[test]
fn the_tighter_of_system_and_control_group_counts() {
    let mut machine = laptop(64, 48);
    machine.cgroup = Some(Cgroup { limit: Bytes::gib(8), used: Bytes::gib(1) });
    assert_eq!(machine.host_room(), Reading::Known(Bytes::gib(7)));
    machine.ram.available = Reading::Known(Bytes::gib(5));
    assert_eq!(machine.host_room(), Reading::Known(Bytes::gib(5)));
}

#[test]
fn a_missing_or_implausible_reading_cannot_tell_and_never_blocks() {
    let mut machine = laptop(64, 48);
    machine.ram.available = Reading::Unknown(Unknown::Unreadable);
    let blind = answer(&machine, 1024, 1024, &cpu());
    assert_eq!(blind.verdict, Verdict::CannotTell(vec![(Pool::Host, Unknown::Unreadable)]));
    assert!(blind.admits());
    assert_eq!(blind.plan.choice.tier, Tier::Phased);

    let lying = with_card(laptop(64, 48), Bytes::gib(16), Reading::Known(Bytes::gib(17)), Overflow::Spills);
    let answer = answer(&lying, 512, 512, &Policy::new(Device::Gpu(0)));
    assert_eq!(answer.verdict, Verdict::CannotTell(vec![(Pool::Device, Unknown::AboveTotal)]));
}

/// A pool that is certainly too small decides even where another one cannot be read.
#[test]
fn a_known_shortage_outweighs_an_unknown_pool() {
    let machine = with_card(laptop(64, 48), Bytes::gib(4), Reading::Known(Bytes::gib(1)), Overflow::Fails);
    let machine = Machine {
        commit: Some(Commit { limit: Reading::MISSING, charged: Reading::MISSING, growth: Reading::MISSING }),
        ..machine
    };
    assert!(matches!(answer(&machine, 1024, 1024, &Policy::new(Device::Gpu(0))).verdict, Verdict::Short(_)));
}

#[test]
fn a_users_limit_is_hard_and_says_how_far_to_raise_it() {
    let policy = Policy { memory_limit: Some(Bytes::gib(1)), ..cpu() };
    let answer = answer(&laptop(64, 48), 1024, 1024, &policy);
    let Verdict::Short(shortage) = answer.verdict else { panic!("{:?}", answer.verdict) };
    assert!(shortage.hard);
    assert!(answer.remedies.iter().any(|remedy| matches!(remedy, Remedy::RaiseLimit(_))));
}

#[test]
fn a_users_limit_is_hard_even_where_the_system_has_less() {
    let policy = Policy { memory_limit: Some(Bytes::gib(2)), tiers: vec![Tier::Resident], ..cpu() };
    let Verdict::Short(shortage) = answer(&laptop(64, 1), 1024, 1024, &policy).verdict else { panic!("fits") };
    assert!(shortage.hard);
    let policy = Policy { memory_limit: Some(Bytes::gib(60)), ..policy };
    let Verdict::Short(shortage) = answer(&laptop(64, 1), 1024, 1024, &policy).verdict else { panic!("fits") };
    assert!(!shortage.hard);
}

#[test]
fn every_remedy_really_fits() {
    let model = z_image_turbo();
    let vocabulary = Vocabulary::of(&model);
    for gib in 1..30 {
        for (width, height) in [(1024, 1024), (2048, 1024), (1088, 1920), (4096, 4096)] {
            let machine = laptop(32, gib);
            let draft = Draft { width, height, batch: 2, ..Draft::new(&vocabulary) };
            let recipe = draft.parse(&vocabulary).unwrap().0;
            let policy = Policy { tiers: vec![Tier::Phased], ..cpu() };
            let fits = |machine: &Machine, recipe: &_, policy: &Policy| {
                matches!(fit_cell(machine, &model, recipe, policy), CellVerdict::Fits(_))
            };
            for remedy in plan(&machine, &model, &recipe, &policy).remedies {
                let works = match remedy {
                    Remedy::Size(size) => {
                        let smaller = recipe.with_size(size, &vocabulary);
                        assert!(size.pixels() < recipe.size().pixels());
                        fits(&machine, &smaller, &policy)
                    }
                    Remedy::Single => fits(&machine, &recipe.single(0), &policy),
                    Remedy::Choice(choice) => {
                        let policy =
                            Policy { tiers: vec![choice.tier], decodes: vec![choice.decode], ..policy.clone() };
                        fits(&machine, &recipe, &policy)
                    }
                    Remedy::CloseOthers(bytes) => {
                        let mut freed = machine.clone();
                        freed.ram.available = freed.ram.available.map(|available| available + bytes);
                        fits(&freed, &recipe, &policy)
                    }
                    Remedy::RaiseLimit(_) | Remedy::GrowPagefile(_) => panic!("not on this machine: {remedy:?}"),
                };
                assert!(works, "{gib} GiB, {width}x{height}: {remedy:?}");
            }
        }
    }
}

#[test]
fn the_largest_size_that_fits_keeps_the_aspect() {
    let policy = Policy { tiers: vec![Tier::Phased], decodes: vec![Decode::Whole], ..cpu() };
    let answer = answer(&laptop(32, 13), 4096, 2048, &policy);
    let size = answer.remedies.iter().find_map(|remedy| match remedy {
        Remedy::Size(size) => Some(*size),
        _ => None,
    });
    let PixelSize { width, height } = size.unwrap();
    assert!((f64::from(width) / f64::from(height) - 2.0).abs() < 0.1, "{width}x{height}");
}

#[test]
fn time_is_told_where_the_speed_is_known() {
    let secs = |gflops, tier| {
        let mut machine = laptop(64, 48);
        machine.cpu.gflops = gflops;
        let answer = answer(&machine, 1024, 1024, &cpu());
        let choice = Choice { tier, decode: Decode::Whole };
        answer.ladder.iter().find(|rung| rung.choice == choice).unwrap().secs
    };
    assert_eq!(secs(None, Tier::Phased), None);
    assert!(secs(Some(200.0), Tier::Phased) > secs(Some(400.0), Tier::Phased));
    // A fast machine waits for the blocks that it reads once a step.
    assert!(secs(Some(50_000.0), Tier::Streamed) > secs(Some(50_000.0), Tier::Phased));
}

#[test]
fn a_machine_that_is_slower_than_its_calibration_is_learned_in_a_few_runs() {
    let mut gflops = 200.0;
    for _ in 0..10 {
        // Work of 100 GFLOP on a machine that really does 50 a second.
        gflops = learned_gflops(gflops, Secs(100.0 / gflops), Secs(2.0));
    }
    assert!((49.0..52.0).contains(&gflops), "{gflops}");
    assert_eq!(learned_gflops(80.0, Secs(1.0), Secs(0.0)), 80.0, "no time at all teaches nothing");
    assert!(learned_gflops(80.0, Secs(1.0), Secs(1e9)) >= 40.0, "one absurd run moves it by half at most");
}

proptest! {
    #[test]
    fn more_memory_never_turns_fits_into_short(
        available in 0_u64..40, more in 0_u64..40, width in 64_i64..4096, height in 64_i64..4096,
    ) {
        let model = z_image_turbo();
        let recipe = recipe(&model, width, height);
        let cell = |gib| fit_cell(&laptop(128, gib), &model, &recipe, &cpu());
        if let CellVerdict::Fits(low) = cell(available) {
            let CellVerdict::Fits(high) = cell(available + more) else { return Err(TestCaseError::fail("short")) };
            prop_assert!((high.decode, high.tier) <= (low.decode, low.tier));
        }
    }

    #[test]
    fn any_machine_and_recipe_get_an_answer(
        available: u64, total: u64, limit in proptest::option::of(any::<u64>()), width in 64_i64..4096, height in 64_i64..4096,
        threads in 0_usize..1000, free: u64,
    ) {
        let mut machine = with_card(laptop(1, 1), Bytes(total), Reading::Known(Bytes(free)), Overflow::Fails);
        machine.ram.available = Reading::Known(Bytes(available));
        machine.cpu.threads = threads;
        for device in [Device::Cpu, Device::Gpu(0), Device::Gpu(7)] {
            let policy = Policy { memory_limit: limit.map(Bytes), ..Policy::new(device) };
            let answer = answer(&machine, width, height, &policy);
            prop_assert_eq!(answer.ladder.len(), 9);
            prop_assert_eq!(&answer, &self::answer(&machine, width, height, &policy));
        }
    }

    #[test]
    fn the_peak_is_at_least_the_weights_that_must_be_there(width in 64_i64..4096, height in 64_i64..4096) {
        let model = z_image_turbo();
        let answer = answer(&laptop(128, 100), width, height, &cpu());
        for rung in &answer.ladder {
            let least = match rung.choice.tier {
                Tier::Resident => model.bytes(),
                Tier::Phased => model.denoiser.bytes(),
                Tier::Streamed => model.denoiser.fixed.bytes + model.denoiser.blocks.iter().map(|block| block.bytes).max().unwrap() * 2,
            };
            prop_assert!(rung.peaks.iter().all(|(_, bytes)| *bytes >= least));
        }
    }
}
