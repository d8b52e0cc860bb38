"""Where approved answers are kept: one SQLite file in the user's data folder.

The command line and the service use the same one, so that what is approved on one face is given on
the other; documents are told apart by `places.identity`. Unlike the cache it holds work of people:
every version of every answer stays (who approved what, when), nothing is removed to save room, and
a file that is broken is an error, never made anew. A write is on the disk before it counts.
"""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from fanshu.approved.approval import (
    Approved,
    Examined,
    Kept,
    approved_of,
    closed,
    examined_of,
    now,
)
from fanshu.approved.footing import Footing, footings
from fanshu.approved.stores import MOST_WORDINGS, Revision, Seen
from fanshu.approved.subjects import Subject
from fanshu.approved.wordings import form
from fanshu.errors import ApprovalMissing, ApprovalRefused, ApprovalsUnusable
from fanshu.keeping import make_private

FORMAT = 1
BUSY_SECONDS = 5.0  # to wait for another writer: its transactions take milliseconds
_READ, _WRITE = "BEGIN", "BEGIN IMMEDIATE"
_SCHEMA = """
CREATE TABLE revision(
  number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, act TEXT NOT NULL, by TEXT NOT NULL,
  at TEXT NOT NULL, note TEXT NOT NULL, body TEXT NOT NULL);
CREATE INDEX revision_id ON revision(id);
CREATE TABLE answer(
  id TEXT PRIMARY KEY, documents TEXT NOT NULL, body TEXT NOT NULL, examined TEXT NOT NULL,
  state TEXT NOT NULL, revision INTEGER NOT NULL, told TEXT NOT NULL);
CREATE INDEX answer_documents ON answer(documents);
CREATE TABLE wording(
  id TEXT NOT NULL, documents TEXT NOT NULL, form TEXT NOT NULL, text TEXT NOT NULL,
  PRIMARY KEY(id, form));
CREATE INDEX wording_form ON wording(documents, form);
CREATE TABLE footing(
  id TEXT NOT NULL, documents TEXT NOT NULL, path TEXT NOT NULL, newer TEXT NOT NULL,
  quote TEXT NOT NULL, stands INTEGER NOT NULL,
  subjects TEXT NOT NULL);
CREATE INDEX footing_id ON footing(id);
CREATE INDEX footing_documents ON footing(documents);
CREATE TABLE seen(
  documents TEXT NOT NULL, path TEXT NOT NULL, mark TEXT NOT NULL, chunks TEXT NOT NULL,
  PRIMARY KEY(documents, path))
  WITHOUT ROWID;
"""


