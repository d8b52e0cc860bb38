"""What a hit shows: the one sentence, list item or table row that matches best."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum

from fanshu.library.passages import Passage, passages
from fanshu.library.ranking import Term
from fanshu.library.terms import fold, fold_map

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")

_BORDER = re.compile(r"\s|[、，。；：！？（](?=.)")  # where a cut line may begin

_DIGIT = re.compile(r"\d")

SNIPPET_CHARS = 130
COMPLETE_CHARS = 160  # a chunk of no more text than this is shown whole
BEFORE = 30  # characters shown before a word; what it is about to say stands after it
SECOND = 0.35  # of the weight of the words; a lesser one is not worth a line
NOTHING = 0.01  # of a passage without any of the words: then figures decide, not the first line
FIGURE_BONUS = 0.15  # of two passages that match alike, the one with a figure says more


@dataclass(frozen=True, slots=True)
class Snippet:
    """A line of text without line ends; `complete`: it is all the chunk has to say.

    `second`: another such line, with words that the first lacks.
    """

    text: str
    complete: bool
    second: str = ""


def snippet(text: str, words: Sequence[Term], heading: str = "") -> Snippet:
    """The passage of a chunk's text that holds most of the words' weight, cut around them.

    Headings are left out, `heading` being the last one: a hit is shown with them anyway.
    """
    found = passages(text)
    title = fold(heading)
    body = [p for p in found if p.kind != "heading" and not _is(title, text[p.start : p.end])]
    whole = flat(" ".join(text[p.start : p.end] for p in body))
    if len(whole) <= COMPLETE_CHARS:
        return Snippet(whole, complete=True)
    best = max(body, key=lambda passage: _value(text, passage, words))
    first = _cut(flat(text[best.start : best.end]), words)
    return Snippet(first, complete=False, second=_second(text, body, first, words))


def _is(title: str, piece: str) -> bool:
    """Whether a piece of text is the heading; one of another length is not folded to see it."""
    return len(piece) < 2 * len(title) + 2 and fold(piece) == title


def _second(text: str, body: Sequence[Passage], first: str, words: Sequence[Term]) -> str:
    """The passage with most of what the first line lacks, if that is much."""
    shown = fold(first)
    lacking = [word for word in words if not word.pattern.search(shown)]
    if sum(word.weight for word in lacking) < SECOND * sum(word.weight for word in words):
        return ""
    best = max(body, key=lambda passage: _value(text, passage, lacking))
    line = _cut(flat(text[best.start : best.end]), lacking)
    held = sum(word.weight for word in lacking if word.pattern.search(fold(line)))
    return line if held >= SECOND * sum(word.weight for word in words) else ""


def flat(text: str) -> str:
    """A text in one line: white space collapsed, of links only their text."""
    return " ".join(_LINK.sub(r"\1", text).split())


def _value(text: str, passage: Passage, words: Sequence[Term]) -> float:
    piece = fold(text[passage.start : passage.end])
    value = NOTHING + sum([word.weight for word in words if word.pattern.search(piece)])
    return value * (1 + FIGURE_BONUS * bool(_DIGIT.search(piece)))


def _cut(line: str, words: Sequence[Term]) -> str:
    """At most `SNIPPET_CHARS` of a line: the piece with most of the words, and with figures."""
    if len(line) <= SNIPPET_CHARS:
        return line
    folded, offsets = fold_map(line)
    found = [(offsets[m.start()], w) for w in words for m in w.pattern.finditer(folded)]
    found.sort(key=_place)
    last = len(line) - SNIPPET_CHARS
    starts = {max(0, min(place - BEFORE, last)) for place, _ in found} or {0}
    start = max(sorted(starts), key=lambda at: _worth(line, at, found))
    if start and (border := _BORDER.search(line, start, start + BEFORE)):
        start = border.end()
    piece = line[start : start + SNIPPET_CHARS].strip()
    return ("…" if start else "") + piece + ("…" if start + SNIPPET_CHARS < len(line) else "")


def _place(found: tuple[int, Term]) -> int:
    return found[0]


def _worth(line: str, start: int, found: Sequence[tuple[int, Term]]) -> float:
    """What a piece of a line holds; `found` are the places of words in it, in order."""
    end = start + SNIPPET_CHARS
    first, beyond = (bisect_left(found, at, key=_place) for at in (start, end))
    held = {word.text: word.weight for _, word in found[first:beyond]}
    return fsum(held.values()) * (1 + FIGURE_BONUS * bool(_DIGIT.search(line, start, end)))
