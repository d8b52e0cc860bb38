"""A store in OpenSearch: the `Store` protocol over an index that many machines share."""

import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from time import monotonic
from typing import Any, Concatenate, ParamSpec, TypeVar

from opensearchpy import OpenSearch

from fanshu.errors import StoreUnreachable
from fanshu.library.opensearch import records
from fanshu.library.opensearch.engine import Engine
from fanshu.library.opensearch.finding import Finding, entries_where
from fanshu.library.opensearch.moment import Moment
from fanshu.library.opensearch.opening import opened
from fanshu.library.opensearch.queries import Condition, condition, expression_of
from fanshu.library.opensearch.sources import (
    CONTENTS,
    OUTLINE,
    chunk_in,
    chunk_key,
    entry_in,
    row_of,
    unit_of,
)
from fanshu.library.opensearch.state import GRACE, Moved, State, States
from fanshu.library.opensearch.writing import Committing, OpenSearchWriter, deletions
from fanshu.library.store import (
    Candidate,
    Contents,
    DocIds,
    DocumentRecord,
    OutOfTime,
    Query,
    contents_of,
)
from fanshu.types import Chunk, OutlineEntry

SOURCES = 4_000  # chunks kept in memory: what was found is read next
AHEAD = 16  # chunks of a document that are fetched with one that is read
TRIES = 5
PINNED = GRACE - 10.0  # seconds that a snapshot surely lasts

P = ParamSpec("P")
T = TypeVar("T")


def _in_time(
    method: Callable[Concatenate["OpenSearchStore", P], T],
) -> Callable[Concatenate["OpenSearchStore", P], T]:
    """The method, as long as there is time.

    The engine has a clock of its own. When it says that the time is up, it is, for all that
    follows: else a search that was cut short would take what it did not find for what is not there.
    """

    @wraps(method)
    def timed(self: "OpenSearchStore", /, *args: P.args, **options: P.kwargs) -> T:
        if self.out_of_time():
            raise OutOfTime
        try:
            return method(self, *args, **options)
        except OutOfTime:
            self.end_now()
            raise

    return timed


