"""What was asked, by whom, and what came of it: one SQLite file in the user's data folder.

It holds the history of each user, their marks (good, not good), logins, and what a month has
cost. The traces of runs lie where all traces lie; the register only names them.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

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


@dataclass(frozen=True, slots=True)
class Run:
    """A question that was asked. `patterns`: what its asker might see then. `asked`: since 1970."""

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

    @property
    def when(self) -> str:
        """When it was asked, ISO form, UTC."""
        return datetime.fromtimestamp(self.asked, UTC).isoformat(timespec="seconds")


class Register:
    """The register in one file; synchronous and thread-safe.

    Raises: OSError, sqlite3.Error, DataNewer.
    """

    def __init__(self, path: Path, *, days: float) -> None:
        self._days = days
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

    def keep(
        self, run_id: str, who: str, library: str, patterns: tuple[str, ...], answer: Answer
    ) -> None:
        """Write down what came of a question; what is older than the traces goes."""
        usage = answer.usage
        row = (
            run_id, who, library, json.dumps(patterns), time.time(), answer.question,
            answer.status, answer.trace_id, answer.cached, answer.seconds, usage.cost or 0.0,
            usage.prompt + usage.completion, json.dumps(plain(answer)), None, "",
        )  # fmt: skip
        with self._writing() as db:
            db.execute("INSERT INTO run VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", row)
            db.execute("DELETE FROM run WHERE asked < ?", (time.time() - self._days * 86_400,))

    def run(self, run_id: str, who: str) -> Run | None:
        """A run of somebody, by its own id or that of its trace."""
        rows = self._rows(
            "SELECT * FROM run WHERE who = ? AND (id = ? OR trace = ?) ORDER BY asked DESC LIMIT 1",
            who, run_id, run_id,
        )  # fmt: skip
        return _run(rows[0]) if rows else None

    def runs(self, who: str, limit: int = MAX_LISTED) -> list[Run]:
        """The runs of somebody, newest first."""
        sql = "SELECT * FROM run WHERE who = ? ORDER BY asked DESC LIMIT ?"
        return [_run(row) for row in self._rows(sql, who, limit)]

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
        return float(str(self._rows(sql, month_begin(), *values)[0][0]))

    # ---------------------------------------------------------------- logins

    def log_in(self, digest: str, user: str, stamp: str, seconds: float) -> None:
        """Remember a login. `stamp`: changes with the user's password."""
        now = time.time()
        with self._writing() as db:
            db.execute("DELETE FROM login WHERE ends < ?", (now,))
            db.execute("INSERT INTO login VALUES (?,?,?,?)", (digest, user, stamp, now + seconds))

    def login(self, digest: str) -> tuple[str, str] | None:
        """The user of a login that holds, and the stamp it was made with."""
        sql = "SELECT user, stamp FROM login WHERE hash = ? AND ends >= ?"
        rows = self._rows(sql, digest, time.time())
        return (str(rows[0][0]), str(rows[0][1])) if rows else None

    def log_out(self, digest: str) -> None:
        """Forget a login."""
        with self._writing() as db:
            db.execute("DELETE FROM login WHERE hash = ?", (digest,))


def month_begin() -> float:
    """When this calendar month began, UTC, in seconds since 1970."""
    now = datetime.now(UTC)
    return datetime(now.year, now.month, 1, tzinfo=UTC).timestamp()


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
