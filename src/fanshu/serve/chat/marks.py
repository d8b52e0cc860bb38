"""Numbers in an answer that lead to its sources, as the page sets them.

A number stands at the end of the clause with the first figure that a source shares with the answer,
or its last in that sentence; a source that shares none is named at the end. Numbers that the answer
itself writes count as those of its sources.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fanshu.types import Answer, Citation

Source = tuple[Citation, ...]

FIGURE = re.compile(r"\d+(?:[.,:]\d+)*")
WRITTEN = re.compile(r"\[(\d{1,2})\](?![(\[:])")
_SENTENCE_END = re.compile(r"[。！？；;!?\n]|\.\s")
# No number may stand inside of these: fences, addresses of links, numbers of a list, other numbers.
_CLOSED = re.compile(
    r"(?s:```.*?(?:```|\Z))|\]\([^)\n]*\)|<[^>\n]*>|(?m:^\s*\d+[.)]\s)|\[\d{1,2}\]|https?://\S+"
)
_CLAUSE_END = re.compile(r"[。！？；，、!?;\n|]|[,.:](?=\s|\Z)|\s(?=\[\d)")
_CODE = re.compile(r"`[^`\n]+`")


@dataclass(frozen=True, slots=True)
class Mark:
    """A number in a text: the characters from `start` to `end` name the source `number`."""

    number: int
    start: int
    end: int


def sources_of(answer: Answer) -> tuple[Source, ...]:
    """What stands under one number: a citation; of passages, neighbours of one chunk together."""
    sources: list[Source] = []
    for cited in answer.citations:
        together = answer.status == "passages" and sources
        if together and sources[-1][-1].chunk_id == cited.chunk_id:
            sources[-1] += (cited,)
        else:
            sources.append((cited,))
    return tuple(sources)


def marked(text: str, sources: Sequence[Source]) -> tuple[str, tuple[Mark, ...]]:
    """A text with the numbers of its sources, and where they stand in it."""
    named = {int(one[1]) for one in WRITTEN.finditer(text)}
    places = [
        (_behind_figure(text, source), number)
        for number, source in enumerate(sources, 1)
        if number not in named
    ]
    for at, number in sorted(places, reverse=True):
        text = _inserted(text, at, number)
    marks = (Mark(int(one[1]), one.start(), one.end()) for one in WRITTEN.finditer(text))
    return text, tuple(one for one in marks if one.number <= len(sources))


def _inserted(text: str, at: int, number: int) -> str:
    before, after = text[:at], text[at:]
    gap = "\n\n" if before.endswith("```") else "" if before[-1:] == "]" else " "
    return f"{before}{gap}[{number}]{' ' if after[:1] in tuple('([:') else ''}{after}"


def _behind_figure(text: str, source: Source) -> int:
    """Where the number of a source belongs; the end of the text when it shares no figure."""
    stands = {figure for one in source for figure in FIGURE.findall(one.passage)}
    closed = [one.span() for one in _CLOSED.finditer(text)]
    found = [
        one
        for one in FIGURE.finditer(text)
        if one[0] in stands and not any(a <= one.start() < b for a, b in closed)
    ]
    if not found:
        return len(text.rstrip())
    same = [one for one in found if not _SENTENCE_END.search(text, found[0].start(), one.start())]
    return _clause_end(text, same[-1].end(), closed)


def _clause_end(text: str, at: int, closed: Sequence[tuple[int, int]]) -> int:
    """Where the clause around a place ends, outside of code and addresses."""
    spans = [*closed, *(one.span() for one in _CODE.finditer(text))]
    ends = (one.start() for one in _CLAUSE_END.finditer(text, at))
    free = (end for end in ends if not any(a < end < b for a, b in spans))
    return len(text[: next(free, len(text))].rstrip())
