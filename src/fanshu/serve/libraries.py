"""The libraries that are served: opened once, kept up to date, taken anew without a restart."""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fanshu import app
from fanshu.errors import FanshuError, UnknownLibrary
from fanshu.library.library import Library, Progress
from fanshu.library.placing import network_filesystem
from fanshu.serve.planning import Plan, Planned

if TYPE_CHECKING:
    from fanshu.models import Model
    from fanshu.settings import Settings

log = logging.getLogger("fanshu.serve")

EVERY_SECONDS = 2.0  # between comparisons of a folder and its index, while somebody asks
WATCHED_SECONDS = 60.0  # the same where the system tells of changes
SHARE = 0.1  # of the time at most goes into comparisons: 10,000 files on a network drive take 20 s
BEAT_SECONDS = 10.0  # between two signs to the other machines over a store that a root is cared for
COMPARING = 64  # threads of their own: those that search are not kept busy by first readings
PATIENCE = 0.1  # seconds that a request waits for a comparison; else it is given what there is
OpenModel = Callable[["Settings"], "Model"]
OnReview = Callable[[str, Library], None]


def _nobody(name: str, library: Library) -> None:
    """Whom nothing is told."""


@dataclass(eq=False, slots=True)
class Shelf:
    """One library that is open, with the model that answers over it.

    `compared`: when its folder and index were last compared, by the monotonic clock; `took`: how
    many seconds that took. `progress`: how far the one that runs is. `users`: requests that are
    using it now. `trouble`: why it cannot be compared just now.
    """

    planned: Planned
    library: Library
    model: "Model"
    threads: Executor | None = None
    progress: Progress | None = None
    compared: float = 0.0
    took: float = 0.0
    users: int = 0
    ready: bool = False
    watched: bool = False
    closing: bool = False
    trouble: FanshuError | None = None
    comparing: "asyncio.Task[None] | None" = None
    review: OnReview = _nobody
    stop: threading.Event = field(default_factory=threading.Event)

    @property
    def name(self) -> str:
        return self.planned.name

    @property
    def settings(self) -> "Settings":
        return self.planned.settings

    async def up_to_date(self, *, wait: bool = True) -> None:
        """Compare the folder with the index if that is due, and wait for it a little.

        `wait`: for a first reading as long as it takes.

        Raises: LibraryError — the library has never been read, and cannot be.
        """
        pause = max(WATCHED_SECONDS if self.watched else EVERY_SECONDS, self.took / SHARE)
        if self.comparing is None and time.monotonic() - self.compared >= pause:
            self.compare()
        if self.comparing:
            await asyncio.wait(
                {self.comparing}, timeout=None if wait and not self.ready else PATIENCE
            )
        if self.trouble and not self.ready:
            raise self.trouble

    def compare(self) -> None:
        """Begin a comparison; one at a time."""
        if self.comparing is None and not self.closing:
            self.comparing = asyncio.create_task(self._compare())
            self.comparing.add_done_callback(lambda _: setattr(self, "comparing", None))

    async def _compare(self) -> None:
        began = time.monotonic()
        try:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self.threads, self._keep_up)
            self.trouble, self.ready = None, True
        except FanshuError as error:
            self.trouble = error
            log.warning("library %s: %s", self.name, error)
        self.progress = None
        self.compared = time.monotonic()
        self.took = self.compared - began

    async def beat(self) -> None:
        """Have the other machines know that the roots of this one are being cared for."""
        if self.watched and self.ready and self.library.registry:
            loop = asyncio.get_running_loop()
            await loop.run_in_executor(self.threads, self.library.registry.compared)
        else:
            await self.up_to_date(wait=False)

    def _keep_up(self) -> None:
        app.up_to_date(self.library, self._heard)
        self.review(self.name, self.library)

    def _heard(self, progress: Progress) -> None:
        self.progress = progress


