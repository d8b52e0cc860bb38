"""Documents and chunks ↔ what the engine keeps of them."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

from fanshu.library.aliases import Alias
from fanshu.library.chunks import Piece
from fanshu.library.columns import WEIGHTS, Columns, index_columns
from fanshu.library.opensearch.schema import BUCKETS, MAX_TERM, bucket
from fanshu.library.store import DocumentRecord
from fanshu.types import Chunk, OutlineEntry

ROW_BITS = 21  # of a row, for the number of a chunk in its document; the rest are the unit's
BEGINNING = "\ue000"  # where the headings begin; no term can be this
BEGINNING_CHARS = 200
FTS5_BYTES = 32_768  # what SQLite's index keeps of a term
KEPT_BYTES = MAX_TERM - 64
OUTLINE = ["unit", "number", "line"]  # the fields that an entry of an outline is made of
CONTENTS = [*OUTLINE, "kind", "text", "hash", "start", "images", "alias", "other"]  # … all that is

Source = Mapping[str, Any]


def row_of(unit: int, number: int) -> int:
    """The row of a chunk: units in their order, and in each its chunks in theirs."""
    return unit << ROW_BITS | number


def unit_of(row: int) -> int:
    """The unit that a row is of."""
    return row >> ROW_BITS


def chunk_key(row: int) -> tuple[str, str]:
    """(id, routing) of the chunk in a row."""
    unit, number = row >> ROW_BITS, row & ((1 << ROW_BITS) - 1)
    return f"{unit}-{number}", str(unit)


def record_key(number: int) -> tuple[str, str]:
    """(id, routing) of a record."""
    return f"r{number}", str(number)


def alias_key(unit: int, number: int) -> tuple[str, str]:
    """(id, routing) of an alias that a document defines."""
    return f"{unit}-a{number}", str(unit)


def path_key(path: str) -> str:
    """By which a document is found: paths may be of any length."""
    return hashlib.blake2b(path.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def stored_term(term: str) -> str:
    """A term as the engine can take it. The very longest end in a digest of what SQLite keeps."""
    if len(term) * 4 <= KEPT_BYTES:
        return term
    data = term.encode("utf-8", "replace")
    if len(data) <= KEPT_BYTES:
        return term
    digest = hashlib.blake2b(data[:FTS5_BYTES], digest_size=16).hexdigest()
    return data[:KEPT_BYTES].decode("utf-8", "ignore") + digest


def stored_terms(column: str) -> str:
    """A column of terms as the engine can take them."""
    if len(column) * 4 <= KEPT_BYTES:
        return column
    return " ".join(map(stored_term, column.split(" ")))


def bucket_of(term: str) -> str:
    """The field of the vocabulary that holds a term: by its first character."""
    return bucket(crc32(term[:1].encode("utf-8", "replace")) % BUCKETS)


# ---------------------------------------------------------------- into the engine


def record_source(
    number: int, record: DocumentRecord, root: str, unit: int, totals: tuple[int, int, int]
) -> dict[str, Any]:
    """A record; `totals`: how many chunks, alias documents and terms its unit has."""
    chunks, names, terms = totals
    return {
        "kind": "record",
        "unit": number,
        "row": row_of(number, 0),
        "key": path_key(record.path),
        "root": root,
        "of": unit,
        "chunks": chunks,
        "names": names,
        "terms": terms,
        "data": list(record[:-1]),
    }


def chunk_source(unit: int, record: DocumentRecord, piece: Piece) -> dict[str, Any]:
    """A chunk with its terms."""
    found = index_columns(record.path, record.title, piece.trail, piece.text)
    columns = Columns._make(map(stored_terms, found))
    source: dict[str, Any] = {
        "kind": "chunk",
        "unit": unit,
        "row": row_of(unit, piece.number),
        "number": piece.number,
        "hash": piece.hash,
        "size": sum(len(column.split()) for column in columns),
        "line": {
            "trail": piece.trail,
            "level": piece.level,
            "lines": piece.lines,
            "page": piece.page,
            "part": piece.part,
            "chars": len(piece.text),
            "beginning": piece.text[:BEGINNING_CHARS],
        },
        "text": piece.text,
        "start": piece.start,
        "images": piece.images,
        "v": _vocabulary(columns),
    }
    for field, column, weight in zip(Columns._fields, columns, WEIGHTS, strict=True):
        if column:
            source[field] = [column] * int(weight)
    if columns.head:
        source["heading"] = f"{BEGINNING} {columns.head}"
    if piece.number == 1 and not piece.trail:
        source["first"] = columns.body
    return source


def _vocabulary(columns: Columns) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for term in dict.fromkeys(term for column in columns for term in column.split()):
        found.setdefault(bucket_of(term), []).append(term)
    return found


def alias_sources(unit: int, aliases: Sequence[Alias]) -> list[dict[str, Any]]:
    """Each alias from both of its names, once."""
    both = dict.fromkeys(pair for one in aliases for pair in (tuple(one), tuple(reversed(one))))
    return [
        {
            "kind": "alias",
            "unit": unit,
            "row": row_of(unit, (1 << ROW_BITS - 1) + number),
            "alias": name,
            "other": other,
        }
        for number, (name, other) in enumerate(both)
    ]


# ---------------------------------------------------------------- out of the engine


def columns_in(source: Source) -> Columns:
    """The terms of a chunk."""
    return Columns._make((source.get(field) or [""])[0] for field in Columns._fields)


def chunk_in(source: Source, record: DocumentRecord) -> Chunk:
    """A chunk of a document."""
    line = source["line"]
    return Chunk(
        chunk_id=f"{record.path}#{source['number']}",
        file_path=record.path,
        section_path=tuple(line["trail"]),
        level=line["level"],
        text=source["text"],
        lines=_pair(line["lines"]),
        page=line["page"],
        part=(line["part"][0], line["part"][1]),
        hash=source["hash"],
        start=source["start"],
        title=record.title,
        date=record.date,
        images=tuple(source["images"]),
    )


def entry_in(source: Source, record: DocumentRecord) -> OutlineEntry:
    """A chunk of a document as an outline shows it."""
    line = source["line"]
    return OutlineEntry(
        chunk_id=f"{record.path}#{source['number']}",
        file_path=record.path,
        section_path=tuple(line["trail"]),
        level=line["level"],
        lines=_pair(line["lines"]),
        page=line["page"],
        part=(line["part"][0], line["part"][1]),
        size=line["chars"],
        beginning=line["beginning"],
    )


def piece_in(source: Source) -> Piece:
    """A chunk as it was stored, for another document."""
    line = source["line"]
    return Piece(
        number=source["number"],
        trail=tuple(line["trail"]),
        level=line["level"],
        text=source["text"],
        start=source["start"],
        lines=_pair(line["lines"]),
        page=line["page"],
        part=(line["part"][0], line["part"][1]),
        hash=source["hash"],
        images=tuple(source["images"]),
    )


def _pair(value: Sequence[int] | None) -> tuple[int, int] | None:
    return (value[0], value[1]) if value else None
