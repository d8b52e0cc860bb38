"""Which copies of the shards are asked, and for how long: a node that halts must not halt all."""

from collections.abc import Callable
from time import monotonic
from typing import TypeVar

from fanshu.errors import StoreUnreachable
from fanshu.library.store import OutOfTime

T = TypeVar("T")

PERSIST_SECONDS = 3.0  # with what fails at once: another node takes over within a second or two
DOUBT_SECONDS = 30.0  # that copies are not asked first which did not answer


class Copies:
    """Two ways of choosing copies, the usual one and another. Thread-safe."""

    def __init__(self) -> None:
        self._doubted: tuple[bool, float] = False, 0.0  # the other way, until when

    def ask(self, call: Callable[[bool, float], T], first: float, seconds: float) -> T:
        """What `call(other, seconds)` gives: whether to ask the other copies, and its limit.

        It is tried for `first` seconds, then in the other way for twice as long, and so on, for
        `seconds` in all; what fails at once, for a few. Raises: what the last try raises.
        """
        began = monotonic()
        other = self._doubted[0] and began < self._doubted[1]
        limit = first
        while True:
            now = monotonic()
            left = began + seconds - now
            last = limit * 1.5 > left
            try:
                return call(other, left if last else limit)
            except (StoreUnreachable, OutOfTime):
                late = monotonic() - now >= limit * 0.9
                if late:
                    self._doubted = not other, monotonic() + DOUBT_SECONDS
                if last or not (late or monotonic() - began < PERSIST_SECONDS):
                    raise
            other, limit = not other, limit * 2
