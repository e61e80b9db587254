//! Stable Diffusion against diffusers: tiny random-weight pipelines of 1, 2 (v-prediction) and XL, every case from the
//! prompt to the pixels, with weights loaded and streamed (see `tests/golden/make_stable_diffusion.py`).

use super::Unet;
use crate::engine::family::{self, Caption, Denoiser as _, Features, Guided, Loading};
use crate::engine::noise::randn;
use crate::engine::ops::{self, books::TURN};
use crate::engine::parity::{Goldens, close, config, golden, table, text_or_number};
use crate::engine::sampler;
use crate::engine::text::{Bpe, chunks};
use crate::engine::vae::Decoder;
use crate::engine::weights::Weights;
use crate::job::Unwatched;
use crate::model::json::Value;
use crate::model::noise::{Discrete, Noise, Prediction};
use crate::model::shapes::{DenoiserShape, TextEncoderShape};
use crate::model::{
    ClipPadding, ClipParts, ComponentKind, Family, FileRef, ModelFiles, Shard, StableDiffusionParts, TextFiles,
    TokenizerFiles, stable_diffusion,
};
use crate::planner::footprint::latent_size;
use crate::recipe::{Sampler, Schedule};
use crate::units::{Bytes, PixelSize};
use std::path::Path;
use std::sync::Arc;

fn shard(path: &Path) -> Vec<Shard> {
    let (_, table) = table(path);
    vec![Shard { file: FileRef::Path(path.to_owned()), table }]
}

pub(in crate::engine) fn tiny(name: &str) -> ModelFiles {
    let folder = golden().join(name);
    let mut text_encoders = Vec::new();
    let mut texts = Vec::new();
    for (encoder, tokenizer) in [("text_encoder", "tokenizer"), ("text_encoder_2", "tokenizer_2")] {
        if !folder.join(encoder).exists() {
            continue;
        }
        let shards = shard(&folder.join(encoder).join("model.safetensors"));
        let file = |name: &str| FileRef::Path(folder.join(tokenizer).join(name));
        let files = if folder.join(tokenizer).join("merges.txt").exists() {
            TokenizerFiles::Merges { vocabulary: file("vocab.json"), merges: file("merges.txt") }
        } else {
            TokenizerFiles::File(file("tokenizer.json"))
        };
        let said = config(&folder.join(tokenizer).join("tokenizer_config.json"));
        let first = said.get("pad_token").and_then(Value::as_str) == Some("!");
        texts.push(ClipParts {
            table: shards[0].table.clone(),
            config: config(&folder.join(encoder).join("config.json")),
            tokenizer: Bytes::kib(32),
            padding: Some(if first { ClipPadding::First } else { ClipPadding::End }),
        });
        text_encoders.push(TextFiles { shards, tokenizer: files });
    }
    let denoiser = shard(&folder.join("unet/diffusion_pytorch_model.safetensors"));
    let vae = shard(&folder.join("vae/diffusion_pytorch_model.safetensors"));
    let parts = StableDiffusionParts {
        texts,
        unet: denoiser[0].table.clone(),
        unet_config: config(&folder.join("unet/config.json")),
        vae: vae[0].table.clone(),
        vae_config: config(&folder.join("vae/config.json")),
        scheduler_config: config(&folder.join("scheduler/scheduler_config.json")),
    };
    let inventory = Arc::new(stable_diffusion(name, &parts).unwrap());
    ModelFiles { inventory, text_encoders, denoiser, vae, latent_rgb: None, loras: Vec::new() }
}

#[test]
fn the_tiny_pipelines_agree_with_diffusers() {
    let _turn = TURN.lock();
    let goldens = Goldens::load("stable_diffusion_tiny.safetensors");
    let index = config(&golden().join("stable_diffusion_tiny.json"));
    let cases = index.get("cases").and_then(Value::as_array).unwrap();
    for (model, family) in
        [("sd1", Family::StableDiffusion1), ("sd2", Family::StableDiffusion2), ("sdxl", Family::StableDiffusionXl)]
    {
        let files = tiny(&format!("{model}_tiny"));
        assert_eq!(files.inventory.family, family);
        for streamed in [false, true] {
            let own: Vec<_> =
                cases.iter().filter(|case| case.get("model").and_then(Value::as_str) == Some(model)).collect();
            assert!(own.len() >= 4);
            for case in own {
                run_case(&files, streamed, &goldens, model, case);
            }
        }
    }
}