class Libraries:
    """All that is served, by name, in the order of the plan.

    `review` hears of each library whose approved answers have just been looked at.
    """

    def __init__(self, plan: Plan, open_model: OpenModel, review: OnReview = _nobody) -> None:
        self._open_model, self._review = open_model, review
        self._plan = plan
        self._shelves: dict[str, Shelf] = {}
        self._leaving: set[asyncio.Task[None]] = set()
        self._beating: asyncio.Task[None] | None = None
        self._threads = ThreadPoolExecutor(COMPARING, thread_name_prefix="compare")

    @property
    def all(self) -> Mapping[str, Shelf]:
        return self._shelves

    def open(self) -> None:
        """Open every library. Raises: LibraryError, ConfigError, ModelError."""
        self._shelves = {one.name: self._opened(one) for one in self._plan.libraries}
        for shelf in self._shelves.values():
            shelf.compare()
            self._watch(shelf)
        self._beating = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        """Libraries that several machines fill are cared for, also while nobody asks."""
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            for shelf in list(self._shelves.values()):
                if shelf.library.registry and shelf.library.roots and not shelf.closing:
                    with suppress(FanshuError):  # it shows when somebody asks
                        await shelf.beat()

    def _opened(self, planned: Planned) -> Shelf:
        model = self._open_model(planned.settings)
        library = app.open_library(planned.settings)
        return Shelf(planned, library, model, self._threads, review=self._review)

    def _watch(self, shelf: Shelf) -> None:
        """Compare whenever the system tells of a change; of network drives it tells nothing."""
        remote = any(network_filesystem(root.path) for root in shelf.library.roots)
        if remote or not self._plan.service.watch:
            return
        loop = asyncio.get_running_loop()

        def watch() -> None:
            from fanshu.library.watching import changes

            try:
                shelf.watched = True
                for _ in changes(shelf.library.roots, shelf.stop):
                    loop.call_soon_threadsafe(self._changed, shelf)
            except (OSError, RuntimeError) as error:  # no watches left, a folder gone, loop closed
                log.info("library %s is not watched: %s", shelf.name, error)
            finally:
                shelf.watched = False

        threading.Thread(target=watch, name=f"watch {shelf.name}", daemon=True).start()

    @staticmethod
    def _changed(shelf: Shelf) -> None:
        if shelf.comparing:
            shelf.comparing.add_done_callback(lambda _: shelf.compare())
        else:
            shelf.compare()

    def find(self, name: str | None, allowed: Iterable[str]) -> Shelf:
        """The library of that name among those allowed, or the first of them.

        Raises: UnknownLibrary.
        """
        known = set(allowed)
        shelves = [shelf for shelf in self._shelves.values() if shelf.name in known]
        for shelf in shelves:
            if name in (None, "", shelf.name):
                return shelf
        names = ", ".join(shelf.name for shelf in shelves)
        raise UnknownLibrary(library=name or "", known=names or "-")

    @asynccontextmanager
    async def using(self, shelf: Shelf, *, wait: bool = True) -> AsyncIterator[Shelf]:
        """A library that stays open meanwhile, up to date. Raises: LibraryError.

        `wait`: for a first reading as long as it takes; else there may be little in it yet.
        """
        shelf.users += 1
        try:
            await shelf.up_to_date(wait=wait)
            yield shelf
        finally:
            shelf.users -= 1

    # ---------------------------------------------------------------- another plan

    def change(self, plan: Plan) -> None:
        """Serve another plan: what is new is opened, what is gone closed once nobody uses it.

        Libraries that stay as they were go on. Raises: FanshuError — then nothing changes.
        """
        kept: dict[str, Shelf] = {}
        fresh: list[Shelf] = []
        for planned in plan.libraries:
            shelf = self._shelves.get(planned.name)
            if shelf is None or shelf.planned != planned:
                shelf = self._opened(planned)
                fresh.append(shelf)
            kept[planned.name] = shelf
        gone = [shelf for shelf in self._shelves.values() if shelf not in kept.values()]
        self._plan, self._shelves = plan, kept
        for shelf in fresh:
            shelf.compare()
            self._watch(shelf)
        for shelf in gone:
            task = asyncio.create_task(_close(shelf))
            self._leaving.add(task)
            task.add_done_callback(self._leaving.discard)

    async def close(self) -> None:
        """Close everything."""
        if self._beating:
            self._beating.cancel()
        await asyncio.gather(*map(_close, self._shelves.values()), *self._leaving)
        self._threads.shutdown(wait=False)


async def _close(shelf: Shelf) -> None:
    """Close a library once nobody uses it."""
    shelf.closing = True
    shelf.stop.set()
    while shelf.users or shelf.comparing:  # noqa: ASYNC110 - seldom, and nobody waits for it
        await asyncio.sleep(0.1)
    with suppress(Exception):
        await shelf.model.close()
    shelf.library.close()
