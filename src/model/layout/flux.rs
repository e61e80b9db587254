//! FLUX.1 as Black Forest Labs publish it: fused products, and the final layer's shift before its scale.
//!
//! Canonical: diffusers `FluxTransformer2DModel`.

use super::rule::{Rule, To};

pub(super) const ORIGINAL: &[Rule] = &[
    ("img_in.*", To::One("x_embedder.*")),
    ("txt_in.*", To::One("context_embedder.*")),
    ("time_in.in_layer.*", To::One("time_text_embed.timestep_embedder.linear_1.*")),
    ("time_in.out_layer.*", To::One("time_text_embed.timestep_embedder.linear_2.*")),
    ("vector_in.in_layer.*", To::One("time_text_embed.text_embedder.linear_1.*")),
    ("vector_in.out_layer.*", To::One("time_text_embed.text_embedder.linear_2.*")),
    ("guidance_in.in_layer.*", To::One("time_text_embed.guidance_embedder.linear_1.*")),
    ("guidance_in.out_layer.*", To::One("time_text_embed.guidance_embedder.linear_2.*")),
    ("double_blocks.{}.img_mod.lin.*", To::One("transformer_blocks.{}.norm1.linear.*")),
    ("double_blocks.{}.txt_mod.lin.*", To::One("transformer_blocks.{}.norm1_context.linear.*")),
    (
        "double_blocks.{}.img_attn.qkv.*",
        To::Thirds([
            "transformer_blocks.{}.attn.to_q.*",
            "transformer_blocks.{}.attn.to_k.*",
            "transformer_blocks.{}.attn.to_v.*",
        ]),
    ),
    (
        "double_blocks.{}.txt_attn.qkv.*",
        To::Thirds([
            "transformer_blocks.{}.attn.add_q_proj.*",
            "transformer_blocks.{}.attn.add_k_proj.*",
            "transformer_blocks.{}.attn.add_v_proj.*",
        ]),
    ),
    ("double_blocks.{}.img_attn.norm.query_norm.{}", To::One("transformer_blocks.{}.attn.norm_q.weight")),
    ("double_blocks.{}.img_attn.norm.key_norm.{}", To::One("transformer_blocks.{}.attn.norm_k.weight")),
    ("double_blocks.{}.txt_attn.norm.query_norm.{}", To::One("transformer_blocks.{}.attn.norm_added_q.weight")),
    ("double_blocks.{}.txt_attn.norm.key_norm.{}", To::One("transformer_blocks.{}.attn.norm_added_k.weight")),
    ("double_blocks.{}.img_attn.proj.*", To::One("transformer_blocks.{}.attn.to_out.0.*")),
    ("double_blocks.{}.txt_attn.proj.*", To::One("transformer_blocks.{}.attn.to_add_out.*")),
    ("double_blocks.{}.img_mlp.0.*", To::One("transformer_blocks.{}.ff.net.0.proj.*")),
    ("double_blocks.{}.img_mlp.2.*", To::One("transformer_blocks.{}.ff.net.2.*")),
    ("double_blocks.{}.txt_mlp.0.*", To::One("transformer_blocks.{}.ff_context.net.0.proj.*")),
    ("double_blocks.{}.txt_mlp.2.*", To::One("transformer_blocks.{}.ff_context.net.2.*")),
    ("single_blocks.{}.modulation.lin.*", To::One("single_transformer_blocks.{}.norm.linear.*")),
    (
        "single_blocks.{}.linear1.*",
        To::WidthsAndRest([
            "single_transformer_blocks.{}.attn.to_q.*",
            "single_transformer_blocks.{}.attn.to_k.*",
            "single_transformer_blocks.{}.attn.to_v.*",
            "single_transformer_blocks.{}.proj_mlp.*",
        ]),
    ),
    ("single_blocks.{}.linear2.*", To::One("single_transformer_blocks.{}.proj_out.*")),
    ("single_blocks.{}.norm.query_norm.{}", To::One("single_transformer_blocks.{}.attn.norm_q.weight")),
    ("single_blocks.{}.norm.key_norm.{}", To::One("single_transformer_blocks.{}.attn.norm_k.weight")),
    ("final_layer.linear.*", To::One("proj_out.*")),
    ("final_layer.adaLN_modulation.1.*", To::Swapped("norm_out.linear.*")),
];
