//! The decoder of diffusers' `AutoencoderKL`: latent to picture, whole or in blended tiles.
//!
//! Rows x columns x channels throughout. A residual block adds its second convolution into its input, so two
//! buffers of the widest level are the most that is alive.

use super::ops::{self, Before, Conv, GroupNorm, Heads, Linear, Mask, Resize};
use super::weights::{Progress, Weights};
use crate::job::{Failure, Observer};
use crate::model::Component;
use crate::model::shapes::VaeShape;
use crate::pixels::Pixels;
use crate::planner::footprint::vae::latent_tile;
use crate::units::PixelSize;
use candle_core::Tensor;

pub(crate) struct Decoder {
    shape: VaeShape,
    post_quant: Option<Conv>,
    conv_in: Conv,
    mid: [Residual; 2],
    attention: Option<MidAttention>,
    levels: Vec<Level>,
    norm_out: GroupNorm,
    conv_out: Conv,
}

struct Residual {
    norm1: GroupNorm,
    conv1: Conv,
    norm2: GroupNorm,
    conv2: Conv,
    shortcut: Option<Conv>,
}

struct MidAttention {
    norm: GroupNorm,
    q: Linear,
    k: Linear,
    v: Linear,
    out: Linear,
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
        let mid = [
            block("decoder.mid_block.resnets.0", deepest, deepest)?,
            block("decoder.mid_block.resnets.1", deepest, deepest)?,
        ];
        let attention = if shape.mid_attention {
            let prefix = "decoder.mid_block.attentions.0";
            let linear = |name: &str| weights.linear(&format!("{prefix}.{name}"), deepest, deepest, true);
            Some(MidAttention {
                norm: weights.group_norm(&format!("{prefix}.group_norm"), shape.groups, deepest)?,
                q: linear("to_q")?,
                k: linear("to_k")?,
                v: linear("to_v")?,
                out: linear("to_out.0")?,
            })
        } else {
            None
        };
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
        Ok(Self { shape, post_quant, conv_in, mid, attention, levels, norm_out, conv_out })
    }

    /// Decodes a latent (channels, height, width) in one piece.
    pub(crate) fn whole(
        &self,
        latent: &[f32],
        (width, height): (usize, usize),
        observer: &mut dyn Observer,
    ) -> Result<Pixels, Failure> {
        let rgb = self.run(self.crop(latent, (width, height), (0, 0), (width, height))?, observer)?;
        let factor = self.shape.factor();
        let size = PixelSize::new(width as u32 * factor, height as u32 * factor);
        let bytes = ops::read(&rgb, to_bytes)?;
        Pixels::new(size, bytes)
            .ok_or_else(|| Failure::Crash { what: "a decoded picture of the wrong size".to_owned() })
    }

    /// Decodes overlapping tiles and blends them. Each tile's weight rises over its overlap with the one before and
    /// falls over the next, so that all weights at a pixel sum to one.
    pub(crate) fn tiled(
        &self,
        latent: &[f32],
        (width, height): (usize, usize),
        observer: &mut dyn Observer,
    ) -> Result<Pixels, Failure> {
        let (tile, overlap) = latent_tile(&self.shape);
        let factor = self.shape.factor() as usize;
        let size = PixelSize::new((width * factor) as u32, (height * factor) as u32);
        let mut canvas = vec![0.0_f32; 3 * width * factor * height * factor];
        for (y, rows) in tiles(height, tile, overlap) {
            for (x, columns) in tiles(width, tile, overlap) {
                let part = self.crop(latent, (width, height), (x.from, y.from), (columns, rows))?;
                let rgb = self.run(part, observer)?;
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
        Pixels::new(size, to_bytes(&canvas))
            .ok_or_else(|| Failure::Crash { what: "a decoded picture of the wrong size".to_owned() })
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

    fn run(&self, latent: Tensor, observer: &mut dyn Observer) -> Result<Tensor, Failure> {
        let mut x = latent;
        if let Some(conv) = &self.post_quant {
            x = ops::conv(&x, conv, Before::default())?;
        }
        x = ops::conv(&x, &self.conv_in, Before::default())?;
        x = self.mid[0].forward(x)?;
        if let Some(attention) = &self.attention {
            observer.block()?;
            x = attention.forward(x)?;
        }
        x = self.mid[1].forward(x)?;
        for level in &self.levels {
            for block in &level.blocks {
                observer.block()?;
                x = block.forward(x)?;
            }
            if let Some(conv) = &level.upsample {
                observer.block()?;
                x = ops::conv(&x, conv, Before { norm: None, resize: Resize::Double })?;
            }
        }
        observer.block()?;
        let norm = self.norm_out.affine(&x)?;
        Ok(ops::conv(&x, &self.conv_out, Before { norm: Some(&norm), resize: Resize::Keep })?)
    }
}

impl Residual {
    fn load(weights: &Weights, prefix: &str, groups: usize, from: usize, to: usize) -> Result<Self, Failure> {
        Ok(Self {
            norm1: weights.group_norm(&format!("{prefix}.norm1"), groups, from)?,
            conv1: weights.conv(&format!("{prefix}.conv1"), 3, from, to)?,
            norm2: weights.group_norm(&format!("{prefix}.norm2"), groups, to)?,
            conv2: weights.conv(&format!("{prefix}.conv2"), 3, to, to)?,
            shortcut: if from == to {
                None
            } else {
                Some(weights.conv(&format!("{prefix}.conv_shortcut"), 1, from, to)?)
            },
        })
    }

    fn forward(&self, x: Tensor) -> Result<Tensor, Failure> {
        let norm = self.norm1.affine(&x)?;
        let h = ops::conv(&x, &self.conv1, Before { norm: Some(&norm), resize: Resize::Keep })?;
        let norm = self.norm2.affine(&h)?;
        let out = match &self.shortcut {
            Some(shortcut) => {
                let out = ops::conv(&x, shortcut, Before::default())?;
                drop(x);
                out
            }
            None => x,
        };
        ops::conv_add(&h, &self.conv2, Before { norm: Some(&norm), resize: Resize::Keep }, &out)?;
        Ok(out)
    }
}

impl MidAttention {
    fn forward(&self, x: Tensor) -> Result<Tensor, Failure> {
        let (height, width, channels) = x.dims3().map_err(Failure::from)?;
        let norm = self.norm.affine(&x)?;
        let h = ops::apply_affine(&x, &norm)?;
        let q = ops::linear(&h, &self.q)?;
        let k = ops::linear(&h, &self.k)?;
        let v = ops::linear(&h, &self.v)?;
        drop(h);
        ops::attention(&q, &k, &v, Heads { queries: 1, keys: 1, dim: channels }, Mask::None)?;
        drop((k, v));
        let flat = x.reshape((height * width, channels)).map_err(Failure::from)?;
        ops::linear_add(&q, &self.out, &flat)?;
        Ok(x)
    }
}

/// One stretch of tiles: where it starts, and how far it overlaps its neighbours.
#[derive(Clone, Copy)]
struct Tile {
    from: usize,
    before: usize,
    after: usize,
}

impl Tile {
    /// Weight of a pixel at `at` of `len`, along one direction.
    fn weight(self, at: usize, len: usize, factor: usize) -> f32 {
        let ramp = |inside: usize, overlap: usize| {
            if inside < overlap { (inside as f32 + 0.5) / overlap as f32 } else { 1.0 }
        };
        ramp(at, self.before * factor) * ramp(len - 1 - at, self.after * factor)
    }
}

/// Starts and lengths of tiles that cover `len` with neighbours overlapping; the last one is as long as the others.
fn tiles(len: usize, tile: usize, overlap: usize) -> Vec<(Tile, usize)> {
    if len <= tile {
        return vec![(Tile { from: 0, before: 0, after: 0 }, len)];
    }
    let count = (len - overlap).div_ceil(tile - overlap);
    let starts: Vec<usize> = (0..count).map(|i| i * (len - tile) / (count - 1)).collect();
    let shared = |i: usize| starts[i] + tile - starts[i + 1];
    (0..count)
        .map(|i| {
            let before = if i > 0 { shared(i - 1) } else { 0 };
            let after = if i + 1 < count { shared(i) } else { 0 };
            (Tile { from: starts[i], before, after }, tile)
        })
        .collect()
}

/// -1..1 to 0..255, rounding ties to even as numpy does.
fn to_bytes(rgb: &[f32]) -> Vec<u8> {
    rgb.iter().map(|&x| ((x * 0.5 + 0.5).clamp(0.0, 1.0) * 255.0).round_ties_even() as u8).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_all_tiles_sum_to_one_at_every_pixel() {
        for (len, tile, overlap) in [(10, 16, 4), (16, 16, 4), (17, 16, 4), (64, 16, 4), (129, 32, 8), (65, 64, 16)] {
            let factor = 8;
            let mut sums = vec![0.0_f32; len * factor];
            for (part, n) in tiles(len, tile, overlap) {
                for at in 0..n * factor {
                    sums[part.from * factor + at] += part.weight(at, n * factor, factor);
                }
            }
            assert!(sums.iter().all(|sum| (sum - 1.0).abs() < 1e-5), "{len} {tile} {overlap}: {sums:?}");
        }
    }
}
