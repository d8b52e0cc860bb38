"""When two values can be compared, and when they differ."""

from itertools import zip_longest

from fanshu.agent.amounts import Figure
from fanshu.agent.dates import Day
from fanshu.agent.units import kin, same_quantity


def comparable(one: Figure, other: Figure) -> bool:
    """Whether two values are of one kind and dimension; a bare number fits any unit."""
    if one.kind != other.kind:
        return False
    if one.kind == "number" and one.unit and other.unit:
        return kin(one.unit, other.unit)
    return True


def differ(one: Figure, other: Figure) -> bool:
    """Whether two comparable values cannot both be right: 30 s and 1 min do, 60 s and 1 min not."""
    if one.kind == "number":
        readings = ((a, b) for a in (one, *one.parts) for b in (other, *other.parts))
        return not any(_one_amount(a, b) for a, b in readings)
    if one.kind == "date":
        return not any(
            _one_day(a.day, b.day) for a in (one, *one.parts) for b in (other, *other.parts)
        )
    if one.kind == "version":
        return not _one_version(one.key, other.key)
    return one.key != other.key


def _one_amount(one: Figure, other: Figure) -> bool:
    """Whether two numbers may be one: 67108864 is 64M, and 30000 may be 30 s."""
    if same_quantity(one.value, one.unit, other.value, other.unit):
        return True
    bare, counted = (one, other) if not one.unit else (other, one)
    if bare.unit or not counted.unit:
        return False
    worth = {counted.value * sense.factor for sense in counted.unit}
    return bare.value in worth | {value * 1000 for value in worth}


def _one_day(one: Day, other: Day) -> bool:
    """Whether two dates agree in all that both of them say."""
    said = [(a, b) for a, b in zip(one, other, strict=True) if a is not None and b is not None]
    return not said or all(a == b for a, b in said)


def _one_version(one: str, other: str) -> bool:
    """3.2 and 3.2.1 agree, and so do 8.x and 8.5."""
    pairs = zip_longest(one.split("."), other.split("."))
    return all(a == b for a, b in pairs if a not in (None, "x") and b not in (None, "x"))
