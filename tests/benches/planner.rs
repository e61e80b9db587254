//! How long the planner thinks: a plan for the window's line at each keystroke, and a whole fit map.

use criterion::{Criterion, criterion_group, criterion_main};
use headroom::planner::{Device, Policy, fit_cell, plan};
use headroom::recipe::Vocabulary;
use headroom::units::PixelSize;
use std::hint::black_box;

#[path = "../core/support.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "shared with the core suite, which uses more of it")]
mod support;

fn planner(c: &mut Criterion) {
    let model = support::z_image_turbo();
    let recipe = support::recipe(&model, 1024, 1024);
    let policy = Policy::new(Device::Cpu);
    for (name, gib) in [("plan that fits", 48), ("plan that is short, with remedies", 1)] {
        let machine = support::laptop(64, gib);
        c.bench_function(name, |b| b.iter(|| plan(black_box(&machine), &model, &recipe, &policy)));
    }
    let vocabulary = Vocabulary::of(&model);
    let machine = support::laptop(64, 6);
    c.bench_function("fit map of 64 x 64", |b| {
        b.iter(|| {
            for height in 1..=64 {
                for width in 1..=64 {
                    let recipe = recipe.with_size(PixelSize::new(width * 32, height * 32), &vocabulary);
                    black_box(fit_cell(&machine, &model, &recipe, &policy));
                }
            }
        });
    });
}

criterion_group!(benches, planner);
criterion_main!(benches);
