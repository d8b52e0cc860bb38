"""Stores on a real server, each test with a library of its own."""

from collections.abc import Callable, Iterator
from secrets import token_hex

import pytest

from fanshu.cluster.address import parse
from fanshu.cluster.connection import connect
from fanshu.library.opensearch.store import OpenSearchStore

Open = Callable[[], OpenSearchStore]


@pytest.fixture
def open_store(request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens the library of the test, as another process would."""
    url = request.getfixturevalue("one_node").urls[0]
    address = parse(f"opensearch://{url.partition('://')[2].strip('/')}/t{token_hex(6)}")
    opened: list[OpenSearchStore] = []

    def make() -> OpenSearchStore:
        opened.append(OpenSearchStore(connect(address), address.name))
        return opened[-1]

    yield make
    client = connect(address)
    client.indices.delete(index=f"{address.name}-*")
    client.close()
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: Open) -> OpenSearchStore:
    """The library of the test."""
    return open_store()
