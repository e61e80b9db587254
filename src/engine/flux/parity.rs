//! FLUX against diffusers: tiny random-weight pipelines of dev and schnell, from the prompt to the pixels (see
//! `tests/golden/make_flux.py`).

use crate::engine::family::{self, Caption, Guided, Loading};
use crate::engine::noise::randn;
use crate::engine::ops::{self, DistanceBias, biased_attention, books::TURN};
use crate::engine::parity::{Goldens, close, config, golden, table, text_or_number};
use crate::engine::sampler;
use crate::engine::vae::Decoder;
use crate::engine::weights::Weights;
use crate::job::Unwatched;
use crate::model::json::Value;
use crate::model::shapes::{T5Shape, TextEncoderShape};
use crate::model::{
    ClipParts, ComponentKind, Family, FileRef, FluxParts, ModelFiles, Shard, T5Parts, TextFiles, TokenizerFiles, flux,
};
use crate::planner::footprint::latent_size;
use crate::recipe::{Sampler, Schedule};
use crate::units::{Bytes, PixelSize};
use std::path::PathBuf;
use std::sync::Arc;

/// The model of `folder`, everything but denoiser and schedule from the tuned one.
pub(in crate::engine) fn tiny(folder: &str) -> ModelFiles {
    let (own, shared) = (golden().join(folder), golden().join("flux_tiny"));
    let shard = |path: PathBuf| {
        let (_, table) = table(&path);
        vec![Shard { file: FileRef::Path(path), table }]
    };
    let clip = shard(shared.join("text_encoder/model.safetensors"));
    let t5 = shard(shared.join("text_encoder_2/model.safetensors"));
    let denoiser = shard(own.join("transformer/diffusion_pytorch_model.safetensors"));
    let vae = shard(shared.join("vae/diffusion_pytorch_model.safetensors"));
    let t5_tokenizer = shared.join("tokenizer_2/tokenizer.json");
    let clip_tokenizer = ["vocab.json", "merges.txt"].map(|name| shared.join("tokenizer").join(name));
    let length = |path: &PathBuf| Bytes(std::fs::metadata(path).unwrap().len());
    let parts = FluxParts {
        clip: ClipParts {
            table: clip[0].table.clone(),
            config: config(&shared.join("text_encoder/config.json")),
            tokenizer: clip_tokenizer.iter().map(length).sum(),
            padding: None,
        },
        t5: T5Parts {
            table: t5[0].table.clone(),
            config: config(&shared.join("text_encoder_2/config.json")),
            tokenizer: length(&t5_tokenizer),
        },
        transformer: denoiser[0].table.clone(),
        transformer_config: config(&own.join("transformer/config.json")),
        vae: vae[0].table.clone(),
        vae_config: config(&shared.join("vae/config.json")),
        scheduler_config: config(&own.join("scheduler/scheduler_config.json")),
    };
    let inventory = Arc::new(flux(folder, &parts).unwrap());
    let [vocabulary, merges] = clip_tokenizer.map(FileRef::Path);
    let text_encoders = vec![
        TextFiles { shards: clip, tokenizer: TokenizerFiles::Merges { vocabulary, merges } },
        TextFiles { shards: t5, tokenizer: TokenizerFiles::File(FileRef::Path(t5_tokenizer)) },
    ];
    ModelFiles { inventory, text_encoders, denoiser, vae, latent_rgb: None, loras: Vec::new() }
}

#[test]
fn the_tiny_pipelines_agree_with_diffusers() {
    let _turn = TURN.lock();
    let goldens = Goldens::load("flux_tiny.safetensors");
    let index = config(&golden().join("flux_tiny.json"));
    let cases = index.get("cases").and_then(Value::as_array).unwrap();
    for (model, folder, family) in
        [("dev", "flux_tiny", Family::Flux1Dev), ("schnell", "flux_schnell_tiny", Family::Flux1Schnell)]
    {
        let files = tiny(folder);
        assert_eq!(files.inventory.family, family);
        let own: Vec<_> =
            cases.iter().filter(|case| case.get("model").and_then(Value::as_str) == Some(model)).collect();
        assert!(own.len() >= 2);
        for (number, case) in own.into_iter().enumerate() {
            // Both ways of loading, in turns.
            run_case(&files, number % 2 == 1, &goldens, case);
        }
    }
}

