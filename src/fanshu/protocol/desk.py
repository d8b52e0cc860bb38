"""Where a caller's libraries come from: each transport brings a desk of its own.

The tools know only this. Who may see what, how many may ask at once and what errors may tell is
settled behind it.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fanshu.errors import FanshuError
from fanshu.library.library import Library
from fanshu.types import Answer, Scope

if TYPE_CHECKING:
    from fanshu.agent.answer import Strictness
    from fanshu.agent.events import OnEvent


@dataclass(frozen=True, slots=True)
class Reading:
    """How far the first reading of a library is: files done, of how many (0: not yet known)."""

    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Opened:
    """A library as whoever asks may see it. `hits`, `check`: its settings of these names.

    `reading`: while it is read for the first time; what is not found yet may still come.
    """

    name: str
    title: str
    library: Library
    scope: Scope
    hits: int
    check: "Strictness"
    reading: Reading | None = None


@dataclass(frozen=True, slots=True)
class Asking:
    """A question for a library. `seconds`: after which it ends with what there is."""

    library: str
    question: str
    fresh: bool
    seconds: float


class Desk(Protocol):
    """The libraries of one caller."""

    @property
    def names(self) -> tuple[str, ...]:
        """The libraries that may be seen."""

    def reading(self, name: str) -> Reading | None:
        """How far the first reading of a library is, None when it is over."""

    def open(self, name: str) -> AbstractAsyncContextManager[Opened]:
        """A library that stays open meanwhile, as up to date as it can be at once.

        Raises: UnknownLibrary, LibraryError.
        """

    async def ask(self, asking: Asking, on_event: "OnEvent") -> Answer:
        """Answer a question; cancelled, the run ends and nothing more is paid for.

        Raises: UnknownLibrary, LibraryError, TooMany, CostReached, ServiceEnding.
        """

    def explain(self, error: FanshuError) -> str:
        """What the caller may be told of an error."""


DeskOf = Callable[[object], Desk]
"""The desk of a request: what the transport knows of it, None on standard input."""
