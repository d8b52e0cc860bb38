"""Documents as a condition: whether those inside or those outside are named, the same is found."""

from pathlib import Path

import pytest

from fanshu.library import sqlite_within
from fanshu.library.chunks import Piece, text_hash
from fanshu.library.query import Lexicon, Remainder
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import DocIds, DocumentRecord
from fanshu.library.terms import Phrase

COUNT = sqlite_within.FEW + 30
WORD = Phrase(("word",))


def put(store: SqliteStore, *names: str) -> None:
    with store.write() as writer:
        for name in names:
            text = f"word {name}"
            piece = Piece(1, (), 0, text, 0, (1, 1), None, (1, 1), text_hash(text))
            writer.put(DocumentRecord(name, 1, 1, name, "ok", "test", chunks=1), [piece])


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    made = SqliteStore(tmp_path / "index.db")
    put(made, *(f"{number}.md" for number in range(COUNT)))
    return made


def ids(store: SqliteStore) -> list[int]:
    return [record.id for record in store.documents().values()]


@pytest.mark.parametrize("size", [0, 1, 5, COUNT - 20, COUNT - 1, COUNT])
def test_the_same_is_found_however_it_is_told(store: SqliteStore, size: int) -> None:
    docs = frozenset(ids(store)[:size])
    with store.snapshot():
        short = [store._inside(docs) for _ in range(2)]
        assert short[0] is short[1] or size <= sqlite_within.FEW
        assert len(str(short[0].values)) < 150, "no more than the few outside are named"
        assert store.count(WORD, docs, 999) == len(store.files(WORD, docs, 999)) == size
        assert len(store.candidates(WORD, docs, 999, 999)) == size


def test_what_comes_later_is_not_inside(store: SqliteStore) -> None:
    docs: DocIds = frozenset(ids(store)[1:])
    with store.snapshot():
        assert store.count(WORD, docs, 999) == COUNT - 1
    put(store, "later.md")
    with store.snapshot():
        assert store.count(WORD, docs, 999) == COUNT - 1
    assert store.count(WORD, docs, 999) == COUNT - 1


def test_outside_of_a_transaction_those_inside_are_named(store: SqliteStore) -> None:
    docs = frozenset(ids(store)[1:])
    assert "NOT" not in store._inside(docs).where
    with store.snapshot():
        assert "NOT" in store._inside(docs).where


@pytest.mark.parametrize("cap", [1, 5, COUNT // 2, COUNT - 5, COUNT, 10 * COUNT])
@pytest.mark.parametrize("size", [0, 1, 7, COUNT // 2, COUNT - 7, COUNT])
@pytest.mark.parametrize("everything", [True, False])
def test_a_remainder_is_counted_as_if_it_were_all_there_is(
    store: SqliteStore, size: int, cap: int, everything: bool
) -> None:
    records = store.documents()
    paths = sorted(records)[: None if everything else -3]
    every = frozenset(records[path].id for path in paths)
    part = frozenset(paths[:size])
    inside = frozenset(records[path].id for path in part)
    whole = Lexicon(store, None if everything else every, len(paths))
    rest = Remainder(whole, Lexicon(store, inside, len(part)), every - inside, part)
    alone = Lexicon(store, every - inside, len(every - inside))
    words = [WORD, Phrase(("1",)), Phrase(("nowhere",)), Phrase(("2",), prefix=True)]
    with store.snapshot():
        assert list(rest.counted(words, cap)) == list(alone.counted(words, cap))
        assert rest.searched == alone.searched
        for word in words:
            found, told = rest.files(word, cap), alone.files(word, cap)
            assert found == told or sum(found.values()) == sum(told.values()) == cap


def test_a_write_that_is_undone_leaves_conditions_right(store: SqliteStore) -> None:
    docs = frozenset(ids(store)[:5])

    def fail() -> None:
        with store.write():
            assert store.count(WORD, docs, 999) == 5
            raise KeyError

    for _ in range(2):
        with pytest.raises(KeyError):
            fail()
        with store.snapshot():
            assert store.count(WORD, docs, 999) == 5


def test_many_sets_by_turns(store: SqliteStore) -> None:
    sets = [frozenset(ids(store)[size:]) for size in range(0, COUNT, 20)]
    with store.snapshot():
        for docs in (*sets, *reversed(sets), *sets):
            assert store.count(WORD, docs, 999) == len(docs)
