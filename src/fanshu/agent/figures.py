"""Reading figures out of a text: numbers with their units, versions, identifiers, dates.

Answers and evidence are read the same way, into forms that can be compared. What only looks
like a figure is left out or marked idle: ordinals, 一个, one of.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Final

from fanshu.agent import dates, wording
from fanshu.agent.amounts import Figure, compound, named, with_unit
from fanshu.agent.units import UNITS
from fanshu.library.numerals import CHINESE, LONGEST, chinese, decimal

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
_PLACE = r"(?:\b(?i:section|chapter|appendix|table|figure|part)\s|§\s?)(?P<number_of>\d+(?:\.\d+)*)"
_TIME = r"(?<![\d:.])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])"
_NUMBER = r"""
    (?:(?<![A-Za-z0-9_)\]%.年月日天秒分时元个度级倍米次])-(?=\d))?
    (?:\d{1,3}(?:,\d{3})+(?!\d)|[1-9]\d{0,2}(?:[ \u00a0]\d{3})+(?!\d)|\d+)(?:\.\d+)?
"""
_RATIO = r"(?<![A-Za-z0-9_./-])(?P<over>\d{1,3})/(?P<under>[1-9]\d{0,2})(?![A-Za-z0-9_./-])"
_FIGURE: Final = re.compile(
    rf"第\s*(?P<nth>\d{{1,9}}(?![\d.])|{_CN}+)\s*(?P<of>[条章节款项编页版步次行届])?"
    rf"|(?P<place>{_PLACE})|(?P<date>{dates.PATTERN})|(?P<version>{_VERSION})|(?P<time>{_TIME})"
    rf"|(?P<ratio>{_RATIO})|(?P<words>{wording.PATTERN})|(?P<number>{_NUMBER})|(?P<token>{_TOKEN})",
    re.VERBOSE,
)
_CURRENCY = {"$": "dollar", "¥": "元", "€": "euro"}


def figures(text: str) -> tuple[Figure, ...]:
    """Every figure of `plain(text)`, in order, idle ones too. `text` must be plain already."""
    return tuple(_compounded(text, _read(text)))


def _read(text: str) -> Iterator[Figure]:
    at = 0
    while match := _FIGURE.search(text, at):
        found = _figure(text, match)
        at = max(found.end if found else match.end(), match.end())
        if found:
            yield found


_JOINED = re.compile(r"(?:\s|零|又|,? and )?")


def _compounded(text: str, found: Iterable[Figure]) -> Iterator[Figure]:
    """1年6个月 as one figure of 18 months; its parts remain, should they stand apart elsewhere."""
    held: Figure | None = None
    for figure in found:
        joined = held and _JOINED.fullmatch(text, held.end, figure.start) and compound(held, figure)
        if joined:
            held = replace(joined, text=text[joined.start : joined.end])
            continue
        if held:
            yield held
        held = figure
    if held:
        yield held


def _figure(text: str, match: re.Match[str]) -> Figure | None:
    if match["date"]:
        return _date(match) or _number(text, match.start(), _leading_number(text, match))
    if match["nth"]:
        return _ordinal(match)
    if match["place"]:
        return named(match, "identifier", match["number_of"])
    if match["version"]:
        return named(match, "version", match[0].lower().lstrip("v"))
    if match["time"]:
        return _time(match)
    if match["ratio"]:
        return _ratio(text, match)
    if match["words"]:
        return wording.in_words(text, match)
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


def _token(match: re.Match[str]) -> Figure | None:
    """A word that is a name for machines: it holds a digit or `_`, or is a flag, path or URL."""
    word = match[0]
    if re.search(r"[0-9_]", word.strip("_")) or word.startswith(("-", "/", "./", "../", "http")):
        return named(match, "identifier", word.lower())
    return None


# ---------------------------------------------------------------- numbers


def _number(text: str, start: int, end: int) -> Figure | None:
    literal = text[start:end]
    digits = re.sub(r"[,\s\u00a0]", "", literal)
    if len(digits) > LONGEST:
        return Figure(literal, start, end, "identifier", digits)
    found = with_unit(text, start, end, decimal(digits), digits)
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
        return named(match, "identifier", match[0])
    whole = named(match, "number", match[0])
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
    return named(match, "identifier", match[0].lower()) if match else None


def _ordinal(match: re.Match[str]) -> Figure | None:
    """第三十四条, 第 34 条: a name, not an amount. 第三步 and 第一 are said in passing."""
    value = int(match["nth"]) if match["nth"].isascii() else chinese(match["nth"])
    if value is None:
        return None
    counter = match["of"] or ""
    found = named(match, "identifier", f"第{value}{counter}")
    return replace(found, idle=counter != "条" and not match["nth"].isascii())
