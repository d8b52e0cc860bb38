"""Nodes that are killed, halted, and started again, while people ask and documents are loaded."""

import time
from functools import partial
from pathlib import Path

import pytest
from scripts.opensearch_for_tests.cluster import Cluster

from tests.faults.cluster import Indexing, ask, manager, of_primary
from tests.faults.conftest import Report
from tests.faults.shelf import Asked, Shelf, asking
from tests.waiting import until

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

HALTED = 20.0  # seconds; nodes miss each other after 30


def more(asked: Asked, count: int = 20) -> None:
    """Wait for so many right answers more."""
    before = len(asked.right)
    until(lambda: len(asked.right) >= before + count)


def test_each_node_is_killed_in_turn(
    three_nodes: Cluster, shelves: list[Shelf], tmp_path: Path, report: Report
) -> None:
    """First the elected manager; people ask one library meanwhile, another one is loaded."""
    quiet, busy = shelves
    quiet.write(1)
    quiet.index()
    busy.write(1)
    busy.index()
    first = manager(three_nodes)
    with asking(quiet, 1) as asked:
        for edition, number in enumerate(sorted({1, 2, 3}, key=lambda n: n != first), 2):
            three_nodes.wait_green()
            busy.write(edition)
            indexing = Indexing(busy)
            indexing.midway(busy, partial(three_nodes.kill, number))
            more(asked)
            report(f"node {number} of manager {first}: {indexing.ended()}")
            three_nodes.start(number)
            if indexing.error:  # clear, and nothing but to do it again
                busy.index()
        three_nodes.wait()
        more(asked)
    report(asked)
    assert not asked.wrong
    assert not asked.errors
    quiet.check(tmp_path / "quiet")
    busy.check(tmp_path / "busy")


def test_a_halted_node_halts_nobody(
    three_nodes: Cluster, shelves: list[Shelf], tmp_path: Path, report: Report
) -> None:
    """The one with the first copy of the state, which every search looks at."""
    quiet, busy = shelves
    quiet.write(1)
    quiet.index()
    busy.write(1)
    busy.index()
    three_nodes.wait_green()
    number = of_primary(three_nodes, f"{quiet.name}-state")
    with asking(quiet, 1) as asked:
        more(asked)
        busy.write(2)
        indexing = Indexing(busy)
        indexing.midway(busy, partial(three_nodes.pause, number))
        began = time.monotonic()
        more(asked, 30)
        time.sleep(max(0.0, began + HALTED - time.monotonic()))
        three_nodes.resume(number)
        report(indexing.ended())
        more(asked)
    report(asked)
    assert not asked.wrong
    if indexing.error:
        busy.index()
    quiet.check(tmp_path / "quiet")
    busy.check(tmp_path / "busy")


def test_no_shard_no_answer_and_after_a_full_restart_everything(
    three_nodes: Cluster, shelf: Shelf, tmp_path: Path, report: Report
) -> None:
    """Two nodes die, then the third; the process that asks lives on."""
    shelf.write(1)
    shelf.index()
    three_nodes.wait_green()
    with asking(shelf, 1, store_timeout=5) as asked:
        more(asked)
        three_nodes.kill(1)
        three_nodes.kill(2)
        began = len(asked.errors)
        until(lambda: len(asked.errors) > began + 2)
        right = len(asked.right)
        shelf.write(2, 5)
        indexing = Indexing(shelf, store_timeout=5).ended()
        report(f"two of three dead: {indexing}")
        assert indexing.error
        shelf.write(1)
        assert len(asked.right) <= right + 2  # those under way
        three_nodes.kill(3)
        for number in (1, 2, 3):
            three_nodes.start(number)
        restarted = time.monotonic()
        more(asked)
        report(f"right again {time.monotonic() - restarted:.1f} s after the restart")
    report(asked)
    assert not asked.wrong
    three_nodes.wait_green()
    shelf.index()
    shelf.check(tmp_path / "reference")


def test_a_full_disk_stops_writing_and_not_asking(
    three_nodes: Cluster, shelf: Shelf, tmp_path: Path, report: Report
) -> None:
    shelf.write(1)
    shelf.index()
    three_nodes.wait_green()
    disk = "cluster.routing.allocation.disk"
    marks = {f"{disk}.watermark.{one}": "1pb" for one in ("low", "high", "flood_stage")}
    watched = {f"{disk}.threshold_enabled": True, "cluster.info.update.interval": "10s", **marks}
    settings = f"{three_nodes.urls[0]}/_cluster/settings"
    index = f"{three_nodes.urls[0]}/{shelf.name}-state/_settings?flat_settings=true"

    def full() -> bool:
        (found,) = ask(index).values()
        return found["settings"].get("index.blocks.read_only_allow_delete") == "true"

    def open_again() -> bool:
        # Where all disks were full the engine makes no index, until it looks at them once more.
        block = "cluster.blocks.create_index"
        ask(settings, {"persistent": dict.fromkeys([*watched, block])})
        return not ask(f"{three_nodes.urls[0]}/_cluster/state/blocks")["blocks"].get("global")

    with asking(shelf, 1) as asked:
        try:
            ask(settings, {"persistent": watched})
            until(full)
            shelf.write(2)
            began = time.monotonic()
            indexing = Indexing(shelf).ended()
            report(indexing)
            assert "disk of one of its machines is full" in str(indexing.error)
            assert time.monotonic() - began < 60
            before = len(asked.right)
            until(lambda: len(asked.right) > before + 20)
        finally:
            roomy = dict.fromkeys(marks, "1b")
            ask(settings, {"persistent": watched | roomy})
            until(lambda: not full())
            until(open_again)
    report(asked)
    assert not asked.wrong
    assert not asked.errors
    shelf.index()
    shelf.check(tmp_path / "reference")
