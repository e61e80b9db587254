//! The denoiser under the ledger: a pass takes what the planner states, at sizes where a mistake would show.

use super::Unet;
use crate::engine::family::Features;
use crate::engine::ops::{self, books};
use crate::engine::parity::Quiet;
use crate::engine::weights::Weights;
use crate::model::noise::{Discrete, Noise};
use crate::model::shapes::{AddedConditions, DenoiserShape, UnetLevel, UnetPieceKind, UnetShape, VaeShape};
use crate::model::{
    Component, ComponentKind, Family, FileRef, Inventory, Precision, Shard, TensorInfo, TensorTable, Unit,
};
use crate::planner::footprint::unet;
use crate::units::{Bytes, PixelSize};

const THREADS: usize = 3;

/// Names and shapes of all tensors that a shape has.
fn tensors(shape: &UnetShape) -> Vec<(String, Vec<usize>)> {
    let mut all = Vec::new();
    let mut pair = |name: &str, dims: &[usize]| {
        all.push((format!("{name}.weight"), dims.to_vec()));
        all.push((format!("{name}.bias"), vec![dims[0]]));
    };
    let (first, time) = (shape.levels()[0].width, shape.time_width);
    pair("conv_in", &[first, shape.channels_in, 3, 3]);
    pair("time_embedding.linear_1", &[time, first]);
    pair("time_embedding.linear_2", &[time, time]);
    if let Some(added) = shape.added {
        pair("add_embedding.linear_1", &[time, added.width()]);
        pair("add_embedding.linear_2", &[time, time]);
    }
    pair("conv_norm_out", &[first]);
    pair("conv_out", &[shape.channels_out, first, 3, 3]);
    let mut bare = Vec::new();
    for piece in shape.pieces() {
        let prefixes = piece.prefixes();
        let name = |part: &str| format!("{}{part}", prefixes[0]);
        match piece.kind {
            UnetPieceKind::Resnet { from, to, .. } => {
                pair(&name("norm1"), &[from]);
                pair(&name("conv1"), &[to, from, 3, 3]);
                pair(&name("time_emb_proj"), &[to, time]);
                pair(&name("norm2"), &[to]);
                pair(&name("conv2"), &[to, to, 3, 3]);
                if from != to {
                    pair(&name("conv_shortcut"), &[to, from, 1, 1]);
                }
            }
            UnetPieceKind::Enter { width } => {
                pair(prefixes[0].trim_end_matches('.'), &[width]);
                pair(prefixes[1].trim_end_matches('.'), &[width, width]);
            }
            UnetPieceKind::Leave { width } => pair(prefixes[0].trim_end_matches('.'), &[width, width]),
            UnetPieceKind::Downsample { width } | UnetPieceKind::Upsample { width } => {
                pair(prefixes[0].trim_end_matches('.'), &[width, width, 3, 3]);
            }
            UnetPieceKind::Layer { width, .. } => {
                for norm in ["norm1", "norm2", "norm3"] {
                    pair(&name(norm), &[width]);
                }
                for (attention, from) in [("attn1", width), ("attn2", shape.context)] {
                    pair(&name(&format!("{attention}.to_out.0")), &[width, width]);
                    bare.push((name(&format!("{attention}.to_q.weight")), vec![width, width]));
                    bare.push((name(&format!("{attention}.to_k.weight")), vec![width, from]));
                    bare.push((name(&format!("{attention}.to_v.weight")), vec![width, from]));
                }
                pair(&name("ff.net.0.proj"), &[8 * width, width]);
                pair(&name("ff.net.2"), &[width, 4 * width]);
            }
        }
    }
    all.extend(bare);
    all
}

/// The weights of a shape, all of them small numbers.
fn weights(shape: &UnetShape) -> Weights {
    let mut table = TensorTable { tensors: Vec::new(), metadata: Vec::new() };
    let mut offset = 0;
    for (name, dims) in tensors(shape) {
        let bytes = Bytes::f32s(dims.iter().product());
        table.tensors.push(TensorInfo::new(name, Precision::F32, dims, offset, bytes));
        offset += bytes.get();
    }
    let values = (0..offset / 4).flat_map(|i| (((i * 2_654_435_761) % 1999) as f32 / 1e5 - 0.01).to_le_bytes());
    let bytes: &'static [u8] = Box::leak(values.collect::<Vec<u8>>().into_boxed_slice());
    Weights::open(&[Shard { file: FileRef::Embedded { name: "random", bytes }, table }]).unwrap()
}

fn inventory(shape: UnetShape) -> Inventory {
    let component = |kind, blocks| Component {
        kind,
        precision: Precision::F32,
        parameters: 0,
        fixed: Unit::default(),
        blocks: vec![Unit::default(); blocks],
    };
    Inventory {
        name: "random".to_owned(),
        family: Family::StableDiffusionXl,
        text_encoders: Vec::new(),
        denoiser: component(ComponentKind::Denoiser, shape.pieces().len()),
        denoiser_shape: DenoiserShape::Unet(shape),
        vae: component(ComponentKind::Vae, 0),
        vae_shape: VaeShape::new(4, &[8, 8, 8, 8]).unwrap(),
        native: PixelSize::new(512, 512),
        noise: Noise::Discrete(Discrete::STABLE_DIFFUSION),
    }
}

#[test]
fn a_pass_takes_what_is_stated() {
    let _turn = books::TURN.lock();
    let level = |width, depth, heads| UnetLevel { width, depth, heads };
    let plain = UnetShape::new(&[level(32, 1, 4), level(64, 1, 4), level(64, 0, 4)]).unwrap();
    let deep = UnetShape::new(&[level(64, 0, 1), level(96, 1, 3), level(128, 2, 2)]).unwrap();
    let shapes = [
        UnetShape { context: 48, mid_depth: 1, groups: 8, ..plain },
        UnetShape {
            context: 80,
            mid_depth: 2,
            added: Some(AddedConditions { pooled: 40, numbers: 6, number_width: 16 }),
            channels_in: 9,
            ..deep
        },
    ];
    for shape in shapes {
        let model = inventory(shape);
        let unet = Unet::load(weights(&shape), shape, Discrete::STABLE_DIFFUSION, &model, false, &mut Quiet).unwrap();
        for (size, tokens) in [((64, 48), 77), ((65, 75), 231)] {
            let context = ops::tensor(vec![0.1; tokens * shape.context], (tokens, shape.context)).unwrap();
            let pooled = shape.added.map(|added| vec![0.1; added.pooled]);
            let ready = unet.prepare(&[Features { tokens: context, pooled }], size, 0).unwrap();
            let n = size.0 * size.1 * shape.channels_in;
            let (taken, said) = books::measure(THREADS, || {
                let input = ops::tensor(vec![0.5; n], (size.1, size.0, shape.channels_in)).unwrap();
                unet.forward(input, 500.0, &ready, &mut Quiet).unwrap()
            });
            books::equal(&format!("{size:?}"), taken, unet::forward(&shape, size, tokens, THREADS).total());
            assert!(ops::read(&said, |said| said.iter().all(|x| x.is_finite())).unwrap());
            assert_eq!(said.dims(), [size.1, size.0, shape.channels_out]);
        }
    }
}
