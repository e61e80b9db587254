//! Public reports as tests: for each the numbers that the report gives, and the verdict that a careful engineer gives
//! for *this* engine, whose ops are bounded and which reads weights by position.
//!
//! Two of them pull in opposite directions (Unsloth Studio #8188 reserved too little, #8081 too much), so they only
//! mean something together.

mod reference;

use crate::support::{laptop, recipe, with_card, z_image_turbo};
use headroom::machine::{Cgroup, Commit, GpuKind, Machine, Os, Overflow, Reading, Unknown};
use headroom::model::{Component, Inventory};
use headroom::planner::{
    Answer, Choice, Concession, Decode, Device, Phase, Policy, Pool, Remedy, Term, Tier, Verdict, plan,
};
use headroom::recipe::{Draft, Vocabulary};
use headroom::units::Bytes;
use reference::{OVERHEAD, Offload};

/// Z-Image-Turbo with a denoiser and a text encoder of so many MiB.
fn z_image(denoiser: u64, text_encoder: u64) -> Inventory {
    let mut model = z_image_turbo();
    resize(&mut model.denoiser, denoiser);
    resize(&mut model.text_encoders[0].component, text_encoder);
    model
}

/// Scales the weights of a component to `mib`, its blocks in proportion.
fn resize(component: &mut Component, mib: u64) {
    let old = component.bytes().get();
    let scale = |bytes: Bytes| Bytes((u128::from(bytes.get()) * u128::from(mib << 20) / u128::from(old)) as u64);
    for unit in component.blocks.iter_mut().chain([&mut component.fixed]) {
        unit.bytes = scale(unit.bytes);
        unit.largest_tensor = scale(unit.largest_tensor);
    }
}

/// A Windows machine with a discrete card of which `free` MiB are free.
fn card(total: u64, free: u64) -> Machine {
    let mut machine = with_card(laptop(32, 20), Bytes::mib(total), Reading::Known(Bytes::mib(free)), Overflow::Spills);
    machine.os = Os::Windows;
    machine
}

/// The report's reserve of 2 GiB on the card.
fn policy() -> Policy {
    Policy { device_reserve: Bytes::gib(2), ..Policy::new(Device::Gpu(0)) }
}

fn answer(machine: &Machine, model: &Inventory, width: i64, height: i64) -> Answer {
    plan(machine, model, &recipe(model, width, height), &policy())
}

/// Idle cards of 8, 12, 16, 24, 32, 48 and 80 GB.
const CARDS: [u64; 7] = [8, 12, 16, 24, 32, 48, 80];

fn idle_budget(gb: u64) -> u64 {
    reference::discrete_budget(gb * 1024, gb * 1024)
}

#[test]
fn the_reports_budgets_are_reproduced() {
    assert_eq!(CARDS.map(idle_budget), [6_144, 10_240, 14_336, 22_119, 29_492, 44_237, 73_728]);
    assert_eq!(reference::discrete_budget(16_302, 16_302), 14_254);
    assert_eq!(reference::discrete_budget(15_870, 16_305), 13_822);
    assert_eq!(reference::discrete_budget(7_946, 8_192), 5_898);
}

/// Unsloth Studio #8081: 48 minutes for 20 steps, because a text encoder that runs once was reserved throughout.
#[test]
fn g1_a_model_that_fits_is_not_swapped_in_and_out() {
    let (denoiser, companions, encoder, budget) = (6_451, 7_820, 7_629, 13_822);
    let runtime = reference::runtime(1024, 1024, 1, false);
    assert_eq!(runtime, 8_192);
    assert_eq!(denoiser + companions + runtime + OVERHEAD, 24_511);
    assert_eq!(companions + runtime + OVERHEAD, 18_060);
    assert_eq!(reference::streamed_floor(companions, encoder, runtime), 10_431);
    assert_eq!(reference::ladder(denoiser, companions, None, runtime, budget), Offload::Model);
    assert_eq!(reference::ladder(denoiser, companions, Some(encoder), runtime, budget), Offload::GroupAndEncoders);

    // Here: one component after the other, each loaded once, whole decode, nothing streamed at each step.
    let answer = answer(&card(16_305, 15_870), &z_image(denoiser, encoder), 1024, 1024);
    assert_eq!(answer.verdict, Verdict::FitsWith(vec![Concession::Phased]));
    assert_eq!(answer.plan.choice.decode, Decode::Whole);
    let denoise = answer.plan.phase(Phase::Denoise).unwrap();
    assert_eq!(answer.plan.pool_terms(denoise, Pool::Device).get(Term::TextEncoderWeights), Bytes::ZERO);
}

