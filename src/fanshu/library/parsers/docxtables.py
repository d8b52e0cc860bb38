"""Word's tables: a row is a line, its cells joined by ` | `, merged cells said in every row.

Tables that only lay out a page (one column, nested tables, headings or whole texts in
cells) are read block by block.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from fanshu.library.parsers.docxnames import W, child, value

if TYPE_CHECKING:
    from fanshu.library.parsers.docxblocks import Blocks, Line

MAX_CELL = 1_000  # characters; a cell that holds more is a text put into a box
MAX_DOWN = 60  # characters of a merged cell that is said again in the rows below
MAX_ACROSS = 20  # … and in the columns beside it
MAX_SPAN = 63  # columns that Word allows
_THROUGH = frozenset(W + name for name in "ins moveTo customXml smartTag sdt sdtContent".split())


@dataclass(frozen=True, slots=True)
class _Cell:
    lines: "list[Line]"
    span: int
    column: int
    text: str


def read_table(blocks: "Blocks", table: ET.Element) -> None:
    """Read a table into the lines of `blocks`."""
    from fanshu.library.parsers.docxblocks import Line

    blocks.tables += 1
    number = blocks.tables
    above: dict[int, str] = {}
    for row in _rows(table):
        known = len(blocks.images)
        cells = list(_cells(blocks, row, above))
        if _lays_out(cells):
            blocks.lines += [line for cell in cells for line in cell.lines]
            blocks.settle(known)
            continue
        text = _row_text(cells)
        if text:
            blocks.lines.append(Line(text, table=number))
        blocks.lines += [line for cell in cells for line in cell.lines if line.is_note]
        blocks.settle(known)


def _below(parent: ET.Element, name: str) -> Iterator[ET.Element]:
    for item in parent:
        if item.tag == W + name:
            yield item
        elif item.tag in _THROUGH:
            yield from _below(item, name)


def _rows(table: ET.Element) -> Iterator[ET.Element]:
    for row in _below(table, "tr"):
        properties = child(row, "trPr")
        if child(properties, "del") is None and child(properties, "moveFrom") is None:
            yield row


def _cells(blocks: "Blocks", row: ET.Element, above: dict[int, str]) -> Iterator[_Cell]:
    column = _count(value(child(row, "trPr"), "gridBefore"), 0)
    if column:
        yield _Cell([], column, 0, "")
    for item in _below(row, "tc"):
        properties = child(item, "tcPr")
        span = _count(value(properties, "gridSpan"), 1)
        down, across = child(properties, "vMerge"), child(properties, "hMerge")
        if down is not None and down.get(f"{W}val", "continue") == "continue":
            text = above.get(column, "")
            yield _Cell([], span, column, text if len(text) <= MAX_DOWN else "")
        elif across is not None and across.get(f"{W}val", "continue") == "continue":
            yield _Cell([], span, column, "")
        else:
            lines = blocks.inside(item, cell=True)
            text = " ".join(" ".join(line.text for line in lines if not line.is_note).split())
            above[column] = text
            yield _Cell(lines, span, column, text)
        column += span


def _count(text: str, least: int) -> int:
    return min(max(int(text), least), MAX_SPAN) if text.isdecimal() else least


def _lays_out(cells: list[_Cell]) -> bool:
    if len(cells) == 1 and cells[0].column == 0 and cells[0].span == 1:
        return True
    return any(
        len(cell.text) > MAX_CELL or any(line.table or line.level for line in cell.lines)
        for cell in cells
    )


def _row_text(cells: list[_Cell]) -> str:
    texts: list[str] = []
    for cell in cells:
        again = cell.span if len(cell.text) <= MAX_ACROSS and len(cells) > 1 else 1
        texts += [cell.text] * again
    while texts and not texts[-1]:
        texts.pop()
    return " | ".join(texts)
