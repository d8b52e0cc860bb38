"""Several writers, writers that fail, writers that die: the store stays one whole."""

import threading
from collections.abc import Iterator, Mapping

import pytest

from fanshu.errors import UnknownChunk
from fanshu.library.store import DocumentRecord, Store
from tests.stores.conftest import MakeLibrary
from tests.stores.places import Place, check_whole, counted, of_chunks, put, whole_text
from tests.stores.processes import Other

ROUNDS = 8
SECTIONS = 1_400  # of a file; three files are a transaction (see `syncing.BATCH_CHUNKS`)
FILES = 5


class _Trouble(Exception):
    """Something that goes wrong in the middle."""


@pytest.fixture
def filled(store: Store) -> Iterator[Store]:
    """A store with three documents."""
    for name in ("a", "b", "c"):
        put(store, f"{name}.md", f"the text of {name}", f"more of {name}")
    yield store


def state(store: Store) -> tuple[object, ...]:
    """Everything that can be seen of a store."""
    documents = store.documents()
    texts = {path: whole_text(store, record) for path, record in documents.items()}
    found = {word: counted(store, word) for word in ("text", "more", "neu", "a", "b", "c")}
    return store.generation(), dict(documents), texts, found, list(store.outline(list(documents)))


# ------------------------------------------------------------ one that fails


@pytest.mark.parametrize("trouble", [_Trouble, KeyboardInterrupt, SystemExit])
def test_an_exception_undoes_all_of_a_transaction(
    filled: Store, trouble: type[BaseException]
) -> None:
    before = state(filled)
    with pytest.raises(trouble), filled.write() as writer:
        writer.put(*of_chunks("a.md", "neu"))
        writer.put(*of_chunks("neu.md", "neu", "neu too"))
        writer.remove("b.md")
        writer.rename("c.md", before_of(before, "c.md")._replace(path="moved.md"))
        raise trouble
    assert state(filled) == before
    check_whole(filled)


def before_of(state: tuple[object, ...], path: str) -> DocumentRecord:
    documents = state[1]
    assert isinstance(documents, Mapping)
    record = documents[path]
    assert isinstance(record, DocumentRecord)
    return record


def test_a_document_that_cannot_be_kept_undoes_its_transaction_and_no_other(filled: Store) -> None:
    before = state(filled)
    broken, _ = of_chunks("bad.md", "text")
    with pytest.raises(Exception), filled.write() as writer:  # noqa: B017
        writer.put(*of_chunks("neu.md", "neu"))
        writer.put(broken, [object()])  # type: ignore[list-item]
    assert state(filled) == before
    put(filled, "neu.md", "neu")
    assert counted(filled, "neu") == 1
    check_whole(filled)


def test_after_a_failure_the_next_write_is_whole(filled: Store) -> None:
    with pytest.raises(_Trouble), filled.write() as writer:
        writer.put(*of_chunks("a.md", "neu"))
        raise _Trouble
    put(filled, "a.md", "another text")
    assert filled.documents()["a.md"].chunks == 1
    check_whole(filled)


def test_a_file_that_cannot_be_parsed_leaves_the_others(library: MakeLibrary, place: Place) -> None:
    made = library({"good.md": "guter Text", "bad.pdf": b"%PDF-1.4 broken"})
    states = {one.file_path: one.state for one in made.status().files}
    assert states == {"good.md": "ok", "bad.pdf": "failed"}
    assert made.search("guter Text").total == 1
    assert not made.sync().changed
    check_whole(made.store)


# ------------------------------------------------------------ what one transaction may hold


def test_a_document_put_twice_in_one_transaction_is_the_later_one(filled: Store) -> None:
    with filled.write() as writer:
        writer.put(*of_chunks("a.md", "first neu", "second", "third"))
        writer.put(*of_chunks("a.md", "last"))
    assert [entry.beginning for entry in filled.outline(["a.md"])] == ["last"]
    assert counted(filled, "neu") == 0
    check_whole(filled)


def test_what_is_put_and_removed_in_one_transaction_is_not_there(filled: Store) -> None:
    with filled.write() as writer:
        writer.put(*of_chunks("neu.md", "neu"))
        writer.remove("neu.md")
        writer.remove("never.md")
        writer.remove("b.md")
        writer.put(*of_chunks("b.md", "b again"))
    assert set(filled.documents()) == {"a.md", "b.md", "c.md"}
    assert (counted(filled, "neu"), counted(filled, "b again")) == (0, 1)
    check_whole(filled)


def test_a_rename_onto_another_and_a_new_file_at_the_old_place(filled: Store) -> None:
    record = filled.documents()["a.md"]
    with filled.write() as writer:
        writer.rename("a.md", record._replace(path="b.md"))
        writer.put(*of_chunks("a.md", "neu"))
    documents = filled.documents()
    assert set(documents) == {"a.md", "b.md", "c.md"}
    assert whole_text(filled, documents["b.md"]) == "the text of amore of a"
    assert counted(filled, "text of b") == 0
    check_whole(filled)