#[test]
fn g2_each_card_gets_the_fastest_tier_that_it_holds() {
    let (denoiser, companions, encoder) = (6_451, 7_820, 7_560);
    let before = CARDS.map(|gb| reference::ladder(denoiser, companions, None, 8_192, idle_budget(gb)));
    let runtime = reference::runtime(1024, 1024, 1, true);
    assert_eq!(reference::streamed_floor(companions, encoder, runtime), 9_271);
    let after = CARDS.map(|gb| reference::ladder(denoiser, companions, Some(encoder), runtime, idle_budget(gb)));
    use Offload::{Group, GroupAndEncoders, Model, None as Whole};
    assert_eq!(before, [Model, Model, Model, Group, Whole, Whole, Whole]);
    assert_eq!(after, [Model, GroupAndEncoders, GroupAndEncoders, Group, Whole, Whole, Whole]);

    let model = z_image(denoiser, encoder);
    let tiers = CARDS.map(|gb| {
        let answer = answer(&card(gb * 1024, gb * 1024 - 200), &model, 1024, 1024);
        assert!(answer.admits(), "{gb} GB: {:?}", answer.verdict);
        answer.plan.choice.tier
    });
    use Tier::{Phased, Resident, Streamed};
    assert_eq!(tiers, [Streamed, Phased, Phased, Resident, Resident, Resident, Resident]);
}

/// Unsloth Studio #8188: the load reserved 6,963 MiB whatever the size, and the driver spilled 14 GB without a word.
#[test]
fn g3_a_tall_picture_on_a_16_gb_card_is_planned_with_its_own_size() {
    let budget = reference::discrete_budget(16_302, 16_302);
    let loaded = reference::runtime(1024, 1024, 1, true);
    let real = reference::runtime(1088, 1920, 1, true);
    assert_eq!((loaded, real), (6_963, 13_872));
    assert!(real <= budget, "alone it seems to fit");
    assert_eq!(real + OVERHEAD, 15_920);
    assert!(reference::refuses(real, loaded, OVERHEAD, budget));
    assert!(!reference::refuses(real, loaded, 0, budget), "the overhead is what tells");

    // Here no op is quadratic: it fits, and the need follows the size.
    let machine = card(16_302, 15_500);
    let model = z_image(3_460, 7_672);
    let (small, tall) = (answer(&machine, &model, 1024, 1024), answer(&machine, &model, 1088, 1920));
    assert!(tall.admits(), "{:?}", tall.verdict);
    let activations = |answer: &Answer, phase| {
        let terms = answer.plan.pool_terms(answer.plan.phase(phase).unwrap(), Pool::Device);
        terms.get(Term::Activations) + terms.get(Term::Workspace)
    };
    for phase in [Phase::Denoise, Phase::Decode] {
        let ratio = activations(&tall, phase).get() as f64 / activations(&small, phase).get() as f64;
        assert!((1.5..2.05).contains(&ratio), "{phase:?} grows by {ratio}");
    }
    assert!(tall.plan.peak(Pool::Device) + tall.plan.margin <= Bytes::mib(15_500 - 2_048));
}

#[test]
fn g4_what_is_told_is_what_was_compared() {
    let (budget, free) = (13_822, 15_870);
    let need = reference::runtime(1088, 1920, 1, true) + OVERHEAD;
    assert!(need > budget);
    let told = [need, OVERHEAD, budget, free].map(reference::gb);
    assert_eq!(told, ["15.55 GB", "2.00 GB", "13.50 GB", "15.50 GB"]);

    // A shortage here is the exact difference of need with margin and budget, at the phase that it names.
    let machine = card(16_305, 4_000);
    let model = z_image(3_460, 7_672);
    let pinned = Policy { tiers: vec![Tier::Resident], decodes: vec![Decode::Whole], ..policy() };
    let answer = plan(&machine, &model, &recipe(&model, 1088, 1920), &pinned);
    let Verdict::Short(short) = &answer.verdict else { panic!("{:?}", answer.verdict) };
    let Some(Reading::Known(budget)) = answer.plan.budget(short.pool).map(|budget| budget.budget) else { panic!() };
    assert_eq!(answer.plan.need(short.phase, short.pool) + answer.plan.margin, budget + short.by);
    assert_eq!(answer.plan.need(short.phase, short.pool), answer.plan.peak(short.pool));
}

