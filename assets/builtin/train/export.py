"""Write the averaged weights as a diffusers folder that ZImagePipeline loads."""
import argparse
import json
import shutil
from pathlib import Path

import torch
from diffusers import FlowMatchEulerDiscreteScheduler
from tokenizers import Tokenizer

from models import load_checkpoint, new_text_encoder, new_transformer, wrap_tokenizer
from train_dit import SHIFT, load_vae

HERE = Path(__file__).parent
INDEX = {
    "_class_name": "ZImagePipeline",
    "_diffusers_version": "0.42.1",
    "scheduler": ["diffusers", "FlowMatchEulerDiscreteScheduler"],
    "text_encoder": ["transformers", "Qwen3Model"],
    "tokenizer": ["transformers", "PreTrainedTokenizerFast"],
    "transformer": ["diffusers", "ZImageTransformer2DModel"],
    "vae": ["diffusers", "AutoencoderKL"],
}


def export(out: Path, target: Path, checkpoint="dit.pt", notes=()):
    saved = load_checkpoint(out / checkpoint)
    tokenizer = Tokenizer.from_file(str(out / "tokenizer.json"))
    transformer, encoder = new_transformer(), new_text_encoder(tokenizer.get_vocab_size())
    for net, prefix in ((transformer, "transformer."), (encoder, "text_encoder.")):
        net.load_state_dict({k[len(prefix):]: v for k, v in saved["average"].items() if k.startswith(prefix)})
    work = target.with_name(target.name + ".tmp")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    transformer.bfloat16().save_pretrained(work / "transformer")
    encoder.bfloat16().save_pretrained(work / "text_encoder")
    load_vae(out).to(torch.float16, memory_format=torch.contiguous_format).save_pretrained(work / "vae")
    wrap_tokenizer(tokenizer).save_pretrained(work / "tokenizer")
    FlowMatchEulerDiscreteScheduler(shift=SHIFT).save_pretrained(work / "scheduler")
    (work / "model_index.json").write_text(json.dumps(INDEX, indent=2) + "\n")
    text = (HERE / "MODEL.md").read_text()
    size = sum(f.stat().st_size for f in work.rglob("*") if f.is_file())
    facts = [f"training steps of the denoiser: {saved['step']:,}", f"bytes in all: {size:,}", *notes]
    (work / "README.md").write_text(text.replace("{facts}", "\n".join(f"- {fact}" for fact in facts)))
    shutil.copy(HERE / "LICENSES.md", work / "LICENSES.md")
    old = target.with_name(target.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    work.rename(target)
    shutil.rmtree(old, ignore_errors=True)
    print(f"exported step {saved['step']} to {target}: {size:,} bytes", flush=True)


if __name__ == "__main__":
    args = argparse.ArgumentParser()
    args.add_argument("out", type=Path)
    args.add_argument("--target", type=Path)
    args.add_argument("--checkpoint", default="dit.pt")
    args.add_argument("--note", action="append", default=[])
    args = args.parse_args()
    export(args.out, args.target or args.out / "export", args.checkpoint, args.note)