class OpenSearchStore:
    """A library in an engine. Thread-safe; `close` gives back the connections.

    `root_of`: the key of the root that a path is of, kept with its record.
    """

    renewed: str | None = None

    def __init__(
        self,
        client: OpenSearch,
        name: str,
        *,
        shards: int = 1,
        replicas: int = 0,
        read_only: bool = False,
        root_of: Callable[[str], str] = lambda _: "",
    ) -> None:
        """Open or create the library of this name. `client`: of `cluster.connection.connect`.

        Raises: StoreUnreachable; StoreRefused — its format is of a newer version, or the user
        lacks a right.
        """
        self.name, self.read_only, self.root_of = name, read_only, root_of
        self._engine = Engine(client)
        self._shards, self._replicas = shards, replicas
        self._local = threading.local()
        self._guard = threading.Lock()
        self._sources: dict[int, Mapping[str, Any]] = {}
        self._moment: Moment | None = None
        self._tokens: dict[str, int] = {}
        self._index, self._states = self._opened()

    def _opened(self) -> tuple[str, States]:
        return opened(
            self._engine,
            self.name,
            shards=self._shards,
            replicas=self._replicas,
            read_only=self.read_only,
        )

    def _reopen(self) -> None:
        """Go where everything was moved to. Raises: StoreRefused — it is of a newer version."""
        index, states = self._opened()
        with self._guard:
            self._index, self._states = index, states
            self._moment, self._sources = None, {}

    def close(self) -> None:
        """Give back the connections; the store cannot be used after."""
        self._engine.close()

    # ---------------------------------------------------------------- moments

    def generation(self) -> int:
        """A number that changes whenever something was written."""
        pinned: Moment | None = getattr(self._local, "moment", None)
        return pinned.state.generation if pinned else self._state().generation

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that this thread reads inside is of one moment, whatever is written meanwhile."""
        before = getattr(self._local, "moment", None)
        if before is None:
            self._local.since = monotonic()
        self._local.moment = before or self._now()
        try:
            yield
        finally:
            self._local.moment = before

    def _state(self) -> State:
        state = self._states.current()
        if state.moved:
            self._reopen()
            state = self._states.current()
        return state

    def _now(self) -> Moment:
        """The moment that this thread looks at: its snapshot's, or the latest."""
        pinned: Moment | None = getattr(self._local, "moment", None)
        if pinned:
            self._require_recent(pinned)
            return pinned
        for _ in range(TRIES):
            state = self._state()
            with self._guard:
                kept = self._moment
            if kept and kept.state.generation == state.generation:
                return kept
            found = records.moment(self._engine, self._index, state, kept)
            if found:
                with self._guard:
                    last = self._moment
                    if last is None or last.state.generation <= found.state.generation:
                        self._moment = found
                return found
            with self._guard:
                self._moment = None
        detail = "its documents changed faster than they could be read"
        raise StoreUnreachable(address=self._engine.address, detail=detail)

    def _require_recent(self, pinned: Moment) -> None:
        """Raises: StoreUnreachable — what the snapshot sees may be deleted by now."""
        if monotonic() - self._local.since < PINNED:
            return
        if self._states.current().generation != pinned.state.generation:
            detail = "its documents have changed while they were read, for more than a minute"
            raise StoreUnreachable(address=self._engine.address, detail=detail)

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Counting and finding in this thread raise `OutOfTime` after so many seconds."""
        before = getattr(self._local, "ends", None)
        self._local.ends = monotonic() + seconds
        try:
            yield
        finally:
            self._local.ends = before

    @property
    def _ends(self) -> float | None:
        ends: float | None = getattr(self._local, "ends", None)
        return ends

    def out_of_time(self) -> bool:
        """Whether the time of this thread's `within` is up."""
        return self._ends is not None and monotonic() >= self._ends

    def end_now(self) -> None:
        """Let the time of this thread's `within` be up."""
        if self._ends is not None:
            self._local.ends = min(self._ends, monotonic())

    def _finding(self) -> Finding:
        sources = self._sources
        if len(sources) > SOURCES:
            sources = self._sources = {}
        return Finding(self._engine, self._index, self._now(), self._ends, sources)

    # ---------------------------------------------------------------- reading

    def documents(self, roots: Collection[str] | None = None) -> Mapping[str, DocumentRecord]:
        """Every document by path. `roots`: only those of roots with these keys."""
        moment = self._now()
        if roots is None:
            return moment.documents
        wanted = frozenset(roots)
        return {p: one.record for p, one in moment.stored.items() if one.root in wanted}

    def records(self, paths: Collection[str]) -> Mapping[str, DocumentRecord]:
        """Some documents by path; those that are not there are left out."""
        documents = self._now().documents
        return {path: documents[path] for path in paths if path in documents}

    @_in_time
    def candidates(
        self, query: Query, docs: DocIds, limit: int, scored: int, matches: int | None = None
    ) -> Sequence[Candidate]:
        """The chunks that match, best first by BM25; of very many only some are scored."""
        return self._finding().candidates(query, docs, limit, scored, matches)

    @_in_time
    def count(self, query: Query, docs: DocIds, cap: int) -> int:
        """How many chunks match, counted up to `cap`."""
        return self._finding().count(query, docs, cap)

    @_in_time
    def counts(self, queries: Sequence[Query], docs: DocIds, cap: int) -> Iterator[int]:
        """`count` of each, on one journey."""
        return iter(self._finding().counts_of(queries, docs, cap))

    @_in_time
    def files(self, query: Query, docs: DocIds, cap: int) -> Mapping[str, int]:
        """How many chunks of each document match, over the first `cap` matches."""
        return self._finding().files(query, docs, cap)

    @_in_time
    def chunks(self, rows: Sequence[int]) -> Sequence[Chunk]:
        """Chunks by row, in the order asked; rows that are gone are left out."""
        return self._chunks(rows)

    def _chunks(self, rows: Sequence[int]) -> list[Chunk]:
        by_unit = self._now().by_unit
        sources = self._sources
        missing = [row for row in rows if row not in sources and unit_of(row) in by_unit]
        for found in self._engine.documents(self._index, list(map(chunk_key, missing))):
            sources[found["_source"]["row"]] = found["_source"]
        return [
            chunk_in(sources[row], by_unit[unit_of(row)])
            for row in rows
            if row in sources and unit_of(row) in by_unit
        ]

    def chunk(self, path: str, number: int) -> Chunk | None:
        """The chunk of a document at a position."""
        stored = self._now().stored.get(path)
        if stored is None or not 1 <= number <= stored.chunks:
            return None
        row = row_of(stored.unit, number)
        if row not in self._sources:
            # Who reads one reads those beside it next.
            last = min(number + AHEAD, stored.chunks + 1)
            self._chunks([row_of(stored.unit, one) for one in range(number, last)])
        return next(iter(self._chunks([row])), None)

    def chunk_by_hash(self, path: str, text_hash: str) -> Chunk | None:
        """The first chunk of a document with this text."""
        record = self._now().documents.get(path)
        if record is None:
            return None
        asked = [{"term": {"unit": record.id}}, {"term": {"hash": text_hash}}]
        body = {"size": 1, "sort": [{"row": "asc"}], "query": {"bool": {"filter": asked}}}
        hits = self._engine.search(self._index, body)["hits"]["hits"]
        return chunk_in(hits[0]["_source"], record) if hits else None

    def outline(self, paths: Iterable[str]) -> Sequence[OutlineEntry]:
        """The chunks of documents in order, without their texts."""
        moment = self._now()
        ids = frozenset(one.unit for p in paths if (one := moment.stored.get(p)) and one.chunks)
        return self._entries({"term": {"kind": "chunk"}}, ids) if ids else []

    def headed(self, query: Query, docs: DocIds, first_of: DocIds) -> Sequence[OutlineEntry]:
        """Chunks by their headings, beginnings without one that match, first ones, in order."""
        firsts = [row_of(unit, 1) for unit in first_of or ()]
        asked = entries_where(
            [
                condition(expression_of(query, "head")),
                condition(expression_of(query, "first")),
                *([{"terms": {"row": firsts}}] if firsts else []),
            ]
        )
        return self._entries(asked, docs)

    @_in_time
    def _entries(self, asked: Condition, docs: DocIds) -> Sequence[OutlineEntry]:
        moment = self._now()
        query = moment.chunks_where(asked, moment.within(docs))
        kind = {"bool": {"must": [query], "filter": [{"term": {"kind": "chunk"}}]}}
        body = {"query": kind, "_source": OUTLINE}
        found = [
            (record.path, hit["_source"]["number"], entry_in(hit["_source"], record))
            for hit in self._engine.scan(self._index, body, self._ends)
            if (record := moment.by_unit.get(hit["_source"]["unit"]))
        ]
        return [entry for _, _, entry in sorted(found, key=lambda one: one[:2])]

    @_in_time
    def vocabulary(self, prefix: str, limit: int) -> Sequence[tuple[str, int]]:
        """Terms that begin so, with their number of chunks, most frequent first."""
        return self._finding().vocabulary(prefix, limit)

    @_in_time
    def aliases(self, names: Collection[str], docs: DocIds) -> Sequence[tuple[str, str]]:
        """(a name, another for the same) as some documents define them, for these names."""
        return self._finding().aliases(names, docs) if names else []

    def contents(self, paths: Collection[str]) -> Mapping[str, Contents]:
        """All that some documents hold, on a journey for a few thousand chunks."""
        moment = self._now()
        units = [one.unit for path in paths if (one := moment.stored.get(path)) and one.unit]
        body = {"query": {"terms": {"unit": units}}, "_source": CONTENTS}
        found = [hit["_source"] for hit in self._engine.scan(self._index, body)] if units else []
        chunks, aliases = [], []
        for source in found:
            record = moment.by_unit.get(source["unit"])
            if record and source["kind"] == "chunk":
                chunks.append(chunk_in(source, record))
            elif record and source["kind"] == "alias":
                aliases.append((record.path, source["alias"], source["other"]))
        return contents_of(paths, chunks, aliases)

    def size(self) -> tuple[int, int]:
        """(chunks, bytes on disk)."""
        return self._now().state.chunks, self._engine.bytes_of(self._index)

    # ---------------------------------------------------------------- writing

    @contextmanager
    def write(self) -> Iterator[OpenSearchWriter]:
        """A transaction; an exception inside undoes it.

        Raises: StoreUnreachable, StoreRefused.
        """
        writer = OpenSearchWriter()
        yield writer
        if not writer.wanted:
            return
        try:
            self._committing().commit(writer.wanted)
        except Moved:
            self._reopen()
            self._committing().commit(writer.wanted)

    def _committing(self) -> Committing:
        with self._guard:
            tokens = dict(self._tokens)
        return Committing(self._engine, self._index, self._states, self.root_of, tokens)

    def tidy(self) -> None:
        """Delete some of what has been over for a while. Nobody sees a difference.

        Every transaction does the same; this is for when there are none.
        """
        found = self._states.found()
        if found is None or found.moved:
            return
        swept = found.garbage()
        if swept.over or swept.lost:
            self._engine.bulk(self._index, deletions(self._engine, self._index, swept))
            self._engine.refresh(self._index)
            self._states.change(lambda state: state.without(swept))

    def fence(self, tokens: Mapping[str, int]) -> None:
        """From now on, write the documents of these roots with these tokens, and let nobody write
        them with lower ones. Raises: StoreUnreachable, StoreRefused.
        """
        self._states.change(lambda state: state.fenced(tokens))
        with self._guard:
            self._tokens |= tokens
