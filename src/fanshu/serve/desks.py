"""The libraries as an MCP caller sees them, and the desk of whoever has started the process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fanshu import app
from fanshu.errors import FanshuError
from fanshu.protocol.desk import Asking, Opened, Reading
from fanshu.serve.libraries import Libraries, Shelf
from fanshu.types import EVERYTHING, Answer, Scope

if TYPE_CHECKING:
    from fanshu.agent.events import OnEvent


@dataclass(frozen=True, slots=True)
class OwnDesk:
    """Everything, for whoever has started this process."""

    libraries: Libraries
    running: set[asyncio.Task[object]] = field(default_factory=set)

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self.libraries.all)

    def reading(self, name: str) -> Reading | None:
        """How far the first reading of a library is."""
        return reading_of(self.libraries, name)

    def open(self, name: str) -> AbstractAsyncContextManager[Opened]:
        """A library. Raises: UnknownLibrary, LibraryError."""
        return open_shelf(self.libraries, self.libraries.find(name, self.names), EVERYTHING)

    async def ask(self, asking: Asking, on_event: "OnEvent") -> Answer:
        """Ask with the settings of the library. Raises: UnknownLibrary, LibraryError."""
        shelf = self.libraries.find(asking.library, self.names)
        settings = shelf.settings
        if settings.deadline is None:
            settings = settings.model_copy(update={"deadline": asking.seconds})
        if task := asyncio.current_task():  # the end waits for it, so that its trace is kept
            self.running.add(task)
            task.add_done_callback(self.running.discard)
        return await app.answer(
            asking.question,
            settings,
            shelf.library,
            shelf.model,
            on_event=on_event,
            caching="fresh" if asking.fresh else "use",
        )

    def explain(self, error: FanshuError) -> str:
        """All that there is to say."""
        return str(error)

    async def end(self, seconds: float) -> None:
        """End what runs; it tells how far it came in so many seconds."""
        for task in self.running:
            task.cancel()
        if self.running:
            await asyncio.wait(self.running, timeout=seconds)


def reading_of(libraries: Libraries, name: str) -> Reading | None:
    """How far the first reading of a library is, None when it is over or cannot be."""
    shelf = libraries.all.get(name)
    if shelf is None or shelf.ready or shelf.trouble:
        return None
    progress = shelf.progress
    return Reading(progress.done, progress.total) if progress else Reading()


@asynccontextmanager
async def open_shelf(libraries: Libraries, shelf: Shelf, scope: Scope) -> AsyncIterator[Opened]:
    """A library as far as it has been read. Raises: LibraryError."""
    async with libraries.using(shelf, wait=False):
        yield Opened(
            name=shelf.name,
            title=shelf.planned.title,
            library=shelf.library,
            scope=scope,
            hits=shelf.settings.hits,
            check=shelf.settings.check,
            reading=reading_of(libraries, shelf.name),
        )
