"""Makes the vocabularies that text encoders bring along, and the tokens that the reference makes of some texts.

    python make_tokenizers.py       # needs requirements.txt; a few seconds

Writes layouts/qwen_tokens.gguf (the tiny Z-Image tokenizer as llama.cpp keeps vocabularies), layouts/spiece.model (a
tiny sentencepiece model with T5's settings), layouts/t5_tokens.gguf (the same in GGUF) and tokenizers.json: for each
file, texts and their token ids, from the tokenizers library and from sentencepiece itself.
"""

import json
from pathlib import Path

import gguf, sentencepiece, tokenizers
from sentencepiece import sentencepiece_model_pb2

HERE = Path(__file__).parent
OUT = HERE / "layouts"
TEXTS = [
    "a red apple on a wooden table", "", " ", "  two  spaces  ", "Don't stop, it's 1234!", "tabs\tand\nlines\r\n\r\nend ",
    "Ünïcödé ﬁne ½ ① ＡＢＣ", "日本語のテキスト", "emoji 🙂🙃 and ZWJ 👩‍👩‍👧", "(quotes \"and\" \\slashes\\)", "x" * 60,
]
QWEN_TEXTS = [*TEXTS, "<|im_start|>user\na fox<|im_end|>\n<|im_start|>assistant\n", "<|im_start|><|im_start|>"]


def qwen():
    path = HERE / "z_image_tiny" / "tokenizer" / "tokenizer.json"
    content = json.loads(path.read_text())
    words = dict(content["model"]["vocab"])
    added = {token["id"] for token in content["added_tokens"]}
    words.update({token["content"]: token["id"] for token in content["added_tokens"]})
    tokens = [word for word, _ in sorted(words.items(), key=lambda item: item[1])]
    assert sorted(words.values()) == list(range(len(tokens)))
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in content["model"]["merges"]]
    writer = gguf.GGUFWriter(OUT / "qwen_tokens.gguf", "qwen3")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([3 if n in added else 1 for n in range(len(tokens))])
    writer.add_token_merges(merges)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    reference = tokenizers.Tokenizer.from_file(str(path))
    return {text: reference.encode(text).ids for text in QWEN_TEXTS}


def t5():
    corpus = ["a red apple on a wooden table", "a fox in the snow, soft light", "the sea at night, 1234 stars",
              "an old house on the hill under a cloudy sky", "tabs and lines and spaces", "it's fine"] * 20
    base = OUT / "spiece"
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(corpus), model_prefix=str(base), vocab_size=90, model_type="unigram", pad_id=0, eos_id=1,
        unk_id=2, bos_id=-1, hard_vocab_limit=False, num_threads=1, minloglevel=2,
    )
    base.with_suffix(".vocab").unlink()
    reference = sentencepiece.SentencePieceProcessor(model_file=str(base.with_suffix(".model")))
    model = sentencepiece_model_pb2.ModelProto.FromString(base.with_suffix(".model").read_bytes())
    writer = gguf.GGUFWriter(OUT / "t5_tokens.gguf", "t5encoder")
    writer.add_tokenizer_model("t5")
    writer.add_token_list([piece.piece for piece in model.pieces])
    writer.add_token_scores([piece.score for piece in model.pieces])
    writer.add_token_types([piece.type for piece in model.pieces])
    writer.add_precompiled_charsmap(model.normalizer_spec.precompiled_charsmap)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    return {text: [*reference.encode(text), 1] for text in TEXTS}


def main():
    words = t5()
    lists = {"layouts/qwen_tokens.gguf": qwen(), "layouts/spiece.model": words, "layouts/t5_tokens.gguf": words}
    lines = ",\n".join(
        f" {json.dumps(file)}: {{\n" + ",\n".join(f"  {json.dumps(text)}: {json.dumps(ids)}" for text, ids in cases.items())
        + "\n }" for file, cases in lists.items())
    (HERE / "tokenizers.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
