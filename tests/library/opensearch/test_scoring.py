"""Scores reckoned from the terms of chunks are those of SQLite's index."""

import sqlite3
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fanshu.library import sqlite_finding
from fanshu.library.columns import Columns
from fanshu.library.opensearch.queries import Expression, Leaf, expression_of, leaves, narrower
from fanshu.library.opensearch.scoring import Totals, idf, score
from fanshu.library.store import AllOf, AnyOf, Query
from fanshu.library.terms import Phrase

TERMS = st.sampled_from(["a", "b", "ab", "超时", "时", "\ue02b"])
COLUMN = st.lists(TERMS, max_size=6).map(" ".join)
ROWS = st.lists(st.builds(Columns, COLUMN, COLUMN, COLUMN, COLUMN), min_size=1, max_size=8)
PHRASES = st.builds(Phrase, st.lists(TERMS, min_size=1, max_size=3).map(tuple), st.booleans())
PARTS = st.lists(PHRASES, min_size=1, max_size=3).map(tuple)
QUERIES: st.SearchStrategy[Query] = st.one_of(
    PHRASES,
    st.builds(AllOf, PARTS),
    st.builds(AnyOf, st.lists(st.one_of(PHRASES, st.builds(AllOf, PARTS)), min_size=1).map(tuple)),
)


@settings(max_examples=40, deadline=None)
@given(ROWS, QUERIES)
def test_scores_are_those_of_fts5(rows: Sequence[Columns], query: Query) -> None:
    db = sqlite3.connect(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE fts USING fts5(name, head, body, ident, content='', tokenize='ascii')"
    )
    for number, row in enumerate(rows, 1):
        sql = "INSERT INTO fts(rowid, name, head, body, ident) VALUES(?,?,?,?,?)"
        db.execute(sql, (number, *row))
    whole = sqlite_finding.expression_of(query)
    steps = [(whole, expression_of(query))]
    steps += zip(sqlite_finding._narrower(query, whole), narrower(query), strict=True)
    for theirs, ours in steps:
        sql = "SELECT rowid, -bm25(fts, 2.0, 4.0, 1.0, 1.0) FROM fts WHERE fts MATCH ?"
        expected = dict(db.execute(sql, (theirs,)))
        assert scores(rows, ours) == pytest.approx(expected)
    db.close()


def scores(rows: Sequence[Columns], expression: Expression) -> dict[int, float]:
    totals = Totals(len(rows), sum(len(column.split()) for row in rows for column in row))

    def every(one: Expression, idfs: dict[Leaf, float]) -> dict[int, float]:
        found = ((n, score(one, row, idfs, totals)) for n, row in enumerate(rows, 1))
        return {number: value for number, value in found if value}

    phrases = list(leaves(expression))
    holding = {one: len(every(one, dict.fromkeys(phrases, 1.0))) for one in phrases}
    return every(expression, {one: idf(len(rows), count) for one, count in holding.items()})
