//! Models that start from a single file, with companions where people keep them.

use headroom::hub::{self, Cause, Missing};
use headroom::model::layout::{self, Network, Share};
use headroom::model::shapes::TextEncoderShape;
use headroom::model::{
    Family, FileRef, HeaderError, Kind, ModelFiles, Shard, TensorInfo, TensorTable, header_length, safetensors,
};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

/// Tensors of a file by name: type, shape, bytes.
type Tensors = BTreeMap<String, (&'static str, Vec<usize>, Vec<u8>)>;

fn read(path: &str) -> Tensors {
    let bytes = fs::read(path).unwrap();
    let header = header_length(&bytes[..64], bytes.len() as u64).unwrap() as usize;
    let table = safetensors(&bytes[8..8 + header], bytes.len() as u64).unwrap();
    let entry = |tensor: TensorInfo| {
        let data = bytes[tensor.offset as usize..][..tensor.bytes.get() as usize].to_vec();
        (tensor.name, (if tensor.precision.name() == "f32" { "F32" } else { "BF16" }, tensor.shape, data))
    };
    table.tensors.into_iter().map(entry).collect()
}

fn write(path: &Path, tensors: &Tensors) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut at = 0;
    let entries: Vec<String> = tensors
        .iter()
        .map(|(name, (kind, shape, data))| {
            at += data.len();
            format!(r#""{name}":{{"dtype":"{kind}","shape":{shape:?},"data_offsets":[{},{at}]}}"#, at - data.len())
        })
        .collect();
    let header = format!("{{{}}}", entries.join(","));
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    for (_, _, data) in tensors.values() {
        file.extend(data);
    }
    fs::write(path, file).unwrap();
}

/// The tiny Z-Image's denoiser as ComfyUI keeps it: its names, fused products.
fn single_file() -> Tensors {
    let mut all = Tensors::new();
    let canonical = read(&format!("{GOLDEN}/z_image_tiny/transformer/diffusion_pytorch_model.safetensors"));
    let mut thirds: BTreeMap<String, BTreeMap<u8, Vec<u8>>> = BTreeMap::new();
    for (name, (kind, shape, data)) in canonical {
        let (published, share) = layout::published(Network::ZImage, &name, 0).remove(0);
        if let Share::Third(third) = share {
            let parts = thirds.entry(published.clone()).or_default();
            parts.insert(third, data);
            let fused = (kind, vec![shape[0] * 3, shape[1]], parts.values().flatten().copied().collect());
            all.insert(published, fused);
        } else {
            all.insert(published, (kind, shape, data));
        }
    }
    assert!(all.contains_key("layers.0.attention.qkv.weight") && all.contains_key("x_embedder.weight"));
    all
}

/// A ComfyUI models folder, at a place with odd letters (koboldcpp #2339 and its kind), with a denoiser, a text encoder, a VAE and a tokenizer.
fn comfy() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let models = folder.path().join("日本 語/a#b%20+c/models");
    let denoiser = models.join("diffusion_models/z image/turbo.safetensors");
    write(&denoiser, &single_file());
    let copy = |from: &str, to: &str| {
        let to = models.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(format!("{GOLDEN}/z_image_tiny/{from}"), to).unwrap();
    };
    copy("text_encoder/model.safetensors", "text_encoders/any name.safetensors");
    copy("tokenizer/tokenizer.json", "text_encoders/qwen tokenizer.json");
    copy("vae/diffusion_pytorch_model.safetensors", "vae/tiny/model.safetensors");
    copy("vae/config.json", "vae/tiny/config.json");
    // What else lies about: other encoders, damaged files, notes.
    fs::copy(format!("{GOLDEN}/layouts/t5.safetensors"), models.join("text_encoders/a.safetensors")).unwrap();
    fs::copy(format!("{GOLDEN}/layouts/vae_diffusers.safetensors"), models.join("vae/a.safetensors")).unwrap();
    fs::write(models.join("vae/b.safetensors"), b"<html>").unwrap();
    fs::write(models.join("vae/._tiny.safetensors"), b"\0\x05\x16\x07").unwrap();
    (folder, denoiser)
}

fn open(path: &Path) -> Result<ModelFiles, hub::HubError> {
    hub::open(path.to_str().unwrap())
}

/// The bytes of all tensors of some shards, by canonical name.
fn bytes(shards: &[Shard]) -> BTreeMap<String, Vec<u8>> {
    let mut all = BTreeMap::new();
    for shard in shards {
        let FileRef::Path(path) = &shard.file else { panic!("embedded") };
        let file = fs::read(path).unwrap();
        for tensor in &shard.table.tensors {
            all.insert(tensor.name.clone(), file[tensor.offset as usize..][..tensor.bytes.get() as usize].to_vec());
        }
    }
    all
}