fn run_case(files: &ModelFiles, streamed: bool, goldens: &Goldens, model: &str, case: &Value) {
    let inventory = &files.inventory;
    let name = format!("{model}/{}", case.get("name").and_then(Value::as_str).unwrap());
    let number = |key: &str| case.get(key).and_then(Value::as_f64).unwrap_or_else(|| panic!("{name}: no {key}"));
    let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap();
    let size = PixelSize::new(number("width") as u32, number("height") as u32);
    let latent_size = latent_size(inventory.vae_shape.factor(), size);
    let guidance = number("guidance") as f32;
    let mut prompts = vec![text("prompt")];
    if guidance > 1.0 {
        prompts.push(text("negative_prompt"));
    }
    let captions: Vec<Caption> = prompts
        .iter()
        .enumerate()
        .map(|(which, prompt)| {
            let encode = |index: usize| {
                check_ids(
                    files,
                    index,
                    prompt,
                    goldens.get(&format!("{name}/ids{}", which * files.text_encoders.len() + index)),
                );
                let encoder =
                    family::load_text_encoder(files, index, Loading { streamed, ..Loading::default() }, &mut Unwatched)
                        .unwrap();
                let words = family::words(files, index, &[prompt]).unwrap();
                encoder.features(&words[0], &mut Unwatched).unwrap()
            };
            (0..files.text_encoders.len()).map(encode).collect()
        })
        .collect();
    check_features(&captions[0], goldens, &name);

    let noise = inventory.noise;
    let space = sampler::Space::of(inventory, latent_size);
    let sigmas = sampler::sigmas(Sampler::Euler, Schedule::Normal, number("steps") as u32, &space);
    // The reference sums its noise schedule in f32.
    close(&format!("{name}/sigmas"), &sigmas, goldens.get(&format!("{name}/sigmas")), 1e-5);
    let denoiser = family::load_denoiser(files, Loading { streamed, ..Loading::default() }, &mut Unwatched).unwrap();
    let pass = denoiser.begin(&captions, latent_size, &mut Unwatched).unwrap();
    let guided = Guided { pass: &*pass, scale: (guidance > 1.0).then_some(guidance) };
    let vae = Weights::open(files.shards(ComponentKind::Vae)).unwrap();
    let decoder = Decoder::load(&vae, inventory.vae_shape, &inventory.vae, &mut Unwatched).unwrap();
    let (latents, shape) = (goldens.get(&format!("{name}/latents")), goldens.shape(&format!("{name}/latents")));
    let (image, said) = (goldens.get(&format!("{name}/image")), goldens.get(&format!("{name}/said")));
    let (batch, each) = (shape[1], shape[2..].iter().product::<usize>());
    let seed = text_or_number(case, "seed");
    for item in 0..batch {
        let mut latent = randn(seed.wrapping_add(item as u64), each);
        sampler::scale(&mut latent, noise.initial_scale(f64::from(sigmas[0])));
        for (step, pair) in sigmas.windows(2).enumerate() {
            for which in 0..captions.len() {
                let direction = pass.direction(which, &latent, pair[0], &mut Unwatched).unwrap();
                // The pipeline puts the negative prompt first.
                let place = (step * captions.len() + (captions.len() - 1 - which)) * batch + item;
                let want = direction_of(&noise, &said[place * each..][..each], &latent, pair[0]);
                close(&format!("{name}: said in step {step} of item {item}, caption {which}"), &direction, &want, 5e-4);
            }
            let direction = guided.direction(&latent, pair[0], &mut Unwatched).unwrap();
            for (x, d) in latent.iter_mut().zip(&direction) {
                *x += (pair[1] - pair[0]) * d;
            }
            let want = &latents[(step * batch + item) * each..][..each];
            close(&format!("{name}: latents after step {step} of item {item}"), &latent, want, 1e-3);
        }
        let pixels = decoder.decode(&latent, latent_size, crate::planner::Decode::Whole, &mut Unwatched).unwrap();
        let want = &image[item * pixels.rgb().len()..][..pixels.rgb().len()];
        let worst = pixels.rgb().iter().zip(want).fold(0.0_f32, |a, (&g, w)| a.max((f32::from(g) - w).abs()));
        assert!(worst <= 1.0, "{name}: pixels off by {worst}");
    }
}

