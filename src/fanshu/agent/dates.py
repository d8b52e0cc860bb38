"""Dates as people write them: 2024年3月1日, 2024-03-01, March 1, 2024, 二〇二四年三月."""

import re
from calendar import monthrange
from datetime import MAXYEAR

from fanshu.library.numerals import CHINESE, chinese

Day = tuple[int | None, int | None, int | None]  # year, month, day; None where not said

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ")
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_CN = f"[{CHINESE}]"
_NTH = r"(?:st|nd|rd|th)?"
PATTERN = rf"""
    (?<![\d.])(?P<y1>\d{{4}})\s*年\s*(?P<m1>\d{{1,2}})\s*月(?:\s*(?P<d1>\d{{1,2}})\s*[日号])?
  | (?P<y2>[〇零一二三四五六七八九]{{4}})年
    (?:(?P<m2>{_CN}{{1,3}})月(?:(?P<d2>{_CN}{{1,3}})[日号])?)?
  | (?<![\d./-])(?P<y3>\d{{4}})(?P<s3>[-/.])(?P<m3>\d{{1,2}})(?P=s3)(?P<d3>\d{{1,2}})(?![\d-])
  | (?<![\d./-])(?P<y4>(?:19|20)\d\d)-(?P<m4>0[1-9]|1[0-2])(?![\d-])
  | (?<![\d./-])(?P<d5>\d{{1,2}})/(?P<m5>\d{{1,2}})/(?P<y5>\d{{4}})(?![\d/])
  | (?<![A-Za-z])(?P<m6>{_MONTH})\s+(?P<d6>\d{{1,2}}){_NTH}(?!\d)(?:,?\s+(?P<y6>\d{{4}})(?!\d))?
  | (?<![\d.])(?P<d7>\d{{1,2}}){_NTH}\s+(?:of\s+)?(?P<m7>{_MONTH})(?:,?\s+(?P<y7>\d{{4}})(?!\d))?
  | (?<![A-Za-z])(?P<m8>{_MONTH}),?\s+(?P<y8>\d{{4}})(?!\d)
  | (?<![\d.])(?P<m9>\d{{1,2}})\s*月\s*(?P<d9>\d{{1,2}})\s*[日号]
  | (?<![\d.])(?P<y0>(?:19|20)\d\d)\s*[年版](?!\s*以?[内上下])
  | (?<![\d.个])(?P<m0>\d{{1,2}})\s*月份?(?!\s*\d)
"""


def days_of(match: re.Match[str]) -> tuple[Day, ...]:
    """The days that a match of `PATTERN` may mean: none (13/45/2020), one, or two (05/11/2020)."""
    year, month, day = (_part(match, letter) for letter in "ymd")
    if month is not None and day is not None and match["m5"]:
        orders: tuple[Day, ...] = ((year, month, day), (year, day, month))
    else:
        orders = ((year, month, day),)
    return tuple(dict.fromkeys(order for order in orders if _possible(order)))


def months_later(day: Day, months: int) -> Day:
    """The same day of the month so many months on, or the last of a month that is too short."""
    year, month, of_month = day
    if year is None or month is None:
        return day
    years, index = divmod(year * 12 + month - 1 + months, 12)
    if of_month is None or not 1 <= years <= MAXYEAR:
        return years, index + 1, None
    return years, index + 1, min(of_month, monthrange(years, index + 1)[1])


def _possible(day: Day) -> bool:
    return (day[1] is None or 1 <= day[1] <= 12) and (day[2] is None or 1 <= day[2] <= 31)


def _part(match: re.Match[str], letter: str) -> int | None:
    for name, text in match.groupdict().items():
        if text and name[0] == letter and name[1:].isdigit():
            if text[:1].isdigit():
                return int(text)
            return chinese(text) if text[0] in CHINESE else _MONTHS.index(text[:3].lower()) + 1
    return None
