//! Stable Diffusion 3 and 3.5 as Stability publish them: fused products, shift before scale where a norm is the last.
//!
//! Canonical: diffusers `SD3Transformer2DModel`.

use super::rule::{Rule, To};

pub(super) const ORIGINAL: &[Rule] = &[
    ("pos_embed", To::Rank("pos_embed.pos_embed", 3)),
    ("x_embedder.proj.*", To::One("pos_embed.proj.*")),
    ("context_embedder.*", To::One("context_embedder.*")),
    ("t_embedder.mlp.0.*", To::One("time_text_embed.timestep_embedder.linear_1.*")),
    ("t_embedder.mlp.2.*", To::One("time_text_embed.timestep_embedder.linear_2.*")),
    ("y_embedder.mlp.0.*", To::One("time_text_embed.text_embedder.linear_1.*")),
    ("y_embedder.mlp.2.*", To::One("time_text_embed.text_embedder.linear_2.*")),
    (
        "joint_blocks.{}.x_block.attn.qkv.*",
        To::Thirds([
            "transformer_blocks.{}.attn.to_q.*",
            "transformer_blocks.{}.attn.to_k.*",
            "transformer_blocks.{}.attn.to_v.*",
        ]),
    ),
    (
        "joint_blocks.{}.context_block.attn.qkv.*",
        To::Thirds([
            "transformer_blocks.{}.attn.add_q_proj.*",
            "transformer_blocks.{}.attn.add_k_proj.*",
            "transformer_blocks.{}.attn.add_v_proj.*",
        ]),
    ),
    (
        "joint_blocks.{}.x_block.attn2.qkv.*",
        To::Thirds([
            "transformer_blocks.{}.attn2.to_q.*",
            "transformer_blocks.{}.attn2.to_k.*",
            "transformer_blocks.{}.attn2.to_v.*",
        ]),
    ),
    ("joint_blocks.{}.x_block.attn.ln_q.*", To::One("transformer_blocks.{}.attn.norm_q.*")),
    ("joint_blocks.{}.x_block.attn.ln_k.*", To::One("transformer_blocks.{}.attn.norm_k.*")),
    ("joint_blocks.{}.context_block.attn.ln_q.*", To::One("transformer_blocks.{}.attn.norm_added_q.*")),
    ("joint_blocks.{}.context_block.attn.ln_k.*", To::One("transformer_blocks.{}.attn.norm_added_k.*")),
    ("joint_blocks.{}.x_block.attn2.ln_q.*", To::One("transformer_blocks.{}.attn2.norm_q.*")),
    ("joint_blocks.{}.x_block.attn2.ln_k.*", To::One("transformer_blocks.{}.attn2.norm_k.*")),
    ("joint_blocks.{}.x_block.attn.proj.*", To::One("transformer_blocks.{}.attn.to_out.0.*")),
    ("joint_blocks.{}.context_block.attn.proj.*", To::One("transformer_blocks.{}.attn.to_add_out.*")),
    ("joint_blocks.{}.x_block.attn2.proj.*", To::One("transformer_blocks.{}.attn2.to_out.0.*")),
    ("joint_blocks.{}.x_block.adaLN_modulation.1.*", To::One("transformer_blocks.{}.norm1.linear.*")),
    (
        "joint_blocks.{}.context_block.adaLN_modulation.1.*",
        To::SwappedInLast("transformer_blocks.{}.norm1_context.linear.*"),
    ),
    ("joint_blocks.{}.x_block.mlp.fc1.*", To::One("transformer_blocks.{}.ff.net.0.proj.*")),
    ("joint_blocks.{}.x_block.mlp.fc2.*", To::One("transformer_blocks.{}.ff.net.2.*")),
    ("joint_blocks.{}.context_block.mlp.fc1.*", To::One("transformer_blocks.{}.ff_context.net.0.proj.*")),
    ("joint_blocks.{}.context_block.mlp.fc2.*", To::One("transformer_blocks.{}.ff_context.net.2.*")),
    ("final_layer.linear.*", To::One("proj_out.*")),
    ("final_layer.adaLN_modulation.1.*", To::Swapped("norm_out.linear.*")),
];
