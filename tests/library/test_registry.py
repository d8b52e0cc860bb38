"""Who indexes what: roots are registered, leased, renewed, and taken over from the dead."""

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from fanshu.cluster.records import Record, Records
from fanshu.cluster.sqlite_records import SqliteRecords
from fanshu.errors import RootBusy, RootElsewhere
from fanshu.library import freshness
from fanshu.library.files import Root
from fanshu.library.registry import LEASE_SECONDS, STALE_SECONDS, Entry, Registry
from fanshu.types import Scope


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def records(tmp_path: Path) -> Records:
    return SqliteRecords(tmp_path / "records.db")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def registry(records: Records, clock: Clock, tmp_path: Path) -> Callable[..., Registry]:
    def make(*names: str, host: str = "one", folder: str = "docs", **more: object) -> Registry:
        roots = [Root(tmp_path / folder / name, name) for name in names]
        made = Registry(records, "store", roots, clock=clock, **more)  # type: ignore[arg-type]
        made.host, made._boot = host, host
        made.holder = f"{host}:{id(made)}"
        return made

    return make


class Fences:
    def __init__(self) -> None:
        self.told: list[Mapping[str, int]] = []

    def __call__(self, tokens: Mapping[str, int]) -> None:
        self.told.append(dict(tokens))


def names(found: Sequence[Entry]) -> list[str]:
    return [one.key for one in found]


def test_roots_of_all_machines_are_known(registry: Callable[..., Registry], clock: Clock) -> None:
    one, two, asker = registry("a"), registry("b", "c", host="two"), registry()
    one.enter()
    two.enter()
    one.compared()
    assert sorted(asker.entries(fresh=True)) == ["a", "b", "c"]
    assert names(one.others()) == ["b", "c"]
    assert (one.key_of("a/x.md"), one.key_of("z/x.md")) == ("a", "")
    assert [one.mine(path) for path in ("a/x.md", "b/x.md", "a")] == [True, False, False]
    assert not asker.mine("a/x.md")
    status = {one.name: one for one in asker.status()}
    assert (status["a"].host, status["b"].host) == ("one", "two")
    assert (status["a"].compared, status["b"].compared) == ("2027-01-15T08:00:00+00:00", None)
    assert status["a"].holder is None


def test_a_root_without_a_name_beside_others(registry: Callable[..., Registry]) -> None:
    one, two = registry(""), registry("b", host="two")
    one.enter()
    two.enter(overlaps=lambda _: False)
    one.entries(fresh=True)
    assert [one.mine(path) for path in ("x.md", "a/x.md", "b/x.md")] == [True, True, False]
    assert [two.mine(path) for path in ("x.md", "a/x.md", "b/x.md")] == [False, False, True]
    with pytest.raises(RootElsewhere, match="'c'"):
        registry("c", host="three").enter(overlaps=lambda key: key == "c")


def test_the_same_name_for_another_folder(
    registry: Callable[..., Registry], tmp_path: Path
) -> None:
    (tmp_path / "docs" / "a").mkdir(parents=True)
    registry("a").enter()
    registry("a", host="two").enter()  # the same folder, from a share
    with pytest.raises(RootElsewhere, match=r"docs/a' on two.*--docs NAME=PATH"):
        registry("a", host="three", folder="other").enter()
    with pytest.raises(RootElsewhere):
        registry("a", host="two", folder="other").enter()
    (tmp_path / "docs" / "a").rmdir()
    registry("a", host="two", folder="moved").enter()


def test_one_at_a_time(registry: Callable[..., Registry], clock: Clock) -> None:
    waited: list[int] = []
    one, two = registry("a", "b"), registry("b", host="two", on_wait=lambda: waited.append(1))
    fences = Fences()
    with one.held(0, fences):
        with pytest.raises(RootBusy) as caught, two.held(0, fences):
            pass
        with registry("c", host="two").held(0, fences):
            pass  # another root is free
    said = (
        f"The root 'b' in store is being indexed by {one.holder}, at least until 2027-01-15T08:00"
    )
    assert str(caught.value).startswith(said)
    assert waited == [1]
    with two.held(0, fences):
        pass
    assert [sorted(told) for told in fences.told] == [["a", "b"], ["c"], ["b"]]
    assert fences.told[2]["b"] == fences.told[0]["b"] + 1


def test_who_waits_gets_it(registry: Callable[..., Registry]) -> None:
    one, waiting = registry("a"), threading.Event()
    two = registry("a", host="two", on_wait=waiting.set)
    done: list[str] = []

    def second() -> None:
        with two.held(300, lambda _: None):
            done.append("two")

    thread = threading.Thread(target=second)
    with one.held(0, lambda _: None):
        thread.start()
        assert waiting.wait(120)
        done.append("one")
    thread.join(120)
    assert done == ["one", "two"]


