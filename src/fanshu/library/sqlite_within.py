"""Some documents as a condition of SQL, told the short way: those inside, or those outside.

Of 76,000 documents, naming all but a folder's took 40 ms in each of some twenty queries of a
search; naming the folder's takes none that can be measured.
"""

import json
import sqlite3
from dataclasses import dataclass

from fanshu.library.store import DocIds

FEW = 200  # ids that are named without looking how many there are in all
KEPT = 4  # conditions: a search asks for the same two again and again
_IN = "AND c.doc_id {} (SELECT value FROM json_each(?))"


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
    """Conditions by the set of ids that they were made of, while nothing is written."""

    def __init__(self) -> None:
        self._every: tuple[str, frozenset[int]] = "", frozenset()
        self._kept: dict[int, tuple[str, DocIds, Within]] = {}

    def of(self, docs: DocIds, db: sqlite3.Connection) -> Within:
        """Outside of a transaction documents may come at any time: those inside are named."""
        if docs is None or len(docs) <= FEW or not db.in_transaction:
            return named(docs)
        (generation,) = db.execute("SELECT value FROM meta WHERE key = 'generation'").fetchone()
        kept = self._kept.get(id(docs))
        if kept and kept[0] == generation and kept[1] is docs:
            return kept[2]
        outside = self._all(generation, db) - frozenset(docs)
        within = named(docs) if len(docs) < len(outside) else named(outside, inside=False)
        # With the ids beside it, no other set can come to lie at the same place.
        self._kept = dict([*self._kept.items()][1 - KEPT :]) | {
            id(docs): (generation, docs, within)
        }
        return within

    def _all(self, generation: str, db: sqlite3.Connection) -> frozenset[int]:
        known, ids = self._every
        if known != generation:
            ids = frozenset(row for (row,) in db.execute("SELECT id FROM doc"))
            self._every = generation, ids
        return ids