fn cause(path: &Path) -> Cause {
    let error = open(path).unwrap_err();
    assert!(!error.hint().is_empty());
    error.cause
}

#[test]
fn a_denoiser_finds_its_companions_in_the_folders_of_comfyui() {
    let (_folder, denoiser) = comfy();
    let single = open(&denoiser).unwrap();
    let folder = hub::open(&format!("{GOLDEN}/z_image_tiny")).unwrap();
    assert_eq!(single.inventory.name, "turbo");
    assert_eq!(single.inventory.denoiser, folder.inventory.denoiser);
    assert_eq!(single.inventory.denoiser_shape, folder.inventory.denoiser_shape);
    assert_eq!(single.inventory.text_encoders, folder.inventory.text_encoders);
    assert_eq!(single.inventory.vae, folder.inventory.vae);
    assert_eq!(single.inventory.vae_shape, folder.inventory.vae_shape);
    assert_eq!(bytes(&single.denoiser), bytes(&folder.denoiser));
    assert_eq!(bytes(&single.vae), bytes(&folder.vae));
    assert_eq!(bytes(&single.text_encoders[0].shards).len(), bytes(&folder.text_encoders[0].shards).len());
}

#[test]
fn what_is_missing_is_named_with_what_such_files_are_called() {
    let (_folder, denoiser) = comfy();
    let models = denoiser.ancestors().nth(3).unwrap();
    let lacks = || match cause(&denoiser) {
        Cause::NoCompanion { missing, searched } => {
            assert!(searched.iter().any(|folder| folder.ends_with("text_encoders")), "{searched:?}");
            missing
        }
        other => panic!("{other:?}"),
    };
    fs::remove_file(models.join("text_encoders/qwen tokenizer.json")).unwrap();
    assert_eq!(lacks(), Missing::QwenTokenizer);
    assert!(open(&denoiser).unwrap_err().hint().contains("tokenizer.json"));
    fs::remove_dir_all(models.join("vae/tiny")).unwrap();
    assert_eq!(lacks(), Missing::Vae { channels: 16 });
    assert!(open(&denoiser).unwrap_err().hint().contains("ae.safetensors"));
    fs::remove_file(models.join("text_encoders/any name.safetensors")).unwrap();
    assert_eq!(lacks(), Missing::Qwen3 { width: 32 });
    assert!(open(&denoiser).unwrap_err().hint().contains("qwen_3_4b.safetensors"));
}

#[test]
fn companions_can_be_named_behind_the_model() {
    let (folder, denoiser) = comfy();
    let models = denoiser.ancestors().nth(3).unwrap();
    let alone = folder.path().join("far/away/alone.safetensors");
    fs::create_dir_all(alone.parent().unwrap()).unwrap();
    fs::rename(&denoiser, &alone).unwrap();
    assert!(matches!(cause(&alone), Cause::NoCompanion { .. }));
    let reference = format!(
        "{} + {}+{}+{}",
        alone.display(),
        models.join("text_encoders/any name.safetensors").display(),
        models.join("vae/tiny/model.safetensors").display(),
        models.join("text_encoders/qwen tokenizer.json").display(),
    );
    let model = hub::open(&reference).unwrap();
    assert_eq!(model.inventory.name, "alone");
}

/// unsloth #8919, #9409: parts of a split file are one model, and a missing part is named.
#[test]
fn a_split_file_is_one_model() {
    let (_folder, denoiser) = comfy();
    let whole = bytes(&open(&denoiser).unwrap().denoiser);
    fs::remove_file(&denoiser).unwrap();
    let all = single_file();
    let part = |number: usize| denoiser.with_file_name(format!("turbo-0000{number}-of-00003.safetensors"));
    for number in 1..=3 {
        let own = all.iter().enumerate().filter(|(index, _)| index % 3 == number - 1);
        write(&part(number), &own.map(|(_, (name, tensor))| (name.clone(), tensor.clone())).collect());
    }
    let model = open(&part(2)).unwrap();
    assert_eq!(model.denoiser.len(), 3);
    assert_eq!(bytes(&model.denoiser), whole);
    assert_eq!(hub::inspect(&part(1)).unwrap().files, 3);
    fs::remove_file(part(2)).unwrap();
    assert_eq!(cause(&part(1)), Cause::MissingPart("turbo-00002-of-00003.safetensors".to_owned()));
}

