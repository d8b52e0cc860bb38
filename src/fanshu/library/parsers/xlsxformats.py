"""Which cells of an .xlsx are shown as a percentage: the reader of values gives 0.13 for 13%."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from fanshu.library.parsers.package import Package, Unreadable

_PERCENT_IDS = ("9", "10")  # built-in formats 0% and 0.00%
_CELL = re.compile(rb"<(?:\w+:)?c ([^>]*?)/?>")
_PLACE = re.compile(rb'\br="([A-Z]{1,3})(\d{1,7})"')
_STYLE = re.compile(rb'\bs="(\d+)"')
_QUOTED = re.compile(r'"[^"]*"|\\.')
_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def percent_cells(data: bytes) -> dict[str, set[tuple[int, int]]]:
    """Sheet → rows and columns, from 0, of its cells with a percent format. Empty when unknown."""
    try:
        package = Package(data)
        main = package.related("", "officeDocument") or "xl/workbook.xml"
        styles = _percent_styles(package.side(package.related(main, "styles")))
        return dict(_cells(package, main, styles)) if styles else {}
    except Unreadable:
        return {}


def _named(root: ET.Element, name: str) -> Iterator[ET.Element]:
    return (item for item in root.iter() if item.tag.rpartition("}")[2] == name)


def _percent_styles(root: ET.Element | None) -> set[bytes]:
    if root is None:
        return set()
    formats = {
        item.get("numFmtId", "")
        for item in _named(root, "numFmt")
        if "%" in _QUOTED.sub("", item.get("formatCode", ""))
    }
    formats.update(_PERCENT_IDS)
    styles = [one for group in _named(root, "cellXfs") for one in _named(group, "xf")]
    return {b"%d" % at for at, one in enumerate(styles) if one.get("numFmtId") in formats}


def _cells(
    package: Package, main: str, styles: set[bytes]
) -> Iterator[tuple[str, set[tuple[int, int]]]]:
    root, relations = package.side(main), package.relations(main)
    for sheet in _named(root, "sheet") if root is not None else ():
        relation = relations.get(sheet.get(_ID, ""))
        data = package.read(relation.target) if relation else None
        if data:
            yield sheet.get("name", ""), set(_places(data, styles))


def _places(data: bytes, styles: set[bytes]) -> Iterator[tuple[int, int]]:
    for cell in _CELL.finditer(data):
        style = _STYLE.search(cell[1])
        place = _PLACE.search(cell[1]) if style and style[1] in styles else None
        if place:
            yield int(place[2]) - 1, _column(place[1])


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number - 1
