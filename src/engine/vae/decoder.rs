//! The decoder of diffusers' `AutoencoderKL`: latent to picture, whole, in exact bands or in blended tiles.
//!
//! A residual block adds its second convolution into its input, so two buffers of the widest level are the most that
//! is alive; decoded by bands, one such buffer and the one before it.

use super::banded;
use super::parts::{Middle, Residual};
use super::tiles::tiles;
use crate::engine::ops::{self, Before, Conv, GroupNorm, Resize};
use crate::engine::weights::{Progress, Weights};
use crate::job::{Failure, Observer};
use crate::ledger::{Pool, in_pool};
use crate::model::Component;
use crate::model::shapes::VaeShape;
use crate::pixels::Pixels;
use crate::planner::Decode;
use crate::planner::footprint::vae::latent_tile;
use crate::units::PixelSize;
use candle_core::Tensor;

pub(crate) struct Decoder {
    shape: VaeShape,
    post_quant: Option<Conv>,
    conv_in: Conv,
    middle: Middle,
    levels: Vec<Level>,
    norm_out: GroupNorm,
    conv_out: Conv,
}

struct Level {
    blocks: Vec<Residual>,
    upsample: Option<Conv>,
}

impl Decoder {
    pub(crate) fn load(
        weights: &Weights,
        shape: VaeShape,
        component: &Component,
        observer: &mut dyn Observer,
    ) -> Result<Self, Failure> {
        let mut progress = Progress::new(observer, component.bytes());
        let widths = shape.widths();
        let deepest = widths.last().copied().unwrap_or_default();
        let latent = shape.latent_channels;
        let block = |prefix: &str, from, to| Residual::load(weights, prefix, shape.groups, from, to);
        let post_quant =
            if shape.post_quant_conv { Some(weights.conv("post_quant_conv", 1, latent, latent)?) } else { None };
        let conv_in = weights.conv("decoder.conv_in", 3, latent, deepest)?;
        let middle = Middle::load(weights, "decoder.mid_block", shape, deepest)?;
        let mut levels = Vec::with_capacity(widths.len());
        let mut channels = deepest;
        for (level, &to) in widths.iter().rev().enumerate() {
            let mut blocks = Vec::with_capacity(shape.layers_per_block + 1);
            for index in 0..=shape.layers_per_block {
                blocks.push(block(&format!("decoder.up_blocks.{level}.resnets.{index}"), channels, to)?);
                channels = to;
            }
            let upsample = if level + 1 < widths.len() {
                Some(weights.conv(&format!("decoder.up_blocks.{level}.upsamplers.0.conv"), 3, to, to)?)
            } else {
                None
            };
            levels.push(Level { blocks, upsample });
            progress.add(component.bytes().percent(100 / widths.len() as u64))?;
        }
        let norm_out = weights.group_norm("decoder.conv_norm_out", shape.groups, channels)?;
        let conv_out = weights.conv("decoder.conv_out", 3, channels, 3)?;
        progress.add(component.bytes())?;
        Ok(Self { shape, post_quant, conv_in, middle, levels, norm_out, conv_out })
    }

    /// Decodes a latent (channels, height, width).
    pub(crate) fn decode(
        &self,
        latent: &[f32],
        (width, height): (usize, usize),
        way: Decode,
        observer: &mut dyn Observer,
    ) -> Result<Pixels, Failure> {
        let factor = self.shape.factor() as usize;
        let bytes = if way == Decode::Tiled {
            let rgb = self.tiled(latent, (width, height), observer)?;
            in_pool(Pool::Host, || to_bytes(&rgb))
        } else {
            let latent = self.crop(latent, (width, height), (0, 0), (width, height))?;
            let rgb = self.run(latent, way == Decode::Banded, observer)?;
            ops::read(&rgb, |rgb| in_pool(Pool::Host, || to_bytes(rgb)))?
        };
        let size = PixelSize::new((width * factor) as u32, (height * factor) as u32);
        Pixels::new(size, bytes)
            .ok_or_else(|| Failure::Crash { what: "a decoded picture of the wrong size".to_owned() })
    }

