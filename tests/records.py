"""Records that workers share, for tests: in a file, and in a real engine where there is one."""

import contextlib
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest

from fanshu.cluster.records import Records
from fanshu.cluster.sqlite_records import SqliteRecords

KINDS = ("sqlite", pytest.param("opensearch", marks=pytest.mark.cluster))
"""For the `params` of a fixture that calls `shared_records`."""


@contextlib.contextmanager
def shared_records(request: pytest.FixtureRequest, folder: Path) -> Iterator[Records]:
    """Records of the kind that the fixture's parameter names, empty."""
    if request.param == "sqlite":
        yield SqliteRecords(folder / "records.db")
        return
    from fanshu.cluster.address import parse
    from fanshu.cluster.connection import connect
    from fanshu.cluster.opensearch_records import OpenSearchRecords

    url = request.getfixturevalue("one_node").urls[0]
    host = url.partition("://")[2].strip("/")
    address = parse(f"opensearch://{host}/t{secrets.token_hex(6)}")
    client = connect(address)
    yield OpenSearchRecords(client, address.name, replicas=0)
    client.indices.delete(index=f"{address.name}-*", ignore=404)
    client.close()
