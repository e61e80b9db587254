"""Begin from the weights of an exported model: its folder becomes the checkpoints that the other scripts go on from."""
import argparse
import re
import shutil
from pathlib import Path

from diffusers import AutoencoderKL, ZImageTransformer2DModel
from transformers import Qwen3Model

from models import save_checkpoint


def start(model: Path, out: Path):
    """Write out/vae.pt, text.pt, dit.pt and tokenizer.json; optimizers begin afresh. What is there already stays."""
    if (out / "dit.pt").exists():
        return
    vae = AutoencoderKL.from_pretrained(model / "vae").float()
    encoder = Qwen3Model.from_pretrained(model / "text_encoder").float()
    transformer = ZImageTransformer2DModel.from_pretrained(model / "transformer").float()
    readmes = [folder / "README.md" for folder in (model, model.resolve().parent)]
    text = next((path.read_text() for path in readmes if path.exists()), "")
    told = re.search(r"training steps of the denoiser: ([\d,]+)", text)
    step = int(told[1].replace(",", "")) if told else 0
    shutil.copy(model / "tokenizer/tokenizer.json", out / "tokenizer.json")
    stats = {"std": 1 / vae.config.scaling_factor, "mean": vae.config.shift_factor}
    save_checkpoint(out / "vae.pt", vae=vae.state_dict(), step=0, stats=stats)
    save_checkpoint(out / "text.pt", encoder=encoder.state_dict(), step=0)
    nets = {f"{name}.{k}": v for name, net in (("transformer", transformer), ("text_encoder", encoder)) for k, v in net.state_dict().items()}
    save_checkpoint(out / "dit.pt", nets=nets, average=nets, step=step, made={}, spent=0.0)


if __name__ == "__main__":
    args = argparse.ArgumentParser()
    args.add_argument("model", type=Path, help="exported model")
    args.add_argument("out", type=Path, help="folder of the checkpoints to make")
    args = args.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    start(args.model, args.out)
