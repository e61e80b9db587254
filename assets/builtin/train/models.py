"""The four networks, their files, and a batched forward of the transformer for training."""
import json
from pathlib import Path

import torch
import torch.nn.functional as F
from diffusers import AutoencoderKL, ZImageTransformer2DModel
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3Model

LATENT_CHANNELS = 16
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
CHAT_TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
TEXT_DIM = 192


def new_vae():
    return AutoencoderKL(
        in_channels=3, out_channels=3, latent_channels=LATENT_CHANNELS, sample_size=256,
        down_block_types=["DownEncoderBlock2D"] * 5, up_block_types=["UpDecoderBlock2D"] * 5,
        block_out_channels=(16, 32, 48, 64, 96), layers_per_block=1, norm_num_groups=1,
        use_quant_conv=False, use_post_quant_conv=False, mid_block_add_attention=True)


def start_as_pyramid(vae):
    """Begin as averaging down and repeating up, so that colours pass through from the first step."""
    for name, module in vae.named_modules():
        if name.endswith(".conv2"):
            torch.nn.init.zeros_(module.weight)
            torch.nn.init.zeros_(module.bias)
        elif "samplers.0.conv" in name:
            torch.nn.init.normal_(module.weight, std=0.01)
            torch.nn.init.zeros_(module.bias)
            channels = torch.arange(module.out_channels)
            if "down" in name:  # stride 2, padded on the right and below: the 2x2 mean
                module.weight.data[channels, channels, :2, :2] += 0.25
            else:
                module.weight.data[channels, channels, 1, 1] += 1.0
        elif name.endswith("conv_shortcut"):
            torch.nn.init.orthogonal_(module.weight)
    torch.nn.init.zeros_(vae.decoder.mid_block.attentions[0].to_out[0].weight)
    torch.nn.init.zeros_(vae.encoder.mid_block.attentions[0].to_out[0].weight)


def new_text_encoder(vocab_size):
    return Qwen3Model(Qwen3Config(
        vocab_size=vocab_size, hidden_size=TEXT_DIM, intermediate_size=384, num_hidden_layers=4,
        num_attention_heads=3, num_key_value_heads=3, head_dim=64, max_position_embeddings=1024,
        rope_parameters={"rope_theta": 10000.0, "rope_type": "default"}, tie_word_embeddings=True,
        bos_token_id=None, eos_token_id=None, attn_implementation="sdpa"))


def new_transformer():
    return ZImageTransformer2DModel(
        all_patch_size=(2,), all_f_patch_size=(1,), in_channels=LATENT_CHANNELS, dim=288, n_layers=6,
        n_refiner_layers=1, n_heads=6, n_kv_heads=6, qk_norm=True, cap_feat_dim=TEXT_DIM, rope_theta=256.0,
        t_scale=1000.0, axes_dims=[16, 16, 16], axes_lens=[1024, 1024, 1024])


# -- tokenizer -------------------------------------------------------------------


