"""Libraries over a real cluster of three nodes, to which bad things happen."""

from collections.abc import Callable, Iterator
from pathlib import Path
from secrets import token_hex

import pytest
from scripts.opensearch_for_tests.cluster import Cluster

from fanshu.cluster.address import parse
from fanshu.cluster.connection import connect
from tests.faults.shelf import Shelf

Report = Callable[[object], None]


@pytest.fixture
def shelves(three_nodes: Cluster, tmp_path: Path) -> Iterator[list[Shelf]]:
    """Two empty libraries, taken away after the test."""
    made = [
        Shelf(tmp_path / f"docs{one}", three_nodes.urls, f"faults-{token_hex(5)}") for one in (0, 1)
    ]
    yield made
    three_nodes.restore()
    with connect(parse(made[0].address)) as client:
        for one in made:
            client.indices.delete(index=f"{one.name}-*", ignore=404)


@pytest.fixture
def shelf(shelves: list[Shelf]) -> Shelf:
    """One of them."""
    return shelves[0]


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Report:
    """Keeps what docs/faults.md tells, beside the result of a test (`--junit-xml`, or -rP)."""

    def told(what: object) -> None:
        request.node.user_properties.append(("outcome", str(what)))
        print(f"\n{request.node.name}: {what}")  # noqa: T201

    return told
