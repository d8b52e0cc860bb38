"""Word's automatic numbering: numbers that stand in no paragraph, but in numbering.xml.

A list definition has nine levels, each with a format and a pattern such as `第%1条` or
`%1.%2`. A paragraph says which list and level it belongs to, itself or by its style, and
its number follows from all paragraphs before it.
"""

import re
from dataclasses import dataclass, field, replace
from xml.etree import ElementTree as ET

from fanshu.library.parsers.docxnames import W, child, value
from fanshu.library.parsers.docxnumerals import numeral

LEVELS = 9
BULLET = "•"  # the signs themselves come from fonts of symbols and are no text
_PLACE = re.compile(r"%([1-9])")
_NO_SPACE_AFTER = "、，。）】》："


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    form: str = "decimal"
    pattern: str = ""
    suffix: str = "tab"
    restart: int | None = None
    legal: bool = False
    style: str = ""
    width: int = 0


@dataclass(slots=True)
class _Counters:
    """Where a list definition stands; several lists may share one."""

    values: list[int | None] = field(default_factory=lambda: [None] * LEVELS)
    begun: set[tuple[str, int]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _List:
    definition: str
    levels: tuple[_Level, ...]
    starts: dict[int, int]


class Numbering:
    """The lists of a document and how far each has counted."""

    def __init__(self, root: ET.Element | None) -> None:
        self._lists: dict[str, _List] = {}
        self._counters: dict[str, _Counters] = {}
        if root is not None:
            self._read(root)

    def _read(self, root: ET.Element) -> None:
        definitions = {
            one.get(f"{W}abstractNumId", ""): one for one in root.iter(f"{W}abstractNum")
        }
        styled = {value(one, "styleLink"): one for one in definitions.values()}
        styled.pop("", None)
        for number in root.findall(f"{W}num"):
            wanted = value(number, "abstractNumId")
            definition = definitions.get(wanted)
            if definition is None:
                continue
            linked = styled.get(value(definition, "numStyleLink"))
            own = linked if linked is not None else definition
            key = own.get(f"{W}abstractNumId", wanted)
            self._lists[number.get(f"{W}numId", "")] = _list(key, own, number)

    def level_of_style(self, list_id: str, styles: tuple[str, ...]) -> int | None:
        """The level that a list keeps for paragraphs of the first style that it names."""
        found = self._lists.get(list_id)
        named = {level.style: at for at, level in enumerate(found.levels)} if found else {}
        return next((named[style] for style in styles if style and style in named), None)

    def label(self, list_id: str, at: int) -> str:
        """Count on, and give the number of this paragraph with the space after it."""
        found = self._lists.get(list_id)
        if found is None or not 0 <= at < LEVELS:
            return ""
        counters = self._counters.setdefault(found.definition, _Counters())
        _advance(found, list_id, at, counters)
        level = found.levels[at]
        if level.form == "bullet":
            return f"{BULLET} "
        text = _PLACE.sub(
            lambda match: _written(found, counters, level, int(match[1]) - 1), level.pattern
        )
        text = text.strip()
        glued = level.suffix == "nothing" or text[-1:] in _NO_SPACE_AFTER
        return text if glued or not text else f"{text} "


def _advance(found: _List, list_id: str, at: int, counters: _Counters) -> None:
    values = counters.values
    override = found.starts.get(at)
    if override is not None and (list_id, at) not in counters.begun:
        values[at] = override
    else:
        before = values[at]
        values[at] = found.levels[at].start if before is None else before + 1
    counters.begun.add((list_id, at))
    for deeper in range(at + 1, LEVELS):
        restart = found.levels[deeper].restart
        if restart is None or at < restart:
            values[deeper] = None


def _written(found: _List, counters: _Counters, level: _Level, at: int) -> str:
    one = found.levels[at]
    count = counters.values[at]
    count = found.starts.get(at, one.start) if count is None else count
    if level.legal or one.form == "bullet":
        return str(count)
    return str(count).zfill(one.width) if one.width else numeral(count, one.form)


def _list(key: str, definition: ET.Element, number: ET.Element) -> _List:
    levels = [_Level()] * LEVELS
    for item in definition.findall(f"{W}lvl"):
        _place(levels, item)
    starts: dict[int, int] = {}
    for override in number.findall(f"{W}lvlOverride"):
        at = _integer(override.get(f"{W}ilvl"), -1)
        own = child(override, "lvl")
        if own is not None:
            _place(levels, own, at)
        start = value(override, "startOverride")
        if start:
            starts[at] = _integer(start, 1)
    return _List(key, tuple(levels), starts)


def _place(levels: list[_Level], item: ET.Element, at: int | None = None) -> None:
    at = _integer(item.get(f"{W}ilvl"), -1) if at is None else at
    if 0 <= at < LEVELS:
        levels[at] = _level(item)


def _level(item: ET.Element) -> _Level:
    restart = value(item, "lvlRestart")
    legal = child(item, "isLgl")
    level = _Level(
        start=_integer(value(item, "start"), 0),
        form=value(item, "numFmt"),
        pattern=value(item, "lvlText"),
        suffix=value(item, "suff") or "tab",
        restart=_integer(restart, 0) if restart else None,
        legal=legal is not None and legal.get(f"{W}val") not in ("0", "false"),
        style=value(item, "pStyle"),
    )
    return level if level.form else _custom(level, item)


def _custom(level: _Level, item: ET.Element) -> _Level:
    """A level whose format is an example (`001, 002, …`), beside a plainer one to fall back on."""
    for form in item.iter(f"{W}numFmt"):
        example = form.get(f"{W}format", "").partition(",")[0].strip()
        if form.get(f"{W}val") == "custom" and example.isdecimal():
            return replace(level, form="decimal", width=len(example))
    forms = [form.get(f"{W}val", "") for form in item.iter(f"{W}numFmt")]
    return replace(level, form=forms[-1] if forms else "decimal")


def _integer(text: str | None, otherwise: int) -> int:
    try:
        return int(text or "")
    except ValueError:
        return otherwise
