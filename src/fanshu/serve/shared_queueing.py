"""Whose turn it is among the questions of all workers over one store.

Each worker publishes what runs and what waits on it, with signs of life, and reads what the others
publish before it calls anybody. Who comes next is worked out from all of that together, by the
same rule as on one worker: a free place goes to the asker whose last turn is longest ago. So all
workers come to the same result, without one that decides.

What holds: a worker takes a place by publishing it, and then reads once more. Of two that took
the last one in the same moment at least one sees the other and steps back, so that there never run
more than allowed, unless a worker was thought dead and was only slow. In line there may stand one
more for each worker. Of a worker that was killed the places are free when its record ends. While
the store cannot be reached, each worker keeps to the limits for itself.
"""

import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import uuid4

from fanshu.cluster.leases import worker
from fanshu.cluster.records import Record, Records
from fanshu.errors import StoreError
from fanshu.serve.queueing import Turn, line_full

log = logging.getLogger("fanshu.serve")

COLLECTION = "turns"
BEAT_SECONDS = 3.0
LEASE_SECONDS = 12.0  # after its last sign of life, places of a worker are free
LOOK_SECONDS = 0.25  # between two looks whether a place is free, while somebody waits
ENDING_SECONDS = 5.0


class Call(Protocol):
    """Does something that may take a while, in a thread."""

    def __call__(self, work: Callable[..., Any], /, *args: Any) -> Awaitable[Any]: ...


@dataclass(eq=False, slots=True)
class _Claim:
    """A question that runs or waits. `at`: since 1970. `limit`: of its asker, at once.

    `turn`: None for one of another worker. `decided`: its asker has been told that it may wait.
    """

    key: str
    at: float
    limit: int
    turn: Turn | None = None
    runs: bool = False
    decided: "asyncio.Future[None] | None" = None
    ahead: int = 0
    name: str = field(default_factory=lambda: uuid4().hex[:8])


