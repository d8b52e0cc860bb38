"""Writing to a real server: all of it or nothing, and what others see of it meanwhile."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from fanshu.errors import StoreRefused, StoreUnreachable
from fanshu.library.aliases import Alias
from fanshu.library.opensearch.engine import Engine
from fanshu.library.opensearch.state import State
from fanshu.library.opensearch.store import OpenSearchStore
from fanshu.library.opensearch.writing import Committing, OpenSearchWriter
from fanshu.library.store import DocumentRecord, OutOfTime
from fanshu.library.terms import Phrase
from tests.library.opensearch.pieces import pieces, record

pytestmark = pytest.mark.cluster

Open = Callable[[], OpenSearchStore]


def put(store: OpenSearchStore, path: str, *texts: str) -> None:
    with store.write() as writer:
        writer.put(record(path, *texts), pieces(*texts), [Alias("longer name", "ln")])


def count(store: OpenSearchStore, word: str) -> int:
    return store.count(Phrase((word,)), None, 1_000)


def kept(store: OpenSearchStore) -> int:
    """Everything in the index, seen or not."""
    store._engine.refresh(store._index)
    return int(store._engine._client.count(index=store._index)["count"])


class Dying(Engine):
    """An engine that is gone once everything was sent."""

    def refresh(self, index: str) -> None:
        super().refresh(index)
        raise StoreUnreachable(address=self.address, detail="pulled out")


def test_what_fails_before_its_end_is_not_there(store: OpenSearchStore) -> None:
    put(store, "a.md", "old words")
    writer = OpenSearchWriter()
    writer.put(record("a.md", "new"), pieces("new"))
    writer.put(record("b.md", "new"), pieces("new"))
    dying = Dying(store._engine._client)
    before = store.generation()
    with pytest.raises(StoreUnreachable, match="pulled out"):
        Committing(dying, store._index, store._states, lambda _: "", {}).commit(writer.wanted)
    assert store.generation() == before
    assert list(store.documents()) == ["a.md"]
    assert (count(store, "old"), count(store, "new")) == (1, 0)
    assert store.vocabulary("n", 5) == []
    put(store, "b.md", "new")
    assert count(store, "new") == 1


def test_what_a_writer_left_that_died_is_never_seen_and_swept_away(store: OpenSearchStore) -> None:
    put(store, "a.md", "words")
    clean = kept(store)
    state = store._states.change(lambda now: now.announced("dead", 10))
    writer = OpenSearchWriter()
    writer.put(record("b.md", "words", "more"), pieces("words", "more"))
    lost = Committing(store._engine, store._index, store._states, lambda _: "", {})
    lost.writer = "dead"
    store._engine.bulk(
        store._index, lost._actions(state, State(""), writer.wanted, {}), lambda: None
    )
    assert kept(store) == clean + 3
    assert count(store, "words") == 1

    def long_ago(now: State) -> State:
        return replace(now, writing={k: one._replace(since=1.0) for k, one in now.writing.items()})

    store._states.change(long_ago)
    put(store, "c.md", "words")
    found = store._states.found()
    assert found
    assert not found.writing
    assert [one.size for one in found.lost] == [10]
    assert count(store, "words") == 2
    later = [one._replace(since=1.0) for one in found.lost]
    store._states.change(lambda now: replace(now, lost=later))
    put(store, "d.md", "words")
    found = store._states.found()
    assert found
    assert not found.lost
    assert kept(store) == 3 * clean
    assert count(store, "words") == 3


def test_a_writer_that_was_given_up_for_lost_cannot_commit(store: OpenSearchStore) -> None:
    class Slow(Engine):
        """An engine whose refresh takes so long that others give the writer up."""

        def refresh(self, index: str) -> None:
            super().refresh(index)
            now = store._states.found()
            assert now
            for writer in now.writing:
                store._states.change(lambda state, writer=writer: state.given_up(writer))

    writer = OpenSearchWriter()
    writer.put(record("a.md", "words"), pieces("words"))
    slow = Slow(store._engine._client)
    with pytest.raises(StoreRefused, match="silent for too long"):
        Committing(slow, store._index, store._states, lambda _: "", {}).commit(writer.wanted)
    assert store.documents() == {}
    assert count(store, "words") == 0


class Between(Engine):
    """An engine that lets something happen before what was written is seen."""

    happens: Callable[[], None] = staticmethod(lambda: None)

    def refresh(self, index: str) -> None:
        super().refresh(index)
        self.happens()


def committing(store: OpenSearchStore, happens: Callable[[], None]) -> Committing:
    engine = Between(store._engine._client)
    engine.happens = happens
    return Committing(engine, store._index, store._states, lambda _: "", {})


def test_of_two_writers_the_later_wins_whole(open_store: Open) -> None:
    one, other = open_store(), open_store()
    put(one, "a.md", "first", "first", "first")
    writer = OpenSearchWriter()
    writer.put(record("a.md", "second", "second"), pieces("second", "second"))
    writer.put(record("b.md", "second"), pieces("second"))
    committing(one, lambda: put(other, "a.md", "third")).commit(writer.wanted)
    for store in (one, other, open_store()):
        assert [count(store, word) for word in ("first", "second", "third")] == [0, 3, 0]
        assert {p: r.chunks for p, r in store.documents().items()} == {"a.md": 2, "b.md": 1}
        assert store.size()[0] == 3


@pytest.mark.parametrize("other", ["replaced", "removed"])
def test_a_stamp_for_what_another_has_changed_meanwhile_is_dropped(
    open_store: Open, other: str
) -> None:
    one, two = open_store(), open_store()
    put(one, "a.md", "first")
    writer = OpenSearchWriter()
    writer.touch(record("a.md", "first")._replace(mtime_ns=99))
    writer.put(record("b.md", "second"), pieces("second"))

    def happens() -> None:
        if other == "replaced":
            put(two, "a.md", "newer", "newer")
        else:
            with two.write() as removing:
                removing.remove("a.md")

    committing(one, happens).commit(writer.wanted)
    left = {"a.md": 2, "b.md": 1} if other == "replaced" else {"b.md": 1}
    for store in (one, two, open_store()):
        assert {p: r.chunks for p, r in store.documents().items()} == left
        assert count(store, "first") == 0
        assert count(store, "newer") == left.get("a.md", 0)
        assert count(store, "second") == 1
        assert store.size()[0] == sum(left.values())


def test_a_reader_stays_at_its_moment(open_store: Open) -> None:
    reader, writer = open_store(), open_store()
    put(writer, "a.md", "old", "old")
    with reader.snapshot():
        before = reader.generation()
        put(writer, "a.md", "new")
        put(writer, "b.md", "old")
        assert reader.generation() == before
        assert (count(reader, "old"), count(reader, "new")) == (2, 0)
        chunk = reader.chunk("a.md", 2)
        assert chunk
        assert chunk.text == "old"
        assert reader.vocabulary("o", 5) == [("old", 2)]
    assert (count(reader, "old"), count(reader, "new")) == (1, 1)
    assert reader.chunk("a.md", 2) is None


def test_a_reader_that_comes_in_the_middle_sees_what_was_there_before(open_store: Open) -> None:
    store = open_store()
    put(store, "a.md", "old")
    seen: list[tuple[int, int]] = []

    def happens() -> None:
        other = open_store()
        seen.append((count(other, "old"), count(other, "new")))

    writer = OpenSearchWriter()
    writer.put(record("a.md", "new"), pieces("new"))
    committing(store, happens).commit(writer.wanted)
    assert seen == [(1, 0)]
    assert (count(store, "old"), count(store, "new")) == (0, 1)


def test_what_is_over_is_deleted_later(store: OpenSearchStore) -> None:
    put(store, "a.md", "one", "two", "three")
    put(store, "b.md", "one")
    once = kept(store)
    put(store, "a.md", "one")
    with store.write() as writer:
        writer.remove("b.md")
    assert kept(store) > once

    def long_ago(now: State) -> State:
        return replace(now, over=[(1.0, many) for _, many in now.over])

    store._states.change(long_ago)
    put(store, "c.md", "one")
    assert kept(store) == 2 * 4  # a record, a chunk, an alias from both its ends
    assert count(store, "one") == 2
    found = store._states.found()
    assert found
    assert not found.over


def test_what_is_over_is_deleted_where_nothing_is_written_any_more(open_store: Open) -> None:
    store, reader = open_store(), open_store()
    put(store, "a.md", "one", "two", "three")
    put(store, "a.md", "one")
    assert count(reader, "one") == 1
    before = reader.generation()
    store.tidy()
    store._states.change(lambda now: replace(now, over=[(1.0, many) for _, many in now.over]))
    assert kept(store) > 4
    store.tidy()
    assert kept(store) == 4
    for one in (store, reader, open_store()):
        assert one.generation() == before
        assert [count(one, word) for word in ("one", "two")] == [1, 0]
        assert list(one.documents()) == ["a.md"]


def test_a_reader_far_behind_reads_all_again(open_store: Open) -> None:
    reader, writer = open_store(), open_store()
    put(writer, "0.md", "n0")
    assert list(reader.documents()) == ["0.md"]
    for number in range(5):
        put(writer, f"{number % 3}.md", f"n{number}")
    writer._states.change(lambda now: replace(now, log=now.log[-2:]))
    assert reader.documents() == writer.documents() == open_store().documents()
    assert list(reader.documents()) == ["0.md", "1.md", "2.md"]


def test_a_document_keeps_its_chunks_under_another_name(store: OpenSearchStore) -> None:
    put(store, "old name.md", "text one", "text two")
    put(store, "other.md", "to be overwritten")
    with store.write() as writer:
        writer.rename("old name.md", record("other.md", "text one", "text two", title="新的标题"))
        writer.put(record("old name.md", "again"), pieces("again"))
    assert list(store.documents()) == ["old name.md", "other.md"]
    assert [count(store, word) for word in ("text", "overwritten", "again")] == [2, 0, 1]
    assert count(store, "标题") == 2
    assert store.aliases(["ln"], None) == [("ln", "longer name")]
    chunk = store.chunk("other.md", 2)
    assert chunk
    assert (chunk.text, chunk.title) == ("text two", "新的标题")


def test_an_index_of_a_newer_version_is_left_alone(
    store: OpenSearchStore, open_store: Open
) -> None:
    mapping = {"_meta": {"format": "999.1"}}
    store._engine._client.indices.put_mapping(index=store._index, body=mapping)
    with pytest.raises(StoreRefused, match="newer version"):
        open_store()


def test_a_search_that_shards_leave_unanswered_is_an_error(store: OpenSearchStore) -> None:
    put(store, "a.md", "words")
    store._engine._client.indices.close(index=store._index)
    with pytest.raises((StoreRefused, StoreUnreachable)):
        count(store, "words")


def test_time_that_is_up_is_said(store: OpenSearchStore) -> None:
    put(store, "a.md", "words")
    with store.within(0.0), pytest.raises(OutOfTime):
        count(store, "words")
    with store.within(60.0):
        assert count(store, "words") == 1


def test_documents_of_some_roots(open_store: Open) -> None:
    store = open_store()
    store.root_of = lambda path: path.partition("/")[0]
    for path in ("x/a.md", "y/b.md"):
        put(store, path, "words")
    assert list(store.documents(roots=["y"])) == ["y/b.md"]
    assert list(store.documents()) == ["x/a.md", "y/b.md"]


def test_a_record_without_chunks(store: OpenSearchStore) -> None:
    skipped = DocumentRecord("a.exe", 1, 1, "", "skipped", "1", reason="unsupported type .exe")
    with store.write() as writer:
        writer.put(skipped, ())
    assert store.documents()["a.exe"].reason == "unsupported type .exe"
    assert store.outline(["a.exe"]) == []
    assert store.chunk("a.exe", 1) is None


def older(store: OpenSearchStore) -> None:
    """Have the index be of an earlier format."""
    mapping = {"_meta": {"format": "0.1"}}
    store._engine._client.indices.put_mapping(index=store._index, body=mapping)


def test_an_index_of_an_earlier_format_is_renewed_beside_the_old_one(
    store: OpenSearchStore, open_store: Open
) -> None:
    store.root_of = lambda path: path[:1]
    put(store, "a.md", "one", "two")
    put(store, "b.md", "one")
    put(store, "a.md", "one", "three")
    older(store)
    old = store._index
    fresh = open_store()
    assert fresh._index == old.removesuffix("1") + "2"
    assert set(fresh._engine.behind(f"{fresh.name}-chunks")) == {fresh._index}
    assert not store._engine._client.indices.exists(index=old)
    for one in (fresh, store, open_store()):
        assert one._index == fresh._index or one is store
        assert {p: r.chunks for p, r in one.documents().items()} == {"a.md": 2, "b.md": 1}
        assert [count(one, word) for word in ("one", "two", "three")] == [2, 0, 1]
        assert one.aliases(["ln"], None) == [("ln", "longer name")]
        assert list(one.documents(roots=["b"])) == ["b.md"]
    put(store, "c.md", "one")
    assert count(fresh, "one") == 3


def test_who_was_writing_the_old_index_writes_the_new_one(
    store: OpenSearchStore, open_store: Open
) -> None:
    put(store, "a.md", "one")
    older(store)
    opened: list[OpenSearchStore] = []
    with store.write() as writer:
        writer.put(record("b.md", "one"), pieces("one"))
        opened.append(open_store())
    assert count(store, "one") == count(opened[0], "one") == 2


def test_an_index_of_an_earlier_format_is_only_read_by_who_may_not_write(
    store: OpenSearchStore,
) -> None:
    older(store)
    with pytest.raises(StoreRefused, match=r"may only be read here.*`fanshu index`\. What"):
        OpenSearchStore(store._engine._client, store.name, read_only=True)
