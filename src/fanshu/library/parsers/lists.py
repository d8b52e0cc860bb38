"""The numbering of notices: 一、 over （一） over 1., each from one and going up by one."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from re import Pattern

from fanshu.library.parsers.numbering import (
    FIRST_LEVEL,
    FIRST_RANK,
    NUMERAL,
    SECOND_LEVEL,
    SECOND_RANK,
    THIRD_LEVEL,
    THIRD_RANK,
    has_leader,
    numeral,
)

MAX_HEADING = 45  # characters of a heading of the second and third level
LONG_LINE = 40  # 一、 with more text than this and a full stop: heading and text in one line
_SENTENCE = tuple("。；;，,")
_LEVELS = ((FIRST_LEVEL, FIRST_RANK), (SECOND_LEVEL, SECOND_RANK), (THIRD_LEVEL, THIRD_RANK))
_AFTER_NUMBER = frozenset(
    NUMERAL.replace("0-9", "0123456789").replace("０-９", "０１２３４５６７８９")
)

Item = tuple[int, str, int]
"""Line, title, rank."""


@dataclass(frozen=True, slots=True)
class _Entry:
    line: int
    title: str
    heading: bool  # reads like a heading rather than like an item of a sentence


def find(lines: Sequence[str], inside: Sequence[int], *, headed: bool) -> list[Item]:
    """The list headings among the lines `inside`; `headed`: a chapter stands above them."""
    return _find(lines, inside, 0, headed=headed)


def _find(lines: Sequence[str], inside: Sequence[int], level: int, *, headed: bool) -> list[Item]:
    if level >= len(_LEVELS) or not inside or (level and not headed):
        return []
    pattern, rank = _LEVELS[level]
    entries = _run(lines, inside, pattern)
    if not _are_headings(lines, inside, entries, level):
        return _find(lines, inside, level + 1, headed=headed)
    found: list[Item] = []
    places = [inside.index(entry.line) for entry in entries]
    for entry, start, end in zip(entries, places, [*places[1:], len(inside)], strict=True):
        found.append((entry.line, entry.title, rank))
        found += _find(lines, inside[start + 1 : end], level + 1, headed=True)
    return found


def _run(lines: Sequence[str], inside: Sequence[int], pattern: Pattern[str]) -> list[_Entry]:
    entries: list[_Entry] = []
    for at in inside:
        match = pattern.match(lines[at])
        if not match or numeral(match[1]) != len(entries) + 1 or has_leader(lines[at]):
            continue
        if match[2][:1] in _AFTER_NUMBER and match[2]:
            continue
        entries.append(_entry(at, lines[at]))
    return entries


def _entry(at: int, line: str) -> _Entry:
    if not line.endswith(_SENTENCE) and len(line) <= MAX_HEADING:
        return _Entry(at, line, heading=True)
    first, stop, rest = line.partition("。")
    whole = bool(stop and rest) and len(first) <= MAX_HEADING
    return _Entry(at, _shortened(first), heading=whole)


def _shortened(title: str) -> str:
    """A title of a readable length, cut at a mark where it can be."""
    if len(title) <= MAX_HEADING:
        return title.rstrip("；;，,")
    for mark in "：；，、":
        short = title[:MAX_HEADING].rpartition(mark)[0]
        if len(short) > 4:
            return short
    return title[:MAX_HEADING] + "…"


def _are_headings(
    lines: Sequence[str], inside: Sequence[int], entries: Sequence[_Entry], level: int
) -> bool:
    """At least two, and half of them read like headings (with text of their own, below 一、)."""
    if len(entries) < 2:
        return False
    if level == 0:
        good = [e for e in entries if e.heading or len(lines[e.line]) > LONG_LINE]
        return 2 * len(good) >= len(entries)
    numbered = {entry.line for entry in entries}
    following = dict(itertools.pairwise(inside))
    good = [
        e
        for e in entries
        if e.heading
        and (following.get(e.line, e.line) not in numbered or len(e.title) < len(lines[e.line]))
    ]
    return 2 * len(good) >= len(entries)