#[test]
fn g5_an_8_gb_card_is_not_refused_what_it_can_draw() {
    let budget = reference::discrete_budget(7_946, 8_192);
    let loaded = reference::runtime(1024, 1024, 1, true);
    assert_eq!(reference::runtime(512, 512, 1, true), 1_740);
    assert!(!reference::refuses(loaded, loaded, OVERHEAD, budget));
    assert!(!reference::refuses(reference::runtime(512, 512, 1, true), loaded, OVERHEAD, budget));
    assert!(reference::refuses(reference::runtime(1088, 1920, 1, true), loaded, OVERHEAD, budget));

    let model = z_image(3_460, 7_672);
    for (width, height) in [(512, 512), (1024, 1024), (1088, 1920)] {
        let answer = answer(&card(8_192, 7_946), &model, width, height);
        assert!(answer.admits(), "{width}x{height}: {:?}", answer.verdict);
    }
}

#[test]
fn g7_a_batch_costs_its_latents_and_pixels_only() {
    let estimates = [1, 2, 3, 4].map(|batch| reference::runtime(1024, 1024, batch, true));
    assert_eq!(estimates, [6_963, 13_926, 20_889, 27_852]);
    let refused =
        |batch: u64, gb| reference::refuses(estimates[batch as usize - 1], estimates[0], OVERHEAD, idle_budget(gb));
    assert_eq!(estimates[1] + OVERHEAD, 15_974);
    assert!(refused(2, 16) && !refused(2, 24));
    assert!(refused(4, 32) && !refused(4, 48));

    // Pictures are drawn one after another here, on every system.
    let model = z_image(3_460, 7_672);
    let vocabulary = Vocabulary::of(&model);
    let batch = |batch| {
        let draft = Draft { prompt: "a red apple".to_owned(), batch, ..Draft::new(&vocabulary) };
        plan(&card(16 * 1024, 15_900), &model, &draft.parse(&vocabulary).unwrap().0, &policy())
    };
    let (one, four) = (batch(1), batch(4));
    assert!(four.admits(), "{:?}", four.verdict);
    assert_eq!(one.plan.choice, four.plan.choice);
    assert!(four.plan.peak(Pool::Device) <= one.plan.peak(Pool::Device) + Bytes::mib(4));
}

/// Pinning weights turns a shortage of the card into gigabytes of the host that cannot be swapped.
#[test]
fn g8_streaming_takes_nothing_but_staging_from_the_host() {
    let answer = answer(&card(8_192, 6_500), &z_image(6_451, 7_629), 1024, 1024);
    assert_eq!(answer.plan.choice.tier, Tier::Streamed);
    for phase in [Phase::Encode, Phase::Denoise] {
        let host = answer.plan.pool_terms(answer.plan.phase(phase).unwrap(), Pool::Host);
        for weights in [Term::TextEncoderWeights, Term::DenoiserWeights, Term::VaeWeights] {
            assert_eq!(host.get(weights), Bytes::ZERO, "{phase:?}");
        }
        assert!(host.total() < Bytes::mib(256), "{phase:?}: {}", host.total());
    }
}

#[test]
fn g9_to_g11_the_split_of_companions_decides_the_rung() {
    let budget = 13_822;
    assert_eq!(reference::ladder(20_000, 1_500, Some(1_400), 8_192, budget), Offload::Group);
    assert_eq!(reference::streamed_floor(20_000, 1_000, 8_192), 29_240);
    assert_eq!(reference::ladder(6_451, 20_000, Some(1_000), 8_192, budget), Offload::Model);
    assert_eq!(reference::streamed_floor(7_820, 9_999, 8_192), 10_240);

    // A large denoiser with a small encoder is streamed, a large encoder is not held beside a small denoiser, and an
    // encoder larger than everything else never turns a sum negative.
    let machine = card(16_305, 15_870);
    assert_eq!(answer(&machine, &z_image(20_000, 1_400), 1024, 1024).plan.choice.tier, Tier::Streamed);
    assert_eq!(answer(&machine, &z_image(3_000, 12_500), 1024, 1024).plan.choice.tier, Tier::Phased);
    let large = answer(&machine, &z_image(6_451, 40_000), 1024, 1024);
    assert_eq!(large.plan.choice.tier, Tier::Streamed);
    assert!(large.plan.phases.iter().all(|need| need.device.total() < Bytes::gib(20)));
}

