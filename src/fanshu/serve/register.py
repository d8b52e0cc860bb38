"""What was asked, by whom, and what came of it: one SQLite file in the user's data folder.

It holds the history of each user, their marks (good, not good), logins, and what a month has
cost. The traces of runs lie where all traces lie; the register only names them. A run is written
down when it begins, with signs of life: one whose service was killed is told as interrupted.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from fanshu.errors import DataNewer
from fanshu.keeping import make_private
from fanshu.types import Answer, plain

FORMAT = 1
MAX_LISTED = 500
BUSY_SECONDS = 5.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS run(
  id TEXT PRIMARY KEY, who TEXT NOT NULL, library TEXT NOT NULL, patterns TEXT NOT NULL,
  asked REAL NOT NULL, question TEXT NOT NULL, status TEXT NOT NULL, trace TEXT, cached INTEGER,
  seconds REAL NOT NULL, cost REAL NOT NULL, tokens INTEGER NOT NULL, answer TEXT NOT NULL,
  good INTEGER, note TEXT NOT NULL DEFAULT '');
CREATE INDEX IF NOT EXISTS by_who ON run(who, asked);
CREATE INDEX IF NOT EXISTS by_when ON run(asked);
CREATE INDEX IF NOT EXISTS by_trace ON run(trace);
CREATE TABLE IF NOT EXISTS login(
  hash TEXT PRIMARY KEY, user TEXT NOT NULL, stamp TEXT NOT NULL, ends REAL NOT NULL);
"""
UNANSWERED = ("not_found", "partial", "error")
RUNNING, INTERRUPTED = "running", "interrupted"
BEAT_SECONDS = 3.0  # between the signs of life of a run
LOST_SECONDS = 15.0  # without one, after which a run is taken for interrupted
Step = dict[str, object]


