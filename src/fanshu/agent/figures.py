"""Reading figures out of a text: numbers with their units, versions, identifiers, dates.

Answers and evidence are read the same way, into forms that can be compared. What only looks
like a figure is left out: list markers, citation marks, ordinals, 一个, one of.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from fanshu.agent import dates
from fanshu.agent.dates import Day
from fanshu.agent.numerals import CHINESE, ENGLISH, LONGEST, chinese, decimal, english
from fanshu.agent.units import COUNTERS, NO_UNIT, PERCENT, UNITS, Unit, unit_of
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


_CN = f"[{CHINESE}]"
_A = r"[A-Za-z0-9_]"
_VERSION = rf"""
    (?<![A-Za-z0-9_.-])[vV]\d+(?:\.\d+)*(?:\.[xX])?(?:-?(?:rc|beta|alpha|pre|dev)[.\d-]*\d?)?(?!{_A})
  | (?<![A-Za-z0-9_.])\d+(?:\.\d+){{2,}}(?:-?(?:rc|beta|alpha|pre|dev)[.\d-]*\d?)?(?!{_A})
  | (?<![A-Za-z0-9_.])\d+(?:\.\d+)*\.[xX](?!{_A})
"""
_TOKEN = rf"""
    https?://[^\s<>"'()\[\]，。；、）（]+
  | (?<![A-Za-z0-9_/-])(?:--[A-Za-z][A-Za-z0-9_-]+|-[A-Za-z](?![A-Za-z0-9_-]))
  | (?<![A-Za-z0-9_/.])\.{{0,2}}/(?=[\w./-]*[A-Za-z])(?:{_A}|[./-](?={_A}))+
  | [A-Za-z_]{_A}*(?:(?:[-./@+]|:(?=[A-Za-z_])){_A}+)*
"""
_TIME = r"(?<![\d:.])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])"
_NUMBER = r"""
    (?:(?<![A-Za-z0-9_)\]%.年月日天秒分时元个度级倍米次])-(?=\d))?
    (?:\d{1,3}(?:,\d{3})+(?!\d)|[1-9]\d{0,2}(?:[ \u00a0]\d{3})+(?!\d)|\d+)(?:\.\d+)?
"""
_RATIO = r"(?<![A-Za-z0-9_./-])(?P<over>\d{1,3})/(?P<under>[1-9]\d{0,2})(?![A-Za-z0-9_./-])"
_EACH = r"(?=(?:hour|day|week|month|year|minute|second)\b)"
_WORDS = rf"""
    (?P<every>每个?(?=年|月|周|星期|日|天|小时|分钟|秒|季度)|\b(?i:every|each|per|an?)[ ]{_EACH})
  | (?P<often>\b(?:hourly|daily|weekly|monthly|yearly|annually)\b)
  | (?P<per>百分|千分|万分)之(?P<percn>{_CN}+(?:点{_CN}+)?|\d{{1,9}}(?:\.\d{{1,9}})?)
  | (?P<below>{_CN}+)分之(?P<above>{_CN}+)
  | (?P<tenths>(?<![统唯万合变形])[一二两三四五六七八九])成(?![为立功员果本分长品就熟])
  | (?P<half>半(?=个?(?:小时|月|年|天|日|钟头)|分钟)
            |\b[Hh]alf(?=[ -](?:an?[ ])?(?:hour|day|year|minute|month)))
  | (?P<cn>{_CN}+)
  | (?P<en>\b(?i:{ENGLISH})\b)
