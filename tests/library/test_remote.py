"""A library in a store that several machines fill; here they are several libraries at once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from typing import Any

import pytest

from fanshu import app
from fanshu.cluster.address import parse
from fanshu.cluster.connection import connect
from fanshu.errors import NoLibrary, RootElsewhere, StoreRefused, StoreUnreachable
from fanshu.library.library import Library
from fanshu.library.registry import LEASE_SECONDS, STALE_SECONDS
from fanshu.settings import Settings
from fanshu.types import Scope

pytestmark = pytest.mark.cluster

Open = Callable[..., Library]


@pytest.fixture
def address(one_node: Any) -> Iterator[str]:
    host = one_node.urls[0].partition("://")[2].strip("/")
    name = f"remote-{token_hex(5)}"
    yield f"opensearch://{host}/{name}"
    with connect(parse(f"opensearch://{host}/{name}")) as client:
        client.indices.delete(index=f"{name}-*", ignore=404)


@pytest.fixture
def machine(address: str, tmp_path: Path) -> Iterator[Open]:
    """A library as another machine has it: `docs` as on the command line."""
    opened: list[Library] = []

    def make(*docs: str, host: str = "here") -> Library:
        named = tuple(one.replace("@", f"{tmp_path}/") for one in docs)
        extra: dict[str, Any] = {"docs": named} if named else {}
        library = app.open_library(Settings(store=address, store_replicas=0, **extra))
        opened.append(library)
        assert library.registry
        library.registry.host = library.registry._boot = host
        return library

    yield make
    for library in opened:
        library.close()


def write(folder: Path, **texts: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text, "utf-8")


def paths(library: Library, words: str) -> list[str]:
    return sorted(hit.file_path for hit in library.search(words, k=50).hits)


@contextmanager
def at(library: Library, later: float) -> Iterator[None]:
    """As if so many seconds had passed for a machine."""
    registry = library.registry
    assert registry
    before = registry._clock
    registry._clock = lambda: before() + later
    registry.entries(fresh=True)
    try:
        yield
    finally:
        registry._clock = before


def test_who_names_no_documents_only_asks(machine: Open, tmp_path: Path) -> None:
    write(tmp_path / "a", pump="连接超时 30 秒")
    indexing = machine("@a")
    assert indexing.sync().parsed == 1
    asking = machine()
    assert not asking.roots
    assert paths(asking, "超时") == ["pump.md"]
    assert asking.read("pump.md#1").text == indexing.read("pump.md#1").text
    assert asking.sync().unchanged == 0
    write(tmp_path / "a", pump="连接超时 45 秒")
    assert "30" in asking.search("超时").hits[0].text  # it does not see the file
    assert "45" in indexing.search("超时").hits[0].text
    assert "45" in asking.search("超时").hits[0].text
    status = asking.status()
    assert status.index.startswith("opensearch://")
    assert [(one.name, one.path) for one in status.shared] == [("", str(tmp_path / "a"))]


def test_a_library_that_nobody_has_made(machine: Open) -> None:
    with pytest.raises(NoLibrary, match="has no library"):
        machine().search("x")


def test_each_machine_keeps_to_its_own_roots(machine: Open, tmp_path: Path) -> None:
    write(tmp_path / "a", one="超时 甲", two="超时 乙")
    write(tmp_path / "b", one="超时 丙")
    first, second = machine("A=@a", host="x"), machine("B=@b", host="y")
    first.sync()
    second.sync()
    every = ["A/one.md", "A/two.md", "B/one.md"]
    assert paths(first, "超时") == paths(second, "超时") == every
    (tmp_path / "a" / "two.md").unlink()
    assert second.sync().removed == 0
    assert first.sync().removed == 1
    assert second.sync().removed == 0
    assert paths(second, "超时") == ["A/one.md", "B/one.md"]
    (tmp_path / "b" / "one.md").unlink()
    assert paths(first, "超时") == ["A/one.md", "B/one.md"]  # it cannot see that
    assert paths(second, "超时") == ["A/one.md"]
    assert paths(first, "超时") == ["A/one.md"]


def test_another_folder_under_the_same_name(machine: Open, tmp_path: Path) -> None:
    write(tmp_path / "a", one="超时")
    write(tmp_path / "b", two="超时")
    machine("@a", host="x").sync()
    with pytest.raises(RootElsewhere, match="NAME=PATH"):
        machine("@b", host="y").sync()
    with pytest.raises(RootElsewhere):
        machine("@b", host="x").sync()
    third = machine("B=@b", host="y")
    third.sync()
    assert paths(third, "超时") == ["B/two.md", "one.md"]


def test_how_old_it_is_is_said(machine: Open, tmp_path: Path) -> None:
    write(tmp_path / "a", one="超时")
    indexing, asking = machine("A=@a", host="x"), machine()
    indexing.sync()
    assert indexing.search("超时").as_of is None
    found = asking.search("超时")
    assert found.as_of == asking.status().as_of
    assert found.as_of
    assert not found.warnings
    with at(asking, STALE_SECONDS + 5):
        late = asking.search("超时")
        assert late.as_of == found.as_of
        assert late.warnings == (
            f"the documents of A were last compared with their files at {found.as_of}, by x",
        )
        # Who may not see all of it is told of no root and no machine, and nothing at all of those
        # that he may not see.
        theirs = asking.search("超时", scope=Scope(("A/*",))).warnings
        assert theirs == (
            f"documents of other machines were last compared with their files at {found.as_of}",
        )
        hidden = asking.search("超时", scope=Scope(("B/*",)))
        assert (hidden.as_of, hidden.warnings) == (None, ())


def test_a_process_that_slept_through_its_lease_changes_nothing(
    machine: Open, tmp_path: Path
) -> None:
    write(tmp_path / "a", one="超时 旧")
    sleeper, other = machine("@a", host="x"), machine("@a", host="y")
    sleeper.sync()
    location = sleeper._location
    with location.held(0), at(other, LEASE_SECONDS + 5):
        write(tmp_path / "a", one="超时 新")
        assert other.sync().parsed == 1
        with pytest.raises(StoreRefused, match="taken over"), sleeper.store.write() as writer:
            writer.remove("one.md")
    assert "新" in other.search("超时").hits[0].text
    write(tmp_path / "a", one="超时 更新")
    assert sleeper.sync().parsed == 1


def test_synonyms_of_a_root_help_on_every_machine(machine: Open, tmp_path: Path) -> None:
    write(tmp_path / "a", one="连接超时 30 秒")
    write(tmp_path / "b", two="别的")
    (tmp_path / "a" / ".fanshu").mkdir()
    (tmp_path / "a" / ".fanshu" / "synonyms.txt").write_text("断线, 连接超时\n", "utf-8")
    first, second, asking = machine("A=@a", host="x"), machine("B=@b", host="y"), machine()
    first.sync()
    second.sync()
    assert second.registry
    second.registry.entries(fresh=True)
    for library in (first, second, asking):
        assert paths(library, "断线") == ["A/one.md"]
    assert first.digest() == second.digest() == asking.digest()


def test_a_store_that_is_not_there_is_said(tmp_path: Path) -> None:
    write(tmp_path / "a", one="超时")
    settings = Settings(
        store="opensearch://127.0.0.1:1/lib", store_retries=0, docs=(str(tmp_path / "a"),)
    )
    library = app.open_library(settings)
    with pytest.raises(StoreUnreachable, match="Connection refused"):
        library.search("超时")


def test_the_library_is_the_same_as_in_a_file(machine: Open, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2] / "examples" / "library"
    (tmp_path / "docs").symlink_to(root)
    there = machine(f"{root}")
    there.sync()
    here = app.open_library(Settings(docs=(str(root),)))
    for words in ("超时", "timeout retry", "压力 安全阀", "ERR"):
        a, b = here.search(words, k=5), there.search(words, k=5)
        assert [(h.chunk_id, h.snippet) for h in a.hits] == [
            (h.chunk_id, h.snippet) for h in b.hits
        ]
        assert (a.level, a.total, a.missing) == (b.level, b.total, b.missing)
    assert here.digest() == there.digest()
    here.close()


def delete(address: str, what: str) -> None:
    there = parse(address)
    with connect(there) as client:
        client.indices.delete(index=f"{there.name}-{what}")


@pytest.mark.parametrize("what", ["chunks-1", "state"])
def test_what_somebody_deleted_is_indexed_again(
    machine: Open, address: str, tmp_path: Path, what: str
) -> None:
    write(tmp_path / "a", one="# One\n\nThe limit is 45 ms.\n")
    machine("@a").search("limit")
    delete(address, what)
    library = machine("@a")
    library.sync()
    assert paths(library, "limit") == ["one.md"]
    write(tmp_path / "a", one="# One\n\nThe limit is 60 ms.\n", two="# Two\n\nA limit.\n")
    library.sync()
    assert paths(library, "limit") == ["one.md", "two.md"]
    assert paths(machine(), "60") == ["one.md"]
    assert paths(machine(), "45") == []


def test_an_index_of_somebody_else(machine: Open, address: str, tmp_path: Path) -> None:
    there = parse(address)
    with connect(there) as client:
        client.indices.create(index=f"{there.name}-chunks-1")
    write(tmp_path / "a", one="# One\n\nText.\n")
    with pytest.raises(StoreRefused, match=r"-chunks-1' is there, and no library"):
        machine("@a").sync()
