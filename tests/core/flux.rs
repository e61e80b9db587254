//! FLUX models opened from folders, and what a plan says of them.

use crate::support::{assert_missing_is_named, copy_folder, golden, laptop, recipe};
use headroom::hub::{self, Cause};
use headroom::model::Family;
use headroom::model::noise::{DynamicShift, Noise};
use headroom::model::shapes::{ClipPooled, DenoiserShape, TextEncoderShape};
use headroom::planner::{Device, Phase, Policy, Pool, Term, Tier, plan};
use headroom::recipe::{Draft, Field, Sampler, Schedule, Vocabulary};
use headroom::units::{Bytes, PixelSize};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn open(folder: &Path) -> headroom::model::ModelFiles {
    hub::open(folder.to_str().unwrap()).unwrap()
}

#[test]
fn dev_and_schnell_are_known_from_their_tensors() {
    let files = open(&golden("flux_tiny"));
    let model = &files.inventory;
    assert_eq!((model.family, model.size_multiple()), (Family::Flux1Dev, 16));
    let [TextEncoderShape::Clip(clip), TextEncoderShape::T5(t5)] =
        [model.text_encoders[0].shape, model.text_encoders[1].shape]
    else {
        panic!("{:?}", model.text_encoders)
    };
    assert_eq!((clip.pooled, t5.tokens, t5.layers, t5.heads, t5.head_dim), (ClipPooled::Plain, 512, 3, 4, 8));
    let Noise::Flow(flow) = model.noise else { panic!("no flow") };
    assert_eq!(flow.dynamic, Some(DynamicShift::FLUX));
    let DenoiserShape::Flux(shape) = model.denoiser_shape else { panic!("no FLUX") };
    assert_eq!((shape.double_blocks, shape.single_blocks, shape.heads, shape.channels), (2, 3, 2, 16));
    let tensors: u32 = model.denoiser.fixed.tensors + model.denoiser.blocks.iter().map(|b| b.tensors).sum::<u32>();
    assert_eq!(tensors as usize, files.denoiser[0].table.tensors.len(), "nothing of the file is left out");
    let vocabulary = Vocabulary::of(model);
    assert_eq!((vocabulary.guidance.default, vocabulary.steps.default), (1.0, 25));
    assert_eq!(vocabulary.distilled.unwrap().default, 3.5);
    assert_eq!((vocabulary.samplers.default, vocabulary.schedules.default), (Sampler::Euler, Schedule::Simple));

    let folder = TempDir::new().unwrap();
    copy_folder(&golden("flux_tiny"), folder.path());
    copy_folder(&golden("flux_schnell_tiny"), folder.path());
    let model = open(folder.path()).inventory;
    assert_eq!(model.family, Family::Flux1Schnell);
    let Noise::Flow(flow) = model.noise else { panic!("no flow") };
    assert_eq!((flow.shift, flow.dynamic), (1.0, None));
    assert_eq!((Vocabulary::of(&model).steps.default, Vocabulary::of(&model).distilled), (4, None));
}

#[test]
fn distilled_guidance_is_asked_for_where_the_network_takes_it() {
    let model = open(&golden("flux_tiny")).inventory;
    let vocabulary = Vocabulary::of(&model);
    let draft = Draft { distilled: 2.5, ..Draft::new(&vocabulary) };
    let (recipe, _) = draft.parse(&vocabulary).unwrap();
    assert_eq!((recipe.distilled(), recipe.guided()), (Some(2.5), false));
    assert_eq!(Draft::from(&recipe), draft);
    let issues = Draft { distilled: 99.0, ..draft }.parse(&vocabulary).unwrap_err();
    assert_eq!(issues[0].field, Field::Distilled);
    let other = crate::support::z_image_turbo();
    let vocabulary = Vocabulary::of(&other);
    let draft = Draft { distilled: 99.0, ..Draft::new(&vocabulary) };
    assert_eq!(draft.parse(&vocabulary).unwrap().0.distilled(), None);
}

/// mold #46, #61 and #260: a file that lacks tensors is told which ones.
#[test]
fn what_is_missing_is_named() {
    let folder = TempDir::new().unwrap();
    copy_folder(&golden("flux_tiny"), folder.path());
    assert_missing_is_named(
        folder.path(),
        "transformer/diffusion_pytorch_model.safetensors",
        "single_transformer_blocks.2.proj_mlp.weight",
    );
    fs::remove_file(folder.path().join("tokenizer_2/tokenizer.json")).unwrap();
    let error = hub::open(folder.path().to_str().unwrap()).unwrap_err();
    assert!(matches!(&error.cause, Cause::MissingPart(part) if part.starts_with("tokenizer_2")), "{error}");
}

#[test]
fn a_plan_counts_the_features_of_both_text_encoders() {
    let model = open(&golden("flux_tiny")).inventory;
    let answer = plan(&laptop(64, 48), &model, &recipe(&model, 256, 256), &Policy::new(Device::Cpu));
    let held = answer.plan.pool_terms(answer.plan.phase(Phase::Denoise).unwrap(), Pool::Host).get(Term::Embeddings);
    // One chunk of CLIP, and all tokens that T5 always reads.
    assert_eq!(held, Bytes::f32s(77 * 20 + 512 * 24));
}

/// Plans need headers only: these files have no values at all.
#[test]
fn a_denoiser_of_true_size_streams_where_it_cannot_stay() {
    let folder = TempDir::new().unwrap();
    let denoiser = folder.path().join("unet/flux1-dev.safetensors");
    crate::files::real("flux_dev", &denoiser);
    for (listing, file) in [("clip_l", "clip/clip_l"), ("t5xxl", "clip/t5xxl_fp16"), ("ae", "vae/ae")] {
        crate::files::real(listing, &folder.path().join(format!("{file}.safetensors")));
    }
    fs::copy(golden("layouts/spiece.model"), folder.path().join("clip/spiece.model")).unwrap();
    let model = open(&denoiser).inventory;
    assert_eq!((model.family, model.native), (Family::Flux1Dev, PixelSize::new(1024, 1024)));
    let DenoiserShape::Flux(shape) = model.denoiser_shape else { panic!("no FLUX") };
    assert_eq!((shape.double_blocks, shape.single_blocks, shape.heads, shape.head_dim()), (19, 38, 24, 128));
    assert_eq!((shape.rope_axes, shape.feed_forward, shape.guidance), ([16, 56, 56], 12288, true));
    let need = |tier| {
        let policy = Policy { tiers: vec![tier], ..Policy::new(Device::Cpu) };
        plan(&laptop(64, 48), &model, &recipe(&model, 1024, 1024), &policy).plan.peak(Pool::Host)
    };
    // 23.8 GB of denoiser beside the rest, or two blocks of it, or of T5, at a time.
    assert!(need(Tier::Phased) > Bytes::gib(22) && need(Tier::Phased) < Bytes::gib(26));
    assert!(need(Tier::Resident) > need(Tier::Phased) + Bytes::gib(8));
    assert!(need(Tier::Streamed) < Bytes::gib(4), "{}", need(Tier::Streamed));
}
