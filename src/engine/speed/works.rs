//! The works that are measured: single ops at the sizes of well-known networks, decoders, and single steps.

use crate::engine::family::{Denoiser, Features};
use crate::engine::ops::{self, Before, Conv, Heads, Linear, Mask, Weight, noise};
use crate::engine::stable_diffusion::Unet;
use crate::engine::vae::Decoder;
use crate::engine::weights::Weights;
use crate::engine::z_image::Transformer;
use crate::job::{Failure, Unwatched};
use crate::model::noise::{Discrete, Noise};
use crate::model::shapes::{DenoiserShape, UnetLevel, UnetShape, VaeShape, ZImageShape};
use crate::model::{Component, ComponentKind, Family, Inventory, Precision, Unit};
use crate::planner::footprint::{denoiser, ops as stated, vae};
use crate::planner::{Decode, flops};
use crate::units::{Bytes, PixelSize};

/// One work that can be made ready.
pub(super) struct Work {
    pub name: &'static str,
    pub kind: &'static str,
    /// A whole network, which takes gigabytes and minutes.
    pub network: bool,
    /// For so many threads.
    pub prepare: Box<dyn Fn(usize) -> Result<Ready, Failure> + Send + Sync>,
}

/// A work with its weights and inputs.
pub(super) struct Ready {
    pub gflop: f64,
    /// Beyond weights and inputs.
    pub stated: Bytes,
    pub run: Box<dyn Fn() -> Result<(), Failure> + Send + Sync>,
}

pub(super) fn all() -> Vec<Work> {
    let mut all = Vec::new();
    for precision in [Precision::F32, Precision::Bf16, Precision::Q8_0, Precision::Q4K, Precision::Q4_0] {
        for (name, rows, k, n) in [
            ("product 4096x320x320", 4096, 320, 320),
            ("product 4096x1280x1280", 4096, 1280, 1280),
            ("product 1024x3840x10240", 1024, 3840, 10240),
        ] {
            all.push(op(name, precision.name(), move |_| product(rows, k, n, precision)));
        }
    }
    for (name, channels, side) in [
        ("convolution 3x3 320->320 at 64x64", 320, 64),
        ("convolution 3x3 512->512 at 64x64", 512, 64),
        ("convolution 3x3 128->128 at 512x512", 128, 512),
    ] {
        all.push(op(name, "f16", move |threads| convolution(channels, side, threads)));
    }
    for (name, heads, tokens, dim) in [
        ("attention 8 heads x 4096 x 40", 8, 4096, 40),
        ("attention 8 heads x 1024 x 80", 8, 1024, 80),
        ("attention 30 heads x 4096 x 128", 30, 4096, 128),
    ] {
        all.push(op(name, "f32", move |threads| attention(heads, tokens, dim, threads)));
    }
    for (name, side) in [("decode of a 64x64 latent", 64), ("decode of a 128x128 latent", 128)] {
        for way in [Decode::Whole, Decode::Banded] {
            all.push(op(name, way.name(), move |threads| decode(side, way, threads)));
        }
    }
    all.push(Work { network: true, ..op("step of the SD 1.5 U-Net at 512x512", "f16", unet_step) });
    all.push(Work { network: true, ..op("step of Z-Image at 512x512", "Q4_K", z_image_step) });
    all
}

fn op(
    name: &'static str,
    kind: &'static str,
    prepare: impl Fn(usize) -> Result<Ready, Failure> + Send + Sync + 'static,
) -> Work {
    Work { name, kind, network: false, prepare: Box::new(prepare) }
}

fn values(n: usize) -> Vec<f32> {
    (0..n).map(|i| ((i * 2_654_435_761) % 1999) as f32 / 1000.0 - 1.0).collect()
}

fn weight(rows: usize, columns: usize, precision: Precision) -> Result<Weight, Failure> {
    let bytes = noise(precision, rows * columns);
    Weight::new(precision, rows, columns, bytes)
        .ok_or_else(|| Failure::Crash { what: format!("no weights of {rows} x {columns} as {}", precision.name()) })
}

fn product(rows: usize, k: usize, n: usize, precision: Precision) -> Result<Ready, Failure> {
    let layer = Linear { weight: weight(n, k, precision)?, bias: Some(values(n)) };
    let x = ops::tensor(values(rows * k), (rows, k))?;
    Ok(Ready {
        gflop: 2e-9 * (rows * k * n) as f64,
        stated: Bytes::f32s(rows * n) + stated::linear(k, n),
        run: Box::new(move || Ok(ops::linear(&x, &layer).map(drop)?)),
    })
}

fn convolution(channels: usize, side: usize, threads: usize) -> Result<Ready, Failure> {
    let weight = weight(channels, 9 * channels, Precision::F16)?;
    let layer = Conv { weight, bias: values(channels), side: 3, channels_in: channels };
    let x = ops::tensor(values(side * side * channels), (side, side, channels))?;
    Ok(Ready {
        gflop: 18e-9 * (side * side * channels * channels) as f64,
        stated: Bytes::f32s(side * side * channels) + stated::conv(3, channels, channels, threads),
        run: Box::new(move || Ok(ops::conv(&x, &layer, Before::default()).map(drop)?)),
    })
}

