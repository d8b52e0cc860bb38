"""The documents of a library: read whole once, then only what commits changed."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from fanshu.library.aliases import Alias
from fanshu.library.chunks import Piece
from fanshu.library.opensearch.engine import Engine
from fanshu.library.opensearch.moment import Moment
from fanshu.library.opensearch.sources import path_key, piece_in, record_key
from fanshu.library.opensearch.state import State
from fanshu.library.store import DocumentRecord

ASKED = 5_000  # paths of one request


class Stored(NamedTuple):
    """A record as it is stored: its number, and the totals of its unit."""

    number: int
    record: DocumentRecord
    root: str
    chunks: int
    names: int
    terms: int

    @property
    def unit(self) -> int:
        """The unit that holds its chunks."""
        return self.record.id


def stored(source: Mapping[str, Any]) -> Stored:
    """A record out of the engine."""
    record = DocumentRecord._make([*source["data"], source["of"]])
    return Stored(
        source["unit"],
        record,
        source["root"],
        source["chunks"],
        source["names"],
        source["terms"],
    )


def moment(engine: Engine, index: str, state: State, before: Moment | None) -> Moment | None:
    """What is there at a state, from what was before it; None when that cannot be told any more."""
    found = _changed(engine, index, state, before) if before else None
    if found is None:
        found = every(engine, index, state)
    ordered = dict(sorted(found.items()))
    documents = {path: one.record for path, one in ordered.items()}
    units = sorted(one.unit for one in ordered.values() if one.chunks)
    if sum(one.chunks for one in ordered.values()) != state.chunks:
        return None
    return Moment(
        state,
        ordered,
        documents,
        {record.id: record for record in documents.values()},
        units,
    )


def _changed(engine: Engine, index: str, state: State, before: Moment) -> dict[str, Stored] | None:
    """The documents before, with what commits since then changed; None: read them all."""
    commits = state.since(before.state.generation)
    if commits is None:
        return None
    gone = frozenset(number for one in commits for number in one.gone)
    new = [
        record_key(number)
        for one in commits
        for number in range(one.first, one.first + one.size)
        if number not in gone
    ]
    kept = {path: one for path, one in before.stored.items() if one.number not in gone}
    come = [stored(one["_source"]) for one in engine.documents(index, new)]
    if len(come) < len(new):
        return None
    return kept | {one.record.path: one for one in come}


def every(engine: Engine, index: str, state: State) -> dict[str, Stored]:
    """All records at a state, by path."""
    there = _there(engine, index, state, {"term": {"kind": "record"}})
    return {one.record.path: one for one in there}


def content(engine: Engine, index: str, unit: int) -> tuple[list[Piece], list[Alias]]:
    """The chunks and aliases of a unit, as they were when they were stored."""
    pieces: list[Piece] = []
    aliases: list[Alias] = []
    for hit in engine.scan(index, {"query": {"term": {"unit": unit}}}):
        source = hit["_source"]
        if source["kind"] == "chunk":
            pieces.append(piece_in(source))
        elif source["kind"] == "alias":
            aliases.append(Alias(source["alias"], source["other"]))
    return pieces, aliases


def at(engine: Engine, index: str, state: State, paths: Collection[str]) -> dict[str, Stored]:
    """The records of some paths at a state, asked of the engine."""
    found: dict[str, Stored] = {}
    every = list(paths)
    for start in range(0, len(every), ASKED):
        keys = [path_key(path) for path in every[start : start + ASKED]]
        asked = {"bool": {"filter": [{"term": {"kind": "record"}}, {"terms": {"key": keys}}]}}
        for one in _there(engine, index, state, asked):
            found[one.record.path] = one
    return {path: found[path] for path in every if path in found}


def _there(engine: Engine, index: str, state: State, asked: Mapping[str, Any]) -> Iterator[Stored]:
    gone = state.gone()
    for hit in engine.scan(index, {"query": asked}):
        if state.has(hit["_source"]["unit"], gone):
            yield stored(hit["_source"])
