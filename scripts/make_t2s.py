"""Make `src/fanshu/library/data/t2s.txt`, the traditional → simplified character table.

Needs `opencc` (a development tool only: its conversion of whole texts depends on the
context, so that it cannot be used for an index; single characters are a plain table).
Each line of the file holds two characters: from, to.

    python scripts/make_t2s.py
"""

import unicodedata
from itertools import chain
from pathlib import Path

import opencc

BLOCKS = chain(range(0x3400, 0xA000), range(0xF900, 0xFB00), range(0x20000, 0x32000))
TARGET = Path(__file__).parents[1] / "src/fanshu/library/data/t2s.txt"


def main() -> None:
    convert = opencc.OpenCC("t2s").convert
    pairs = set()
    for code in BLOCKS:
        char = unicodedata.normalize("NFKC", chr(code))
        simple = convert(char)
        if simple != char and len(char) == len(simple) == 1:
            pairs.add(char + simple)
    TARGET.write_text("\n".join(sorted(pairs)) + "\n", encoding="utf-8")
    print(f"{len(pairs)} characters → {TARGET}")


if __name__ == "__main__":
    main()
