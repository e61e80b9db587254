//! Models and machines as literals.

use headroom::machine::{Cpu, Gpu, GpuKind, Machine, Os, Overflow, Ram, Reading};
use headroom::model::noise::{Flow, Noise};
use headroom::model::shapes::{DenoiserShape, Qwen3Shape, TextEncoderShape, VaeShape, ZImageShape};
use headroom::model::{Component, ComponentKind, Family, Inventory, Precision, TextEncoder, Unit};
use headroom::recipe::{Draft, Recipe, Vocabulary};
use headroom::units::{Bytes, PixelSize};

/// Tests that make blocks so large that others would see them in the books of the whole process take turns.
#[cfg(feature = "edges")]
pub(crate) fn large_blocks() -> std::sync::MutexGuard<'static, ()> {
    static TURN: std::sync::Mutex<()> = std::sync::Mutex::new(());
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// A folder below `tests/golden`.
#[cfg(feature = "edges")]
pub(crate) fn golden(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// Copies a folder with all that is in it.
#[cfg(feature = "edges")]
pub(crate) fn copy_folder(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Renames one tensor of a weight file of the model in `folder`, demands that it is named as missing, and puts it back.
#[cfg(feature = "edges")]
pub(crate) fn assert_missing_is_named(folder: &std::path::Path, file: &str, tensor: &str) {
    use headroom::hub::{self, Cause};
    use headroom::model::DetectError;
    let path = folder.join(file);
    let bytes = std::fs::read(&path).unwrap();
    let name = tensor.as_bytes();
    let at = bytes.windows(name.len()).position(|part| part == name).unwrap();
    let mut broken = bytes.clone();
    broken[at] = b'x';
    std::fs::write(&path, broken).unwrap();
    let error = hub::open(folder.to_str().unwrap()).unwrap_err();
    let Cause::Detect(DetectError::Missing(missing)) = &error.cause else { panic!("{error}") };
    assert_eq!(missing, &[tensor.to_owned()]);
    std::fs::write(&path, bytes).unwrap();
}

fn component(kind: ComponentKind, fixed: u64, blocks: usize, block: u64) -> Component {
    let unit =
        |bytes: u64| Unit { bytes: Bytes(bytes), largest_tensor: Bytes(bytes / 3), tensors: 12, loras: Bytes::ZERO };
    Component {
        kind,
        precision: Precision::Bf16,
        parameters: u64::midpoint(fixed, blocks as u64 * block),
        fixed: unit(fixed),
        blocks: vec![unit(block); blocks],
    }
}

/// Z-Image-Turbo in bf16 with its Qwen3-4B.
pub(crate) fn z_image_turbo() -> Inventory {
    let mut vae = VaeShape::new(16, &[128, 256, 512, 512]).unwrap();
    vae.scaling_factor = 0.3611;
    vae.shift_factor = 0.1159;
    Inventory {
        name: "z-image-turbo".to_owned(),
        family: Family::ZImageTurbo,
        text_encoders: vec![TextEncoder {
            component: component(ComponentKind::TextEncoder, 777_912_320, 35, 201_856_000),
            shape: TextEncoderShape::Qwen3(Qwen3Shape {
                vocabulary: 151_936,
                hidden: 2560,
                layers: 36,
                heads: 32,
                kv_heads: 8,
                head_dim: 128,
                feed_forward: 9728,
                norm_eps: 1e-6,
                rope_theta: 1e6,
                max_tokens: 512,
            }),
            tokenizer: Bytes::mib(11),
        }],
        denoiser: component(ComponentKind::Denoiser, 24_000_000, 34, 361_000_000),
        denoiser_shape: DenoiserShape::ZImage(ZImageShape {
            channels: 16,
            patch: 2,
            dim: 3840,
            heads: 30,
            layers: 30,
            refiner_layers: 2,
            feed_forward: 10_240,
            caption_dim: 2560,
            modulation_dim: 256,
            norm_eps: 1e-5,
            rope_theta: 256.0,
            rope_axes: [32, 48, 48],
            time_scale: 1000.0,
        }),
        vae: component(ComponentKind::Vae, 99_090_950, 0, 0),
        vae_encoder: Some(component(ComponentKind::Vae, 68_300_000, 0, 0)),
        vae_shape: vae,
        native: PixelSize::new(1024, 1024),
        noise: Noise::Flow(Flow::fixed(3.0)),
    }
}

/// A machine that computes on its processor.
pub(crate) fn laptop(total_gib: u64, available_gib: u64) -> Machine {
    Machine {
        name: format!("{total_gib} GiB laptop"),
        os: Os::Linux,
        ram: Ram { total: Reading::Known(Bytes::gib(total_gib)), available: Reading::Known(Bytes::gib(available_gib)) },
        commit: None,
        cgroup: None,
        disk_free: Reading::Known(Bytes::gib(100)),
        cpu: Cpu { threads: 8, gflops: Some(400.0) },
        gpus: Vec::new(),
        held: Bytes::ZERO,
    }
}

/// The same with a discrete card in front.
pub(crate) fn with_card(mut machine: Machine, total: Bytes, free: Reading, overflow: Overflow) -> Machine {
    machine.gpus.push(Gpu {
        name: "card".to_owned(),
        kind: GpuKind::Discrete,
        total: Reading::Known(total),
        free,
        shared: Reading::Known(Bytes::gib(16)),
        overflow,
        gflops: Some(20_000.0),
    });
    machine
}

pub(crate) fn recipe(model: &Inventory, width: i64, height: i64) -> Recipe {
    let vocabulary = Vocabulary::of(model);
    let draft = Draft { prompt: "a red apple".to_owned(), width, height, ..Draft::new(&vocabulary) };
    draft.parse(&vocabulary).unwrap().0
}
