"""Check-ups of the libraries: one at a time, in a thread of its own, kept until something changes.

Each scope has its own. Those of everything, filtered, would tell of files that somebody may not
see: values from them, counts, and whether what a link leads to exists.
"""

import asyncio
import logging
import time
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from math import inf

from fanshu.checkup.examination import check
from fanshu.checkup.findings import Report
from fanshu.errors import FanshuError, TooMany
from fanshu.library.library import Progress
from fanshu.serve.libraries import Libraries, Shelf
from fanshu.types import Scope

log = logging.getLogger("fanshu.serve")

KEPT = 16  # reports, of one scope of one library each; the one not asked for the longest goes
MOST_WAITING = 16  # check-ups that have begun or wait
LEFT_SECONDS = 15.0  # nobody has asked for so long: given up. Whoever follows one asks each second
SHARE = 0.2  # of the time at most goes into check-ups of a library that changes all the time
AGAIN_SECONDS = 10.0

_Key = tuple[
    str, str, Scope
]  # name of the library, its index: another one under an old name is new


class _Left(Exception):
    """Ends a check-up from inside: nobody waits for it any more."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A check-up that was made: of which state of the library, when (ISO form, UTC), and when it
    ended by the monotonic clock. `digest` tells states apart. No rules were applied yet.
    """

    report: Report
    digest: str
    at: str
    ended: float


@dataclass(eq=False, slots=True)
class Working:
    """A check-up on its way. `progress` is None while it waits for another one to end.

    `listeners` wait for it just now; `heard` is when the last one left that may come again.
    """

    progress: Progress | None = None
    listeners: int = 0
    heard: float = -inf
    ended: bool = False
    task: "asyncio.Task[None] | None" = None

    def step(self, progress: Progress) -> None:
        """Heard of each file, in the thread. Raises: _Left."""
        self.progress = progress
        alone = not self.listeners and time.monotonic() - self.heard > LEFT_SECONDS
        if self.ended or alone:
            raise _Left


@dataclass(frozen=True, slots=True)
class Found:
    """What there is for now: the last check-up, and the one on its way.

    `outdated`: the library has changed since the last one, which is why there may be another.
    """

    checked: Checked | None
    working: Working | None
    outdated: bool


class Checkups:
    """Asynchronous, for one event loop."""

    def __init__(self, libraries: Libraries) -> None:
        self._libraries = libraries
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="checkup")
        self._kept: OrderedDict[_Key, Checked] = OrderedDict()
        self._working: dict[_Key, Working] = {}
        self._failed: dict[_Key, Exception] = {}

    async def of(
        self,
        shelf: Shelf,
        scope: Scope,
        *,
        fresh: bool,
        seconds: float,
        gone: "asyncio.Task[None]",
    ) -> Found:
        """The check-up of a library in a scope; one that is due begins, and is waited for a little.

        `fresh`: another one, even if nothing has changed that the index knows of. `gone` ends when
        whoever asks is there no more.

        Raises: TooMany, FanshuError — the last one ended in that.
        """
        key = shelf.name, str(shelf.library.index), scope
        self._raise_failure(key)
        digest = await asyncio.to_thread(shelf.library.digest, scope=scope)
        if self._due(key, digest, fresh):
            self._begin(key, shelf, digest)
        working = self._working.get(key)
        if working and (fresh or key not in self._kept):
            await self._wait(working, seconds, gone)
        elif working:
            working.heard = time.monotonic()
        self._raise_failure(key)
        return self._found(key, digest)

    def _raise_failure(self, key: _Key) -> None:
        if failure := self._failed.pop(key, None):
            raise failure

    def _found(self, key: _Key, digest: str) -> Found:
        checked = self._kept.get(key)
        if checked:
            self._kept.move_to_end(key)
        outdated = checked is not None and checked.digest != digest
        return Found(checked, self._working.get(key), outdated)

    def _due(self, key: _Key, digest: str, fresh: bool) -> bool:
        checked = self._kept.get(key)
        if key in self._working:
            return False
        if checked is None:
            return True
        rested = time.monotonic() - checked.ended >= checked.report.seconds / SHARE
        return rested and (fresh or checked.digest != digest)

    def _begin(self, key: _Key, shelf: Shelf, digest: str) -> None:
        if len(self._working) >= MOST_WAITING:
            limit = f"{MOST_WAITING} at once"
            raise TooMany(what="check-ups", limit=limit, seconds=AGAIN_SECONDS)
        working = self._working[key] = Working()
        working.task = asyncio.create_task(self._make(key, shelf, digest, working))

    async def _make(self, key: _Key, shelf: Shelf, digest: str, working: Working) -> None:
        loop = asyncio.get_running_loop()
        try:
            async with self._libraries.using(shelf):
                report = await loop.run_in_executor(self._thread, _made, shelf, key[-1], working)
            self._keep(key, Checked(report, digest, _now(), time.monotonic()))
        except _Left:
            log.info("check-up of %s given up: nobody waits for it", shelf.name)
        except FanshuError as error:
            log.warning("check-up of %s: %s", shelf.name, error)
            self._failed[key] = error
        except Exception as error:  # noqa: BLE001 - whoever asks next is told
            self._failed[key] = error
        finally:
            del self._working[key]

    def _keep(self, key: _Key, checked: Checked) -> None:
        self._kept[key] = checked
        self._kept.move_to_end(key)
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    @staticmethod
    async def _wait(working: Working, seconds: float, gone: "asyncio.Task[None]") -> None:
        assert working.task  # noqa: S101 - it has begun
        working.listeners += 1
        try:
            either = {working.task, gone}
            await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            working.listeners -= 1
            if not gone.done():
                working.heard = time.monotonic()

    def stop(self) -> None:
        """Whoever waits is to be answered soon."""
        for one in self._working.values():
            one.ended = True

    async def end(self) -> None:
        """Give up what runs, and wait until it has ended."""
        self.stop()
        tasks = [one.task for one in self._working.values() if one.task]
        await asyncio.gather(*tasks, return_exceptions=True)
        self._thread.shutdown(wait=False)


def _made(shelf: Shelf, scope: Scope, working: Working) -> Report:
    working.step(Progress(0, 0, ""))
    return check(shelf.library, scope=scope, rules=(), on_progress=working.step)


def _now() -> str:
    return datetime.now(UTC).isoformat()
