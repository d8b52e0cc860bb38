"""Numbers that headings, captions and references carry: 第三条, 2.1, 附件3, 表2-1, Figure 4."""

import re
from dataclasses import dataclass

from fanshu.library.numerals import CHINESE, chinese

Number = tuple[int, ...]
_N = rf"[{CHINESE}\d]{{1,8}}"
_DOTTED = r"(?:\d{1,3}|[A-Z](?=[.-]\d))(?:[.-]\d{1,3}){0,4}"
_UNITS = {
    "chapter": "章",
    "section": "节",
    "article": "条",
    "part": "编",
    "annex": "附件",
    "appendix": "附录",
    "schedule": "附表",
    "table": "表",
    "figure": "图",
}
_ENGLISH = {
    "chapter": "chapter",
    "section": "section",
    "sect": "section",
    "sec": "section",
    "article": "article",
    "part": "part",
    "annex": "annex",
    "attachment": "annex",
    "appendix": "appendix",
    "table": "table",
    "figure": "figure",
    "fig": "figure",
}
CAPTIONED = frozenset({"annex", "appendix", "schedule", "table", "figure"})

_NUMBERED = re.compile(
    rf"第\s?(?P<n>{_N}|{_DOTTED})\s?(?P<unit>[编章节条])(?:之(?P<branch>[{CHINESE}]{{1,3}}))?"
    rf"|(?P<label>附件|附录|附表|[表图](?!\s?[A-Z{CHINESE}]))\s?"
    rf"(?P<ln>{_DOTTED}|[A-Z](?![A-Za-z])|[{CHINESE}]{{1,3}})"
    r"|(?i:\b(?P<word>chapter|section|sect|sec|article|part|annex|attachment|appendix|table|figure|fig)\b\.?)"
    rf"\s?(?P<wn>{_DOTTED}|[A-Z](?![A-Za-z]))"
)
_PLAIN = re.compile(
    r"\s*(\d{1,3}(?:\.\d{1,3}){0,4})(?![\d-]|\.\d)(?:[.、．)]|\s|(?=[\u4e00-\u9fff]))"
)
_LISTED = re.compile(rf"\s*([{CHINESE}]{{1,4}})、|\s*[（(]([{CHINESE}]{{1,4}})[)）]")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A number with what it counts, and how it is written: (article, (3,)), (table, (2, 1))."""

    unit: str
    number: Number
    written: str


def numbered(match: re.Match[str]) -> Numbered | None:
    """What a match of `NUMBERED` names; None where the numeral is none."""
    if match["unit"]:
        unit = next(name for name, sign in _UNITS.items() if sign == match["unit"])
        number = number_of(match["n"])
        branch = chinese(match["branch"]) if match["branch"] else None
        if number and branch:
            number = (*number, branch)
    elif match["label"]:
        unit = next(name for name, sign in _UNITS.items() if sign == match["label"])
        number = number_of(match["ln"])
    else:
        unit, number = _ENGLISH[match["word"].lower()], number_of(match["wn"])
    return Numbered(unit, number, " ".join(match[0].split())) if number else None


NUMBERED = _NUMBERED


def number_of(text: str) -> Number | None:
    """A number as a tuple: 2.1 → (2, 1), 十二 → (12,), B → (2,)."""
    text = text.strip()
    if re.fullmatch(_DOTTED, text):
        return tuple(
            int(part) if part.isdecimal() else ord(part) - ord("A") + 1
            for part in re.split(r"[.-]", text)
        )
    if len(text) == 1 and "A" <= text <= "Z":
        return (ord(text) - ord("A") + 1,)
    if text.isdecimal():
        return (int(text),) if len(text) < 6 else None
    value = chinese(text) if all(char in CHINESE for char in text) else None
    return (value,) if value is not None else None


def of_heading(heading: str) -> tuple[str, Number] | None:
    """(style, number) that a heading begins with; None for one without a number."""
    heading = heading.strip().lstrip("#*` ")
    match = _NUMBERED.match(heading)
    found = numbered(match) if match else None
    if found:
        return found.unit, found.number
    if match := _PLAIN.match(heading):
        number = number_of(match[1])
        return (f"plain{len(number)}", number) if number else None
    if match := _LISTED.match(heading):
        number = number_of(match[1] or match[2])
        return ("listed" if match[1] else "bracketed", number) if number else None
    return None