def train_tokenizer(captions, vocab_size=1536):
    """Byte-level BPE; lower case, so that "Apple" is "apple"."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()])
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size, special_tokens=SPECIAL, min_frequency=2, show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator(captions, trainer)
    return tokenizer


def wrap_tokenizer(tokenizer):
    return PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<|endoftext|>", eos_token="<|im_end|>",
        additional_special_tokens=["<|im_start|>", "<|im_end|>"], chat_template=CHAT_TEMPLATE,
        clean_up_tokenization_spaces=False)


def chat(prompt):
    return f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n"


def tokenize(tokenizer, prompts):
    """ids and mask, padded to a multiple of 32, as the transformer pads the features.

    A batch has one length, so a short prompt among long ones gets more padding than diffusers gives it.
    """
    ids = [e.ids for e in tokenizer.encode_batch([chat(p) for p in prompts])]
    longest = -(-max(map(len, ids)) // 32) * 32
    padded = torch.zeros(len(ids), longest, dtype=torch.long)
    mask = torch.zeros(len(ids), longest, dtype=torch.bool)
    for row, item in enumerate(ids):
        padded[row, :len(item)] = torch.tensor(item)
        mask[row, :len(item)] = True
    return padded, mask


def encode_text(encoder, ids, mask):
    """The penultimate hidden state, as in Z-Image. Padding is on the right and attention is causal."""
    hidden = encoder.embed_tokens(ids)
    positions = torch.arange(ids.shape[1], device=ids.device)[None]
    rotary = encoder.rotary_emb(hidden, positions)
    for layer in encoder.layers[:-1]:
        hidden = layer(hidden, attention_mask=None, position_ids=positions, position_embeddings=rotary)
        hidden = hidden[0] if isinstance(hidden, tuple) else hidden
    return hidden


# -- the transformer, batched -------------------------------------------------------


def rope_table(model, positions):
    """cos and sin, [1, tokens, 1, head_dim / 2]."""
    angles = []
    for axis, width in enumerate(model.axes_dims):
        frequency = 1.0 / model.rope_theta ** (torch.arange(0, width, 2, dtype=torch.float64) / width)
        angles.append(positions[:, axis].double().cpu()[:, None] * frequency)
    angles = torch.cat(angles, 1).float()[None, :, None].to(positions.device)
    return angles.cos(), angles.sin()


def rotate(x, cos, sin):
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2)


def rms(x, norm):
    return F.rms_norm(x, (x.shape[-1],), norm.weight.to(x.dtype), norm.eps)


def attend(attention, x, cos, sin):
    q = rms(attention.to_q(x).unflatten(-1, (attention.heads, -1)), attention.norm_q)
    k = rms(attention.to_k(x).unflatten(-1, (attention.heads, -1)), attention.norm_k)
    v = attention.to_v(x).unflatten(-1, (attention.heads, -1))
    q, k = rotate(q, cos, sin).to(v.dtype), rotate(k, cos, sin).to(v.dtype)
    # written out: for so few tokens it is much faster on a CPU than the fused kernel's backward
    scores = (q.transpose(1, 2) * q.shape[-1] ** -0.5) @ k.permute(0, 2, 3, 1)
    out = scores.float().softmax(-1).to(v.dtype) @ v.transpose(1, 2)
    return attention.to_out[0](out.transpose(1, 2).flatten(2))


def run_block(block, x, cos, sin, time=None):
    if time is None:
        x = x + rms(attend(block.attention, rms(x, block.attention_norm1), cos, sin), block.attention_norm2)
        return x + rms(block.feed_forward(rms(x, block.ffn_norm1)), block.ffn_norm2)
    scale_a, gate_a, scale_f, gate_f = block.adaLN_modulation(time).unsqueeze(1).chunk(4, -1)
    h = attend(block.attention, rms(x, block.attention_norm1) * (1 + scale_a), cos, sin)
    x = x + gate_a.tanh() * rms(h, block.attention_norm2)
    h = block.feed_forward(rms(x, block.ffn_norm1) * (1 + scale_f))
    return x + gate_f.tanh() * rms(h, block.ffn_norm2)


def image_tokens(latents):
    """[b, c, h, w] -> [b, tokens, 4 c], in the order of the diffusers class."""
    b, c, h, w = latents.shape
    x = latents.view(b, c, h // 2, 2, w // 2, 2).permute(0, 2, 4, 3, 5, 1)
    return x.reshape(b, (h // 2) * (w // 2), 4 * c)


def image_latents(tokens, h, w):
    b, _, c4 = tokens.shape
    x = tokens.view(b, h // 2, w // 2, 2, 2, c4 // 4).permute(0, 5, 1, 3, 2, 4)
    return x.reshape(b, c4 // 4, h, w)


def denoise(model, latents, t, features, mask, tables):
    """What ZImageTransformer2DModel computes for equal sizes: velocity from noise to picture, t = 1 - sigma."""
    (cap_cos, cap_sin), (img_cos, img_sin), (all_cos, all_sin) = tables
    b, _, h, w = latents.shape
    count, padded = (h // 2) * (w // 2), img_cos.shape[1]
    time = model.t_embedder(t * model.t_scale)
    x = model.all_x_embedder["2-1"](image_tokens(latents))
    if padded > count:
        x = torch.cat([x, model.x_pad_token.to(x.dtype).expand(b, padded - count, -1)], 1)
    for block in model.noise_refiner:
        x = run_block(block, x, img_cos, img_sin, time)
    norm, linear = model.cap_embedder
    cap = linear(rms(features, norm))
    cap = torch.where(mask.unsqueeze(-1), cap, model.cap_pad_token.to(cap.dtype))
    for block in model.context_refiner:
        cap = run_block(block, cap, cap_cos, cap_sin)
    x = torch.cat([x, cap.to(x.dtype)], 1)
    for block in model.layers:
        x = run_block(block, x, all_cos, all_sin, time)
    final = model.all_final_layer["2-1"]
    x = final.norm_final(x[:, :count]) * (1 + final.adaLN_modulation(time)).unsqueeze(1)
    return image_latents(final.linear(x), h, w)


def rope_tables(model, caption_tokens, h, w):
    """For captions padded to caption_tokens (a multiple of 32) and h x w latents.

    The padding of a caption counts on in diffusers, that of a picture stays at the origin.
    """
    cap = torch.zeros(caption_tokens, 3)
    cap[:, 0] = torch.arange(caption_tokens) + 1
    ys, xs = torch.meshgrid(torch.arange(h // 2), torch.arange(w // 2), indexing="ij")
    img = torch.stack([torch.full_like(ys, caption_tokens + 1), ys, xs], -1).flatten(0, 1).float()
    img = torch.cat([img, torch.zeros(-len(img) % 32, 3)])
    return rope_table(model, cap), rope_table(model, img), rope_table(model, torch.cat([img, cap]))


# -- precision ------


def fast_bf16():
    """Whether this processor multiplies bf16 in hardware; without, it is eight times slower than float32."""
    with torch.no_grad():
        return bool(torch.backends.cpu.get_cpu_capability().startswith("AVX512") and torch.cpu._is_avx512_bf16_supported())


def mixed():
    return torch.autocast("cpu", torch.bfloat16, enabled=fast_bf16())


# -- checkpoints ----------------------------------------------------------------------


def save_checkpoint(path: Path, **content):
    torch.save(content, path.with_suffix(".tmp"))
    path.with_suffix(".tmp").rename(path)


def load_checkpoint(path: Path):
    return torch.load(path, map_location="cpu", weights_only=False) if path.exists() else None


def log_line(path: Path, **values):
    with path.open("a") as file:
        file.write(json.dumps({k: round(v, 5) if isinstance(v, float) else v for k, v in values.items()}) + "\n")
