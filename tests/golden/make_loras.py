"""Makes tiny LoRA files in the names of every program that trains them, and the changes that they mean.

    python make_loras.py            # after make_layouts.py; needs requirements.txt; a few seconds

Writes loras/NAME.safetensors for models of layouts/ and loras.json: for each file the layout file whose networks it
changes, how many modules it has, and for each canonical module the FNV-1a hash of the change in f32. Values lie on a
coarse grid, so that every product is exact and the order of sums does not matter. Where diffusers converts a style
itself, its conversion is checked to name the same modules with the same halves.
"""

import inspect, json
from pathlib import Path

import safetensors.torch, torch
from diffusers.loaders import lora_conversion_utils as conversion

from make_layouts import OUT as LAYOUTS, entry, flux_bfl, fnv, ldm_unet, raw

HERE = Path(__file__).parent
LORAS = HERE / "loras"
index = {}
gen = torch.Generator().manual_seed(7)


def grid(*shape, dtype=torch.float16):
    return (torch.randn(shape, generator=gen) * 1.5).round().clamp(-4, 4).mul(0.25).to(dtype)


def save(name, model, tensors, changes, total):
    safetensors.torch.save_file({k: v.clone().contiguous() for k, v in tensors.items()}, LORAS / f"{name}.safetensors")
    # Minus zero is zero.
    lines = {module: fnv(raw((change.float() + 0.0).contiguous())) for module, change in sorted(changes.items())}
    index[name] = {"model": model, "total": total, "changes": lines}


def low_rank(outputs, inputs, rank, dtype=torch.float16):
    return grid(rank, *inputs, dtype=dtype), grid(outputs, rank, *[1] * (len(inputs) - 1), dtype=dtype)


def product(down, up, scale):
    return torch.einsum("or,ri->oi", up.float().flatten(1), down.float().flatten(1)) * scale


def shapes(file, prefix, exclude=()):
    """Matrices and convolutions of a published file."""
    with safetensors.safe_open(LAYOUTS / file, "pt") as tensors:
        found = {key.removeprefix(prefix): tensors.get_tensor(key) for key in tensors.keys() if key.startswith(prefix)}
    return {key.removesuffix(".weight"): list(value.shape) for key, value in found.items()
            if key.endswith(".weight") and value.ndim > 1 and not any(part in key for part in exclude)}


def canonical(file, network):
    names = json.loads((HERE / "layouts.json").read_text())[file][network]
    return {name.removesuffix(".weight"): line[1] for name, line in names.items()
            if name.endswith(".weight") and len(line[1]) > 1}


# What a published module of FLUX is in canonical names, with the rows of each.
def flux_parts(module, rows, width=16):
    d, q = ["to_q", "to_k", "to_v"], ["add_q_proj", "add_k_proj", "add_v_proj"]
    kind, n, *rest = module.split(".")
    rest = ".".join(rest)
    if kind == "double_blocks":
        if rest.endswith("qkv"):
            names = [f"transformer_blocks.{n}.attn.{x}" for x in (d if rest.startswith("img") else q)]
            return [(name, i * width, width) for i, name in enumerate(names)]
        inner = {"img_attn.proj": "attn.to_out.0", "txt_attn.proj": "attn.to_add_out", "img_mlp.0": "ff.net.0.proj",
                 "img_mlp.2": "ff.net.2", "txt_mlp.0": "ff_context.net.0.proj", "txt_mlp.2": "ff_context.net.2",
                 "img_mod.lin": "norm1.linear", "txt_mod.lin": "norm1_context.linear"}[rest]
        return [(f"transformer_blocks.{n}.{inner}", 0, rows)]
    if rest == "linear1":
        s = f"single_transformer_blocks.{n}."
        return [*[(f"{s}attn.{x}", i * width, width) for i, x in enumerate(d)], (f"{s}proj_mlp", 3 * width, rows - 3 * width)]
    inner = {"linear2": "proj_out", "modulation.lin": "norm.linear"}[rest]
    return [(f"single_transformer_blocks.{n}.{inner}", 0, rows)]