def test_an_empty_transaction_changes_no_document(filled: Store) -> None:
    before = state(filled)[1:]
    with filled.write():
        pass
    assert state(filled)[1:] == before


def test_a_document_without_chunks_takes_the_old_ones_out(filled: Store) -> None:
    put(filled, "a.md")
    assert (filled.documents()["a.md"].chunks, filled.outline(["a.md"])) == (0, [])
    assert counted(filled, "a") == 0
    check_whole(filled)


# ------------------------------------------------------------ several at once


def test_threads_that_write_at_once_lose_nothing(store: Store, place: Place) -> None:
    failed: list[BaseException] = []

    def write(name: str) -> None:
        try:
            own = place.store()
            for number in range(ROUNDS):
                put(own, f"{name}/{number}.md", f"single {name}", f"edition{number}")
            own.close()
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not failed
    assert set(store.documents()) == {f"{n}/{i}.md" for n in "abc" for i in range(ROUNDS)}
    assert [counted(store, f"single {name}") for name in "abc"] == [ROUNDS] * 3
    check_whole(store)


@pytest.mark.slow
def test_of_two_processes_that_write_at_once_nothing_is_lost_or_mixed(
    place: Place, store: Store
) -> None:
    both = [Other(place, "put", "same", name, ROUNDS) for name in ("one", "two")]
    for process in both:
        process.begin()
    for process in both:
        process.said()
    documents = store.documents()
    own = {f"{name}/{number}.md" for name in ("one", "two") for number in range(ROUNDS)}
    assert set(documents) == {"same.md", *own}
    assert [counted(store, f"single {name}") for name in ("one", "two")] == [ROUNDS] * 2
    last = [[f"{n} edition{ROUNDS - 1} part{i}" for i in range(3)] for n in ("one", "two")]
    assert whole_text(store, documents["same.md"]) in map("".join, last)  # the later one, whole
    assert counted(store, "edition") == 3
    check_whole(store)


@pytest.mark.slow
def test_two_that_index_one_folder_at_once_share_the_work(place: Place, store: Store) -> None:
    place.write({f"{n}.md": f"# Nummer {n}\n\nDer Text {n}.\n" for n in range(40)})
    both = [Other(place, "sync") for _ in range(2)]
    for process in both:
        process.begin()
    read = [int(process.said()[0]) for process in both]
    assert sum(read) == 40
    assert counted(store, "Der Text") == 40
    check_whole(store)


@pytest.mark.slow
def test_while_another_indexes_a_folder_what_changed_in_it_is_left_out_and_said(
    library: MakeLibrary, place: Place
) -> None:
    made = library({"a.md": "甲的文字\n", "b.md": "乙的文字\n"})
    place.write({"b.md": "改过的文字\n"})
    other = Other(place, "sync_and_hold").begin()
    other.wait_for("holding")
    result = made.search("文字")
    assert [hit.file_path for hit in result.hits] == ["a.md"]
    assert "b.md" in result.warnings[0]
    assert not result.exhaustive
    with pytest.raises(UnknownChunk, match="changed"):
        made.read("b.md#1")
    other.go_on().said()
    assert {hit.text for hit in made.search("文字").hits} == {"甲的文字\n", "改过的文字\n"}
    assert not made.search("文字").warnings


# ------------------------------------------------------------ one that dies


def test_of_a_writer_that_was_killed_nothing_is_there(filled: Store, place: Place) -> None:
    before = state(filled)
    Other(place, "die_writing", 3).begin().died()
    assert state(filled) == before
    put(filled, "neu.md", "neu")
    assert set(filled.documents()) == {"a.md", "b.md", "c.md", "neu.md"}
    check_whole(filled)


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 4])
def test_of_a_load_that_was_killed_whole_files_are_there_and_the_next_completes_it(
    place: Place, store: Store, after: int
) -> None:
    names = [f"{number}.md" for number in range(FILES)]
    texts = {f: "".join(f"## {f}.{n}\n\nZeile {n}.\n" for n in range(SECTIONS)) for f in names}
    place.write(texts)
    Other(place, "sync_and_die", after).begin().died()
    check_whole(store)
    there = store.documents()
    assert ({*names[:3]} if after > 3 else set()) <= set(there) <= set(names[:after])
    for path, record in there.items():
        assert whole_text(store, record) == texts[path]
    assert counted(store, "Zeile") == len(there) * SECTIONS
    made = place.library()
    assert made.sync().parsed == FILES - len(there)
    check_whole(store)
    assert counted(store, "Zeile") == FILES * SECTIONS
    made.close()
