"""Waiting for what will come true, on a machine that may be busy or stand still for a while."""

import time
from collections.abc import Callable

PATIENCE = 120.0
"""Seconds: the limit of whatever ends by itself. A test that passes never waits so long."""


def until(true: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Return once something is true. Raises: AssertionError, when it does not become so."""
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, "it does not come true"
        time.sleep(0.01)
