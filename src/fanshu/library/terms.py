"""Text → index terms, and nothing else: the one analyser for index, queries and quotes.

Folding makes texts comparable that people would call the same: Unicode form NFKC, lower
case, traditional → simplified characters, accents off Latin letters, one kind of dash and
of quotation mark. Terms are cut from folded text: letters and digits apart
(`v5.4.0` → v 5 4 0), runs of Chinese, Japanese and Korean characters as overlapping pairs
with the last character alone (鉴权方式 → 鉴权 权方 方式 式), so that every substring of a run
is a phrase of neighbouring terms. `+` and `#` count when they close a word (C++, C#).

A change here must raise `VERSION`: the index rebuilds itself, or ghosts would remain.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import pairwise

VERSION = 2

CJK = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u30fa\u30fc-\u30ff"
    "\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\U00020000-\U000323af"
)
_PLUS, _SHARP = "\ue02b", "\ue023"  # private characters: terms that no text can hold by chance
_TERM = re.compile(
    rf"(?P<cjk>[{CJK}]+)|\d+|[^\W\d_{CJK}]+|(?P<close>(?<=[^\W_])(?:\++|\#)(?![^\W_]))"
)
_CJK_GAP = re.compile(rf"(?<=[{CJK}])[ \t\u3000]*(?:\r?\n[ \t\u3000]*)?(?=[{CJK}])")
# A word is tried from its beginning only: from each of its letters, a run of 200,000 takes hours.
_CAMEL = re.compile(r"(?<![A-Za-z])[A-Za-z]*(?:[a-z][A-Z]|[A-Z]{2}[a-z])[A-Za-z]*")
_CAMEL_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_OPTION = re.compile(r"(?<![A-Za-z])[A-Za-z]{0,20}\[[A-Za-z]{1,20}\][A-Za-z]{0,20}")
_LETTER = rf"[^\W\d_{CJK}]"
_CJK_CHAR = re.compile(rf"[{CJK}]")
_UNSURE = "\u017f"  # a character that NFKC changes: a text with it is folded slowly
MIN_CAMEL_PART = 3  # TiDB and TiKV are names, not "ti db": shorter parts say nothing


@cache
def _table() -> dict[int, str | None]:
    """Folding that is character by character, applied after NFKC and lower case."""
    table: dict[int, str | None] = {}
    for code in (*range(0xC0, 0x250), *range(0x1E00, 0x1F00)):
        base = unicodedata.normalize("NFD", chr(code))[0]
        if base.isascii() and base.isalpha():
            table[code] = base
    pairs = files("fanshu.library").joinpath("data/t2s.txt").read_text(encoding="utf-8")
    table |= {ord(pair[0]): pair[1] for pair in pairs.split()}
    table |= dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"), "-")
    table |= dict.fromkeys(map(ord, "\u2018\u2019\u201a\u201b`\u00b4"), "'")
    table |= dict.fromkeys(map(ord, "\u201c\u201d\u201e\u201f\u300c\u300d\u300e\u300f"), '"')
    table |= dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff"), None)
    return table


@cache
def _quick_table() -> Sequence[int | str | None]:
    """Folding by character code, wide forms included, for texts that NFKC does not change else.

    A list is looked up twice as fast as a dict. `_UNSURE` stands where what follows matters.
    """
    table: list[int | str | None] = list(range(max(_table()) + 1))
    for code, char in _table().items():
        table[code] = char
    for code in (0x3000, *range(0xFF01, 0xFF5F)):
        table[code] = fold_slowly(chr(code))
    for code in (0xB4, 0x1E36, 0x1E37, 0x1E5A, 0x1E5B):  # as a base of marks, not its bare letter
        table[code] = _UNSURE
    return table


def fold(text: str) -> str:
    """The comparable form of a text. Its length may differ; see `fold_map`."""
    quick = _fold_quickly(text)
    return fold_slowly(text) if quick is None else quick


def _fold_quickly(text: str) -> str | None:
    """The folded text, character by character; None when that will not do."""
    if text.isascii():
        return text.lower().replace("`", "'")
    quick = text.lower().translate(_quick_table())
    return quick if unicodedata.is_normalized("NFKC", quick) else None


def fold_slowly(text: str) -> str:
    """What `fold` gives, by its definition: four times slower where wide punctuation stands."""
    return unicodedata.normalize("NFKC", text).lower().translate(_table())


def fold_map(text: str) -> tuple[str, list[int]]:
    """The folded text and, for each of its characters, the offset in `text` it came from.

    The list has one entry more than the folded text, the length of `text`, so that
    `text[offsets[a]:offsets[b]]` is the original of `folded[a:b]`.
    """
    quick = _fold_quickly(text)
    if quick is not None and len(quick) == len(text) and "\u0130" not in text:
        return quick, list(range(len(text) + 1))  # İ alone gives two characters
    pieces: list[str] = []
    offsets: list[int] = []
    for start, cluster in _clusters(text):
        piece = fold(cluster)
        pieces.append(piece)
        offsets.extend([start] * len(piece))
    offsets.append(len(text))
    return "".join(pieces), offsets


def _clusters(text: str) -> Iterator[tuple[int, str]]:
    """Characters with the marks that combine with them: what NFKC may join."""
    start = 0
    for at in range(1, len(text) + 1):
        joins = at < len(text) and not text[at].isascii() and _combines(text[at])
        if not joins:
            yield start, text[start:at]
            start = at


def _combines(char: str) -> bool:
    return unicodedata.combining(char) != 0 or "\u1160" <= char <= "\u11ff"


def terms(text: str) -> list[str]:
    """The index terms of a text, in order. Spaces and line ends inside CJK runs do not count."""
    out: list[str] = []
    for match in _TERM.finditer(_CJK_GAP.sub("", fold(text))):
        term = match[0]
        if match["cjk"]:
            out.extend(term[i : i + 2] for i in range(len(term) - 1))
            out.append(term[-1])
        elif match["close"]:
            out.extend(_SHARP if char == "#" else _PLUS for char in term)
        else:
            out.append(term)
    return out


def identifier_terms(text: str) -> list[str]:
    """What identifiers say beside their terms: parts of CamelCase words, and words with an
    optional part (`[un]restrict`) written whole. For a column of their own: in line they would
    break phrases.
    """
    camel = [
        part.lower()
        for word in _CAMEL.findall(text)
        for part in _CAMEL_PART.findall(word)
        if len(part) >= MIN_CAMEL_PART
    ]
    options = _OPTION.findall(text) if "[" in text else ()
    return camel + [
        word.replace("[", "").replace("]", "").lower()
        for word in options
        if not (word.startswith("[") and word.endswith("]"))  # a link
    ]


def camel_words(word: str) -> str:
    """The words that a CamelCase word is made of, between spaces; "" when it is none."""
    return " ".join(_CAMEL_PART.findall(word)) if _CAMEL.fullmatch(word) else ""


@dataclass(frozen=True, slots=True)
class Phrase:
    """Neighbouring terms, in order; with `prefix`, the last one may go on."""

    terms: tuple[str, ...]
    prefix: bool = False


def phrase(literal: str) -> Phrase | None:
    """The phrase that finds a literal piece of text wherever it stands, or None if it is empty.

    The last run of CJK characters loses its lone last character, since in a text more may
    follow; a single character becomes a prefix, which finds it as the first of any pair.
    """
    found = terms(literal)
    if not found:
        return None
    last = found[-1]
    if len(last) == 1 and is_cjk(last):
        if len(found) > 1 and len(found[-2]) == 2 and is_cjk(found[-2]) and found[-2][1] == last:
            return Phrase(tuple(found[:-1]))
        return Phrase(tuple(found), prefix=True)
    return Phrase(tuple(found))


@cache
def pattern(literal: str) -> re.Pattern[str] | None:
    """A pattern that finds in folded text what `phrase(literal)` finds in the index.

    Pieces of the literal may be apart by anything that makes no term, CJK characters by
    white space; a word or number does not match inside a longer one. None if it is empty.
    """
    pieces = [match[0] for match in _TERM.finditer(_CJK_GAP.sub("", fold(literal)))]
    if not pieces:
        return None
    rest = "".join(_apart(one, other) + _chars(other) for one, other in pairwise(pieces))
    # The border before is looked at after the first piece: a pattern that begins with letters is
    # found by them, many times as fast as one that asks at every character what stands before it.
    return re.compile(_chars(pieces[0]) + _before(pieces[0]) + rest + _after(pieces[-1]))


def _chars(piece: str) -> str:
    return r"\s*".join(map(re.escape, piece)) if is_cjk(piece) else re.escape(piece)


def _apart(one: str, other: str) -> str:
    """What stands between two pieces; two words, or two numbers, would be one without it."""
    alike = _kind(one) == _kind(other) and _kind(one) in ("letters", "digits")
    return r"[\W_]+" if alike else r"[\W_]*"


def _kind(piece: str) -> str:
    if is_cjk(piece):
        return "cjk"
    if piece.isdigit():
        return "digits"
    return "letters" if piece[0].isalnum() else "signs"


def _before(piece: str) -> str:
    """A word or number does not begin inside a longer one; stands after it."""
    same = {"digits": r"\d", "letters": _LETTER}.get(_kind(piece))
    return f"(?<!{same}{re.escape(piece)})" if same else ""


def _after(piece: str) -> str:
    same = {"digits": r"\d", "letters": _LETTER}.get(_kind(piece))
    return f"(?!{same})" if same else ""


def is_cjk(text: str) -> bool:
    """Whether a text begins with a Chinese, Japanese or Korean character."""
    return bool(_CJK_CHAR.match(text))
