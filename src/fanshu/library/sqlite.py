"""The default store: SQLite with a contentless FTS5 table over our own terms.

Chunks and their index change in one transaction. Readers have a connection per thread and
never wait (WAL); one writer at a time by a lock of the operating system, which dies with
its process. FTS5's own query syntax is out of reach: queries are built from terms only,
each in double quotes, and terms hold letters, digits or private characters.

SQLite before 3.43 cannot delete from a contentless table by row, only by giving back the
exact terms: they are made again from the stored texts, which is why `terms.VERSION` is part
of the schema and a change of it rebuilds.
"""

import json
import os
import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

from fanshu.errors import IndexUnwritable
from fanshu.library import sqlite_finding, terms
from fanshu.library.placing import MOUNTS, network_filesystem
from fanshu.library.sqlite_formats import NEWER_FORMAT, OTHER_FORMAT, newer
from fanshu.library.sqlite_rows import chunk_of, entry_of
from fanshu.library.sqlite_within import Within, Withins
from fanshu.library.sqlite_writing import SqliteWriter
from fanshu.library.store import (
    Candidate,
    Contents,
    DocIds,
    DocumentRecord,
    OutOfTime,
    Query,
    contents_of,
)
from fanshu.types import Chunk, OutlineEntry

SCHEMA_VERSION = f"5.{terms.VERSION}"
BUSY_MS = 5000
LOOK_EVERY = 4000  # steps of SQLite's machine between two looks at the clock, well under 1 ms
APPLICATION_ID = int.from_bytes(b"fans")  # tells our files from other programs' databases
BEGINNING_CHARS = 200
ALIASES = 100  # of all names in one query; a name that has more is no name

_SCHEMA = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE doc(
  path TEXT UNIQUE NOT NULL, size INTEGER, mtime_ns INTEGER, hash TEXT, state TEXT,
  made_by TEXT, reason TEXT, encoding TEXT, title TEXT, date TEXT,
  chunks INTEGER, characters INTEGER, replaces TEXT, id INTEGER PRIMARY KEY);
CREATE TABLE chunk(
  id INTEGER PRIMARY KEY AUTOINCREMENT, doc_id INTEGER NOT NULL, number INTEGER NOT NULL,
  level INTEGER, trail TEXT, start INTEGER, line_a INTEGER, line_b INTEGER, page INTEGER,
  part INTEGER, parts INTEGER, hash TEXT, images TEXT, UNIQUE(doc_id, number));