fn attention(heads: usize, tokens: usize, dim: usize, threads: usize) -> Result<Ready, Failure> {
    let input = || ops::tensor(values(tokens * heads * dim), (tokens, heads * dim));
    let (q, k, v) = (input()?, input()?, input()?);
    let heads = Heads { queries: heads, keys: heads, dim };
    Ok(Ready {
        gflop: 4e-9 * (heads.queries * tokens * tokens * dim) as f64,
        stated: stated::attention(heads.keys, tokens, dim, threads),
        run: Box::new(move || Ok(ops::attention(&q, &k, &v, heads, Mask::None)?)),
    })
}

fn component(kind: ComponentKind, blocks: usize) -> Component {
    Component {
        kind,
        precision: Precision::F16,
        parameters: 0,
        fixed: Unit::default(),
        blocks: vec![Unit::default(); blocks],
    }
}

/// The autoencoder of Stable Diffusion 1.
fn stable_diffusion_vae() -> Result<VaeShape, Failure> {
    let shape = VaeShape::new(4, &[128, 256, 512, 512]);
    shape.ok_or_else(|| Failure::Crash { what: "no autoencoder".to_owned() })
}

fn decode(side: usize, way: Decode, threads: usize) -> Result<Ready, Failure> {
    let shape = stable_diffusion_vae()?;
    let part = component(ComponentKind::Vae, 0);
    let decoder = Decoder::load(&Weights::made_up(Precision::F16), shape, &part, &mut Unwatched)?;
    let latent = values(4 * side * side);
    let pixels = PixelSize::new((8 * side) as u32, (8 * side) as u32);
    Ok(Ready {
        gflop: flops::vae(&shape, side, side) / 1e9,
        stated: vae::decode(&shape, pixels, way, threads).total(),
        run: Box::new(move || decoder.decode(&latent, (side, side), way, &mut Unwatched).map(drop)),
    })
}

/// One pass over a latent of 64 x 64 with a caption of `tokens`.
fn step(
    network: impl Denoiser + Sync + 'static,
    model: &Inventory,
    (tokens, width): (usize, usize),
    threads: usize,
) -> Result<Ready, Failure> {
    let caption = Features { tokens: ops::tensor(values(tokens * width), (tokens, width))?, pooled: None };
    let captions = [vec![caption]];
    let latent = values(model.denoiser_shape.latent_channels() * 64 * 64);
    Ok(Ready {
        gflop: flops::denoiser(model, PixelSize::new(512, 512), &[tokens]) / 1e9,
        stated: denoiser::passes(model, (64, 64), &[tokens], 1, 1, threads).total(),
        run: Box::new(move || {
            let pass = network.begin(&captions, (64, 64), &mut Unwatched)?;
            pass.direction(0, &latent, 0.9, &mut Unwatched).map(drop)
        }),
    })
}

fn inventory(denoiser: DenoiserShape, blocks: usize, family: Family, noise: Noise) -> Result<Inventory, Failure> {
    Ok(Inventory {
        name: "made up".to_owned(),
        family,
        text_encoders: Vec::new(),
        denoiser: component(ComponentKind::Denoiser, blocks),
        denoiser_shape: denoiser,
        vae: component(ComponentKind::Vae, 0),
        vae_encoder: None,
        vae_shape: stable_diffusion_vae()?,
        native: PixelSize::new(512, 512),
        noise,
    })
}

fn unet_step(threads: usize) -> Result<Ready, Failure> {
    let level = |width, depth| UnetLevel { width, depth, heads: 8 };
    let shape = UnetShape::new(&[level(320, 1), level(640, 1), level(1280, 1), level(1280, 0)]);
    let shape = shape.ok_or_else(|| Failure::Crash { what: "no U-Net".to_owned() })?;
    let discrete = Discrete::STABLE_DIFFUSION;
    let blocks = shape.pieces().len();
    let model = inventory(DenoiserShape::Unet(shape), blocks, Family::StableDiffusion1, Noise::Discrete(discrete))?;
    let unet = Unet::load(Weights::made_up(Precision::F16), shape, discrete, &model, false, &mut Unwatched)?;
    step(unet, &model, (77, shape.context), threads)
}

/// Z-Image Turbo, 6.15 billion parameters.
fn z_image_step(threads: usize) -> Result<Ready, Failure> {
    const TOKENS: usize = 32;
    let shape = ZImageShape {
        channels: 16,
        patch: 2,
        dim: 3840,
        heads: 30,
        layers: 30,
        refiner_layers: 2,
        feed_forward: 10240,
        caption_dim: 2560,
        modulation_dim: 256,
        norm_eps: 1e-5,
        rope_theta: 256.0,
        rope_axes: [32, 48, 48],
        time_scale: 1000.0,
    };
    let blocks = shape.layers + 2 * shape.refiner_layers;
    let noise = Noise::Flow(crate::model::noise::Flow::fixed(3.0));
    let model = inventory(DenoiserShape::ZImage(shape), blocks, Family::ZImage, noise)?;
    let weights = Weights::made_up(Precision::Q4K);
    let network = Transformer::load(weights, shape, &model.denoiser, false, &mut Unwatched)?;
    step(network, &model, (TOKENS, shape.caption_dim), threads)
}
