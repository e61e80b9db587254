"""Writes models of true size with random weights, to measure time and memory on. Nothing here draws a picture.

    python make_models.py sd1.5 FOLDER      # f16, 2 GiB
    python make_models.py sdxl FOLDER       # f16, 6.5 GiB
    python make_models.py z-image FOLDER    # bf16, 19 GiB

needs tests/golden/requirements.txt. One step of the denoiser at 512 x 512:

    headroom generate --model FOLDER -p "a fox" --size 512x512 --steps 1 --guidance 1 --json
"""

import json, struct, sys
from pathlib import Path

import numpy, torch
from diffusers import AutoencoderKL, UNet2DConditionModel, ZImageTransformer2DModel
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection, Qwen3Config, Qwen3Model

BLOCK = 1 << 23  # random values that are drawn once and repeated from changing places


def write(model, folder, name, bits):
    """A safetensors file in `bits` (f16 or bf16), a tensor at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(dict(model.config if hasattr(model.config, "items") else model.config.to_dict()), default=str))
    values = (numpy.random.default_rng(0).standard_normal(BLOCK, dtype=numpy.float32) * 0.02)
    block = values.astype(numpy.float16) if bits == "F16" else (values.view(numpy.uint32) >> 16).astype(numpy.uint16)
    header, at = {}, 0
    tensors = [(key, tuple(p.shape)) for key, p in model.named_parameters()]
    for key, shape in tensors:
        size = 2 * int(numpy.prod(shape))
        header[key] = {"dtype": bits, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    with open(folder / name, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for number, (key, shape) in enumerate(tensors):
            left = int(numpy.prod(shape))
            start = number * 7919 % BLOCK
            while left:
                part = block[start:start + left]
                file.write(part.tobytes())
                left, start = left - len(part), 0
    print(f"{folder / name}: {at / 2**30:.2f} GiB")


def clip(hidden, layers, heads, act, projection):
    return CLIPTextConfig(
        vocab_size=49408, hidden_size=hidden, intermediate_size=4 * hidden, num_hidden_layers=layers,
        num_attention_heads=heads, hidden_act=act, projection_dim=projection,
    )


def index(folder, pipeline, scheduler):
    (folder / "scheduler").mkdir(parents=True, exist_ok=True)
    (folder / "model_index.json").write_text(json.dumps({"_class_name": pipeline}))
    (folder / "scheduler/scheduler_config.json").write_text(json.dumps(scheduler))


def vae(folder, bits, **kw):
    model = AutoencoderKL(
        block_out_channels=[128, 256, 512, 512], layers_per_block=2, down_block_types=["DownEncoderBlock2D"] * 4,
        up_block_types=["UpDecoderBlock2D"] * 4, **kw)
    write(model, folder / "vae", "diffusion_pytorch_model.safetensors", bits)


STEPS = {"beta_start": 0.00085, "beta_end": 0.012, "beta_schedule": "scaled_linear"}
UNET, TEXT = "diffusion_pytorch_model.safetensors", "model.safetensors"


def sd15(folder):
    index(folder, "StableDiffusionPipeline", STEPS)
    write(UNet2DConditionModel(sample_size=64, cross_attention_dim=768, attention_head_dim=8), folder / "unet", UNET, "F16")
    write(CLIPTextModel(clip(768, 12, 12, "quick_gelu", 768)), folder / "text_encoder", TEXT, "F16")
    vae(folder, "F16", latent_channels=4, scaling_factor=0.18215)


def sdxl(folder):
    index(folder, "StableDiffusionXLPipeline", STEPS)
    write(UNet2DConditionModel(
        sample_size=128, cross_attention_dim=2048, attention_head_dim=[5, 10, 20], block_out_channels=[320, 640, 1280],
        down_block_types=["DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"],
        up_block_types=["CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"], transformer_layers_per_block=[1, 2, 10],
        use_linear_projection=True, addition_embed_type="text_time", addition_time_embed_dim=256,
        projection_class_embeddings_input_dim=2816), folder / "unet", UNET, "F16")
    write(CLIPTextModel(clip(768, 12, 12, "quick_gelu", 768)), folder / "text_encoder", TEXT, "F16")
    write(CLIPTextModelWithProjection(clip(1280, 32, 20, "gelu", 1280)), folder / "text_encoder_2", TEXT, "F16")
    vae(folder, "F16", latent_channels=4, scaling_factor=0.13025)


def z_image(folder):
    index(folder, "ZImagePipeline", {"shift": 3.0})
    write(ZImageTransformer2DModel(), folder / "transformer", UNET, "BF16")
    write(Qwen3Model(Qwen3Config(
        vocab_size=151936, hidden_size=2560, intermediate_size=9728, num_hidden_layers=36, num_attention_heads=32,
        num_key_value_heads=8, head_dim=128, tie_word_embeddings=True)), folder / "text_encoder", TEXT, "BF16")
    vae(folder, "BF16", latent_channels=16, scaling_factor=0.3611, shift_factor=0.1159, use_quant_conv=False, use_post_quant_conv=False)
    # Bytes as tokens: as many of them as a prompt can have at most.
    from tokenizers import Tokenizer, models, pre_tokenizers
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={c: i for i, c in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    (folder / "tokenizer").mkdir(exist_ok=True)
    tokenizer.save(str(folder / "tokenizer/tokenizer.json"))


if __name__ == "__main__":
    with torch.device("meta"):
        {"sd1.5": sd15, "sdxl": sdxl, "z-image": z_image}[sys.argv[1]](Path(sys.argv[2]))