CREATE TABLE content(id INTEGER PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE alias(doc_id INTEGER NOT NULL, name TEXT NOT NULL, other TEXT NOT NULL,
  PRIMARY KEY(name, other, doc_id)) WITHOUT ROWID;
CREATE INDEX alias_doc ON alias(doc_id);
CREATE VIRTUAL TABLE fts USING fts5(name, head, body, ident, content='', tokenize='ascii');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, 'row');
"""
_TABLES = ("vocabulary", "fts", "content", "chunk", "doc", "meta")
_DOC_COLUMNS = ", ".join(DocumentRecord._fields)
_CHUNK_COLUMNS = """
  d.path, c.number, c.trail, c.level, t.text, c.line_a, c.line_b, c.page, c.part, c.parts,
  c.hash, c.start, d.title, d.date, c.images"""
_FROM_CHUNK = "FROM chunk c JOIN doc d ON d.id = c.doc_id JOIN content t ON t.id = c.id"


class SqliteStore:
    """A store in one file. Thread-safe; `close` ends the connections of all threads."""

    def __init__(self, path: Path, *, mounts: Path = MOUNTS) -> None:
        """Open or create the file. One that this user may only read is opened for reading.

        An index of an earlier version is emptied, and `renewed` is the format that it had; one of
        a newer version is left alone.

        Raises: IndexUnwritable — it can be neither created nor read, is of a newer version, or
        lies on a network drive.
        """
        self.path = path.absolute()
        self.renewed: str | None = None
        if kind := network_filesystem(path, mounts):
            raise IndexUnwritable(path=str(path), detail=f"it lies on a network drive ({kind})")
        self.read_only = path.exists() and not _may_write(path)
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        try:
            # The index holds the documents' text: a folder made here is its owner's alone.
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            self.close()
            detail = str(error)
            if "not a database" in detail or "malformed" in detail:
                detail += "; if it is an index of fanshu, delete it and it is made again"
            raise IndexUnwritable(path=str(path), detail=detail) from error

    # ------------------------------------------------------------ connections

    @property
    def _db(self) -> sqlite3.Connection:
        db: sqlite3.Connection | None = getattr(self._local, "db", None)
        if db is None:
            db = self._local.db = self._connect()
            with self._guard:
                self._open.append(db)
        return db

    def _connect(self) -> sqlite3.Connection:
        target, uri = str(self.path), False
        if self.read_only:
            # Without a log beside it nobody is writing, and no log can be made here.
            log = self.path.with_name(self.path.name + "-wal").exists()
            target, uri = f"{self.path.as_uri()}?mode=ro{'' if log else '&immutable=1'}", True
        db = sqlite3.connect(target, isolation_level=None, check_same_thread=False, uri=uri)
        db.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        db.execute("PRAGMA synchronous=NORMAL")  # safe with a log; holds for one connection
        db.execute("PRAGMA cache_size=-65536")
        db.execute("PRAGMA temp_store=MEMORY")
        db.execute("PRAGMA mmap_size=268435456")
        db.set_progress_handler(self.out_of_time, LOOK_EVERY)
        return db

    def _prepare(self) -> None:
        found = self._version()
        if found == SCHEMA_VERSION:
            return
        db = self._db
        if self._foreign():
            raise sqlite3.DatabaseError("the file is another program's database")
        if newer(found, SCHEMA_VERSION):
            raise sqlite3.DatabaseError(NEWER_FORMAT.format(found=found, own=SCHEMA_VERSION))
        if self.read_only:
            raise sqlite3.DatabaseError(OTHER_FORMAT)
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("BEGIN IMMEDIATE")
        try:
            if self._version() != SCHEMA_VERSION:
                self.renewed = found
                for table in ("alias", *_TABLES):
                    db.execute(f"DROP TABLE IF EXISTS {table}")
                for statement in _SCHEMA.strip().split(";\n"):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute("INSERT INTO meta VALUES('schema', ?)", (SCHEMA_VERSION,))
                db.execute("INSERT INTO meta VALUES('generation', '0')")
        except BaseException:
            db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")

    def _foreign(self) -> bool:
        """Whether the file holds tables, and not ours: whatever it is, it is not to be touched.

        The first indexes had no mark; they are known by having all of our tables.
        """
        (mark,) = self._db.execute("PRAGMA application_id").fetchone()
        tables = {name for (name,) in self._db.execute("SELECT name FROM sqlite_master")}
        return bool(tables) and mark != APPLICATION_ID and not tables.issuperset(_TABLES)

    def _version(self) -> str | None:
        try:
            return self._meta("schema")
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):
                return None
            raise

    def _meta(self, key: str) -> str | None:
        row = self._db.execute("SELECT value FROM meta WHERE key=?", (key,)).fetchone()
        return row[0] if row else None

    def close(self) -> None:
        """Close every connection; the store cannot be used after."""
        with self._guard:
            for db in self._open:
                db.close()
            self._open.clear()
        self._local = threading.local()

    # ---------------------------------------------------------------- reading

    def generation(self) -> int:
        """A number that changes whenever something was written."""
        return int(self._meta("generation") or 0)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that this thread reads inside is of one moment, whatever is written meanwhile."""
        db = self._db
        db.execute("BEGIN")
        try:
            self._local.seen = self._meta("generation")
            yield
        finally:
            self._local.seen = None
            db.execute("COMMIT")

    @contextmanager
    def within(self, seconds: float) -> Iterator[None]:
        """Counting and finding in this thread raise `OutOfTime` after so many seconds."""
        before = getattr(self._local, "ends", None)
        self._local.ends = monotonic() + seconds
        try:
            yield
        finally:
            self._local.ends = before

    def out_of_time(self) -> bool:
        """Whether the time of this thread's `within` is up."""
        ends: float | None = getattr(self._local, "ends", None)
        return ends is not None and monotonic() >= ends

    def _find(self, sql: str, values: Sequence[object]) -> list[Any]:
        """The rows of a query, as long as there is time."""
        if self.out_of_time():
            raise OutOfTime
        try:
            return self._db.execute(sql, values).fetchall()
        except sqlite3.OperationalError as error:
            if str(error) == "interrupted":
                raise OutOfTime from error
            raise

    def _inside(self, docs: DocIds) -> Within:
        if docs is None:
            return Within()
        withins: Withins | None = getattr(self._local, "withins", None)
        if withins is None:
            withins = self._local.withins = Withins(self._db)
        seen = getattr(self._local, "seen", None)
        if kept := withins.kept(docs, seen):
            return kept
        # A statement that writes, stopped half-way, would take the whole transaction with it.
        self._db.set_progress_handler(None, 0)
        try:
            return withins.of(docs, seen)
        finally:
            self._db.set_progress_handler(self.out_of_time, LOOK_EVERY)

    def documents(self, roots: Collection[str] | None = None) -> Mapping[str, DocumentRecord]:
        """Every document by path; all of them are of this machine's `roots`."""
        del roots
        rows = self._db.execute(f"SELECT {_DOC_COLUMNS} FROM doc ORDER BY path")
        return {row[0]: DocumentRecord._make(row) for row in rows}

    def records(self, paths: Collection[str]) -> Mapping[str, DocumentRecord]:
        """Some documents by path."""
        rows = self._db.execute(
            f"SELECT {_DOC_COLUMNS} FROM doc WHERE path IN (SELECT value FROM json_each(?))",
            (json.dumps(list(paths)),),
        )
        return {row[0]: DocumentRecord._make(row) for row in rows}

    def candidates(
        self, query: Query, docs: DocIds, limit: int, scored: int, matches: int | None = None
    ) -> Sequence[Candidate]:
        """The chunks that match, best first by BM25; of very many only some are scored."""
        return sqlite_finding.candidates(
            self._find, query, self._inside(docs), limit, scored, matches
        )

    def count(self, query: Query, docs: DocIds, cap: int) -> int:
        """How many chunks match, counted up to `cap`."""
        return sqlite_finding.count(self._find, query, self._inside(docs), cap)

    def counts(self, queries: Sequence[Query], docs: DocIds, cap: int) -> Iterator[int]:
        """`count` of each, as they are taken."""
        return (self.count(query, docs, cap) for query in queries)

    def files(self, query: Query, docs: DocIds, cap: int) -> Mapping[str, int]:
        """How many chunks of each document match, over the first `cap` matches."""
        return sqlite_finding.files(self._find, query, self._inside(docs), cap)

    def chunks(self, rows: Sequence[int]) -> Sequence[Chunk]:
        """Chunks by row, in the order asked; rows that are gone are left out."""
        found = self._find(
            f"SELECT c.id, {_CHUNK_COLUMNS} {_FROM_CHUNK}"
            " WHERE c.id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(rows)),),
        )
        by_row = {row[0]: chunk_of(row[1:]) for row in found}
        return [by_row[row] for row in rows if row in by_row]

    def chunk(self, path: str, number: int) -> Chunk | None:
        """The chunk of a document at a position."""
        return self._one("d.path = ? AND c.number = ?", path, number)

    def chunk_by_hash(self, path: str, text_hash: str) -> Chunk | None:
        """The first chunk of a document with this text."""
        return self._one("d.path = ? AND c.hash = ? ORDER BY c.number", path, text_hash)

    def _one(self, where: str, *values: object) -> Chunk | None:
        sql = f"SELECT {_CHUNK_COLUMNS} {_FROM_CHUNK} WHERE {where} LIMIT 1"
        row = self._db.execute(sql, values).fetchone()
        return chunk_of(row) if row else None

    def outline(self, paths: Iterable[str]) -> Sequence[OutlineEntry]:
        """The chunks of documents in order, without their texts."""
        where = "d.path IN (SELECT value FROM json_each(?))"
        return self._entries(where, json.dumps(list(paths)))

    def headed(self, query: Query, docs: DocIds, first_of: DocIds) -> Sequence[OutlineEntry]:
        """Chunks by their headings, beginnings without one that match, first ones, in order."""
        expression = sqlite_finding.expression_of(query)
        within, values = "", [f"{{head}} : {expression}", f"{{body}} : {expression}"]
        values.append(json.dumps(list(first_of or ())))
        if docs is not None:
            within = "AND c.doc_id IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(list(docs)))
        return self._entries(
            "c.id IN (SELECT rowid FROM fts WHERE fts MATCH ?"
            " UNION SELECT id FROM fts JOIN chunk ON chunk.id = fts.rowid"
            " WHERE fts MATCH ? AND number = 1 AND trail = '[]' UNION SELECT id FROM chunk"
            f" WHERE number = 1 AND doc_id IN (SELECT value FROM json_each(?))) {within}",
            *values,
        )

    def _entries(self, where: str, *values: str) -> Sequence[OutlineEntry]:
        rows = self._find(
            "SELECT d.path, c.number, c.trail, c.level, c.line_a, c.line_b, c.page,"
            f" c.part, c.parts, length(t.text), substr(t.text, 1, {BEGINNING_CHARS}) {_FROM_CHUNK}"
            f" WHERE {where} ORDER BY d.path, c.number",
            values,
        )
        return [entry_of(row) for row in rows]

    def vocabulary(self, prefix: str, limit: int) -> Sequence[tuple[str, int]]:
        """Terms that begin so, with their number of chunks, most frequent first."""
        return self._find(
            "SELECT term, doc FROM vocabulary WHERE term >= ? AND term < ?"
            " ORDER BY doc DESC LIMIT ?",
            (prefix, prefix + "\U0010ffff", limit),
        )

    def aliases(self, names: Collection[str], docs: DocIds) -> Sequence[tuple[str, str]]:
        """(a name, another for the same) as some documents define them, for these names."""
        values = [json.dumps(list(names))]
        within = ""
        if docs is not None:
            within = "AND doc_id IN (SELECT value FROM json_each(?))"
            values.append(json.dumps(list(docs)))
        return self._find(
            "SELECT DISTINCT name, other FROM alias WHERE name IN"
            f" (SELECT value FROM json_each(?)) {within} ORDER BY name, other LIMIT {ALIASES}",
            values,
        )

    def contents(self, paths: Collection[str]) -> Mapping[str, Contents]:
        """All that some documents hold."""
        named, asked = "d.path IN (SELECT value FROM json_each(?))", (json.dumps(list(paths)),)
        sql = f"SELECT {_CHUNK_COLUMNS} {_FROM_CHUNK} WHERE {named} ORDER BY d.path, c.number"
        chunks = [chunk_of(row) for row in self._db.execute(sql, asked)]
        sql = f"SELECT d.path, name, other FROM alias a JOIN doc d ON d.id = a.doc_id WHERE {named}"
        aliases = self._db.execute(sql, asked).fetchall()
        return contents_of(paths, chunks, aliases)

    def size(self) -> tuple[int, int]:
        """(chunks, bytes on disk)."""
        chunks = self._db.execute("SELECT count(*) FROM chunk").fetchone()[0]
        parts = (self.path, self.path.with_name(self.path.name + "-wal"))
        return chunks, sum(part.stat().st_size for part in parts if part.exists())

    # ---------------------------------------------------------------- writing

    @contextmanager
    def write(self) -> Iterator[SqliteWriter]:
        """A transaction; an exception inside undoes it.

        Raises: IndexUnwritable — the disk is full, or the file may not be written.
        """
        db = self._db
        try:
            db.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteWriter(db)
                db.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                self._local.withins = None  # its tables are as they were, too
                raise
        except sqlite3.Error as error:
            raise IndexUnwritable(path=str(self.path), detail=str(error)) from error


def _may_write(path: Path) -> bool:
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)
