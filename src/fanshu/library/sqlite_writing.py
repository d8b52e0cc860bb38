"""Writing to the SQLite store: documents, chunks and their index, in step.

A changed document keeps the rows of the chunks that it still has, so that an edit costs what
was edited and not the whole file.
"""

import json
import sqlite3
from collections.abc import Iterable, Sequence

from fanshu.library.aliases import Alias
from fanshu.library.chunks import Piece
from fanshu.library.columns import index_columns
from fanshu.library.store import DocumentRecord

_COLUMNS = DocumentRecord._fields[:-1]  # all but the id
_FTS = "rowid, name, head, body, ident"
_INDEX = {
    "delete": f"INSERT INTO fts(fts, {_FTS}) VALUES('delete', ?,?,?,?,?)",
    "insert": f"INSERT INTO fts({_FTS}) VALUES(?,?,?,?,?)",
}
_PIECE = "number=?, level=?, start=?, line_a=?, line_b=?, page=?, part=?, parts=?, images=?"


class SqliteWriter:
    """Changes inside one transaction of one connection."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def put(
        self, record: DocumentRecord, pieces: Sequence[Piece], aliases: Sequence[Alias] = ()
    ) -> None:
        """Store a document, its chunks and aliases in place of whatever its path held."""
        known = self.db.execute("SELECT id, title FROM doc WHERE path=?", (record.path,)).fetchone()
        if known and known[1] != record.title:
            self.remove(record.path)  # the title is in the index of every chunk
            known = None
        doc_id = known[0] if known else self._new(record)
        self.touch(record)
        self._put_aliases(doc_id, aliases)
        kept = self._set_aside(doc_id)
        for piece in pieces:
            rows = kept.get((piece.hash, _trail(piece)))
            if rows:
                self._keep(rows.pop(0), piece)
            else:
                self._insert(doc_id, record, piece)
        self._drop(row for rows in kept.values() for row in rows)

    def touch(self, record: DocumentRecord) -> None:
        """Change what is known of a stored document, not its chunks."""
        sets = ", ".join(f"{column}=?" for column in _COLUMNS)
        self.db.execute(f"UPDATE doc SET {sets} WHERE path=?", (*record[:-1], record.path))

    def rename(self, old_path: str, record: DocumentRecord) -> None:
        """Give a stored document another path; its chunks are kept, its name is indexed anew.

        A document that stood at the new path is overwritten, as the file was.
        """
        self.remove(record.path)
        rows = self._rows(old_path)
        self._index("delete", rows)
        self.db.execute("UPDATE doc SET path=? WHERE path=?", (record.path, old_path))
        self.touch(record)
        self._index("insert", rows)

    def remove(self, path: str) -> None:
        """Take a document and its chunks out."""
        self._drop(self._rows(path))
        self.db.execute(
            "DELETE FROM alias WHERE doc_id IN (SELECT id FROM doc WHERE path=?)", (path,)
        )
        self.db.execute("DELETE FROM doc WHERE path=?", (path,))

    def _put_aliases(self, doc_id: int, aliases: Sequence[Alias]) -> None:
        """Each alias from both of its names, in place of what the document defined before."""
        self.db.execute("DELETE FROM alias WHERE doc_id=?", (doc_id,))
        both = ((doc_id, *pair) for one in aliases for pair in (one, reversed(one)))
        self.db.executemany("INSERT OR IGNORE INTO alias(doc_id, name, other) VALUES(?,?,?)", both)

    # ------------------------------------------------------------ chunks

    def _new(self, record: DocumentRecord) -> int:
        marks = ", ".join("?" * len(_COLUMNS))
        sql = f"INSERT INTO doc({', '.join(_COLUMNS)}) VALUES({marks})"
        return _row_of(self.db.execute(sql, record[:-1]))

    def _set_aside(self, doc_id: int) -> dict[tuple[str, str], list[int]]:
        """The rows of a document by text and trail, their numbers out of the way of new ones."""
        self.db.execute("UPDATE chunk SET number = -number WHERE doc_id=?", (doc_id,))
        rows: dict[tuple[str, str], list[int]] = {}
        for row, digest, trail in self.db.execute(
            "SELECT id, hash, trail FROM chunk WHERE doc_id=? ORDER BY number DESC", (doc_id,)
        ):
            rows.setdefault((digest, trail), []).append(row)
        return rows

    def _keep(self, row: int, piece: Piece) -> None:
        self.db.execute(f"UPDATE chunk SET {_PIECE} WHERE id=?", (*_places(piece), row))

    def _insert(self, doc_id: int, record: DocumentRecord, piece: Piece) -> None:
        trail = _trail(piece)
        row = _row_of(
            self.db.execute(
                "INSERT INTO chunk(doc_id, trail, hash, number, level, start, line_a, line_b, page,"
                " part, parts, images) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)",
                (doc_id, trail, piece.hash, *_places(piece)),
            )
        )
        self.db.execute("INSERT INTO content(id, text) VALUES(?, ?)", (row, piece.text))
        columns = index_columns(record.path, record.title, piece.trail, piece.text)
        self.db.execute(_INDEX["insert"], (row, *columns))

    def _rows(self, path: str) -> list[int]:
        sql = "SELECT c.id FROM chunk c JOIN doc d ON d.id = c.doc_id WHERE d.path=?"
        return [row for (row,) in self.db.execute(sql, (path,))]

    def _drop(self, rows: Iterable[int]) -> None:
        gone = list(rows)
        self._index("delete", gone)
        for table in ("content", "chunk"):
            self.db.executemany(f"DELETE FROM {table} WHERE id=?", ((row,) for row in gone))

    def _index(self, action: str, rows: Sequence[int]) -> None:
        """Take the terms of chunks out of the index, or put them in, as they are stored."""
        for row in rows:
            path, title, trail, text = self.db.execute(
                "SELECT d.path, d.title, c.trail, t.text FROM chunk c"
                " JOIN doc d ON d.id = c.doc_id JOIN content t ON t.id = c.id WHERE c.id=?",
                (row,),
            ).fetchone()
            columns = index_columns(path, title, json.loads(trail), text)
            self.db.execute(_INDEX[action], (row, *columns))


def _trail(piece: Piece) -> str:
    return json.dumps(piece.trail, ensure_ascii=False)


def _places(piece: Piece) -> tuple[object, ...]:
    """A piece's place in its document, in the order of `_PIECE`."""
    line_a, line_b = piece.lines or (None, None)
    images = json.dumps(piece.images, ensure_ascii=False) if piece.images else None
    return (piece.number, piece.level, piece.start, line_a, line_b, piece.page, *piece.part, images)


def _row_of(cursor: sqlite3.Cursor) -> int:
    if cursor.lastrowid is None:
        raise sqlite3.InternalError("an insert gave no row")
    return cursor.lastrowid
