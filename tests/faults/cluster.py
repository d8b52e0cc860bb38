"""What the tests of this folder want to know of a cluster, and do to it."""

import json
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from urllib.request import Request

from scripts.opensearch_for_tests.cluster import DIRECT, Cluster

from fanshu.errors import StoreError
from tests.faults.shelf import Shelf
from tests.waiting import until


def ask(url: str, body: Mapping[str, Any] | None = None) -> Any:
    """GET, or PUT with a body; what is answered in JSON."""
    data = None if body is None else json.dumps(body).encode()
    request = Request(url, data, {"content-type": "application/json"})  # noqa: S310
    request.method = "GET" if body is None else "PUT"
    with DIRECT.open(request, timeout=60) as answer:
        return json.load(answer)


def manager(cluster: Cluster) -> int:
    """The node that the others have elected."""
    (one,) = ask(f"{cluster.urls[0]}/_cat/cluster_manager?format=json")
    return int(one["node"].removeprefix("node-"))


def of_primary(cluster: Cluster, index: str) -> int:
    """The node with the first copy of the only shard of an index."""
    shards = ask(f"{cluster.urls[0]}/_cat/shards/{index}?format=json")
    (node,) = (one["node"] for one in shards if one["prirep"] == "p")
    return int(node.removeprefix("node-"))


def is_written(shelf: Shelf, url: str = "") -> bool:
    """Whether a writer has announced itself, and is about to store."""
    state = ask(f"{url or shelf.urls[0]}/{shelf.name}-state/_doc/{shelf.name}-chunks-1")
    return bool(state["_source"]["writing"])


class Indexing:
    """A library is brought up to date in a thread; begun once it has something to store."""

    def __init__(self, shelf: Shelf, **settings: Any) -> None:
        self.error: StoreError | None = None
        self.seconds = 0.0

        def work() -> None:
            began = time.monotonic()
            try:
                shelf.index(**settings)
            except StoreError as error:
                self.error = error
            self.seconds = time.monotonic() - began

        self._thread = threading.Thread(target=work)
        self._thread.start()

    def midway(self, shelf: Shelf, then: Callable[[], None]) -> None:
        """Do something while it stores."""
        until(lambda: is_written(shelf) or not self._thread.is_alive())
        assert self._thread.is_alive(), "it was faster than this test"
        then()

    def ended(self) -> "Indexing":
        """After its end."""
        self._thread.join()
        return self

    def __str__(self) -> str:
        return f"indexed in {self.seconds:.1f} s: {self.error or 'all of it'}"
