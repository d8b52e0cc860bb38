"""Headings → sections: the trail of every section, and no gap between two of them."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from fanshu.types import Lines, Section

MAX_TITLE = 500  # characters: a heading that is longer is a paragraph, and its trail a burden
_LINE_END = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading and the offset at which its line begins.

    `rank` orders headings: a lower one closes all that are equal or higher. `level` is what
    the section says of itself; None means its depth in the trail, at least `least`.
    """

    title: str
    rank: int
    start: int
    line: int | None = None
    level: int | None = None
    least: int = 1
    anchor: str | None = None


def line_starts(text: str) -> list[int]:
    """The offsets at which lines begin. A line end that ends the text begins no line."""
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    if len(starts) > 1 and starts[-1] == len(text):
        starts.pop()
    return starts


def cut(
    text: str, headings: Sequence[Heading], first_line: int | None = None, last_line: int = 0
) -> tuple[Section, ...]:
    """The sections of a text: from each heading to the next, before the first one too.

    Blank text before the first heading belongs to the first section. `first_line` and
    `last_line` are the source lines of the text; without them sections have no lines.
    """
    if not headings:
        lines = (first_line, last_line) if first_line else None
        return (Section((), 0, 0, len(text), lines),) if text else ()
    before = _preamble(text, headings[0], first_line)
    return (*before, *_sections(text, headings, last_line, joins=not before))


def _preamble(text: str, first: Heading, first_line: int | None) -> tuple[Section, ...]:
    if not text[: first.start].strip():
        return ()
    lines = _span(first_line, first.line, first.line or 0)
    return (Section((), 0, 0, first.start, lines),)


def _sections(
    text: str, headings: Sequence[Heading], last_line: int, *, joins: bool
) -> list[Section]:
    sections: list[Section] = []
    above: list[tuple[int, str]] = []
    for at, heading in enumerate(headings):
        while above and above[-1][0] >= heading.rank:
            above.pop()
        above.append((heading.rank, heading.title[:MAX_TITLE]))
        following = headings[at + 1] if at + 1 < len(headings) else None
        start = 0 if at == 0 and joins else heading.start
        end = following.start if following else len(text)
        if end > start:
            level = heading.level if heading.level is not None else max(len(above), heading.least)
            lines = _span(heading.line, following.line if following else None, last_line)
            trail = tuple(title for _, title in above)
            sections.append(Section(trail, level, start, end, lines, anchor=heading.anchor))
    return sections


def _span(first: int | None, following: int | None, last: int) -> Lines | None:
    if first is None:
        return None
    return first, max(first, following - 1 if following is not None else last)
