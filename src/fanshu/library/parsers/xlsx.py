"""Workbooks (.xlsx .xlsb .xls .ods) → document: a sheet is a section, a row a line.

Read in a child process only: a sheet may claim a billion cells.
"""

import io
import re
from collections.abc import Sequence, Set
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING

from fanshu.library.parsers import needs
from fanshu.library.parsers.child import read_apart
from fanshu.library.parsers.dates import iso_date
from fanshu.library.parsers.package import Package, Unreadable, core_properties
from fanshu.library.parsers.sections import Heading, cut
from fanshu.library.parsers.xlsxformats import percent_cells
from fanshu.types import Document

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

SECONDS = 60.0  # 20,000 rows take half a second
MAX_CHARS = 100_000_000  # of document text; nothing larger is a table for people
MAX_MERGED = 60  # characters of a merged cell that is said in each of its rows
MAX_ACROSS = 20  # … and in each of its columns
DIGITS = ".15g"  # what a spreadsheet itself keeps of a number
WHOLE = 1e15  # from here on these digits would need an exponent
_DEFAULT_NAME = re.compile(r"(?:sheet|工作表|表)\s*\d*", re.IGNORECASE)

Cell = str | float | int | bool | datetime | date | time | timedelta


def parse_workbook(data: bytes, seconds: float = SECONDS) -> Document:
    """The document of a workbook. Crash, hang and too much memory are states with a reason."""
    if not needs.has_workbooks():
        return Unreadable("skipped", needs.for_workbooks()).document()
    try:
        if data.startswith(b"PK"):
            Package(data)  # its limits on what is unpacked
    except Unreadable as error:
        return error.document()
    return read_apart("xlsx", data, seconds)


def read_workbook(data: bytes) -> Document:
    """The same in this process, which a hostile file can end."""
    from python_calamine import (
        CalamineError,
        CalamineWorkbook,
        PasswordError,
        SheetVisibleEnum,
    )

    try:
        book = CalamineWorkbook.from_filelike(io.BytesIO(data))
        shown = {one.name: one.visible == SheetVisibleEnum.Visible for one in book.sheets_metadata}
        percents = percent_cells(data) if data.startswith(b"PK") else {}
        sheets = [
            (name, _lines(book.get_sheet_by_name(name), percents.get(name, frozenset())))
            for name in book.sheet_names
        ]
    except PasswordError:
        return Unreadable("encrypted", "encrypted").document()
    except CalamineError as error:
        return Unreadable("failed", f"corrupt: {error}"[:200]).document()
    except Unreadable as error:
        return error.document()
    return _document(
        [(name, lines) for name, lines in sheets if lines],
        [name for name, lines in sheets if lines and not shown.get(name, True)],
        _properties(data),
    )


def _properties(data: bytes) -> dict[str, str]:
    try:
        return core_properties(Package(data)) if data.startswith(b"PK") else {}
    except Unreadable:
        return {}


def _document(
    sheets: Sequence[tuple[str, list[str]]], hidden: Sequence[str], properties: dict[str, str]
) -> Document:
    parts: list[str] = []
    headings: list[Heading] = []
    length = 0
    unnamed = len(sheets) == 1 and _DEFAULT_NAME.fullmatch(sheets[0][0])
    for name, lines in sheets:
        title = " ".join(name.split())
        if not unnamed:
            headings.append(Heading(title, 1, length))
        text = ("" if unnamed else f"{title}\n\n") + "\n".join(lines) + "\n\n"
        parts.append(text)
        length += len(text)
    text = "".join(parts).removesuffix("\n")
    modified = iso_date(properties.get("modified", ""))
    metadata = {"modified": modified, "date": modified} if modified else {}
    metadata |= {"hidden_sheets": ", ".join(hidden)} if hidden else {}
    return Document(
        text=text,
        sections=cut(text, headings),
        title=" ".join(properties.get("title", "").split()),
        state="ok" if text else "skipped",
        reason=None if text else "empty",
        first_line=None,
        metadata=metadata,
    )


def _lines(sheet: "CalamineSheet", percents: Set[tuple[int, int]]) -> list[str]:
    """The rows of a sheet that hold anything, from its first column in use to its last."""
    rows = _rows(sheet, percents)
    _fill_merged(rows, sheet)
    lines: list[str] = []
    length = 0
    for row in rows:
        while row and not row[-1]:
            row.pop()
        if row:
            lines.append(" | ".join(row))
            length += len(lines[-1])
        if length > MAX_CHARS:
            raise Unreadable("failed", f"refused: more than {MAX_CHARS:,} characters")
    return lines


def _rows(sheet: "CalamineSheet", percents: Set[tuple[int, int]]) -> list[list[str]]:
    values = sheet.to_python()
    rows = [[cell_text(cell) for cell in row] for row in values]
    top, left = sheet.start or (0, 0)
    for row, column in percents:
        at, beside = row - top, column - left
        if 0 <= at < len(rows) and 0 <= beside < len(rows[at]):
            value = values[at][beside]
            if isinstance(value, float):
                rows[at][beside] = f"{value * 100:{DIGITS}}%"
    return rows


def _fill_merged(rows: list[list[str]], sheet: "CalamineSheet") -> None:
    """Say what a merged cell holds in each row and column it covers, if it is short."""
    top, left = sheet.start or (0, 0)
    for (first_row, first), (last_row, last) in sheet.merged_cell_ranges or ():
        first_row, first, last_row, last = (
            first_row - top,
            first - left,
            last_row - top,
            last - left,
        )
        if not (0 <= first_row < len(rows) and 0 <= first < len(rows[first_row])):
            continue
        text = rows[first_row][first]
        whole = first == 0 and last >= len(rows[first_row]) - 1  # a line across the table
        across = last if len(text) <= MAX_ACROSS and not whole else first
        down = last_row if len(text) <= MAX_MERGED else first_row
        for row in rows[first_row : down + 1]:
            row[first : across + 1] = [text] * len(row[first : across + 1])


def cell_text(cell: Cell) -> str:
    """A cell as one line: dates in ISO, whole numbers without a point."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return format(cell, DIGITS) if abs(cell) < WHOLE or cell != int(cell) else str(int(cell))
    if isinstance(cell, datetime):
        at_midnight = cell.time() == time()
        return cell.date().isoformat() if at_midnight else cell.isoformat(" ", "seconds")
    if isinstance(cell, time):
        return cell.isoformat("seconds" if cell.second else "minutes")
    if isinstance(cell, date):
        return cell.isoformat()
    return " ".join(str(cell).split())
