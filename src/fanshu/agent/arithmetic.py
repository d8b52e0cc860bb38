"""Arithmetic that an answer shows (3×2×2=12, 300 秒 = 5 分钟), found and worked out again.

No `eval`: + - × ÷ % ^ and brackets over exact fractions, days between dates, units of one
dimension turned into each other.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from itertools import pairwise

from fanshu.agent.figures import Figure
from fanshu.agent.units import PERCENT, same_quantity

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
MAX_POWER = 64
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


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of an equation: figures and signs, as they follow each other."""

    tokens: tuple[Figure | str, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(token for token in self.tokens if isinstance(token, Figure))

    @property
    def computed(self) -> bool:
        return len(self.figures) > 1


def sums(text: str, found: Sequence[Figure]) -> tuple[Sum, ...]:
    """The equations in a plain text, whose figures are `found`; first things first."""
    return tuple(one for chain in _chains(text, found) if (one := _sum(text, chain)))


# ---------------------------------------------------------------- finding equations


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
    return ["restated"] if _RESTATED.fullmatch(gap) else None


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
    return _conversion(shown, span, sides, "restated" in signs)


def _sides(chain: Sequence[Figure | str]) -> tuple[list[_Side], list[str]]:
    sides: list[list[Figure | str]] = [[]]
    signs: list[str] = []
    for token in chain:
        if token in ("=", "≈", "restated"):
            signs.append(str(token))
            sides.append([])
        else:
            sides[-1].append(token)
    return [_Side(tuple(side)) for side in sides], signs


def _equation(
    shown: str, span: tuple[int, int], text: str, sides: list[_Side], nearly: bool
) -> Sum | None:
    opened = _BRACKETS_BEFORE.search(text[max(0, span[0] - 4) : span[0]])
    closed = _BRACKETS_AFTER.match(text, span[1])
    sides[0] = _Side((*(opened[0].replace(" ", "") if opened else ""), *sides[0].tokens))
    sides[-1] = _Side((*sides[-1].tokens, *(closed[0].replace(" ", "") if closed else "")))
    balanced = [_balanced(side) for side in sides]
    verdicts = [_agrees(balanced, worth, nearly) for worth in _worths(sides)]
    if not verdicts or all(verdict is None for verdict in verdicts):
        return None
    operands = tuple(f for side in sides if side.computed for f in side.figures)
    results = tuple(f for side in sides if not side.computed for f in side.figures)
    return Sum(shown, *span, operands, results, any(verdicts))


def _balanced(side: _Side) -> _Side:
    """Without brackets at its ends that have no partner: those enclose the whole equation."""
    tokens = list(side.tokens)
    while tokens.count("(") > tokens.count(")") and tokens[0] == "(":
        tokens.pop(0)
    while tokens.count(")") > tokens.count("(") and tokens[-1] == ")":
        tokens.pop()
    return _Side(tuple(tokens))


def _conversion(
    shown: str, span: tuple[int, int], sides: list[_Side], restated: bool
) -> Sum | None:
    """One amount said twice in two units. Side by side without `=`, it need not be one."""
    first, *others = (side.figures[0] for side in sides)
    if not all(_comparable(first, other) for other in others):
        return None
    holds = all(_same_amount(first, other) for other in others)
    if not holds and (restated or not all(other.unit and first.unit for other in others)):
        return None
    return Sum(shown, *span, (first,), tuple(others), holds)


def _comparable(a: Figure, b: Figure) -> bool:
    if a.kind != "number" or b.kind != "number" or not (a.unit or b.unit):
        return False
    shared = {sense.dimension for sense in a.unit} & {sense.dimension for sense in b.unit}
    return bool(shared) or not a.unit or not b.unit


def _same_amount(a: Figure, b: Figure) -> bool:
    if a.unit and b.unit:
        return same_quantity(a.value, a.unit, b.value, b.unit)
    with_unit, bare = (a, b) if a.unit else (b, a)
    return any(with_unit.value * sense.factor == bare.value for sense in with_unit.unit)


# ---------------------------------------------------------------- working them out

Worth = Callable[[Figure], Fraction | None]


def _worths(sides: Sequence[_Side]) -> list[Worth]:
    """The ways to take the figures: as days of a calendar, as written, or in base units."""
    figures = [figure for side in sides for figure in side.figures]
    if any(figure.kind == "date" for figure in figures):
        return [_days]
    ways: list[Worth] = [_base(min), _base(max)]
    return ways if _mixed_units(figures) else [_as_written, *ways]


def _mixed_units(figures: Sequence[Figure]) -> bool:
    """Whether one dimension is given in two units, so that bare numbers cannot be compared."""
    units = {figure.unit for figure in figures if figure.unit and figure.unit != PERCENT}
    return any(
        {s.dimension for s in a} & {s.dimension for s in b} and not a & b
        for a in units
        for b in units
        if a is not b
    )


def _as_written(figure: Figure) -> Fraction | None:
    return figure.value / 100 if figure.unit == PERCENT else figure.value


def _base(choose: Callable[[list[Fraction]], Fraction]) -> Worth:
    def worth(figure: Figure) -> Fraction | None:
        factors = [sense.factor for sense in figure.unit]
        return figure.value * (choose(factors) if factors else 1)

    return worth


def _days(figure: Figure) -> Fraction | None:
    if figure.kind == "number":
        factors = [sense.factor for sense in figure.unit if sense.dimension == "time"]
        return figure.value * (factors[0] / 86400 if factors else 1)
    year, month, day = figure.day
    if year is None or month is None or day is None:
        return None
    try:
        return Fraction(date(year, month, day).toordinal())
    except ValueError:
        return None


def _agrees(sides: Sequence[_Side], worth: Worth, nearly: bool) -> bool | None:
    """Whether all sides come to the same; None if one cannot be worked out."""
    values = [_value(side, worth) for side in sides]
    if any(value is None for value in values):
        return None
    first = next(v for v, side in zip(values, sides, strict=True) if side.computed)
    return all(
        value is not None and first is not None and abs(value - first) <= _slack(side, nearly)
        for value, side in zip(values, sides, strict=True)
    )


def _slack(side: _Side, nearly: bool) -> Fraction:
    """Half of the last decimal place that is shown; of the last digit where it says ≈."""
    if side.computed:
        return Fraction(0)
    figure = side.figures[0]
    places = len(figure.key.partition(".")[2])
    if not places and not nearly:
        return Fraction(0)
    percent = 100 if figure.unit == PERCENT else 1
    return Fraction(1, 2 * 10**places * percent)


def _value(side: _Side, worth: Worth) -> Fraction | None:
    tokens = list(side.tokens)
    try:
        value = _terms(tokens, worth)
    except (ArithmeticError, IndexError):
        return None
    return value if not tokens else None


def _terms(tokens: list[Figure | str], worth: Worth) -> Fraction:
    value = _factors(tokens, worth)
    while tokens and tokens[0] in ("+", "-"):
        sign = 1 if tokens.pop(0) == "+" else -1
        value += sign * _factors(tokens, worth)
    return value


def _factors(tokens: list[Figure | str], worth: Worth) -> Fraction:
    value = _power(tokens, worth)
    while tokens and tokens[0] in ("*", "/"):
        times = tokens.pop(0) == "*"
        other = _power(tokens, worth)
        value = value * other if times else value / other
    return value


def _power(tokens: list[Figure | str], worth: Worth) -> Fraction:
    value = _atom(tokens, worth)
    if tokens and tokens[0] == "^":
        tokens.pop(0)
        exponent = _atom(tokens, worth)
        if exponent.denominator != 1 or abs(exponent) > MAX_POWER:
            raise ArithmeticError
        value = Fraction(value ** int(exponent))
    return value


def _atom(tokens: list[Figure | str], worth: Worth) -> Fraction:
    first = tokens.pop(0)
    if first == "(":
        value = _terms(tokens, worth)
        if tokens.pop(0) != ")":
            raise ArithmeticError
        return value
    taken = worth(first) if isinstance(first, Figure) else None
    if taken is None:
        raise ArithmeticError
    return taken
