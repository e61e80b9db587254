//! What a network needs and a file does not have.

use super::network::Network;
use crate::model::header::TensorTable;
use std::collections::BTreeMap;

/// Modules outside the blocks that no file of the network may lack.
const fn fixed(network: Network) -> &'static [&'static str] {
    match network {
        Network::ZImage => &[
            "all_x_embedder.2-1.weight",
            "all_x_embedder.2-1.bias",
            "all_final_layer.2-1.linear.weight",
            "all_final_layer.2-1.linear.bias",
            "all_final_layer.2-1.adaLN_modulation.1.weight",
            "all_final_layer.2-1.adaLN_modulation.1.bias",
            "cap_embedder.0.weight",
            "cap_embedder.1.weight",
            "cap_embedder.1.bias",
            "t_embedder.mlp.0.weight",
            "t_embedder.mlp.0.bias",
            "t_embedder.mlp.2.weight",
            "t_embedder.mlp.2.bias",
            "x_pad_token",
            "cap_pad_token",
        ],
        Network::Flux => &[
            "x_embedder.weight",
            "x_embedder.bias",
            "context_embedder.weight",
            "context_embedder.bias",
            "time_text_embed.timestep_embedder.linear_1.weight",
            "time_text_embed.timestep_embedder.linear_1.bias",
            "time_text_embed.timestep_embedder.linear_2.weight",
            "time_text_embed.timestep_embedder.linear_2.bias",
            "time_text_embed.text_embedder.linear_1.weight",
            "time_text_embed.text_embedder.linear_1.bias",
            "time_text_embed.text_embedder.linear_2.weight",
            "time_text_embed.text_embedder.linear_2.bias",
            "norm_out.linear.weight",
            "norm_out.linear.bias",
            "proj_out.weight",
            "proj_out.bias",
        ],
        Network::Sd3 => &[
            "pos_embed.pos_embed",
            "pos_embed.proj.weight",
            "pos_embed.proj.bias",
            "context_embedder.weight",
            "context_embedder.bias",
            "time_text_embed.timestep_embedder.linear_1.weight",
            "time_text_embed.timestep_embedder.linear_1.bias",
            "time_text_embed.timestep_embedder.linear_2.weight",
            "time_text_embed.timestep_embedder.linear_2.bias",
            "time_text_embed.text_embedder.linear_1.weight",
            "time_text_embed.text_embedder.linear_1.bias",
            "time_text_embed.text_embedder.linear_2.weight",
            "time_text_embed.text_embedder.linear_2.bias",
            "norm_out.linear.weight",
            "norm_out.linear.bias",
            "proj_out.weight",
            "proj_out.bias",
        ],
        Network::Unet => &[
            "conv_in.weight",
            "conv_in.bias",
            "time_embedding.linear_1.weight",
            "time_embedding.linear_1.bias",
            "time_embedding.linear_2.weight",
            "time_embedding.linear_2.bias",
            "conv_norm_out.weight",
            "conv_norm_out.bias",
            "conv_out.weight",
            "conv_out.bias",
        ],
        Network::Clip => &[
            "text_model.embeddings.token_embedding.weight",
            "text_model.embeddings.position_embedding.weight",
            "text_model.final_layer_norm.weight",
            "text_model.final_layer_norm.bias",
        ],
        Network::T5 => &[
            "shared.weight",
            "encoder.final_layer_norm.weight",
            "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
        ],
        Network::Qwen3 => &["model.embed_tokens.weight"],
        Network::Vae => &[
            "decoder.conv_in.weight",
            "decoder.conv_in.bias",
            "decoder.conv_norm_out.weight",
            "decoder.conv_norm_out.bias",
            "decoder.conv_out.weight",
            "decoder.conv_out.bias",
        ],
        Network::ControlNet | Network::Foreign(_) => &[],
    }
}

/// Repeated blocks, which all have the same tensors; braces stand for numbers.
const fn blocks(network: Network) -> &'static [&'static str] {
    match network {
        Network::ZImage => &["layers.{}.", "noise_refiner.{}.", "context_refiner.{}."],
        Network::Flux => &["transformer_blocks.{}.", "single_transformer_blocks.{}."],
        Network::Sd3 => &["transformer_blocks.{}."],
        Network::Unet => &[
            "down_blocks.{}.resnets.{}.",
            "down_blocks.{}.attentions.{}.transformer_blocks.{}.",
            "mid_block.resnets.{}.",
            "up_blocks.{}.resnets.{}.",
            "up_blocks.{}.attentions.{}.transformer_blocks.{}.",
        ],
        Network::Clip => &["text_model.encoder.layers.{}."],
        Network::T5 => &["encoder.block.{}."],
        Network::Qwen3 => &["model.layers.{}."],
        Network::Vae => &["decoder.up_blocks.{}.resnets.{}.", "decoder.mid_block.resnets.{}."],
        Network::ControlNet | Network::Foreign(_) => &[],
    }
}

/// Tensors that only some blocks have, as their place or the model's variant wants it.
const SOMETIMES: [&str; 6] =
    ["conv_shortcut.", "relative_attention_bias.", "attn2.to_", "attn2.norm_", "to_add_out.", "ff_context."];

/// Splits a name behind a pattern's last dot: the block and the tensor in it.
fn split<'a>(pattern: &str, name: &'a str) -> Option<(&'a str, &'a str)> {
    let mut at = 0;
    for literal in pattern.split("{}") {
        let rest = name.get(at..)?;
        if at > 0 {
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            if digits == 0 {
                return None;
            }
            at += digits;
        }
        name.get(at..)?.strip_prefix(literal)?;
        at += literal.len();
    }
    Some(name.split_at(at))
}

pub(super) fn missing(network: Network, table: &TensorTable) -> Vec<String> {
    let has = |name: &str| table.get(name).is_some();
    let mut missing: Vec<String> =
        fixed(network).iter().filter(|name| !has(name)).map(|name| (*name).to_owned()).collect();
    for pattern in blocks(network) {
        missing.extend(missing_in_blocks(network, pattern, table));
    }
    missing
}

fn missing_in_blocks(network: Network, pattern: &str, table: &TensorTable) -> Vec<String> {
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut all: Vec<&str> = Vec::new();
    for tensor in &table.tensors {
        let Some((block, inner)) = split(pattern, &tensor.name) else { continue };
        found.entry(block).or_default().push(inner);
        let attention_of_unet = network == Network::Unet && inner.starts_with("attn2.");
        let always = attention_of_unet || !SOMETIMES.iter().any(|part| inner.contains(part));
        if always && !all.contains(&inner) {
            all.push(inner);
        }
    }
    all.sort_unstable();
    let mut missing = Vec::new();
    for (block, inner) in &found {
        missing.extend(all.iter().filter(|name| !inner.contains(name)).map(|name| format!("{block}{name}")));
    }
    // Whole blocks: numbers go up without a gap.
    if let Some((prefix, "")) = pattern.split_once("{}.") {
        let numbers: Vec<usize> = found
            .keys()
            .filter_map(|block| block.strip_prefix(prefix)?.strip_suffix('.')?.parse().ok())
            .filter(|&number| number < 1024)
            .collect();
        let end = numbers.iter().max().map_or(0, |last| last + 1);
        missing.extend((0..end).filter(|number| !numbers.contains(number)).map(|number| format!("{prefix}{number}.*")));
    }
    missing
}