class Approvals:
    """The approved answers over one set of documents, in one file.

    Synchronous and thread-safe: each call opens the file anew. Every method raises
    ApprovalsUnusable when the file cannot be used.
    """

    def __init__(self, path: Path, documents: str) -> None:
        self.path, self.documents = path, documents

    # ---------------------------------------------------------------- reading

    def empty(self) -> bool:
        """Whether there are none."""
        some = "SELECT 1 FROM answer WHERE documents = ? LIMIT 1"
        return not self.path.exists() or not self._rows(some)

    def matching(self, question: str) -> tuple[Kept, ...]:
        """The answers to a question, the last approved first."""
        wanted = form(question)
        if not wanted or not self.path.exists():
            return ()
        sql = (
            "SELECT a.id, a.body, a.examined FROM wording w JOIN answer a ON a.id = w.id"
            " WHERE w.documents = ? AND w.form = ? ORDER BY a.revision DESC"
        )
        return self._kept(self._rows(sql, wanted))

    def all(self) -> tuple[Kept, ...]:
        """Every answer, the last approved first."""
        return self._some("", ())

    def waiting(self) -> tuple[Kept, ...]:
        """Those that somebody has to review."""
        return tuple(one for one in self.all() if one.examined.waits)

    def some(self, ids: Collection[str]) -> tuple[Kept, ...]:
        """Those of these ids that there are."""
        wanted = json.dumps(list(ids))
        return self._some("AND id IN (SELECT value FROM json_each(?))", (wanted,))

    def one(self, answer_id: str) -> Kept:
        """The answer of this id, or of an id that begins so. Raises: ApprovalMissing."""
        begins = f"{answer_id.replace('%', '').replace('_', '')}%"
        found = self._some("AND id LIKE ?", (begins,)) if answer_id.isalnum() else ()
        exact = [kept for kept in found if kept.id == answer_id] or list(found)
        if len(exact) != 1:
            raise ApprovalMissing(answer_id=answer_id)
        return exact[0]

    def foreign(self, answer_id: str) -> bool:
        """Whether other documents have an answer of this id."""
        sql = "SELECT 1 FROM answer WHERE documents != ? AND id = ?"
        return self.path.exists() and bool(self._rows(sql, answer_id))

    def history(self, answer_id: str) -> tuple[Revision, ...]:
        """Who approved and changed what, the first first; also of answers that were dropped."""
        if not self.path.exists():
            return ()
        sql = "SELECT number, act, by, at, note, body FROM revision WHERE id = ? ORDER BY number"
        with self._db(_READ) as db:
            rows = db.execute(sql, (answer_id,)).fetchall()
        with self._understood():
            return tuple(
                Revision(number, act, by, at, note, approved_of(body))
                for number, act, by, at, note, body in rows
            )

    def _some(self, where: str, values: tuple[str, ...]) -> tuple[Kept, ...]:
        if not self.path.exists():
            return ()
        sql = "SELECT id, body, examined FROM answer WHERE documents = ? {} ORDER BY revision DESC"
        return self._kept(self._rows(sql.format(where), *values))

    def _kept(self, rows: Sequence[tuple[Any, ...]]) -> tuple[Kept, ...]:
        said = self._rows("SELECT id, text FROM wording WHERE documents = ? ORDER BY rowid")
        wordings: dict[str, list[str]] = {}
        for answer_id, text in said:
            wordings.setdefault(answer_id, []).append(text)
        with self._understood():
            return tuple(
                Kept(approved_of(body), examined_of(examined), tuple(wordings.get(answer_id, ())))
                for answer_id, body, examined in rows
            )

    def _rows(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        with self._db(_READ) as db:
            return db.execute(sql, (self.documents, *values)).fetchall()

    # ---------------------------------------------------------------- changes

    def put(
        self,
        one: Approved,
        examined: Examined,
        act: str,
        wordings: Sequence[str] = (),
        *,
        who: str = "",
    ) -> Kept:
        """Keep a new answer, or a new version of one; what it was before stays in the history.

        `who`: did it, where that is not who approved the answer.
        """
        said = tuple(dict.fromkeys((one.question, *wordings)))
        with self._db(_WRITE) as db:
            number = self._note(db, one, act, who or one.by, one.note)
            state = examined.state
            row = (one.id, self.documents, closed(one), closed(examined), state, number, state)
            self._must_be_own(db, one.id)
            db.execute("INSERT OR REPLACE INTO answer VALUES (?,?,?,?,?,?,?)", row)
            for text in said:
                self._say(db, one.id, text)
            self._stand(db, one, examined)
        return self.one(one.id)

    def add_wording(self, answer_id: str, text: str, by: str) -> None:
        """Let another wording mean an answer too. Raises: ApprovalMissing, ApprovalRefused."""
        kept = self.one(answer_id)
        if not form(text):
            raise ApprovalRefused(detail="the wording asks nothing")
        if len(kept.wordings) >= MOST_WORDINGS:
            raise ApprovalRefused(detail=f"an answer has at most {MOST_WORDINGS} wordings")
        with self._db(_WRITE) as db:
            self._say(db, kept.id, text.strip())
            self._note(db, kept.approved, "wording", by, text.strip())

    def drop(self, answer_id: str, by: str, note: str = "") -> None:
        """Give an answer no more; its history stays. Raises: ApprovalMissing."""
        kept = self.one(answer_id)
        with self._db(_WRITE) as db:
            self._note(db, kept.approved, "dropped", by, note)
            for table in ("answer", "wording", "footing"):
                db.execute(f"DELETE FROM {table} WHERE id = ?", (kept.id,))  # noqa: S608 - ours

    def _must_be_own(self, db: sqlite3.Connection, answer_id: str) -> None:
        """Raises: ApprovalRefused — an answer over other documents has this id."""
        sql = "SELECT 1 FROM answer WHERE documents != ? AND id = ?"
        if db.execute(sql, (self.documents, answer_id)).fetchone():
            raise ApprovalRefused(detail=f"other documents have an answer {answer_id}")

    @staticmethod
    def _note(db: sqlite3.Connection, one: Approved, act: str, by: str, note: str) -> int:
        sql = "INSERT INTO revision(id, act, by, at, note, body) VALUES (?,?,?,?,?,?)"
        return int(db.execute(sql, (one.id, act, by, now(), note, closed(one))).lastrowid or 0)

    def _say(self, db: sqlite3.Connection, answer_id: str, text: str) -> None:
        row = (answer_id, self.documents, form(text), text)
        db.execute("INSERT OR IGNORE INTO wording VALUES (?,?,?,?)", row)

    def _stand(self, db: sqlite3.Connection, one: Approved, examined: Examined) -> None:
        """Write down what an answer rests on now."""
        db.execute("DELETE FROM footing WHERE id = ?", (one.id,))
        for foot in footings(one, examined):
            row = (
                foot.id, self.documents, foot.path, foot.newer, foot.quote, foot.stands,
                json.dumps(foot.subjects),
            )  # fmt: skip
            db.execute("INSERT INTO footing VALUES (?,?,?,?,?,?,?)", row)

    # ---------------------------------------------------------------- looking again

    def mine(self) -> bool:
        """Whether this process is one that looks answers again after a sync: each is."""
        return True

    def footings(self) -> tuple[Footing, ...]:
        """What all answers rest on."""
        rows = self._rows(
            "SELECT id, path, newer, quote, stands, subjects FROM footing WHERE documents = ?"
        )
        return tuple(
            Footing(answer_id, path, newer, quote, bool(stands), _subjects(subjects))
            for answer_id, path, newer, quote, stands, subjects in rows
        )

    def marks(self) -> Mapping[str, str]:
        """The version of each file when the answers were last looked at, by path."""
        return dict(self._rows("SELECT path, mark FROM seen WHERE documents = ?"))

    def chunks(self, paths: Collection[str]) -> frozenset[str]:
        """The hashes of the chunks that some files had then."""
        sql = (
            "SELECT chunks FROM seen WHERE documents = ?"
            " AND path IN (SELECT value FROM json_each(?))"
        )
        rows = self._rows(sql, json.dumps(list(paths)))
        return frozenset(one for row in rows for one in row[0].split())

    def examined(
        self, results: Sequence[tuple[Kept, Examined]], files: Mapping[str, Seen | None]
    ) -> None:
        """Write down how answers stand, and files as they are now; None: gone.

        An answer that was changed meanwhile is left as it is.
        """
        with self._db(_WRITE) as db:
            for kept, examined in results:
                row = (closed(examined), examined.state, kept.id, closed(kept.approved))
                sql = "UPDATE answer SET examined = ?, state = ? WHERE id = ? AND body = ?"
                if db.execute(sql, row).rowcount:
                    self._stand(db, kept.approved, examined)
            gone = [(self.documents, path) for path, seen in files.items() if not seen]
            db.executemany("DELETE FROM seen WHERE documents = ? AND path = ?", gone)
            there = [
                (self.documents, path, seen.mark, " ".join(seen.chunks))
                for path, seen in files.items()
                if seen
            ]
            db.executemany("INSERT OR REPLACE INTO seen VALUES (?,?,?,?)", there)

    def untold(self) -> tuple[Kept, ...]:
        """Answers that wait in a state which nobody has been told of; they count as told then."""
        if self.empty():
            return ()
        where = "documents = ? AND state != told"
        with self._db(_WRITE) as db:
            values = (self.documents,)
            ids = [row[0] for row in db.execute(f"SELECT id FROM answer WHERE {where}", values)]  # noqa: S608 - ours
            if ids:
                db.execute(f"UPDATE answer SET told = state WHERE {where}", values)  # noqa: S608 - ours
        return tuple(one for one in self.some(ids) if one.examined.waits)

    # ---------------------------------------------------------------- the file

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Raises: ApprovalsUnusable — what is read was written in another form."""
        try:
            yield
        except ValueError as error:
            detail = "another version of fanshu wrote an answer in it"
            raise ApprovalsUnusable(path=str(self.path), detail=detail) from error

    @contextmanager
    def _db(self, begin: str) -> Iterator[sqlite3.Connection]:
        """The database within one transaction that begins so."""
        try:
            with closing(_connected(self.path)) as db:
                db.execute(begin)
                try:
                    yield db
                    db.execute("COMMIT")
                except BaseException:
                    with suppress(sqlite3.Error):
                        db.execute("ROLLBACK")
                    raise
        except (OSError, sqlite3.Error, ValueError) as error:
            raise ApprovalsUnusable(path=str(self.path), detail=str(error)) from error


def _connected(path: Path) -> sqlite3.Connection:
    make_private(path)
    db = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None)
    try:
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA secure_delete = ON")
        found = db.execute("PRAGMA user_version").fetchone()[0]
        if found != FORMAT:
            _prepare(db, found)
    except BaseException:
        db.close()
        raise
    return db


def _prepare(db: sqlite3.Connection, found: int) -> None:
    """Tables in a new file. Raises: ValueError — another version of the program made it."""
    if found > FORMAT:
        raise ValueError(f"a newer version of fanshu made it (format {found})")
    db.execute("BEGIN IMMEDIATE")
    if db.execute("PRAGMA user_version").fetchone()[0] == 0:
        for statement in filter(str.strip, _SCHEMA.split(";")):
            db.execute(statement)
        db.execute(f"PRAGMA user_version = {FORMAT}")
    db.execute("COMMIT")


def _subjects(text: str) -> tuple[Subject, ...]:
    return tuple(
        (needed, tuple(terms), tuple(figures)) for needed, terms, figures in json.loads(text)
    )
