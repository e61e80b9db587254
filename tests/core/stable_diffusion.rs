//! Stable Diffusion models opened from folders, and what a plan says of several text encoders.

use crate::support::{assert_missing_is_named, copy_folder, golden, laptop, recipe};
use headroom::hub::{self, Cause};
use headroom::model::noise::{Noise, Prediction};
use headroom::model::shapes::{ClipOutput, ClipPooled, DenoiserShape, TextEncoderShape};
use headroom::model::{ComponentKind, Family, Inventory, TokenizerFiles};
use headroom::planner::{Choice, Decode, Device, Phase, Policy, Pool, Term, Tier, plan};
use headroom::recipe::Vocabulary;
use headroom::units::{Bytes, PixelSize};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn open(folder: &Path) -> headroom::model::ModelFiles {
    hub::open(folder.to_str().unwrap()).unwrap()
}

fn copy(name: &str) -> TempDir {
    let folder = TempDir::new().unwrap();
    copy_folder(&golden(name), folder.path());
    folder
}

#[test]
fn each_family_is_known_from_its_folder() {
    for (name, family, prediction, encoders) in [
        ("sd1_tiny", Family::StableDiffusion1, Prediction::Epsilon, 1),
        ("sd2_tiny", Family::StableDiffusion2, Prediction::V, 1),
        ("sdxl_tiny", Family::StableDiffusionXl, Prediction::Epsilon, 2),
    ] {
        let files = open(&golden(name));
        let model = &files.inventory;
        assert_eq!((model.family, model.text_encoders.len()), (family, encoders), "{name}");
        let Noise::Discrete(noise) = model.noise else { panic!("{name}: flow") };
        assert_eq!((noise.prediction, noise.steps), (prediction, 1000), "{name}");
        assert_eq!(model.native, PixelSize::new(64, 64), "{name}: sample_size of its config");
        assert_eq!(model.size_multiple(), 8, "{name}");
        let DenoiserShape::Unet(unet) = &model.denoiser_shape else { panic!("{name}: no UNet") };
        assert_eq!(model.denoiser.blocks.len(), unet.pieces().len(), "{name}");
        assert!(model.denoiser.blocks.iter().all(|unit| unit.tensors > 0), "{name}: every piece has weights");
        // Nothing of the file is left out but what the shapes say.
        let tensors: u32 = model.denoiser.fixed.tensors + model.denoiser.blocks.iter().map(|b| b.tensors).sum::<u32>();
        assert_eq!(tensors as usize, files.denoiser[0].table.tensors.len(), "{name}");
    }
}

#[test]
fn xl_takes_features_before_the_last_layer_and_a_pooled_vector_from_the_second() {
    let model = open(&golden("sdxl_tiny")).inventory;
    let shapes: Vec<_> = model.text_encoders.iter().map(|text| text.shape).collect();
    let [TextEncoderShape::Clip(first), TextEncoderShape::Clip(second)] = shapes[..] else { panic!("{shapes:?}") };
    assert_eq!((first.output, first.pooled, first.used_layers()), (ClipOutput::Penultimate, ClipPooled::Unused, 2));
    assert_eq!((second.output, second.pooled), (ClipOutput::Penultimate, ClipPooled::Projected(20)));
    assert_eq!(second.used_layers(), 4);
    assert_eq!((first.padding, second.padding), (1001, 0));
    let kinds: Vec<_> = model.components().map(|component| component.kind.name()).collect();
    assert_eq!(kinds, ["text_encoder", "text_encoder_2", "denoiser", "vae"]);
}

#[test]
fn a_schedule_that_trails_marks_a_distilled_model() {
    let folder = copy("sdxl_tiny");
    let path = folder.path().join("scheduler/scheduler_config.json");
    let config = fs::read_to_string(&path).unwrap().replace("\"leading\"", "\"trailing\"");
    assert!(config.contains("trailing"));
    fs::write(&path, config).unwrap();
    let model = open(folder.path()).inventory;
    assert_eq!(model.family, Family::StableDiffusionXlTurbo);
    let vocabulary = Vocabulary::of(&model);
    assert_eq!((vocabulary.steps.default, vocabulary.guidance.default), (4, 1.0));
}

#[test]
fn a_missing_tensor_is_named_and_a_missing_tokenizer_too() {
    let folder = copy("sd1_tiny");
    assert_missing_is_named(
        folder.path(),
        "unet/diffusion_pytorch_model.safetensors",
        "up_blocks.2.attentions.1.transformer_blocks.0.attn2.to_v.weight",
    );
    fs::remove_dir_all(folder.path().join("tokenizer")).unwrap();
    let error = hub::open(folder.path().to_str().unwrap()).unwrap_err();
    assert!(matches!(&error.cause, Cause::MissingPart(part) if part.starts_with("tokenizer")), "{error}");
}

