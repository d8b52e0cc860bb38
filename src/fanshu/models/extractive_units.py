"""Texts that were found → the units that may be shown of them: sentences, rows, items, lists.

A unit stands in its chunk word for word, and knows what it must be read with.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from fanshu.library.passages import Passage, passages
from fanshu.library.terms import fold

UnitKind = Literal["sentence", "item", "row", "code", "list", "table"]

LIST_CHARS = 600  # of a list or table shown as one; what follows is left to its place
LIST_UNITS = 10

_DELIMITER = re.compile(r"[\s|:-]+\Z|\s*(?:`{3,}|~{3,})\w*\s*\Z|[\s{}()\[\],;]+\Z")
_STOPS = re.compile(r"[。.!?！？；;：:，,、|]")


@dataclass(frozen=True, slots=True)
class Source:
    """A text with passages to choose from: a hit of a search, or a chunk that was read.

    `score` is the search's, as a share of its best. `same`: chunks of other files that say it too.
    """

    chunk_id: str
    file_path: str
    section_path: tuple[str, ...]
    text: str
    score: float
    carried: str = ""
    same: tuple[str, ...] = ()

    @property
    def leaf(self) -> str:
        """Its own heading."""
        return self.section_path[-1] if self.section_path else ""


@dataclass(frozen=True, slots=True)
class Unit:
    """A piece of a source that may be shown, from `start` to `end` in its text.

    `lead` is what it must be read with. `members`: the pieces of a list or table.
    """

    source: Source
    kind: UnitKind
    start: int
    end: int
    lead: str = ""
    members: tuple["Unit", ...] = ()

    @property
    def quote(self) -> str:
        """It, as it stands in the document."""
        return self.source.text[self.start : self.end]

    @property
    def shown(self) -> str:
        """It on one line, or a line for each piece; cells with the names of their columns."""
        if self.members:
            lines = [one.shown for one in self.members]
            return "\n".join([*([_line(self.lead)] if self._announced else []), *lines])
        line = _line(self.quote)
        return _with_columns(line, self.lead) if self.kind == "row" and self.lead else line

    @property
    def _announced(self) -> bool:
        return self.kind == "list" and bool(self.lead) and self.quote.startswith(self.lead)


def units_of(source: Source) -> list[Unit]:
    """All units of a source, single ones first, then the lists and tables they make up."""
    start = _after_heading(source)
    single = list(_single(source, start))
    return [*single, *_groups(source, single)]


def _after_heading(source: Source) -> int:
    """The offset behind a heading that stands as a plain line at the top (PDF, HTML, text)."""
    head, line_end, _ = source.text.lstrip().partition("\n")
    alike = bool(source.leaf) and fold(head.strip()) == fold(source.leaf)
    return source.text.index(head) + len(head) if alike and line_end else 0


def _single(source: Source, start: int) -> Iterator[Unit]:
    text = source.text[start:]
    found = passages(text)
    headers = {passage.lead for passage in found if passage.kind == "row"}
    for one in found:
        if one.kind == "heading" or (one.start, one.end) in headers or _says_nothing(text, one):
            continue
        quote = text[one.start : one.end]
        if one.kind == "sentence" and _is_title(source, quote, first=one is found[0]):
            continue
        lead = text[slice(*one.lead)] if one.lead else ""
        if not lead and one.kind in ("row", "item") and one is found[0]:
            lead = source.carried
        yield Unit(source, one.kind, start + one.start, start + one.end, lead)


def _says_nothing(text: str, passage: Passage) -> bool:
    return bool(_DELIMITER.match(text[passage.start : passage.end]))


def _is_title(source: Source, quote: str, *, first: bool) -> bool:
    """Whether a line is the name of what follows: a heading, a file's title, and no sentence."""
    said = fold(quote)
    if any(said == fold(head) for head in source.section_path):
        return True
    name = fold(source.file_path.rpartition("/")[2].rpartition(".")[0])
    lone = "\n" not in quote and not _STOPS.search(quote) and len(quote) <= 60
    return lone and first and (not source.section_path or said in name or name in said)


# ---------------------------------------------------------------- lists and tables


def _groups(source: Source, single: Sequence[Unit]) -> Iterator[Unit]:
    """Lists and tables of several pieces, each with what announces it."""
    for kind, run in groupby(single, key=lambda one: _run_kind(one)):
        pieces = list(run)
        if kind == "row":
            for lead, rows in groupby(pieces, key=lambda one: one.lead):
                yield from _group(source, "table", list(rows), lead)
        elif kind == "item":
            yield from _group(source, "list", pieces, pieces[0].lead)


def _run_kind(unit: Unit) -> str:
    return "item" if unit.kind in ("item", "code") else unit.kind


def _group(
    source: Source, kind: Literal["list", "table"], pieces: Sequence[Unit], lead: str
) -> Iterator[Unit]:
    if sum(one.kind != "code" for one in pieces) < 2:
        return
    kept = [pieces[0]]
    for one in pieces[1:]:
        if len(kept) >= LIST_UNITS or one.end - pieces[0].start > LIST_CHARS:
            break
        kept.append(one)
    start = kept[0].start
    if kind == "list" and lead:
        announced = source.text.rfind(lead, 0, start)
        if announced >= 0 and not source.text[announced + len(lead) : start].strip():
            start = announced
    yield Unit(source, kind, start, kept[-1].end, lead, tuple(kept))


# ---------------------------------------------------------------- as they are shown


def _line(text: str) -> str:
    return " ".join(text.split())


def _with_columns(line: str, header: str) -> str:
    names, cells = _cells(_line(header)), _cells(line)
    if len(names) != len(cells) or names == cells:
        return line
    return " · ".join(f"{name} {cell}" for name, cell in zip(names, cells, strict=True) if cell)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def first_cell(row: str) -> str:
    """What a row is about."""
    return _cells(row)[0]