#[test]
fn a_text_encoder_in_gguf_brings_its_tokenizer() {
    let folder = TempDir::new().unwrap();
    let denoiser = folder.path().join("z.gguf");
    fs::copy(format!("{GOLDEN}/layouts/z_image_q8_0.gguf"), &denoiser).unwrap();
    fs::copy(format!("{GOLDEN}/layouts/qwen3_q8_0.gguf"), folder.path().join("q.gguf")).unwrap();
    // No VAE of four channels whose groups fit is published at this size: it is the next thing that is missing.
    assert!(matches!(cause(&denoiser), Cause::NoCompanion { missing: Missing::Vae { channels: 4 }, .. }));
    let mut vae = read(&format!("{GOLDEN}/z_image_tiny/vae/diffusion_pytorch_model.safetensors"));
    let (_, shape, data) = vae.get_mut("decoder.conv_in.weight").unwrap();
    data.truncate(data.len() / 4);
    shape[1] = 4;
    write(&folder.path().join("vae/v.safetensors"), &vae);
    fs::copy(format!("{GOLDEN}/z_image_tiny/vae/config.json"), folder.path().join("vae/config.json")).unwrap();
    let model = open(&denoiser).unwrap();
    let tokenizer = model.text_encoders[0].tokenizer.display();
    assert!(tokenizer.ends_with("q.gguf"), "{}", tokenizer.display());
}

#[test]
fn files_that_are_no_model_are_named_for_what_they_are() {
    let kind = |name: &str| match cause(&PathBuf::from(format!("{GOLDEN}/layouts/{name}"))) {
        Cause::LoneFile(words, kind) => (words, kind),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(kind("t5.safetensors").1, Kind::TextEncoder);
    assert_eq!(kind("ae.safetensors").1, Kind::Vae);
    assert!(
        kind("ae.safetensors").0.starts_with("a VAE with 16 latent channels (FLUX"),
        "{}",
        kind("ae.safetensors").0
    );
    assert!(kind("clip_l.safetensors").0.starts_with("a CLIP text encoder of width 8, f16"));
}

/// unsloth #8919: what macOS and trainers leave beside models.
#[test]
fn what_lies_beside_models_is_no_model() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("._model.gguf");
    fs::write(&path, b"\0\x05\x16\x07\0\x02\0\0Mac OS X        ").unwrap();
    assert!(matches!(cause(&path), Cause::Header(HeaderError::NotWeights(_))));
    let mut imatrix = Tensors::new();
    imatrix.insert("blk.0.attn_q.weight.in_sum2".to_owned(), ("F32", vec![1], vec![0; 4]));
    let path = folder.path().join("imatrix.safetensors");
    write(&path, &imatrix);
    assert!(matches!(cause(&path), Cause::LoneFile(_, Kind::Unknown)));
}

#[test]
fn every_golden_layout_is_inspected() {
    for entry in fs::read_dir(format!("{GOLDEN}/layouts")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.contains("tokens") || name == "spiece.model" {
            continue;
        }
        if name == "program.ckpt" {
            let error = hub::inspect(&path).unwrap_err();
            assert!(error.to_string().contains("would call posix.system"), "{error}");
            assert!(error.hint().contains("delete it"));
            continue;
        }
        let inspected = hub::inspect(&path).unwrap();
        assert_ne!(inspected.contents.kind, Kind::Unknown, "{}", path.display());
        assert!(inspected.contents.parts.iter().all(|part| part.missing().is_empty()), "{}", path.display());
    }
}

