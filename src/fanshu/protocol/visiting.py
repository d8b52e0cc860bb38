"""One call of a tool: whose it is, the libraries it means, what it tells on the way."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from fanshu.agent.context import Fence
from fanshu.agent.tools import Tools
from fanshu.errors import UnknownLibrary
from fanshu.protocol.desk import Desk, Opened
from fanshu.protocol.words import how_far, say
from fanshu.types import Language

READY_SECONDS = 10.0  # that a call waits for a first reading: most are over by then
TICK = 0.1  # seconds between two looks at how far it is
TOLD_EVERY = 1.0  # seconds between two notes on it
Note = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Told:
    """What a tool gives: text for a model to read, and the same as data."""

    text: str
    data: object


@dataclass(frozen=True, slots=True)
class Visit:
    """A call of a tool. `note` tells the client how it goes; `patience`: seconds, see above."""

    desk: Desk
    note: Note
    patience: float = READY_SECONDS

    def meant(self, library: str) -> tuple[str, ...]:
        """The libraries that a name means: that one, or without a name all.

        Raises: UnknownLibrary.
        """
        names = self.desk.names
        if not names or (library and library not in names):
            raise UnknownLibrary(library=library, known=", ".join(names) or "-")
        return (library,) if library else names

    @asynccontextmanager
    async def open(self, name: str, language: Language) -> AsyncIterator[Opened]:
        """A library; of one that is read for the first time what there is after a little while.

        Raises: UnknownLibrary, LibraryError.
        """
        await self._ready(name, language)
        async with self.desk.open(name) as opened:
            yield opened

    async def _ready(self, name: str, language: Language) -> None:
        ends = time.monotonic() + self.patience
        told = 0.0
        while (reading := self.desk.reading(name)) and time.monotonic() < ends:
            if time.monotonic() - told >= TOLD_EVERY:
                await self.note(how_far(language, name, reading) or "")
                told = time.monotonic()
            await asyncio.sleep(TICK)


def tools_for(opened: Opened, language: Language, hits: int = 0) -> Tools:
    """The tools of a run over a library: one call is a run of its own, which has seen nothing."""
    return Tools(
        opened.library,
        language=language,
        hits=hits or opened.hits,
        scope=opened.scope,
        fence=Fence(),
    )


def together(parts: Sequence[tuple[Opened, str]], language: Language, *, several: bool) -> str:
    """The texts of several libraries in one, each with how far its first reading is."""
    lines = []
    for opened, text in parts:
        lines += [say(language, "library", library=opened.name)] if several else []
        lines += filter(None, (text, how_far(language, opened.name, opened.reading)))
    return "\n".join(lines)
