//! `LoRA` files in the names of every program that trains them, written by `golden/make_loras.py`: the changes that are
//! read from them are those that were put in, module by module.

use headroom::model::layout::{self, Network};
use headroom::model::lora::{self, Factor, Lora, LoraError, Modules, Place, Update};
use headroom::model::{Precision, TensorInfo, TensorTable, header_length, safetensors};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden");

fn fnv(values: &[f32]) -> String {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3));
    format!("{hash:016x}")
}

fn read(path: &str) -> (Vec<u8>, TensorTable) {
    let bytes = fs::read(format!("{GOLDEN}/{path}")).unwrap();
    let header = header_length(&bytes[..64], bytes.len() as u64).unwrap() as usize;
    let table = safetensors(&bytes[8..8 + header], bytes.len() as u64).unwrap();
    (bytes, table)
}

/// The names of a model's modules, its text encoders in the order of their prefixes.
fn modules(model: &str) -> Modules {
    let mut modules = Modules::default();
    let mut parts = layout::parts(&read(&format!("layouts/{model}")).1).unwrap();
    parts.sort_by(|a, b| a.prefix.cmp(&b.prefix));
    let mut texts = 0;
    for part in parts {
        match part.network {
            Network::Clip => {
                modules.add_text_encoder(texts, &part.table);
                texts += 1;
            }
            Network::Unet | Network::Flux | Network::ZImage => modules.add_denoiser(part.network, &part.table),
            _ => {}
        }
    }
    modules
}

/// Small numbers on a grid, whatever their type.
fn values(file: &[u8], tensor: &TensorInfo) -> Vec<f32> {
    let bytes = &file[tensor.offset as usize..][..tensor.bytes.get() as usize];
    let pairs = || bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    match tensor.precision {
        Precision::F32 => bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect(),
        Precision::Bf16 => pairs().map(|bits| f32::from_bits(u32::from(bits) << 16)).collect(),
        // No subnormal numbers are on the grid.
        Precision::F16 => pairs()
            .map(|bits| {
                let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
                let size = (1.0 + f32::from(bits & 1023) / 1024.0) * 2_f32.powi(i32::from(bits >> 10 & 31) - 15);
                if bits << 1 == 0 { 0.0 } else { sign * size }
            })
            .collect(),
        other => panic!("{other:?}"),
    }
}

/// A matrix with its number of columns.
type Matrix = (Vec<f32>, usize);

fn matrix(file: &[u8], tensor: &TensorInfo) -> Matrix {
    (values(file, tensor), tensor.shape[1..].iter().product())
}

fn product((a, inner): &Matrix, (b, columns): &Matrix) -> Matrix {
    let rows = a.len() / inner;
    let mut out = vec![0.0; rows * columns];
    for row in 0..rows {
        for k in 0..*inner {
            for column in 0..*columns {
                out[row * columns + column] += a[row * inner + k] * b[k * columns + column];
            }
        }
    }
    (out, *columns)
}

fn factor(file: &[u8], factor: &Factor) -> Matrix {
    assert_eq!(factor.core, None, "no golden has a core here");
    match &factor.b {
        None => matrix(file, &factor.a),
        Some(b) => product(&matrix(file, &factor.a), &matrix(file, b)),
    }
}

/// The change as a matrix, written down as plainly as its formula.
fn change(file: &[u8], update: &Update) -> Matrix {
    match update {
        Update::LowRank { down, up, mid: None } => product(&matrix(file, up), &matrix(file, down)),
        Update::LowRank { down, up, mid: Some(mid) } => {
            let (core, kernel) = (values(file, mid), mid.shape[2] * mid.shape[3]);
            let (up, down) = (matrix(file, up), matrix(file, down));
            let (rank, inputs) = (mid.shape[0], down.1);
            let mut middle = vec![0.0; rank * inputs * kernel];
            for r in 0..rank {
                for s in 0..mid.shape[1] {
                    for i in 0..inputs {
                        for k in 0..kernel {
                            middle[(r * inputs + i) * kernel + k] +=
                                core[(r * mid.shape[1] + s) * kernel + k] * down.0[s * inputs + i];
                        }
                    }
                }
            }
            product(&up, &(middle, inputs * kernel))
        }
        Update::Hadamard { first, second, cores: None } => {
            let (mut one, columns) = product(&matrix(file, &first[0]), &matrix(file, &first[1]));
            let (two, _) = product(&matrix(file, &second[0]), &matrix(file, &second[1]));
            one.iter_mut().zip(two).for_each(|(one, two)| *one *= two);
            (one, columns)
        }
        Update::Kronecker { left, right } => {
            let ((a, a_columns), (b, b_columns)) = (factor(file, left), factor(file, right));
            let (a_rows, b_rows) = (a.len() / a_columns, b.len() / b_columns);
            let columns = a_columns * b_columns;
            let at = |row: usize, column: usize| {
                a[row / b_rows * a_columns + column / b_columns] * b[row % b_rows * b_columns + column % b_columns]
            };
            let all = (0..a_rows * b_rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
            (all.map(|(row, column)| at(row, column)).collect(), columns)
        }
        other => panic!("{other:?}"),
    }
}

fn found(file: &[u8], lora: &Lora) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for patch in &lora.patches {
        let (mut change, columns) = change(file, &patch.update);
        let scale = match &patch.alpha {
            Some(alpha) if patch.rank > 0 => values(file, alpha)[0] / patch.rank as f32,
            _ => 1.0,
        };
        for value in &mut change {
            *value *= scale;
        }
        if let Some((first, count)) = patch.rows {
            change = change[first * columns..(first + count) * columns].to_vec();
        }
        let place = match patch.place {
            Place::Denoiser => "",
            Place::TextEncoder(0) => "text ",
            Place::TextEncoder(_) => "text 2 ",
        };
        // Minus zero is zero.
        for value in &mut change {
            *value += 0.0;
        }
        assert_eq!(all.insert(format!("{place}{}", patch.module), fnv(&change)), None, "{}", patch.module);
    }
    all
}

