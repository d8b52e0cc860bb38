"""What the calls of a store make of hosts that do not answer."""

import socket
from contextlib import ExitStack
from time import monotonic

import pytest

from fanshu.cluster.address import Address
from fanshu.cluster.connection import Options, connect
from fanshu.errors import StoreError, StoreUnreachable
from fanshu.library.opensearch.engine import Engine
from fanshu.library.store import OutOfTime
from tests.cluster.wire import replies, served


def silent(ending: ExitStack) -> tuple[str, int]:
    """A host that takes connections and never says a word."""
    listening = ending.enter_context(socket.create_server(("127.0.0.1", 0)))
    return "127.0.0.1", listening.getsockname()[1]


@pytest.mark.parametrize("hosts", [1, 3])
def test_a_search_without_a_reply_is_out_of_time(hosts: int) -> None:
    with ExitStack() as ending:
        address = Address(tuple(silent(ending) for _ in range(hosts)), tls=False, name="none")
        engine = Engine(connect(address, Options(timeout=0.5)))
        with pytest.raises(OutOfTime):
            engine.search("none", {"size": 0}, monotonic() + 0.3)


def test_hosts_that_are_not_there_are_no_question_of_time() -> None:
    with ExitStack() as ending:
        address = Address((silent(ending),), tls=False, name="none")
    engine = Engine(connect(address, Options(timeout=60.0, retries=0)))
    with pytest.raises(StoreUnreachable):
        engine.search("none", {"size": 0}, monotonic() + 60.0)


@pytest.mark.parametrize("searches", [1, 2])
def test_time_that_is_up_may_come_as_an_error(searches: int) -> None:
    error = {"type": "query_phase_execution_exception", "reason": "Time exceeded"}
    late = {"error": {**error, "root_cause": [error]}, "status": 500}
    told = (500, late) if searches == 1 else (200, {"responses": [late] * searches})
    with served(replies(told)) as port:
        address = Address((("127.0.0.1", port),), tls=False, name="none")
        engine = Engine(connect(address, Options()))
        with pytest.raises(OutOfTime):
            engine.searches("none", [{"size": 0}] * searches, monotonic() + 60.0)
        with pytest.raises(StoreError, match="Time exceeded"):
            engine.searches("none", [{"size": 0}] * searches)