#[test]
fn old_names_of_attention_in_a_vae_are_read_as_the_new_ones() {
    let folder = copy("sd1_tiny");
    let path = folder.path().join("vae/diffusion_pytorch_model.safetensors");
    let bytes = fs::read(&path).unwrap();
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    let header = String::from_utf8(bytes[8..8 + length].to_vec()).unwrap();
    let renamed = header.trim_end().replace("attentions.0.to_q.weight\"", "attentions.0.query.weight\"");
    assert_ne!(renamed, header.trim_end());
    let mut file = (renamed.len() as u64).to_le_bytes().to_vec();
    file.extend(renamed.as_bytes());
    file.extend(&bytes[8 + length..]);
    fs::write(&path, file).unwrap();
    let files = open(folder.path());
    assert!(files.vae[0].table.get("decoder.mid_block.attentions.0.to_q.weight").is_some());
}

#[test]
fn a_model_without_a_tokenizer_is_read_with_the_vocabulary_inside_where_it_has_as_many_tokens() {
    let files = open(&golden("sd1_tiny"));
    assert!(matches!(files.text_encoders[0].tokenizer, TokenizerFiles::Merges { .. }));
    assert_eq!(TokenizerFiles::CLIP_TOKENS, 49_408);
    assert!(TokenizerFiles::Clip.files().is_empty());
    assert!(TokenizerFiles::Clip.display().to_string_lossy().contains("CLIP"));
}

/// Encoders of true size around the tiny rest: SDXL's two, in f16.
fn with_large_encoders() -> Inventory {
    let mut model = (*open(&golden("sdxl_tiny")).inventory).clone();
    for (text, mib) in model.text_encoders.iter_mut().zip([230, 1300]) {
        let blocks = text.component.blocks.len() as u64;
        for unit in &mut text.component.blocks {
            unit.bytes = Bytes::mib(mib);
        }
        text.component.fixed.bytes = Bytes::mib(blocks);
    }
    model
}

#[test]
fn text_encoders_take_turns_unless_everything_stays() {
    let model = with_large_encoders();
    let recipe = recipe(&model, 64, 64);
    let terms = |tier, phase| {
        let policy = Policy { tiers: vec![tier], decodes: vec![Decode::Whole], ..Policy::new(Device::Cpu) };
        let answer = plan(&laptop(64, 48), &model, &recipe, &policy);
        assert_eq!(answer.plan.choice, Choice { tier, decode: Decode::Whole });
        answer.plan.pool_terms(answer.plan.phase(phase).unwrap(), Pool::Host)
    };
    let bytes = |index: usize| model.text_encoders[index].component.bytes();
    let phased = terms(Tier::Phased, Phase::Encode);
    assert_eq!(phased.get(Term::TextEncoderWeights), Bytes::ZERO, "the first is gone before the larger one comes");
    assert_eq!(phased.get(Term::TextEncoder2Weights), bytes(1));
    let resident = terms(Tier::Resident, Phase::Encode);
    assert_eq!(resident.get(Term::TextEncoderWeights), bytes(0));
    assert_eq!(resident.get(Term::TextEncoder2Weights), bytes(1));
    for tier in [Tier::Phased, Tier::Streamed] {
        let denoise = terms(tier, Phase::Denoise);
        assert_eq!(denoise.get(Term::TextEncoder2Weights), Bytes::ZERO);
        assert!(denoise.get(Term::Embeddings) > Bytes::ZERO);
    }
    let second = &model.text_encoders[1].component;
    let streamed = terms(Tier::Streamed, Phase::Encode).get(Term::TextEncoder2Weights);
    assert_eq!(streamed, second.fixed.bytes + second.blocks.iter().map(|block| block.bytes).max().unwrap() * 2);
    assert_eq!(second.kind, ComponentKind::TextEncoder2);
}

#[test]
fn prompts_are_counted_in_chunks() {
    let model = open(&golden("sd1_tiny")).inventory;
    let shape = model.text_encoders[0].shape;
    let tokens = |prompt: &str| headroom::planner::footprint::text::token_bound(prompt, &shape);
    assert_eq!(tokens(""), 77);
    assert_eq!(tokens(&"a".repeat(75)), 77);
    assert_eq!(tokens(&"a ".repeat(75)), 77);
    assert_eq!(tokens(&"a".repeat(76)), 154);
    assert!(tokens(&"\u{130}".repeat(40)) >= 154);
}
