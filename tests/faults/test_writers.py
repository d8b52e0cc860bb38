"""Processes that index, and are killed or sleep in the middle of it."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from scripts.opensearch_for_tests.cluster import Cluster

from tests.conftest import ROOT
from tests.faults.cluster import is_written
from tests.faults.conftest import Report
from tests.faults.shelf import Shelf, asking
from tests.waiting import PATIENCE, until

pytestmark = [pytest.mark.cluster, pytest.mark.slow]

LEASE = 4.0  # seconds


@contextmanager
def in_the_middle(shelf: Shelf) -> Iterator["subprocess.Popen[str]"]:
    """A process that is just storing."""
    command = (sys.executable, "-m", "tests.faults.worker", shelf.address, shelf.docs, LEASE)
    process = subprocess.Popen(list(map(str, command)), stderr=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        until(lambda: is_written(shelf) or process.poll() is not None)
        assert process.poll() is None, process.communicate()
        yield process
    finally:
        process.kill()
        process.wait()


def test_what_a_killed_process_has_half_stored_is_never_seen(
    three_nodes: Cluster, shelf: Shelf, tmp_path: Path, report: Report
) -> None:
    shelf.write(1)
    shelf.index()
    with asking(shelf, 1) as asked:
        shelf.write(2)
        with in_the_middle(shelf) as process:
            process.kill()
            process.wait()
        before = len(asked.right)
        until(lambda: len(asked.right) > before + 20)
    report(asked)
    assert not asked.wrong
    assert not asked.errors
    shelf.index()
    shelf.check(tmp_path / "reference")


def test_a_process_that_slept_through_its_lease_changes_nothing(
    three_nodes: Cluster, shelf: Shelf, tmp_path: Path, report: Report
) -> None:
    shelf.write(1)
    shelf.index()
    shelf.write(2)
    with in_the_middle(shelf) as process:
        process.send_signal(signal.SIGSTOP)
        shelf.write(3)
        shelf.index()  # waits for the lease
        process.send_signal(signal.SIGCONT)
        _, error = process.communicate(timeout=PATIENCE)
        report(error.strip().splitlines()[-1])
        assert process.returncode == 1
        assert "has taken over the root" in error
    shelf.check(tmp_path / "reference")
