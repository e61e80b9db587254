//! The pure parts behind the window: bars, timeline, scales, forms.

use crate::support::{builtin, laptop};
use headroom::job::{Measured, MeasuredPhase};
use headroom::machine::{Cgroup, Reading, Unknown};
use headroom::planner::{Device, Phase, Policy, plan};
use headroom::recipe::{Draft, Vocabulary};
use headroom::ui::Form;
use headroom::ui::panels::memory::model::{GaugeOrWhy, gauges, timeline};
use headroom::ui::scale::SideScale;
use headroom::ui::trace::{Point, Trace};
use headroom::units::{Bytes, PixelSize, Secs};

#[test]
fn a_bar_adds_up_to_its_total() {
    let machine = laptop(16, Bytes::gib(10));
    let [GaugeOrWhy::Gauge(gauge)] = gauges(&machine, Device::Cpu, None, Bytes::gib(1))[..] else { panic!("one bar") };
    assert_eq!(gauge.total, Bytes::gib(16));
    assert_eq!(gauge.others, Bytes::gib(5));
    assert_eq!(gauge.ours, Bytes::gib(1));
}

#[test]
fn a_control_group_is_the_wall_where_it_is_closer() {
    let mut machine = laptop(64, Bytes::gib(60));
    machine.cgroup = Some(Cgroup { limit: Bytes::gib(8), used: Bytes::gib(2) });
    let [GaugeOrWhy::Gauge(gauge)] = gauges(&machine, Device::Cpu, None, Bytes::gib(1))[..] else { panic!("one bar") };
    assert_eq!(gauge.total, Bytes::gib(8));
    assert_eq!(gauge.others, Bytes::gib(1));
}

#[test]
fn an_unknown_reading_is_told_not_drawn() {
    let mut machine = laptop(16, Bytes::gib(10));
    machine.ram.available = Reading::Unknown(Unknown::Unreadable);
    let all = gauges(&machine, Device::Cpu, None, Bytes::ZERO);
    assert!(matches!(all[..], [GaugeOrWhy::Unknown(_, Unknown::Unreadable)]));
}

#[test]
fn the_timeline_fills_its_width_and_its_terms_add_up() {
    let model = builtin();
    let vocabulary = Vocabulary::of(&model);
    let (recipe, _) = Draft::new(&vocabulary).parse(&vocabulary).unwrap();
    for gflops in [Some(50.0), None] {
        let mut machine = laptop(16, Bytes::gib(10));
        machine.cpu.gflops = gflops;
        let answer = plan(&machine, &model, &recipe, &Policy::new(Device::Cpu));
        let shown = timeline(&answer.plan, None);
        assert_eq!(shown.blocks.len(), Phase::ALL.len());
        assert!((shown.blocks.last().unwrap().to - 1.0).abs() < 1e-3);
        for pair in shown.blocks.windows(2) {
            assert!((pair[0].to - pair[1].from).abs() < 1e-6);
        }
        for block in &shown.blocks {
            assert_eq!(block.terms.iter().map(|(_, bytes)| *bytes).sum::<Bytes>(), block.total);
            assert!(block.total <= shown.top);
        }
    }
}

#[test]
fn the_measured_curve_stays_within_its_phase_and_keeps_its_peak() {
    let model = builtin();
    let vocabulary = Vocabulary::of(&model);
    let (recipe, _) = Draft::new(&vocabulary).parse(&vocabulary).unwrap();
    let answer = plan(&laptop(16, Bytes::gib(10)), &model, &recipe, &Policy::new(Device::Cpu));
    let mut trace = Trace::new(answer.plan);
    for i in 0..5000_u64 {
        let live = if i == 1234 { Bytes::gib(1) } else { Bytes::mib(10) };
        trace.push(Point { phase: Phase::Denoise, elapsed: Secs(i as f64 / 20.0), live });
    }
    assert_eq!(trace.peak(), Bytes::gib(1));
    assert_eq!(trace.phase_peak(Phase::Denoise), Some(Bytes::gib(1)));
    assert_eq!(trace.phase_peak(Phase::Decode), None);
    assert!(trace.curve().all(|(_, share, _)| (0.0..=1.0).contains(&share)));
    assert!(trace.curve().count() <= 1600);
}

#[test]
fn what_the_ledger_measured_counts_more_than_samples() {
    let model = builtin();
    let vocabulary = Vocabulary::of(&model);
    let (recipe, _) = Draft::new(&vocabulary).parse(&vocabulary).unwrap();
    let answer = plan(&laptop(16, Bytes::gib(10)), &model, &recipe, &Policy::new(Device::Cpu));
    let mut trace = Trace::new(answer.plan);
    trace.push(Point { phase: Phase::Decode, elapsed: Secs(1.0), live: Bytes::mib(30) });
    let phase =
        MeasuredPhase { phase: Phase::Decode, elapsed: Secs(2.0), host_peak: Bytes::mib(41), device_peak: Bytes::ZERO };
    trace.finish(&Measured { phases: vec![phase], ..Measured::default() });
    assert_eq!(trace.peak(), Bytes::mib(41));
    assert_eq!(trace.phase_peak(Phase::Decode), Some(Bytes::mib(41)));
}

#[test]
fn a_place_on_a_track_and_its_side_are_inverse() {
    let scale = SideScale { min: 64, max: 4096, multiple: 16 };
    for side in (64..=4096).step_by(16) {
        assert_eq!(scale.side(scale.fraction(f64::from(side))), side);
    }
    assert_eq!(scale.ticks().collect::<Vec<_>>(), [64, 128, 256, 512, 1024, 2048, 4096]);
}

#[test]
fn a_locked_ratio_is_kept_and_a_new_ratio_keeps_the_area() {
    let vocabulary = Vocabulary::of(&builtin());
    let mut form = Form::new(&vocabulary);
    form.set_size(PixelSize::new(512, 256));
    form.toggle_lock();
    form.set_width(1024, &vocabulary);
    assert_eq!(form.draft.height, 512);
    form.toggle_lock();
    form.set_size(PixelSize::new(256, 512));
    form.set_aspect(1, 1, &vocabulary);
    assert_eq!((form.draft.width, form.draft.height), (368, 368));
    form.set_size(PixelSize::new(256, 512));
    form.set_aspect(16, 9, &vocabulary);
    assert!(form.draft.width < form.draft.height, "it stands as it stood");
}
