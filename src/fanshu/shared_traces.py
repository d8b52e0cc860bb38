"""Traces of all workers over one store. Beside each lies a summary, so that lists read little."""

import secrets
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime

from fanshu.cluster.leases import Leases
from fanshu.cluster.packing import closed, opened
from fanshu.cluster.records import Record, Records
from fanshu.errors import DataNewer, TraceMissing
from fanshu.traces import FORMAT, ID_FORMAT, LAST, Document, Summary, is_id, summary_of

TRACES, SUMMARIES = "traces", "trace-summaries"
TRIM_SECONDS = 60.0  # between two looks of a worker at how much there is
MOST = 10_000  # summaries; of more the store is trimmed by age all the same
ID_CHARS = 15  # of an id, its time


class SharedTraces:
    """`Traces` over records: at most `days` old, `megabytes` in total, for all workers together.

    Every method raises StoreError when the store cannot be used.
    """

    def __init__(
        self,
        records: Records,
        place: str,
        *,
        days: float,
        megabytes: float,
        trim_seconds: float = TRIM_SECONDS,
    ) -> None:
        self._records, self._place = records, place
        self._seconds = days * 86_400
        self._bytes = int(megabytes * 1_000_000)
        self._trim_seconds = trim_seconds

    def save(self, document: Document) -> None:
        """Keep a trace, and let old ones go."""
        key = str(document["trace_id"])
        saved = _time(key)
        ends = saved + self._seconds
        body = {**closed(document), "format": document["format"]}
        fields = {"saved": saved, "bytes": float(len(body["packed"]))}
        self._records.put(TRACES, Record(key, body, fields, ends))
        short = closed(asdict(summary_of(document)))  # last: what is listed can be read
        self._records.put(SUMMARIES, Record(key, short, fields, ends))
        if Leases(self._records, secrets.token_hex(8)).take("trim traces", self._trim_seconds):
            self._trim()

    def load(self, trace_id: str) -> Document:
        """One trace; `last` is the newest. Raises: TraceMissing, DataNewer."""
        if trace_id == LAST:
            trace_id = next((one.trace_id for one in self._listed(limit=10)), LAST)
        record = self._records.get(TRACES, trace_id) if is_id(trace_id) else None
        if record is None:
            raise TraceMissing(trace_id=trace_id)
        if record.body["format"] > FORMAT:
            raise DataNewer(path=f"{self._place} {trace_id}", format=record.body["format"])
        try:
            return opened(record.body)
        except ValueError:
            raise TraceMissing(trace_id=trace_id) from None

    def holds(self, trace_id: str) -> bool:
        """Whether this trace is still kept."""
        return is_id(trace_id) and self._records.get(SUMMARIES, trace_id) is not None

    def summaries(self) -> Iterator[Summary]:
        """All traces, newest first. One that cannot be read is left out."""
        yield from self._listed(MOST)

    def _listed(self, limit: int) -> list[Summary]:
        found = [_summary(one) for one in self._newest(limit)]
        known = [summary for summary in found if summary]
        return sorted(known, key=lambda summary: summary.trace_id, reverse=True)

    def _newest(self, limit: int) -> list[Record]:
        return list(self._records.find(SUMMARIES, newest="saved", limit=limit))

    def _trim(self) -> None:
        """Remove the oldest until the rest is small enough; what is too old goes by itself."""
        if self._records.total(SUMMARIES, "bytes", {}, {}) <= self._bytes:
            return
        total = 0.0
        for one in sorted(self._newest(MOST), key=lambda record: record.key, reverse=True):
            total += float(str(one.fields["bytes"]))
            if total > self._bytes:
                self._records.remove(SUMMARIES, one.key)
                self._records.remove(TRACES, one.key)


def _time(trace_id: str) -> float:
    """When a trace was made, in seconds since 1970, as exactly as its id says."""
    made = datetime.strptime(trace_id[:ID_CHARS], ID_FORMAT).replace(tzinfo=UTC)
    return made.timestamp() + int(trace_id[ID_CHARS + 1 :], 16) / 2**24


def _summary(record: Record) -> Summary | None:
    try:
        return Summary(**opened(record.body))
    except (ValueError, TypeError):
        return None
