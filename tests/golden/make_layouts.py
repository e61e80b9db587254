"""Makes tiny files in every published layout, and the canonical tensors that must be read from them.

    python make_layouts.py          # needs requirements.txt; about half a minute on one core

Random diffusers and transformers models are turned into the names that other programs publish, by rules written
here, the other way round than Headroom's. Where diffusers can read a layout itself, its own conversion of the file
must give the model back, so that a mistake cannot hide in both directions at once.

Writes layouts/NAME.safetensors, .gguf, .ckpt and layouts.json: for each file its networks, and for each of their
canonical tensors the type, the shape and the FNV-1a hash of the bytes.
"""

import inspect, json, os, re
from pathlib import Path

import gguf, numpy as np, safetensors.torch, torch
from diffusers import (
    AutoencoderKL, FluxTransformer2DModel, SD3Transformer2DModel, UNet2DConditionModel, ZImageTransformer2DModel,
)
from diffusers.loaders import single_file_utils as single
from transformers import CLIPTextConfig, CLIPTextModelWithProjection, Qwen3Config, Qwen3Model, T5Config, T5EncoderModel

HERE = Path(__file__).parent
OUT = HERE / "layouts"
HALF = torch.float16
TYPES = {torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.float8_e4m3fn: "f8_e4m3"}
QTYPES = gguf.GGMLQuantizationType
NAMES = {QTYPES.F32: "f32", QTYPES.F16: "f16", QTYPES.Q8_0: "q8_0", QTYPES.Q4_0: "q4_0", QTYPES.BF16: "bf16"}
index = {}


class Thing:
    """What a trainer leaves in a checkpoint beside the weights."""


class Program:
    """A checkpoint that would print something if it were unpickled the usual way."""

    def __reduce__(self):
        return os.system, ("echo this must never run",)


