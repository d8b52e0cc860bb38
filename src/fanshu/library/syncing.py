"""Files → store: compare, parse what changed, take out what is gone.

Size and modification time are compared first, then the content's hash; a file that only
moved keeps its chunks. A file that cannot be read or parsed is recorded with a state and
does not stop the rest. Every file is one step; several make one transaction.
"""

import hashlib
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from fanshu.library import chunks, dating, parsers
from fanshu.library.aliases import Alias, aliases
from fanshu.library.files import Found
from fanshu.library.parsers.own import Own
from fanshu.library.parsers.scans import Scans
from fanshu.library.replacing import replaced_titles
from fanshu.library.store import DocumentRecord, Store, Writer
from fanshu.types import Document, FileState, SyncReport

BATCH_CHUNKS = 4000  # a transaction of more makes the write-ahead log as big as the index
BATCH_SECONDS = 2.0
UNRECOGNISED: frozenset[FileState] = frozenset(("ocr_pending", "no_text", "partial_text"))
CHILDREN = min(os.cpu_count() or 1, 8)  # parsers at work at once


@dataclass(frozen=True, slots=True)
class Progress:
    """How far it has come: `done` files, or pages, of `total`; `file_path` is the latest."""

    done: int
    total: int
    file_path: str


OnProgress = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Limits:
    """What bounds a document: `part_chars` of a chunk's part, `max_file_bytes` of a file.

    `scans`: the pages that OCR has read so far. `own`: parsers of the owner's, by ending.
    """

    part_chars: int
    max_file_bytes: int
    scans: Scans
    own: Mapping[str, Own] = field(default_factory=dict)

    @property
    def made_by(self) -> str:
        """Names everything that decides how chunks come out, own parsers apart."""
        return f"{parsers.VERSION}.{chunks.VERSION}.{self.part_chars}"

    def made(self, path: str) -> str:
        """The same for a file of this path."""
        own = self.own.get(_suffix(path)) if self.own else None
        return f"{self.made_by} {own.made_by}" if own else self.made_by

    def reads(self, suffix: str) -> bool:
        """Whether files of this ending are read."""
        return suffix in parsers.SUPPORTED or suffix in self.own


@dataclass(slots=True)
class Plan:
    """What differs between files and store."""

    changed: list[Found] = field(default_factory=list)
    unchanged: int = 0
    gone: list[DocumentRecord] = field(default_factory=list)

    @property
    def empty(self) -> bool:
        return not self.changed and not self.gone


def compare(found: Iterable[Found], known: Mapping[str, DocumentRecord], limits: Limits) -> Plan:
    """Files against records, by path, size, modification time and what made the chunks."""
    plan = Plan()
    seen: set[str] = set()
    made_by, own = limits.made_by, limits.own
    for file in found:
        if file.file_path in seen:
            continue
        seen.add(file.file_path)
        if own:  # most have none, and this is done for every file
            made_by = limits.made(file.file_path)
        record = known.get(file.file_path)
        if record and (_untouched(file, record, made_by, limits) or _same(file, record, limits)):
            plan.unchanged += 1
        else:
            plan.changed.append(file)
    plan.gone = [record for path, record in known.items() if path not in seen]
    return plan


def _untouched(file: Found, record: DocumentRecord, made_by: str, limits: Limits) -> bool:
    """The common case of `_same`, quickly: a file that was read, and has its old stamp."""
    return (
        record.mtime_ns == file.mtime_ns
        and record.size == file.size
        and record.state == "ok"
        and record.made_by == made_by
        and file.skip is None
        and file.size <= limits.max_file_bytes
    )


def _same(file: Found, record: DocumentRecord, limits: Limits) -> bool:
    reason = file.skip or _unread(file, limits)
    if reason is not None or not record.hash:
        # Never opened, now or then: that stays so as long as the reason is the same. A file
        # that could not be opened is tried again, since permissions leave no trace in a stamp.
        return reason is not None and (record.state, record.reason) == (_unopened(file), reason)
    unchanged = (record.size, record.mtime_ns) == (file.size, file.mtime_ns)
    return unchanged and not _outdated(record, limits)


def apply(
    store: Store, plan: Plan, limits: Limits, on_progress: OnProgress | None = None
) -> SyncReport:
    """Bring the store up to date. What is done stays done when this is interrupted."""
    began = monotonic()
    counts = {"parsed": 0, "renamed": 0, "skipped": 0, "failed": 0, "touched": 0}
    gone = {record.path: record for record in plan.gone}
    by_hash = {(record.hash, record.made_by): record for record in plan.gone if record.hash}
    known = store.records([file.file_path for file in plan.changed])
    for batch in _batches(_prepared(plan.changed, limits, known, by_hash, on_progress)):
        with store.write() as writer:
            for made in batch:
                kind = _store(writer, made, gone)
                counts[kind] += 1
                counts["failed"] += made.record.state in ("failed", "encrypted")
    if gone:
        with store.write() as writer:
            for path in gone:
                writer.remove(path)
    return SyncReport(
        parsed=counts["parsed"],
        unchanged=plan.unchanged + counts["touched"],
        removed=len(gone),
        renamed=counts["renamed"],
        skipped=counts["skipped"],
        failed=counts["failed"],
        seconds=monotonic() - began,
    )


@dataclass(frozen=True, slots=True)
class _Made:
    """A file made ready for the store; `renamed_from` when its chunks are there already."""

    record: DocumentRecord
    pieces: Sequence[chunks.Piece] = ()
    aliases: Sequence[Alias] = ()
    renamed_from: str | None = None
    only_touched: bool = False