@dataclass(frozen=True, slots=True)
class Run:
    """A question that was asked. `patterns`: what its asker might see then. `asked`: since 1970.

    `status`: of its answer; without one `running`, or `interrupted` when its service was killed,
    and `steps` tell how far it is known to have come.
    """

    id: str
    who: str
    library: str
    patterns: tuple[str, ...]
    asked: float
    question: str
    status: str
    trace: str | None
    cached: bool
    seconds: float
    cost: float
    tokens: int
    answer: dict[str, object]
    good: bool | None = None
    note: str = ""
    steps: tuple[Step, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether it came to an answer; one that did not has none."""
        return self.status not in (RUNNING, INTERRUPTED)

    @property
    def when(self) -> str:
        """When it was asked, ISO form, UTC."""
        return datetime.fromtimestamp(self.asked, UTC).isoformat(timespec="seconds")


class RunRegister(Protocol):
    """What was asked, and who is logged in: in a file, or in a store that workers share.

    Thread-safe. Raises: OSError, sqlite3.Error, StoreError, in every method.
    """

    def close(self) -> None:
        """Give back what it holds."""
        ...

    def begin(
        self, run_id: str, who: str, library: str, patterns: tuple[str, ...], question: str
    ) -> None:
        """Write down that a question is being answered."""
        ...

    def beat(self, run_id: str, steps: Sequence[Step]) -> None:
        """It still is, and has come so far. Nothing, when its end is written down already."""
        ...

    def forget(self, run_id: str) -> None:
        """It never came to anything, and its asker knows."""
        ...

    def keep(
        self, run_id: str, who: str, library: str, patterns: tuple[str, ...], answer: Answer
    ) -> None:
        """Write down what came of a question; what is older than the traces goes."""
        ...

    def run(self, run_id: str, who: str) -> Run | None:
        """A run of somebody, by its own id or that of its trace."""
        ...

    def runs(self, who: str, limit: int = MAX_LISTED) -> list[Run]:
        """The runs of somebody, newest first."""
        ...

    def unanswered(self, limit: int = MAX_LISTED) -> list[Run]:
        """Runs of everybody that found no answer or were marked as not good, newest first."""
        ...

    def mark(self, run_id: str, *, good: bool, note: str) -> None:
        """Write down what somebody thinks of an answer."""
        ...

    def cost(self, who: str | None = None) -> float:
        """US dollars of this calendar month, of somebody or of all."""
        ...

    def log_in(self, digest: str, user: str, stamp: str, seconds: float) -> None:
        """Remember a login. `stamp`: changes with the user's password."""
        ...

    def login(self, digest: str) -> tuple[str, str] | None:
        """The user of a login that holds, and the stamp it was made with."""
        ...

    def log_out(self, digest: str) -> None:
        """Forget a login."""
        ...


class Register:
    """The register in one file; synchronous and thread-safe.

    Raises: OSError, sqlite3.Error, DataNewer.
    """

    def __init__(self, path: Path, *, days: float, clock: Callable[[], float] = time.time) -> None:
        self._days, self._clock = days, clock
        self._guard = threading.Lock()
        make_private(path)
        self._db = sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        with self._guard:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._prepare(path)

    def _prepare(self, path: Path) -> None:
        """Tables where there are none; the first registers had no number, and are of format 1."""
        (found,) = self._db.execute("PRAGMA user_version").fetchone()
        if found > FORMAT:
            self._db.close()
            raise DataNewer(path=str(path), format=found)
        self._db.executescript(_SCHEMA)
        self._db.execute(f"PRAGMA user_version = {FORMAT}")

    def close(self) -> None:
        """Give the file back."""
        with self._guard:
            self._db.close()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._guard:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise

    def _rows(self, sql: str, *values: object) -> list[tuple[object, ...]]:
        with self._guard:
            return self._db.execute(sql, values).fetchall()

    # ---------------------------------------------------------------- runs

    def begin(
        self, run_id: str, who: str, library: str, patterns: tuple[str, ...], question: str
    ) -> None:
        """Write down that a question is being answered."""
        now = self._clock()
        self._put(begun(Run(
            run_id, who, library, patterns, now, question, RUNNING, None, False, 0.0, 0.0, 0, {}
        ), now))  # fmt: skip

    def beat(self, run_id: str, steps: Sequence[Step]) -> None:
        """It still is, and has come so far."""
        state = json.dumps({"beat": self._clock(), "steps": list(steps)})
        with self._writing() as db:
            sql = "UPDATE run SET answer = ? WHERE id = ? AND status = ?"
            db.execute(sql, (state, run_id, RUNNING))

    def forget(self, run_id: str) -> None:
        """It never came to anything, and its asker knows."""
        with self._writing() as db:
            db.execute("DELETE FROM run WHERE id = ? AND status = ?", (run_id, RUNNING))

    def keep(
        self, run_id: str, who: str, library: str, patterns: tuple[str, ...], answer: Answer
    ) -> None:
        """Write down what came of a question; what is older than the traces goes."""
        self._put(ended(run_id, who, library, patterns, answer, self._clock()))

    def _put(self, run: Run) -> None:
        row = (
            run.id, run.who, run.library, json.dumps(run.patterns), run.asked, run.question,
            run.status, run.trace, run.cached, run.seconds, run.cost, run.tokens,
            json.dumps(run.answer), None, "",
        )  # fmt: skip
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO run VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", row)
            db.execute("DELETE FROM run WHERE asked < ?", (self._clock() - self._days * 86_400,))

    def run(self, run_id: str, who: str) -> Run | None:
        """A run of somebody, by its own id or that of its trace."""
        rows = self._rows(
            "SELECT * FROM run WHERE who = ? AND (id = ? OR trace = ?) ORDER BY asked DESC LIMIT 1",
            who, run_id, run_id,
        )  # fmt: skip
        return told(_run(rows[0]), self._clock()) if rows else None

    def runs(self, who: str, limit: int = MAX_LISTED) -> list[Run]:
        """The runs of somebody, newest first."""
        sql = "SELECT * FROM run WHERE who = ? ORDER BY asked DESC LIMIT ?"
        now = self._clock()
        return [told(_run(row), now) for row in self._rows(sql, who, limit)]

    def unanswered(self, limit: int = MAX_LISTED) -> list[Run]:
        """Runs of everybody that found no answer or were marked as not good, newest first."""
        marks = ",".join("?" * len(UNANSWERED))
        sql = f"SELECT * FROM run WHERE status IN ({marks}) OR good = 0 ORDER BY asked DESC LIMIT ?"  # noqa: S608 - marks only
        return [_run(row) for row in self._rows(sql, *UNANSWERED, limit)]

    def mark(self, run_id: str, *, good: bool, note: str) -> None:
        """Write down what somebody thinks of an answer."""
        with self._writing() as db:
            db.execute("UPDATE run SET good = ?, note = ? WHERE id = ?", (good, note, run_id))

    def cost(self, who: str | None = None) -> float:
        """US dollars of this calendar month, of somebody or of all."""
        where, values = ("AND who = ?", (who,)) if who else ("", ())
        sql = f"SELECT total(cost) FROM run WHERE asked >= ? {where}"  # noqa: S608 - see above
        return float(str(self._rows(sql, month_begin(self._clock()), *values)[0][0]))

    # ---------------------------------------------------------------- logins

    def log_in(self, digest: str, user: str, stamp: str, seconds: float) -> None:
        """Remember a login. `stamp`: changes with the user's password."""
        now = self._clock()
        with self._writing() as db:
            db.execute("DELETE FROM login WHERE ends < ?", (now,))
            db.execute("INSERT INTO login VALUES (?,?,?,?)", (digest, user, stamp, now + seconds))

    def login(self, digest: str) -> tuple[str, str] | None:
        """The user of a login that holds, and the stamp it was made with."""
        sql = "SELECT user, stamp FROM login WHERE hash = ? AND ends >= ?"
        rows = self._rows(sql, digest, self._clock())
        return (str(rows[0][0]), str(rows[0][1])) if rows else None

    def log_out(self, digest: str) -> None:
        """Forget a login."""
        with self._writing() as db:
            db.execute("DELETE FROM login WHERE hash = ?", (digest,))


def ended(
    run_id: str, who: str, library: str, patterns: tuple[str, ...], answer: Answer, now: float
) -> Run:
    """A run that came to an answer."""
    usage, shown = answer.usage, plain(answer)
    return Run(
        run_id,
        who,
        library,
        patterns,
        now,
        answer.question,
        answer.status,
        answer.trace_id,
        answer.cached,
        answer.seconds,
        usage.cost or 0.0,
        usage.prompt + usage.completion,
        shown if isinstance(shown, dict) else {},
    )


def begun(run: Run, now: float) -> Run:
    """A run that has begun, as it is kept: signs of life in the place of an answer."""
    return replace(run, answer={"beat": now, "steps": []})


def told(run: Run, now: float) -> Run:
    """A run as it is told: without its signs of life, and interrupted where there are no more."""
    if run.status != RUNNING:
        return run
    beat, steps = run.answer.get("beat", 0.0), run.answer.get("steps", [])
    lost = now - float(str(beat)) > LOST_SECONDS
    status = INTERRUPTED if lost else RUNNING
    known = tuple(steps) if isinstance(steps, list) else ()
    return replace(run, status=status, answer={}, steps=known)


def month_begin(now: float) -> float:
    """When the calendar month of a time began, UTC; both in seconds since 1970."""
    then = datetime.fromtimestamp(now, UTC)
    return datetime(then.year, then.month, 1, tzinfo=UTC).timestamp()


def month_end() -> float:
    """When it ends."""
    now = datetime.now(UTC)
    year, month = (now.year, now.month + 1) if now.month < 12 else (now.year + 1, 1)
    return datetime(year, month, 1, tzinfo=UTC).timestamp()


def _run(row: tuple[object, ...]) -> Run:
    (run_id, who, library, patterns, asked, question, status, trace, cached, seconds, cost, tokens,
     answer, good, note) = row  # fmt: skip
    return Run(
        str(run_id),
        str(who),
        str(library),
        tuple(json.loads(str(patterns))),
        float(str(asked)),
        str(question),
        str(status),
        str(trace) if trace else None,
        bool(cached),
        float(str(seconds)),
        float(str(cost)),
        int(str(tokens)),
        json.loads(str(answer)),
        None if good is None else bool(good),
        str(note),
    )