fn check_ids(files: &ModelFiles, index: usize, prompt: &str, want: &[f32]) {
    let TextEncoderShape::Clip(shape) = &files.inventory.text_encoders[index].shape else { panic!("not CLIP") };
    let tokenizer = Bpe::load(&files.text_encoders[index].tokenizer).unwrap();
    let ids = chunks(&tokenizer, prompt, shape).unwrap().concat();
    assert_eq!(ids, want.iter().map(|&id| id as u32).collect::<Vec<_>>(), "{prompt}");
}

fn check_features(caption: &Caption, goldens: &Goldens, name: &str) {
    let mut all = caption[0].tokens.clone();
    for features in &caption[1..] {
        all = ops::beside(&all, &features.tokens).unwrap();
    }
    let key = format!("{name}/prompt_embeds");
    ops::read(&all, |got| close(&key, got, goldens.get(&key), 1e-4)).unwrap();
    let pooled = caption.last().and_then(|features| features.pooled.as_deref());
    let key = format!("{name}/pooled");
    assert_eq!(pooled.is_some(), goldens.find(&key).is_some(), "{key}");
    if let (Some(got), Some(want)) = (pooled, goldens.find(&key)) {
        close(&key, got, want, 1e-4);
    }
}

/// What the network said as a direction of growing noise.
fn direction_of(noise: &Noise, said: &[f32], latent: &[f32], sigma: f32) -> Vec<f32> {
    let Noise::Discrete(Discrete { prediction, .. }) = noise else { panic!("not discrete") };
    let sigma = f64::from(sigma);
    let spread = sigma * sigma + 1.0;
    let each = said.iter().zip(latent).map(|(&said, &x)| match prediction {
        Prediction::Epsilon => said,
        Prediction::V => {
            let (said, x) = (f64::from(said), f64::from(x));
            ((x - (x / spread - said * sigma / spread.sqrt())) / sigma) as f32
        }
    });
    each.collect()
}

