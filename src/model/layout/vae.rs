//! The image autoencoder of Stable Diffusion, FLUX and Z-Image, as LDM code and older diffusers write it.
//!
//! Canonical: diffusers `AutoencoderKL`. LDM counts the decoder's levels from the picture, diffusers from the latent.

use super::rule::{Rule, To};

pub(super) const ORIGINAL: &[Rule] = &[
    ("encoder.down.{}.block.{}.nin_shortcut.*", To::One("encoder.down_blocks.{}.resnets.{}.conv_shortcut.*")),
    ("encoder.down.{}.block.{}.*", To::One("encoder.down_blocks.{}.resnets.{}.*")),
    ("encoder.down.{}.downsample.conv.*", To::One("encoder.down_blocks.{}.downsamplers.0.conv.*")),
    ("decoder.up.{}.block.{}.nin_shortcut.*", To::One("decoder.up_blocks.{-}.resnets.{}.conv_shortcut.*")),
    ("decoder.up.{}.block.{}.*", To::One("decoder.up_blocks.{-}.resnets.{}.*")),
    ("decoder.up.{}.upsample.conv.*", To::One("decoder.up_blocks.{-}.upsamplers.0.conv.*")),
    ("{}.mid.block_1.*", To::One("{}.mid_block.resnets.0.*")),
    ("{}.mid.block_2.*", To::One("{}.mid_block.resnets.1.*")),
    ("{}.mid.attn_1.norm.*", To::One("{}.mid_block.attentions.0.group_norm.*")),
    ("{}.mid.attn_1.q.*", To::Matrix("{}.mid_block.attentions.0.to_q.*")),
    ("{}.mid.attn_1.k.*", To::Matrix("{}.mid_block.attentions.0.to_k.*")),
    ("{}.mid.attn_1.v.*", To::Matrix("{}.mid_block.attentions.0.to_v.*")),
    ("{}.mid.attn_1.proj_out.*", To::Matrix("{}.mid_block.attentions.0.to_out.0.*")),
    ("{}.norm_out.*", To::One("{}.conv_norm_out.*")),
    ("loss.*", To::Nothing),
    ("*", To::One("*")),
];

/// Names of the attention before diffusers 0.15, as the published folders of Stable Diffusion still have them.
pub(super) const DIFFUSERS: &[Rule] = &[
    ("{}.mid_block.attentions.0.query.*", To::Matrix("{}.mid_block.attentions.0.to_q.*")),
    ("{}.mid_block.attentions.0.key.*", To::Matrix("{}.mid_block.attentions.0.to_k.*")),
    ("{}.mid_block.attentions.0.value.*", To::Matrix("{}.mid_block.attentions.0.to_v.*")),
    ("{}.mid_block.attentions.0.proj_attn.*", To::Matrix("{}.mid_block.attentions.0.to_out.0.*")),
    ("*", To::One("*")),
];
