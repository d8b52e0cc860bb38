"""Any text goes in and comes out: the terms that are stored are the terms that are found."""

import random

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fanshu.library.columns import index_columns
from fanshu.library.opensearch.sources import KEPT_BYTES, stored_term
from fanshu.library.opensearch.store import OpenSearchStore
from fanshu.library.store import Query
from fanshu.library.terms import Phrase
from tests.library.opensearch.pieces import pieces, record

SPACES = "\x00\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2028\u2029\u202f\u205f\u3000\ufeff"
CHARS = st.one_of(
    st.sampled_from(
        [*SPACES, "a", "的", "超", "時", "\ue000", "\ue02b", "İ", "ß", "+", "#", "٣", "𠀀", "👍"]
    ),
    st.characters(exclude_categories=["Cs"]),
)
TEXTS = st.lists(st.text(CHARS, max_size=30), min_size=40, max_size=60)
LONG = [
    "x" * 200_000,
    "y" + "x" * 199_999,
    "超" * 40_000,
    "é" * 20_000 + " end",
    "1" * 40_000,
    "a" * 300,
]


def test_very_long_terms_fit_and_differ_as_they_do_in_sqlite() -> None:
    stored = [
        stored_term(term) for term in ("x" * 200_000, "x" * 199_999 + "y", "x" * 32_767 + "y")
    ]
    assert stored[0] == stored[1] != stored[2]
    assert all(len(term.encode()) <= KEPT_BYTES + 32 for term in stored)
    assert stored_term("超" * 8_000) == "超" * 8_000


@pytest.mark.cluster
@settings(
    max_examples=5, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(TEXTS, st.randoms(use_true_random=False))
def test_every_term_and_phrase_of_any_text_is_found(
    store: OpenSearchStore, some: list[str], draw: random.Random
) -> None:
    texts = [*some, *LONG, " ".join(some), "".join(some)]
    path, trail = "a b/文件 \u2028\x00'\"#%.md", ("Heading <b>", "标题")
    made = pieces(*texts, trail=trail)
    with store.write() as writer:
        writer.put(record(path, *texts, title="T"), made)
    expected: dict[Query, int] = {}
    columns = [index_columns(path, "T", trail, text) for text in texts]
    for row in columns:
        body = row.body.split(" ") if row.body else []
        for size in (1, 2, 5):
            for _ in range(8):
                at = draw.randrange(max(len(body) - size, 0) + 1)
                if words := tuple(body[at : at + size]):
                    expected[Phrase(words)] = 0
    for query in expected:
        assert isinstance(query, Phrase)
        needle = f" {' '.join(query.terms)} "
        expected[query] = sum(any(needle in f" {c} " for c in row) for row in columns)
    counted = dict(zip(expected, store.counts(list(expected), None, 10_000), strict=True))
    assert counted == expected
    for number, text in enumerate(texts, 1):
        chunk = store.chunk(path, number)
        assert chunk
        assert (chunk.text, chunk.section_path) == (text, trail)


@pytest.mark.cluster
def test_what_is_no_text_does_not_stop_the_rest(store: OpenSearchStore) -> None:
    with store.write() as writer:
        writer.put(record("a.md", "one \ud800 two"), pieces("one \ud800 two"))
        writer.put(record("b.md", "one"), pieces("one"))
    assert store.count(Phrase(("one",)), None, 9) == 2
    chunk = store.chunk("a.md", 1)
    assert chunk
    assert chunk.text == "one ? two"