def test_a_dead_machine_loses_its_roots(registry: Callable[..., Registry], clock: Clock) -> None:
    one, two, fences = registry("a"), registry("a", host="two"), Fences()
    held = one.held(0, fences)
    held.__enter__()
    with pytest.raises(RootBusy), two.held(0, fences):
        pass
    clock.now += LEASE_SECONDS + 1
    with two.held(0, fences):
        pass
    before, after = (told["a"] for told in fences.told)
    assert after == before + 1
    held.__exit__(None, None, None)
    assert two.entries(fresh=True)["a"].token == after


def test_a_dead_process_of_this_machine_loses_them_at_once(
    registry: Callable[..., Registry], records: Records, clock: Clock
) -> None:
    one = registry("a")
    child = subprocess.Popen(["true"])
    child.wait()
    dead = Entry("a", "one", "/x", holder="gone", boot="one", pid=child.pid, until=clock() + 900)
    records.put("roots", Record("a", asdict(dead)))
    with pytest.raises(RootBusy), registry("a", host="two").held(0, Fences()):
        pass  # of another machine nobody knows
    with one.held(0, Fences()):
        pass
    alive = replace(dead, pid=os.getpid())
    records.put("roots", Record("a", asdict(alive)))
    with pytest.raises(RootBusy), one.held(0, Fences()):
        pass


def test_a_lease_is_renewed_while_it_is_held(records: Records, tmp_path: Path) -> None:
    holding = Registry(records, "store", [Root(tmp_path, "a")], lease=2.0)
    with holding.held(0, Fences()):
        first = holding.entries(fresh=True)["a"].until
        ends = time.monotonic() + 120
        while holding.entries(fresh=True)["a"].until <= first and time.monotonic() < ends:
            time.sleep(0.05)
        assert holding.entries(fresh=True)["a"].until > first
    assert holding.entries(fresh=True)["a"].until == 0


def test_how_old_the_view_is(registry: Callable[..., Registry], clock: Clock) -> None:
    one, two, asker = registry("a"), registry("b", host="two"), registry()
    assert asker.as_of() is None
    one.enter()
    two.enter()
    for each in (one, two):
        each.compared()
    asker.entries(fresh=True)
    assert asker.as_of() == clock()
    clock.now += STALE_SECONDS + 1
    two.compared()
    asker.entries(fresh=True)
    assert asker.as_of() == clock() - STALE_SECONDS - 1
    assert names(asker.stale()) == ["a"]
    one.entries(fresh=True)
    assert one.as_of() == clock()
    assert not one.stale()


@pytest.mark.parametrize(
    ("patterns", "seen"),
    [
        (("*",), ["", "a", "b"]),
        (("a/*",), ["", "a"]),
        (("a/x/secret?.md", "b*"), ["", "a", "b"]),
        (("ab/*",), [""]),
        (("*.md",), ["", "a", "b"]),
        (("[ab]/x",), ["", "a", "b"]),
        ((), []),
    ],
)
def test_a_scope_is_told_of_the_roots_that_it_reaches(
    registry: Callable[..., Registry], patterns: tuple[str, ...], seen: list[str]
) -> None:
    registry("", "a", "b").enter()
    assert sorted(names(registry().others(Scope(patterns)))) == seen
    assert sorted(names(registry().stale(Scope(patterns)))) == seen


def test_what_was_never_compared_has_no_age_and_is_said(
    registry: Callable[..., Registry],
) -> None:
    one, asker = registry("a", ""), registry()
    one.own[""] = ""  # as a copy registers it
    one.enter()
    assert freshness.as_of(asker) is None
    assert sorted(freshness.warnings(asker)) == [
        "the documents of a were not yet compared with their files, by one",
        "the documents that one copied were not yet compared with their files",
    ]
    theirs = freshness.warnings(asker, Scope(("a/*",)))
    assert theirs == ("documents of other machines were not yet compared with their files",)
    assert all(map(freshness.is_stale, theirs))
    one.compared()
    asker.entries(fresh=True)
    assert freshness.as_of(asker)


def test_what_was_copied_goes_to_whoever_names_its_root(registry: Callable[..., Registry]) -> None:
    copying = registry("", host="two")
    copying.own[""] = ""
    copying.enter()
    with copying.held(0, Fences()), pytest.raises(RootBusy):
        registry("a").enter(overlaps=lambda _: True)
    registry("a").enter(overlaps=lambda _: True)
    assert sorted(registry().entries()) == ["", "a"]


def test_a_root_is_forgotten_when_nobody_holds_it(registry: Callable[..., Registry]) -> None:
    one, two = registry("a"), registry()
    assert not two.forget("a")
    one.enter()
    with one.held(0, Fences()), pytest.raises(RootBusy):
        two.forget("a")
    assert two.forget("a")
    assert not two.entries()


def test_a_forgotten_root_comes_back_with_higher_tokens(
    registry: Callable[..., Registry], clock: Clock
) -> None:
    fences = Fences()
    for _ in range(3):
        one = registry("a")
        for _ in range(2):
            with one.held(0, fences):
                pass
        assert one.forget("a")
        clock.now += 1
    tokens = [told["a"] for told in fences.told]
    assert tokens == sorted(set(tokens))
