//! The product: what the planner says of each phase is what the engine takes, on every tier and decode.

use super::Engine;
use super::flux::parity::tiny as flux;
use super::ops::books::TURN;
use super::parity::{golden, open, table as read_table, tiny};
use super::stable_diffusion::parity::tiny as stable_diffusion;
use crate::job::{Drawn, Engine as _, Observer, Order, Stop};
use crate::ledger::{self, Pool as Book};
use crate::machine::{Cpu, Machine, Os, Ram, Reading};
use crate::model::layout::Network;
use crate::model::lora::{self, Modules};
use crate::model::{FileRef, Inventory, LoraFile, ModelFiles};
use crate::pixels::Pixels;
use crate::planner::{Choice, Decode, Device, Phase, Policy, Pool, Tier, plan};
use crate::recipe::{Draft, Recipe, Vocabulary};
use crate::units::Bytes;
use std::path::Path;
use std::sync::Arc;

const THREADS: usize = 2;

/// Remembers the most that was held in each phase, beyond what was there before the run, and the pictures.
#[derive(Default)]
struct Watch {
    before: Bytes,
    phase: Option<Phase>,
    peaks: Vec<(Phase, Bytes)>,
    pictures: Vec<Vec<u8>>,
}

impl Watch {
    fn close_phase(&mut self) {
        if let Some(phase) = self.phase.take() {
            self.peaks.push((phase, ledger::peak(Book::Host) - self.before));
        }
    }

    fn peak(&self, phase: Phase) -> Bytes {
        self.peaks.iter().filter(|(of, _)| *of == phase).map(|(_, bytes)| *bytes).max().unwrap_or_default()
    }
}

impl Observer for Watch {
    fn phase(&mut self, phase: Phase) -> Result<(), Stop> {
        self.close_phase();
        self.phase = Some(phase);
        ledger::reset_peak();
        Ok(())
    }

    fn wants_preview(&self) -> bool {
        true
    }

    fn picture(&mut self, drawn: Drawn) -> Result<(), Stop> {
        self.pictures.push(drawn.pixels.rgb().to_vec());
        Ok(())
    }
}

fn recipe(model: &Inventory, width: i64, height: i64, batch: i64, guidance: f64) -> Recipe {
    let vocabulary = Vocabulary::of(model);
    let prompt = "a red apple on a wooden table, morning light, and a fox asleep beside it".to_owned();
    let draft = Draft { prompt, width, height, batch, guidance, steps: 2, seed: 7, ..Draft::new(&vocabulary) };
    draft.parse(&vocabulary).unwrap().0
}

fn machine() -> Machine {
    Machine {
        name: "test".to_owned(),
        os: Os::Linux,
        ram: Ram { total: Reading::Known(Bytes::gib(64)), available: Reading::Known(Bytes::gib(60)) },
        commit: None,
        cgroup: None,
        disk_free: Reading::MISSING,
        cpu: Cpu { threads: THREADS, gflops: None },
        gpus: Vec::new(),
        held: Bytes::ZERO,
    }
}

#[test]
fn what_the_plan_says_of_each_phase_is_what_the_engine_takes() {
    let _turn = TURN.lock();
    what_is_planned_is_taken(&tiny(), &[(96, 80, 1, 1.0), (256, 384, 2, 3.0), (640, 512, 1, 1.0)]);
    what_is_planned_is_taken(&stable_diffusion("sd1_tiny"), &[(96, 80, 2, 3.0)]);
    what_is_planned_is_taken(&stable_diffusion("sdxl_tiny"), &[(72, 80, 1, 1.0), (320, 256, 2, 3.0)]);
    what_is_planned_is_taken(&flux("flux_tiny"), &[(96, 80, 1, 1.0), (256, 192, 2, 1.0)]);
}

#[test]
fn runs_from_a_picture_take_what_the_plan_says() {
    let _turn = TURN.lock();
    for files in [tiny(), stable_diffusion("sd1_tiny"), flux("flux_tiny")] {
        let model = &files.inventory;
        let order = recipe(model, 512, 320, 2, 1.0);
        let draft = Draft { denoise: Some(0.5), ..Draft::from(&order) };
        let (recipe, _) = draft.parse(&Vocabulary::of(model)).unwrap();
        is_taken_as_planned(&files, &recipe);
    }
}