def kohya_flux():
    tensors, changes, total = {}, {}, 0
    for module, (rows, columns) in shapes("flux_all_in_one.safetensors", "model.diffusion_model.").items():
        if "blocks" not in module:
            continue
        down, up = low_rank(rows, [columns], 4)
        name = "lora_unet_" + module.replace(".", "_")
        tensors |= {f"{name}.lora_down.weight": down, f"{name}.lora_up.weight": up, f"{name}.alpha": torch.tensor(2.0)}
        change = product(down, up, 0.5)
        changes |= {part: change[first : first + count] for part, first, count in flux_parts(module, rows)}
        total += 1
    for module, (rows, columns) in canonical("flux_all_in_one.safetensors", "clip").items():
        if ".layers." in module:
            down, up = low_rank(rows, [columns], 2)
            name = "lora_te1_" + module.replace(".", "_")
            tensors |= {f"{name}.lora_down.weight": down, f"{name}.lora_up.weight": up, f"{name}.alpha": torch.tensor(2.0)}
            changes[f"text {module}"] = product(down, up, 1.0)
            total += 1
    save("flux_kohya", "flux_all_in_one.safetensors", tensors, changes, total)
    # diffusers must find the same halves in it.
    source = inspect.getsource(conversion._convert_kohya_flux_lora_to_diffusers)
    space = dict(vars(conversion))
    exec(source.replace("3072, 3072, 3072, 12288", "16, 16, 16, 64"), space)
    own = {k: v.clone() for k, v in tensors.items() if k.startswith("lora_unet_")}
    theirs = space["_convert_kohya_flux_lora_to_diffusers"](own)
    checked = 0
    for module, change in changes.items():
        down, up = (theirs.get(f"transformer.{module}.lora_{x}.weight") for x in "AB")
        if down is not None:
            assert torch.equal(product(down, up, 1.0), change), module
            checked += 1
    assert checked > 20, checked


def peft_flux():
    tensors, changes = {}, {}
    for module, shape in canonical("flux.safetensors", "flux").items():
        if "transformer_blocks" in module:
            down, up = low_rank(shape[0], shape[1:], 1, torch.bfloat16)
            tensors |= {f"transformer.{module}.lora_A.weight": down, f"transformer.{module}.lora_B.weight": up}
            changes[module] = product(down, up, 1.0)
    save("flux_peft", "flux.safetensors", tensors, changes, len(changes))


def bfl_flux():
    tensors, changes, total = {}, {}, 0
    for module, (rows, columns) in shapes("flux.safetensors", "").items():
        if "blocks" in module:
            down, up = low_rank(rows, [columns], 3, torch.float32)
            tensors |= {f"{module}.lora_A.weight": down, f"{module}.lora_B.weight": up}
            change = product(down, up, 1.0)
            changes |= {part: change[first : first + count] for part, first, count in flux_parts(module, rows)}
            total += 1
    save("flux_bfl", "flux.safetensors", tensors, changes, total)