/// A file of a published model: all of its header, none of its values.
fn real(listing: &str, path: &Path) {
    let text = fs::read_to_string(format!("{GOLDEN}/headers/{listing}.txt")).unwrap();
    let mut at = 0;
    let mut entries = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let (name, kind, shape) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        let shape: Vec<u64> = shape.split('x').filter(|n| !n.is_empty()).map(|n| n.parse().unwrap()).collect();
        let from = at;
        at += shape.iter().product::<u64>() * if kind == "F32" { 4 } else { 2 };
        entries.push(format!(r#""{name}":{{"dtype":"{kind}","shape":{shape:?},"data_offsets":[{from},{at}]}}"#));
    }
    let header = format!("{{{}}}", entries.join(","));
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    let length = file.len() as u64 + at;
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, file).unwrap();
    fs::OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// Plans need headers only: these files have no values at all.
#[test]
fn checkpoints_of_stable_diffusion_open_from_their_headers() {
    if cfg!(windows) {
        // There a file takes the room of its whole length, written or not.
        return;
    }
    let folder = TempDir::new().unwrap();
    for (listing, words, family, native, layers) in [
        (
            "sd1_checkpoint",
            "a Stable Diffusion 1 checkpoint, f16, 1.07 billion",
            Family::StableDiffusion1,
            512,
            vec![12],
        ),
        ("sdxl_checkpoint", "an SDXL checkpoint, f16, 3.47 billion", Family::StableDiffusionXl, 1024, vec![12, 32]),
    ] {
        let path = folder.path().join(format!("{listing}.safetensors"));
        real(listing, &path);
        let inspected = hub::inspect(&path).unwrap();
        assert_eq!(inspected.contents.kind, Kind::Checkpoint);
        assert!(inspected.summary().starts_with(words), "{}", inspected.summary());
        let model = open(&path).unwrap_or_else(|error| panic!("{listing}: {error}")).inventory;
        assert_eq!((model.family, model.native.width), (family, native), "{listing}");
        let found: Vec<usize> = model
            .text_encoders
            .iter()
            .map(|text| match text.shape {
                TextEncoderShape::Clip(shape) => shape.layers,
                TextEncoderShape::Qwen3(_) | TextEncoderShape::T5(_) => 0,
            })
            .collect();
        assert_eq!(found, layers, "{listing}");
    }
}

#[test]
fn z_image_turbo_as_comfyui_users_keep_it_opens_from_its_headers() {
    if cfg!(windows) {
        // There a file takes the room of its whole length, written or not.
        return;
    }
    let folder = TempDir::new().unwrap();
    let models = folder.path();
    let denoiser = models.join("diffusion_models/z_image_turbo_bf16.safetensors");
    real("z_image_comfyui", &denoiser);
    real("qwen3_4b", &models.join("text_encoders/qwen_3_4b.safetensors"));
    real("ae", &models.join("vae/ae.safetensors"));
    let tokenizer = models.join("text_encoders/tokenizer.json");
    fs::copy(format!("{GOLDEN}/z_image_tiny/tokenizer/tokenizer.json"), tokenizer).unwrap();
    let model = open(&denoiser).unwrap().inventory;
    assert_eq!(model.family, Family::ZImageTurbo);
    assert_eq!(model.denoiser.parameters, 6_154_908_736);
    assert_eq!(model.denoiser.blocks.len(), 34);
    assert_eq!(model.vae_shape.latent_channels, 16);
    let TextEncoderShape::Qwen3(text) = model.text_encoders[0].shape else { panic!("not Qwen3") };
    assert_eq!((text.layers, text.heads, text.kv_heads, text.hidden), (36, 32, 8, 2560));
}

#[test]
fn flux_as_comfyui_users_keep_it_opens_from_its_headers() {
    if cfg!(windows) {
        // There a file takes the room of its whole length, written or not.
        return;
    }
    let folder = TempDir::new().unwrap();
    let models = folder.path();
    let denoiser = models.join("unet/flux1-dev.safetensors");
    real("flux_dev", &denoiser);
    real("clip_l", &models.join("clip/clip_l.safetensors"));
    real("t5xxl", &models.join("clip/t5xxl_fp16.safetensors"));
    real("ae", &models.join("vae/ae.safetensors"));
    // The words of another encoder are not taken for those of T5.
    fs::copy(format!("{GOLDEN}/layouts/qwen_tokens.gguf"), models.join("clip/qwen.gguf")).unwrap();
    fs::copy(format!("{GOLDEN}/z_image_tiny/tokenizer/tokenizer.json"), models.join("clip/tokenizer.json")).unwrap();
    assert!(matches!(cause(&denoiser), Cause::NoCompanion { missing: Missing::T5Tokenizer, .. }));
    fs::copy(format!("{GOLDEN}/layouts/spiece.model"), models.join("clip/spiece.model")).unwrap();
    let model = open(&denoiser).unwrap().inventory;
    assert_eq!(model.family, Family::Flux1Dev);
    assert_eq!((model.denoiser.blocks.len(), model.denoiser.parameters), (57, 11_901_408_320));
    let TextEncoderShape::T5(t5) = model.text_encoders[1].shape else { panic!("not T5") };
    assert_eq!((t5.layers, t5.heads, t5.hidden), (24, 64, 4096));
}

#[test]
fn a_family_that_is_not_drawn_with_yet_is_named() {
    let path = PathBuf::from(format!("{GOLDEN}/layouts/sd3.safetensors"));
    assert!(matches!(cause(&path), Cause::Unsupported(what) if what == "a Stable Diffusion 3.5 medium checkpoint"));
}

#[test]
fn tables_of_several_files_come_apart_again() {
    let info = |name: &str| {
        let bytes = headroom::units::Bytes(2);
        TensorInfo::new(name.to_owned(), headroom::model::Precision::F16, vec![1], 0, bytes)
    };
    let table =
        |names: &[&str]| TensorTable { tensors: names.iter().map(|name| info(name)).collect(), metadata: vec![] };
    let merged = TensorTable::merged([table(&["a", "b"]), table(&[]), table(&["c"])]);
    let apart = merged.by_file();
    assert_eq!(apart.iter().map(|(file, table)| (*file, table.tensors.len())).collect::<Vec<_>>(), [(0, 2), (2, 1)]);
}
