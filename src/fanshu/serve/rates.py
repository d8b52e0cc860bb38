"""How often somebody may ask: a bucket that fills steadily and is emptied by requests."""

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Protocol

from fanshu.errors import TooMany

BURST_SECONDS = 15.0  # of the steady rate may come at once: a page that loads asks for a lot
REMEMBERED = 10_000  # askers; addresses of failed logins are endless


class RateLimit(Protocol):
    """How often something may be done for each key; thread-safe."""

    def take(self, key: str) -> None:
        """One more. Raises: TooMany."""
        ...

    def check(self, key: str) -> None:
        """Whether one more would be too many; takes none. Raises: TooMany."""
        ...


class Rates:
    """At most `per_minute` of something for each key, with a burst of a quarter of a minute."""

    def __init__(
        self, per_minute: float, what: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = per_minute / 60
        self._most = max(1.0, self._rate * BURST_SECONDS)
        self._limit, self._what, self._clock = per_minute, what, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, key: str) -> None:
        """One more. Raises: TooMany."""
        left = self._left(key)
        if left < 1:
            raise too_many(self._what, self._limit, left)
        self._keep(key, left - 1)

    def check(self, key: str) -> None:
        """Whether one more would be too many; takes none. Raises: TooMany."""
        left = self._left(key)
        self._keep(key, left)
        if left < 1:
            self.take(key)

    def _left(self, key: str) -> float:
        left, then = self._buckets.get(key, (self._most, self._clock()))
        return min(self._most, left + (self._clock() - then) * self._rate)

    def _keep(self, key: str, left: float) -> None:
        self._buckets[key] = left, self._clock()
        self._buckets.move_to_end(key)
        if len(self._buckets) > REMEMBERED:
            self._buckets.popitem(last=False)


def too_many(what: str, per_minute: float, left: float) -> TooMany:
    """What whoever finds a bucket that holds only so much is told."""
    limit, seconds = f"{per_minute:g} a minute", (1 - left) * 60 / per_minute
    return TooMany(what=what, limit=limit, seconds=seconds)
