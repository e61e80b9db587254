//! The engine against diffusers: tiny random-weight pipelines, every tensor on the way (see `tests/golden`).

use super::family;
use super::noise::{Draws, randn};
use super::ops::{self, books::TURN};
use super::sampler;
use super::text::Qwen3;
use super::vae::Decoder;
use super::weights::Weights;
use super::z_image::Transformer;
use crate::job::Unwatched;
use crate::model::json::{self, Value};
use crate::model::shapes::{DenoiserShape, TextEncoderShape};
use crate::model::{
    ComponentKind, FileRef, ModelFiles, Shard, TensorTable, TextEncoder, TextFiles, TokenizerFiles, ZImageParts,
    header_length, safetensors, z_image,
};
use crate::planner::Decode;
use crate::planner::footprint::latent_size;
use crate::recipe::{Rng, Sampler, Schedule};
use crate::units::{Bytes, PixelSize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden")
}

pub(super) fn table(path: &Path) -> (Vec<u8>, TensorTable) {
    let file = std::fs::read(path).unwrap();
    let length = header_length(&file, file.len() as u64).unwrap() as usize;
    let table = safetensors(&file[8..8 + length], file.len() as u64).unwrap();
    (file, table)
}

pub(super) fn config(path: &Path) -> Value {
    json::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(super) fn tiny() -> ModelFiles {
    open(&golden().join("z_image_tiny"), false)
}

pub(super) fn open(folder: &Path, builtin: bool) -> ModelFiles {
    let shard = |name: &str| {
        let path = folder.join(name);
        let (_, table) = table(&path);
        vec![Shard { file: FileRef::Path(path), table }]
    };
    let text_encoder = shard("text_encoder/model.safetensors");
    let denoiser = shard("transformer/diffusion_pytorch_model.safetensors");
    let vae = shard("vae/diffusion_pytorch_model.safetensors");
    let parts = ZImageParts {
        text_encoder: text_encoder[0].table.clone(),
        text_config: config(&folder.join("text_encoder/config.json")),
        transformer: denoiser[0].table.clone(),
        transformer_config: config(&folder.join("transformer/config.json")),
        vae: vae[0].table.clone(),
        vae_config: config(&folder.join("vae/config.json")),
        scheduler_config: config(&folder.join("scheduler/scheduler_config.json")),
        tokenizer: Bytes(std::fs::metadata(folder.join("tokenizer/tokenizer.json")).unwrap().len()),
    };
    let inventory = Arc::new(z_image("tiny", builtin, &parts).unwrap());
    let tokenizer = FileRef::Path(folder.join("tokenizer/tokenizer.json"));
    let text_encoders = vec![TextFiles { shards: text_encoder, tokenizer: TokenizerFiles::File(tokenizer) }];
    ModelFiles { inventory, text_encoders, denoiser, vae, latent_rgb: None, loras: Vec::new() }
}

/// Golden tensors by name, as f32.
pub(super) struct Goldens(HashMap<String, (Vec<usize>, Vec<f32>)>);

impl Goldens {
    pub(super) fn load(name: &str) -> Self {
        let (file, table) = table(&golden().join(name));
        let read = |tensor: &crate::model::TensorInfo| {
            let from = tensor.offset as usize;
            let bytes = &file[from..from + tensor.bytes.get() as usize];
            match tensor.precision {
                crate::model::Precision::F32 => {
                    bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect()
                }
                crate::model::Precision::U8 => bytes.iter().map(|&b| f32::from(b)).collect(),
                crate::model::Precision::I64 => {
                    bytes.as_chunks::<8>().0.iter().map(|b| i64::from_le_bytes(*b) as f32).collect()
                }
                crate::model::Precision::I32 => {
                    bytes.as_chunks::<4>().0.iter().map(|b| i32::from_le_bytes(*b) as f32).collect()
                }
                other => panic!("{other:?}"),
            }
        };
        Self(table.tensors.iter().map(|t| (t.name.clone(), (t.shape.clone(), read(t)))).collect())
    }

    pub(super) fn get(&self, name: &str) -> &[f32] {
        &self.0.get(name).unwrap_or_else(|| panic!("no golden {name}")).1
    }

    pub(super) fn find(&self, name: &str) -> Option<&[f32]> {
        self.0.get(name).map(|(_, values)| values.as_slice())
    }

    pub(super) fn shape(&self, name: &str) -> &[usize] {
        &self.0[name].0
    }
}

/// Largest difference relative to the largest value.
#[track_caller]
pub(super) fn close(what: &str, got: &[f32], want: &[f32], tolerance: f32) {
    assert_eq!(got.len(), want.len(), "{what}");
    let largest = want.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
    let worst = got.iter().zip(want).fold(0.0_f32, |a, (g, w)| a.max((g - w).abs()));
    assert!(worst <= tolerance * largest.max(1e-6), "{what}: off by {worst} of {largest}");
}

struct Pipeline {
    files: ModelFiles,
    text: Qwen3,
    denoiser: Transformer,
    vae: Decoder,
}

impl Pipeline {
    fn load(streamed: bool) -> Self {
        let files = tiny();
        let model = &files.inventory;
        let open = |kind| Weights::open(files.shards(kind)).unwrap();
        let DenoiserShape::ZImage(shape) = model.denoiser_shape else { panic!("no Z-Image") };
        let text_weights = open(ComponentKind::TextEncoder);
        let TextEncoder { component, shape: TextEncoderShape::Qwen3(text_shape), .. } = &model.text_encoders[0] else {
            panic!("no Qwen3")
        };
        let text = Qwen3::load(text_weights, *text_shape, component, streamed, &mut Unwatched).unwrap();
        let denoiser_weights = open(ComponentKind::Denoiser);
        let denoiser = Transformer::load(denoiser_weights, shape, &model.denoiser, streamed, &mut Unwatched).unwrap();
        let vae = Decoder::load(&open(ComponentKind::Vae), model.vae_shape, &model.vae, &mut Unwatched).unwrap();
        Self { files, text, denoiser, vae }
    }
}

/// Every case of the golden file, from the prompt to the pixels, with weights loaded and streamed.
#[test]
fn the_tiny_pipeline_agrees_with_diffusers() {
    let _turn = TURN.lock();
    let goldens = Goldens::load("z_image_tiny.safetensors");
    let index = config(&golden().join("z_image_tiny.json"));
    let cases = index.get("cases").and_then(Value::as_array).unwrap();
    assert!(cases.len() >= 10);
    for streamed in [false, true] {
        let pipeline = Pipeline::load(streamed);
        for case in cases {
            run_case(&pipeline, &goldens, case.get("name").and_then(Value::as_str).unwrap(), case);
        }
    }
}

fn run_case(pipeline: &Pipeline, goldens: &Goldens, name: &str, case: &Value) {
    let model = &pipeline.files.inventory;
    let number = |key: &str| case.get(key).and_then(Value::as_f64).unwrap_or_else(|| panic!("{name}: no {key}"));
    let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let size = PixelSize::new(number("width") as u32, number("height") as u32);
    let latent_size = latent_size(model.vae_shape.factor(), size);
    let guidance = number("guidance") as f32;
    let encode = |prompt: &str, ids_key: &str, embeds_key: &str| {
        let ids = family::words(&pipeline.files, 0, &[prompt]).unwrap().remove(0).remove(0).ids;
        let want: Vec<u32> = goldens.get(&format!("{name}/{ids_key}")).iter().map(|&id| id as u32).collect();
        assert_eq!(ids, want, "{name}: token ids");
        let features = pipeline.text.encode(&ids, &mut Unwatched).unwrap();
        ops::read(&features, |got| {
            close(&format!("{name}/{embeds_key}"), got, goldens.get(&format!("{name}/{embeds_key}")), 1e-4);
        })
        .unwrap();
        pipeline.denoiser.prepare(&features, latent_size, &mut Unwatched).unwrap()
    };
    let positive = encode(&text("prompt"), "ids", "prompt_embeds");
    let negative = (guidance > 0.0).then(|| encode(&text("negative_prompt"), "negative_ids", "negative_prompt_embeds"));
    let space = sampler::Space::of(model, latent_size);
    let sigmas = sampler::sigmas(Sampler::Euler, Schedule::Simple, number("steps") as u32, &space);
    close(&format!("{name}/sigmas"), &sigmas, goldens.get(&format!("{name}/sigmas")), 1e-6);

    let noise = goldens.get(&format!("{name}/noise"));
    let wanted = goldens.get(&format!("{name}/latents"));
    let image = goldens.get(&format!("{name}/image"));
    let batch = goldens.shape(&format!("{name}/latents"))[1];
    let each = noise.len() / batch;
    let seed: u64 = text_or_number(case, "seed");
    for item in 0..batch {
        let drawn = randn(seed.wrapping_add(item as u64), each);
        let mut latent = noise[item * each..(item + 1) * each].to_vec();
        assert!(drawn.iter().zip(&latent).all(|(a, b)| (a - b).abs() <= 3e-6), "{name}: noise of item {item}");
        for (step, pair) in sigmas.windows(2).enumerate() {
            let mut velocity =
                pipeline.denoiser.forward(&latent, latent_size, pair[0], &positive, &mut Unwatched).unwrap();
            if let Some(negative) = &negative {
                let without =
                    pipeline.denoiser.forward(&latent, latent_size, pair[0], negative, &mut Unwatched).unwrap();
                // diffusers' scale counts from zero, the usual one from one.
                sampler::guide(&mut velocity, &without, guidance + 1.0);
            }
            for (x, v) in latent.iter_mut().zip(&velocity) {
                *x += (pair[1] - pair[0]) * v;
            }
            let want = &wanted[(step * batch + item) * each..][..each];
            close(&format!("{name}: latents after step {step} of item {item}"), &latent, want, 1e-3);
        }
        let pixels = pipeline.vae.decode(&latent, latent_size, Decode::Whole, &mut Unwatched).unwrap();
        let want = &image[item * pixels.rgb().len()..][..pixels.rgb().len()];
        let worst = pixels.rgb().iter().zip(want).fold(0.0_f32, |a, (&g, w)| a.max((f32::from(g) - w).abs()));
        assert!(worst <= 1.0, "{name}: pixels off by {worst}");
    }
}

pub(super) fn text_or_number(case: &Value, key: &str) -> u64 {
    let value = case.get(key).unwrap();
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap()
}

#[test]
fn the_decoder_agrees_with_diffusers_on_odd_sizes() {
    let _turn = TURN.lock();
    let goldens = Goldens::load("z_image_tiny.safetensors");
    let pipeline = Pipeline::load(false);
    for name in ["vae_odd", "vae_16x8"] {
        let latents = goldens.get(&format!("{name}/latents"));
        let shape = goldens.shape(&format!("{name}/latents"));
        let (height, width) = (shape[shape.len() - 2], shape[shape.len() - 1]);
        // The golden holds what the decoder receives; ours takes the sampler's scale.
        let vae = &pipeline.files.inventory.vae_shape;
        let unscaled: Vec<f32> =
            latents.iter().map(|x| ((f64::from(*x) - vae.shift_factor) * vae.scaling_factor) as f32).collect();
        let pixels = pipeline.vae.decode(&unscaled, (width, height), Decode::Whole, &mut Unwatched).unwrap();
        let decoded = goldens.get(&format!("{name}/decoded"));
        let plane = decoded.len() / 3;
        for (at, rgb) in pixels.rgb().chunks_exact(3).enumerate() {
            for c in 0..3 {
                let want = (decoded[c * plane + at] * 0.5 + 0.5).clamp(0.0, 1.0) * 255.0;
                assert!((f32::from(rgb[c]) - want).abs() <= 1.0, "{name}: pixel {at}");
            }
        }
        let tiled = pipeline.vae.decode(&unscaled, (width, height), Decode::Tiled, &mut Unwatched).unwrap();
        assert_eq!(tiled, pixels, "{name}: one tile is the whole picture");
        let banded = pipeline.vae.decode(&unscaled, (width, height), Decode::Banded, &mut Unwatched).unwrap();
        let differ = banded.rgb().iter().zip(pixels.rgb()).filter(|(a, b)| a.abs_diff(**b) > 1).count();
        assert_eq!(differ, 0, "{name}: bands make the same picture");
    }
    assert!(goldens.find("vae_odd/latents").is_some());
}

#[test]
fn noise_is_that_of_torch() {
    let _turn = TURN.lock();
    let index = config(&golden().join("noise.json"));
    let value = |bits: &Value| f32::from_bits(u32::from_str_radix(bits.as_str().unwrap(), 16).unwrap());
    let (mut checked, mut blocks) = (0, 0);
    let mut check = |seed: u64, drawn: &[f32], at: usize, bits: &Value| {
        let (got, want) = (drawn[at], value(bits));
        assert!((got - want).abs() <= 3e-6, "seed {seed}, {} values, value {at}: {got} {want}", drawn.len());
        checked += 1;
    };
    for case in index.get("seeds").and_then(Value::as_array).unwrap() {
        let seed = text_or_number(case, "seed");
        let drawn = randn(seed, 100_000);
        for (at, bits) in case.get("head").and_then(Value::as_array).unwrap().iter().enumerate() {
            check(seed, &drawn, at, bits);
        }
        let Some(Value::Object(spots)) = case.get("spots") else { panic!("no spots") };
        for (at, bits) in spots {
            check(seed, &drawn, at.parse().unwrap(), bits);
        }
        // Every value, and its place: 3e-6 each, a thousand to a sum.
        for (block, sums) in case.get("blocks").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let values = &drawn[block * 1000..][..1000];
            let sum: f64 = values.iter().map(|&v| f64::from(v)).sum();
            let weighted: f64 = values.iter().zip(1_u32..).map(|(&v, i)| f64::from(v) * f64::from(i)).sum();
            let want: Vec<f64> = sums.as_array().unwrap().iter().filter_map(Value::as_f64).collect();
            assert!((sum - want[0]).abs() < 1e-3 && (weighted - want[1]).abs() < 0.5, "seed {seed}, block {block}");
            blocks += 1;
        }
        // One generator, three draws: the scalar path keeps the second half of a pair for the next draw.
        let mut generator = Draws::new(Rng::Cpu, seed);
        let draws: Vec<f32> = [5, 32, 4].into_iter().flat_map(|n| generator.draw(n)).collect();
        for (at, bits) in case.get("draws_5_32_4").and_then(Value::as_array).unwrap().iter().enumerate() {
            check(seed, &draws, at, bits);
        }
        let Some(Value::Object(sizes)) = case.get("sizes") else { panic!("no sizes") };
        for (n, values) in sizes {
            let drawn = randn(seed, n.parse().unwrap());
            for (at, bits) in values.as_array().unwrap().iter().enumerate() {
                check(seed, &drawn, at, bits);
            }
        }
    }
    assert!(checked > 500 && blocks == 400, "{checked} {blocks}");
}
