"""Who may see what: a person, what is granted, and the scope that follows from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from fanshu.errors import NotAllowed
from fanshu.types import EVERYTHING, Scope

ANY = "*"
Kind = Literal["local", "user", "token"]


@dataclass(frozen=True, slots=True)
class Grant:
    """Something that may be seen: paths that match a pattern, in one library or (`*`) in all."""

    library: str = ANY
    pattern: str = ANY

    @classmethod
    def of(cls, text: str) -> "Grant":
        """From `LIBRARY`, `LIBRARY:PATTERN` or `:PATTERN`; what is left empty allows nothing."""
        library, colon, pattern = text.partition(":")
        return cls(library or (ANY if colon else ""), pattern if colon else ANY)

    def __str__(self) -> str:
        return self.library if self.pattern == ANY else f"{self.library}:{self.pattern}"


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever sends a request: somebody on this machine, a user, or a program with a token.

    `writes`: may upload and delete, where a library allows it. `keeps`: sees the unanswered
    questions of everybody. `approves`: may approve answers. `cost`: US dollars a month, None for
    what the service sets. `since`: when the account was made.
    """

    kind: Kind
    name: str
    grants: tuple[Grant, ...] = (Grant(),)
    writes: bool = False
    keeps: bool = False
    approves: bool = False
    cost: float | None = None
    since: str = ""

    @property
    def label(self) -> str:
        """What the log calls somebody; a token is not the user of that name."""
        return f"{self.kind}:{self.name}"

    @property
    def key(self) -> str:
        """What limits and the history know somebody by: not by a name that was given anew."""
        return f"{self.label}:{self.since}"

    def scope(self, library: str) -> Scope:
        """What of a library somebody may see."""
        patterns = {one.pattern for one in self.grants if one.library in (ANY, library)}
        return EVERYTHING if ANY in patterns else Scope(tuple(sorted(patterns)))

    def libraries(self, names: Iterable[str]) -> tuple[str, ...]:
        """Those libraries that somebody may see anything of."""
        return tuple(name for name in names if self.scope(name).patterns)

    def must_write(self) -> None:
        """Raises: NotAllowed."""
        if not self.writes:
            raise NotAllowed(detail="You may not change documents.")

    def must_approve(self) -> None:
        """Raises: NotAllowed."""
        if not self.approves:
            raise NotAllowed(detail="You may not approve answers.")


LOCAL = Person("local", "local", writes=True, keeps=True, approves=True)
"""Whoever reaches a service that listens on this machine alone and demands no login."""


def within(then: Sequence[str], now: Scope) -> bool:
    """Whether all that some patterns allowed may be seen now.

    Patterns are compared as they are written: that one lies inside another is not worked out.
    """
    return now.everything or set(then) <= set(now.patterns)
