"""A passage as a row of tokens that two passages can be laid side by side by.

Chinese characters one by one, Latin words by their stems, figures as one mark each; particles
and punctuation left out, since 有效期为 and 有效期是 say the same.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fanshu.agent.amounts import Figure, plain
from fanshu.agent.figures import figures
from fanshu.library.query import PARTICLES, stem
from fanshu.library.terms import CJK, fold

MOST_CHARS = 400  # of a passage; a longer one is data, or many statements in one
MOST_FIGURES = 24  # a passage with more is a list of numbers
MARK = "#"  # begins the token of a figure

_MAY_HOLD = re.compile(
    r"\d|[一二三四五六七八九十百千万两半](?:[个年月天日周小分秒倍元次人名级]|工作)|百分之"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|half)\b"
)
_NUMBERING = re.compile(
    r"[\s>]*(?:[-*+•·]\s+)?(?:\(?\d{1,3}[.)、．）]|[（(][\d一二三四五六七八九十]{1,3}[)）]"
    r"|[一二三四五六七八九十]{1,3}、|第[\d一二三四五六七八九十百]{1,6}[条章节])\s*"
)
_TOKEN = re.compile(rf"[{CJK}]|[^\W\d_{CJK}]+(?:['_.-][^\W_{CJK}]+)*|\d+")
_SILENT = frozenset(
    "的地得了是为在将把被对从到给于由及其该此即则而也均就都已所之须应可能以需要内后时"
)
_NEGATIONS = frozenset("no not nor without except unless never".split())


@dataclass(frozen=True, slots=True)
class Tokens:
    """A passage in tokens. `marks`: the place of each figure among them, in order."""

    words: tuple[str, ...]
    marks: tuple[int, ...]
    figures: tuple[Figure, ...]


def may_hold_figures(text: str) -> bool:
    """Whether a text can hold a figure at all; cheap."""
    return bool(_MAY_HOLD.search(text))


def tokens(text: str) -> Tokens:
    """The tokens of a passage, read from its first `MOST_CHARS` characters."""
    numbering = _NUMBERING.match(text)
    said = plain(text[numbering.end() if numbering else 0 : MOST_CHARS])
    found = [one for one in figures(said) if not one.idle and one.kind != "identifier"]
    words: list[str] = []
    marks: list[int] = []
    at = 0
    for figure in found[:MOST_FIGURES]:
        words.extend(words_of(said[at : figure.start]))
        marks.append(len(words))
        words.append(MARK + figure.kind)
        at = figure.end
    words.extend(words_of(said[at:]))
    return Tokens(tuple(words), tuple(marks), tuple(found[:MOST_FIGURES]))


def words_of(text: str) -> Iterator[str]:
    """The words of a text that say something."""
    for match in _TOKEN.finditer(fold(text)):
        word = match[0]
        if word[0] < "\u2e80":
            if word in _NEGATIONS or word not in PARTICLES:
                yield stem(word) if word.isalpha() else word
        elif word not in _SILENT:
            yield word


def weight(words: Iterable[str]) -> int:
    """How much words say: a Latin word as much as two Chinese characters; figures nothing."""
    return sum(2 if word.isascii() else 1 for word in words if not word.startswith(MARK))


def features(words: Sequence[str]) -> frozenset[str]:
    """What passages about one thing share: pairs of Chinese characters, Latin words."""
    found = {word for word in words if word[:1].isalpha() and word.isascii() and len(word) > 2}
    for one, two in pairwise(words):
        if one and two and not one.isascii() and not two.isascii():
            found.add(one + two)
    return frozenset(found)