def fnv(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def raw(tensor):
    return tensor.contiguous().view(torch.uint8).numpy().tobytes() if tensor.ndim else tensor.numpy().tobytes()


def entry(tensor, scale=None):
    line = [TYPES[tensor.dtype], list(tensor.shape), fnv(raw(tensor))]
    return line if scale is None else [*line, scale]


def weights(model, seed, dtype=HALF):
    """Coarse random values: exact in every type, and small once git has compressed them."""
    gen = torch.Generator().manual_seed(seed)
    state = {}
    for name, tensor in sorted(model.state_dict().items()):
        if tensor.dtype.is_floating_point:
            state[name] = (torch.randn(tensor.shape, generator=gen) * 2).round().clamp(-7, 7).mul(0.125).to(dtype)
    return state


def prefixed(prefix, state):
    return {prefix + name: tensor for name, tensor in state.items()}


def save(name, state, networks, metadata=None):
    state = {key: tensor.clone().contiguous() for key, tensor in state.items()}
    safetensors.torch.save_file(state, OUT / f"{name}.safetensors", metadata)
    index[f"{name}.safetensors"] = {
        network: {key: entry(tensor) for key, tensor in sorted(tensors.items())} for network, tensors in networks.items()
    }


def same(ours, theirs, what):
    assert sorted(ours) == sorted(theirs), (what, set(ours) ^ set(theirs))
    for key, tensor in ours.items():
        assert torch.equal(tensor, theirs[key].reshape(tensor.shape)), (what, key)


def renamed(state, rules):
    out = {}
    for name, tensor in state.items():
        for pattern, into in rules:
            found = re.fullmatch(pattern, name)
            if found:
                out[into(*found.groups()) if callable(into) else found.expand(into)] = tensor
                break
        else:
            out[name] = tensor
    return out


def fuse(state, names, into):
    """Rows of several tensors one after another, for weight and bias."""
    for kind in ["weight", "bias"]:
        parts = [state.pop(f"{name}.{kind}", None) for name in names]
        if parts[0] is not None:
            state[f"{into}.{kind}"] = torch.cat(parts)


def swap_halves(tensor):
    first, second = tensor.chunk(2)
    return torch.cat([second, first])


# ---- U-Nets -------------------------------------------------------------------------------------------------------

def unet(seed, levels, context, depth, channels_in=4, text_time=None, dtype=HALF):
    cross = {"cross": "CrossAttnDownBlock2D", "plain": "DownBlock2D"}
    extra = {}
    if text_time:
        extra = dict(addition_embed_type="text_time", addition_time_embed_dim=4, use_linear_projection=True,
                     projection_class_embeddings_input_dim=text_time)
    model = UNet2DConditionModel(
        in_channels=channels_in, block_out_channels=[4 * (i + 1) for i in range(len(levels))], layers_per_block=2,
        down_block_types=[cross[level] for level in levels],
        up_block_types=[cross[level].replace("Down", "Up") for level in reversed(levels)],
        cross_attention_dim=context, attention_head_dim=4, norm_num_groups=4, transformer_layers_per_block=depth, **extra,
    )
    return model, weights(model, seed, dtype)


def ldm_unet(state, n_levels):
    resnet = {"norm1": "in_layers.0", "conv1": "in_layers.2", "time_emb_proj": "emb_layers.1", "norm2": "out_layers.0",
              "conv2": "out_layers.3", "conv_shortcut": "skip_connection"}
    out = {}
    for name, tensor in state.items():
        parts = name.split(".")
        if parts[0] == "time_embedding":
            new = f"time_embed.{ {'linear_1': 0, 'linear_2': 2}[parts[1]] }.{parts[2]}"
        elif parts[0] == "add_embedding":
            new = f"label_emb.0.{ {'linear_1': 0, 'linear_2': 2}[parts[1]] }.{parts[2]}"
        elif parts[0] == "conv_in":
            new = f"input_blocks.0.0.{parts[1]}"
        elif parts[0] == "conv_norm_out":
            new = f"out.0.{parts[1]}"
        elif parts[0] == "conv_out":
            new = f"out.2.{parts[1]}"
        elif parts[0] == "mid_block":
            number = int(parts[2])
            if parts[1] == "resnets":
                new = f"middle_block.{2 * number}.{resnet[parts[3]]}.{parts[4]}"
            else:
                new = f"middle_block.1.{'.'.join(parts[3:])}"
        else:
            level, kind, number = int(parts[1]), parts[2], int(parts[3])
            down = parts[0] == "down_blocks"
            block = 3 * level + number + 1 if down else 3 * level + number
            side = "input_blocks" if down else "output_blocks"
            if kind == "resnets":
                new = f"{side}.{block}.0.{resnet[parts[4]]}.{parts[5]}"
            elif kind == "attentions":
                new = f"{side}.{block}.1.{'.'.join(parts[4:])}"
            elif kind == "downsamplers":
                new = f"input_blocks.{3 * level + 3}.0.op.{parts[5]}"
            else:
                # After the attention where the level has one, else in its place.
                place = 2 if f"up_blocks.{level}.attentions.0.norm.weight" in state else 1
                new = f"output_blocks.{3 * level + 2}.{place}.conv.{parts[5]}"
        out[new] = tensor
    assert len(out) == len(state)
    return out


def check_unet(model, state, published):
    theirs = single.convert_ldm_unet_checkpoint(prefixed("model.diffusion_model.", published), dict(model.config))
    same(state, theirs, "unet")


# ---- VAE ----------------------------------------------------------------------------------------------------------

def vae(seed, latent=4, quant=True, dtype=HALF):
    model = AutoencoderKL(
        block_out_channels=[4, 8, 8], latent_channels=latent, norm_num_groups=4, layers_per_block=1,
        down_block_types=["DownEncoderBlock2D"] * 3, up_block_types=["UpDecoderBlock2D"] * 3,
        use_quant_conv=quant, use_post_quant_conv=quant,
    )
    return model, weights(model, seed, dtype)


def ldm_vae(state, last=2):
    def attention(coder, name, kind):
        return f"{coder}.mid.attn_1.{ {'group_norm': 'norm', 'to_q': 'q', 'to_k': 'k', 'to_v': 'v', 'to_out.0': 'proj_out'}[name] }.{kind}"

    out = renamed(state, [
        (r"encoder\.down_blocks\.(\d)\.resnets\.(\d)\.conv_shortcut\.(.*)", r"encoder.down.\1.block.\2.nin_shortcut.\3"),
        (r"encoder\.down_blocks\.(\d)\.resnets\.(\d)\.(.*)", r"encoder.down.\1.block.\2.\3"),
        (r"encoder\.down_blocks\.(\d)\.downsamplers\.0\.(.*)", r"encoder.down.\1.downsample.\2"),
        (r"decoder\.up_blocks\.(\d)\.resnets\.(\d)\.conv_shortcut\.(.*)",
         lambda i, j, rest: f"decoder.up.{last - int(i)}.block.{j}.nin_shortcut.{rest}"),
        (r"decoder\.up_blocks\.(\d)\.resnets\.(\d)\.(.*)", lambda i, j, rest: f"decoder.up.{last - int(i)}.block.{j}.{rest}"),
        (r"decoder\.up_blocks\.(\d)\.upsamplers\.0\.(.*)", lambda i, rest: f"decoder.up.{last - int(i)}.upsample.{rest}"),
        (r"(\w+)\.mid_block\.resnets\.(\d)\.(.*)", lambda c, i, rest: f"{c}.mid.block_{int(i) + 1}.{rest}"),
        (r"(\w+)\.mid_block\.attentions\.0\.(.*)\.(weight|bias)", attention),
        (r"(\w+)\.conv_norm_out\.(.*)", r"\1.norm_out.\2"),
    ])
    for name in list(out):
        if re.search(r"attn_1\.(q|k|v|proj_out)\.weight", name):
            out[name] = out[name][:, :, None, None]
    return out


def old_vae(state):
    """The names of diffusers before 0.15."""
    old = {"to_q": "query", "to_k": "key", "to_v": "value", "to_out.0": "proj_attn"}
    return renamed(state, [(r"(\w+\.mid_block\.attentions\.0\.)(to_\w+(?:\.0)?)\.(.*)", lambda a, b, c: f"{a}{old[b]}.{c}")])


# ---- text encoders ------------------------------------------------------------------------------------------------

def clip(seed, width, layers, projection=True, dtype=HALF):
    model = CLIPTextModelWithProjection(CLIPTextConfig(
        hidden_size=width, intermediate_size=4 * width, num_hidden_layers=layers, num_attention_heads=2, vocab_size=40,
        max_position_embeddings=7, projection_dim=width, bos_token_id=0, eos_token_id=1,
    ))
    state = weights(model, seed, dtype)
    if not projection:
        del state["text_projection.weight"]
    return state


def open_clip(state):
    out = renamed(state, [
        (r"text_model\.embeddings\.position_embedding\.weight", "positional_embedding"),
        (r"text_model\.embeddings\.token_embedding\.weight", "token_embedding.weight"),
        (r"text_model\.final_layer_norm\.(.*)", r"ln_final.\1"),
        (r"text_model\.encoder\.layers\.(\d+)\.layer_norm(\d)\.(.*)", r"transformer.resblocks.\1.ln_\2.\3"),
        (r"text_model\.encoder\.layers\.(\d+)\.mlp\.fc1\.(.*)", r"transformer.resblocks.\1.mlp.c_fc.\2"),
        (r"text_model\.encoder\.layers\.(\d+)\.mlp\.fc2\.(.*)", r"transformer.resblocks.\1.mlp.c_proj.\2"),
        (r"text_model\.encoder\.layers\.(\d+)\.self_attn\.(.*)", r"transformer.resblocks.\1.attn.\2"),
    ])
    if "text_projection.weight" in out:
        out["text_projection"] = out.pop("text_projection.weight").T
    for n in range(40):
        prefix = f"transformer.resblocks.{n}.attn."
        if f"{prefix}q_proj.weight" in out:
            for kind in ["weight", "bias"]:
                out[f"{prefix}in_proj_{kind}"] = torch.cat([out.pop(f"{prefix}{x}_proj.{kind}") for x in "qkv"])
    out["logit_scale"] = torch.tensor(4.6)
    return out


def check_open_clip(width, state, published, drop=False):
    config = type("Config", (), {"hidden_size": width})
    model = type("Model", (), {"config": config})
    theirs = single.convert_open_clip_checkpoint(model, prefixed("x.", published), prefix="x.")
    if drop:  # the converter drops layer 23 by its number; here the last of the few
        theirs = {k: v for k, v in theirs.items() if ".layers.2." not in k and k != "text_projection.weight"}
    same(state, theirs, "open_clip")


def t5(seed, dtype=HALF, width=8):
    model = T5EncoderModel(T5Config(d_model=width, d_ff=2 * width, d_kv=width // 2, num_layers=2, num_heads=2,
                                    feed_forward_proj="gated-gelu", vocab_size=48, relative_attention_num_buckets=8))
    state = weights(model, seed, dtype)
    state.pop("encoder.embed_tokens.weight", None)
    return state


def t5_gguf(state):
    names = {"SelfAttention.q": "attn_q", "SelfAttention.k": "attn_k", "SelfAttention.v": "attn_v",
             "SelfAttention.o": "attn_o", "SelfAttention.relative_attention_bias": "attn_rel_b", "layer_norm": None,
             "DenseReluDense.wi_0": "ffn_gate", "DenseReluDense.wi_1": "ffn_up", "DenseReluDense.wo": "ffn_down"}

    def block(n, layer, name, kind):
        name = ["attn_norm", "ffn_norm"][int(layer)] if name == "layer_norm" else names[name]
        return f"enc.blk.{n}.{name}.{kind}"

    return renamed(state, [
        (r"shared\.weight", "token_embd.weight"),
        (r"encoder\.final_layer_norm\.weight", "enc.output_norm.weight"),
        (r"encoder\.block\.(\d+)\.layer\.(\d)\.(.*)\.(weight)", block),
    ])


def qwen3(seed, dtype=HALF, width=32):
    model = Qwen3Model(Qwen3Config(hidden_size=width, intermediate_size=width, num_hidden_layers=2, num_attention_heads=4,
                                   num_key_value_heads=2, head_dim=16, vocab_size=64))
    return prefixed("model.", weights(model, seed, dtype))


QWEN_GGUF = [
    (r"model\.embed_tokens\.weight", "token_embd.weight"),
    (r"model\.norm\.weight", "output_norm.weight"),
    (r"model\.layers\.(\d+)\.input_layernorm\.weight", r"blk.\1.attn_norm.weight"),
    (r"model\.layers\.(\d+)\.post_attention_layernorm\.weight", r"blk.\1.ffn_norm.weight"),
    (r"model\.layers\.(\d+)\.self_attn\.o_proj\.weight", r"blk.\1.attn_output.weight"),
    (r"model\.layers\.(\d+)\.self_attn\.([qkv])_proj\.weight", r"blk.\1.attn_\2.weight"),
    (r"model\.layers\.(\d+)\.self_attn\.([qk])_norm\.weight", r"blk.\1.attn_\2_norm.weight"),
    (r"model\.layers\.(\d+)\.mlp\.(\w+)_proj\.weight", r"blk.\1.ffn_\2.weight"),
]


# ---- diffusion transformers ---------------------------------------------------------------------------------------

def z_image(seed, dtype=HALF, width=32):
    model = ZImageTransformer2DModel(in_channels=4, dim=width, n_layers=2, n_refiner_layers=1, n_heads=2, n_kv_heads=2,
                                     cap_feat_dim=width, axes_dims=[4, 6, 6], axes_lens=[64, 16, 16])
    state = weights(model, seed, dtype)
    # 1024 x 256 whatever the width: cut, nothing here depends on it.
    for name, cut in [("0.weight", np.s_[:64, :32]), ("0.bias", np.s_[:64]), ("2.weight", np.s_[:, :64])]:
        state[f"t_embedder.mlp.{name}"] = state[f"t_embedder.mlp.{name}"][cut].clone()
    return state


def z_image_single(state):
    out = renamed(state, [
        (r"all_x_embedder\.2-1\.(.*)", r"x_embedder.\1"), (r"all_final_layer\.2-1\.(.*)", r"final_layer.\1"),
        (r"(.*)\.attention\.to_out\.0\.(.*)", r"\1.attention.out.\2"),
        (r"(.*)\.attention\.norm_([qk])\.(.*)", r"\1.attention.\2_norm.\3"),
    ])
    for block in sorted({name.split(".attention.")[0] for name in out if ".attention.to_q" in name}):
        fuse(out, [f"{block}.attention.to_{x}" for x in "qkv"], f"{block}.attention.qkv")
    return out


def flux(seed, dtype=HALF, width=16, guidance=True):
    model = FluxTransformer2DModel(in_channels=16, num_layers=2, num_single_layers=2, attention_head_dim=width // 2,
                                   num_attention_heads=2, joint_attention_dim=width, pooled_projection_dim=width,
                                   guidance_embeds=guidance, axes_dims_rope=[width // 8, width // 8, width // 4])
    state = weights(model, seed, dtype)
    for embedder in ["timestep_embedder", "guidance_embedder"]:
        name = f"time_text_embed.{embedder}.linear_1.weight"
        if name in state:  # 256 frequencies whatever the width
            state[name] = state[name][:, :32].clone()
    return state


def flux_bfl(state, doubles=2, singles=2):
    out = dict(state)
    for n in range(doubles):
        a = f"transformer_blocks.{n}."
        fuse(out, [f"{a}attn.to_{x}" for x in "qkv"], f"double_blocks.{n}.img_attn.qkv")
        fuse(out, [f"{a}attn.add_{x}_proj" for x in "qkv"], f"double_blocks.{n}.txt_attn.qkv")
    for n in range(singles):
        s = f"single_transformer_blocks.{n}."
        fuse(out, [*[f"{s}attn.to_{x}" for x in "qkv"], f"{s}proj_mlp"], f"single_blocks.{n}.linear1")
    for kind in ["weight", "bias"]:
        out[f"final_layer.adaLN_modulation.1.{kind}"] = swap_halves(out.pop(f"norm_out.linear.{kind}"))
    norms = {"q": "query", "k": "key"}
    return renamed(out, [
        (r"x_embedder\.(.*)", r"img_in.\1"), (r"context_embedder\.(.*)", r"txt_in.\1"), (r"proj_out\.(.*)", r"final_layer.linear.\1"),
        (r"time_text_embed\.(\w+)_embedder\.linear_(\d)\.(.*)", lambda what, n, rest:
            f"{ {'timestep': 'time', 'text': 'vector', 'guidance': 'guidance'}[what] }_in.{ {'1': 'in', '2': 'out'}[n] }_layer.{rest}"),
        (r"transformer_blocks\.(\d+)\.norm1\.linear\.(.*)", r"double_blocks.\1.img_mod.lin.\2"),
        (r"transformer_blocks\.(\d+)\.norm1_context\.linear\.(.*)", r"double_blocks.\1.txt_mod.lin.\2"),
        (r"transformer_blocks\.(\d+)\.attn\.to_out\.0\.(.*)", r"double_blocks.\1.img_attn.proj.\2"),
        (r"transformer_blocks\.(\d+)\.attn\.to_add_out\.(.*)", r"double_blocks.\1.txt_attn.proj.\2"),
        (r"transformer_blocks\.(\d+)\.attn\.norm_([qk])\.weight", lambda n, x: f"double_blocks.{n}.img_attn.norm.{norms[x]}_norm.scale"),
        (r"transformer_blocks\.(\d+)\.attn\.norm_added_([qk])\.weight", lambda n, x: f"double_blocks.{n}.txt_attn.norm.{norms[x]}_norm.scale"),
        (r"transformer_blocks\.(\d+)\.ff\.net\.0\.proj\.(.*)", r"double_blocks.\1.img_mlp.0.\2"),
        (r"transformer_blocks\.(\d+)\.ff\.net\.2\.(.*)", r"double_blocks.\1.img_mlp.2.\2"),
        (r"transformer_blocks\.(\d+)\.ff_context\.net\.0\.proj\.(.*)", r"double_blocks.\1.txt_mlp.0.\2"),
        (r"transformer_blocks\.(\d+)\.ff_context\.net\.2\.(.*)", r"double_blocks.\1.txt_mlp.2.\2"),
        (r"single_transformer_blocks\.(\d+)\.norm\.linear\.(.*)", r"single_blocks.\1.modulation.lin.\2"),
        (r"single_transformer_blocks\.(\d+)\.proj_out\.(.*)", r"single_blocks.\1.linear2.\2"),
        (r"single_transformer_blocks\.(\d+)\.attn\.norm_([qk])\.weight", lambda n, x: f"single_blocks.{n}.norm.{norms[x]}_norm.scale"),
    ])


def check_flux(state, published, width):
    source = inspect.getsource(single.convert_flux_transformer_checkpoint_to_diffusers)
    space = {"torch": torch}
    exec(source.replace("inner_dim = 3072", f"inner_dim = {width}"), space)
    same(state, space["convert_flux_transformer_checkpoint_to_diffusers"](dict(published)), "flux")


def sd3(seed, dtype=HALF, width=16):
    model = SD3Transformer2DModel(sample_size=8, patch_size=2, in_channels=4, num_layers=3, attention_head_dim=width // 2,
                                  num_attention_heads=2, joint_attention_dim=width, caption_projection_dim=width,
                                  pooled_projection_dim=width, out_channels=4, pos_embed_max_size=6,
                                  dual_attention_layers=(0, 1), qk_norm="rms_norm")
    state = weights(model, seed, dtype)
    name = "time_text_embed.timestep_embedder.linear_1.weight"
    state[name] = state[name][:, :32].clone()
    state["pos_embed.pos_embed"] = model.state_dict()["pos_embed.pos_embed"].mul(8).round().div(8).to(dtype)
    return state


def sd3_original(state, last=2):
    out = dict(state)
    for n in range(last + 1):
        a, j = f"transformer_blocks.{n}.", f"joint_blocks.{n}."
        fuse(out, [f"{a}attn.to_{x}" for x in "qkv"], f"{j}x_block.attn.qkv")
        fuse(out, [f"{a}attn.add_{x}_proj" for x in "qkv"], f"{j}context_block.attn.qkv")
        fuse(out, [f"{a}attn2.to_{x}" for x in "qkv"], f"{j}x_block.attn2.qkv")
    for kind in ["weight", "bias"]:
        out[f"final_layer.adaLN_modulation.1.{kind}"] = swap_halves(out.pop(f"norm_out.linear.{kind}"))
        name = f"transformer_blocks.{last}.norm1_context.linear.{kind}"
        out[name] = swap_halves(out[name])
    return renamed(out, [
        (r"pos_embed\.pos_embed", "pos_embed"), (r"pos_embed\.proj\.(.*)", r"x_embedder.proj.\1"),
        (r"proj_out\.(.*)", r"final_layer.linear.\1"),
        (r"time_text_embed\.timestep_embedder\.linear_(\d)\.(.*)", lambda n, rest: f"t_embedder.mlp.{ {'1': 0, '2': 2}[n] }.{rest}"),
        (r"time_text_embed\.text_embedder\.linear_(\d)\.(.*)", lambda n, rest: f"y_embedder.mlp.{ {'1': 0, '2': 2}[n] }.{rest}"),
        (r"transformer_blocks\.(\d)\.norm1\.linear\.(.*)", r"joint_blocks.\1.x_block.adaLN_modulation.1.\2"),
        (r"transformer_blocks\.(\d)\.norm1_context\.linear\.(.*)", r"joint_blocks.\1.context_block.adaLN_modulation.1.\2"),
        (r"transformer_blocks\.(\d)\.(attn2?)\.to_out\.0\.(.*)", r"joint_blocks.\1.x_block.\2.proj.\3"),
        (r"transformer_blocks\.(\d)\.attn\.to_add_out\.(.*)", r"joint_blocks.\1.context_block.attn.proj.\2"),
        (r"transformer_blocks\.(\d)\.(attn2?)\.norm_([qk])\.(.*)", r"joint_blocks.\1.x_block.\2.ln_\3.\4"),
        (r"transformer_blocks\.(\d)\.attn\.norm_added_([qk])\.(.*)", r"joint_blocks.\1.context_block.attn.ln_\2.\3"),
        (r"transformer_blocks\.(\d)\.ff\.net\.0\.proj\.(.*)", r"joint_blocks.\1.x_block.mlp.fc1.\2"),
        (r"transformer_blocks\.(\d)\.ff\.net\.2\.(.*)", r"joint_blocks.\1.x_block.mlp.fc2.\2"),
        (r"transformer_blocks\.(\d)\.ff_context\.net\.0\.proj\.(.*)", r"joint_blocks.\1.context_block.mlp.fc1.\2"),
        (r"transformer_blocks\.(\d)\.ff_context\.net\.2\.(.*)", r"joint_blocks.\1.context_block.mlp.fc2.\2"),
    ])


# ---- GGUF ---------------------------------------------------------------------------------------------------------

def quantised(tensor, qtype):
    if tensor.ndim < 2 or qtype == QTYPES.F32 or tensor.shape[-1] % 32:
        return tensor.float().numpy(), QTYPES.F32
    return gguf.quants.quantize(tensor.float().numpy(), qtype), qtype


def gguf_entry(tensor, qtype, squeeze):
    data, qtype = quantised(tensor.squeeze(0) if squeeze else tensor, qtype)
    return [NAMES[qtype], list(tensor.shape), fnv(data.tobytes())]


def save_gguf(name, published, networks, qtype, arch, flatten=False, squeeze=False, extra=None, part=None):
    """`flatten`: the way of city96 with weights whose rows are no whole blocks. `squeeze`: llama.cpp's own writer drops
    leading dimensions of one."""
    writer = gguf.GGUFWriter(OUT / f"{name}.gguf", arch) if arch else gguf.GGUFWriter(OUT / f"{name}.gguf", "")
    if extra:
        extra(writer)
    flat = {}
    for key, tensor in published.items():
        shape = list(tensor.shape)
        if flatten and tensor.ndim > 1 and tensor.numel() % 256 == 0 and shape[-1] % 256:
            writer.add_array(f"comfy.gguf.orig_shape.{key}", shape)
            tensor = tensor.reshape(-1, 256)
            flat[key] = tensor
        elif squeeze:
            while tensor.ndim > 1 and tensor.shape[0] == 1:
                tensor = tensor[0]
        data, kind = quantised(tensor, qtype)
        writer.add_tensor(key, data, raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return flat


# ---- real models, without their values ----------------------------------------------------------------------------

def listing(name, kind, state):
    """A line a tensor: name, type, dimensions. The type of vectors stays the same."""
    lines = [f"{key} {kind} {'x'.join(map(str, tensor.shape))}" for key, tensor in state.items()]
    (HERE / "headers").mkdir(exist_ok=True)
    (HERE / "headers" / f"{name}.txt").write_text("\n".join(lines) + "\n")


def real_headers():
    """Names and shapes of published files, from the published configs."""
    with torch.device("meta"):
        clip_l = CLIPTextModelWithProjection(CLIPTextConfig(
            hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, vocab_size=49408,
            projection_dim=768)).state_dict()
        clip_g = CLIPTextModelWithProjection(CLIPTextConfig(
            hidden_size=1280, intermediate_size=5120, num_hidden_layers=32, num_attention_heads=20, vocab_size=49408,
            projection_dim=1280)).state_dict()
        down = "CrossAttnDownBlock2D"
        sd1 = UNet2DConditionModel(cross_attention_dim=768, attention_head_dim=8).state_dict()
        sdxl = UNet2DConditionModel(
            block_out_channels=[320, 640, 1280], down_block_types=["DownBlock2D", down, down],
            up_block_types=["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"], cross_attention_dim=2048,
            attention_head_dim=[5, 10, 20], transformer_layers_per_block=[1, 2, 10], use_linear_projection=True,
            addition_embed_type="text_time", addition_time_embed_dim=256, projection_class_embeddings_input_dim=2816,
        ).state_dict()
        four = dict(block_out_channels=[128, 256, 512, 512], down_block_types=["DownEncoderBlock2D"] * 4,
                    up_block_types=["UpDecoderBlock2D"] * 4, layers_per_block=2)
        vae4 = AutoencoderKL(latent_channels=4, **four).state_dict()
        vae16 = AutoencoderKL(latent_channels=16, use_quant_conv=False, use_post_quant_conv=False, **four).state_dict()
        z = ZImageTransformer2DModel().state_dict()
        qwen = Qwen3Model(Qwen3Config(hidden_size=2560, intermediate_size=9728, num_hidden_layers=36, num_attention_heads=32,
                                      num_key_value_heads=8, head_dim=128, vocab_size=151936)).state_dict()
        bfl = flux_full()
        xxl = T5EncoderModel(T5Config(d_model=4096, d_ff=10240, d_kv=64, num_layers=24, num_heads=64, vocab_size=32128,
                                      feed_forward_proj="gated-gelu")).state_dict()
    del clip_l["text_projection.weight"]
    listing("sd1_checkpoint", "F16", {
        **prefixed("model.diffusion_model.", ldm_unet(sd1, 4)), **prefixed("first_stage_model.", ldm_vae(vae4, last=3)),
        **prefixed("cond_stage_model.transformer.", clip_l)})
    listing("sdxl_checkpoint", "F16", {
        **prefixed("model.diffusion_model.", ldm_unet(sdxl, 3)), **prefixed("first_stage_model.", ldm_vae(vae4, last=3)),
        **prefixed("conditioner.embedders.0.transformer.", clip_l), **prefixed("conditioner.embedders.1.model.", open_clip(clip_g))})
    listing("z_image_comfyui", "BF16", z_image_single(z))
    listing("qwen3_4b", "BF16", prefixed("model.", qwen))
    listing("ae", "F32", ldm_vae(vae16, last=3))
    listing("flux_dev", "BF16", bfl)
    listing("t5xxl", "F16", {key: tensor for key, tensor in xxl.items() if key != "encoder.embed_tokens.weight"})
    listing("clip_l", "F16", clip_l)


def flux_full():
    state = FluxTransformer2DModel(guidance_embeds=True).state_dict()
    return flux_bfl(state, doubles=19, singles=38)


def main():
    torch.set_num_threads(1)
    OUT.mkdir(exist_ok=True)
    for old in OUT.iterdir():  # make_tokenizers.py owns the others
        if "tokens" in old.name or old.suffix == ".model":
            continue
        old.unlink()

    # Stable Diffusion 1, 2, XL and its refiner, inpainting: checkpoints as their authors published them.
    schedule = {"alphas_cumprod": torch.linspace(1, 0, 4), "betas": torch.linspace(0, 1, 4)}
    model, net = unet(1, ["cross", "plain"], 8, 1)
    ldm = ldm_unet(net, 2)
    check_unet(model, net, ldm)
    text = clip(2, 8, 2, projection=False)
    auto_model, auto = vae(3)
    ldm_auto = ldm_vae(auto)
    same(auto, single.convert_ldm_vae_checkpoint(prefixed("first_stage_model.", ldm_auto), dict(auto_model.config)), "vae")
    positions = {"cond_stage_model.transformer.text_model.embeddings.position_ids": torch.arange(7)[None]}
    sd1 = {**prefixed("model.diffusion_model.", ldm), **prefixed("first_stage_model.", ldm_auto),
           **prefixed("cond_stage_model.transformer.", text), **positions, **schedule}
    save("sd1", sd1, {"unet": net, "vae": auto, "clip": text})
    trained = {"state_dict": {k: v for k, v in sd1.items() if not k.startswith("model.diffusion_model.")}, "global_step": 840000,
               "callbacks": {Thing: {"best": torch.tensor(0.5), "path": Thing()}}}
    for name, new in [("sd1_without_unet.ckpt", True), ("sd1_without_unet_old.ckpt", False)]:
        torch.save(trained, OUT / name, _use_new_zipfile_serialization=new)
        index[name] = {key: tensors for key, tensors in index["sd1.safetensors"].items() if key != "unet"}
    torch.save({"a": Program()}, OUT / "program.ckpt")

    model, net = unet(4, ["cross", "plain"], 8, 1, channels_in=9)
    ldm = ldm_unet(net, 2)
    check_unet(model, net, ldm)
    text = clip(5, 8, 3)
    kept = {k: v for k, v in text.items() if ".layers.2." not in k and k != "text_projection.weight"}
    published = open_clip(text)
    check_open_clip(8, kept, published, drop=True)
    save("sd2_inpaint", {**prefixed("model.diffusion_model.", ldm), **prefixed("cond_stage_model.model.", published)},
         {"unet": net, "clip": kept})

    model, net = unet(6, ["plain", "cross", "cross"], 16, [1, 1, 2], text_time=40)
    ldm = ldm_unet(net, 3)
    check_unet(model, net, ldm)
    small, large = clip(7, 8, 2, projection=False), clip(8, 12, 2)
    published = open_clip(large)
    check_open_clip(12, large, published)
    save("sdxl", {**prefixed("model.diffusion_model.", ldm), **prefixed("conditioner.embedders.0.transformer.", small),
                  **prefixed("conditioner.embedders.1.model.", published)},
         {"unet": net, "clip": small, "clip 2": large})
    save("sdxl_refiner_text", prefixed("conditioner.embedders.0.model.", published), {"clip": large})

    # Text encoders apart, with and without the wrapper's name.
    save("clip_l", small, {"clip": small})
    bare = {k.removeprefix("text_model."): v for k, v in small.items()}
    save("clip_l_transformers5", bare, {"clip": small})
    encoder = t5(9)
    save("t5", encoder, {"t5": encoder})
    alone = dict(encoder)
    alone["encoder.embed_tokens.weight"] = alone.pop("shared.weight")
    save("t5_without_shared", alone, {"t5": encoder})
    language = qwen3(10)
    save("qwen3", language, {"qwen3": language})
    save("qwen3_bare", {k.removeprefix("model."): v for k, v in language.items()}, {"qwen3": language})

    # Autoencoders.
    auto_model, auto = vae(11, latent=16, quant=False, dtype=torch.bfloat16)
    ldm_auto = ldm_vae(auto)
    same(auto, single.convert_ldm_vae_checkpoint(dict(ldm_auto), dict(auto_model.config)), "ae")
    save("ae", ldm_auto, {"vae": auto})
    _, auto = vae(12)
    save("vae_diffusers", auto, {"vae": auto})
    save("vae_old_diffusers", old_vae(auto), {"vae": auto})

    # FLUX: bare, all in one, scaled fp8.
    net = flux(13, torch.bfloat16)
    bfl = flux_bfl(net)
    check_flux(net, bfl, 16)
    save("flux", bfl, {"flux": net})
    net = flux(14, torch.bfloat16, guidance=False)
    bfl = flux_bfl(net)
    check_flux(net, bfl, 16)
    encoder, text = t5(15, torch.bfloat16), clip(16, 8, 2, dtype=torch.bfloat16)
    _, auto = vae(17, latent=16, quant=False, dtype=torch.bfloat16)
    save("flux_all_in_one", {
        **prefixed("model.diffusion_model.", bfl), **prefixed("vae.", ldm_vae(auto)),
        **prefixed("text_encoders.clip_l.transformer.", text), **prefixed("text_encoders.t5xxl.transformer.", encoder),
        "text_encoders.clip_l.logit_scale": torch.tensor(4.6), "text_encoders.t5xxl.logit_scale": torch.tensor(4.6),
    }, {"flux": net, "clip": text, "t5": encoder, "vae": auto})
    scaled, expected = {"scaled_fp8": torch.zeros(2, dtype=torch.float8_e4m3fn)}, {}
    fp8 = lambda tensor: tensor.to(torch.float8_e4m3fn)
    for key, tensor in bfl.items():
        if tensor.ndim == 2 and "block" in key:
            scaled[key], scaled[key.replace(".weight", ".scale_weight")] = fp8(tensor), torch.tensor(0.5 + len(scaled) / 128)
        else:
            scaled[key] = tensor
    factors = {key.removesuffix(".scale_weight"): tensor for key, tensor in scaled.items() if key.endswith(".scale_weight")}
    for key, tensor in net.items():
        quant = tensor.ndim == 2 and "transformer_blocks" in key
        expected[key] = fp8(tensor) if quant else tensor
    save("flux_fp8_scaled", scaled, {"flux": expected})
    by_module = {}
    for key, factor in factors.items():
        by_module[key] = factor.item()
    index["flux_fp8_scaled.safetensors"]["scales"] = by_module

    # Stable Diffusion 3: all in one.
    net = sd3(18)
    original = sd3_original(net)
    same(net, single.convert_sd3_transformer_checkpoint_to_diffusers(dict(original)), "sd3")
    first, second, encoder = clip(19, 8, 2), clip(20, 12, 2), t5(21)
    _, auto = vae(22, latent=16, quant=False)
    save("sd3", {**prefixed("model.diffusion_model.", original), **prefixed("first_stage_model.", ldm_vae(auto)),
                 **prefixed("text_encoders.clip_l.transformer.", first), **prefixed("text_encoders.clip_g.transformer.", second),
                 **prefixed("text_encoders.t5xxl.transformer.", encoder)},
         {"sd3": net, "clip": first, "clip 2": second, "t5": encoder, "vae": auto})

    # Z-Image: ComfyUI's single file, bare and prefixed.
    net = z_image(23, torch.bfloat16)
    original = z_image_single(net)
    same(net, single.convert_z_image_transformer_checkpoint_to_diffusers(prefixed("model.diffusion_model.", original)), "z_image")
    save("z_image", original, {"z_image": net})
    save("z_image_prefixed", prefixed("model.diffusion_model.", {**original, "norm_final.weight": torch.ones(32)}), {"z_image": net})
    save("z_image_diffusers", net, {"z_image": net})

    # GGUF: every canonical tensor quantised by itself must be a stretch of the quantised file.
    def check_gguf(name, key, state, qtype, squeeze=False):
        index[f"{name}.gguf"] = {key: {k: gguf_entry(v, qtype, squeeze) for k, v in sorted(state.items())}}

    net = z_image(24, torch.float32)
    save_gguf("z_image_q8_0", z_image_single(net), {}, QTYPES.Q8_0, "lumina2", squeeze=True)
    check_gguf("z_image_q8_0", "z_image", net, QTYPES.Q8_0, squeeze=True)
    save_gguf("z_image_wrong_architecture", prefixed("model.diffusion_model.", z_image_single(net)), {}, QTYPES.Q4_0, "llama")
    check_gguf("z_image_wrong_architecture", "z_image", net, QTYPES.Q4_0)
    net = flux(25, torch.float32, width=32)
    save_gguf("flux_q4_0", flux_bfl(net), {}, QTYPES.Q4_0, "flux")
    check_gguf("flux_q4_0", "flux", net, QTYPES.Q4_0)
    _, net = unet(26, ["cross", "plain"], 8, 1, dtype=torch.float32)
    published = ldm_unet(net, 2)
    flat = save_gguf("sd1_unet_q8_0", published, {}, QTYPES.Q8_0, "sd1", flatten=True)
    lines = {}
    for key, tensor in sorted(net.items()):
        name = next(k for k, v in published.items() if v is tensor)
        data, kind = quantised(flat.get(name, tensor), QTYPES.Q8_0)
        lines[key] = [NAMES[kind], list(tensor.shape), fnv(data.tobytes())]
    index["sd1_unet_q8_0.gguf"] = {"unet": lines}

    # Text encoders of llama.cpp, with their vocabularies.
    def qwen_vocabulary(writer):
        letters = [chr(c) for c in range(33, 81)]
        tokens = [*letters, "ab", "cd", "abcd", *[f"<|x{n}|>" for n in range(13)]]
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("qwen2")
        writer.add_token_list(tokens)
        writer.add_token_types([1] * 51 + [3] * 13)
        writer.add_token_merges(["a b", "c d", "ab cd"])
        writer.add_uint32("qwen3.block_count", 2)

    def t5_vocabulary(writer):
        tokens = ["<pad>", "</s>", "<unk>", "▁", "▁a", "b", *[chr(c) for c in range(97, 139)]]
        writer.add_tokenizer_model("t5")
        writer.add_token_list(tokens)
        writer.add_token_scores([0.0, 0.0, 0.0, *[-1.0 - n / 8 for n in range(45)]])
        writer.add_token_types([3, 3, 2, *[1] * 45])
        writer.add_uint32("t5encoder.block_count", 2)

    language = qwen3(27, torch.float32)
    save_gguf("qwen3_q8_0", renamed(language, QWEN_GGUF), {}, QTYPES.Q8_0, "qwen3", extra=qwen_vocabulary)
    check_gguf("qwen3_q8_0", "qwen3", language, QTYPES.Q8_0)
    encoder = t5(28, torch.float32, width=32)
    save_gguf("t5_q8_0", t5_gguf(encoder), {}, QTYPES.Q8_0, "t5encoder", extra=t5_vocabulary)
    check_gguf("t5_q8_0", "t5", encoder, QTYPES.Q8_0)

    real_headers()

    lines = ",\n".join(
        f" {json.dumps(file)}: {{\n" + ",\n".join(
            f"  {json.dumps(network)}: {{\n" + ",\n".join(f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in tensors.items()) + "\n  }"
            for network, tensors in networks.items()) + "\n }"
        for file, networks in index.items())
    (HERE / "layouts.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