    /// Decodes overlapping tiles and blends them. Each tile's weight rises over its overlap with the one before and
    /// falls over the next, so that all weights at a pixel sum to one.
    fn tiled(
        &self,
        latent: &[f32],
        (width, height): (usize, usize),
        observer: &mut dyn Observer,
    ) -> Result<Vec<f32>, Failure> {
        let (tile, overlap) = latent_tile(&self.shape);
        let factor = self.shape.factor() as usize;
        let mut canvas = vec![0.0_f32; 3 * width * factor * height * factor];
        for (y, rows) in tiles(height, tile, overlap) {
            for (x, columns) in tiles(width, tile, overlap) {
                let part = self.crop(latent, (width, height), (x.from, y.from), (columns, rows))?;
                let rgb = self.run(part, false, observer)?;
                ops::read(&rgb, |rgb| {
                    for row in 0..rows * factor {
                        let at = (y.from * factor + row) * width * factor + x.from * factor;
                        let wy = y.weight(row, rows * factor, factor);
                        for column in 0..columns * factor {
                            let weight = wy * x.weight(column, columns * factor, factor);
                            for c in 0..3 {
                                canvas[(at + column) * 3 + c] +=
                                    weight * rgb[(row * columns * factor + column) * 3 + c];
                            }
                        }
                    }
                })?;
            }
        }
        Ok(canvas)
    }

    /// A part of the latent as rows x columns x channels, in the decoder's scale.
    fn crop(
        &self,
        latent: &[f32],
        (width, height): (usize, usize),
        (x0, y0): (usize, usize),
        (columns, rows): (usize, usize),
    ) -> Result<Tensor, Failure> {
        let channels = self.shape.latent_channels;
        let (scale, shift) = (self.shape.scaling_factor as f32, self.shape.shift_factor as f32);
        let mut out = vec![0.0; rows * columns * channels];
        for (position, out) in out.chunks_exact_mut(channels).enumerate() {
            let (y, x) = (y0 + position / columns, x0 + position % columns);
            for (c, out) in out.iter_mut().enumerate() {
                *out = latent[(c * height + y) * width + x] / scale + shift;
            }
        }
        Ok(ops::tensor(out, (rows, columns, channels))?)
    }

    fn run(&self, latent: Tensor, by_bands: bool, observer: &mut dyn Observer) -> Result<Tensor, Failure> {
        let mut x = latent;
        if let Some(conv) = &self.post_quant {
            x = ops::conv(&x, conv, Before::default())?;
        }
        x = ops::conv(&x, &self.conv_in, Before::default())?;
        x = self.middle.forward(x, observer)?;
        let mut upsample: Option<&Conv> = None;
        for level in &self.levels {
            for (index, block) in level.blocks.iter().enumerate() {
                let before = upsample.filter(|_| index == 0);
                x = match (by_bands, before) {
                    (true, Some(conv)) => banded::doubled(block, conv, &x, observer)?,
                    (true, None) => banded::residual(block, x, observer)?,
                    (false, before) => {
                        if let Some(conv) = before {
                            observer.block()?;
                            x = ops::conv(&x, conv, Before { norm: None, resize: Resize::Double })?;
                        }
                        observer.block()?;
                        block.forward(x)?
                    }
                };
            }
            upsample = level.upsample.as_ref();
        }
        observer.block()?;
        let norm = self.norm_out.affine(&x)?;
        Ok(ops::conv(&x, &self.conv_out, Before { norm: Some(&norm), resize: Resize::Keep })?)
    }
}

/// -1..1 to 0..255, rounding ties to even as numpy does.
fn to_bytes(rgb: &[f32]) -> Vec<u8> {
    rgb.iter().map(|&x| ((x * 0.5 + 0.5).clamp(0.0, 1.0) * 255.0).round_ties_even() as u8).collect()
}
