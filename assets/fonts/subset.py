"""Cuts the characters that the catalogues use out of Noto Sans CJK, one font a language.

    pip install fonttools==4.68.0
    python assets/fonts/subset.py PATH/TO/NotoSansCJK-Regular.ttc     (Debian: package fonts-noto-cjk)

Run it again where a catalogue in Japanese, Korean or Chinese has gained a character; a test says so.
"""

import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTCollection

HERE = pathlib.Path(__file__).parent
LOCALES = HERE.parent.parent / "locales"
FACES = {"ja": ("ja", "Noto Sans CJK JP"), "ko": ("ko", "Noto Sans CJK KR"), "zh": ("zh-Hans", "Noto Sans CJK SC")}
KANA = "".join(chr(c) for c in range(0x3041, 0x30FF))
PUNCTUATION = "、。，．・：；？！「」『』（）【】〜ー…％％￥“”‘’—"


def main() -> None:
    collection = TTCollection(sys.argv[1])
    for name, (locale, family) in FACES.items():
        font = next(font for font in collection.fonts if font["name"].getDebugName(1) == family)
        text = (LOCALES / f"{locale}.ftl").read_text(encoding="utf-8")
        wanted = {c for c in text + PUNCTUATION + (KANA if name == "ja" else "") if ord(c) > 0x2E7F or c in PUNCTUATION}
        options = subset.Options(layout_features=[], hinting=False, name_IDs=[0, 1, 2, 13, 14], notdef_outline=True)
        options.drop_tables += ["BASE", "VORG", "vhea", "vmtx", "GPOS", "GSUB", "GDEF"]
        cutter = subset.Subsetter(options)
        cutter.populate(text="".join(sorted(wanted)))
        cutter.subset(font)
        target = HERE / f"NotoSansCJK-{name}.otf"
        font.save(target)
        print(target.name, len(wanted), "characters", target.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
