"""Whose turn it is: so many questions at once, and nobody waits behind one who asks a lot."""

import asyncio
from collections import Counter, deque
from types import TracebackType
from typing import Protocol

from fanshu.errors import TooMany

AGAIN_SECONDS = 5.0  # after which a place may be free: about half a question


class TurnKeeper(Protocol):
    """Whose turn it is, on one worker or of all."""

    @property
    def running(self) -> int:
        """How many of this worker's questions run."""
        ...

    @property
    def waiting(self) -> int:
        """How many of them wait."""
        ...

    async def enter(self, key: str, each: int | None = None) -> "Turn":
        """Stand in line. `each`: for this asker in place of the usual. Raises: TooMany."""
        ...

    def ahead(self, turn: "Turn") -> int:
        """How many of the same asker stand before it."""
        ...

    def leave(self, turn: "Turn") -> None:
        """Take somebody out, of the line or of those that run."""
        ...

    async def close(self) -> None:
        """Give back all places."""
        ...


class Turn:
    """A place in the queue; entered with `async with`, which waits until it is its turn."""

    def __init__(self, turns: TurnKeeper, key: str) -> None:
        self._turns = turns
        self.key = key
        self.called = asyncio.get_running_loop().create_future()
        self._left = False

    async def __aenter__(self) -> "Turn":
        try:
            await self.called
        except asyncio.CancelledError:
            self.leave()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.leave()

    def leave(self) -> None:
        """Give the place back, whether its turn has come or not; once is enough."""
        if not self._left:
            self._left = True
            self._turns.leave(self)


class Turns:
    """At most `runs` at once, `each` of one asker, of whom `waiting` more may stand in line.

    A free place goes to the asker whose last turn is longest ago; each one's questions keep their
    order.
    """

    def __init__(self, runs: int, each: int, waiting: int) -> None:
        self.most, self.each, self.most_waiting = runs, each, waiting
        self._limits: dict[str, int] = {}
        self._running: Counter[str] = Counter()
        self._lines: dict[str, deque[Turn]] = {}
        self._last: dict[str, int] = {}  # number of the last call of an asker
        self._calls = 0

    @property
    def running(self) -> int:
        return self._running.total()

    @property
    def waiting(self) -> int:
        return sum(map(len, self._lines.values()))

    async def close(self) -> None:
        """There is nothing to give back."""

    async def enter(self, key: str, each: int | None = None) -> Turn:
        """Stand in line. `each`: for this asker in place of the usual. Raises: TooMany."""
        line = self._lines.setdefault(key, deque())
        most = self._limits[key] = each or self.each
        free = max(0, min(most - self._running[key], self.most - self.running))
        if len(line) >= self.most_waiting + free:
            self._tidy(key)
            raise line_full(most, self.most_waiting)
        turn = Turn(self, key)
        line.append(turn)
        self._call()
        return turn

    def ahead(self, turn: Turn) -> int:
        """How many of the same asker stand before it."""
        line = self._lines.get(turn.key, ())
        return list(line).index(turn) if turn in line else 0

    def leave(self, turn: Turn) -> None:
        """Take somebody out, of the line or of those that run."""
        line = self._lines.get(turn.key)
        if line and turn in line:
            line.remove(turn)
        elif turn.called.done() and self._running[turn.key]:
            self._running[turn.key] -= 1
        turn.called.cancel()
        self._tidy(turn.key)
        self._call()

    def _call(self) -> None:
        """Call those whose turn it is."""
        while self.running < self.most:
            may = [key for key, line in self._lines.items() if line and self._may(key)]
            if not may:
                return
            key = min(may, key=lambda one: self._last.get(one, 0))
            self._calls += 1
            self._last[key] = self._calls
            self._running[key] += 1
            self._lines[key].popleft().called.set_result(None)

    def _may(self, key: str) -> bool:
        return self._running[key] < self._limits[key]

    def _tidy(self, key: str) -> None:
        if not self._lines.get(key):
            self._lines.pop(key, None)
        if not self._running[key]:
            del self._running[key]
            if key not in self._lines:
                self._limits.pop(key, None)
                self._last.pop(key, None)


def line_full(most: int, waiting: int) -> TooMany:
    """What whoever stands last in a line that is full is told."""
    limit = f"{most} at once and {waiting} waiting"
    return TooMany(what="questions", limit=limit, seconds=AGAIN_SECONDS)
