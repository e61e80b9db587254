//! Text encoders: CLIP of transformers and of `OpenCLIP`, T5's encoder and Qwen3 of transformers and of llama.cpp.
//!
//! Canonical: the names of the published transformers files.

use super::rule::{Rule, To};

pub(super) const CLIP: &[Rule] = &[
    ("text_model.embeddings.position_ids", To::Nothing),
    ("embeddings.position_ids", To::Nothing),
    ("text_model.*", To::One("text_model.*")),
    ("embeddings.*", To::One("text_model.embeddings.*")),
    ("encoder.*", To::One("text_model.encoder.*")),
    ("final_layer_norm.*", To::One("text_model.final_layer_norm.*")),
    ("text_projection.weight", To::One("text_projection.weight")),
    ("text_projection", To::Transposed("text_projection.weight")),
    ("logit_scale", To::Nothing),
    ("vision_model.*", To::Nothing),
    ("visual_projection.*", To::Nothing),
];

pub(super) const OPEN_CLIP: &[Rule] = &[
    ("positional_embedding", To::One("text_model.embeddings.position_embedding.weight")),
    ("token_embedding.*", To::One("text_model.embeddings.token_embedding.*")),
    ("ln_final.*", To::One("text_model.final_layer_norm.*")),
    ("text_projection.weight", To::One("text_projection.weight")),
    ("text_projection", To::Transposed("text_projection.weight")),
    (
        "transformer.resblocks.{}.attn.in_proj_weight",
        To::Thirds([
            "text_model.encoder.layers.{}.self_attn.q_proj.weight",
            "text_model.encoder.layers.{}.self_attn.k_proj.weight",
            "text_model.encoder.layers.{}.self_attn.v_proj.weight",
        ]),
    ),
    (
        "transformer.resblocks.{}.attn.in_proj_bias",
        To::Thirds([
            "text_model.encoder.layers.{}.self_attn.q_proj.bias",
            "text_model.encoder.layers.{}.self_attn.k_proj.bias",
            "text_model.encoder.layers.{}.self_attn.v_proj.bias",
        ]),
    ),
    ("transformer.resblocks.{}.attn.out_proj.*", To::One("text_model.encoder.layers.{}.self_attn.out_proj.*")),
    ("transformer.resblocks.{}.ln_1.*", To::One("text_model.encoder.layers.{}.layer_norm1.*")),
    ("transformer.resblocks.{}.ln_2.*", To::One("text_model.encoder.layers.{}.layer_norm2.*")),
    ("transformer.resblocks.{}.mlp.c_fc.*", To::One("text_model.encoder.layers.{}.mlp.fc1.*")),
    ("transformer.resblocks.{}.mlp.c_proj.*", To::One("text_model.encoder.layers.{}.mlp.fc2.*")),
    ("logit_scale", To::Nothing),
    ("attn_mask", To::Nothing),
    ("visual.*", To::Nothing),
];

pub(super) const T5: &[Rule] = &[
    ("shared.*", To::One("shared.*")),
    ("encoder.embed_tokens.*", To::Nothing),
    ("encoder.*", To::One("encoder.*")),
    ("decoder.*", To::Nothing),
    ("lm_head.*", To::Nothing),
    ("logit_scale", To::Nothing),
];

/// For files whose only embedding is the encoder's.
pub(super) const T5_WITHOUT_SHARED: &[Rule] = &[
    ("encoder.embed_tokens.*", To::One("shared.*")),
    ("encoder.*", To::One("encoder.*")),
    ("decoder.*", To::Nothing),
    ("lm_head.*", To::Nothing),
    ("logit_scale", To::Nothing),
];

pub(super) const T5_LLAMA_CPP: &[Rule] = &[
    ("token_embd.*", To::One("shared.*")),
    ("enc.output_norm.*", To::One("encoder.final_layer_norm.*")),
    ("enc.blk.{}.attn_rel_b.*", To::One("encoder.block.{}.layer.0.SelfAttention.relative_attention_bias.*")),
    ("enc.blk.{}.attn_norm.*", To::One("encoder.block.{}.layer.0.layer_norm.*")),
    ("enc.blk.{}.attn_q.*", To::One("encoder.block.{}.layer.0.SelfAttention.q.*")),
    ("enc.blk.{}.attn_k.*", To::One("encoder.block.{}.layer.0.SelfAttention.k.*")),
    ("enc.blk.{}.attn_v.*", To::One("encoder.block.{}.layer.0.SelfAttention.v.*")),
    ("enc.blk.{}.attn_o.*", To::One("encoder.block.{}.layer.0.SelfAttention.o.*")),
    ("enc.blk.{}.ffn_norm.*", To::One("encoder.block.{}.layer.1.layer_norm.*")),
    ("enc.blk.{}.ffn_gate.*", To::One("encoder.block.{}.layer.1.DenseReluDense.wi_0.*")),
    ("enc.blk.{}.ffn_up.*", To::One("encoder.block.{}.layer.1.DenseReluDense.wi_1.*")),
    ("enc.blk.{}.ffn_down.*", To::One("encoder.block.{}.layer.1.DenseReluDense.wo.*")),
    ("dec.*", To::Nothing),
    ("output.*", To::Nothing),
];

pub(super) const QWEN3: &[Rule] = &[
    ("model.*", To::One("model.*")),
    ("embed_tokens.*", To::One("model.embed_tokens.*")),
    ("layers.*", To::One("model.layers.*")),
    ("norm.*", To::One("model.norm.*")),
    ("lm_head.*", To::Nothing),
    ("logit_scale", To::Nothing),
];

pub(super) const QWEN3_LLAMA_CPP: &[Rule] = &[
    ("token_embd.*", To::One("model.embed_tokens.*")),
    ("output_norm.*", To::One("model.norm.*")),
    ("blk.{}.attn_norm.*", To::One("model.layers.{}.input_layernorm.*")),
    ("blk.{}.attn_q_norm.*", To::One("model.layers.{}.self_attn.q_norm.*")),
    ("blk.{}.attn_k_norm.*", To::One("model.layers.{}.self_attn.k_norm.*")),
    ("blk.{}.attn_q.*", To::One("model.layers.{}.self_attn.q_proj.*")),
    ("blk.{}.attn_k.*", To::One("model.layers.{}.self_attn.k_proj.*")),
    ("blk.{}.attn_v.*", To::One("model.layers.{}.self_attn.v_proj.*")),
    ("blk.{}.attn_output.*", To::One("model.layers.{}.self_attn.o_proj.*")),
    ("blk.{}.ffn_norm.*", To::One("model.layers.{}.post_attention_layernorm.*")),
    ("blk.{}.ffn_gate.*", To::One("model.layers.{}.mlp.gate_proj.*")),
    ("blk.{}.ffn_up.*", To::One("model.layers.{}.mlp.up_proj.*")),
    ("blk.{}.ffn_down.*", To::One("model.layers.{}.mlp.down_proj.*")),
    ("output.*", To::Nothing),
    ("rope_freqs.*", To::Nothing),
];
