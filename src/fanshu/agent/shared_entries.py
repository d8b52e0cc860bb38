"""Cached answers of all workers over one store: what one has found, all give again.

Entries are found by the keys of their records alone, read as they are at that moment: a question
costs two reads, and no search of the store. The counts of each worker are a record of its own.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from typing import Any

from fanshu.agent.entries import FEW, Entry, Totals
from fanshu.cluster.changing import change
from fanshu.cluster.leases import Leases, worker
from fanshu.cluster.packing import closed, opened
from fanshu.cluster.records import Record, Records
from fanshu.errors import CacheUnusable, StoreError

ANSWERS, SUMMARIES, COUNTS = "answers", "answers-by-summary", "answer-counts"
TRIM_SECONDS = 60.0  # between two looks of a worker at how much there is
MOST = 10_000  # entries; of more the cache is trimmed by age and size all the same
NAMES = ("hits", "stale", "misses", "tokens")


class SharedEntries:
    """`Entries` over records: at most `days` old, `megabytes` in total, for all workers together.

    Every method raises CacheUnusable when the store cannot be used.
    """

    def __init__(
        self,
        records: Records,
        place: str,
        *,
        days: float,
        megabytes: float,
        clock: Callable[[], float] = time.time,
        trim_seconds: float = TRIM_SECONDS,
    ) -> None:
        self.place = place
        self._records, self._clock = records, clock
        self._leases = Leases(records)
        self._seconds = days * 86_400
        self._bytes = int(megabytes * 1_000_000)
        self._trim_seconds = trim_seconds

    def matching(self, context: str, asked: str) -> tuple[Entry, ...]:
        """Entries that may answer a question, those that were asked so first."""
        with self._reached():
            own = self._records.get(ANSWERS, _id(context, asked))
            pointer = self._records.get(SUMMARIES, _id(context, asked))
            ids = [key for key in _ids(pointer) if own is None or key != own.key]
            others = [self._records.get(ANSWERS, key) for key in ids]
        known = [entry for entry in map(_entry, others) if entry and entry.summary == asked]
        known.sort(key=lambda entry: entry.saved, reverse=True)
        oldest = self._clock() - self._seconds
        first = _entry(own)
        return tuple(one for one in [first, *known] if one and one.saved >= oldest)[:FEW]

    def put(self, entry: Entry) -> None:
        """Keep an entry in place of an older one of the same question; old ones go."""
        now = self._clock()
        kept = replace(entry, saved=now, used=now, hits=0)
        with self._reached():
            self._records.put(ANSWERS, self._record(kept))
            if kept.summary:
                self._point(kept)
            once = Leases(self._records, secrets.token_hex(8))  # nobody again before its end
            if once.take("trim answers", self._trim_seconds):
                self._trim()

    def _point(self, entry: Entry) -> None:
        """Let a summary lead to its entries, the last ones."""
        key = _id(entry.context, entry.summary)

        def pointed(before: Record | None) -> Record:
            ids = [entry.id, *(one for one in _ids(before) if one != entry.id)][:FEW]
            return Record(key, {"ids": ids}, ends=entry.saved + self._seconds)

        change(self._records, SUMMARIES, key, pointed)

    def used(self, entry: Entry) -> None:
        """A question was answered with an entry, whose body and state may be new."""

        def noted(before: Record | None) -> Record | None:
            known = _entry(before)
            if known is None or known.saved != entry.saved:
                return None  # a newer answer came meanwhile, or it went
            now = self._clock()
            hit = replace(known, used=now, hits=known.hits + 1, body=entry.body, state=entry.state)
            return self._record(hit)

        with self._reached():
            change(self._records, ANSWERS, entry.id, noted)
            self._count(hits=1, tokens=entry.tokens)

    def unused(self, *, stale: bool) -> None:
        """A question was not answered: nothing was known, or what was known is `stale`."""
        with self._reached():
            self._count(**{"stale" if stale else "misses": 1})

    def all(self) -> tuple[Entry, ...]:
        """Every entry, the last used first."""
        with self._reached():
            found = self._records.find(ANSWERS, newest="used", limit=MOST)
        oldest = self._clock() - self._seconds
        known = [entry for entry in map(_entry, found) if entry and entry.saved >= oldest]
        return tuple(sorted(known, key=lambda entry: (-entry.used, entry.id)))

    def clear(self, entry_id: str | None = None) -> int:
        """Take one entry out, or all with their counts; how many there were."""
        with self._reached():
            if entry_id is not None:
                return int(self._records.remove(ANSWERS, entry_id))
            count = self._emptied(ANSWERS)
            self._emptied(SUMMARIES)
            self._emptied(COUNTS)
        return count

    def _emptied(self, collection: str) -> int:
        count = 0
        while found := self._records.find(collection, limit=1_000):
            count += sum(self._records.remove(collection, one.key) for one in found)
        return count

    def totals(self) -> Totals:
        """What is kept and what came of it."""
        with self._reached():
            counts = [self._records.total(COUNTS, name, {}, {}) for name in NAMES]
            entries = self._records.total(ANSWERS, "one", {}, {})
            size = self._records.total(ANSWERS, "bytes", {}, {})
        return Totals(int(entries), int(size), *map(int, counts))

    def take(self, name: str, seconds: float) -> bool:
        """Whether this worker may find an answer that others look for too; they wait for it."""
        with self._reached():
            return self._leases.take(f"ask {name}", seconds)

    def give_back(self, name: str) -> None:
        """It has found it, or given up."""
        with self._reached():
            self._leases.give_back(f"ask {name}")

    def _count(self, **counts: int) -> None:
        key = worker()

        def counted(before: Record | None) -> Record:
            known = dict(before.body) if before else dict.fromkeys(NAMES, 0)
            now = {name: known[name] + counts.get(name, 0) for name in NAMES}
            return Record(key, now, {name: float(value) for name, value in now.items()})

        change(self._records, COUNTS, key, counted)

    def _trim(self) -> None:
        """Remove what was not used for longest until the rest is small; what is old goes itself."""
        if self._records.total(ANSWERS, "bytes", {}, {}) <= self._bytes:
            return
        total = 0
        for one in self._records.find(ANSWERS, newest="used", limit=MOST):
            total += int(float(str(one.fields["bytes"])))
            if total > self._bytes:
                self._records.remove(ANSWERS, one.key)

    def _record(self, entry: Entry) -> Record:
        fields = {"used": entry.used, "bytes": float(entry.bytes), "one": 1.0}
        ends = entry.saved + self._seconds
        return Record(entry.id, closed(asdict(entry)), fields, ends)

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except StoreError as error:
            raise CacheUnusable(path=self.place, detail=str(error)) from error


def _id(context: str, asked: str) -> str:
    """What names the entry of a question: see `Entry.id`. Of a summary: where it leads."""
    return Entry(context, asked, "", "", "", "", 0, "").id


def _ids(pointer: Record | None) -> list[str]:
    return list(pointer.body["ids"]) if pointer else []


def _entry(record: Record | None) -> Entry | None:
    """What a record holds; None when another version of the program wrote it."""
    if record is None:
        return None
    try:
        values: dict[str, Any] = opened(record.body)
        return Entry(**values)
    except (ValueError, TypeError):
        return None
