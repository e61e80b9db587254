//! The denoiser under the ledger: a pass takes what the planner states, at sizes where a mistake would show.

use super::Unet;
use crate::engine::family::Features;
use crate::engine::ops::{self, books};
use crate::engine::weights::Weights;
use crate::job::Unwatched;
use crate::model::noise::{Discrete, Noise};
use crate::model::shapes::{AddedConditions, DenoiserShape, UnetLevel, UnetShape, VaeShape};
use crate::model::{Component, ComponentKind, Family, Inventory, Precision, Unit};
use crate::planner::footprint::unet;
use crate::units::PixelSize;

const THREADS: usize = 3;

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
        vae_encoder: None,
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
        let unet = Unet::load(
            Weights::made_up(Precision::F32),
            shape,
            Discrete::STABLE_DIFFUSION,
            &model,
            false,
            &mut Unwatched,
        )
        .unwrap();
        for (size, tokens) in [((64, 48), 77), ((65, 75), 231)] {
            let context = ops::tensor(vec![0.1; tokens * shape.context], (tokens, shape.context)).unwrap();
            let pooled = shape.added.map(|added| vec![0.1; added.pooled]);
            let ready = unet.prepare(&[Features { tokens: context, pooled }], size, 0).unwrap();
            let n = size.0 * size.1 * shape.channels_in;
            let (taken, said) = books::measure(THREADS, || {
                let input = ops::tensor(vec![0.5; n], (size.1, size.0, shape.channels_in)).unwrap();
                unet.forward(input, 500.0, &ready, &mut Unwatched).unwrap()
            });
            books::equal(&format!("{size:?}"), taken, unet::forward(&shape, size, tokens, THREADS).total());
            assert!(ops::read(&said, |said| said.iter().all(|x| x.is_finite())).unwrap());
            assert_eq!(said.dims(), [size.1, size.0, shape.channels_out]);
        }
    }
}
