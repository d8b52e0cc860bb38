"""Copies among hits: the same text in several files is shown once and named everywhere.

Only across files: what one file says twice are two places of it. White space, punctuation and
mark-up do not count, nor width and case; every word, figure and sign does. No measure of likeness
will do: two contracts that differ in a party, a unit or 三十 for 六十 are as alike as two versions
of a page, and such a difference is what readers must see.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from fanshu.library.ranking import Ranked
from fanshu.library.terms import CJK

LENGTHS = 0.9  # the shorter length over the longer; punctuation and mark-up do not make more
COMPARED = 50  # hits that a text is compared with; whoever asks for hundreds reads a list
LEAST_CHARS = 20  # a shorter text is the same by chance, or a heading

# What says nothing, in folded text. Points, colons and dashes do, before a digit: 1.5, 3:1, -5.
_SILENT = re.compile(r"[\s_*`'\"|()\[\]{}《》〈〉【】、;?…·]|[.,:。-](?!\d)")
_BESIDE_CJK = re.compile(rf"(?<=[{CJK}]) | (?=[{CJK}])")


@dataclass(frozen=True, slots=True)
class Distinct:
    """A ranked chunk, and the ids of lower-ranked chunks of other files that say the same."""

    ranked: Ranked
    same: tuple[str, ...] = ()


def distinct(ranked: Iterable[Ranked], k: int) -> list[Distinct]:
    """The first `k` chunks that differ, in order, each with those that repeat it."""
    shown: list[_Text] = []
    for one in ranked:
        text = _Text(one)
        if original := next((other for other in shown[:COMPARED] if text.repeats(other)), None):
            original.same.append(one.chunk.chunk_id)
        elif len(shown) < k:
            shown.append(text)
    return [Distinct(text.ranked, tuple(text.same)) for text in shown]


class _Text:
    """A chunk's text as it is compared; what comparing needs is made when it is needed."""

    def __init__(self, ranked: Ranked) -> None:
        self.ranked = ranked
        self.same: list[str] = []
        self.folded = "".join(ranked.body.split())
        self._said: str | None = None

    @property
    def said(self) -> str:
        """The words, figures and signs, Latin words apart."""
        if self._said is None:
            apart = " ".join(_SILENT.sub(" ", self.ranked.body).split())
            self._said = _BESIDE_CJK.sub("", apart)
        return self._said

    def repeats(self, other: "_Text") -> bool:
        """Whether this says the same as a text of another file."""
        if self.ranked.chunk.file_path == other.ranked.chunk.file_path:
            return False
        short, long = sorted((len(self.folded), len(other.folded)))
        return short >= max(LEAST_CHARS, LENGTHS * long) and self.said == other.said
