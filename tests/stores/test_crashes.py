"""A writer that dies, or whose line is cut, at any request of a transaction: all of it or nothing.

Every request that a transaction makes is a place to fail at, before it is sent or after it was
heard; then readers see the library as it was or as it was to be, and the next writer goes on.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from fanshu.cluster.address import parse
from fanshu.cluster.connection import connect
from fanshu.errors import StoreError, StoreUnreachable
from fanshu.library.library import Library, Root
from fanshu.library.locations import Local
from fanshu.library.store import Store
from fanshu.types import TOO_SLOW
from tests.stores.conftest import MakePlace
from tests.stores.places import Place, check_whole, counted, of_chunks, whole_text
from tests.waiting import PATIENCE

pytestmark = pytest.mark.cluster
PARTS = 5  # chunks of each document
LEAST, MOST = 3, 60  # requests of a transaction


class _Died(BaseException):
    """The process is no more."""


class _Line:
    """A client's way to the server, which fails at one request: its `at`-th from now."""

    def __init__(self, transport: Any) -> None:
        self._transport, self.serializer = transport, transport.serializer
        self.hosts = transport.hosts
        self.made, self.at, self.heard, self.forever = 0, -1, False, False

    def fail(self, at: int, *, heard: bool, forever: bool) -> None:
        """`heard`: the server gets the request, only its reply is lost. `forever`: all after too."""
        self.made, self.at, self.heard, self.forever = 0, at, heard, forever

    def perform_request(self, *args: Any, **options: Any) -> Any:
        number, self.made = self.made, self.made + 1
        if self.at < 0 or number < self.at or (number > self.at and not self.forever):
            return self._transport.perform_request(*args, **options)
        if number == self.at and self.heard:
            self._transport.perform_request(*args, **options)
        if self.forever:
            raise _Died
        raise StoreUnreachable(address="here", detail="the line was cut")

    def close(self) -> None:
        self._transport.close()


class _PartOnly(_Line):
    """A line to a server of which a shard does not answer one search, or not in time."""

    def __init__(self, transport: Any, lacking: str) -> None:
        super().__init__(transport)
        self._lacking = lacking

    def perform_request(self, *args: Any, **options: Any) -> Any:
        found = self._transport.perform_request(*args, **options)
        answers = found.get("responses", [found]) if isinstance(found, dict) else []
        for answer in answers:
            if "hits" in answer:
                number, self.made = self.made, self.made + 1
                if number == self.at or (self.forever and number > self.at >= 0):
                    self._thin_out(answer)
        return found

    def _thin_out(self, answer: dict[str, Any]) -> None:
        answer["hits"]["hits"] = []
        answer["hits"]["total"] = {"value": 0, "relation": "eq"}
        answer.pop("aggregations", None)
        if self._lacking == "late":
            answer["timed_out"] = True
        else:
            failure = {"shard": 0, "reason": {"type": "node_disconnected_exception", "reason": ""}}
            answer["_shards"] |= {"failed": 1, "failures": [failure]}


def opened(place: Place, kind: Callable[[Any], _Line] = _Line) -> tuple[Store, _Line]:
    """The store, and the line by which it is reached."""
    from fanshu.library.opensearch.store import OpenSearchStore

    address = parse(place.address)
    client = connect(address)
    line = client.transport = kind(client.transport)
    return OpenSearchStore(client, address.name), line


@pytest.fixture
def place(on_server: MakePlace, tmp_path: Path) -> Iterator[Place]:
    made = on_server(tmp_path)
    yield made
    made.clear()


def put(number: int) -> Callable[[Store], None]:
    """A transaction that changes everything: edits, adds, renames, removes."""

    def write(store: Store) -> None:
        documents = store.documents()
        with store.write() as writer:
            writer.put(*edition("edited.md", number))
            writer.put(*edition(f"new{number}.md", number))
            for path, record in documents.items():
                if path.startswith("moved"):
                    writer.rename(path, record._replace(path=f"moved{number}.md"))
                elif path.startswith("new"):
                    writer.remove(path)

    return write


def edition(path: str, number: int) -> Any:
    return of_chunks(path, *(f"edition{number} part{n} " for n in range(PARTS)))


def seen(store: Store) -> Mapping[str, str]:
    """Every document with its text; what the index finds must be the same."""
    with store.snapshot():
        documents = store.documents()
        check_whole(store)
        assert counted(store, "edition") == sum(record.chunks for record in documents.values())
        return {path: whole_text(store, record) for path, record in documents.items()}


def expected(before: Mapping[str, str], number: int) -> dict[str, str]:
    text = "".join(f"edition{number} part{n} " for n in range(PARTS))
    moved = next(text for path, text in before.items() if path.startswith("moved"))
    return {"edited.md": text, f"new{number}.md": text, f"moved{number}.md": moved}