class SharedTurns:
    """`Turns` over records: at most `runs` at once, `each` of one asker, `waiting` more in line."""

    def __init__(
        self,
        records: Records,
        call: Call,
        runs: int,
        each: int,
        waiting: int,
        *,
        name: str = "",
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.most, self.each, self.most_waiting = runs, each, waiting
        self._records, self._call, self._clock = records, call, clock
        self._name = name or worker()
        self._claims: dict[Turn, _Claim] = {}
        self._others: list[_Claim] = []
        self._last: dict[str, float] = {}  # when an asker was called last, by any worker
        self._published: object = None
        self._beat = 0.0
        self._wake: asyncio.Event | None = None
        self._task: asyncio.Task[None] | None = None
        self._trouble = False

    @property
    def running(self) -> int:
        return sum(claim.runs for claim in self._claims.values())

    @property
    def waiting(self) -> int:
        return len(self._claims) - self.running

    async def enter(self, key: str, each: int | None = None) -> Turn:
        """Stand in line, behind all who stand there anywhere. Raises: TooMany."""
        turn = Turn(self, key)
        decided = asyncio.get_running_loop().create_future()
        self._claims[turn] = _Claim(key, self._clock(), each or self.each, turn, decided=decided)
        self._look()
        try:
            await decided
        except BaseException:
            turn.leave()
            raise
        return turn

    def ahead(self, turn: Turn) -> int:
        """How many of the same asker stood before it, as was last known."""
        claim = self._claims.get(turn)
        return claim.ahead if claim else 0

    def leave(self, turn: Turn) -> None:
        """Take somebody out, of the line or of those that run."""
        if self._claims.pop(turn, None):
            self._look()
        turn.called.cancel()

    async def close(self) -> None:
        """Give back all places."""
        for turn in tuple(self._claims):
            self.leave(turn)
        if self._task:
            await asyncio.wait({self._task}, timeout=ENDING_SECONDS)

    # ---------------------------------------------------------------- with the others

    def _look(self) -> None:
        """Something has changed here."""
        if self._wake is None or self._task is None or self._task.done():
            self._wake = asyncio.Event()
            self._task = asyncio.create_task(self._keep(self._wake))
        self._wake.set()

    async def _keep(self, wake: asyncio.Event) -> None:
        """Tell the others and look at them, as long as anything runs or waits here."""
        while True:
            wake.clear()
            await self._exchange()
            if called := self._judge():
                await self._begin(called)
                wake.set()
            if not self._claims:
                if not wake.is_set():
                    return
                continue
            pause = LOOK_SECONDS if self.waiting else BEAT_SECONDS
            with suppress(TimeoutError):
                await asyncio.wait_for(wake.wait(), pause)

    async def _exchange(self) -> None:
        """Tell the others what is here, and hear what is there, where it matters."""
        look = any(one.turn and not one.turn.called.done() for one in self._claims.values())
        try:
            await self._publish()
            if look:
                self._others = await self._call(self._read)
            self._trouble = False
        except (StoreError, RuntimeError, ValueError, LookupError, TypeError) as error:
            if not self._trouble:
                log.warning("limits are those of this worker alone: %s", error)
            self._others, self._trouble = [], True

    async def _publish(self) -> None:
        """Write down what runs and waits here, where it changed or a sign of life is due."""
        shown = [
            {"key": one.key, "at": one.at, "limit": one.limit, "runs": one.runs, "name": one.name}
            for one in self._claims.values()
        ]
        now = self._clock()
        if shown == self._published and (not shown or now - self._beat < BEAT_SECONDS):
            return
        last = {claim.key: self._last.get(claim.key, 0.0) for claim in self._claims.values()}
        if shown:
            body = {"claims": shown, "last": last}
            record = Record(self._name, body, ends=now + LEASE_SECONDS)
            await self._call(self._records.put, COLLECTION, record)
        else:
            await self._call(self._records.remove, COLLECTION, self._name)
        self._published, self._beat = shown, now

    def _read(self) -> list[_Claim]:
        found: list[_Claim] = []
        for record in self._records.find(COLLECTION):
            if record.key != self._name:
                found += [
                    _Claim(one["key"], one["at"], one["limit"], runs=one["runs"], name=one["name"])
                    for one in record.body["claims"]
                ]
                for key, when in record.body["last"].items():
                    self._last[key] = max(when, self._last.get(key, 0.0))
        return found

    # ---------------------------------------------------------------- whose turn it is

    def _judge(self) -> list[_Claim]:
        """Whose turn it is on this worker, as far as is known; who is too many is refused."""
        every = [*self._claims.values(), *self._others]
        running = Counter(claim.key for claim in every if claim.runs)
        lines: dict[str, list[_Claim]] = {}
        for claim in sorted(every, key=lambda one: (one.at, one.name)):
            if not claim.runs:
                lines.setdefault(claim.key, []).append(claim)
        called = self._called(lines, running)
        for line in lines.values():
            for place, claim in enumerate(line):
                claim.ahead = place
                self._decide(claim, place)
        known = {claim.key for claim in every}
        self._last = {key: when for key, when in self._last.items() if key in known}
        return called

    def _called(self, lines: dict[str, list[_Claim]], running: Counter[str]) -> list[_Claim]:
        """Take out of the lines whose turn it is, and give those of this worker."""
        called: list[_Claim] = []
        last = dict(self._last)
        now = self._clock()
        while running.total() < self.most:
            may = [key for key, line in lines.items() if line and running[key] < line[0].limit]
            if not may:
                break
            key = min(may, key=lambda one: (last.get(one, 0.0), lines[one][0].at))
            claim = lines[key].pop(0)
            running[key] += 1
            now += 1e-6  # so that those called in one go have their order
            last[key] = now
            if claim.turn:
                self._last[key] = now
                called.append(claim)
        return called

    async def _begin(self, called: list[_Claim]) -> None:
        """Take the places of these, and call them if nobody else took the same meanwhile."""
        for claim in called:
            claim.runs = True
        await self._exchange()
        back = False
        for claim in reversed(called):
            if self._too_many(claim):
                claim.runs, back = False, True
        for claim in called:
            if claim.runs and claim.turn:
                _settle(claim.decided)
                _settle(claim.turn.called)
        if back:  # who stepped back too comes at another moment
            await asyncio.sleep(random.uniform(0, LOOK_SECONDS))  # noqa: S311

    def _too_many(self, claim: _Claim) -> bool:
        running = [one for one in (*self._claims.values(), *self._others) if one.runs]
        same = sum(one.key == claim.key for one in running)
        return len(running) > self.most or same > claim.limit

    def _decide(self, claim: _Claim, place: int) -> None:
        """Whether a question of this worker may stand in line; once it may, it stays."""
        if claim.decided is None or claim.decided.done():
            return
        if place < self.most_waiting:
            claim.decided.set_result(None)
        else:
            claim.decided.set_exception(line_full(claim.limit, self.most_waiting))


def _settle(future: "asyncio.Future[None] | None") -> None:
    if future and not future.done():
        future.set_result(None)