def _prepared(
    files: Sequence[Found],
    limits: Limits,
    known: Mapping[str, DocumentRecord],
    by_hash: dict[tuple[str, str], DocumentRecord],
    on_progress: OnProgress | None,
) -> Iterator[_Made]:
    """Files made ready, in order. Those parsed in a child process are parsed several at once."""
    waiting: deque[tuple[Found, Future[_Made]]] = deque()
    done = 0
    with ThreadPoolExecutor(CHILDREN, "fanshu-parse") as pool:
        for file in (*files, None):
            if file:
                made = _begin(file, limits, known.get(file.file_path), by_hash, pool)
                waiting.append((file, made))
            while waiting and (file is None or len(waiting) > 2 * CHILDREN):
                first, result = waiting.popleft()
                yield result.result()
                done += 1
                if on_progress:
                    on_progress(Progress(done, len(files), first.file_path))


def _begin(
    file: Found,
    limits: Limits,
    old: DocumentRecord | None,
    by_hash: dict[tuple[str, str], DocumentRecord],
    pool: Executor,
) -> Future[_Made]:
    """Decide what a file needs; parsing that leaves this process is left to the pool."""
    made_by = limits.made(file.file_path)
    blank = DocumentRecord(file.file_path, file.size, file.mtime_ns, "", "skipped", made_by)
    reason = file.skip or _unread(file, limits)
    if reason:
        return _ready(_Made(blank._replace(state=_unopened(file), reason=reason)))
    try:
        data = file.real.read_bytes()
    except OSError as error:
        reason = f"unreadable: {error.strerror}"
        return _ready(_Made(blank._replace(state="failed", reason=reason)))
    digest = digest_of(data)
    if old and old.hash == digest and not _outdated(old, limits):
        return _ready(_Made(_stamped(old, file), only_touched=True))
    moved = by_hash.get((digest, made_by))
    if moved and _suffix(moved.path) == _suffix(file.file_path):
        del by_hash[digest, made_by]
        moved_here = _stamped(moved, file)._replace(date=_moved_date(file, moved))
        return _ready(_Made(moved_here, renamed_from=moved.path))
    blank = blank._replace(hash=digest)
    suffix = _suffix(file.file_path)
    if suffix in parsers.APART or suffix in limits.own:
        return pool.submit(_parse, blank, data, limits)
    return _ready(_parse(blank, data, limits))


def digest_of(data: bytes) -> str:
    """The identity of a file's content: 128 bits of BLAKE2b in hex."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def _outdated(record: DocumentRecord, limits: Limits) -> bool:
    """Whether the same bytes would now give other chunks."""
    by_now = record.state == "skipped" and parsers.readable_now(record.reason)
    if record.state in UNRECOGNISED:
        by_now = limits.scans.answers(record.hash, record.reason)
    return by_now or record.made_by != limits.made(record.path)


def _ready(made: _Made) -> Future[_Made]:
    future: Future[_Made] = Future()
    future.set_result(made)
    return future


def _parse(blank: DocumentRecord, data: bytes, limits: Limits) -> _Made:
    own = limits.own.get(_suffix(blank.path))
    scans = limits.scans.of(blank.hash)
    document = own.read(blank.path, data) if own else parsers.parse(blank.path, data, scans)
    pieces = chunks.chunks(document, limits.part_chars)
    return _Made(_record(blank, document, pieces), pieces, aliases(document))


def _stamped(record: DocumentRecord, file: Found) -> DocumentRecord:
    return record._replace(path=file.file_path, size=file.size, mtime_ns=file.mtime_ns)


def _unread(file: Found, limits: Limits) -> str | None:
    """Why a file is not even opened."""
    suffix = _suffix(file.file_path)
    if not limits.reads(suffix):
        return f"unsupported type {suffix or '(none)'}"
    if file.size > limits.max_file_bytes:
        return f"larger than {limits.max_file_bytes // 1_000_000} MB"
    return None


def _unopened(file: Found) -> FileState:
    return "failed" if file.denied else "skipped"


def _suffix(path: str) -> str:
    name = path.rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    return f".{suffix}".lower() if dot and stem else ""


def _moved_date(file: Found, moved: DocumentRecord) -> str | None:
    return dating.find_date(Path(file.file_path).stem) or moved.date


def _record(
    blank: DocumentRecord, document: Document, pieces: Sequence[chunks.Piece]
) -> DocumentRecord:
    return blank._replace(
        state=document.state,
        reason=document.reason,
        encoding=document.encoding,
        title=document.title,
        date=dating.date_of(blank.path, document),
        chunks=len(pieces),
        characters=len(document.text),
        replaces="\n".join(replaced_titles(document.text)),
    )


def _store(writer: Writer, made: _Made, gone: dict[str, DocumentRecord]) -> str:
    if made.only_touched:
        writer.touch(made.record)
        return "touched"
    if made.renamed_from is not None:
        writer.rename(made.renamed_from, made.record)
        gone.pop(made.renamed_from, None)
        return "renamed"
    writer.put(made.record, made.pieces, made.aliases)
    return "skipped" if made.record.state == "skipped" else "parsed"


def _batches(made: Iterator[_Made]) -> Iterator[list[_Made]]:
    batch: list[_Made] = []
    size, began = 0, monotonic()
    for one in made:
        batch.append(one)
        size += len(one.pieces) + 1
        if size >= BATCH_CHUNKS or monotonic() - began > BATCH_SECONDS:
            yield batch
            batch, size, began = [], 0, monotonic()
    if batch:
        yield batch
