"""Text as whoever reads it takes it: without what hides words from a search for them.

Nobody writes `ｉｇｎｏｒｅ` or `і​g​n​o​r​e` in a manual, and a model reads both as the word.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from html import unescape

from fanshu.library.terms import CJK, fold

MOST_CODED = 20  # coded pieces of one text that are looked into

# Letters of other scripts that look like Latin ones (Unicode's confusables, the usual ones).
_ALIKE = str.maketrans(
    "асеорхуіјѕԁһкмтвнԛԝɡαεικνορτυχγ",
    "aceopxyijsdhkmtbhqwgaeiknoptuxy",
)
# Tag characters are invisible and spell ASCII.
_TAGS = {0xE0000 + code: chr(code) for code in range(0x20, 0x7F)}
_MARKS = re.compile(r"<!--|-->|</?[a-z][^<>\n]{0,200}>|[*_`~\\]")
_APART = re.compile(r"(?<![a-z])(?:[a-z][ .\-·|/]){3,}[a-z](?![a-z])")
_GAP = re.compile(f"(?<=[{CJK}])[ \\t]+(?=[{CJK}])")
_BACKWARDS = re.compile("\u202e([^\u202c\n]+)")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2}){4,}")
_ESCAPES = re.compile(r"(?:\\u[0-9A-Fa-f]{4}){3,}")


def undisguised(text: str) -> str:
    """A text folded as for the index, with look-alike letters as Latin ones, nothing invisible."""
    if not text.isascii():
        text = _BACKWARDS.sub(lambda found: found[1][::-1], text.translate(_TAGS))
        text = "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Mn"))
    folded = fold(unescape(text))
    return folded if folded.isascii() else folded.translate(_ALIKE)


def spoken(text: str) -> str:
    """An undisguised text without markup, and without gaps between the letters of a word."""
    bare = _MARKS.sub("", text)
    joined = _APART.sub(lambda found: re.sub(r"[^a-z]", "", found[0]), bare)
    return _GAP.sub("", joined)


def decoded(text: str) -> Iterator[str]:
    """What pieces in Base64, percent signs or escapes say, where that is text."""
    found = [*_BASE64.findall(text)][:MOST_CODED]
    yield from filter(None, map(_from_base64, found))
    for piece in _PERCENT.findall(text)[:MOST_CODED]:
        yield bytes.fromhex(piece.replace("%", "")).decode("utf-8", "replace")
    for piece in _ESCAPES.findall(text)[:MOST_CODED]:
        yield "".join(chr(int(code, 16)) for code in piece.split("\\u")[1:])


def _from_base64(piece: str) -> str:
    whole = piece.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        text = base64.b64decode(whole + "=" * (-len(whole) % 4), validate=True).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return text if text.isprintable() or "\n" in text else ""
