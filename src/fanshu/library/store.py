"""Where documents and their index live: the `Store` protocol and the words it uses.

A store keeps documents and chunks, finds chunks by terms, and knows nothing of ranking,
languages or files. Terms are made by `terms.py` and come in as they are.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from fanshu.library.aliases import Alias
from fanshu.library.chunks import Piece
from fanshu.library.terms import Phrase
from fanshu.types import Chunk, FileState, FileStatus, OutlineEntry

DocIds = Collection[int] | None  # None: every document


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part must match."""

    parts: tuple["Query", ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """One part must match; more rank higher."""

    parts: tuple["Query", ...]


Query = Phrase | AllOf | AnyOf


class DocumentRecord(NamedTuple):
    """What the store knows of a file. `id` is 0 until it is stored.

    A plain tuple: all of them are loaded to compare a folder, and that is felt.
    `made_by` names the parser and chunking that made the chunks; another value means that
    the file has to be parsed again. `mtime_ns` is the modification time in nanoseconds.
    `replaces` are the titles that the document says it replaces, a line each.
    """

    path: str
    size: int
    mtime_ns: int
    hash: str
    state: FileState
    made_by: str
    reason: str | None = None
    encoding: str | None = None
    title: str = ""
    date: str | None = None
    chunks: int = 0
    characters: int = 0
    replaces: str = ""
    id: int = 0

    def status(self, newer_version: str | None) -> FileStatus:
        """The same, as everybody may see it."""
        return FileStatus(
            file_path=self.path,
            state=self.state,
            reason=self.reason,
            encoding=self.encoding,
            chunks=self.chunks,
            size=self.size,
            title=self.title,
            date=self.date,
            newer_version=newer_version,
        )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk that matches: its row and its BM25 score, higher is better."""

    row: int
    score: float


class Contents(NamedTuple):
    """What a document holds: all of its chunks in order, and pairs of names that it defines, some
    of them both ways round.
    """

    chunks: Sequence[Chunk]
    aliases: Sequence[tuple[str, str]]


class OutOfTime(Exception):
    """The time given by `Store.within` is up. It never leaves a search."""


class Writer(Protocol):
    """Changes inside one transaction."""

    def put(
        self, record: DocumentRecord, pieces: Sequence[Piece], aliases: Sequence[Alias] = ()
    ) -> None:
        """Store a document, its chunks and aliases in place of whatever its path held."""
        ...

    def touch(self, record: DocumentRecord) -> None:
        """Change what is known of a stored document, not its chunks."""
        ...

    def rename(self, old_path: str, record: DocumentRecord) -> None:
        """Give a stored document another path; its chunks are kept."""
        ...

    def remove(self, path: str) -> None:
        """Take a document and its chunks out."""
        ...


class Store(Protocol):
    """A place for documents. Readers see the last finished transaction and never wait.

    A `read_only` store answers, and refuses to be written. `renewed` is the format of an earlier
    version that it was found in, and emptied of.
    """

    read_only: bool
    renewed: str | None

    def generation(self) -> int:
        """A number that changes whenever something was written."""
        ...

    def snapshot(self) -> AbstractContextManager[None]:
        """All that this thread reads inside is of one moment, whatever is written meanwhile.

        Nothing may be written inside.
        """
        ...

    def within(self, seconds: float) -> AbstractContextManager[None]:
        """Counting and finding in this thread raise `OutOfTime` after so many seconds."""
        ...

    def out_of_time(self) -> bool:
        """Whether the time of this thread's `within` is up."""
        ...

    def documents(self, roots: Collection[str] | None = None) -> Mapping[str, DocumentRecord]:
        """Every document by path. `roots`: only those of roots with these keys, in a store that
        several machines fill.
        """
        ...

    def records(self, paths: Collection[str]) -> Mapping[str, DocumentRecord]:
        """Some documents by path; those that are not there are left out."""
        ...

    def write(self) -> AbstractContextManager[Writer]:
        """A transaction; an exception inside undoes it."""
        ...

    def candidates(
        self, query: Query, docs: DocIds, limit: int, scored: int, matches: int | None = None
    ) -> Sequence[Candidate]:
        """The chunks that match, best first by BM25 over name, headings, body, identifiers.

        Of more than about `scored` a store may leave out those that do not have the words in
        their headings. `matches`: how many there are, where that is known.
        """
        ...

    def count(self, query: Query, docs: DocIds, cap: int) -> int:
        """How many chunks match, counted up to `cap`."""
        ...

    def counts(self, queries: Sequence[Query], docs: DocIds, cap: int) -> Iterator[int]:
        """`count` of each: on one journey where the store is far, one by one as they are taken
        where it is near, so that those that are not taken cost nothing.
        """
        ...

    def files(self, query: Query, docs: DocIds, cap: int) -> Mapping[str, int]:
        """How many chunks of each document match, over the first `cap` matches."""
        ...

    def chunks(self, rows: Sequence[int]) -> Sequence[Chunk]:
        """Chunks by row, in the order asked; rows that are gone are left out."""
        ...

    def chunk(self, path: str, number: int) -> Chunk | None:
        """The chunk of a document at a position, from 1."""
        ...

    def chunk_by_hash(self, path: str, text_hash: str) -> Chunk | None:
        """The first chunk of a document with this text."""
        ...

    def outline(self, paths: Iterable[str]) -> Sequence[OutlineEntry]:
        """The chunks of documents in order, without their texts."""
        ...

    def headed(self, query: Query, docs: DocIds, first_of: DocIds) -> Sequence[OutlineEntry]:
        """The chunks that match in one of their headings, the first of a document when it matches
        and has none, and the first of the documents `first_of`, in order, without their texts.
        """
        ...

    def vocabulary(self, prefix: str, limit: int) -> Sequence[tuple[str, int]]:
        """Terms that begin so, with the number of chunks that hold them, most frequent first."""
        ...

    def aliases(self, names: Collection[str], docs: DocIds) -> Sequence[tuple[str, str]]:
        """(a name, another for the same) as some documents define them, for these names."""
        ...

    def contents(self, paths: Collection[str]) -> Mapping[str, Contents]:
        """All that some documents hold, on few journeys; of those that are not there, nothing."""
        ...

    def size(self) -> tuple[int, int]:
        """(chunks, bytes on disk)."""
        ...

    def close(self) -> None:
        """Give back the connections."""
        ...


def contents_of(
    paths: Collection[str], chunks: Iterable[Chunk], aliases: Iterable[tuple[str, str, str]]
) -> Mapping[str, Contents]:
    """Chunks in order and (path, name, other), by document."""
    found: dict[str, tuple[list[Chunk], list[tuple[str, str]]]] = {p: ([], []) for p in paths}
    for chunk in chunks:
        found[chunk.file_path][0].append(chunk)
    for path, *pair in aliases:
        found[path][1].append((pair[0], pair[1]))
    return {path: Contents(*both) for path, both in found.items()}