#[test]
fn loras_take_what_the_plan_says() {
    let _turn = TURN.lock();
    let folder = tempfile::tempdir().unwrap();
    for (files, network, part) in [
        (stable_diffusion("sdxl_tiny"), Network::Unet, ".attn"),
        (flux("flux_tiny"), Network::Flux, "transformer_blocks."),
        (tiny(), Network::ZImage, "attention."),
    ] {
        let changed = with_wide_lora(files, network, part, &folder.path().join("wide.safetensors"));
        let loras = changed.inventory.denoiser.loras();
        assert!(loras > Bytes::mib(4), "{loras}");
        what_is_planned_is_taken(&changed, &[(96, 80, 1, 1.0)]);
    }
}

/// A `LoRA` of a rank that makes it larger than what a plan may be off by.
fn with_wide_lora(mut files: ModelFiles, network: Network, part: &str, path: &Path) -> ModelFiles {
    const RANK: usize = 2048;
    let table = files.denoiser[0].table.clone();
    let (mut entries, mut length) = (Vec::new(), 0);
    for tensor in table.tensors.iter().filter(|tensor| tensor.shape.len() == 2 && tensor.name.contains(part)) {
        let module = tensor.name.strip_suffix(".weight").unwrap();
        for (half, shape) in [("A", [RANK, tensor.shape[1]]), ("B", [tensor.shape[0], RANK])] {
            let end = length + 2 * shape[0] * shape[1];
            let entry = format!(r#""dtype":"F16","shape":{shape:?},"data_offsets":[{length},{end}]"#);
            entries.push(format!(r#""{module}.lora_{half}.weight":{{{entry}}}"#));
            length = end;
        }
    }
    let header = format!("{{{}}}", entries.join(","));
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.resize(bytes.len() + length, 0);
    std::fs::write(path, bytes).unwrap();

    let mut modules = Modules::default();
    modules.add_denoiser(network, &table);
    let lora = lora::read(&read_table(path).1, &modules).unwrap();
    assert_eq!(lora.applied, lora.total);
    files.inventory = Arc::new(Inventory::clone(&files.inventory).with_lora(&lora).unwrap());
    files.loras.push(LoraFile { file: FileRef::Path(path.to_owned()), lora: Arc::new(lora), weight: 0.5 });
    files
}

/// Width, height, batch and guidance of each run.
fn what_is_planned_is_taken(files: &ModelFiles, runs: &[(i64, i64, i64, f64)]) {
    for &(width, height, batch, guidance) in runs {
        is_taken_as_planned(files, &recipe(&files.inventory, width, height, batch, guidance));
    }
}

fn is_taken_as_planned(files: &ModelFiles, recipe: &Recipe) {
    let model = files.inventory.clone();
    let files = files.clone();
    let mut engine = Engine::new(THREADS, Box::new(move |_| Ok(files.clone()))).unwrap();
    let mut pictures: Vec<(Decode, Vec<Vec<u8>>)> = Vec::new();
    let (size, batch) = (recipe.size(), recipe.batch());
    for tier in Tier::ALL {
        for decode in Decode::ALL {
            let policy =
                Policy { runtime: Bytes::ZERO, tiers: vec![tier], decodes: vec![decode], ..Policy::new(Device::Cpu) };
            let answer = plan(&machine(), &model, recipe, &policy);
            assert_eq!(answer.plan.choice, Choice { tier, decode });
            engine.release();
            let mut watch = Watch { before: ledger::live(Book::Host), ..Watch::default() };
            let start = recipe.denoise().map(|_| Arc::new(Pixels::blank(size)));
            let order = Order { start, ..Order::new("tiny", recipe.clone(), answer.plan.choice) };
            engine.draw(&order, &mut watch).unwrap();
            watch.close_phase();
            for phase in Phase::ALL {
                let (stated, taken) = (answer.plan.need(phase, Pool::Host), watch.peak(phase));
                let what = format!("{:?} {size} b{batch} {} {} {phase:?}", model.family, tier.name(), decode.name());
                assert!(taken <= stated, "{what}: took {taken}, stated {stated}");
                let exact = match phase {
                    Phase::Denoise | Phase::Decode => true,
                    // The resident tier keeps from the second run on what is not there yet in the first.
                    Phase::Encode => recipe.denoise().is_some() && tier != Tier::Resident,
                    _ => false,
                };
                let slack = Bytes::mib(2) + stated.percent(5);
                assert!(!exact || stated <= taken + slack, "{what}: took {taken}, stated {stated}");
            }
            assert!(answer.plan.peak(Pool::Host) + Bytes::mib(1) >= watch.peaks.iter().map(|(_, b)| *b).max().unwrap());
            match pictures.iter().find(|(of, _)| *of == decode) {
                Some((_, first)) => assert!(*first == watch.pictures, "{} changes the picture", tier.name()),
                None => pictures.push((decode, watch.pictures)),
            }
        }
    }
}

#[test]
fn a_batch_is_its_singles_and_a_seed_is_its_picture() {
    let _turn = TURN.lock();
    let model = tiny().inventory;
    let mut engine = Engine::new(THREADS, Box::new(|_| Ok(tiny()))).unwrap();
    let mut draw = |recipe: Recipe| {
        let mut watch = Watch::default();
        let choice = Choice { tier: Tier::Resident, decode: Decode::Whole };
        engine.draw(&Order::new("tiny", recipe, choice), &mut watch).unwrap();
        watch.pictures
    };
    let batch = recipe(&model, 64, 96, 3, 2.0);
    let together = draw(batch.clone());
    let apart: Vec<Vec<u8>> = (0..3).flat_map(|i| draw(batch.single(i))).collect();
    assert!(together == apart);
    assert!(together[0] != together[1] && together[1] != together[2]);
    assert!(draw(batch) == together, "the kept engine draws the same again");
}

/// In Windows' count of promised memory a second copy would be as real as the first.
#[test]
fn loading_holds_each_weight_once() {
    let _turn = TURN.lock();
    let files = open(&golden().join("../../assets/builtin/model"), true);
    let model = files.inventory.clone();
    let mut engine = Engine::new(THREADS, Box::new(move |_| Ok(files.clone()))).unwrap();
    let mut watch = Watch { before: ledger::live(Book::Host), ..Watch::default() };
    let choice = Choice { tier: Tier::Phased, decode: Decode::Whole };
    engine.draw(&Order::new("builtin", recipe(&model, 64, 64, 1, 1.0), choice), &mut watch).unwrap();
    watch.close_phase();
    for (phase, component) in [(Phase::LoadDenoiser, &model.denoiser), (Phase::LoadVae, &model.vae)] {
        let largest = component.blocks.iter().chain([&component.fixed]).map(|unit| unit.largest_tensor).max();
        let most = component.bytes() + largest.unwrap_or_default() + Bytes::mib(1);
        let taken = watch.peak(phase);
        assert!(component.bytes() > Bytes::mib(1), "{phase:?}: nothing to see");
        assert!(component.bytes() <= taken && taken <= most, "{phase:?}: {taken} for {}", component.bytes());
    }
}

#[test]
fn everything_is_given_back_after_a_run_that_keeps_nothing() {
    let _turn = TURN.lock();
    let model = tiny().inventory;
    let mut engine = Engine::new(THREADS, Box::new(|_| Ok(tiny()))).unwrap();
    let mut draw = |tier| {
        let choice = Choice { tier, decode: Decode::Whole };
        let order = Order::new("tiny", recipe(&model, 128, 128, 1, 1.0), choice);
        engine.draw(&order, &mut Watch::default()).unwrap();
        engine.held()
    };
    draw(Tier::Phased);
    let before = ledger::live(Book::Host);
    assert_eq!(draw(Tier::Phased), Bytes::ZERO);
    assert!(ledger::live(Book::Host) <= before + Bytes::kib(256));
    assert_eq!(draw(Tier::Resident), model.bytes());
    assert!(ledger::live(Book::Host) + Bytes::kib(256) >= before + model.bytes());
}