#[test]
fn g12_kept_memory_is_room_but_never_more_than_there_is() {
    assert_eq!(reference::credited(2_000, Some(6_144), 2_048, 16_302), 6_096);
    assert_eq!(reference::credited(2_000, Some(40 * 1024), 2_048, 16_302), 16_302);
    assert_eq!(reference::credited(2_000, None, 0, 16_302), 2_000);

    // Here a free amount above the total is no amount.
    let machine = card(16_302, 40 * 1024);
    let answer = answer(&machine, &z_image(3_460, 7_672), 1024, 1024);
    assert_eq!(answer.verdict, Verdict::CannotTell(vec![(Pool::Device, Unknown::AboveTotal)]));
}

/// A driver that counts only its own process reports a card as free that others fill.
#[test]
fn g13_a_card_that_seems_untouched_is_not_believed() {
    let mut machine = card(16_384, 16_384);
    machine.gpus[0].free = Reading::Unknown(Unknown::FreeEqualsTotal);
    let blind = answer(&machine, &z_image(3_460, 7_672), 1024, 1024);
    assert_eq!(blind.verdict, Verdict::CannotTell(vec![(Pool::Device, Unknown::FreeEqualsTotal)]));
    assert!(blind.admits(), "unknown never blocks");
    // What a process knows to hold itself is not free, whatever the driver says.
    let total = Reading::Known(Bytes::gib(16));
    let free = |driver, own| Reading::free_beside(Bytes::gib(driver), total, Bytes::gib(own)).known();
    assert_eq!(free(16, 11), Some(Bytes::gib(5)));
    assert_eq!(free(15, 11), Some(Bytes::gib(5)));
    assert_eq!(free(2, 11), Some(Bytes::gib(2)));
    assert_eq!(Reading::free_beside(Bytes::gib(16), total, Bytes::ZERO), Reading::Unknown(Unknown::FreeEqualsTotal));
}

#[test]
fn g16_what_cannot_be_streamed_must_fit_beside_what_can() {
    // One component alone is larger than the card, the rest is not: streamed.
    let machine = card(12 * 1024, 11_800);
    let model = z_image(23_479, 2_158);
    assert_eq!(answer(&machine, &model, 1024, 1024).plan.choice.tier, Tier::Streamed);
    // An autoencoder that cannot be streamed and does not fit: no tier pretends to help.
    let mut model = model;
    resize(&mut model.vae, 15_000);
    let refused = answer(&machine, &model, 1024, 1024);
    let Verdict::Short(short) = refused.verdict else { panic!("{:?}", refused.verdict) };
    assert!(matches!(short.phase, Phase::LoadVae | Phase::Decode), "{:?}", short.phase);
}

#[test]
fn g17_unified_memory_holds_weights_once_and_streams_what_is_larger() {
    let budget = reference::unified_budget(13_107, 16_384);
    assert!((9_700..=9_900).contains(&budget), "about 9.6 GiB: {budget}");
    assert!(24 * 1024 + OVERHEAD > budget, "refused at load there");

    let mut machine = with_card(laptop(16, 13), Bytes::gib(16), Reading::Known(Bytes::mib(13_107)), Overflow::Fails);
    machine.os = Os::Macos;
    machine.gpus[0].kind = GpuKind::Unified;
    machine.ram.available = Reading::Known(Bytes::mib(13_107));
    let policy = Policy { host_reserve: Bytes::mib(3_277), ..Policy::new(Device::Gpu(0)) };
    let model = z_image(16 * 1024, 8 * 1024);
    let answer = plan(&machine, &model, &recipe(&model, 1024, 1024), &policy);
    assert_eq!(answer.verdict, Verdict::FitsWith(vec![Concession::Streamed]));
    // One pool: keeping weights "off the device" would free nothing, so no rung may count on it.
    for need in &answer.plan.phases {
        assert!(answer.plan.need(need.phase, Pool::Host) >= answer.plan.need(need.phase, Pool::Device));
    }
    let whole = Policy { tiers: vec![Tier::Resident, Tier::Phased], ..policy };
    assert!(!plan(&machine, &model, &recipe(&model, 1024, 1024), &whole).admits());
}

