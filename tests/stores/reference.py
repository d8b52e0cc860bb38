"""What matches and how it scores, by definition and without an index: the measure of every store.

BM25 as FTS5 computes it: k1 1.2, b 0.75, a phrase's frequency weighted by column, the idf of a
phrase log((N - n + 0.5) / (n + 0.5)) over all documents and at least 1e-6, lengths in terms.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import PurePosixPath

from fanshu.library.store import AllOf, Query
from fanshu.library.terms import Phrase, identifier_terms, terms

WEIGHTS = (2.0, 4.0, 1.0, 1.0)
K1, B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Row:
    """A chunk as terms, by column: name, headings, body, identifiers."""

    chunk_id: str
    columns: tuple[Sequence[str], ...]

    @property
    def size(self) -> int:
        return sum(map(len, self.columns))

    @property
    def file_path(self) -> str:
        return self.chunk_id.rpartition("#")[0]


def row(path: str, number: int, title: str, trail: Sequence[str], text: str) -> Row:
    """A chunk's terms; headings from its own outwards."""
    name = PurePosixPath(path)
    named = f"{' '.join(name.parts[:-1])} {name.stem} {title}"
    heads = " \n\n".join(reversed(trail))
    idents = identifier_terms(f"{named}\n{heads}\n{text}")
    columns = (terms(named), terms(heads), terms(text), idents)
    return Row(f"{path}#{number}", columns)


def matches(row: Row, query: Query) -> bool:
    """Whether a chunk matches."""
    if isinstance(query, Phrase):
        return any(_frequency(column, query) for column in row.columns)
    holds = all if isinstance(query, AllOf) else any
    return holds(matches(row, part) for part in query.parts)


def scores(rows: Sequence[Row], query: Query) -> Mapping[str, float]:
    """The score of every chunk that matches, by id."""
    average = sum(row.size for row in rows) / max(len(rows), 1)
    idf = {phrase: _idf(rows, phrase) for phrase in set(_phrases(query))}
    return {
        row.chunk_id: sum(
            idf[phrase] * _weight(_weighted(row, phrase), row.size / average)
            for phrase in _holding(row, query)
        )
        for row in rows
        if matches(row, query)
    }


def _holding(row: Row, query: Query) -> Iterator[Phrase]:
    """The phrases of a query that count in a chunk: those of its parts that match there."""
    if matches(row, query):
        if isinstance(query, Phrase):
            yield query
        else:
            for part in query.parts:
                yield from _holding(row, part)


def _weight(frequency: float, length: float) -> float:
    return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length))


def _weighted(row: Row, phrase: Phrase) -> float:
    pairs = zip(WEIGHTS, row.columns, strict=True)
    return sum(weight * _frequency(column, phrase) for weight, column in pairs)


def _idf(rows: Sequence[Row], phrase: Phrase) -> float:
    holding = sum(matches(row, phrase) for row in rows)
    return max(log((len(rows) - holding + 0.5) / (holding + 0.5)), 1e-6) if rows else 1e-6


def _phrases(query: Query) -> Iterator[Phrase]:
    if isinstance(query, Phrase):
        yield query
        return
    for part in query.parts:
        yield from _phrases(part)


def _frequency(column: Sequence[str], phrase: Phrase) -> int:
    """How often a phrase stands in a column, overlapping ones counted."""
    *first, last = phrase.terms
    return sum(
        list(column[at : at + len(first)]) == first and _ends(column[at + len(first)], last, phrase)
        for at in range(len(column) - len(first))
    )


def _ends(term: str, last: str, phrase: Phrase) -> bool:
    return term.startswith(last) if phrase.prefix else term == last
