//! Pictures drawn with `LoRAs` beside the weights, against diffusers and PEFT (`golden/make_lora_pictures.py`).

use headroom::engine::Engine;
use headroom::hub;
use headroom::job::{Drawn, Engine as _, Failure, Latents, Observer, Order, Stop};
use headroom::model::lora::{Patch, Place};
use headroom::model::{Precision, TensorTable, header_length, safetensors};
use headroom::planner::{Choice, Decode, Tier};
use headroom::recipe::{Draft, Recipe, Sampler, Schedule, Vocabulary};
use serde_json::Value;
use std::fs;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

/// What a run made: latents after the last step, pixels.
#[derive(Default)]
struct Seen {
    latents: Vec<f32>,
    pixels: Vec<u8>,
}

impl Observer for Seen {
    fn keep(&mut self, latents: Latents) {
        self.latents.clone_from(&latents.pictures[0].values);
    }

    fn picture(&mut self, drawn: Drawn) -> Result<(), Stop> {
        self.pixels = drawn.pixels.rgb().to_vec();
        Ok(())
    }
}

fn draw(reference: &str, recipe: &Recipe, tier: Tier) -> Seen {
    let resolve = |reference: &str| hub::open(reference).map_err(Failure::from);
    let mut engine = Engine::new(2, Box::new(resolve)).unwrap();
    let mut seen = Seen::default();
    let order = Order::new(reference, recipe.clone(), Choice { tier, decode: Decode::Whole });
    engine.draw(&order, &mut seen).unwrap();
    seen
}

struct Goldens(Vec<u8>, TensorTable);

impl Goldens {
    fn load() -> Self {
        let file = fs::read(format!("{GOLDEN}/lora_pictures.safetensors")).unwrap();
        let header = header_length(&file[..64], file.len() as u64).unwrap() as usize;
        let table = safetensors(&file[8..8 + header], file.len() as u64).unwrap();
        Self(file, table)
    }

    fn get(&self, name: &str) -> Vec<f32> {
        let tensor = self.1.get(name).unwrap();
        let bytes = &self.0[tensor.offset as usize..][..tensor.bytes.get() as usize];
        match tensor.precision {
            Precision::F32 => bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect(),
            Precision::U8 => bytes.iter().map(|&b| f32::from(b)).collect(),
            other => panic!("{other:?}"),
        }
    }
}

/// The largest difference, relative to the largest value.
fn off(got: &[f32], want: &[f32]) -> f32 {
    assert_eq!(got.len(), want.len());
    let largest = want.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
    got.iter().zip(want).fold(0.0_f32, |a, (got, want)| a.max((got - want).abs())) / largest
}

fn recipe(case: &Value, reference: &str) -> Recipe {
    let vocabulary = Vocabulary::of(&hub::open(reference).unwrap().inventory);
    let diffusion = case["model"].as_str().unwrap().starts_with("sd");
    let flux = case["model"] == "flux";
    let guidance = case["guidance"].as_f64().unwrap();
    let draft = Draft {
        prompt: case["prompt"].as_str().unwrap().to_owned(),
        negative: case["negative_prompt"].as_str().unwrap().to_owned(),
        width: case["width"].as_i64().unwrap(),
        height: case["height"].as_i64().unwrap(),
        steps: case["steps"].as_i64().unwrap(),
        guidance: if flux { 1.0 } else { guidance },
        distilled: guidance,
        seed: case["seed"].as_u64().unwrap(),
        sampler: Sampler::Euler,
        schedule: if diffusion { Schedule::Normal } else { Schedule::Simple },
        ..Draft::new(&vocabulary)
    };
    draft.parse(&vocabulary).unwrap().0
}

fn model(case: &Value) -> String {
    format!("{GOLDEN}/{}_tiny", case["model"].as_str().unwrap())
}

fn lora(name: &str) -> String {
    format!("{GOLDEN}/lora_pictures/{name}.safetensors")
}

fn cases() -> Vec<Value> {
    let index: Value =
        serde_json::from_str(&fs::read_to_string(format!("{GOLDEN}/lora_pictures.json")).unwrap()).unwrap();
    index["cases"].as_array().unwrap().clone()
}

