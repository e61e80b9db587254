//! Operations of each network, two for a multiply and an add.

use super::footprint::{latent_size, ops};
use crate::model::Inventory;
use crate::model::shapes::{
    ClipShape, DenoiserShape, FluxShape, Qwen3Shape, T5Shape, TextEncoderShape, UnetPieceKind, UnetShape, VaeShape,
    ZImageShape,
};
use crate::units::PixelSize;

/// Encoding one prompt.
pub(crate) fn text(shape: &TextEncoderShape, tokens: usize) -> f64 {
    match shape {
        TextEncoderShape::Clip(shape) => clip(shape, tokens),
        TextEncoderShape::Qwen3(shape) => qwen3(shape, tokens),
        TextEncoderShape::T5(shape) => t5(shape),
    }
}

fn clip(shape: &ClipShape, tokens: usize) -> f64 {
    let weights = 4 * shape.hidden * shape.hidden + 2 * shape.hidden * shape.feed_forward;
    let scores = 4 * shape.positions * shape.hidden;
    shape.used_layers() as f64 * tokens as f64 * (2 * weights + scores) as f64
}

fn qwen3(shape: &Qwen3Shape, tokens: usize) -> f64 {
    let q = shape.heads * shape.head_dim;
    let kv = shape.kv_heads * shape.head_dim;
    let weights = shape.hidden * (2 * q + 2 * kv + 3 * shape.feed_forward);
    let t = tokens as f64;
    shape.used_layers() as f64 * (2.0 * t * weights as f64 + 4.0 * t * t * q as f64)
}

fn t5(shape: &T5Shape) -> f64 {
    let weights = 4 * shape.hidden * shape.inner() + 3 * shape.hidden * shape.feed_forward;
    let t = shape.tokens as f64;
    shape.layers as f64 * (2.0 * t * weights as f64 + 4.0 * t * t * shape.inner() as f64)
}

fn flux(shape: &FluxShape, (width, height): (usize, usize), text: usize) -> f64 {
    let t = (text + shape.image_tokens(width, height)) as f64;
    let weights = shape.dim * (4 * shape.dim + 2 * shape.feed_forward);
    let block = 2.0 * t * weights as f64 + 4.0 * t * t * shape.dim as f64;
    (shape.double_blocks + shape.single_blocks) as f64 * block
}

/// One pass over one latent.
pub(crate) fn denoiser(model: &Inventory, size: PixelSize, tokens: &[usize]) -> f64 {
    let (width, height) = latent_size(model.vae_shape.factor(), size);
    match &model.denoiser_shape {
        DenoiserShape::Flux(shape) => flux(shape, (width, height), tokens.get(1).copied().unwrap_or_default()),
        DenoiserShape::Unet(shape) => unet(shape, (width, height), tokens.first().copied().unwrap_or_default()),
        DenoiserShape::ZImage(shape) => {
            let image = shape.image_tokens(width, height);
            let all = image + shape.caption_tokens(tokens.first().copied().unwrap_or_default());
            shape.refiner_layers as f64 * z_image_block(shape, image) + shape.layers as f64 * z_image_block(shape, all)
        }
    }
}

fn z_image_block(shape: &ZImageShape, tokens: usize) -> f64 {
    let t = tokens as f64;
    let weights = shape.dim * (4 * shape.dim + 3 * shape.feed_forward);
    2.0 * t * weights as f64 + 4.0 * t * t * shape.dim as f64
}

/// Decoding one latent.
pub(crate) fn vae(shape: &VaeShape, width: usize, height: usize) -> f64 {
    let widths = shape.widths();
    let mut positions = (width * height) as f64;
    let Some(&deepest) = widths.last() else { return 0.0 };
    let conv = |positions: f64, from: usize, to: usize| 18.0 * positions * (from * to) as f64;
    let mut flops = conv(positions, shape.latent_channels, deepest) + 4.0 * conv(positions, deepest, deepest);
    if shape.mid_attention {
        flops += 8.0 * positions * (deepest * deepest) as f64 + 4.0 * positions * positions * deepest as f64;
    }
    let mut channels = deepest;
    for (level, &to) in widths.iter().rev().enumerate() {
        for _ in 0..=shape.layers_per_block {
            flops += conv(positions, channels, to) + conv(positions, to, to);
            channels = to;
        }
        if level + 1 < widths.len() {
            positions *= 4.0;
            // Of nine kernel positions, four see different inputs after upsampling.
            flops += conv(positions, to, to) * 4.0 / 9.0;
        }
    }
    flops + conv(positions, channels, ops::STRIP)
}

/// Encoding one picture.
pub(crate) fn vae_encoder(shape: &VaeShape, size: PixelSize) -> f64 {
    let widths = shape.widths();
    let mut positions = size.pixels() as f64;
    let conv = |positions: f64, from: usize, to: usize| 18.0 * positions * (from * to) as f64;
    let (Some(&first), Some(&deepest)) = (widths.first(), widths.last()) else { return 0.0 };
    let mut flops = conv(positions, 3, first);
    let mut channels = first;
    for (level, &to) in widths.iter().enumerate() {
        for _ in 0..shape.layers_per_block {
            flops += conv(positions, channels, to) + conv(positions, to, to);
            channels = to;
        }
        if level + 1 < widths.len() {
            positions /= 4.0;
            flops += conv(positions, to, to);
        }
    }
    if shape.mid_attention {
        flops += 8.0 * positions * (deepest * deepest) as f64 + 4.0 * positions * positions * deepest as f64;
    }
    flops + 4.0 * conv(positions, deepest, deepest)
}

fn unet(shape: &UnetShape, mut size: (usize, usize), tokens: usize) -> f64 {
    let first = shape.levels().first().map_or(0, |level| level.width);
    let product = |n: usize, from: usize, to: usize| 2.0 * n as f64 * from as f64 * to as f64;
    let conv = |n: usize, from: usize, to: usize| 9.0 * product(n, from, to);
    let mut flops = conv(size.0 * size.1, shape.channels_in, first);
    let mut sizes = Vec::with_capacity(UnetShape::MAX_LEVELS);
    for piece in shape.pieces() {
        let n = size.0 * size.1;
        flops += match piece.kind {
            UnetPieceKind::Resnet { from, to, .. } => {
                let shortcut = if from == to { 0.0 } else { product(n, from, to) };
                conv(n, from, to) + conv(n, to, to) + shortcut + product(1, shape.time_width, to)
            }
            UnetPieceKind::Enter { width } | UnetPieceKind::Leave { width } => product(n, width, width),
            UnetPieceKind::Layer { width, .. } => {
                // Projections of both attentions and the feed-forward layer, then scores and sums of values.
                18.0 * product(n, width, width)
                    + 2.0 * product(tokens, shape.context, width)
                    + 2.0 * product(n, n + tokens, width)
            }
            UnetPieceKind::Downsample { width } => {
                sizes.push(size);
                size = (size.0.div_ceil(2), size.1.div_ceil(2));
                conv(size.0 * size.1, width, width)
            }
            UnetPieceKind::Upsample { width } => {
                size = sizes.pop().unwrap_or(size);
                conv(size.0 * size.1, width, width)
            }
        };
    }
    flops + conv(size.0 * size.1, first, ops::STRIP)
}
