"""Some documents as a condition of SQL, told the short way.

A search asks some hundred times for the same documents. To look up the document of each match took
1 us a match, to look for its row in a table of the rows inside takes 0.2. Of 76,000 documents,
naming all but a folder's took 40 ms a query; naming the folder's takes none that can be measured.
"""

import json
import sqlite3
from collections.abc import Collection
from dataclasses import dataclass

from fanshu.library.store import DocIds

FEW = 200  # ids that are named without looking how many there are in all
KEPT = 4  # conditions: a search asks for the same two again and again
MOST = 20_000  # documents whose rows are put into a table, 0.5 us each
_IN = "AND c.doc_id {} (SELECT value FROM json_each(?))"
_ROWS = "SELECT id FROM chunk WHERE doc_id IN (SELECT value FROM json_each(?)) ORDER BY id"


@dataclass(frozen=True, slots=True)
class Within:
    """What keeps a match inside some documents: a join, a condition, its values."""

    joined: str = ""
    where: str = ""
    values: tuple[object, ...] = ()


def named(ids: DocIds, *, inside: bool = True) -> Within:
    """The condition that names the documents inside, or those outside; None: all are inside."""
    if ids is None or not (ids or inside):
        return Within()
    where = _IN.format("IN" if inside else "NOT IN")
    return Within("JOIN chunk c ON c.id = fts.rowid", where, (json.dumps(list(ids)),))


class Withins:
    """Conditions of one connection by the set of ids that they were made of, while nothing is
    written.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._every: tuple[str, frozenset[int]] = "", frozenset()
        self._kept: dict[int, tuple[str, DocIds, str, Within]] = {}

    def kept(self, docs: DocIds, generation: str | None) -> Within | None:
        """The condition that was made for these documents, where it still holds."""
        kept = self._kept.get(id(docs))
        return kept[3] if kept and kept[0] == generation and kept[1] is docs else None

    def of(self, docs: DocIds, generation: str | None) -> Within:
        """`generation`: the one that a snapshot sees. Outside of one (None) documents may come at
        any time: those inside are named.
        """
        if not docs or generation is None:
            return named(docs)
        self._kept.pop(id(docs), None)
        for old in [*self._kept][: 1 - KEPT]:
            self._kept.pop(old)
        used = {one[2] for one in self._kept.values()}
        table = next(name for n in range(KEPT) if (name := f"within_{n}") not in used)
        within = self._made(docs, generation, table)
        # With the ids beside it, no other set can come to lie at the same place.
        self._kept[id(docs)] = generation, docs, table, within
        return within

    def _made(self, docs: Collection[int], generation: str, table: str) -> Within:
        outside: frozenset[int] | None = None
        if len(docs) > FEW and 2 * len(docs) > len(self._all(generation)):
            outside = self._all(generation) - frozenset(docs)
        if outside is None or len(docs) <= len(outside):
            if len(docs) > MOST:
                return named(docs)
            first, last = self._fill(table, docs)
            where = f"AND +fts.rowid IN (SELECT id FROM temp.{table})"
            # Indexed together, a folder's chunks lie together; the others are not even looked at.
            return Within(where=f"{where} AND fts.rowid BETWEEN ? AND ?", values=(first, last))
        if not outside or len(outside) > MOST:
            return named(outside, inside=False)
        self._fill(table, outside)
        return Within(where=f"AND +fts.rowid NOT IN (SELECT id FROM temp.{table})")

    def _fill(self, table: str, docs: Collection[int]) -> tuple[int, int]:
        """Put the rows of some documents into a table of this connection; the first, the last."""
        self._db.execute(f"CREATE TEMP TABLE IF NOT EXISTS {table}(id INTEGER PRIMARY KEY)")
        self._db.execute(f"DELETE FROM temp.{table}")
        self._db.execute(f"INSERT INTO temp.{table} {_ROWS}", (json.dumps(list(docs)),))
        ends = self._db.execute(f"SELECT ifnull(min(id), 0), ifnull(max(id), 0) FROM temp.{table}")
        first, last = ends.fetchone()
        return first, last

    def _all(self, generation: str) -> frozenset[int]:
        known, ids = self._every
        if known != generation:
            ids = frozenset(row for (row,) in self._db.execute("SELECT id FROM doc"))
            self._every = generation, ids
        return ids
