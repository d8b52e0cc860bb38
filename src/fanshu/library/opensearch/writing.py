"""Writing: what is to change is gathered, stored as new units, and there all at once."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from time import monotonic

from fanshu.errors import StoreRefused
from fanshu.library.aliases import Alias
from fanshu.library.chunks import Piece
from fanshu.library.opensearch import records
from fanshu.library.opensearch.engine import Engine, Json
from fanshu.library.opensearch.records import Stored
from fanshu.library.opensearch.sources import (
    alias_key,
    alias_sources,
    chunk_key,
    chunk_source,
    record_key,
    record_source,
    row_of,
)
from fanshu.library.opensearch.state import Moved, Over, State, States
from fanshu.library.store import DocumentRecord

BEAT_SECONDS = 10.0  # between two signs of a writer that is at work
Action = tuple[Json, Json | None]


@dataclass(frozen=True, slots=True)
class Fresh:
    """Chunks and aliases to be stored."""

    pieces: Sequence[Piece]
    aliases: Sequence[Alias]


@dataclass(frozen=True, slots=True)
class Kept:
    """Those of the document that stood at a path before."""

    path: str


@dataclass(frozen=True, slots=True)
class Entry:
    """What a path is to hold."""

    record: DocumentRecord
    content: Fresh | Kept


class OpenSearchWriter:
    """Gathers changes; nothing is sent before `Committing.commit`."""

    def __init__(self) -> None:
        self.wanted: dict[str, Entry | None] = {}  # None: nothing

    def put(
        self, record: DocumentRecord, pieces: Sequence[Piece], aliases: Sequence[Alias] = ()
    ) -> None:
        """Store a document, its chunks and aliases in place of whatever its path held."""
        self.wanted[record.path] = Entry(record, Fresh(tuple(pieces), tuple(aliases)))

    def touch(self, record: DocumentRecord) -> None:
        """Change what is known of a stored document, not its chunks."""
        if content := self._content(record.path):
            self.wanted[record.path] = Entry(record, content)

    def rename(self, old_path: str, record: DocumentRecord) -> None:
        """Give a stored document another path; its chunks are kept, its name is indexed anew."""
        content = self._content(old_path)
        self.wanted[old_path] = None
        self.wanted[record.path] = Entry(record, content) if content else None

    def remove(self, path: str) -> None:
        """Take a document and its chunks out."""
        self.wanted[path] = None

    def _content(self, path: str) -> Fresh | Kept | None:
        if path not in self.wanted:
            return Kept(path)
        entry = self.wanted[path]
        return entry.content if entry else None


@dataclass(frozen=True, slots=True)
class Unit:
    """A record with its number, and the unit that its chunks are in: its own number when `new`.

    `based_on`: the record whose chunks it keeps.
    """

    number: int
    record: DocumentRecord
    unit: int
    chunks: int
    names: int
    terms: int
    based_on: Stored | None = None

    @property
    def new(self) -> bool:
        """Whether its chunks are stored with it."""
        return self.unit == self.number


class Committing:
    """One transaction on its way into the engine."""

    def __init__(
        self,
        engine: Engine,
        index: str,
        states: States,
        root_of: Callable[[str], str],
        tokens: Mapping[str, int],
    ) -> None:
        self._engine, self._index, self._states = engine, index, states
        self._root_of, self._tokens = root_of, tokens
        self.writer = secrets.token_hex(8)
        self._beaten = monotonic()
        self._units: list[Unit] = []

    def commit(self, wanted: Mapping[str, Entry | None]) -> None:
        """Make the paths hold what they are to hold, all at once.

        Raises: StoreUnreachable, StoreRefused, Moved — nothing has changed then.
        """
        count = sum(entry is not None for entry in wanted.values())
        state = self._states.change(lambda state: state.announced(self.writer, count))
        try:
            known = self._known(state, wanted)
            swept = state.garbage()
            self._engine.bulk(self._index, self._actions(state, swept, wanted, known), self._beat)
            self._engine.refresh(self._index)
            self._finish(state, swept, wanted, known)
        except BaseException:
            self._give_up()
            raise

    # ---------------------------------------------------------------- what is stored

    def _known(self, state: State, wanted: Mapping[str, Entry | None]) -> dict[str, Stored]:
        paths = dict.fromkeys(wanted)
        kept = (one.content for one in wanted.values() if one)
        paths |= dict.fromkeys(one.path for one in kept if isinstance(one, Kept))
        return records.at(self._engine, self._index, state, list(paths))

    def _actions(
        self,
        state: State,
        swept: State,
        wanted: Mapping[str, Entry | None],
        known: Mapping[str, Stored],
    ) -> Iterator[Action]:
        yield from deletions(self._engine, self._index, swept)
        number = state.writing[self.writer].first
        for entry in wanted.values():
            if entry is None:
                continue
            based_on = None
            if isinstance(entry.content, Kept):
                based_on = known.get(entry.content.path)
                if based_on is None:
                    continue
            yield from self._stored(number, entry, based_on)
            number += 1

    def _stored(self, number: int, entry: Entry, based_on: Stored | None) -> Iterator[Action]:
        record = entry.record
        if based_on and based_on.record.path == record.path:
            old = based_on
            unit = Unit(number, record, old.unit, old.chunks, old.names, old.terms, old)
        else:
            pieces, aliases = self._content(entry, based_on)
            names = alias_sources(number, aliases)
            terms = 0
            for piece in pieces:
                source = chunk_source(number, record, piece)
                terms += source["size"]
                yield _index(chunk_key(source["row"]), source)
            for place, source in enumerate(names):
                yield _index(alias_key(number, place), source)
            unit = Unit(number, record, number, len(pieces), len(names), terms, based_on)
        self._units.append(unit)
        totals = unit.chunks, unit.names, unit.terms
        source = record_source(number, record, self._root_of(record.path), unit.unit, totals)
        yield _index(record_key(number), source)

    def _content(
        self, entry: Entry, based_on: Stored | None
    ) -> tuple[Sequence[Piece], Sequence[Alias]]:
        if isinstance(entry.content, Fresh):
            return entry.content.pieces, entry.content.aliases
        return records.content(self._engine, self._index, based_on.unit) if based_on else ((), ())

    # ---------------------------------------------------------------- the end

    def _finish(
        self,
        state: State,
        swept: State,
        wanted: Mapping[str, Entry | None],
        known: dict[str, Stored],
    ) -> None:
        seen = state.generation

        def committed(now: State) -> State:
            nonlocal seen, known
            if now.moved:
                raise Moved
            if self.writer not in now.writing:
                if any(one.writer == self.writer for one in now.log):
                    # Heard, and the answer was lost: said again, so that it is sure to be kept.
                    return replace(now)
                detail = "it was given up for lost, having been silent for too long; try again"
                raise StoreRefused(address=self._engine.address, detail=detail)
            self._require_leases(now, wanted)
            if now.generation != seen:
                known = self._known(now, wanted)
                seen = now.generation
            over, used, totals = self._balance(wanted, known)
            return now.committed(self.writer, used, over, totals, swept)

        self._states.change(committed)

    def _require_leases(self, now: State, paths: Iterable[str]) -> None:
        """Raises: StoreRefused — another has taken over a root since, and writes it now."""
        for root in {self._root_of(path) for path in paths}:
            if now.fences.get(root, 0) > self._tokens.get(root, 0):
                detail = f"another process has taken over the root {root!r}; nothing was changed."
                raise StoreRefused(address=self._engine.address, detail=detail)

    def _balance(
        self, wanted: Mapping[str, Entry | None], known: Mapping[str, Stored]
    ) -> tuple[list[Over], int, tuple[int, int]]:
        """What is over, how many numbers were used, and by how much the totals change.

        What keeps the chunks of a record that another writer has replaced meanwhile is dropped.
        """
        over: dict[int, Over] = {}
        chunks = terms = 0
        lives: set[int] = set()
        for unit in self._units:
            old = unit.based_on
            base = old and known.get(old.record.path)
            if old and (base is None or base.number != old.number):
                dead = Over(unit.number, unit.unit if unit.new else 0, unit.chunks, unit.names)
                over[unit.number] = dead
                continue
            lives.add(unit.unit)
            chunks, terms = chunks + unit.chunks, terms + unit.terms
        dropped = {unit.record.path for unit in self._units if unit.number in over}
        for path in wanted:
            old_one = known.get(path)
            if old_one is None or path in dropped:
                continue
            chunks, terms = chunks - old_one.chunks, terms - old_one.terms
            living = old_one.unit in lives
            over[old_one.number] = Over(
                old_one.number, 0 if living else old_one.unit, old_one.chunks, old_one.names
            )
        return list(over.values()), len(self._units), (chunks, terms)

    def _beat(self) -> None:
        if monotonic() - self._beaten < BEAT_SECONDS:
            return

        def alive(now: State) -> State:
            if self.writer not in now.writing:
                detail = "it was given up for lost, having been silent for too long; try again"
                raise StoreRefused(address=self._engine.address, detail=detail)
            return now.alive(self.writer)

        self._states.change(alive)
        self._beaten = monotonic()

    def _give_up(self) -> None:
        """Say that nothing comes; where that cannot be said, silence says it."""
        with suppress(Exception):  # the first failure is the one to be told
            self._states.change(lambda now: now.given_up(self.writer))


def _index(key: tuple[str, str], source: Json) -> Action:
    return {"index": {"_id": key[0], "routing": key[1]}}, source


def deletions(engine: Engine, index: str, swept: State) -> Iterator[Action]:
    """What deletes the garbage of a state."""
    for one in (over for _, many in swept.over for over in many):
        keys = [record_key(one.record)]
        if one.unit:
            keys += [chunk_key(row_of(one.unit, number)) for number in range(1, one.chunks + 1)]
            keys += [alias_key(one.unit, number) for number in range(one.names)]
        for key, by in keys:
            yield {"delete": {"_id": key, "routing": by}}, None
    for span in swept.lost:  # what a writer left behind that never came to an end
        for hit in engine.scan(index, {"query": span.condition(), "_source": False}):
            yield {"delete": {"_id": hit["_id"], "routing": hit["_routing"]}}, None
