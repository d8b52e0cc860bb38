"""The rows of a file of questions with their line numbers, from JSON lines or from a table.

In a table a question has one row for each of its places: further rows with the same id and no
question each add a place. A cell of `must`, `trap` or `absent` holds one item a line, and ` | `
between wordings of which one is enough; one of `trail` holds ` > ` between headings.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from fanshu.errors import ConfigError

TEXTS = ("id", "corpus", "kind", "lang", "question", "answer")
LISTS = ("must", "trap", "absent", "computed")
PLACE = ("file", "trail", "page", "quote")
COLUMNS = (*TEXTS, "must", "file", "trail", "page", "quote", "trap", "absent", "computed")
WORDINGS, HEADINGS = " | ", " > "
TABLES = (".csv", ".tsv")
BOM = "\ufeff"  # without it a spreadsheet takes UTF-8 for the code page of its country
_DELIMITERS = ",;\t"  # a spreadsheet of some countries writes the second

Row = tuple[int, Any]


def rows(path: Path) -> Iterator[Row]:
    """Each row: its line, counted from 1, and its fields, or a text on what is wrong with it.

    Raises: ConfigError — the file cannot be read, or is a table without the columns needed.
    """
    text = _text(path)
    yield from _of_table(path, text) if path.suffix.lower() in TABLES else _of_lines(text)


def _text(path: Path) -> str:
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ConfigError(name="questions", detail=f"{path}: {error.strerror or error}") from error
    for encoding in ("utf-8-sig", "gb18030"):  # spreadsheets of Chinese systems write the second
        try:
            return raw.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise ConfigError(name="questions", detail=f"{path}: it is not in UTF-8")


def _of_lines(text: str) -> Iterator[Row]:
    # Not splitlines: JSON may hold U+2028 as it is.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except ValueError as error:
                yield number, f"no JSON ({error})"


def _of_table(path: Path, text: str) -> Iterator[Row]:
    head = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=head.count)
    table = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    names = [name.strip().lower() for name in table.fieldnames or ()]
    if lacking := [name for name in ("id", "question") if name not in names]:
        detail = f"{path}, line 1: no column {' and '.join(lacking)}; see docs/measuring.md"
        raise ConfigError(name="questions", detail=detail)
    table.fieldnames = names
    yield from _joined(_cells(table))


def _cells(table: "csv.DictReader[str]") -> Iterator[tuple[int, dict[str, str] | str]]:
    line = table.line_num + 1
    while True:
        try:
            cells = next(table)
        except StopIteration:
            return
        except csv.Error as error:
            yield line, f"no row of a table ({error})"
            return
        known = {k: (v or "").strip() for k, v in cells.items() if isinstance(k, str)}
        if None in cells:
            yield line, "more cells than columns"
        elif any(known.values()):
            yield line, known
        line = table.line_num + 1


def _joined(found: Iterator[tuple[int, dict[str, str] | str]]) -> Iterator[Row]:
    """Rows of one question become one."""
    held: tuple[int, dict[str, Any]] | None = None
    for line, cells in found:
        if isinstance(cells, str):
            yield line, cells
        elif held and cells.get("id") in ("", held[1].get("id")) and not cells.get("question"):
            held[1]["gold"] += _places(cells)
        else:
            if held:
                yield held
            held = line, _fields(cells)
    if held:
        yield held


def _fields(cells: Mapping[str, str]) -> dict[str, Any]:
    fields: dict[str, Any] = {name: cells[name] for name in TEXTS if cells.get(name)}
    for name in LISTS:
        if name in cells and (cells[name] or name == "must"):
            fields[name] = [_item(one) for one in cells[name].splitlines() if one.strip()]
    return fields | {"gold": _places(cells)}


def _item(text: str) -> str | list[str]:
    wordings = [one.strip() for one in text.split(WORDINGS)]
    return wordings if len(wordings) > 1 else wordings[0]


def _places(cells: Mapping[str, str]) -> list[dict[str, Any]]:
    if not any(cells.get(name) for name in PLACE):
        return []
    trail = [one.strip() for one in cells.get("trail", "").split(HEADINGS) if one.strip()]
    place: dict[str, Any] = {"file": cells.get("file", ""), "trail": trail}
    if page := cells.get("page", ""):
        place["page"] = int(page) if page.isdecimal() else page
    return [place | {"quote": cells.get("quote", "")}]


def as_table(questions: Iterable[Mapping[str, Any]]) -> str:
    """Questions as a table that `rows` reads: what an `also` place says is left out."""
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS, lineterminator="\r\n", restval="")
    table.writeheader()
    for fields in questions:
        places = [_place_cells(one) for one in fields.get("gold", ())] or [{}]
        first = {name: fields[name] for name in TEXTS if fields.get(name)}
        first |= {name: _listed(fields[name]) for name in LISTS if fields.get(name)}
        table.writerow(first | places[0])
        table.writerows({"id": fields["id"]} | place for place in places[1:])
    return BOM + out.getvalue()


def _place_cells(place: Mapping[str, Any]) -> dict[str, Any]:
    cells = {name: place[name] for name in ("file", "page", "quote") if name in place}
    return cells | {"trail": HEADINGS.join(place.get("trail", ()))}


def _listed(items: "list[str | list[str]]") -> str:
    return "\n".join(one if isinstance(one, str) else WORDINGS.join(one) for one in items)
