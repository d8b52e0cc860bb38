"""What a figure is, the text it is read from, and the unit that follows a number."""

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Literal

from fanshu.agent.dates import Day
from fanshu.agent.units import NO_UNIT, UNITS, Unit, unit_of
from fanshu.library.terms import fold

Kind = Literal["number", "version", "identifier", "date"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as it stands in `plain(text)`, from `start` to `end`, in comparable form.

    `value` and `unit` belong to numbers, `day` (year, month, day; None: not said) to dates,
    `key` is the folded text of the rest, and the digits of a number. `idle`: a small number
    word such as 三 in 三种情况, which claims nothing. `parts`: what it may be instead, as
    7 322 could be two numbers.
    """

    text: str
    start: int
    end: int
    kind: Kind
    key: str = ""
    value: Fraction = Fraction(0)
    unit: Unit = NO_UNIT
    day: Day = (None, None, None)
    idle: bool = False
    parts: tuple["Figure", ...] = ()


_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_ENCLOSED = re.compile(r"[\u2460-\u24ff\u2776-\u2793\u3220-\u3243]")
_SUPERSCRIPT = re.compile(r"[⁰¹²³⁴-⁹]+")
_LIST_COMMA = re.compile(r"(?<=\d)，(?=\d)")
_MARKUP = re.compile(r"\*\*(?!\d)|(?<!\d)\*\*|`|\\(?=[_*|\[\]])")


def plain(text: str) -> str:
    """A text made ready for reading figures: one form for each character, no Markdown marks.

    ASCII keeps its case, since 30m is not 30M.
    """
    text = _ENCLOSED.sub(" ", _LIST_COMMA.sub(", ", text)).replace("：", ": ")
    text = _SUPERSCRIPT.sub(lambda match: "^" + match[0], text)
    return _MARKUP.sub("", _NOT_ASCII.sub(lambda match: fold(match[0]), text))


def named(match: re.Match[str], kind: Kind, key: str) -> Figure:
    """What is compared by its name, not by value."""
    return Figure(match[0], match.start(), match.end(), kind, key)


_SCALES = {"万": 10**4, "亿": 10**8, "万亿": 10**12, "千": 1000, "百万": 10**6, "千万": 10**7}
_SCALES |= {"thousand": 1000, "million": 10**6, "billion": 10**9}
_CJK_UNITS = sorted((unit for unit in UNITS if not unit.isascii()), key=len, reverse=True)
_SCALE = re.compile(r"\s*(?:(万亿|百万|千万|万|亿|千)(?!分)|(thousand|million|billion)\b)")
_UNIT = re.compile(
    rf"[ \u00a0-]?(?:(?P<cjk>{'|'.join(_CJK_UNITS)})|an?[ ](?P<noun>hour|day|year|minute|month)\b"
    r"|(?P<latin>%|°?[A-Za-z]+)(?![A-Za-z0-9_]))"
)
_HALF_BEFORE = re.compile("个半(?=小时|钟头|月|星期)")  # 两个半小时
_HALF_AFTER = re.compile("(?<=[年月天日周时])半(?![夜天年月日数路径价个小分])")  # 两年半
_DIGITS_NEXT = re.compile(r"\s*[(\d]")


def with_unit(text: str, start: int, end: int, value: Fraction, key: str) -> Figure:
    """The number from `start` to `end` with the scale word (万, million) and unit after it."""
    if scale := _SCALE.match(text, end):
        value, end = value * _SCALES[scale[1] or scale[2]], scale.end()
        key = ""
    if half := _HALF_BEFORE.match(text, end):
        value, end, key = value + Fraction(1, 2), half.end(), ""
    unit, end = unit_at(text, end)
    if half := _HALF_AFTER.match(text, end):
        value, end, key = value + Fraction(1, 2), half.end(), ""
    return Figure(text[start:end], start, end, "number", key, value, unit)


def unit_at(text: str, at: int) -> tuple[Unit, int]:
    """The unit that stands at a place, and where it ends."""
    match = _UNIT.match(text, at)
    if not match:
        return NO_UNIT, at
    word = match["cjk"] or match["latin"] or match["noun"]
    if word in ("x", "X", "times") and _DIGITS_NEXT.match(text, match.end()):
        return NO_UNIT, at  # 3 x 2 is a product
    unit = unit_of(word)
    return (unit, match.end()) if unit else (NO_UNIT, at)


_COMPOUND = ("time", "month", "yuan")  # what people say in two units: 2 小时 30 分, 1年6个月


def compound(first: Figure, second: Figure) -> Figure | None:
    """Two numbers side by side as one amount in the smaller unit, if they can be one."""
    for one, two in product(first.unit, second.unit):
        small = second.value * two.factor < one.factor
        if one.dimension == two.dimension in _COMPOUND and one.factor > two.factor and small:
            value = first.value * one.factor / two.factor + second.value
            whole = replace(second, start=first.start, key="", value=value, idle=False)
            return replace(whole, unit=frozenset({two}), parts=(first, second))
    return None