def xlabs_flux():
    tensors, changes = {}, {}
    for n in range(2):
        for number, kind in [(1, "img_attn"), (2, "txt_attn")]:
            for what, rows in [("qkv", 48), ("proj", 16)]:
                down, up = low_rank(rows, [16], 4, torch.bfloat16)
                name = f"double_blocks.{n}.processor.{what}_lora{number}"
                tensors |= {f"{name}.down.weight": down, f"{name}.up.weight": up}
                change = product(down, up, 1.0)
                changes |= {part: change[a : a + count] for part, a, count in flux_parts(f"double_blocks.{n}.{kind}.{what}", rows)}
        down, up = low_rank(48, [16], 4, torch.bfloat16)
        tensors |= {f"single_blocks.{n}.processor.qkv_lora.down.weight": down, f"single_blocks.{n}.processor.qkv_lora.up.weight": up}
        change = product(down, up, 1.0)
        changes |= {part: change[a : a + 16] for part, a, _ in flux_parts(f"single_blocks.{n}.linear1", 112)[:3]}
    save("flux_xlabs", "flux.safetensors", tensors, changes, len(tensors) // 2)
    theirs = conversion._convert_xlabs_flux_lora_to_diffusers({k: v.clone() for k, v in tensors.items()})
    for module, change in changes.items():
        down, up = (theirs.get(f"transformer.{module}.lora_{x}.weight") for x in "AB")
        if down is not None:
            assert torch.equal(product(down, up, 1.0), change), module


def onetrainer_flux():
    """OneTrainer's names, with lengths (DoRA) beside the halves."""
    tensors, changes = {}, {}
    for module, shape in canonical("flux.safetensors", "flux").items():
        if "single_transformer_blocks.0" in module:
            down, up = low_rank(shape[0], shape[1:], 2)
            name = "lora_transformer_" + module.replace(".", "_")
            tensors |= {f"{name}.lora_down.weight": down, f"{name}.lora_up.weight": up, f"{name}.alpha": torch.tensor(4.0),
                        f"{name}.dora_scale": grid(1, *shape[1:])}
            changes[module] = product(down, up, 2.0)
    save("flux_onetrainer_dora", "flux.safetensors", tensors, changes, len(changes))


def kohya_sdxl():
    """LDM's numbered blocks, convolutions included, and both text encoders."""
    file = "sdxl.safetensors"
    net = canonical(file, "unet")
    published = ldm_unet({f"{name}.weight": torch.empty(0) for name in net}, 3)
    back = {}
    for name in net:
        (key,) = ldm_unet_name(name, net)
        back[name] = key
    tensors, changes, total = {}, {}, 0
    for module, shape in net.items():
        if not any(part in module for part in ["attn", "ff.net", "proj_in", "proj_out", "conv1", "downsamplers", "upsamplers"]):
            continue
        down, up = low_rank(shape[0], shape[1:], 2)
        name = "lora_unet_" + back[module].replace(".", "_")
        tensors |= {f"{name}.lora_down.weight": down, f"{name}.lora_up.weight": up, f"{name}.alpha": torch.tensor(1.0)}
        changes[module] = product(down, up, 0.5)
        total += 1
    assert len(published) == len(net)
    for number, network in enumerate(["clip", "clip 2"], 1):
        for module, shape in canonical(file, network).items():
            if "self_attn" in module:
                down, up = low_rank(shape[0], shape[1:], 2)
                name = f"lora_te{number}_" + module.replace(".", "_")
                tensors |= {f"{name}.lora_down.weight": down, f"{name}.lora_up.weight": up, f"{name}.alpha": torch.tensor(1.0)}
                changes[("text " if number == 1 else "text 2 ") + module] = product(down, up, 0.5)
                total += 1
    save("sdxl_kohya", file, tensors, changes, total)


def ldm_unet_name(name, net):
    """LDM's name of one module: the others tell whether an upsampler stands behind an attention."""
    everything = ldm_unet({f"{other}.weight": torch.tensor(i) for i, other in enumerate(net)} | {
        "up_blocks.0.attentions.0.norm.weight": torch.tensor(-1), "up_blocks.1.attentions.0.norm.weight": torch.tensor(-1)}, 3)
    wanted = list(net).index(name)
    return [key.removesuffix(".weight") for key, value in everything.items() if value == wanted]


def sd1_styles():
    file = "sd1.safetensors"
    net = {name: shape for name, shape in canonical(file, "unet").items() if ".attn" in name}
    # kohya on diffusers' names, with a small convolution between the halves for convolutions.
    tensors, changes = {}, {}
    for module, shape in net.items():
        down, up = low_rank(shape[0], shape[1:], 2)
        name = "lora_unet_" + module.replace(".", "_")
        tensors |= {f"{name}.lora_down.weight": down, f"{name}.lora_up.weight": up}
        changes[module] = product(down, up, 1.0)
    conv = "down_blocks.0.resnets.0.conv1"
    out, inputs, *_ = canonical(file, "unet")[conv]
    down, mid, up = grid(2, inputs, 1, 1), grid(2, 2, 3, 3), grid(out, 2, 1, 1)
    name = "lora_unet_" + conv.replace(".", "_")
    tensors |= {f"{name}.lora_down.weight": down, f"{name}.lora_mid.weight": mid, f"{name}.lora_up.weight": up}
    changes[conv] = torch.einsum("or,rskl,si->oikl", up.float()[:, :, 0, 0], mid.float(), down.float()[:, :, 0, 0]).flatten(1)
    save("sd1_kohya", file, tensors, changes, len(changes))

    # diffusers before PEFT.
    tensors, changes = {}, {}
    for module, shape in net.items():
        down, up = low_rank(shape[0], shape[1:], 2)
        attention, layer = module.removesuffix(".0").rsplit(".", 1)
        tensors |= {f"unet.{attention}.processor.{layer}_lora.down.weight": down, f"unet.{attention}.processor.{layer}_lora.up.weight": up}
        changes[module] = product(down, up, 1.0)
    save("sd1_diffusers", file, tensors, changes, len(changes))

    # LyCORIS.
    tensors, changes = {}, {}
    for module, shape in net.items():
        (a1, b1), (a2, b2) = [(grid(shape[0], 2), grid(2, shape[1])) for _ in range(2)]
        name = "lora_unet_" + module.replace(".", "_")
        tensors |= {f"{name}.hada_w1_a": a1, f"{name}.hada_w1_b": b1, f"{name}.hada_w2_a": a2, f"{name}.hada_w2_b": b2,
                    f"{name}.alpha": torch.tensor(1.0)}
        changes[module] = (a1.float() @ b1.float()) * (a2.float() @ b2.float()) * 0.5
    save("sd1_loha", file, tensors, changes, len(changes))
    tensors, changes = {}, {}
    for number, (module, shape) in enumerate(net.items()):
        left, name = grid(2, 2), "lycoris_" + module.replace(".", "_")
        tensors[f"{name}.lokr_w1"] = left
        if number % 2:
            a, b = grid(shape[0] // 2, 2), grid(2, shape[1] // 2)
            tensors |= {f"{name}.lokr_w2_a": a, f"{name}.lokr_w2_b": b, f"{name}.alpha": torch.tensor(1.0)}
            right, scale = a.float() @ b.float(), 0.5
        else:
            right, scale = grid(shape[0] // 2, shape[1] // 2), 1.0
            tensors |= {f"{name}.lokr_w2": right, f"{name}.alpha": torch.tensor(1.0)}
        changes[module] = torch.kron(left.float(), right.float()) * scale
    save("sd1_lokr", file, tensors, changes, len(changes))


def z_image():
    file = "z_image.safetensors"
    tensors, changes, total = {}, {}, 0
    for module, shape in shapes(file, "").items():
        if module.startswith("layers.") and ("attention" in module or "feed_forward" in module):
            down, up = low_rank(shape[0], shape[1:], 2, torch.bfloat16)
            tensors |= {f"diffusion_model.{module}.lora_A.weight": down, f"diffusion_model.{module}.lora_B.weight": up}
            change, total = product(down, up, 1.0), total + 1
            if module.endswith("qkv"):
                changes |= {module.replace("qkv", f"to_{x}"): part for x, part in zip("qkv", change.chunk(3))}
            else:
                changes[module.replace("attention.out", "attention.to_out.0")] = change
    save("z_image_fused", file, tensors, changes, total)


def main():
    LORAS.mkdir(exist_ok=True)
    for old in LORAS.iterdir():
        old.unlink()
    for make in [kohya_flux, peft_flux, bfl_flux, xlabs_flux, onetrainer_flux, kohya_sdxl, sd1_styles, z_image]:
        make()
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(value)}" for name, value in index.items())
    (HERE / "loras.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
