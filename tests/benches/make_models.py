"""Writes models of true size with random weights, to measure time and memory on. Nothing here draws a picture.

    python make_models.py sd1.5 FOLDER      # f16, 2 GiB
    python make_models.py sdxl FOLDER       # f16, 6.5 GiB
    python make_models.py z-image FOLDER    # bf16, 19 GiB
    python make_models.py z-image-q4_k FOLDER  # three files as they are published, 6 GiB

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
    tokenizer.add_special_tokens(["<|im_start|>", "<|im_end|>"])
    (folder / "tokenizer").mkdir(exist_ok=True)
    tokenizer.save(str(folder / "tokenizer/tokenizer.json"))


def gguf_file(path, architecture, tensors, add_metadata=lambda writer: None):
    """Matrices whose rows are whole blocks as Q4_K, the rest in f32; a tensor at a time."""
    import gguf
    q4_k = gguf.GGMLQuantizationType.Q4_K
    random = numpy.random.default_rng(0)
    blocks = random.integers(0, 256, (BLOCK // 256, 144), numpy.uint8)
    # Scale and minimum of each block: values of a few hundredths.
    blocks[:, :4] = numpy.full((len(blocks), 2), 1e-4, numpy.float16).view(numpy.uint8)
    floats = random.standard_normal(BLOCK, dtype=numpy.float32) * 0.02
    writer = gguf.GGUFWriter(path, architecture)
    add_metadata(writer)
    filled = []
    for name, shape in tensors:
        count = int(numpy.prod(shape))
        if len(shape) == 2 and shape[1] % 256 == 0:
            data = numpy.resize(blocks, (count // 256, 144)).reshape(shape[0], shape[1] // 256 * 144)
            writer.add_tensor_info(name, data.shape, data.dtype, data.nbytes, q4_k)
        else:
            data = numpy.resize(floats, shape)
            writer.add_tensor_info(name, data.shape, data.dtype, data.nbytes)
        filled.append((name, shape, data.shape, data.dtype))
        del data
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    for _, shape, stored, kind in filled:
        data = numpy.resize(blocks, (int(numpy.prod(shape)) // 256, 144)) if kind == numpy.uint8 else numpy.resize(floats, shape)
        writer.write_tensor_data(data.reshape(stored))
    writer.close()
    print(f"{path}: {path.stat().st_size / 2**30:.2f} GiB")


def z_image_q4_k(folder):
    """Denoiser and text encoder in the names of ComfyUI and llama.cpp."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = {}
    for name, tensor in ZImageTransformer2DModel().state_dict().items():
        name = name.replace("all_x_embedder.2-1", "x_embedder").replace("all_final_layer.2-1", "final_layer")
        name = name.replace("attention.to_out.0", "attention.out").replace("attention.norm_q", "attention.q_norm")
        name = name.replace("attention.norm_k", "attention.k_norm")
        shape = [n for n in tensor.shape if n != 1] if name.endswith("pad_token") else list(tensor.shape)
        if ".attention.to_" in name:
            block = name.split(".attention.")[0]
            rows, columns = parts.get(f"{block}.attention.qkv.weight", (0, 0))
            name, shape = f"{block}.attention.qkv.weight", [rows + shape[0], max(columns, shape[1])]
        parts[name] = tuple(shape)
    gguf_file(folder / "z-image-turbo-Q4_K.gguf", "lumina2", list(parts.items()))

    dim, ff, heads = 2560, 9728, 32
    text = [("token_embd.weight", (151936, dim)), ("output_norm.weight", (dim,))]
    for n in range(36):
        shapes = {
            "attn_norm": (dim,), "ffn_norm": (dim,), "attn_output": (dim, heads * 128), "attn_q": (heads * 128, dim),
            "attn_k": (1024, dim), "attn_v": (1024, dim), "attn_q_norm": (128,), "attn_k_norm": (128,),
            "ffn_gate": (ff, dim), "ffn_up": (ff, dim), "ffn_down": (dim, ff)}
        text += [(f"blk.{n}.{key}.weight", shape) for key, shape in shapes.items()]

    def vocabulary(writer):
        from tokenizers import pre_tokenizers
        tokens = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "ab"]
        special = ["<|im_start|>", "<|im_end|>"]
        special += [f"<|x{n}|>" for n in range(151936 - len(tokens) - len(special))]
        writer.add_tokenizer_model("gpt2")
        writer.add_tokenizer_pre("qwen2")
        writer.add_token_list([*tokens, *special])
        writer.add_token_types([1] * len(tokens) + [3] * len(special))
        writer.add_token_merges(["a b"])
        writer.add_uint32("qwen3.block_count", 36)

    gguf_file(folder / "Qwen3-4B-Q4_K.gguf", "qwen3", text, vocabulary)
    vae(folder, "BF16", latent_channels=16, scaling_factor=0.3611, shift_factor=0.1159, use_quant_conv=False, use_post_quant_conv=False)


if __name__ == "__main__":
    with torch.device("meta"):
        {"sd1.5": sd15, "sdxl": sdxl, "z-image": z_image, "z-image-q4_k": z_image_q4_k}[sys.argv[1]](Path(sys.argv[2]))
