"""Amounts in words: 三十日, 百分之八十, 九成, 半小时, every day, ninety-nine."""

import re
from dataclasses import replace
from fractions import Fraction

from fanshu.agent.amounts import Figure, unit_at, with_unit
from fanshu.agent.units import COUNTERS, PERCENT, UNITS
from fanshu.library.numerals import CHINESE, ENGLISH, chinese, decimal, english

_CN = f"[{CHINESE}]"
_EACH = r"(?=(?:hour|day|week|month|year|minute|second)\b)"
PATTERN = rf"""
    (?P<every>每个?(?=年|月|周|星期|日|天|小时|分钟|秒|季度)|\b(?i:every|each|per|an?)[ ]{_EACH})
  | (?P<often>\b(?:hourly|daily|weekly|monthly|yearly|annually)\b)
  | (?P<per>百分|千分|万分)之(?P<percn>{_CN}{{1,40}}(?:点{_CN}{{1,20}})?|\d{{1,9}}(?:\.\d{{1,9}})?)
  | (?P<below>{_CN}+)分之(?P<above>{_CN}+)
  | (?P<tenths>(?<![统唯万合变形])[一二两三四五六七八九])成(?![为立功员果本分长品就熟])
              (?:(?P<tenth>[一二三四五六七八九])(?![\u4e00-\u9fff]))?
  | (?P<half>半(?=个?(?:小时|月|年|天|日|钟头)|分钟)
            |\b[Hh]alf(?=[ -](?:an?[ ])?(?:hour|day|year|minute|month)))
  | (?P<cn>{_CN}+)
  | (?P<en>\b(?i:{ENGLISH})\b)
"""
_IDLE_BEFORE = "同统唯之第其万单任某每逐这那另"
_IDLE_WORDS = re.compile(r"(?:十分(?!钟)|一(?:时|度|点|分为|月内|名|人|位)|两(?:人|名))")
MAX_IDLE_CHINESE = 10  # 三种, 十条: what people count in passing; 十二个 is meant
MAX_IDLE_ENGLISH = 12


def in_words(text: str, match: re.Match[str]) -> Figure | None:
    """The figure in a match of `PATTERN`, None where the words say no number."""
    start, end = match.span()
    if match["every"] or match["often"]:
        return _each(text, match)
    if match["per"]:
        return _share(match)
    if match["below"]:
        above, below = chinese(match["above"]), chinese(match["below"])
        if above is None or not below:
            return None
        return Figure(match[0], start, end, "number", "", Fraction(above, below))
    if match["tenths"]:
        tenths = Fraction(int(f"{chinese(match['tenths'])}{chinese(match['tenth'] or '零')}"))
        return Figure(match[0], start, end, "number", "", tenths, PERCENT)
    if match["half"]:
        return with_unit(text, start, end, Fraction(1, 2), "")
    if match["en"]:
        return _english(text, match)
    return _chinese(text, match)


_OFTEN = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"}
_OFTEN |= {"yearly": "year", "annually": "year"}
_PERCENTS = {"百": Fraction(1), "千": Fraction(1, 10), "万": Fraction(1, 100)}


def _each(text: str, match: re.Match[str]) -> Figure:
    """每年, every day, weekly: one year, one day, one week; said in passing."""
    at = match.start("often") if match["often"] else match.end()
    unit = UNITS[_OFTEN[match["often"]]] if match["often"] else unit_at(text, at)[0]
    return Figure(match[0], *match.span(), "number", "", Fraction(1), unit, idle=True)


def _share(match: re.Match[str]) -> Figure | None:
    """百分之八十, 千分之五."""
    number = match["percn"]
    value = decimal(number) if number[0].isascii() else _chinese_decimal(number)
    value = Fraction(100) if number == "百" else value
    if value is None:
        return None
    percents = value * _PERCENTS[match["per"][0]]
    return Figure(match[0], match.start(), match.end(), "number", "", percents, PERCENT)


def _chinese_decimal(text: str) -> Fraction | None:
    whole, _, digits = text.partition("点")
    value = chinese(whole)
    if value is None:
        return None
    places = "".join(str(chinese(char) or 0) for char in digits)
    return Fraction(f"{value}.{places or 0}")


def _chinese(text: str, match: re.Match[str]) -> Figure | None:
    value = chinese(match["cn"])
    if value is None:
        return None
    found = with_unit(text, match.start(), match.end(), Fraction(value), "")
    before = text[match.start() - 1 : match.start()]
    counted = not found.unit or found.text.endswith(tuple(COUNTERS))
    idle = (
        (counted and value <= MAX_IDLE_CHINESE)
        or (value == 1 and bool(before) and before in _IDLE_BEFORE)
        or bool(_IDLE_WORDS.match(text, match.start()))
    )
    return replace(found, idle=idle)


def _english(text: str, match: re.Match[str]) -> Figure:
    value = english(match["en"])
    found = with_unit(text, match.start(), match.end(), Fraction(value), "")
    return replace(found, idle=not found.unit and value <= MAX_IDLE_ENGLISH)
