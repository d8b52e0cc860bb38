"""The network between the nodes is cut."""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from secrets import token_hex

import pytest
from scripts.opensearch_for_tests.cluster import Cluster

from tests.cluster import servers
from tests.faults import network
from tests.faults.cluster import Indexing, of_primary
from tests.faults.conftest import Report
from tests.faults.network import Apart
from tests.faults.shelf import Shelf, asking
from tests.waiting import until

pytestmark = [
    pytest.mark.cluster,
    pytest.mark.slow,
    pytest.mark.allow_hosts(["127.0.0.1", *network.ASKED]),
]


@pytest.fixture
def apart(three_nodes: Cluster, pytestconfig: pytest.Config, tmp_path: Path) -> Iterator[Apart]:
    """Three nodes in namespaces; `three_nodes` only for its having been built."""
    if not network.possible():
        pytest.skip("optional: only root may cut networks, with `ip` of iproute2")
    cluster = Apart(tmp_path / "apart", pytestconfig.stash[servers.RUN].cache)
    with cluster.network():
        try:
            cluster.bring_up(3, settings=network.QUICK, heap="384m")
            yield cluster
        finally:
            cluster.delete()


def test_who_is_cut_off_is_told_and_loses_nothing(
    apart: Apart, tmp_path: Path, report: Report
) -> None:
    """The node with the first copy of the state is alone; the two others go on."""
    whole = Shelf(tmp_path / "docs", apart.urls, f"faults-{token_hex(5)}")
    whole.write(1)
    whole.index()
    apart.wait_green()
    number = of_primary(apart, f"{whole.name}-state")
    alone = replace(whole, urls=[apart.urls[number - 1]])
    others = replace(whole, urls=[url for url in whole.urls if url not in alone.urls])
    with asking(alone, 1, store_timeout=5) as few, asking(others, 1) as many:
        until(lambda: len(few.right) > 5 and len(many.right) > 5)
        apart.cut(number)
        cut = time.monotonic()
        whole.write(2, 5)  # of five documents, which nobody asks for
        refused = Indexing(alone, store_timeout=10).ended()
        report(f"alone: {refused}")
        assert refused.error
        until(lambda: len(few.errors) > 2)
        before = len(many.right)
        until(lambda: len(many.right) > before + 20)
        report(f"the others answer again {time.monotonic() - cut:.1f} s after the cut")
    report(f"alone: {few}")
    report(f"others: {many}")
    assert not few.wrong
    assert not many.wrong
    whole.write(3)
    taken = Indexing(others).ended()
    report(f"others: {taken}")
    assert not taken.error
    apart.mend(number)
    mended = time.monotonic()
    apart.wait_green()
    report(f"one again {time.monotonic() - mended:.1f} s after it was mended")
    alone.check(tmp_path / "reference")
