"""Where cached answers are kept: one SQLite file in the user's data folder, beside the traces.

Not beside the index: that may be shared, or only readable, while answers are one user's own.
Each call opens the file anew (a third of a millisecond), so that threads and processes share
nothing; writes are transactions with SQLite's rollback journal, which a killed process leaves
for the next one to undo. The folder and the file are their owner's alone. A file that turns out
to be no database is made again: everything in it can be asked again.
"""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from fanshu.errors import CacheUnusable
from fanshu.keeping import make_private

FORMAT = 2
NEWER = "it is of a newer version of fanshu"
BUSY_SECONDS = 2.0  # to wait for another writer; an answer that is not kept is no harm
ID_CHARS = 12
_READ, _WRITE = "BEGIN", "BEGIN IMMEDIATE"
FEW = 4  # entries that one question may mean: its own, and those whose summary it is

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry(
  id TEXT PRIMARY KEY, context TEXT NOT NULL, asked TEXT NOT NULL, summary TEXT NOT NULL,
  question TEXT NOT NULL, status TEXT NOT NULL, reader TEXT NOT NULL, tokens INTEGER NOT NULL,
  body TEXT NOT NULL, saved REAL NOT NULL, used REAL NOT NULL, hits INTEGER NOT NULL,
  state TEXT NOT NULL, bytes INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS by_asked ON entry(context, asked);
CREATE INDEX IF NOT EXISTS by_summary ON entry(context, summary);
CREATE TABLE IF NOT EXISTS counter(name TEXT PRIMARY KEY, value INTEGER NOT NULL);
"""
_MATCHING = """
SELECT * FROM entry WHERE context = ? AND (asked = ? OR summary = ?) AND saved >= ?
ORDER BY asked = ? DESC, saved DESC LIMIT ?
"""
# A newer answer that came meanwhile is left alone.
_USED = """
UPDATE entry SET used = ?, hits = hits + 1, body = ?, state = ? WHERE id = ? AND saved = ?
"""
_ROW_BYTES = 200  # what a row takes beside its texts, about


@dataclass(frozen=True, slots=True)
class Entry:
    """An answer that is kept.

    `context`: digest of all that must be the same beside the question. `asked`, `summary`: the
    forms of the question and of its summary that a later question must equal (see `asked.py`).
    `tokens`: what the answer cost, and each hit saves. `body`: answer and evidence, as JSON.
    `state`: of the index when the evidence was last seen to be the same.
    `saved`, `used`: seconds since 1970.
    """

    context: str
    asked: str
    summary: str
    question: str
    status: str
    reader: str
    tokens: int
    body: str
    saved: float = 0.0
    used: float = 0.0
    hits: int = 0
    state: str = ""

    @property
    def id(self) -> str:
        """Short and the same for the same question in the same context."""
        whole = f"{self.context}\0{self.asked}"
        return sha256(whole.encode("utf-8", "backslashreplace")).hexdigest()[:ID_CHARS]

    @property
    def bytes(self) -> int:
        """About how much of the file it takes."""
        texts = (self.body, self.question, self.asked, self.summary)
        return _ROW_BYTES + sum(len(text.encode("utf-8", "backslashreplace")) for text in texts)


@dataclass(frozen=True, slots=True)
class Totals:
    """What the cache holds and what came of it since it was last cleared.

    `hits`: questions answered from it, `stale`: entries that were there but whose evidence had
    changed, `misses`: questions it knew nothing of. `tokens` are those that hits saved.
    """

    entries: int
    bytes: int
    hits: int
    stale: int
    misses: int
    tokens: int


class EntryStore(Protocol):
    """Where cached answers are kept: a file of this user, or a store that workers share.

    Thread-safe. Every method raises CacheUnusable when it cannot be used. `place`: as it is shown.
    """

    @property
    def place(self) -> str: ...

    def matching(self, context: str, asked: str) -> tuple[Entry, ...]:
        """Entries that may answer a question, those that were asked so first."""
        ...

    def put(self, entry: Entry) -> None:
        """Keep an entry in place of an older one of the same question; old ones go."""
        ...

    def used(self, entry: Entry) -> None:
        """A question was answered with an entry, whose body and state may be new."""
        ...

    def unused(self, *, stale: bool) -> None:
        """A question was not answered: nothing was known, or what was known is `stale`."""
        ...

    def all(self) -> tuple[Entry, ...]:
        """Every entry, the last used first."""
        ...

    def clear(self, entry_id: str | None = None) -> int:
        """Take one entry out, or all with their counts; how many there were."""
        ...

    def totals(self) -> Totals:
        """What is kept and what came of it."""
        ...

    def take(self, name: str, seconds: float) -> bool:
        """Whether to find an answer oneself; no: another worker is at it, for so long at most."""
        ...

    def give_back(self, name: str) -> None:
        """It has been found, or given up."""
        ...


class Entries:
    """The entries in one file: at most `days` old, `megabytes` in total.

    Every method raises CacheUnusable when the file cannot be used.
    """

    def __init__(
        self, path: Path, *, days: float, megabytes: float, clock: Callable[[], float] = time.time
    ) -> None:
        self.path = path
        self._seconds = days * 86_400
        self._bytes = int(megabytes * 1_000_000)
        self._clock = clock

    @property
    def place(self) -> str:
        """The file, as it is shown."""
        return str(self.path)

    def take(self, name: str, seconds: float) -> bool:  # noqa: ARG002
        """Always: processes over one file do not wait for each other."""
        return True

    def give_back(self, name: str) -> None:
        """Nothing was taken."""

    def matching(self, context: str, asked: str) -> tuple[Entry, ...]:
        """Entries that may answer a question, those that were asked so first."""
        if not self.path.exists():
            return ()
        oldest = self._clock() - self._seconds
        with self._db(_READ) as db:
            rows = db.execute(_MATCHING, (context, asked, asked, oldest, asked, FEW)).fetchall()
        return tuple(_entry(row) for row in rows)

    def put(self, entry: Entry) -> None:
        """Keep an entry in place of an older one of the same question; old ones go."""
        now = self._clock()
        row = (
            entry.id, entry.context, entry.asked, entry.summary, entry.question, entry.status,
            entry.reader, entry.tokens, entry.body, now, now, 0, entry.state, entry.bytes,
        )  # fmt: skip
        with self._db(_WRITE) as db:
            db.execute("INSERT OR REPLACE INTO entry VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", row)
            self._trim(db, now)

    def used(self, entry: Entry) -> None:
        """A question was answered with an entry, whose body and state may be new."""
        with self._db(_WRITE) as db:
            db.execute(_USED, (self._clock(), entry.body, entry.state, entry.id, entry.saved))
            _count(db, hits=1, tokens=entry.tokens)

    def unused(self, *, stale: bool) -> None:
        """A question was not answered: nothing was known, or what was known is `stale`."""
        with self._db(_WRITE) as db:
            _count(db, **{"stale" if stale else "misses": 1})

    def all(self) -> tuple[Entry, ...]:
        """Every entry, the last used first."""
        if not self.path.exists():
            return ()
        with self._db(_READ) as db:
            rows = db.execute("SELECT * FROM entry ORDER BY used DESC, id").fetchall()
        return tuple(_entry(row) for row in rows)

    def clear(self, entry_id: str | None = None) -> int:
        """Take one entry out, or all with their counts; how many there were."""
        if not self.path.exists():
            return 0
        with self._db(_WRITE) as db:
            if entry_id is not None:
                return db.execute("DELETE FROM entry WHERE id = ?", (entry_id,)).rowcount
            db.execute("DELETE FROM counter")
            return db.execute("DELETE FROM entry").rowcount

    def totals(self) -> Totals:
        """What is kept and what came of it."""
        if not self.path.exists():
            return Totals(0, 0, 0, 0, 0, 0)
        with self._db(_READ) as db:
            entries, size = db.execute("SELECT count(*), sum(bytes) FROM entry").fetchone()
            counts = dict(db.execute("SELECT name, value FROM counter").fetchall())
        names = ("hits", "stale", "misses", "tokens")
        return Totals(entries, size or 0, *(counts.get(name, 0) for name in names))

    def _trim(self, db: sqlite3.Connection, now: float) -> None:
        """Remove what is too old, then what was not used for longest until the rest is small."""
        db.execute("DELETE FROM entry WHERE saved < ?", (now - self._seconds,))
        total = 0
        for entry_id, size in db.execute(
            "SELECT id, bytes FROM entry ORDER BY used DESC, saved DESC, id"
        ).fetchall():
            total += size
            if total > self._bytes:
                db.execute("DELETE FROM entry WHERE id = ?", (entry_id,))

    @contextmanager
    def _db(self, begin: str) -> Iterator[sqlite3.Connection]:
        """The database within one transaction that begins so."""
        try:
            with closing(self._opened()) as db:
                db.execute(begin)
                try:
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):
                        db.execute("ROLLBACK")
                    raise
        except (OSError, sqlite3.Error) as error:
            if type(error) is sqlite3.DatabaseError:  # the file itself is broken
                self.path.unlink(missing_ok=True)
            raise CacheUnusable(path=str(self.path), detail=str(error)) from error

    def _opened(self) -> sqlite3.Connection:
        try:
            return _connected(self.path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError:  # no database at all
            self.path.unlink(missing_ok=True)
            return _connected(self.path)


def _connected(path: Path) -> sqlite3.Connection:
    make_private(path)
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        # A killed process leaves nothing behind in any case; a power cut may break the file, which
        # is noticed and costs the answers in it. Waiting for the disk would cost every hit more.
        db.execute("PRAGMA synchronous = OFF")
        db.execute("PRAGMA secure_delete = ON")  # what is cleared is gone from the file
        if db.execute("PRAGMA user_version").fetchone()[0] != FORMAT:
            _prepare(db)
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection) -> None:
    """Tables of this format; those of another one held nothing that cannot be asked again."""
    db.execute("BEGIN IMMEDIATE")
    (found,) = db.execute("PRAGMA user_version").fetchone()
    if found > FORMAT:
        raise sqlite3.OperationalError(NEWER)
    if found != FORMAT:
        for table in ("entry", "counter"):
            db.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in filter(str.strip, _SCHEMA.split(";")):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {FORMAT}")
    db.execute("COMMIT")


def _count(db: sqlite3.Connection, **counts: int) -> None:
    for name, value in counts.items():
        db.execute(
            "INSERT INTO counter VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET value = value + ?",
            (name, value, value),
        )


def _entry(row: tuple[object, ...]) -> Entry:
    return Entry(*row[1:-1])  # type: ignore[arg-type]  # columns in the order of the fields
