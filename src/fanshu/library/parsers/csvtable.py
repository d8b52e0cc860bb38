"""Tables in text files (.csv .tsv) → document: a row is a line, cells joined by ` | `."""

import csv
import io
from collections import Counter

from fanshu.library.parsers.encoding import Decoded
from fanshu.library.parsers.sections import cut, line_starts
from fanshu.types import Document

SAMPLE_LINES = 30
SEPARATORS = (",", "\t", ";", "|")
MAX_CELL = 10_000_000  # characters; the module's own limit of 131,072 is less than a text may have


def parse_csv(decoded: Decoded, separator: str | None = None) -> Document:
    """The document of a table. Lines are those of the file unless cells hold line ends.

    `separator` between cells is found out when not given.
    """
    separator = separator or _separator(decoded.text)
    source = decoded.text
    csv.field_size_limit(MAX_CELL)
    reader = csv.reader(io.StringIO(source, newline=""), delimiter=separator)
    try:
        rows = [" | ".join(" ".join(cell.split()) for cell in row) for row in reader]
    except csv.Error:  # a cell of more than the limit, as an open quote makes one
        rows = [" | ".join(line.split(separator)) for line in source.splitlines()]
    text = "".join(f"{row.rstrip(' |')}\n" for row in rows)
    count = len(line_starts(source))
    first_line = 1 if len(rows) == count else None
    return Document(
        text=text,
        sections=cut(text, (), first_line, count),
        encoding=decoded.encoding,
        state="ok" if text.strip() else "skipped",
        reason=None if text.strip() else "empty",
        first_line=first_line,
    )


def _separator(source: str) -> str:
    """The sign that stands equally often in most of the first lines, and at least once."""
    lines = [line for line in source[:20_000].splitlines()[:SAMPLE_LINES] if line.strip()]
    best = (0, 0, ",")
    for sign in SEPARATORS:
        counts = Counter(_outside_quotes(line, sign) for line in lines)
        counts.pop(0, None)
        number, times = max(counts.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        best = max(best, (times, number, sign))
    return best[2]


def _outside_quotes(line: str, sign: str) -> int:
    return sum(part.count(sign) for part in line.split('"')[::2])
