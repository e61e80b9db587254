//! Models and machines opened by name, from folders and from files that are not what they say.

use crate::support::copy_folder;
use headroom::hub::{self, Cause, FileKind};
use headroom::machine::{GpuKind, Os, Overflow, Reading, Unknown};
use headroom::model::{ComponentKind, Family, FileRef, HeaderError, TokenizerFiles};
use headroom::units::Bytes;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const BUILTIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/builtin/model");

/// A safetensors file of bf16 tensors, all zero.
fn safetensors(tensors: &[(&str, &[usize])]) -> Vec<u8> {
    let mut header = String::from("{");
    let mut at = 0;
    for (name, shape) in tensors {
        let bytes = shape.iter().product::<usize>() * 2;
        let comma = if at == 0 { "" } else { "," };
        write!(header, r#"{comma}"{name}":{{"dtype":"BF16","shape":{shape:?},"data_offsets":[{at},{}]}}"#, at + bytes)
            .unwrap();
        at += bytes;
    }
    header.push('}');
    let mut file = (header.len() as u64).to_le_bytes().to_vec();
    file.extend(header.as_bytes());
    file.resize(file.len() + at, 0);
    file
}

/// The built-in model as an ordinary folder.
fn copy_of_builtin() -> TempDir {
    let folder = TempDir::new().unwrap();
    copy_folder(Path::new(BUILTIN), folder.path());
    folder
}

fn cause(reference: &Path) -> Cause {
    let error = hub::open(reference.to_str().unwrap()).unwrap_err();
    assert!(!error.hint().is_empty());
    error.cause
}

#[test]
fn the_built_in_model_opens_without_a_file() {
    let model = hub::open("builtin").unwrap();
    assert_eq!(model.inventory.family, Family::Builtin);
    assert_eq!(model.inventory.name, "builtin");
    assert!(matches!(model.text_encoders[0].tokenizer, TokenizerFiles::File(FileRef::Embedded { .. })));
    let kinds: Vec<_> = model.inventory.components().map(|component| component.kind).collect();
    assert_eq!(kinds, [ComponentKind::TextEncoder, ComponentKind::Denoiser, ComponentKind::Vae]);
    for component in model.inventory.components() {
        assert_eq!(model.shards(component.kind).len(), 1);
        assert!(component.bytes() > Bytes::ZERO);
    }
}

#[test]
fn a_folder_and_the_built_in_files_have_the_same_parts() {
    let folder = copy_of_builtin();
    let from_folder = hub::open(folder.path().to_str().unwrap()).unwrap();
    let embedded = hub::open("builtin").unwrap();
    assert_eq!(from_folder.inventory.denoiser, embedded.inventory.denoiser);
    assert_eq!(from_folder.inventory.vae_shape, embedded.inventory.vae_shape);
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    assert_eq!(from_folder.inventory.name, name);
}

#[test]
fn shards_are_found_by_their_index() {
    let folder = copy_of_builtin();
    let part = folder.path().join("text_encoder");
    let whole = hub::open("builtin").unwrap();
    let names: Vec<(String, Vec<usize>)> =
        whole.text_encoders[0].shards[0].table.tensors.iter().map(|t| (t.name.clone(), t.shape.clone())).collect();
    fs::remove_file(part.join("model.safetensors")).unwrap();
    let mut map = Vec::new();
    for (number, tensors) in names.chunks(names.len() / 3 + 1).enumerate() {
        let shard = format!("model-0000{}-of-00003.safetensors", number + 1);
        let list: Vec<(&str, &[usize])> = tensors.iter().map(|(name, shape)| (name.as_str(), &shape[..])).collect();
        fs::write(part.join(&shard), safetensors(&list)).unwrap();
        map.extend(tensors.iter().map(|(name, _)| format!(r#""{name}":"{shard}""#)));
    }
    let index = part.join("model.safetensors.index.json");
    fs::write(&index, format!(r#"{{"metadata":{{"total_size":1}},"weight_map":{{{}}}}}"#, map.join(","))).unwrap();
    let model = hub::open(folder.path().to_str().unwrap()).unwrap();
    assert_eq!(model.text_encoders[0].shards.len(), 3);
    assert_eq!(model.inventory.text_encoders, whole.inventory.text_encoders);

    let second = part.join("model-00002-of-00003.safetensors");
    fs::write(&second, safetensors(&[("other", &[2])])).unwrap();
    assert!(matches!(cause(folder.path()), Cause::IndexMismatch { shard, .. } if shard.contains("00002")));
    fs::remove_file(&second).unwrap();
    assert!(matches!(cause(folder.path()), Cause::MissingPart(part) if part.contains("00002-of-00003")));
    fs::write(&index, r#"{"weight_map":{"a":"../../../etc/passwd"}}"#).unwrap();
    assert_eq!(cause(folder.path()), Cause::Json);
}

#[test]
fn a_folder_without_one_of_its_parts_names_the_part() {
    for part in ["transformer", "text_encoder", "vae", "tokenizer"] {
        let folder = copy_of_builtin();
        fs::remove_dir_all(folder.path().join(part)).unwrap();
        assert!(matches!(cause(folder.path()), Cause::MissingPart(missing) if missing.starts_with(part)));
    }
}

#[test]
fn damaged_weights_are_named_with_their_cause() {
    let folder = copy_of_builtin();
    let path = folder.path().join("vae/diffusion_pytorch_model.safetensors");
    let whole = fs::read(&path).unwrap();
    let header = |cause| match cause {
        Cause::Header(error) => error,
        other => panic!("{other:?}"),
    };
    for length in [whole.len() - 100, 5000, 100, 9, 7] {
        fs::write(&path, &whole[..length]).unwrap();
        let error = hub::open(folder.path().to_str().unwrap()).unwrap_err();
        assert_eq!(error.path, path);
        assert!(matches!(header(error.cause), HeaderError::Truncated { actual, .. } if actual == length as u64));
    }
    fs::write(&path, []).unwrap();
    assert_eq!(header(cause(folder.path())), HeaderError::Empty);
    fs::write(&path, [&whole[..], &[0; 1024]].concat()).unwrap();
    assert!(matches!(header(cause(folder.path())), HeaderError::Trailing { .. }));
    fs::write(&path, "just some words\n".repeat(40)).unwrap();
    assert_eq!(header(cause(folder.path())), HeaderError::NotWeights("a text file"));
    fs::write(&path, "<!DOCTYPE html><html>Log in</html>").unwrap();
    assert_eq!(header(cause(folder.path())), HeaderError::NotWeights("a web page"));
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(cause(folder.path()), Cause::NotAFile);
}

#[test]
fn damaged_and_foreign_configs_are_told() {
    let folder = copy_of_builtin();
    fs::write(folder.path().join("vae/config.json"), "{\"scaling_factor\": ").unwrap();
    assert_eq!(cause(folder.path()), Cause::Json);
    fs::write(folder.path().join("model_index.json"), r#"{"_class_name": "StableDiffusion3Pipeline"}"#).unwrap();
    assert!(matches!(cause(folder.path()), Cause::Unsupported(what) if what.contains("StableDiffusion3Pipeline")));
}

#[test]
fn a_lone_file_is_named_for_what_it_is() {
    let path = format!("{BUILTIN}/vae/diffusion_pytorch_model.safetensors");
    let Cause::LoneFile(what, _) = cause(Path::new(&path)) else { panic!("not a lone file") };
    assert!(
        what.starts_with("a VAE with ") && what.contains(", f16, ") && what.contains(" million parameters"),
        "{what}"
    );
    let inspected = hub::inspect(Path::new(&path)).unwrap();
    assert_eq!(inspected.container, FileKind::Safetensors);
}

#[test]
fn names_and_paths_that_lead_nowhere_are_told_apart() {
    assert_eq!(cause(Path::new("z-image-turbo-q4_k_s")), Cause::UnknownName);
    assert_eq!(cause(Path::new("no/such/folder")), Cause::NotFound);
    assert_eq!(cause(Path::new("model.safetensors")), Cause::NotFound);
    assert!(hub::open("nothing").unwrap_err().hint().contains("builtin"));
}

#[test]
fn every_shipped_machine_reads() {
    for name in hub::machine::names() {
        let machine = hub::machine::open(name).unwrap();
        assert!(machine.ram.total.known().is_some() && machine.cpu.gflops.is_some(), "{name}");
        assert!(machine.host_room().known().is_some(), "{name}");
        for gpu in &machine.gpus {
            assert!(gpu.free.known() < gpu.total.known(), "{name}");
        }
        if machine.os == Os::Windows {
            assert!(machine.commit_room().and_then(Reading::known).is_some(), "{name}");
        }
    }
    let machine = hub::machine::open("rx-9060-xt-16gb-windows").unwrap();
    let card = &machine.gpus[0];
    assert_eq!((card.kind, card.overflow), (GpuKind::Discrete, Overflow::Spills));
    assert_eq!(card.total.known(), Bytes::parse("15.92 GiB"));
}

#[test]
fn values_that_a_machine_file_leaves_out_are_unknown() {
    let machine = hub::machine::parse("name = \"x\"\nos = \"windows\"\nram = { total = 1024 }\n").unwrap();
    assert_eq!(machine.ram.total, Reading::Known(Bytes(1024)));
    assert_eq!(machine.ram.available, Reading::MISSING);
    assert_eq!(machine.commit_room(), Some(Reading::MISSING));
    let odd =
        "name = \"x\"\nos = \"linux\"\nram = { total = \"1 GiB\", available = \"2 GiB\" }\ncpu = { gflops = nan }";
    let machine = hub::machine::parse(odd).unwrap();
    assert_eq!(machine.ram.available, Reading::Unknown(Unknown::AboveTotal));
    assert_eq!(machine.cpu.gflops, None);
    let open =
        "name = \"x\"\nos = \"linux\"\nram = { total = \"8 GiB\", available = \"2 GiB\" }\ncgroup = { limit = 5 }";
    assert_eq!(hub::machine::parse(open).unwrap().host_room(), Reading::MISSING);
}

#[test]
fn a_wrong_machine_file_is_told_with_its_line() {
    let wrong = |text: &str| hub::machine::parse(text).unwrap_err();
    assert!(wrong("name = \"x\"\nos = \"windows\"\nram = { total = \"much\" }").starts_with("line 3: "));
    assert!(wrong("name = \"x\"\nos = \"linux\"\nram = { total = -5 }").contains("size"));
    assert!(wrong("name = \"x\"\nos = \"beos\"").contains("beos"));
    assert!(wrong("name = \"x\"\nos = \"linux\"\nmemory = 5").contains("memory"));
    assert!(wrong("\0").starts_with("line 1"));
    let error = hub::machine::open("no-such-machine").unwrap_err();
    assert_eq!(error.cause, Cause::UnknownMachine);
    assert!(error.hint().contains("rtx-4090-linux"));
}
