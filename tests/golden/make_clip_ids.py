"""Token ids of CLIP's full vocabulary, as transformers' CLIPTokenizer makes them: clip_ids.json.

    python make_clip_ids.py bpe_simple_vocab_16e6.txt.gz    # the file of OpenAI's CLIP (MIT; PyPI `clip-anytorch`)
"""

import json, sys
from pathlib import Path

import make_stable_diffusion
from transformers import CLIPTokenizer

PROMPTS = [
    "", "a photo of a cat", "Portrait of a WOMAN, 1890s, oil on canvas; it's 'quoted'", "two  spaces\tand\nlines",
    "caf\u00e9 cafe\u0301 na\u00efve \u00c5ngstr\u00f6m \u0130stanbul", "\u4e00\u53ea\u72d0\u72f8 \U0001f98a \u041b\u0438\u0441\u0430 \u05e9\u05dc\u05d5\u05dd",
    "supercalifragilisticexpialidocious!!! ###", "(masterpiece:1.2), [bad], {x|y}, <lora:a:0.8>", "3.14159 + 2**8 = ?",
    "we're you'll they've I'm don't he'd", "endoftext startoftext <|endoftext|> a <|startoftext|>", "\u00ad\u200bzero\u00a0width",
]

if __name__ == "__main__":
    make_stable_diffusion.MERGES = 48894
    vocab, merges = make_stable_diffusion.vocabulary(sys.argv[1])
    assert len(vocab) == 49408
    tok = CLIPTokenizer(vocab=vocab, merges=[tuple(line.split()) for line in merges])
    ids = {prompt: tok(prompt, add_special_tokens=False).input_ids for prompt in PROMPTS}
    assert ids["a photo of a cat"] == [320, 1125, 539, 320, 2368]
    Path(__file__).with_name("clip_ids.json").write_text(json.dumps(ids, indent=1) + "\n")
