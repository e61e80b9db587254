"""The whole recipe: data, autoencoder, text encoder, transformer, export, contact sheet. Run it again to go on."""
import argparse
import subprocess
import sys
from pathlib import Path

from data import prepare

HERE = Path(__file__).parent


def stage(script, *arguments):
    print("==", script, *arguments, flush=True)
    subprocess.run([sys.executable, HERE / script, *map(str, arguments)], check=True)


def main():
    args = argparse.ArgumentParser(epilog="What is not named here goes to train_dit.py.")
    args.add_argument("out", type=Path, help="folder for data, checkpoints and the exported model")
    args.add_argument("--vae-steps", type=int, default=10000)
    args.add_argument("--text-steps", type=int, default=1500)
    args.add_argument("--steps", type=int, default=60000, help="of the transformer, 64 samples each")
    args.add_argument("--no-compile", action="store_true", help="without a C++ compiler: half as fast")
    args.add_argument("--from", dest="model", type=Path, help="go on from the weights of this exported model: no --vae-steps, no --text-steps")
    args, more = args.parse_known_args()
    out = args.out
    out.mkdir(parents=True, exist_ok=True)
    prepare(out)
    if args.model:
        stage("start.py", args.model, out)
    else:
        steps = args.vae_steps
        for until, batch, crop in ((0.6, 16, 64), (0.9, 4, 128), (1.0, 2, 256)):
            stage("train_vae.py", out, "--steps", steps, "--stop", int(steps * until), "--batch", batch, "--crop", crop)
        stage("train_text.py", out, "--steps", args.text_steps)
    stage("train_dit.py", out, "--steps", args.steps, *([] if args.no_compile else ["--compile"]), *more)
    stage("export.py", out)
    stage("latent_rgb.py", out, out / "export")
    stage("evaluate.py", out)


if __name__ == "__main__":
    main()
