//! Tiny files of every published layout, written by `golden/make_layouts.py`: the canonical tensors that are read from
//! them equal those of the diffusers or transformers model that they were made from, bit for bit.

use headroom::model::layout::{self, LayoutError, Naming, Network, Part};
use headroom::model::{
    Arrangement, PickleError, TensorInfo, TensorTable, TorchError, ZipEntry, gguf, header_length, is_old_torch,
    old_torch, pickle_entry, safetensors, torch_archive, zip_data_start, zip_directory, zip_entries,
};
use proptest::prelude::*;
use serde_json::Value;
use std::fs;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

fn fnv(bytes: &[u8]) -> String {
    let hash =
        bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

fn file(name: &str) -> Vec<u8> {
    fs::read(format!("{GOLDEN}/layouts/{name}")).unwrap()
}

fn table(bytes: &[u8]) -> TensorTable {
    let len = bytes.len() as u64;
    if bytes.starts_with(b"PK") {
        return archive(bytes).unwrap();
    }
    if is_old_torch(bytes) {
        return old_torch(bytes, len).unwrap();
    }
    if bytes.starts_with(b"GGUF") {
        return gguf(bytes, len).unwrap();
    }
    let header = header_length(&bytes[..64], len).unwrap() as usize;
    safetensors(&bytes[8..8 + header], len).unwrap()
}

fn archive(bytes: &[u8]) -> Result<TensorTable, TorchError> {
    let (at, length) = zip_directory(bytes, 0)?;
    let entries = zip_entries(&bytes[at as usize..][..length as usize])?;
    let (pickle, folder) = pickle_entry(&entries)?;
    let start = |entry: &ZipEntry| zip_data_start(entry, &bytes[entry.header as usize..]).unwrap();
    let from = start(pickle) as usize;
    torch_archive(&bytes[from..from + pickle.length as usize], |key| {
        let name = format!("{folder}{key}");
        let entry = entries.iter().find(|entry| entry.name == name)?;
        Some((start(entry), entry.length))
    })
}

/// The bytes of a canonical tensor in the order of its shape.
fn values(file: &[u8], tensor: &TensorInfo) -> Vec<u8> {
    let stored = &file[tensor.offset as usize..][..tensor.bytes.get() as usize];
    match tensor.arrangement {
        Arrangement::Stored => stored.to_vec(),
        Arrangement::HalvesSwapped => {
            let (first, second) = stored.split_at(stored.len() / 2);
            [second, first].concat()
        }
        Arrangement::Transposed => {
            let [rows, columns] = tensor.shape[..] else { panic!("{tensor:?}") };
            let each = stored.len() / (rows * columns);
            let value = |row: usize, column: usize| &stored[(column * rows + row) * each..][..each];
            (0..rows).flat_map(|row| (0..columns).flat_map(move |column| value(row, column).to_vec())).collect()
        }
    }
}

fn network(name: &str) -> Network {
    match name.split(' ').next().unwrap() {
        "unet" => Network::Unet,
        "vae" => Network::Vae,
        "clip" => Network::Clip,
        "t5" => Network::T5,
        "qwen3" => Network::Qwen3,
        "flux" => Network::Flux,
        "sd3" => Network::Sd3,
        "z_image" => Network::ZImage,
        other => panic!("{other}"),
    }
}

fn goldens() -> serde_json::Map<String, Value> {
    let text = fs::read_to_string(format!("{GOLDEN}/layouts.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn parts_of(name: &str) -> Vec<Part> {
    layout::parts(&table(&file(name))).unwrap()
}

#[test]
fn every_layout_gives_the_tensors_of_the_model_it_was_made_from() {
    let mut tensors = 0;
    for (name, networks) in goldens() {
        let bytes = file(&name);
        let mut parts = layout::parts(&table(&bytes)).unwrap();
        for (key, expected) in networks.as_object().unwrap().iter().filter(|(key, _)| *key != "scales") {
            let expected = expected.as_object().unwrap();
            // Two encoders of one kind differ in their width.
            let fits = |part: &Part| {
                let first = &part.table.tensors[0];
                let shape = serde_json::json!(first.shape);
                part.network == network(key) && expected.get(&first.name).is_some_and(|line| line[1] == shape)
            };
            let at = parts.iter().position(fits).expect(&name);
            let part = parts.remove(at);
            let mut names: Vec<&str> = part.table.tensors.iter().map(|tensor| tensor.name.as_str()).collect();
            names.sort_unstable();
            assert_eq!(names, expected.keys().collect::<Vec<_>>(), "{name} {key}");
            assert!(part.strays.is_empty(), "{name}: {:?}", part.strays);
            assert_eq!(part.missing(), [""; 0], "{name} {key}");
            for tensor in &part.table.tensors {
                let want = &expected[&tensor.name];
                let shape: Vec<u64> = tensor.shape.iter().map(|&n| n as u64).collect();
                let found = serde_json::json!([tensor.precision.name(), shape, fnv(&values(&bytes, tensor))]);
                assert_eq!(&found, want, "{name} {key} {}", tensor.name);
                tensors += 1;
            }
        }
        assert!(parts.is_empty(), "{name}: {:?}", parts.iter().map(|part| part.network).collect::<Vec<_>>());
    }
    assert!(tensors > 2000, "{tensors}");
}

#[test]
fn scaled_weights_know_their_factor() {
    let name = "flux_fp8_scaled.safetensors";
    let bytes = file(name);
    let goldens = goldens();
    let scales = goldens[name]["scales"].as_object().unwrap();
    let parts = layout::parts(&table(&bytes)).unwrap();
    for tensor in &parts[0].table.tensors {
        let published = layout::published(Network::Flux, &tensor.name, 0);
        let module = published.iter().find_map(|(name, _)| name.strip_suffix(".weight"));
        let expected = module.and_then(|module| scales.get(module)).and_then(Value::as_f64);
        let found = tensor.scale.map(|scale| {
            assert_eq!(scale.count, 1);
            f32::from_le_bytes(bytes[scale.offset as usize..][..4].try_into().unwrap())
        });
        assert_eq!(found.map(f64::from), expected, "{}", tensor.name);
    }
    assert!(parts[0].table.tensors.iter().filter(|tensor| tensor.scale.is_some()).count() > 30);
}

#[test]
fn naming_and_prefix_are_told() {
    let one = |name: &str| {
        let parts = parts_of(name);
        (parts[0].naming, parts[0].prefix.clone())
    };
    assert_eq!(one("z_image_prefixed.safetensors"), (Naming::Original, "model.diffusion_model.".to_owned()));
    assert_eq!(one("z_image_diffusers.safetensors"), (Naming::Diffusers, String::new()));
    assert_eq!(one("qwen3_q8_0.gguf"), (Naming::LlamaCpp, String::new()));
    assert_eq!(one("sdxl_refiner_text.safetensors"), (Naming::OpenClip, "conditioner.embedders.0.".to_owned()));
}

/// mold #46, #61 and #260: denoisers published without their embedders.
#[test]
fn missing_tensors_are_listed_and_never_made_up() {
    let bytes = file("flux_q4_0.gguf");
    let mut table = table(&bytes);
    table.tensors.retain(|tensor| !tensor.name.starts_with("img_in.") && !tensor.name.starts_with("time_in.in_layer"));
    table.tensors.retain(|tensor| tensor.name != "double_blocks.1.img_mlp.2.bias");
    let parts = layout::parts(&table).unwrap();
    assert_eq!(
        parts[0].missing(),
        [
            "x_embedder.weight",
            "x_embedder.bias",
            "time_text_embed.timestep_embedder.linear_1.weight",
            "time_text_embed.timestep_embedder.linear_1.bias",
            "transformer_blocks.1.ff.net.2.bias",
        ]
    );
    table.tensors.retain(|tensor| !tensor.name.starts_with("single_blocks.0.") || tensor.name.contains("linear1"));
    table.tensors.retain(|tensor| !tensor.name.starts_with("double_blocks.0") || tensor.name.contains("img_attn.qkv"));
    let missing = layout::parts(&table).unwrap()[0].missing();
    assert!(missing.contains(&"transformer_blocks.0.attn.to_out.0.weight".to_owned()), "{missing:?}");
}

/// sd.cpp #1832: a checkpoint that calls `os.system`.
#[test]
fn a_pickle_that_is_a_program_is_refused_and_not_run() {
    let error = archive(&file("program.ckpt")).unwrap_err();
    assert_eq!(error, TorchError::Pickle(PickleError::Code("posix.system".to_owned())));
}

#[test]
fn cut_and_garbled_checkpoints_never_panic() {
    for name in ["sd1_without_unet.ckpt", "sd1_without_unet_old.ckpt"] {
        let whole = file(name);
        for keep in (0..whole.len()).step_by(whole.len() / 97) {
            drop(old_torch(&whole[..keep], whole.len() as u64));
            drop(old_torch(&whole[..keep], keep as u64));
            drop(zip_directory(&whole[..keep], 0));
            drop(zip_entries(&whole[keep..]));
            drop(torch_archive(&whole[keep..], |_| Some((0, 1000))));
        }
    }
}

fn tensor(name: &str, shape: &[usize]) -> TensorInfo {
    let precision = headroom::model::Precision::F16;
    let count = shape.iter().map(|&n| n as u64).product();
    TensorInfo::new(name.to_owned(), precision, shape.to_vec(), 64, precision.bytes_of(count).unwrap())
}

fn found(tensors: &[(&str, &[usize])]) -> Vec<Network> {
    let tensors = tensors.iter().map(|(name, shape)| tensor(name, shape)).collect();
    let parts = layout::parts(&TensorTable { tensors, metadata: Vec::new() }).unwrap();
    parts.into_iter().map(|part| part.network).collect()
}

#[test]
fn relatives_are_told_apart_and_named() {
    assert_eq!(
        found(&[
            ("distilled_guidance_layer.in_proj.weight", &[2, 2]),
            ("double_blocks.0.img_attn.qkv.weight", &[6, 2])
        ]),
        [Network::Foreign("a Chroma denoiser")]
    );
    assert_eq!(
        found(&[("cap_embedder.0.weight", &[2]), ("layers.0.adaLN_modulation.1.weight", &[2, 2])]),
        [Network::Foreign("a Lumina 2 denoiser")]
    );
    assert_eq!(
        found(&[("blk.0.attn_q.weight", &[2, 2]), ("token_embd.weight", &[2, 2])]),
        [Network::Foreign("a language model other than Qwen3")]
    );
    assert_eq!(found(&[("control_model.input_blocks.0.0.weight", &[2, 2])]), [Network::ControlNet]);
    assert_eq!(found(&[("holiday.photos", &[2, 2])]), []);
}

#[test]
fn weights_packed_in_ways_that_are_not_read_are_named() {
    for (name, packer) in [
        ("double_blocks.0.img_attn.qkv.weight.quant_state.bitsandbytes__nf4", "bitsandbytes (nf4 or fp4)"),
        ("layers.0.attention.qkv.weight_scale_2", "a block-scaled type (nvfp4, mxfp8 or blockwise fp8)"),
    ] {
        let table = TensorTable { tensors: vec![tensor(name, &[1])], metadata: Vec::new() };
        assert_eq!(layout::parts(&table), Err(LayoutError::Packed(packer)));
    }
}

#[test]
fn a_fused_tensor_that_cannot_be_divided_is_named() {
    let tensors = vec![
        tensor("cap_embedder.0.weight", &[4]),
        tensor("layers.0.adaLN_modulation.0.weight", &[4, 4]),
        tensor("layers.0.attention.qkv.weight", &[7, 4]),
    ];
    let error = layout::parts(&TensorTable { tensors, metadata: Vec::new() }).unwrap_err();
    assert!(matches!(error, LayoutError::OddShape { tensor, .. } if tensor == "layers.0.attention.qkv.weight"));
}

proptest! {
    #[test]
    fn no_bytes_make_the_pickle_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        drop(torch_archive(&bytes, |_| Some((0, 1 << 20))));
        drop(zip_directory(&bytes, 7));
        drop(zip_entries(&bytes));
    }

    /// One byte of the weights' pickle is another one.
    #[test]
    fn a_garbled_pickle_never_panics(at in 64_usize..6000, byte: u8) {
        let mut bytes = file("sd1_without_unet_old.ckpt");
        bytes[at] = byte;
        let len = bytes.len() as u64;
        if is_old_torch(&bytes) {
            drop(old_torch(&bytes, len));
        }
    }

    /// Names from the pieces of real ones, with shapes from nowhere.
    #[test]
    fn no_table_makes_the_layouts_panic(
        names in proptest::collection::vec("(model\\.diffusion_model\\.|text_encoders\\.a\\.|)(double_blocks|single_blocks|joint_blocks|layers|input_blocks|output_blocks|blk|encoder\\.block|decoder\\.up)\\.[0-9]{1,21}\\.(0\\.|img_attn\\.|x_block\\.|attention\\.|)(qkv|linear1|attn\\.qkv|op|conv|norm|block\\.0\\.conv1)\\.(weight|bias|scale_weight)", 0..20),
        marks in proptest::collection::vec(0_usize..8, 0..4),
        shape in proptest::collection::vec(0_usize..40, 0..5),
    ) {
        let marks = marks.into_iter().map(|mark| [
            "double_blocks.0.img_attn.x", "single_blocks.0.linear1.x", "joint_blocks.0.x_block.x", "decoder.mid.block_1.x",
            "input_blocks.0.0.weight", "middle_block.0.x", "transformer.resblocks.0.x", "token_embedding.x",
        ][mark].to_owned());
        let tensors: Vec<TensorInfo> = names.into_iter().chain(marks).map(|name| tensor(&name, &shape)).collect();
        for part in layout::parts(&TensorTable { tensors, metadata: Vec::new() }).unwrap_or_default() {
            drop(part.missing());
            for tensor in &part.table.tensors {
                prop_assert!(tensor.offset >= 64);
                drop(layout::published(part.network, &tensor.name, 3));
            }
        }
    }
}
