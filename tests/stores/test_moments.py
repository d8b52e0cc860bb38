"""Moments: what a reader sees is of one generation; a search that is cut short says so."""

import threading
from collections.abc import Iterator

import pytest

from fanshu.library.store import OutOfTime, Store
from fanshu.library.terms import Phrase
from fanshu.types import TOO_SLOW
from tests.stores.conftest import MakeLibrary
from tests.stores.places import (
    CAP,
    Place,
    check_whole,
    counted,
    found_in,
    of_chunks,
    put,
    whole_text,
)

EDITIONS = 15
WORD, FIRST = Phrase(("edition",)), Phrase(("part", "0"))


@pytest.fixture
def other(place: Place, store: Store) -> Iterator[Store]:
    """The same store, opened a second time."""
    opened = place.store()
    yield opened
    opened.close()


def test_every_write_gives_another_generation(store: Store) -> None:
    seen = [store.generation()]
    record, pieces = of_chunks("a.md", "one", "two")
    with store.write() as writer:
        writer.put(record, pieces)
    seen.append(store.generation())
    with store.write() as writer:
        writer.touch(record._replace(mtime_ns=7))
    seen.append(store.generation())
    with store.write() as writer:
        writer.rename("a.md", record._replace(path="b.md"))
    seen.append(store.generation())
    with store.write() as writer:
        writer.remove("b.md")
    seen.append(store.generation())
    assert len(set(seen)) == len(seen)


def test_reading_changes_no_generation(store: Store) -> None:
    put(store, "a.md", "one edition")
    before = store.generation()
    counted(store, "edition")
    store.documents()
    assert store.generation() == before


def test_generations_are_those_of_every_opening(store: Store, other: Store) -> None:
    put(store, "a.md", "one")
    assert other.generation() == store.generation()
    put(other, "b.md", "two")
    assert other.generation() == store.generation()


def test_a_snapshot_stays_while_others_write(store: Store, other: Store) -> None:
    put(store, "a.md", "edition one", "more of it")
    put(store, "b.md", "edition one as well")
    with store.snapshot():
        found, documents = store.candidates(WORD, None, 9, CAP), store.documents()
        put(other, "a.md", "edition two")
        with other.write() as writer:
            writer.remove("b.md")
        put(other, "c.md", "edition three")
        assert (counted(store, "edition"), counted(store, "two")) == (2, 0)
        texts = {chunk.text for chunk in store.chunks([one.row for one in found])}
        assert texts == {"edition one", "edition one as well"}
        assert store.documents() == documents
        chunk = store.chunk("a.md", 2)
        assert chunk is not None
        assert chunk.text == "more of it"
        assert len(store.outline(["a.md", "b.md", "c.md"])) == 3
    assert (counted(store, "edition"), counted(store, "one")) == (2, 0)
    assert set(store.documents()) == {"a.md", "c.md"}


def test_a_snapshot_sees_what_was_written_before_it(store: Store, other: Store) -> None:
    for number in range(5):
        put(other, "a.md", f"edition number{number}")
        with store.snapshot():
            assert counted(store, f"number{number}") == 1
            assert counted(store, "edition") == 1


def test_snapshots_of_several_threads_are_each_of_their_own_moment(store: Store) -> None:
    put(store, "a.md", "edition first")
    inside, written = threading.Event(), threading.Event()
    seen: list[tuple[int, int]] = []

    def look() -> None:
        with store.snapshot():
            counted(store, "edition")
            inside.set()
            written.wait(60)
            seen.append((counted(store, "first"), counted(store, "second")))

    thread = threading.Thread(target=look)
    thread.start()
    assert inside.wait(60)
    put(store, "a.md", "edition second")
    with store.snapshot():
        seen.append((counted(store, "first"), counted(store, "second")))
    written.set()
    thread.join(60)
    assert seen == [(0, 1), (1, 0)]


def test_no_reader_ever_sees_half_of_a_transaction(store: Store, other: Store) -> None:
    """Two documents change together, in what they hold and how much; readers see both or none."""
    done = threading.Event()

    def write() -> None:
        for number in range(EDITIONS):
            parts = [f"edition{number} part{n}" for n in range(1 + number % 3)]
            with other.write() as writer:
                writer.put(*of_chunks("x.md", *parts))
                writer.put(*of_chunks("y.md", *parts))
        done.set()

    with store.write() as writer:
        writer.put(*of_chunks("x.md", "edition0 part0"))
        writer.put(*of_chunks("y.md", "edition0 part0"))
    thread = threading.Thread(target=write)
    thread.start()
    looks = 0
    while not done.is_set() or not looks:
        looks += 1
        with store.snapshot():
            records = store.documents()
            texts = {path: whole_text(store, record) for path, record in records.items()}
            found = found_in(store, FIRST)
            by_file = store.files(FIRST, None, CAP)
        assert texts["x.md"] == texts["y.md"]
        assert len({record.chunks for record in records.values()}) == 1
        assert found == {"x.md#1", "y.md#1"}
        assert by_file == {"x.md": 1, "y.md": 1}
    thread.join(60)
    check_whole(store)


# ------------------------------------------------------------ time


def test_a_search_out_of_time_says_so_and_never_that_something_is_missing(
    library: MakeLibrary,
) -> None:
    made = library({"a.md": "# 超时\n\n读超时为 30 秒，连接池的大小为 8。\n"})
    for words in ("读超时", "连接池 大小", '"读超时"', "鲸鱼", "读超时|鲸鱼"):
        for question in (False, True):
            made.search_seconds = 0.0
            result = made.search(words, question=question)
            assert not result.complete
            assert result.warnings == (TOO_SLOW,)
            assert (result.missing, result.exhaustive, result.strong) == ((), False, False)
            made.search_seconds = 60.0
            assert made.search(words, question=question).complete
    made.search_seconds = 0.0
    assert not made.suggest("读超吋").complete


def test_time_that_is_up_is_said_by_whatever_counts_or_finds(store: Store) -> None:
    put(store, "a.md", "edition one")
    with store.within(0.0):
        assert store.out_of_time()
        with pytest.raises(OutOfTime):
            store.count(WORD, None, CAP)
        with pytest.raises(OutOfTime):
            store.files(WORD, None, CAP)
        with pytest.raises(OutOfTime):
            store.candidates(WORD, None, 5, CAP)
    assert not store.out_of_time()
    assert counted(store, "edition") == 1


def test_time_is_that_of_one_thread_and_ends_with_its_block(store: Store) -> None:
    put(store, "a.md", "edition one")
    seen: list[int] = []
    with store.within(60.0):
        with store.within(0.0):
            thread = threading.Thread(target=lambda: seen.append(counted(store, "edition")))
            thread.start()
            thread.join(60)
            assert store.out_of_time()
        assert not store.out_of_time()
        assert counted(store, "edition") == 1
    assert seen == [1]
