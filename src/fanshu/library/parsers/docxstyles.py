"""Word's styles: what a paragraph gets from its style and from those it is based on.

A style is known by its id; its name is English for built-in styles in nearly all files,
whatever the language of the program, but some writers translate it.
"""

import re
from dataclasses import dataclass, replace
from xml.etree import ElementTree as ET

from fanshu.library.parsers.docxnames import W, child, switch, value

PLAIN_SIZE = 20  # half points: what Word takes when nothing is said
BODY_LEVEL = 9  # outline level that means: no heading
_HEADING = re.compile(r"(?:heading|标题|標題|überschrift|titre|見出し)\s*([1-9])$", re.IGNORECASE)
_TITLES = frozenset(("title", "标题", "標題"))
_CONTENTS = re.compile(r"(?:^toc|目录|目錄)\s*(?:\d|heading|标题)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Style:
    """What paragraphs or runs of a style are, unless they say otherwise.

    `level` of a heading from 1; `size` in half points; `list_id`, `list_level`: numbering,
    which the style `list_style` brought in.
    """

    id: str = ""
    name: str = ""
    level: int | None = None
    list_id: str = ""
    list_level: int | None = None
    list_style: str = ""
    hidden: bool = False
    bold: bool = False
    size: int = PLAIN_SIZE
    centered: bool = False

    @property
    def is_title(self) -> bool:
        return self.name.lower() in _TITLES

    @property
    def is_contents(self) -> bool:
        """Whether the paragraph is a line of a generated table of contents."""
        return bool(_CONTENTS.search(self.name))


class Styles:
    """The styles of a document, by id."""

    def __init__(self, root: ET.Element | None) -> None:
        self._items: dict[str, ET.Element] = {}
        self._made: dict[str, Style] = {}
        self.plain = Style()
        self._default = ""
        if root is None:
            return
        defaults = root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr")
        self.plain = _with_run(Style(), defaults)
        for item in root.iter(f"{W}style"):
            style_id = item.get(f"{W}styleId", "")
            self._items[style_id] = item
            if item.get(f"{W}type") == "paragraph" and item.get(f"{W}default") in ("1", "true"):
                self._default = style_id

    def of(self, style_id: str) -> Style:
        """The style of this id; an unknown one is the document's plain text."""
        return self._style(style_id or self._default, frozenset())

    def _style(self, style_id: str, above: frozenset[str]) -> Style:
        made = self._made.get(style_id)
        if made is not None:
            return made
        item = self._items.get(style_id)
        if item is None or style_id in above:
            return self.plain
        base = self._style(value(item, "basedOn"), above | {style_id})
        made = _merged(base, item, style_id)
        self._made[style_id] = made
        return made


def _merged(base: Style, item: ET.Element, style_id: str) -> Style:
    name = value(item, "name")
    own = child(item, "pPr")
    style = _with_run(replace(base, id=style_id, name=name), child(item, "rPr"))
    style = replace(style, centered=is_centered(own, otherwise=base.centered))
    named = _HEADING.match(name)
    level = outline_level(own, base.level)
    if named and child(own, "outlineLvl") is None:
        level = int(named[1])
    numbers = child(own, "numPr")
    list_id = value(numbers, "numId") or base.list_id
    at = value(numbers, "ilvl")
    list_level = int(at) if at.isdecimal() else None if numbers is not None else base.list_level
    source = base.list_style if numbers is None else style_id
    return replace(style, level=level, list_id=list_id, list_level=list_level, list_style=source)


def _with_run(style: Style, properties: ET.Element | None) -> Style:
    hidden, bold = switch(properties, "vanish"), switch(properties, "b")
    size = value(properties, "sz")
    return replace(
        style,
        hidden=style.hidden if hidden is None else hidden,
        bold=style.bold if bold is None else bold,
        size=int(size) if size.isdecimal() else style.size,
    )


def run_style(base: Style, properties: ET.Element | None, styles: Styles) -> Style:
    """What a run is: its own properties over its character style over its paragraph's style."""
    if properties is None:
        return base
    named = value(properties, "rStyle")
    if named:
        own = styles.of(named)
        base = replace(base, hidden=base.hidden or own.hidden, bold=base.bold or own.bold)
    return _with_run(base, properties)


def outline_level(properties: ET.Element | None, otherwise: int | None) -> int | None:
    """The level, from 1, that paragraph properties give; None for body text."""
    given = value(properties, "outlineLvl")
    if not given.isdecimal():
        return otherwise
    return int(given) + 1 if int(given) < BODY_LEVEL else None


def is_centered(properties: ET.Element | None, *, otherwise: bool) -> bool:
    """Whether a paragraph stands in the middle of its line."""
    given = value(properties, "jc")
    return given == "center" if given else otherwise
