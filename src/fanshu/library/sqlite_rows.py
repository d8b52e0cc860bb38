"""Rows of the SQLite store as what all rooms know."""

import json
from collections.abc import Sequence
from typing import Any

from fanshu.types import Chunk, Lines, OutlineEntry


def _lines(line_a: int | None, line_b: int | None) -> Lines | None:
    return None if line_a is None or line_b is None else (line_a, line_b)


def chunk_of(row: Sequence[Any]) -> Chunk:
    """A chunk from its columns."""
    (path, number, trail, level, text, line_a, line_b, page, part, parts, digest, start,
     title, date, images) = row  # fmt: skip
    return Chunk(
        chunk_id=f"{path}#{number}",
        file_path=path,
        section_path=tuple(json.loads(trail)),
        level=level,
        text=text,
        lines=_lines(line_a, line_b),
        page=page,
        part=(part, parts),
        hash=digest,
        start=start,
        title=title,
        date=date,
        images=tuple(json.loads(images)) if images else (),
    )


def entry_of(row: Sequence[Any]) -> OutlineEntry:
    """A line of an outline from its columns."""
    path, number, trail, level, line_a, line_b, page, part, parts, size, beginning = row
    return OutlineEntry(
        chunk_id=f"{path}#{number}",
        file_path=path,
        section_path=tuple(json.loads(trail)),
        level=level,
        lines=_lines(line_a, line_b),
        page=page,
        part=(part, parts),
        size=size,
        beginning=beginning,
    )