/// InvokeAI asked for 36 GB at 2560 x 1440 and pushed the model out of a card that held it.
#[test]
fn g18_a_large_picture_does_not_push_the_model_out() {
    let tokens = 2560 * 1440 / 256;
    assert_eq!(tokens, 14_400);
    assert!((f64::from(tokens) * 2.6 / 1024.0 - 36.6).abs() < 0.1);
    assert!((f64::from(tokens) * 0.5 / 1024.0 + 1.5 - 8.5).abs() < 0.1);
    let answer = answer(&card(24 * 1024, 23_800), &z_image(6_451, 4_076), 2560, 1440);
    assert_eq!(answer.verdict, Verdict::Fits);
    assert_eq!(answer.plan.choice.tier, Tier::Resident);
}

/// Unsloth Studio #9482: a refusal that nobody could override, for a model that ran.
#[test]
fn g19_a_shortage_of_free_memory_is_no_wall() {
    let mut machine = laptop(16, 10);
    machine.os = Os::Windows;
    let policy =
        |tiers: &[Tier]| Policy { tiers: tiers.to_vec(), host_reserve: Bytes::gib(2), ..Policy::new(Device::Cpu) };
    let model = z_image(6_144, 3_500);
    let tight = plan(&machine, &model, &recipe(&model, 512, 512), &policy(&[Tier::Resident]));
    let Verdict::Short(short) = &tight.verdict else { panic!("{:?}", tight.verdict) };
    assert!(!short.hard, "a second click goes on");
    assert!(tight.remedies.iter().any(|remedy| matches!(remedy, Remedy::Choice(_))), "{:?}", tight.remedies);
    assert!(tight.remedies.contains(&Remedy::CloseOthers(short.by)), "{:?}", tight.remedies);
    let free = plan(&machine, &model, &recipe(&model, 512, 512), &policy(&Tier::ALL));
    assert_eq!(free.verdict, Verdict::FitsWith(vec![Concession::Phased]));
}

/// ComfyUI #14938: the host's memory was planned with inside a container.
#[test]
fn g20_a_container_is_as_large_as_its_own_limit() {
    let model = z_image(3_460, 2_158);
    let mut machine = laptop(64, 60);
    let on = |machine: &Machine| plan(machine, &model, &recipe(&model, 1024, 1024), &Policy::new(Device::Cpu));
    assert_eq!(on(&machine).plan.choice.tier, Tier::Resident);
    machine.cgroup = Some(Cgroup { limit: Bytes::gib(5), used: Bytes::mib(300) });
    let inside = on(&machine);
    assert_eq!(inside.plan.choice, Choice { tier: Tier::Phased, decode: Decode::Whole });
    assert!(inside.plan.peak(Pool::Host) < Bytes::mib(4_600));
}

fn commit(mut machine: Machine, limit: u64, charged: u64, growth: u64) -> Machine {
    machine.commit = Some(Commit {
        limit: Reading::Known(Bytes::gib(limit)),
        charged: Reading::Known(Bytes::gib(charged)),
        growth: Reading::Known(Bytes::gib(growth)),
    });
    machine
}

/// InvokeAI #7563: a copy-on-write map and a converted copy charged 44 GiB for 22 GiB of weights.
#[test]
fn g21_loading_charges_the_weights_once() {
    let model = z_image(22_528, 4_000);
    let machine = commit(card(24 * 1024, 24_200), 64, 20, 0);
    let answer = answer(&machine, &model, 1024, 1024);
    assert_eq!(answer.plan.choice.tier, Tier::Streamed, "22 GiB and activations are more than the card has");
    let large = commit(card(48 * 1024, 48_000), 64, 20, 0);
    let phased = plan(&large, &model, &recipe(&model, 1024, 1024), &Policy { tiers: vec![Tier::Phased], ..policy() });
    let load = phased.plan.need(Phase::LoadDenoiser, Pool::Commit);
    assert!(load < Bytes::mib(22_528 + 256), "one copy is charged, not two: {load}");
    assert!(phased.admits(), "{:?}", phased.verdict);
    // 44 GiB would not have fitted.
    assert!(machine.commit_room().and_then(Reading::known).unwrap() < Bytes::gib(45));
}

