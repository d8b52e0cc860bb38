"""Working out the sides of an equation: exact fractions, no `eval`.

+ - × ÷ ^ and brackets; percent; days between dates; amounts in different units.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction

from fanshu.agent.amounts import Figure
from fanshu.agent.dates import months_later
from fanshu.agent.units import PERCENT, kin, same_quantity

MAX_POWER = 64


@dataclass(frozen=True, slots=True)
class Side:
    """One side of an equation: figures and signs, as they follow each other."""

    tokens: tuple[Figure | str, ...]

    @property
    def figures(self) -> tuple[Figure, ...]:
        return tuple(token for token in self.tokens if isinstance(token, Figure))

    @property
    def computed(self) -> bool:
        return len(self.figures) > 1


def balanced(side: Side) -> Side:
    """Without brackets at its ends that have no partner: those enclose the whole equation."""
    tokens = list(side.tokens)
    while tokens.count("(") > tokens.count(")") and tokens[0] == "(":
        tokens.pop(0)
    while tokens.count(")") > tokens.count("(") and tokens[-1] == ")":
        tokens.pop()
    return Side(tuple(tokens))


def comparable(a: Figure, b: Figure) -> bool:
    if a.kind != "number" or b.kind != "number" or not (a.unit or b.unit):
        return False
    return not a.unit or not b.unit or kin(a.unit, b.unit)


def same_amount(a: Figure, b: Figure) -> bool:
    if a.unit and b.unit:
        return same_quantity(a.value, a.unit, b.value, b.unit)
    with_unit, bare = (a, b) if a.unit else (b, a)
    return any(with_unit.value * sense.factor == bare.value for sense in with_unit.unit)


Worth = Callable[[Figure], Fraction | None]


def holds(sides: Sequence[Side], nearly: bool) -> bool | None:
    """Whether all sides come to the same; None if they cannot be worked out.

    `nearly`: the result is said to be rounded.
    """
    verdicts = [_agrees(sides, worth, nearly) for worth in _worths(sides)]
    known = [verdict for verdict in verdicts if verdict is not None]
    return any(known) if known else None


def _worths(sides: Sequence[Side]) -> list[Worth]:
    """The ways to take the figures: as days of a calendar, as written, or in base units."""
    figures = [figure for side in sides for figure in side.figures]
    if any(figure.kind == "date" for figure in figures):
        return [_days]
    ways: list[Worth] = [_base(min), _base(max)]
    return ways if _mixed_units(figures) else [_as_written, *ways]


def _mixed_units(figures: Sequence[Figure]) -> bool:
    """Whether one dimension is given in two units, so that bare numbers cannot be compared."""
    units = {figure.unit for figure in figures if figure.unit and figure.unit != PERCENT}
    return any(kin(a, b) and not a & b for a in units for b in units)


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
        if figure.unit and not factors:
            return None
        return figure.value * (factors[0] / 86400 if factors else 1)
    year, month, day = figure.day
    if year is None or month is None or day is None:
        return None
    try:
        return Fraction(date(year, month, day).toordinal())
    except ValueError:
        return None


def _agrees(sides: Sequence[Side], worth: Worth, nearly: bool) -> bool | None:
    """Whether all sides come to the same; None if one cannot be worked out."""
    values = [_value(side, worth) for side in sides]
    if any(value is None for value in values):
        return None
    first = next(v for v, side in zip(values, sides, strict=True) if side.computed)
    return all(
        value is not None and first is not None and abs(value - first) <= _slack(side, nearly)
        for value, side in zip(values, sides, strict=True)
    )


def _slack(side: Side, nearly: bool) -> Fraction:
    """Half of the last decimal place that is shown; of the last digit where it says ≈."""
    if side.computed:
        return Fraction(0)
    figure = side.figures[0]
    places = len(figure.key.partition(".")[2])
    if not places and not nearly:
        return Fraction(0)
    percent = 100 if figure.unit == PERCENT else 1
    return Fraction(1, 2 * 10**places * percent)


def _value(side: Side, worth: Worth) -> Fraction | None:
    tokens = _moved(side.tokens)
    try:
        value = _terms(tokens, worth)
    except (ArithmeticError, IndexError):
        return None
    return value if not tokens else None


def _moved(tokens: Sequence[Figure | str]) -> list[Figure | str]:
    """With the months that are added to a date, or taken from it, counted by the calendar."""
    moved: list[Figure | str] = []
    for token in tokens:
        match moved[-2:]:
            case [Figure(kind="date") as day, "+" | "-" as sign] if months := _months(token):
                later = months_later(day.day, months if sign == "+" else -months)
                moved[-2:] = [replace(day, day=later)]
            case _:
                moved.append(token)
    return moved


def _months(token: Figure | str) -> int | None:
    if isinstance(token, str) or token.value.denominator != 1:
        return None
    factors = [int(sense.factor) for sense in token.unit if sense.dimension == "month"]
    return int(token.value) * factors[0] if factors else None


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