fn run_case(files: &ModelFiles, streamed: bool, goldens: &Goldens, case: &Value) {
    let model = &files.inventory;
    let name = case.get("name").and_then(Value::as_str).unwrap();
    let number = |key: &str| case.get(key).and_then(Value::as_f64).unwrap_or_else(|| panic!("{name}: no {key}"));
    let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or_default();
    let size = PixelSize::new(number("width") as u32, number("height") as u32);
    let size = latent_size(model.vae_shape.factor(), size);
    let cfg = number("cfg") as f32;
    let mut prompts = vec![text("prompt")];
    if cfg > 1.0 {
        prompts.push(text("negative_prompt"));
    }
    let ids = family::words(files, 1, &prompts[..1]).unwrap().remove(0).remove(0).ids;
    let want: Vec<u32> = goldens.get(&format!("{name}/t5_ids")).iter().map(|&id| id as u32).collect();
    assert_eq!(ids, want, "{name}: token ids");
    let captions: Vec<Caption> = prompts
        .iter()
        .map(|prompt| {
            let encode = |index| {
                let encoder =
                    family::load_text_encoder(files, index, Loading { streamed, ..Loading::default() }, &mut Unwatched)
                        .unwrap();
                let words = family::words(files, index, &[prompt]).unwrap();
                encoder.features(&words[0], &mut Unwatched).unwrap()
            };
            (0..2).map(encode).collect()
        })
        .collect();
    close(
        &format!("{name}/pooled"),
        captions[0][0].pooled.as_ref().unwrap(),
        goldens.get(&format!("{name}/pooled")),
        1e-4,
    );
    // Every sixteenth token was kept.
    let TextEncoderShape::T5(t5) = model.text_encoders[1].shape else { panic!("no T5") };
    let every = |values: &[f32]| -> Vec<f32> { values.chunks(t5.hidden).step_by(16).flatten().copied().collect() };
    let features = ops::read(&captions[0][1].tokens, every).unwrap();
    close(&format!("{name}/prompt_embeds"), &features, goldens.get(&format!("{name}/prompt_embeds")), 1e-4);

    let space = sampler::Space::of(model, size);
    let sigmas = sampler::sigmas(Sampler::Euler, Schedule::Simple, number("steps") as u32, &space);
    close(&format!("{name}/sigmas"), &sigmas, goldens.get(&format!("{name}/sigmas")), 1e-5);
    let mut denoiser =
        family::load_denoiser(files, Loading { streamed, ..Loading::default() }, &mut Unwatched).unwrap();
    denoiser.guide(Some(number("guidance") as f32));
    let pass = denoiser.begin(&captions, size, &mut Unwatched).unwrap();
    let guided = Guided { pass: &*pass, scale: (cfg > 1.0).then_some(cfg) };
    let vae = Weights::open(files.shards(ComponentKind::Vae)).unwrap();
    let decoder = Decoder::load(&vae, model.vae_shape, &model.vae, &mut Unwatched).unwrap();
    let (latents, shape) = (goldens.get(&format!("{name}/latents")), goldens.shape(&format!("{name}/latents")));
    let image = goldens.get(&format!("{name}/image"));
    let (batch, each) = (shape[1], shape[2..].iter().product::<usize>());
    let seed = text_or_number(case, "seed");
    for item in 0..batch {
        let mut latent = randn(seed.wrapping_add(item as u64), each);
        for (step, pair) in sigmas.windows(2).enumerate() {
            let velocity = guided.direction(&latent, pair[0], &mut Unwatched).unwrap();
            for (x, v) in latent.iter_mut().zip(&velocity) {
                *x += (pair[1] - pair[0]) * v;
            }
            let want = &latents[(step * batch + item) * each..][..each];
            close(&format!("{name}: latents after step {step} of item {item}"), &latent, want, 1e-3);
        }
        let pixels = decoder.decode(&latent, size, crate::planner::Decode::Whole, &mut Unwatched).unwrap();
        let want = &image[item * pixels.rgb().len()..][..pixels.rgb().len()];
        let worst = pixels.rgb().iter().zip(want).fold(0.0_f32, |a, (&g, w)| a.max((f32::from(g) - w).abs()));
        assert!(worst <= 1.0, "{name}: pixels off by {worst}");
    }
}

/// Against sums written out, with a table of distances that tells apart all of them.
#[test]
fn attention_with_distances_is_right() {
    let (tokens, heads, dim) = (21, 3, 5);
    let width = heads * dim;
    let values = |seed| randn(seed, tokens * width);
    let (q, k, v) = (values(1), values(2), values(3));
    let shift = |head: usize, distance: i64| (head as f32 + 1.0) * 0.1 * distance as f32;
    let bias = DistanceBias::new(heads, tokens + 4, shift);
    let tensor = |values: &[f32]| ops::tensor(values.to_vec(), (tokens, width)).unwrap();
    let got = biased_attention(&tensor(&q), &tensor(&k), &tensor(&v), heads, &bias).unwrap();
    let mut want = vec![0.0_f32; tokens * width];
    for place in 0..tokens {
        for head in 0..heads {
            let at = |values: &[f32], token: usize, i: usize| f64::from(values[token * width + head * dim + i]);
            let score = |key: usize| -> f64 {
                (0..dim).map(|i| at(&q, place, i) * at(&k, key, i)).sum::<f64>()
                    + f64::from(shift(head, key as i64 - place as i64))
            };
            let total: f64 = (0..tokens).map(|key| score(key).exp()).sum();
            for i in 0..dim {
                let sum: f64 = (0..tokens).map(|key| score(key).exp() / total * at(&v, key, i)).sum();
                want[place * width + head * dim + i] = sum as f32;
            }
        }
    }
    ops::read(&got, |got| close("attention", got, &want, 1e-5)).unwrap();
    let small = DistanceBias::new(heads, tokens - 1, shift);
    assert!(biased_attention(&tensor(&q), &tensor(&k), &tensor(&v), heads, &small).is_err());
}

/// transformers' `T5Attention._relative_position_bucket`, 32 kinds up to 128 away, both ways.
#[test]
fn distances_fall_into_the_kinds_of_t5() {
    let shape = T5Shape {
        vocabulary: 10,
        hidden: 8,
        layers: 1,
        heads: 1,
        head_dim: 8,
        feed_forward: 8,
        buckets: 32,
        farthest: 128,
        tokens: 512,
        norm_eps: 1e-6,
    };
    for (distance, want) in [
        (0, 0),
        (-1, 1),
        (1, 17),
        (-7, 7),
        (7, 23),
        (-8, 8),
        (8, 24),
        (-11, 8),
        (-12, 9),
        (-15, 9),
        (-16, 10),
        (16, 26),
        (-31, 11),
        (-32, 12),
        (-64, 14),
        (64, 30),
        (-127, 15),
        (128, 31),
        (-511, 15),
        (511, 31),
    ] {
        assert_eq!(shape.bucket(distance), want, "{distance}");
    }
}