@pytest.fixture
def reader(place: Place) -> Iterator[Store]:
    """A reader of a library that holds documents."""
    made = place.store()
    with made.write() as writer:
        for path in ("edited.md", "moved0.md", "new0.md"):
            writer.put(*edition(path, 0))
    yield made
    made.close()


HEARD = pytest.mark.parametrize("heard", [False, True], ids=["unsent", "heard"])


@HEARD
def test_a_writer_that_dies_at_any_request_leaves_all_or_nothing(
    place: Place, reader: Store, heard: bool
) -> None:
    outcomes = []
    for at in range(MOST):
        number = 10 * (at + 1)
        before = seen(reader)
        writing, line = opened(place)
        line.fail(at, heard=heard, forever=True)
        died = False
        try:
            put(number)(writing)
        except _Died:
            died = True
        now = seen(reader)
        assert now in (before, expected(before, number)), at
        fresh = place.store()
        assert seen(fresh) == now
        put(number + 1)(fresh)  # at once, and whole
        assert seen(reader) == expected(now, number + 1)
        fresh.close()
        if not died:
            break
        outcomes.append(now != before)
    assert len(outcomes) > LEAST
    assert not any(outcomes[:-1])  # only what its last request says makes it there


@HEARD
def test_a_line_cut_at_any_request_leaves_what_the_writer_was_told(
    place: Place, reader: Store, heard: bool
) -> None:
    failures = 0
    for at in range(MOST):
        number = 10 * (at + 1)
        before = seen(reader)
        writing, line = opened(place)
        line.fail(at, heard=heard, forever=False)
        told = True
        try:
            put(number)(writing)
        except StoreUnreachable:
            told, failures = False, failures + 1
        done = line.made <= at
        line.fail(-1, heard=False, forever=False)
        now = seen(reader)
        assert now == (expected(before, number) if told else before), at
        put(number + 1)(writing)
        assert seen(reader) == expected(now, number + 1)
        if done:
            break
    assert at > LEAST
    assert failures


def test_what_a_dead_writer_left_is_not_searched_and_not_counted(
    place: Place, reader: Store
) -> None:
    for at in range(MOST):
        writing, line = opened(place)
        line.fail(at, heard=True, forever=True)
        try:
            with writing.write() as writer:
                writer.put(*of_chunks("ghost.md", "ghostly words of the dead", "edition none"))
        except _Died:
            there = int("ghost.md" in reader.documents())
            assert counted(reader, "ghostly") == there
            assert len(reader.vocabulary("ghost", 5)) == 2 * there
            assert (reader.chunk("ghost.md", 1) is not None) == there
        else:
            break
    assert at > LEAST


# ------------------------------------------------------------ who asks


@pytest.fixture
def asked(place: Place) -> Iterator[Callable[[Callable[[Any], _Line]], tuple[Library, _Line]]]:
    """Opens a library of three files over a line of some kind."""
    place.write(
        {f"{n}.md": f"# 第 {n} 篇\n\n读超时为 {n} 秒，连接池 timeout。\n" for n in range(3)}
    )
    first = place.library()
    first.sync()
    made = [first]

    def open_over(kind: Callable[[Any], _Line]) -> tuple[Library, _Line]:
        store, line = opened(place, kind)
        kept = Local(place.index, None, store)
        library = Library([Root(place.docs)], place.index, location=kept, search_seconds=PATIENCE)
        library.sync()
        made.append(library)
        return library, line

    yield open_over
    for one in made:
        one.close()


@pytest.mark.parametrize("forever", [False, True])
@pytest.mark.parametrize(
    "kind",
    [_Line, partial(_PartOnly, lacking="late"), partial(_PartOnly, lacking="shard")],
    ids=["cut", "late", "shard"],
)
def test_what_could_not_be_asked_is_never_said_not_to_be_there(
    asked: Callable[[Any], tuple[Library, _Line]], kind: Any, forever: bool
) -> None:
    """Whichever request fails: the right result, one that says it is not whole, or an error."""
    for words in ("读超时", "timeout 连接池", "3 秒", "鲸鱼", "timeouts"):
        library, _ = asked(kind)
        right = library.search(words)
        for at in range(MOST):
            library, line = asked(kind)
            line.fail(at, heard=False, forever=forever)
            try:
                found = library.search(words)
            except (StoreError, _Died):
                continue
            finally:
                done = line.made <= at
                line.fail(-1, heard=False, forever=False)
            if found.complete:
                assert found == right, (words, at)
            else:
                assert found.warnings == (TOO_SLOW,), (words, at)
                assert set(found.missing) <= set(right.missing), (words, at)
            assert library.search(words) == right
            if done:
                break
        assert done
