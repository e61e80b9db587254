//! What runs teach: margins, paces, and how well predictions were.

use crate::support::{laptop, recipe, z_image_turbo};
use headroom::job::{Measured, MeasuredPhase};
use headroom::planner::{Device, Learned, Phase, Policy, Seen, Tier, plan, spread};
use headroom::units::{Bytes, Secs};

fn seen(tier: Tier, over: u64, denoise: Option<(f64, f64)>, gflops: f64) -> Seen {
    let mut secs = [None; Phase::ALL.len()];
    secs[Phase::Denoise as usize] = denoise;
    let (predicted, measured) = (Bytes::mib(1000), Bytes::mib(1000 + over));
    Seen { tier, predicted, measured, over: Bytes::mib(over), secs, gflops }
}

#[test]
fn the_margin_covers_nineteen_of_twenty_runs_and_is_never_small() {
    let mut runs: Vec<Seen> = (0..20).map(|run| seen(Tier::Phased, run * 10, None, 100.0)).collect();
    let learned = Learned::from_runs(&runs, None);
    assert_eq!(learned.margins, [Bytes::ZERO, Bytes::mib(180), Bytes::ZERO]);
    let policy = Policy { learned, ..Policy::new(Device::Cpu) };
    assert_eq!(policy.margin_of(Tier::Phased), Bytes::mib(180));
    assert_eq!(policy.margin_of(Tier::Resident), Policy::MIN_MARGIN);
    runs.truncate(1);
    assert_eq!(Learned::from_runs(&runs, None).margins[1], Bytes::ZERO);

    // A plan takes it: what just fitted does not any more.
    let model = z_image_turbo();
    let order = recipe(&model, 1024, 1024);
    let only = |policy: Policy| Policy { tiers: vec![Tier::Phased], ..policy };
    let roomy = plan(&laptop(64, 60), &model, &order, &only(policy.clone()));
    assert_eq!(roomy.plan.margin, Bytes::mib(180));
    let need = roomy.plan.peak(headroom::planner::Pool::Host) + policy.host_reserve;
    let mut machine = laptop(64, 60);
    machine.ram.available = headroom::machine::Reading::Known(need + Bytes::mib(100));
    assert!(plan(&machine, &model, &order, &only(Policy::new(Device::Cpu))).admits());
    assert!(!plan(&machine, &model, &order, &only(policy)).admits());
}

#[test]
fn the_pace_of_a_phase_is_the_median_of_what_was_seen_at_any_throughput() {
    // Twice as long as predicted at 100 GFLOP/s is as predicted at 50.
    let runs = [(3.0, 1.0), (2.0, 1.0), (900.0, 1.0), (1.8, 1.0), (2.0, 1.0)]
        .map(|secs| seen(Tier::Resident, 0, Some(secs), 100.0));
    let pace = |gflops| Learned::from_runs(&runs, Some(gflops)).pace[Phase::Denoise as usize];
    assert!((pace(100.0) - 2.0).abs() < 1e-9);
    assert!((pace(50.0) - 1.0).abs() < 1e-9);
    let blink = [seen(Tier::Resident, 0, Some((0.001, 5.0)), 100.0)];
    assert_eq!(Learned::from_runs(&blink, Some(100.0)), Learned::default());
}

#[test]
fn a_learned_pace_corrects_the_next_prediction() {
    let model = z_image_turbo();
    let order = recipe(&model, 1024, 1024);
    let machine = laptop(64, 60);
    let gflops = machine.cpu.gflops.unwrap();
    let plain = plan(&machine, &model, &order, &Policy::new(Device::Cpu)).plan;
    let truth =
        |phase: Phase| Secs(plain.phase_secs(phase).unwrap().0 * if phase == Phase::Decode { 3.0 } else { 0.5 });
    let phases = [Phase::Encode, Phase::Denoise, Phase::Decode].map(|phase| MeasuredPhase {
        phase,
        elapsed: truth(phase),
        host_peak: plain.need(phase, headroom::planner::Pool::Host) - Bytes::mib(3),
        device_peak: Bytes::ZERO,
    });
    let measured = Measured { phases: phases.to_vec(), ..Measured::default() };
    let run = measured.beside(&plain, gflops).unwrap();
    assert_eq!(run.over, Bytes::ZERO);
    let policy = Policy { learned: Learned::from_runs(&[run], Some(gflops)), ..Policy::new(Device::Cpu) };
    let learned = plan(&machine, &model, &order, &policy).plan;
    for phase in [Phase::Encode, Phase::Denoise, Phase::Decode] {
        let (now, truth) = (learned.phase_secs(phase).unwrap(), truth(phase));
        assert!((now.0 / truth.0 - 1.0).abs() < 1e-6, "{phase:?}: {now:?}, {truth:?}");
    }
    // What is learned by phase is not learned once more by throughput.
    let again = measured.learned_gflops(&learned, gflops);
    assert!((again / measured.learned_gflops(&plain, gflops) - 1.0).abs() < 1e-9);
}

#[test]
fn the_spread_is_from_the_lowest_to_the_highest_error() {
    assert_eq!(spread(&[]), None);
    let run = |predicted, measured| Seen {
        predicted: Bytes(predicted),
        measured: Bytes(measured),
        ..seen(Tier::Phased, 0, None, 1.0)
    };
    let (low, high) = spread(&[run(1010, 1000), run(989, 1000), run(1023, 1000)]).unwrap();
    assert!((low + 1.1).abs() < 1e-9 && (high - 2.3).abs() < 1e-9);
}
