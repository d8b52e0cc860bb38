"""At least or at most: figures whose bound an answer has turned round."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from fanshu.agent.amounts import Figure, plain
from fanshu.agent.figures import figures
from fanshu.agent.sameness import says_same

Bound = Literal["least", "most"]

_NOT = r"(?P<not>不得?|不能|不应当?|不宜|不可以?|未|没有|not(?: be)?\s|no\s|n't(?: be)?\s)?\s*"
_GAP = r"[^\d，。；、,;.:()]{0,12}?"
_OVER = r"超过|大于|高于|多于|超出|逾|more|greater|higher|longer|larger|over|above|later"
_OVER += r"|exceed(?:s|ing)?"
_UNDER = r"少于|低于|小于|不足|不到|不满|less|fewer|lower|shorter|smaller|under|below"
_LEAST = r"至少|最少|起码|(?<!不)满|at least|>=|≥|>"
_MOST = r"至多|最多|at most|up to|within|<=|≤|<"
_BEFORE = re.compile(
    rf"(?:{_NOT}(?:(?P<over>{_OVER})|(?P<under>{_UNDER}))|(?P<least>{_LEAST})|(?P<most>{_MOST}))"
    rf"{_GAP}\Z",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"\s*的?(?:(?P<least>(?:及|或)?以上|or (?:more|higher|later|above))"
    r"|(?P<most>(?:及|或)?以下|以内|之内|内(?![存部核])|or (?:less|fewer|lower|below)))",
    re.IGNORECASE,
)
NEAR = 24  # characters before a figure in which its bound stands
# "must not run for more than 10 minutes": at most, but what is denied so far off is not judged.
_DENIED = re.compile(
    r"(?:不得|不能|不可|不应|不宜|不许|不准|禁止|勿|(?<![a-z])(?:not|never|no|cannot)(?![a-z])|n't)"
    r"[^。；;.!?！？\n]{1,60}\Z",
    re.IGNORECASE,
)


def turned_round(response: str, passages: Sequence[str]) -> tuple[str, ...]:
    """The figures of an answer with a bound that the passages give the other way round."""
    stated = [one for passage in passages for one in _bounded(passage)]
    return tuple(
        dict.fromkeys(
            words
            for claim, bound, words in _bounded(response)
            if bound and _opposite(bound, [b for one, b, _ in stated if says_same(claim, one)])
        )
    )


def between(case: Figure, passage: str) -> str | None:
    """How a figure lies within the limits that a passage sets: 16 ≤ 17 ≤ 18 degrees."""
    limits = list(_limits(plain(passage)))
    least = [one for one, bound in limits if bound == "least" and _reaches(case, one)]
    most = [one for one, bound in limits if bound == "most" and _reaches(one, case)]
    if not case.unit or not least or not most:
        return None
    lowest, highest = max(least, key=lambda f: f.value), min(most, key=lambda f: f.value)
    return f"{lowest.text} ≤ {case.text} ≤ {highest.text}"


_TO = re.compile(r"\s*(?:至|到|~|-|to|and)\s*")


def _limits(text: str) -> Iterator[tuple[Figure, Bound | None]]:
    """The numbers of a plain text with their bounds; the ends of a range are bounds too."""
    found = list(_bounded(text))
    for (one, bound, _), (other, *_) in zip(found, [*found[1:], *found[-1:]], strict=True):
        if other.start > one.end and _TO.fullmatch(text, one.end, other.start):
            unit = one.unit or other.unit
            yield replace(one, unit=unit), "least"
            yield other, "most"
        yield one, bound


def _reaches(more: Figure, less: Figure) -> bool:
    """Whether a figure is at least another one, both in the same unit."""
    shared = more.unit & less.unit
    return bool(shared) and more.value >= less.value


def _opposite(bound: Bound, found: Sequence[Bound | None]) -> bool:
    return bool(found) and all(one is not None and one != bound for one in found)


def _bounded(text: str) -> Iterator[tuple[Figure, Bound | None, str]]:
    """The numbers of a text, each with its bound, if it has one, and the words that say so."""
    ready = plain(text)
    for one in figures(ready):
        if one.kind == "number":
            before = _BEFORE.search(ready, max(0, one.start - NEAR), one.start)
            after = _AFTER.match(ready, one.end)
            start = before.start() if before else one.start
            words = ready[start : after.end() if after else one.end]
            denied = before and not before["not"] and _DENIED.search(ready, 0, before.start())
            yield one, None if denied else _bound(before, after), words


def _bound(before: re.Match[str] | None, after: re.Match[str] | None) -> Bound | None:
    if before:
        if before["least"] or before["most"]:
            return "least" if before["least"] else "most"
        return "least" if bool(before["over"]) != bool(before["not"]) else "most"
    if after:
        return "least" if after["least"] else "most"
    return None
