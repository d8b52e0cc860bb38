"""A real OpenSearch for whoever asks: the fixtures `one_node` and `three_nodes`.

Each is started once in a run, by the first test that wants it, with data that all tests share: an
index of a name of its own is a test's care. Tests marked `cluster` run one at a time, also where
pytest-xdist has several workers, so that a test may kill nodes; after it all nodes are brought
back. FANSHU_TEST_OPENSEARCH=URL has `one_node` be a cluster that runs already.
"""

import os
import shutil
import tempfile
import uuid
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest
from filelock import FileLock
from scripts.opensearch_for_tests.cluster import Cluster, answers
from scripts.opensearch_for_tests.server import Missing, cache_folder

NODES = {"one_node": 1, "three_nodes": 3}


class Servers(Protocol):
    """A cluster that tests may use and not break."""

    @property
    def urls(self) -> list[str]: ...

    def wait_green(self) -> None: ...


@dataclass
class Given:
    """The cluster that somebody named by its address."""

    urls: list[str]

    def wait_green(self) -> None:
        assert answers(f"{self.urls[0]}/_cluster/health?wait_for_status=green&timeout=60s")


class Run:
    """The clusters of one run of pytest; its workers share the folder, and the controller ends it."""

    def __init__(self, folder: Path, owner: int) -> None:
        self.folder = folder
        self.owner = owner
        self.lock = FileLock(f"{folder}.lock")
        # Asked now: within tests both say something else.
        self.given = os.environ.get("FANSHU_TEST_OPENSEARCH", "")
        self.cache = cache_folder()

    def cluster(self, name: str) -> Cluster:
        return Cluster(self.folder / name, cache=self.cache)

    def started(self, name: str) -> Cluster:
        cluster = self.cluster(name)
        try:
            cluster.bring_up(NODES[name], ends_with=self.owner)
        except Missing as lacking:
            pytest.skip(str(lacking))
        return cluster

    def end(self, *, keep_logs: bool) -> None:
        for name in NODES:
            if (self.folder / name).exists():
                self.cluster(name).shut_down()
                for data in (self.folder / name).glob("node-*"):
                    shutil.rmtree(data)
        if not keep_logs:
            shutil.rmtree(self.folder, ignore_errors=True)
        Path(self.lock.lock_file).unlink(missing_ok=True)


RUN = pytest.StashKey[Run]()


def pytest_configure(config: pytest.Config) -> None:
    told = getattr(config, "workerinput", None)
    if told is None:
        place = Path(tempfile.gettempdir(), f"fanshu-opensearch-{uuid.uuid4().hex[:12]}")
        config.stash[RUN] = Run(place, os.getpid())
    else:
        config.stash[RUN] = Run(Path(told["opensearch_folder"]), told["opensearch_owner"])


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node) -> None:  # type: ignore[no-untyped-def]
    """Called by pytest-xdist before it starts a worker."""
    run = node.config.stash[RUN]
    node.workerinput |= {"opensearch_folder": str(run.folder), "opensearch_owner": run.owner}


def pytest_sessionfinish(session: pytest.Session) -> None:
    if not hasattr(session.config, "workerinput"):
        session.config.stash[RUN].end(keep_logs=session.testsfailed > 0)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if (kept := config.stash[RUN].folder).exists():
        terminalreporter.write_line(f"What OpenSearch has logged: {kept}/*/logs")


@pytest.hookimpl(wrapper=True, tryfirst=True)  # before a timeout begins to count
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    if item.get_closest_marker("cluster") is None or not hasattr(item.config, "workerinput"):
        return (yield)
    with item.config.stash[RUN].lock:
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    yield
    run = item.config.stash[RUN]
    for name in NODES:
        if name in getattr(item, "fixturenames", ()) and (run.folder / name).exists():
            run.cluster(name).restore()


@pytest.fixture(scope="session")
def one_node(pytestconfig: pytest.Config) -> Servers:
    """An OpenSearch of one node, or the one that FANSHU_TEST_OPENSEARCH names."""
    run = pytestconfig.stash[RUN]
    return Given([run.given]) if run.given else run.started("one_node")


@pytest.fixture(scope="session")
def three_nodes(pytestconfig: pytest.Config) -> Cluster:
    """An OpenSearch of three nodes, which may be killed, halted and started again."""
    return pytestconfig.stash[RUN].started("three_nodes")