"""
_FIGURE: Final = re.compile(
    rf"第\s*(?P<nth>\d{{1,9}}(?![\d.])|{_CN}+)\s*(?P<of>[条章节款项编页版步次行届])?"
    rf"|(?P<date>{dates.PATTERN})|(?P<version>{_VERSION})|(?P<time>{_TIME})|(?P<ratio>{_RATIO})|(?P<words>{_WORDS})"
    rf"|(?P<number>{_NUMBER})|(?P<token>{_TOKEN})",
    re.VERBOSE,
)
_SCALES = {"万": 10**4, "亿": 10**8, "万亿": 10**12, "千": 1000, "百万": 10**6, "千万": 10**7}
_SCALES |= {"thousand": 1000, "million": 10**6, "billion": 10**9}
_CJK_UNITS = sorted((unit for unit in UNITS if not unit.isascii()), key=len, reverse=True)
_SCALE = re.compile(r"\s*(?:(万亿|百万|千万|万|亿|千)(?!分)|(thousand|million|billion)\b)")
_UNIT = re.compile(
    rf"[ \u00a0-]?(?:(?P<cjk>{'|'.join(_CJK_UNITS)})|an?[ ](?P<noun>hour|day|year|minute|month)\b"
    r"|(?P<latin>%|°?[A-Za-z]+)(?![A-Za-z0-9_]))"
)
_DIGITS_NEXT = re.compile(r"\s*[(\d]")
_CURRENCY = {"$": "dollar", "¥": "元", "€": "euro"}
_IDLE_BEFORE = "同统唯之第其万单任某每逐这那另"
_IDLE_WORDS = re.compile(r"(?:十分(?!钟)|一(?:时|度|点|分为|月内|名|人|位)|两(?:人|名))")
MAX_IDLE_CHINESE = 10  # 三种, 十条: what people count in passing; 十二个 is meant
MAX_IDLE_ENGLISH = 12


def figures(text: str) -> tuple[Figure, ...]:
    """Every figure of `plain(text)`, in order, idle ones too. `text` must be plain already."""
    return tuple(_read(text))


def _read(text: str) -> Iterator[Figure]:
    at = 0
    while match := _FIGURE.search(text, at):
        found = _figure(text, match)
        at = max(found.end if found else match.end(), match.end())
        if found:
            yield found


def _figure(text: str, match: re.Match[str]) -> Figure | None:
    if match["date"]:
        return _date(match) or _number(text, match.start(), _leading_number(text, match))
    if match["nth"]:
        return _ordinal(match)
    if match["version"]:
        return _plain_figure(match, "version", match[0].lower().lstrip("v"))
    if match["time"]:
        return _time(match)
    if match["ratio"]:
        return _ratio(text, match)
    if match["words"]:
        return _word(text, match)
    if match["number"]:
        return _number(text, match.start(), match.end())
    return _token(match)


def _date(match: re.Match[str]) -> Figure | None:
    days = dates.days_of(match)
    read = [Figure(match[0], match.start(), match.end(), "date", day=day) for day in days]
    return replace(read[0], parts=tuple(read[1:])) if read else None


def _leading_number(text: str, match: re.Match[str]) -> int:
    digits = re.compile(r"\d+(?:\.\d+)?").match(text, match.start())
    return digits.end() if digits else match.end()


def _plain_figure(match: re.Match[str], kind: Kind, key: str) -> Figure:
    return Figure(match[0], match.start(), match.end(), kind, key)


def _token(match: re.Match[str]) -> Figure | None:
    """A word that is a name for machines: it holds a digit or `_`, or is a flag, path or URL."""
    word = match[0]
    if re.search(r"[0-9_]", word.strip("_")) or word.startswith(("-", "/", "./", "../", "http")):
        return _plain_figure(match, "identifier", word.lower())
    return None


# ---------------------------------------------------------------- numbers


def _number(text: str, start: int, end: int) -> Figure | None:
    literal = text[start:end]
    digits = re.sub(r"[,\s\u00a0]", "", literal)
    if len(digits) > LONGEST:
        return Figure(literal, start, end, "identifier", digits)
    found = _with_unit(text, start, end, decimal(digits), digits)
    if found.end == end and re.match(r"[A-Za-z_]", text[end : end + 1]):
        return _mixed(text, start)
    if start and text[start - 1] in _CURRENCY and not found.unit:
        found = replace(found, unit=UNITS[_CURRENCY[text[start - 1]]])
    if " " in literal:
        parts = (_number(text, *span) for span in _split(text, start, end))
        found = replace(found, parts=tuple(part for part in parts if part))
    return found


def _time(match: re.Match[str]) -> Figure:
    """12:00, which is also 12时; 8:30, which is also 8时30分."""
    hour, minute, *seconds = map(int, match[0].split(":"))
    if seconds or hour > 24 or minute > 59:
        return _plain_figure(match, "identifier", match[0])
    whole = _plain_figure(match, "number", match[0])
    parts = (
        replace(whole, key="", value=Fraction(hour), unit=UNITS["时"]),
        replace(whole, key="", value=Fraction(minute), unit=UNITS["分"]),
    )
    return replace(whole, value=hour + Fraction(minute, 60), unit=UNITS["时"], parts=parts)


def _ratio(text: str, match: re.Match[str]) -> Figure:
    """1/3; or 1 and 3 after all."""
    value = Fraction(int(match["over"]), int(match["under"]))
    spans = (match.span(name) for name in ("over", "under"))
    parts = tuple(part for span in spans if (part := _number(text, *span)))
    return Figure(match[0], *match.span(), "number", "", value, parts=parts)


def _split(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [match.span() for match in re.compile(r"[\d.,]+").finditer(text, start, end)]


_MIXED = re.compile(rf"-?{_A}+(?:[-./]{_A}+)*")


def _mixed(text: str, start: int) -> Figure | None:
    match = _MIXED.match(text, start)
    return _plain_figure(match, "identifier", match[0].lower()) if match else None


def _with_unit(text: str, start: int, end: int, value: Fraction, key: str) -> Figure:
    if scale := _SCALE.match(text, end):
        value, end = value * _SCALES[scale[1] or scale[2]], scale.end()
        key = ""
    unit, end = _unit_at(text, end)
    return Figure(text[start:end], start, end, "number", key, value, unit)


def _unit_at(text: str, at: int) -> tuple[Unit, int]:
    match = _UNIT.match(text, at)
    if not match:
        return NO_UNIT, at
    word = match["cjk"] or match["latin"] or match["noun"]
    if word in ("x", "X", "times") and _DIGITS_NEXT.match(text, match.end()):
        return NO_UNIT, at  # 3 x 2 is a product
    unit = unit_of(word)
    return (unit, match.end()) if unit else (NO_UNIT, at)


def _word(text: str, match: re.Match[str]) -> Figure | None:
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
        tenths = Fraction(10 * (chinese(match["tenths"]) or 0))
        return Figure(match[0], start, end, "number", "", tenths, PERCENT)
    if match["half"]:
        return _with_unit(text, start, end, Fraction(1, 2), "")
    if match["en"]:
        return _english(text, match)
    return _chinese(text, match)


_OFTEN = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"}
_OFTEN |= {"yearly": "year", "annually": "year"}
_PERCENTS = {"百": Fraction(1), "千": Fraction(1, 10), "万": Fraction(1, 100)}


def _each(text: str, match: re.Match[str]) -> Figure:
    """每年, every day, weekly: one year, one day, one week; said in passing."""
    at = match.start("often") if match["often"] else match.end()
    unit = UNITS[_OFTEN[match["often"]]] if match["often"] else _unit_at(text, at)[0]
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
    found = _with_unit(text, match.start(), match.end(), Fraction(value), "")
    before = text[match.start() - 1 : match.start()]
    counted = not found.unit or found.text.endswith(tuple(COUNTERS))
    idle = (
        (counted and value <= MAX_IDLE_CHINESE)
        or (value == 1 and bool(before) and before in _IDLE_BEFORE)
        or bool(_IDLE_WORDS.match(text, match.start()))
    )
    return replace(found, idle=idle)


def _ordinal(match: re.Match[str]) -> Figure | None:
    """第三十四条, 第 34 条: a name, not an amount. 第三步 and 第一 are said in passing."""
    value = int(match["nth"]) if match["nth"].isascii() else chinese(match["nth"])
    if value is None:
        return None
    counter = match["of"] or ""
    found = _plain_figure(match, "identifier", f"第{value}{counter}")
    return replace(found, idle=counter != "条" and not match["nth"].isascii())


def _english(text: str, match: re.Match[str]) -> Figure:
    value = english(match["en"])
    found = _with_unit(text, match.start(), match.end(), Fraction(value), "")
    return replace(found, idle=not found.unit and value <= MAX_IDLE_ENGLISH)
