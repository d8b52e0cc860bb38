"""The register of all workers over one store: a run is one record from its beginning to its end."""

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any

from fanshu.cluster.changing import change
from fanshu.cluster.packing import closed, opened
from fanshu.cluster.records import Conflict, Record, Records
from fanshu.serve.register import (
    MAX_LISTED,
    RUNNING,
    UNANSWERED,
    Run,
    Step,
    begun,
    ended,
    month_begin,
    told,
)
from fanshu.types import Answer

RUNS, LOGINS = "runs", "logins"
COST_SECONDS = 5.0  # after which what other workers have spent counts


class SharedRegister:
    """`Register` over records. Raises: StoreError."""

    def __init__(
        self, records: Records, *, days: float, clock: Callable[[], float] = time.time
    ) -> None:
        self._records, self._clock = records, clock
        self._seconds = days * 86_400
        self._guard = threading.Lock()
        self._costs: dict[str | None, tuple[float, float]] = {}  # when it was read, and how much

    def close(self) -> None:
        """The records are others' too."""

    # ---------------------------------------------------------------- runs

    def begin(
        self, run_id: str, who: str, library: str, patterns: tuple[str, ...], question: str
    ) -> None:
        """Write down that a question is being answered."""
        now = self._clock()
        run = Run(
            run_id, who, library, patterns, now, question, RUNNING, None, False, 0.0, 0.0, 0, {}
        )  # fmt: skip
        self._records.put(RUNS, self._record(begun(run, now)))

    def beat(self, run_id: str, steps: Sequence[Step]) -> None:
        """It still is, and has come so far."""

        def alive(before: Record | None) -> Record | None:
            run = _run(before)
            if run is None or run.status != RUNNING:
                return None
            return self._record(replace(run, answer={"beat": self._clock(), "steps": [*steps]}))

        change(self._records, RUNS, run_id, alive)

    def forget(self, run_id: str) -> None:
        """It never came to anything, and its asker knows."""
        record = self._records.get(RUNS, run_id)
        run = _run(record)
        if record and run and run.status == RUNNING:
            with suppress(Conflict):  # its answer has come after all
                self._records.remove(RUNS, run_id, expect=record.version)

    def keep(
        self, run_id: str, who: str, library: str, patterns: tuple[str, ...], answer: Answer
    ) -> None:
        """Write down what came of a question; what is older than the traces goes by itself."""
        run = ended(run_id, who, library, patterns, answer, self._clock())
        self._records.put(RUNS, self._record(run))
        with self._guard:
            for payer in (who, None):
                if payer in self._costs:
                    read, cost = self._costs[payer]
                    self._costs[payer] = read, cost + run.cost

    def run(self, run_id: str, who: str) -> Run | None:
        """A run of somebody, by its own id or that of its trace."""
        run = _run(self._records.get(RUNS, run_id))
        if run is None or run.who != who:
            where = {"trace": run_id, "who": who}
            found = self._records.find(RUNS, where, newest="asked", limit=1)
            run = _run(found[0]) if found else None
        return told(run, self._clock()) if run else None

    def runs(self, who: str, limit: int = MAX_LISTED) -> list[Run]:
        """The runs of somebody, newest first."""
        return self._found({"who": who}, limit)

    def unanswered(self, limit: int = MAX_LISTED) -> list[Run]:
        """Runs of everybody that found no answer or were marked as not good, newest first."""
        found = self._found({"status": list(UNANSWERED)}, limit)
        found += self._found({"good": "no"}, limit)
        distinct = {run.id: run for run in found}.values()
        return sorted(distinct, key=lambda run: run.asked, reverse=True)[:limit]

    def _found(self, where: dict[str, Any], limit: int) -> list[Run]:
        found = self._records.find(RUNS, where, newest="asked", limit=limit)
        return [told(run, self._clock()) for run in map(_run, found) if run]

    def mark(self, run_id: str, *, good: bool, note: str) -> None:
        """Write down what somebody thinks of an answer."""

        def marked(before: Record | None) -> Record | None:
            run = _run(before)
            return self._record(replace(run, good=good, note=note)) if run else None

        change(self._records, RUNS, run_id, marked)

    def cost(self, who: str | None = None) -> float:
        """US dollars of this calendar month, of somebody or of all; of other workers, lately."""
        with self._guard:
            read, cost = self._costs.get(who, (0.0, 0.0))
        now = self._clock()
        begin = month_begin(now)
        if now - read < COST_SECONDS and read >= begin:
            return cost
        cost = self._records.total(RUNS, "cost", {"who": who} if who else {}, {"asked": begin})
        with self._guard:
            if len(self._costs) >= MAX_LISTED:
                self._costs.clear()
            self._costs[who] = now, cost
        return cost

    def _record(self, run: Run) -> Record:
        fields: dict[str, str | float] = {
            "who": run.who,
            "asked": run.asked,
            "status": run.status,
            "cost": run.cost,
        }
        if run.trace:
            fields["trace"] = run.trace
        if run.good is not None:
            fields["good"] = "yes" if run.good else "no"
        return Record(run.id, closed(asdict(run)), fields, run.asked + self._seconds)

    # ---------------------------------------------------------------- logins

    def log_in(self, digest: str, user: str, stamp: str, seconds: float) -> None:
        """Remember a login. `stamp`: changes with the user's password."""
        body = {"user": user, "stamp": stamp}
        self._records.put(LOGINS, Record(digest, body, ends=self._clock() + seconds))

    def login(self, digest: str) -> tuple[str, str] | None:
        """The user of a login that holds, and the stamp it was made with."""
        record = self._records.get(LOGINS, digest)
        if record is None or (record.ends is not None and record.ends < self._clock()):
            return None
        return str(record.body["user"]), str(record.body["stamp"])

    def log_out(self, digest: str) -> None:
        """Forget a login."""
        self._records.remove(LOGINS, digest)


def _run(record: Record | None) -> Run | None:
    """What a record holds; None when another version of the program wrote it."""
    if record is None:
        return None
    try:
        values = opened(record.body)
        values["patterns"], values["steps"] = tuple(values["patterns"]), tuple(values["steps"])
        return Run(**values)
    except (ValueError, TypeError, KeyError):
        return None
