//! Which network a group of tensors is, told from a few names that only it has.

use super::rule::{Numbers, Rule, To};
use super::{flux, sd3, text, unet, vae, z_image};
use crate::model::header::TensorTable;

/// A network whose names are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Network {
    ZImage,
    Flux,
    Sd3,
    /// Stable Diffusion 1, 2 and XL.
    Unet,
    /// CLIP's text encoder, of `OpenAI` or of `OpenCLIP`; its width tells which.
    Clip,
    T5,
    Qwen3,
    Vae,
    /// A network that steers a denoiser.
    ControlNet,
    /// One that is known by name and nothing more.
    Foreign(&'static str),
}

/// Whose names the tensors have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Naming {
    /// diffusers and transformers.
    Diffusers,
    /// The code that the model was published with: LDM, BFL, Stability.
    Original,
    OpenClip,
    LlamaCpp,
}

impl Naming {
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Diffusers => "diffusers",
            Self::Original => "original",
            Self::OpenClip => "open_clip",
            Self::LlamaCpp => "llama.cpp",
        }
    }
}

/// A network, recognised by tensors whose names start like all of these.
type Signature = (&'static [&'static str], Network, Naming);

/// In order: what would be mistaken for another comes before it.
const SIGNATURES: &[Signature] = {
    use Naming::{Diffusers, LlamaCpp, OpenClip, Original};
    use Network::{Clip, ControlNet, Flux, Foreign, Qwen3, Sd3, T5, Unet, Vae, ZImage};
    &[
        (&["control_layers."], ControlNet, Diffusers),
        (&["input_hint_block."], ControlNet, Original),
        (&["controlnet_cond_embedding."], ControlNet, Diffusers),
        (&["controlnet_down_blocks."], ControlNet, Diffusers),
        (&["controlnet_blocks."], ControlNet, Diffusers),
        (&["controlnet_x_embedder."], ControlNet, Diffusers),
        (&["distilled_guidance_layer."], Foreign("a Chroma denoiser"), Original),
        (&["double_stream_modulation_img."], Foreign("a FLUX.2 denoiser"), Original),
        (&["single_stream_modulation."], Foreign("a FLUX.2 denoiser"), Original),
        (&["txt_in.individual_token_refiner."], Foreign("a HunyuanVideo denoiser"), Original),
        (&["transformer_blocks.0.attn.add_q_proj.", "txt_norm."], Foreign("a Qwen-Image denoiser"), Diffusers),
        (&["head.modulation", "blocks.0.cross_attn."], Foreign("a Wan denoiser"), Original),
        (&["double_layers.0.attn.w1q."], Foreign("an AuraFlow denoiser"), Original),
        (&["double_stream_blocks.0.block."], Foreign("a HiDream denoiser"), Original),
        (&["patchify_proj."], Foreign("an LTX-Video denoiser"), Original),
        (&["adaln_single."], Foreign("a PixArt or Sana denoiser"), Diffusers),
        (&["clip_txt_mapper."], Foreign("a Stable Cascade denoiser"), Original),
        (&["down_blocks.1.0.channelwise."], Foreign("a Stable Cascade decoder"), Original),
        (&["cap_embedder.0.", "layers.0.adaLN_modulation.1."], Foreign("a Lumina 2 denoiser"), Original),
        (&["decoder.middle.0.residual.0.gamma"], Foreign("a Wan or Qwen-Image VAE"), Original),
        (&["decoder.up_blocks.0.resnets.0.conv1.conv."], Foreign("a video VAE"), Diffusers),
        (&["double_blocks.0.img_attn.", "single_blocks.0.linear1."], Flux, Original),
        (&["transformer_blocks.0.attn.add_q_proj.", "single_transformer_blocks.0."], Flux, Diffusers),
        (&["joint_blocks.0.x_block."], Sd3, Original),
        (&["transformer_blocks.0.attn.add_q_proj.", "pos_embed.proj."], Sd3, Diffusers),
        (&["cap_embedder.0.", "layers.0.adaLN_modulation.0.", "layers.0.attention.qkv."], ZImage, Original),
        (&["cap_embedder.0.", "layers.0.adaLN_modulation.0.", "layers.0.attention.to_q."], ZImage, Diffusers),
        (&["input_blocks.", "middle_block."], Unet, Original),
        (&["down_blocks.0.resnets.0.", "time_embedding.linear_1."], Unet, Diffusers),
        (&["decoder.mid.block_1."], Vae, Original),
        (&["decoder.mid_block.resnets.0.", "decoder.up_blocks.0."], Vae, Diffusers),
        (&["transformer.resblocks.0.", "token_embedding."], Clip, OpenClip),
        (&["text_model.encoder.layers.0."], Clip, Diffusers),
        (&["encoder.layers.0.self_attn.", "embeddings.token_embedding."], Clip, Diffusers),
        (&["vision_model.encoder.layers.0."], Foreign("a CLIP image encoder"), Diffusers),
        (&["encoder.block.0.layer.0.SelfAttention."], T5, Diffusers),
        (&["enc.blk.0.attn_q."], T5, LlamaCpp),
        (&["model.layers.0.self_attn.q_norm."], Qwen3, Diffusers),
        (&["layers.0.self_attn.q_norm.", "embed_tokens."], Qwen3, Diffusers),
        (&["blk.0.attn_q_norm.", "token_embd."], Qwen3, LlamaCpp),
        (&["model.layers.0.self_attn.q_proj."], Foreign("a language model other than Qwen3"), Diffusers),
        (&["blk.0.attn_q.", "token_embd."], Foreign("a language model other than Qwen3"), LlamaCpp),
    ]
};