/// Commit is named where it is what is short, with how far the pagefile can grow.
#[test]
fn g22_g23_shards_are_not_charged_for_being_open_and_commit_is_named_where_it_is_short() {
    // Four shards of 27.5 GB on 32 GB of memory: streamed from the files, whatever their number.
    let model = z_image(26_226, 7_672);
    let cpu = |machine: &Machine, tiers: &[Tier]| {
        let policy = Policy { tiers: tiers.to_vec(), ..Policy::new(Device::Cpu) };
        plan(machine, &model, &recipe(&model, 1024, 1024), &policy)
    };
    let mut machine = commit(laptop(32, 24), 39, 12, 24);
    machine.os = Os::Windows;
    let streamed = cpu(&machine, &Tier::ALL);
    assert_eq!(streamed.verdict, Verdict::FitsWith(vec![Concession::Streamed]));
    assert!(streamed.plan.peak(Pool::Commit) < Bytes::gib(6), "{}", streamed.plan.peak(Pool::Commit));

    let mut machine = commit(laptop(64, 60), 39, 15, 24);
    machine.os = Os::Windows;
    let phased = cpu(&machine, &[Tier::Phased]);
    let Verdict::Short(short) = &phased.verdict else { panic!("{:?}", phased.verdict) };
    assert_eq!(short.pool, Pool::Commit);
    assert!(phased.remedies.contains(&Remedy::GrowPagefile(short.by)), "{:?}", phased.remedies);
}

/// A card that takes an allocation of twice its size has not got that memory.
#[test]
fn g24_what_a_driver_would_lend_is_no_room() {
    let model = z_image(6_451, 7_629);
    let mut machine = card(8_192, 7_900);
    let verdicts = [0, 16, 200].map(|shared| {
        machine.gpus[0].shared = Reading::Known(Bytes::gib(shared));
        answer(&machine, &model, 1088, 1920)
    });
    assert_eq!(verdicts[0], verdicts[1]);
    assert_eq!(verdicts[1], verdicts[2]);
}

#[test]
fn g25_the_size_that_is_drawn_is_the_size_that_is_planned() {
    let model = z_image(3_460, 7_672);
    let machine = card(8_192, 3_300);
    let pinned = Policy { decodes: vec![Decode::Whole], ..policy() };
    let on = |width, height| plan(&machine, &model, &recipe(&model, width, height), &pinned);
    assert!(on(512, 512).admits(), "{:?}", on(512, 512).verdict);
    let large = on(4000, 3008);
    assert!(matches!(large.verdict, Verdict::Short(_)));
    let smaller = large.remedies.iter().find_map(|remedy| match remedy {
        Remedy::Size(size) => Some(*size),
        _ => None,
    });
    let smaller = smaller.expect("a smaller size fits");
    assert!(on(i64::from(smaller.width), i64::from(smaller.height)).admits());
    let aspect = f64::from(smaller.width) / f64::from(smaller.height);
    assert!((aspect - 4000.0 / 3008.0).abs() < 0.1, "{smaller}");
}

/// candle's own pipeline forms two score tensors: 17.3 GiB at 1088 x 1920 where 1024 x 1024 takes 4.9.
#[test]
fn g26_attention_takes_no_score_matrix() {
    let quadratic = |tokens: f64| (60.0 * tokens * tokens + 58_400.0 * tokens) * 4.0 / f64::from(1 << 20);
    let tokens = |width: u32, height: u32| f64::from(width / 16 * (height / 16)) + 32.0;
    assert!((quadratic(tokens(1024, 1024)) - 4_885.0).abs() < 400.0, "{}", quadratic(tokens(1024, 1024)));
    assert!((quadratic(tokens(1088, 1920)) - 17_312.0).abs() < 800.0, "{}", quadratic(tokens(1088, 1920)));

    let model = z_image(3_460, 7_672);
    let need = |width, height| {
        let answer = plan(&laptop(64, 60), &model, &recipe(&model, width, height), &Policy::new(Device::Cpu));
        let terms = answer.plan.pool_terms(answer.plan.phase(Phase::Denoise).unwrap(), Pool::Host);
        terms.get(Term::Activations) + terms.get(Term::Workspace)
    };
    assert!(need(1088, 1920) < Bytes::mib(1_400), "{}", need(1088, 1920));
    assert!(need(1088, 1920).get() < need(1024, 1024).get() * 205 / 100);
}
