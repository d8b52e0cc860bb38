"""Waiting for what will come true, on a machine that may be busy or stand still for a while.

Time that is to pass for nothing but itself is skipped.
"""

import asyncio
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


class Clock:
    """The clock of the running event loop, which can be set forward."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        now, self._skipped = loop.time, 0.0
        loop.time = lambda: now() + self._skipped  # type: ignore[method-assign]

    def forward(self, seconds: float) -> None:
        """Let so many seconds have passed: what waits for less is woken in the loop's next turn."""
        self._skipped += seconds