#[test]
fn pictures_with_loras_are_those_of_diffusers_on_every_tier() {
    let goldens = Goldens::load();
    let cases = cases();
    assert_eq!(cases.len(), 5);
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let loras = case["loras"].as_object().unwrap();
        let named: Vec<String> = loras.iter().map(|(file, weight)| format!("+{}:{weight}", lora(file))).collect();
        let reference = format!("{}{}", model(case), named.concat());
        let recipe = recipe(case, &reference);
        let seen = draw(&reference, &recipe, Tier::Phased);
        let off_by = off(&seen.latents, &goldens.get(&format!("{name}/latents")));
        assert!(off_by <= 1e-3, "{name}: latents off by {off_by}");
        assert!(off(&seen.latents, &goldens.get(&format!("{name}/without"))) > 0.04, "{name}: nothing is changed");
        let worst = seen.pixels.iter().zip(goldens.get(&format!("{name}/image")));
        let worst = worst.map(|(got, want)| (f32::from(*got) - want).abs()).fold(0.0_f32, f32::max);
        assert!(worst <= 1.0, "{name}: pixels off by {worst}");
        for tier in [Tier::Resident, Tier::Streamed] {
            assert!(draw(&reference, &recipe, tier).pixels == seen.pixels, "{name}: {tier:?} draws another picture");
        }
    }
}

#[test]
fn a_weight_of_zero_changes_no_byte_and_costs_none() {
    for case in &cases() {
        let plain = model(case);
        let file = case["loras"].as_object().unwrap().keys().next().unwrap();
        let reference = format!("{plain}+{}:0", lora(file));
        let recipe = recipe(case, &plain);
        let (with, without) = (draw(&reference, &recipe, Tier::Phased), draw(&plain, &recipe, Tier::Phased));
        assert!(with.pixels == without.pixels && with.latents == without.latents);
        assert_eq!(hub::open(&reference).unwrap().inventory, hub::open(&plain).unwrap().inventory);
    }
}

#[test]
fn loras_are_told_apart_from_companions_and_counted() {
    let plain = format!("{GOLDEN}/sd1_tiny");
    // Without a weight its tensors say what it is.
    let files = hub::open(&format!("{plain}+{}", lora("sd1_kohya"))).unwrap();
    let [only] = &files.loras[..] else { panic!("{}", files.loras.len()) };
    assert_eq!((only.weight, only.lora.applied, only.lora.total), (1.0, only.lora.total, only.lora.total));
    assert_eq!(files.inventory.name, "sd1_tiny + sd1_kohya:1");
    let bytes = files.inventory.denoiser.loras();
    let halves = only.lora.patches.iter().filter(|patch| patch.place == Place::Denoiser);
    assert_eq!(bytes, halves.map(|patch| patch.bytes().unwrap() + Patch::RECORD).sum());
    // Twice the same file counts twice.
    let twice = hub::open(&format!("{plain}+{0}:0.5+{0}:-1", lora("sd1_kohya"))).unwrap();
    assert_eq!(twice.inventory.denoiser.loras(), bytes * 2);
}

#[test]
fn what_cannot_be_applied_is_refused_with_its_reason() {
    let plain = format!("{GOLDEN}/sd1_tiny");
    let refusal = |file: &str| hub::open(&format!("{plain}+{file}:1")).unwrap_err();
    let elsewhere = refusal(&lora("flux_peft"));
    assert!(elsewhere.to_string().contains("0 of ") && elsewhere.to_string().contains("made for FLUX"), "{elsewhere}");
    let model = refusal(&format!("{plain}/unet/diffusion_pytorch_model.safetensors"));
    assert!(model.to_string().contains("not a LoRA"), "{model}");
    let nowhere = refusal("/nowhere/ink.safetensors");
    assert!(nowhere.to_string().starts_with("no such file"), "{nowhere}");
    for error in [elsewhere, model, nowhere] {
        assert!(!error.hint().is_empty());
    }
    let flux = |file: &str| hub::open(&format!("{GOLDEN}/flux_tiny+{GOLDEN}/loras/{file}.safetensors:1")).unwrap_err();
    assert!(flux("sd1_lokr").to_string().contains("0 of "));
}
