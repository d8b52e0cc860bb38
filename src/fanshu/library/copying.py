"""A library from one store into another: the same documents, chunks, names and ids, and proof.

It goes on where it was interrupted: what the other side has already, to the letter, stays.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Protocol, TypeVar

from fanshu.errors import StoreError, StoreRefused
from fanshu.library.aliases import Alias
from fanshu.library.chunks import Piece
from fanshu.library.store import Contents, DocumentRecord, Store
from fanshu.library.syncing import BATCH_CHUNKS, OnProgress, Progress
from fanshu.types import Chunk

READ_CHUNKS = 1_000  # asked for at once
TOLD = 5  # documents that differ, by name


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy did. `documents`, `chunks` and `aliases` are those of the source, `copied` the
    documents written now, `removed` those of the target that the source has not. `checksum`: of
    all of them as the target gives them, the same as the source's; empty when nothing was written.
    """

    documents: int
    chunks: int
    aliases: int
    copied: int
    removed: int
    checksum: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Plan:
    """What there is to do: documents to write, those there already, and those to be removed."""

    wanted: Sequence[DocumentRecord]
    there: int
    removed: Sequence[str]
    others: int  # of the target, that are no beginning of this copy


def plan(source: Store, target: Store) -> Plan:
    """Compare two stores by what they say of their documents."""
    here, there = source.documents(), target.documents()
    same = {path for path, one in here.items() if path in there and _same(one, there[path])}
    removed = [path for path in there if path not in here]
    wanted = [one for path, one in here.items() if path not in same]
    return Plan(wanted, len(same), removed, len(there) - len(same))


def _same(one: DocumentRecord, other: DocumentRecord) -> bool:
    return one[:-1] == other[:-1]  # all but the id, which each store gives


def copy(
    source: Store, target: Store, todo: Plan, address: str, on_progress: OnProgress | None = None
) -> Copied:
    """Do what a plan says, in batches, and compare all of both stores then.

    `address`: how errors name the target. What is done stays done when this is interrupted.

    Raises: StoreRefused — what came out is not what went in; StoreError, IndexUnwritable.
    """
    began = monotonic()
    _write(source, target, todo, on_progress)
    documents = source.documents()
    ours, (chunks, aliases) = checksums(source, documents.values())
    theirs, _ = checksums(target, target.documents().values())
    differing = [path for path in sorted({*ours, *theirs}) if ours.get(path) != theirs.get(path)]
    if differing:
        names = ", ".join(differing[:TOLD])
        more = f" and {len(differing) - TOLD} more" if len(differing) > TOLD else ""
        detail = f"what it holds of {names}{more} is not what was copied; did somebody write it?"
        raise StoreRefused(address=address, detail=detail)
    whole = hashlib.sha256("\n".join(ours[path] for path in sorted(ours)).encode()).hexdigest()
    return Copied(
        len(documents),
        chunks,
        aliases,
        len(todo.wanted),
        len(todo.removed),
        whole,
        monotonic() - began,
    )


def _write(source: Store, target: Store, todo: Plan, on_progress: OnProgress | None) -> None:
    done = 0
    for batch in batches(todo.wanted, BATCH_CHUNKS):
        with target.write() as writer:
            for record, held in _contents(source, batch):
                pieces = [_piece(chunk) for chunk in held.chunks]
                writer.put(record._replace(id=0), pieces, _once(held.aliases))
        done += len(batch)
        if on_progress:
            on_progress(Progress(done, len(todo.wanted), batch[-1].path))
    if todo.removed:
        with target.write() as writer:
            for path in todo.removed:
                writer.remove(path)


class Sized(Protocol):
    """What has chunks: a document's record, or what a store keeps of one."""

    @property
    def chunks(self) -> int: ...


S = TypeVar("S", bound=Sized)


def batches(some: Iterable[S], chunks: int) -> Iterator[list[S]]:
    """Documents in their order, together so many chunks or a little more; each counts as one."""
    batch: list[S] = []
    size = 0
    for one in some:
        batch.append(one)
        size += one.chunks + 1
        if size >= chunks:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _contents(
    store: Store, records: Iterable[DocumentRecord]
) -> Iterator[tuple[DocumentRecord, Contents]]:
    """Documents with all that they hold. Raises: StoreError — a chunk is missing."""
    for batch in batches(records, READ_CHUNKS):
        found = store.contents([record.path for record in batch])
        for record in batch:
            held = found[record.path]
            if [chunk.number for chunk in held.chunks] != list(range(1, record.chunks + 1)):
                raise StoreError(detail=f"Chunks of {record.path} are not there; `fanshu index`"
                                 " reads its file again.")  # fmt: skip
            yield record, held


def _piece(chunk: Chunk) -> Piece:
    return Piece(
        chunk.number,
        chunk.section_path,
        chunk.level,
        chunk.text,
        chunk.start,
        chunk.lines,
        chunk.page,
        chunk.part,
        chunk.hash,
        chunk.images,
    )


def _once(pairs: Iterable[tuple[str, str]]) -> list[Alias]:
    """Each pair of names, whichever way round a store has it."""
    return [Alias(*pair) for pair in sorted({(min(pair), max(pair)) for pair in pairs})]


def checksums(
    store: Store, records: Iterable[DocumentRecord]
) -> tuple[Mapping[str, str], tuple[int, int]]:
    """A checksum of each document with its chunks and names, by path; how many (chunks, names)."""
    sums: dict[str, str] = {}
    chunks = names = 0
    for record, held in _contents(store, records):
        digest = hashlib.sha256(_line(record[:-1]))
        for chunk in held.chunks:
            digest.update(_line([_fields(_piece(chunk)), chunk.title, chunk.date]))
        chunks += len(held.chunks)
        aliases = _once(held.aliases)
        digest.update(_line(aliases))
        names += len(aliases)
        sums[record.path] = digest.hexdigest()
    return sums, (chunks, names)


def _fields(piece: Piece) -> list[object]:
    return [getattr(piece, name) for name in Piece.__slots__]


def _line(value: object) -> bytes:
    return json.dumps(value).encode("ascii")