/// An inpainting model's nine channels, and what the refiner is told beside the prompt.
#[test]
fn unets_for_inpainting_and_of_the_refiner_agree_with_diffusers() {
    let _turn = TURN.lock();
    let goldens = Goldens::load("stable_diffusion_tiny.safetensors");
    for (name, model) in [("inpaint", "sd1_tiny"), ("refiner", "sdxl_tiny")] {
        let mut files = tiny(model);
        let refiner = name == "refiner";
        let folder = golden().join("sd_unets_tiny").join(name);
        let unet = shard(&folder.join("diffusion_pytorch_model.safetensors"));
        // A whole model around the UNet: its family is told from the shapes.
        let skipped = usize::from(refiner);
        let base = golden().join(model);
        let texts = files.text_encoders.split_off(skipped);
        let encoder = if refiner { "text_encoder_2" } else { "text_encoder" };
        let parts = StableDiffusionParts {
            texts: vec![ClipParts {
                table: texts[0].shards[0].table.clone(),
                config: config(&base.join(encoder).join("config.json")),
                tokenizer: Bytes::kib(32),
                padding: None,
            }],
            unet: unet[0].table.clone(),
            unet_config: config(&folder.join("config.json")),
            vae: files.vae[0].table.clone(),
            vae_config: config(&base.join("vae/config.json")),
            scheduler_config: Value::Null,
        };
        let inventory = stable_diffusion(name, &parts).unwrap();
        let wanted = if refiner { Family::StableDiffusionXlRefiner } else { Family::StableDiffusion1 };
        assert_eq!(inventory.family, wanted);
        let DenoiserShape::Unet(shape) = inventory.denoiser_shape else { panic!("no UNet") };
        assert_eq!(shape.channels_in, if refiner { 4 } else { 9 });
        let weights = Weights::open(&unet).unwrap();
        let loaded = Unet::load(weights, shape, Discrete::STABLE_DIFFUSION, &inventory, false, &mut Unwatched).unwrap();
        let context = goldens.get(&format!("{name}/context")).to_vec();
        let pooled = goldens.find(&format!("{name}/pooled")).map(<[f32]>::to_vec);
        let caption = vec![Features { tokens: ops::tensor(context, (77, shape.context)).unwrap(), pooled }];
        let ready = loaded.prepare(&caption, (10, 6), 1).unwrap();
        let sample = goldens.get(&format!("{name}/sample"));
        let places = 60;
        let input = (0..sample.len()).map(|i| sample[i % shape.channels_in * places + i / shape.channels_in]).collect();
        let input = ops::tensor(input, (6, 10, shape.channels_in)).unwrap();
        let said = loaded.forward(input, 333.25, &ready, &mut Unwatched).unwrap();
        let want = goldens.get(&format!("{name}/said"));
        let want: Vec<f32> = (0..want.len()).map(|i| want[i % 4 * places + i / 4]).collect();
        ops::read(&said, |said| close(name, said, &want, 1e-4)).unwrap();
        // Asked for a picture from words alone, an inpainting model answers with numbers.
        let captions = [caption];
        let pass = loaded.begin(&captions, (10, 6), &mut Unwatched).unwrap();
        let direction = pass.direction(0, &randn(1, 240), 14.0, &mut Unwatched).unwrap();
        assert!(direction.iter().all(|x| x.is_finite()));
    }
}

/// nataili #119 and diffusion-pipe #181: prompts around the length of a chunk.
#[test]
fn prompts_of_any_length_become_whole_chunks() {
    let files = tiny("sd1_tiny");
    let TextEncoderShape::Clip(shape) = files.inventory.text_encoders[0].shape else { panic!("not CLIP") };
    let tokenizer = Bpe::load(&files.text_encoders[0].tokenizer).unwrap();
    for (words, want) in [(0, 1), (1, 1), (74, 1), (75, 1), (76, 2), (77, 2), (78, 2), (150, 2), (151, 3), (1000, 14)] {
        let chunks = chunks(&tokenizer, &"the ".repeat(words), &shape).unwrap();
        assert_eq!(chunks.len(), want, "{words}");
        for chunk in &chunks {
            assert_eq!((chunk.len(), chunk[0]), (77, shape.start()));
            assert!(chunk.contains(&shape.end()));
        }
        let prompt = chunks.iter().flatten().filter(|&&id| id != shape.start() && id != shape.end()).count();
        assert_eq!(prompt, words, "nothing is lost");
    }
    // One word of 400 letters without a space.
    assert!(chunks(&tokenizer, &"xq".repeat(200), &shape).unwrap().len() > 2);
}

/// The vocabulary inside the program against transformers' `CLIPTokenizer` with CLIP's own.
#[test]
fn the_vocabulary_inside_splits_words_as_clip_does() {
    let Value::Object(cases) = config(&golden().join("clip_ids.json")) else { panic!("no cases") };
    assert!(cases.len() > 10);
    let tokenizer = Bpe::load(&TokenizerFiles::Clip).unwrap();
    for (prompt, ids) in cases {
        let want: Vec<u32> = ids.as_array().unwrap().iter().map(|id| id.as_u64().unwrap() as u32).collect();
        assert_eq!(tokenizer.ids(&prompt, 49408).unwrap(), want, "{prompt:?}");
    }
}
