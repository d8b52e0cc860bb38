"""What a hit shows: the one sentence, list item or table row that matches best."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fanshu.library.passages import Passage, passages
from fanshu.library.ranking import Term
from fanshu.library.terms import fold, fold_map

_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")

_BORDER = re.compile(r"\s|[、，。；：！？（](?=.)")  # where a cut line may begin

SNIPPET_CHARS = 130
COMPLETE_CHARS = 160  # a chunk of no more text than this is shown whole
BEFORE = 30  # characters shown before a word; what it is about to say stands after it
FIGURE_BONUS = 0.15  # of two passages that match alike, the one with a figure says more


@dataclass(frozen=True, slots=True)
class Snippet:
    """A line of text without line ends; `complete`: it is all the chunk has to say."""

    text: str
    complete: bool


def snippet(text: str, words: Sequence[Term], heading: str = "") -> Snippet:
    """The passage of a chunk's text that holds most of the words' weight, cut around them.

    Headings are left out, `heading` being the last one: a hit is shown with them anyway.
    """
    found = passages(text)
    title = fold(heading)
    body = [p for p in found if p.kind != "heading" and fold(text[p.start : p.end]) != title]
    whole = flat(" ".join(text[p.start : p.end] for p in body))
    if len(whole) <= COMPLETE_CHARS:
        return Snippet(whole, complete=True)
    best = max(body, key=lambda passage: _value(text, passage, words))
    return Snippet(_cut(flat(text[best.start : best.end]), words), complete=False)


def flat(text: str) -> str:
    """A text in one line: white space collapsed, of links only their text."""
    return " ".join(_LINK.sub(r"\1", text).split())


def _value(text: str, passage: Passage, words: Sequence[Term]) -> float:
    piece = fold(text[passage.start : passage.end])
    value = sum(word.weight for word in words if word.pattern.search(piece))
    return value * (1 + FIGURE_BONUS * any(char.isdigit() for char in piece))


def _cut(line: str, words: Sequence[Term]) -> str:
    """At most `SNIPPET_CHARS` of a line: the piece with most of the words, and with figures."""
    if len(line) <= SNIPPET_CHARS:
        return line
    folded, offsets = fold_map(line)
    found = [(w, offsets[m.start()]) for w in words for m in w.pattern.finditer(folded)]
    last = len(line) - SNIPPET_CHARS
    starts = {max(0, min(place - BEFORE, last)) for _, place in found} or {0}
    start = max(sorted(starts), key=lambda at: _worth(line, at, found))
    if start and (border := _BORDER.search(line, start, start + BEFORE)):
        start = border.end()
    piece = line[start : start + SNIPPET_CHARS].strip()
    return ("…" if start else "") + piece + ("…" if start + SNIPPET_CHARS < len(line) else "")


def _worth(line: str, start: int, found: Sequence[tuple[Term, int]]) -> float:
    end = start + SNIPPET_CHARS
    held = {word.text: word.weight for word, place in found if start <= place < end}
    return sum(held.values()) * (1 + FIGURE_BONUS * any(c.isdigit() for c in line[start:end]))
