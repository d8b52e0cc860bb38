"""Quantities as people write them: 96M, 96 MB and 96MiB; 30 s and 30秒; 三十日 and 30天.

For searching only: whether two figures *are* the same amount is for the check to say.
"""

import re
from collections.abc import Iterator, Mapping

from fanshu.library.numerals import CHINESE, chinese
from fanshu.library.terms import fold, is_cjk

# Spellings of one unit, folded. Those of sizes stand together whatever they count (MB, MiB):
# who looks for 96M does not know which of them the document writes.
_SPELLINGS = (
    "k kb kib",
    "m mb mib 兆",
    "g gb gib",
    "t tb tib",
    "ms msec 毫秒 millisecond milliseconds",
    "s sec secs 秒 秒钟 second seconds",
    "min mins 分钟 minute minutes",
    "h hr hrs 小时 个小时 hour hours",
    "d 天 日 day days",
    "周 个星期 week weeks",
    "个月 month months",
    "年 year years",
    "% percent",
    "km 公里 千米",
    "kg 公斤 千克",
)
_UNITS: Mapping[str, tuple[str, ...]] = {
    unit: tuple(group.split()) for group in _SPELLINGS for unit in group.split()
}
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_ASCII_UNIT = "|".join(sorted((re.escape(u) for u in _UNITS if u.isascii()), key=len, reverse=True))
_NUMBER = rf"\d+(?:[.,]\d+)*|[{CHINESE}]+"
QUANTITY = re.compile(
    rf"(?<![A-Za-z0-9_.{CHINESE}])"
    rf"(?:(?P<number>{_NUMBER})\s?(?P<unit>{_UNIT})|百分之(?P<percent>{_NUMBER}))(?![A-Za-z0-9_])",
    re.IGNORECASE,
)
_APART = re.compile(rf"(?<![\w.])(\d+(?:[.,]\d+)*)\s+({_ASCII_UNIT})(?!\w)", re.IGNORECASE)
_DIGITS = "零一二三四五六七八九"
_WRITTEN_OUT = 10_000  # larger numbers are not written out in characters


def joined(text: str) -> str:
    """A text in which a number and its unit are one word: `96 MB` → `96MB`."""
    return _APART.sub(r"\1\2", text)


def quantities(text: str) -> Iterator[tuple[int, int]]:
    """Where quantities stand in a text: (start, end), in order. Not 五年: it may be 五年级."""
    for match in QUANTITY.finditer(text):
        number = match["number"]
        if not number or number[0].isdigit() or len(number) > 1:
            yield match.span()


def spellings(literal: str) -> tuple[str, ...]:
    """The other spellings of a literal that is a quantity; none for anything else."""
    match = QUANTITY.fullmatch(fold(literal))
    if match is None:
        return ()
    number, unit = match["number"] or match["percent"], match["unit"] or "%"
    forms = (
        form
        for value in dict.fromkeys((number, *_numbers(number)))
        for form in _with_units(value, unit)
    )
    return tuple(form for form in dict.fromkeys(forms) if form != match[0])


def _with_units(number: str, unit: str) -> Iterator[str]:
    for one in _UNITS[unit]:
        if number[0] not in CHINESE or is_cjk(one):
            yield f"{number}{one}"
    if unit in _UNITS["%"]:
        yield f"百分之{number}"


def _numbers(number: str) -> Iterator[str]:
    """A number in the other script: 30 ↔ 三十."""
    if number.isdecimal() and int(number) < _WRITTEN_OUT and not number.startswith("0"):
        yield written_out(int(number))
    elif number[0] in CHINESE and (value := chinese(number)) is not None:
        yield str(value)


def written_out(value: int) -> str:
    """A number below ten thousand in Chinese characters: 10 → 十, 105 → 一百零五."""
    if value < 10:
        return _DIGITS[value]
    out, skipped = "", False
    for power, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit, value = divmod(value, power)
        if digit:
            out += ("零" if skipped and out else "") + _DIGITS[digit] + name
        skipped = not digit
    return out.removeprefix("一") if out.startswith("一十") else out