#[test]
fn every_style_gives_the_changes_that_were_put_in() {
    let goldens: Value = serde_json::from_str(&fs::read_to_string(format!("{GOLDEN}/loras.json")).unwrap()).unwrap();
    for (name, golden) in goldens.as_object().unwrap() {
        let (file, table) = read(&format!("loras/{name}.safetensors"));
        let lora = lora::read(&table, &modules(golden["model"].as_str().unwrap())).unwrap();
        let total = golden["total"].as_u64().unwrap();
        assert_eq!(lora.report(), format!("{total} of {total}"), "{name}: {:?}", lora.unmatched);
        let expected: BTreeMap<String, String> = serde_json::from_value(golden["changes"].clone()).unwrap();
        let found = found(&file, &lora);
        assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>(), "{name}");
        for (module, hash) in &expected {
            assert_eq!(&found[module], hash, "{name} {module}");
        }
        assert_eq!(lora.patches.iter().all(|patch| patch.magnitude.is_some()), name.contains("dora"), "{name}");
    }
}

/// Invoke #8433 and its kind: a `LoRA` for another family changes nothing and says so.
#[test]
fn a_lora_for_another_family_says_what_it_was_made_for() {
    for (lora, model, report) in [
        ("sdxl_kohya", "flux.safetensors", "SDXL"),
        ("flux_kohya", "sd1.safetensors", "FLUX"),
        ("z_image_fused", "flux.safetensors", "Z-Image"),
        ("sd1_kohya", "z_image.safetensors", "Stable Diffusion 1 or 2"),
    ] {
        let lora = lora::read(&read(&format!("loras/{lora}.safetensors")).1, &modules(model)).unwrap();
        assert!(lora.patches.is_empty());
        let total = lora.total;
        assert_eq!(lora.report(), format!("0 of {total}: made for {report}"));
        assert_eq!(lora.unmatched.len(), total);
    }
}

fn tensor(name: &str, shape: &[usize]) -> TensorInfo {
    let bytes = headroom::units::Bytes(shape.iter().product::<usize>() as u64 * 2);
    TensorInfo::new(name.to_owned(), Precision::F16, shape.to_vec(), 0, bytes)
}

fn table(tensors: &[(&str, &[usize])]) -> TensorTable {
    TensorTable { tensors: tensors.iter().map(|(name, shape)| tensor(name, shape)).collect(), metadata: Vec::new() }
}

#[test]
fn part_of_a_lora_is_told_as_a_part() {
    let names = modules("z_image.safetensors");
    let (down, up): (&[usize], &[usize]) = (&[2, 32], &[32, 2]);
    let lora = lora::read(
        &table(&[
            ("diffusion_model.layers.0.attention.to_q.lora_A.weight", down),
            ("diffusion_model.layers.0.attention.to_q.lora_B.weight", up),
            ("diffusion_model.layers.9.attention.to_q.lora_A.weight", down),
            ("diffusion_model.layers.9.attention.to_q.lora_B.weight", up),
            // The right name in another size.
            ("diffusion_model.layers.1.attention.to_q.lora_A.weight", &[2, 64]),
            ("diffusion_model.layers.1.attention.to_q.lora_B.weight", &[64, 2]),
        ]),
        &names,
    )
    .unwrap();
    assert_eq!((lora.report().as_str(), lora.unmatched.len()), ("1 of 3", 2));
}

#[test]
fn a_module_that_is_not_whole_is_named() {
    let names = Modules::default();
    let error = lora::read(&table(&[("a.lora_down.weight", &[2, 4])]), &names).unwrap_err();
    assert_eq!(error, LoraError::Incomplete { module: "a".to_owned(), lacks: "the half that goes up" });
    let halves: [(&str, &[usize]); 2] = [("a.lora_down.weight", &[2, 4]), ("a.lora_up.weight", &[4, 3])];
    assert!(matches!(lora::read(&table(&halves), &names), Err(LoraError::OddShape { .. })));
    assert_eq!(lora::read(&table(&[("a.weight", &[2, 2])]), &names), Err(LoraError::None));
}