/// The network of a group of tensors, without their common prefix.
pub(super) fn identify(group: &TensorTable, prefix: &str) -> Option<(Network, Naming)> {
    let has = |start: &&str| group.tensors.iter().any(|tensor| tensor.name.starts_with(*start));
    if prefix == "control_model." {
        return Some((Network::ControlNet, Naming::Original));
    }
    SIGNATURES.iter().find(|(starts, ..)| starts.iter().all(has)).map(|&(_, network, naming)| (network, naming))
}

pub(super) fn rules(network: Network, naming: Naming, shared: bool) -> &'static [Rule] {
    const SAME: &[Rule] = &[("*", To::One("*"))];
    match (network, naming) {
        (Network::ZImage, _) => z_image::ORIGINAL,
        (Network::Flux, Naming::Original) => flux::ORIGINAL,
        (Network::Sd3, Naming::Original) => sd3::ORIGINAL,
        (Network::Unet, Naming::Original) => unet::outer(),
        (Network::Vae, Naming::Original) => vae::ORIGINAL,
        (Network::Vae, _) => vae::DIFFUSERS,
        (Network::Clip, Naming::OpenClip) => text::OPEN_CLIP,
        (Network::Clip, _) => text::CLIP,
        (Network::T5, Naming::LlamaCpp) => text::T5_LLAMA_CPP,
        (Network::T5, _) if shared => text::T5,
        (Network::T5, _) => text::T5_WITHOUT_SHARED,
        (Network::Qwen3, Naming::LlamaCpp) => text::QWEN3_LLAMA_CPP,
        (Network::Qwen3, _) => text::QWEN3,
        _ => SAME,
    }
}

/// What the rules need to know of a group.
pub(super) fn numbers(network: Network, group: &TensorTable) -> Numbers {
    let last = |prefix: &str| {
        let numbers = group.tensors.iter().filter_map(|tensor| {
            let (number, _) = tensor.name.strip_prefix(prefix)?.split_once('.')?;
            number.parse::<usize>().ok()
        });
        numbers.max().unwrap_or(0)
    };
    // A single block's first product reads one token: its columns say how wide that is.
    let width = || {
        let mut tensors = group.tensors.iter();
        let first = tensors.find(|tensor| tensor.name.ends_with(".linear1.weight"));
        first.and_then(|tensor| tensor.shape.get(1)).copied().unwrap_or(0)
    };
    match network {
        Network::Flux => Numbers { width: width(), last: 0 },
        Network::Sd3 => Numbers { width: 0, last: last("joint_blocks.") },
        Network::Vae => Numbers { width: 0, last: last("decoder.up.") },
        Network::Clip => Numbers { width: 0, last: last("transformer.resblocks.") },
        _ => Numbers::default(),
    }
}
