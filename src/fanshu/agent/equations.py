"""Equations that an answer shows (3×2×2=12, 300 秒 = 5 分钟), found among its figures."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise, takewhile

from fanshu.agent.amounts import Figure
from fanshu.agent.arithmetic import Side, balanced, comparable, holds, same_amount

_OPERATORS = {
    **dict.fromkeys(("×", "*", "x", "X", "·", "乘以", "乘", "times", "multiplied by"), "*"),
    **dict.fromkeys(("÷", "/", "除以", "divided by"), "/"),
    **dict.fromkeys(("+", "加上", "加", "plus"), "+"),
    **dict.fromkeys(("-", "减去", "减", "minus"), "-"),
    "^": "^",
}
_EQUALS = ("=", "==", "≈", "等于", "约等于", "equals", "即", "得", "is")
_NEARLY = ("≈", "约等于")
_SIGNS = "|".join(re.escape(s) for s in sorted([*_OPERATORS, *_EQUALS], key=len, reverse=True))
_GAP = re.compile(
    r"(?:/\s?[A-Za-z]{1,6}|/?[\u4e00-\u9fff]{0,6}?|[ ][A-Za-z]{2,12})\s*(?:\([^()\d]{0,20}\))?"
    rf"(?P<closed>[)\s]*)(?P<sign>{_SIGNS})\s*(?:约\s*)?(?P<opened>[(\s]*)[¥$€]?"
)
_RESTATED = re.compile(r"\s?[(,]\s?(?:即|i\.e\.,?|or|约)?\s?")
_BRACKETS_BEFORE = re.compile(r"[(\s]*\Z")
_BRACKETS_AFTER = re.compile(r"[)\s]*")

CONSTANTS = frozenset(
    map(Fraction, (7, 12, 24, 30, 60, 100, 365, 1000, 1024, 1440, 3600, 86400, 1024**2, 1024**3))
)  # what converts one unit into another needs no source
MAX_TOKENS = 200  # of one equation; more is no arithmetic for a reader


@dataclass(frozen=True, slots=True)
class Sum:
    """An equation as it stands in an answer, from `start` to `end` of its plain text.

    `operands` are what goes in, `results` what is said to come out. `holds`: it is right.
    """

    text: str
    start: int
    end: int
    operands: tuple[Figure, ...]
    results: tuple[Figure, ...]
    holds: bool


def sums(text: str, found: Sequence[Figure]) -> tuple[Sum, ...]:
    """The equations in a plain text, whose figures are `found`; first things first."""
    equations = [one for chain in _chains(text, found) if (one := _sum(text, chain))]
    restated = [one for pair in pairwise(found) if (one := _restated(text, *pair))]
    return tuple(sorted((*equations, *restated), key=lambda one: (one.end, one.start)))


def _chains(text: str, found: Sequence[Figure]) -> Iterator[list[Figure | str]]:
    """Runs of figures with signs between them."""
    chain: list[Figure | str] = [*found[:1]]
    for before, figure in pairwise(found):
        link = _link(text, before, figure)
        if link is None:
            yield chain
            chain = [figure]
        else:
            chain += [*link, _unsigned(figure) if link == ["-"] else figure]
    yield chain


def _link(text: str, before: Figure, figure: Figure) -> list[str] | None:
    """The signs and brackets between two neighbours, None if anything else is."""
    if {before.kind, figure.kind} - {"number", "date"}:
        return None
    gap = text[before.end : figure.start]
    if not gap.strip() and figure.text.startswith("-"):
        return ["-"]
    match = _GAP.fullmatch(gap)
    if match:
        sign = _OPERATORS.get(match["sign"], "≈" if match["sign"] in _NEARLY else "=")
        return [*match["closed"].replace(" ", ""), sign, *match["opened"].replace(" ", "")]
    return None


def _unsigned(figure: Figure) -> Figure:
    """-1 in `120 -1` is 1 taken away."""
    return replace(figure, value=abs(figure.value), key=figure.key.lstrip("-"))


def _sum(text: str, chain: list[Figure | str]) -> Sum | None:
    sides, signs = _sides(chain)
    if not signs or len(chain) > MAX_TOKENS:
        return None
    figures = [token for token in chain if isinstance(token, Figure)]
    span = figures[0].start, figures[-1].end
    shown = text[slice(*span)]
    if any(side.computed for side in sides):
        return _equation(shown, span, text, sides, "≈" in signs)
    return _conversion(shown, [side.figures[0] for side in sides])


def _sides(chain: Sequence[Figure | str]) -> tuple[list[Side], list[str]]:
    sides: list[list[Figure | str]] = [[]]
    signs: list[str] = []
    for token in chain:
        if token in ("=", "≈"):
            signs.append(str(token))
            sides.append([])
        else:
            sides[-1].append(token)
    return [Side(tuple(side)) for side in sides], signs


def _equation(
    shown: str, span: tuple[int, int], text: str, sides: list[Side], nearly: bool
) -> Sum | None:
    opened = _BRACKETS_BEFORE.search(text[max(0, span[0] - 4) : span[0]])
    closed = _BRACKETS_AFTER.match(text, span[1])
    before, after = (match[0].replace(" ", "") if match else "" for match in (opened, closed))
    sides[0] = Side((*before, *sides[0].tokens))
    sides[-1] = Side((*sides[-1].tokens, *after))
    kept = [balanced(side) for side in sides]
    verdict = holds(kept, nearly)
    if verdict is None:
        return None
    shown = _outer("(", kept[0].tokens) + shown + _outer(")", kept[-1].tokens[::-1])
    operands = tuple(f for side in sides if side.computed for f in side.figures)
    results = tuple(f for side in sides if not side.computed for f in side.figures)
    return Sum(shown, *span, operands, results, verdict)


def _outer(bracket: str, tokens: Sequence[Figure | str]) -> str:
    """The brackets that come before the first figure."""
    return "".join(takewhile(lambda token: token == bracket, map(str, tokens)))


def _conversion(shown: str, amounts: Sequence[Figure]) -> Sum | None:
    """One amount in two units: 300 seconds = 5 minutes."""
    first, *others = amounts
    if not all(comparable(first, other) for other in others):
        return None
    right = all(same_amount(first, other) for other in others)
    if not right and not all(other.unit and first.unit for other in others):
        return None  # `size = 5` is no claim about an amount
    return Sum(shown, first.start, amounts[-1].end, (first,), tuple(others), right)


def _restated(text: str, first: Figure, second: Figure) -> Sum | None:
    """An amount said again beside itself, 67108864 (64M): if it is not the same, no matter."""
    if not _RESTATED.fullmatch(text[first.end : second.start]):
        return None
    shown = f"{first.text} = {second.text}"
    if not comparable(first, second) or not same_amount(first, second):
        return None
    return Sum(shown, first.start, second.end, (first,), (second,), holds=True)
