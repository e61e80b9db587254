//! The encoder of diffusers' `AutoencoderKL`: picture to latent, whole or in exact bands.

use super::banded;
use super::parts::{Middle, Residual};
use crate::engine::ops::{self, Before, Conv, GroupNorm, Resize};
use crate::engine::weights::{Progress, Weights};
use crate::job::{Failure, Observer};
use crate::model::Component;
use crate::model::shapes::VaeShape;
use crate::pixels::Pixels;
use crate::planner::Decode;

pub(crate) struct Encoder {
    shape: VaeShape,
    conv_in: Conv,
    levels: Vec<Level>,
    middle: Middle,
    norm_out: GroupNorm,
    conv_out: Conv,
    quant: Option<Conv>,
}

struct Level {
    blocks: Vec<Residual>,
    downsample: Option<Conv>,
}

impl Encoder {
    pub(crate) fn load(
        weights: &Weights,
        shape: VaeShape,
        component: &Component,
        observer: &mut dyn Observer,
    ) -> Result<Self, Failure> {
        let mut progress = Progress::new(observer, component.bytes());
        let widths = shape.widths();
        let first = widths.first().copied().unwrap_or_default();
        let conv_in = weights.conv("encoder.conv_in", 3, 3, first)?;
        let mut levels = Vec::with_capacity(widths.len());
        let mut channels = first;
        for (level, &to) in widths.iter().enumerate() {
            let prefix = format!("encoder.down_blocks.{level}");
            let mut blocks = Vec::with_capacity(shape.layers_per_block);
            for index in 0..shape.layers_per_block {
                let name = format!("{prefix}.resnets.{index}");
                blocks.push(Residual::load(weights, &name, shape.groups, channels, to)?);
                channels = to;
            }
            let downsample = if level + 1 < widths.len() {
                Some(weights.conv(&format!("{prefix}.downsamplers.0.conv"), 3, to, to)?)
            } else {
                None
            };
            levels.push(Level { blocks, downsample });
            progress.add(component.bytes().percent(100 / widths.len() as u64))?;
        }
        let middle = Middle::load(weights, "encoder.mid_block", shape, channels)?;
        let norm_out = weights.group_norm("encoder.conv_norm_out", shape.groups, channels)?;
        let both = 2 * shape.latent_channels;
        let conv_out = weights.conv("encoder.conv_out", 3, channels, both)?;
        let quant = if shape.quant_conv { Some(weights.conv("quant_conv", 1, both, both)?) } else { None };
        progress.add(component.bytes())?;
        Ok(Self { shape, conv_in, levels, middle, norm_out, conv_out, quant })
    }

    /// The most likely latent (channels, height, width) of a picture, in the denoiser's scale: the mean of what
    /// `AutoencoderKL.encode` describes, without a random draw. Width and height must be multiples of the factor.
    pub(crate) fn encode(
        &self,
        pixels: &Pixels,
        way: Decode,
        observer: &mut dyn Observer,
    ) -> Result<Vec<f32>, Failure> {
        let size = pixels.size();
        let (width, height) = (size.width as usize, size.height as usize);
        let values = pixels.rgb().iter().map(|&b| f32::from(b) / 127.5 - 1.0).collect();
        let rgb = ops::tensor(values, (height, width, 3))?;
        let mut x = ops::conv(&rgb, &self.conv_in, Before::default())?;
        drop(rgb);
        for level in &self.levels {
            for block in &level.blocks {
                observer.block()?;
                x = if way == Decode::Whole { block.forward(x)? } else { banded::residual(block, x, observer)? };
            }
            if let Some(conv) = &level.downsample {
                observer.block()?;
                x = ops::conv(&x, conv, Before { norm: None, resize: Resize::HalveLate })?;
            }
        }
        x = self.middle.forward(x, observer)?;
        let norm = self.norm_out.affine(&x)?;
        let mut out = ops::conv(&x, &self.conv_out, Before { norm: Some(&norm), resize: Resize::Keep })?;
        drop(x);
        if let Some(conv) = &self.quant {
            out = ops::conv(&out, conv, Before::default())?;
        }
        let (height, width, both) = out.dims3()?;
        let channels = self.shape.latent_channels;
        let (scale, shift) = (self.shape.scaling_factor as f32, self.shape.shift_factor as f32);
        let mut latent = vec![0.0; channels * height * width];
        ops::read(&out, |out| {
            for (position, values) in out.chunks_exact(both).enumerate() {
                for (c, &mean) in values.iter().take(channels).enumerate() {
                    latent[c * height * width + position] = (mean - shift) * scale;
                }
            }
        })?;
        Ok(latent)
    }
}
