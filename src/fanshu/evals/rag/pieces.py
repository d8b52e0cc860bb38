"""Documents cut into pieces of fixed size, as a classic RAG has them: headings do not count."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from fanshu.library.library import Library
from fanshu.types import Chunk

SLACK = 0.2  # of a piece's size that may be left empty for it to end with a sentence or line
_ENDS = re.compile(r"\n\n+|\n|(?<=[。！？；])|(?<=[.!?;])\s")


@dataclass(frozen=True)
class Text:
    """A document: its `path`, `title`, and `chunks` in order, which joined are its text."""

    path: str
    title: str
    chunks: tuple[Chunk, ...]

    @cached_property
    def text(self) -> str:
        """The whole text."""
        return "".join(chunk.text for chunk in self.chunks)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """The offset at which each chunk begins."""
        found, at = [], 0
        for chunk in self.chunks:
            found.append(at)
            at += len(chunk.text)
        return tuple(found)

    def within(self, start: int, end: int) -> tuple[Chunk, ...]:
        """The chunks that a span touches."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        return self.chunks[first : bisect_right(self.starts, max(end - 1, start))]


@dataclass(frozen=True, slots=True)
class Piece:
    """A span of a document."""

    of: Text
    start: int
    end: int

    @property
    def text(self) -> str:
        """Its text."""
        return self.of.text[self.start : self.end]

    @property
    def indexed(self) -> str:
        """What is looked for: the title of the document and the text."""
        return f"{self.of.title}\n{self.text}" if self.of.title else self.text

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """The sections it lies in."""
        return self.of.within(self.start, self.end)


def texts(library: Library) -> Iterator[Text]:
    """Every document of a library that can be read."""
    for path, title in library.titles():
        chunks: list[Chunk] = []
        while chunk := library.store.chunk(path, len(chunks) + 1):
            chunks.append(chunk)
        yield Text(path, title, tuple(chunks))


def pieces(documents: Sequence[Text], size: int, overlap: int) -> list[Piece]:
    """All documents in pieces; those of white space alone are left out."""
    found = (one for text in documents for one in _cut(text, size, overlap))
    return [one for one in found if one.text.strip()]


def _cut(text: Text, size: int, overlap: int) -> Iterator[Piece]:
    start, length = 0, len(text.text)
    while start < length:
        end = _end(text.text, start, size)
        yield Piece(text, start, end)
        if end == length:
            return
        start = max(end - overlap, start + 1)


def _end(text: str, start: int, size: int) -> int:
    """Where a piece ends: with a paragraph, line or sentence, if one ends near its full size."""
    full = start + size
    if full >= len(text):
        return len(text)
    ends = [match.end() for match in _ENDS.finditer(text, start + int(size * (1 - SLACK)), full)]
    return ends[-1] if ends else full
