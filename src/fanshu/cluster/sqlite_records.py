"""Records in one file of SQLite: what workers share on one machine, and in tests."""

import json
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from fanshu.cluster.fields import NUMBER, TEXT, comparable, typed
from fanshu.cluster.records import NEW, Conflict, Fields, Record, Version
from fanshu.errors import StoreRefused

BUSY_SECONDS = 30.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS record(id INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL,
  key TEXT NOT NULL, sorted TEXT NOT NULL, record TEXT NOT NULL, ends REAL,
  UNIQUE(collection, key));
CREATE TABLE IF NOT EXISTS field(id INTEGER NOT NULL, name TEXT NOT NULL, value,
  PRIMARY KEY(id, name, value)) WITHOUT ROWID;
"""
_WHERE = " FROM record r WHERE collection = ? AND (ends IS NULL OR ends > ?)"
_EQUAL = (
    " AND EXISTS (SELECT 1 FROM field f WHERE f.id = r.id AND f.name = ?"
    " AND f.value IN (SELECT value FROM json_each(?)))"
)
_LEAST = " AND EXISTS (SELECT 1 FROM field f WHERE f.id = r.id AND f.name = ? AND f.value >= ?)"
_NEWEST = (
    "(SELECT max(value) FROM field f WHERE f.id = r.id AND f.name = ?) DESC NULLS LAST,"
    "(SELECT max(value) FROM field f WHERE f.id = r.id AND f.name = ?) DESC NULLS LAST, "
)


class SqliteRecords:
    """Records in a file. Thread-safe, and for several processes. A version is the row's id."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.path = path
        self._guard = threading.Lock()
        self._db = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS
        )
        with self._told():
            self._db.executescript(f"PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; {_SCHEMA}")

    def get(self, collection: str, key: str) -> Record | None:
        """One record, as last written; None when there is none or its time is up."""
        with self._told():
            row = self._row(collection, key)
        return _record(row) if row else None

    def put(self, collection: str, record: Record, *, expect: Version | None = None) -> Version:
        """Write a record whole. Raises: Conflict — it is not at the version expected."""
        whole = json.dumps([record.key, record.body, record.fields, record.ends])
        values = collection, _key(record.key), comparable(record.key), whole, record.ends
        with self._changing(collection, record.key, expect):
            sql = "INSERT INTO record(collection, key, sorted, record, ends) VALUES(?, ?, ?, ?, ?)"
            row = self._db.execute(sql, values).lastrowid or 0
            for name, (kind, given) in typed(record.fields).items():
                rows = [(row, f"{kind}.{name}", value) for value in given]
                self._db.executemany("INSERT OR IGNORE INTO field VALUES(?, ?, ?)", rows)
        return Version(row, 0)

    def remove(self, collection: str, key: str, *, expect: Version | None = None) -> bool:
        """Take a record out; whether there was one. Raises: Conflict."""
        try:
            with self._changing(collection, key, expect) as there:
                return there
        except Conflict:
            if self.get(collection, key) is None:
                return False
            raise

    def find(
        self,
        collection: str,
        where: Fields | None = None,
        *,
        least: Mapping[str, float] | None = None,
        newest: str | None = None,
        limit: int = 1_000,
    ) -> Sequence[Record]:
        """Records whose fields have all of these values (of a list, one of them)."""
        sql, values = _matching(collection, where or {}, least or {})
        order = _NEWEST if newest else ""
        by = [f"{NUMBER}.{newest}", f"{TEXT}.{newest}"] if newest else []
        sql = f"SELECT id, record{sql} ORDER BY {order}sorted LIMIT ?"
        with self._told():
            return [_record(row) for row in self._db.execute(sql, [*values, *by, limit])]

    def total(self, collection: str, of: str, where: Fields, least: Mapping[str, float]) -> float:
        """The sum of a field over the records that match."""
        sql, values = _matching(collection, where, least)
        summed = f"SELECT total(value) FROM field WHERE name = ? AND id IN (SELECT id{sql})"
        with self._told():
            (total,) = self._db.execute(summed, [f"{NUMBER}.{of}", *values]).fetchone()
        return float(total)

    def _row(self, collection: str, key: str) -> tuple[int, str] | None:
        sql = f"SELECT id, record{_WHERE} AND key = ?"
        row: tuple[int, str] | None
        row = self._db.execute(sql, (collection, time.time(), _key(key))).fetchone()
        return row

    @contextmanager
    def _changing(self, collection: str, key: str, expect: Version | None) -> Iterator[bool]:
        """A transaction in which the record, if there is one at this version, is taken out."""
        with self._told():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                row = self._row(collection, key)
                if expect is not None and (row[0] if row else NEW.number) != expect.number:
                    raise Conflict
                old = "SELECT id FROM record WHERE collection = ? AND (key = ? OR ends <= ?)"
                values = collection, _key(key), time.time()
                self._db.execute(f"DELETE FROM field WHERE id IN ({old})", values)
                self._db.execute(f"DELETE FROM record WHERE id IN ({old})", values)
                yield row is not None
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        with self._guard:
            try:
                yield
            except sqlite3.Error as error:
                raise StoreRefused(address=str(self.path), detail=f"{error}.") from error


def _matching(
    collection: str, where: Fields, least: Mapping[str, float]
) -> tuple[str, list[object]]:
    sql, values = _WHERE, [collection, time.time()]
    for name, (kind, given) in typed(where).items():
        sql += _EQUAL
        values += [f"{kind}.{name}", json.dumps(given)]
    for name, value in least.items():
        sql += _LEAST
        values += [f"{NUMBER}.{name}", value]
    return sql, values


def _key(key: str) -> str:
    return json.dumps(key)  # whatever it holds


def _record(row: tuple[int, str]) -> Record:
    key, body, fields, ends = json.loads(row[1])
    return Record(key, body, fields, ends, Version(row[0], 0))
