"""How often somebody may ask of all workers together: buckets in the store.

A worker takes what a bucket gives in a second at once, so that a busy user costs one write a second
and worker, and puts back what was left. So somebody whose requests go to several workers may be
refused when a second's worth is left, at most, on each of the others. While the store cannot be
reached each worker counts for itself: nobody is refused for that.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from fanshu.cluster.changing import change
from fanshu.cluster.records import Record, Records
from fanshu.errors import StoreError
from fanshu.serve.rates import BURST_SECONDS, REMEMBERED, Rates, too_many

COLLECTION = "rates"
AHEAD_SECONDS = 1.0
SHARE = 4  # at most so small a part of what a bucket holds is taken at once: others come too
LONGER = 60.0  # seconds that a bucket is kept when it is full again


class SharedRates:
    """`Rates` over records. `ahead`: for how many seconds a worker takes at once; 0: one by one."""

    def __init__(
        self,
        records: Records,
        per_minute: float,
        what: str,
        *,
        ahead: float = AHEAD_SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._records, self._clock = records, clock
        self._limit, self._what, self._rate = per_minute, what, per_minute / 60
        self._most = max(1.0, self._rate * BURST_SECONDS)
        self._batch, self._ahead = max(1, int(self._rate * ahead)), ahead
        self._alone = Rates(per_minute, what)
        self._mine: OrderedDict[str, tuple[int, float]] = OrderedDict()  # left, until
        self._guard = threading.Lock()

    def take(self, key: str) -> None:
        """One more. Raises: TooMany."""
        with self._guard:
            left, until = self._mine.pop(key, (0, 0.0))
            if left >= 1 and self._clock() < until:
                self._keep(key, left - 1, until)
                return
        try:
            got = self._fetched(key, left)
        except StoreError:
            with self._guard:
                self._alone.take(key)
            return
        with self._guard:
            more, _ = self._mine.get(key, (0, 0.0))
            self._keep(key, more + got - 1, self._clock() + self._ahead)

    def check(self, key: str) -> None:
        """Whether one more would be too many; takes none. Raises: TooMany."""
        try:
            record = self._records.get(COLLECTION, self._name(key))
        except StoreError:
            with self._guard:
                self._alone.check(key)
            return
        left = self._left(record)
        if left < 1:
            raise too_many(self._what, self._limit, left)

    def _fetched(self, key: str, back: int) -> int:
        """Take some from the bucket, after putting back what was left of the last time."""
        name, got = self._name(key), 0

        def taken(before: Record | None) -> Record:
            nonlocal got
            left = min(self._most, self._left(before) + back)
            if left < 1:
                raise too_many(self._what, self._limit, left)
            got = max(1, min(self._batch, int(left / SHARE)))
            now = self._clock()
            ends = now + self._most / self._rate + LONGER
            return Record(name, {"left": left - got, "then": now}, ends=ends)

        change(self._records, COLLECTION, name, taken)
        return got

    def _left(self, record: Record | None) -> float:
        if record is None:
            return self._most
        gone = max(0.0, self._clock() - float(record.body["then"]))
        return min(self._most, float(record.body["left"]) + gone * self._rate)

    def _name(self, key: str) -> str:
        return f"{self._what}:{key}"

    def _keep(self, key: str, left: int, until: float) -> None:
        if left < 1:
            return
        self._mine[key] = left, until
        if len(self._mine) > REMEMBERED:
            self._mine.popitem(last=False)
