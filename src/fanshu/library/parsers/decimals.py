"""The numbering 1, 1.1, 1.1.1 of technical texts, told from figures, dates and versions.

A number is a heading when it follows in the number tree: after 1.1 comes 1.1.1, 1.2 or 2.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from fanshu.library.parsers.numbering import DECIMAL, DECIMAL_RANK, has_leader

WINDOW = 40
MISSING = 1.5  # cost of a number that was left out
SKIPPED_PARENT = 0.5  # 2.1 after 1.3: the heading 2 is a chapter, or has no line of its own
MAX_GAP = 3
LATE_START = 4.0
MAX_HEADING = 60
MIN_CHAIN = 3
_SENTENCE = tuple("。；;，,、")
_NO_TITLE = frozenset("0123456789.%％‰/~～-—×*+=亿万元年月日号个倍℃°<>")
_UNITS = ("GB", "MB", "KB", "GHz", "MHz", "kHz", "Hz", "mm", "cm", "km", "kg", "ms", "kW", "kV")

Number = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Candidate:
    line: int
    number: Number
    title: str
    weight: float


def find(lines: Sequence[str], inside: Sequence[int]) -> list[tuple[int, str, int]]:
    """Line, title and rank of the decimal headings among the lines `inside`."""
    candidates = [found for at in inside if (found := _candidate(at, lines[at]))]
    if sum(len(found.number) > 1 for found in candidates) < 2:
        return []
    best = _chain(candidates)
    if len(best) < MIN_CHAIN or sum(len(found.number) > 1 for found in best) < 2:
        return []
    return [(item.line, item.title, DECIMAL_RANK + len(item.number)) for item in best]


def _candidate(at: int, line: str) -> _Candidate | None:
    match = DECIMAL.match(line)
    if not match or has_leader(line):
        return None
    text, spaced = match[4], bool(match[2] or match[3])
    number = tuple(map(int, match[1].replace("．", ".").split(".")))
    if not text or text[0] in _NO_TITLE or text.startswith(_UNITS):
        return None
    single = len(number) == 1
    if not spaced and (single or text[0].isascii()):
        return None
    if line.endswith(_SENTENCE) or len(line) > MAX_HEADING:
        return None if single else _Candidate(at, number, match[1], 1.0)
    return _Candidate(at, number, line, 1.5 if single else 2.5)


def _chain(candidates: Sequence[_Candidate]) -> list[_Candidate]:
    best: list[float] = []
    before: list[int | None] = []
    for at, current in enumerate(candidates):
        score, previous = -_start_cost(current.number), None
        for earlier in range(max(0, at - WINDOW), at):
            cost = _cost(candidates[earlier].number, current.number)
            if cost is not None and best[earlier] - cost > score:
                score, previous = best[earlier] - cost, earlier
        best.append(score + current.weight)
        before.append(previous)
    # Of equal chains the last one: the first may be a table of contents.
    at_last: int | None = max(range(len(best)), key=lambda at: (best[at], at))
    found: list[_Candidate] = []
    while at_last is not None:
        found.append(candidates[at_last])
        at_last = before[at_last]
    return found[::-1]


def _start_cost(number: Number) -> float:
    return 0.0 if all(part <= 1 for part in number) else LATE_START


def _cost(one: Number, two: Number) -> float | None:
    """What it costs to go from one number to the other; None when that cannot be."""
    shared = 0
    while shared < min(len(one), len(two)) and one[shared] == two[shared]:
        shared += 1
    if shared == len(two):
        return None
    step = two[shared] - (one[shared] if shared < len(one) else 0)
    below = two[shared + 1 :]
    if not 1 <= step <= MAX_GAP + 1 or any(part != 1 for part in below):
        return None
    return MISSING * (step - 1) + SKIPPED_PARENT * len(below)
