"""Approved answers as files: JSON lines and CSV that come back as they were, and questions.

A cell of a CSV that a spreadsheet would take for a formula begins with an apostrophe, which is
taken away again when it is read.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from fanshu.approved.approval import Approved, Kept, from_plain
from fanshu.errors import ConfigError
from fanshu.types import plain

Form = Literal["jsonl", "csv", "questions"]
COLUMNS = ("id", "question", "wordings", "answer", "by", "at", "note", "state", "sources", "data")
BOM = "\ufeff"  # without it a spreadsheet takes UTF-8 for the code page of its country
_RISKY = ("=", "+", "-", "@", "\t", "\r", "'")
MOST_MUST = 5  # figures that a graded answer has to hold


@dataclass(frozen=True, slots=True)
class Row:
    """An approved answer as a file holds it, with its wordings."""

    number: int
    approved: Approved
    wordings: tuple[str, ...]


# ---------------------------------------------------------------- out


def as_jsonl(kept: Sequence[Kept]) -> str:
    """A JSON object a line: `approved`, `wordings`, and how it stands (`state`)."""
    lines = (
        {
            "approved": plain(one.approved),
            "wordings": one.wordings,
            "state": one.examined.state,
        }
        for one in kept
    )
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines)


def as_csv(kept: Sequence[Kept]) -> str:
    """A table for people, whose last column holds what is needed to read it back."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\r\n")
    table.writerow(COLUMNS)
    table.writerows([_guarded(cell) for cell in _cells(one)] for one in kept)
    return BOM + out.getvalue()


def _cells(kept: Kept) -> Iterator[str]:
    one = kept.approved
    yield from (one.id, one.question, "\n".join(kept.wordings[1:]), one.answer.answer)
    yield from (one.by, one.at, one.note, kept.examined.state)
    yield "\n".join(f"{cited.chunk_id}: {cited.quote}" for cited in kept.examined.now)
    yield json.dumps(plain(one), ensure_ascii=False)


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_RISKY) else cell


def _unguarded(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and cell[1:].startswith(_RISKY) else cell


def as_questions(kept: Sequence[Kept]) -> str:
    """A set of questions for `fanshu eval`, graded by what was approved. Answers that wait for a
    review are left out.
    """
    lines = (_question(one) for one in kept if not one.examined.waits)
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in lines)


def _question(kept: Kept) -> Mapping[str, object]:
    from fanshu.agent.amounts import plain as readable
    from fanshu.agent.claims import claims

    text = kept.approved.answer.answer
    figures = dict.fromkeys(one.text for one in claims(readable(text)))
    return {
        "id": f"approved-{kept.id}",
        "question": kept.approved.question,
        "kind": "approved",
        "answer": text,
        "must": list(figures)[:MOST_MUST],
        "gold": [
            {"file": cited.file_path, "trail": list(cited.section_path), "quote": cited.quote}
            | ({"page": cited.page} if cited.page is not None else {})
            for cited in kept.examined.now
        ],
    }


# ---------------------------------------------------------------- in


def read(text: str, name: str) -> tuple[Row, ...]:
    """The answers in an exported file, whichever form it has. `name`: for what is said of it.

    Raises: ConfigError — a line is no approved answer, and which.
    """
    text = text.removeprefix(BOM)
    rows = _of_lines(text, name) if text.lstrip().startswith("{") else _of_table(text, name)
    found = tuple(rows)
    if not found:
        raise ConfigError(name="import", detail=f"{name} holds no approved answer")
    return found


def _of_lines(text: str, name: str) -> Iterator[Row]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield _row(name, number, lambda line=line: _from_line(json.loads(line)))


def _from_line(data: Mapping[str, Any]) -> tuple[Mapping[str, Any], Sequence[str]]:
    return data["approved"], data.get("wordings", ())


def _of_table(text: str, name: str) -> Iterator[Row]:
    csv.field_size_limit(10_000_000)
    table = csv.DictReader(io.StringIO(text, newline=""))
    for number, cells in enumerate(table, 2):
        yield _row(name, number, lambda cells=cells: _from_cells(cells))


def _from_cells(cells: Mapping[str, str]) -> tuple[Mapping[str, Any], Sequence[str]]:
    """What people may have changed in the table counts: question, wordings, answer and note."""
    said = {column: _unguarded(cells[column]) for column in COLUMNS}
    data = json.loads(said["data"])
    question, answer, note = (_line_ends(said[key]) for key in ("question", "answer", "note"))
    edited = answer != data["answer"]["answer"]
    data |= {"question": question, "note": note, "edited": data["edited"] or edited}
    data["answer"] |= {"answer": answer, "question": question}
    return data, (question, *filter(str.strip, _line_ends(said["wordings"]).split("\n")))


def _line_ends(text: str) -> str:
    """Spreadsheets write their own."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _row(name: str, number: int, parse: Any) -> Row:
    try:
        data, wordings = parse()
        one = from_plain(data)
        datetime.fromisoformat(one.at)
        return Row(number, one, tuple(map(str, wordings)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        said = str(error).split("\n")[0]
        what = f"no column {error}" if isinstance(error, KeyError) else said
        detail = f"{name}, line {number}: no approved answer as exported ({what})"
        raise ConfigError(name="import", detail=detail) from error
