"""Leases: that one worker does something which others leave to it meanwhile.

A lease is a record with an end. Whoever holds it takes it again before that; of one that has died
it ends by itself. It saves work and orders nothing: what must not happen twice is written by
compare and swap.
"""

import os
import secrets
import socket
import time
from collections.abc import Callable

from fanshu.cluster.changing import change
from fanshu.cluster.records import Record, Records

COLLECTION = "leases"


def worker() -> str:
    """The name of this process, which no other has: host, process and chance."""
    return f"{socket.gethostname()}:{os.getpid()}:{_CHANCE}"


_CHANCE = secrets.token_hex(4)


class Leases:
    """The leases of one holder, by default of this process. Thread-safe."""

    def __init__(
        self, records: Records, holder: str = "", clock: Callable[[], float] = time.time
    ) -> None:
        self._records, self._clock = records, clock
        self.holder = holder or worker()

    def take(self, name: str, seconds: float) -> bool:
        """Hold a lease for so long from now, unless another holds it; whether it is held.

        Raises: StoreUnreachable, StoreRefused.
        """

        def held(before: Record | None) -> Record | None:
            if before and before.body["holder"] != self.holder and not self._over(before):
                return None
            until = self._clock() + seconds
            body = {"holder": self.holder, "until": until}
            return Record(name, body, ends=until + 60)

        return change(self._records, COLLECTION, name, held) is not None

    def _over(self, record: Record) -> bool:
        return float(record.body["until"]) <= self._clock()

    def give_back(self, name: str) -> None:
        """Hold it no longer. Raises: StoreUnreachable, StoreRefused."""

        def over(before: Record | None) -> Record | None:
            if before is None or before.body["holder"] != self.holder:
                return None
            return Record(name, {"holder": self.holder, "until": 0.0}, ends=self._clock() + 60)

        change(self._records, COLLECTION, name, over)
