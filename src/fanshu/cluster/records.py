"""JSON records in named collections, changed by compare and swap: what workers share.

A record has a key, a body, and fields by which it can be found. `get` sees the last write at once;
so does `find`, which costs a refresh after a write.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Body = Mapping[str, Any]
Fields = Mapping[str, str | float | bool | Sequence[str]]


class Conflict(Exception):
    """A record is not at the version that was expected. It never leaves a face."""


@dataclass(frozen=True, slots=True)
class Version:
    """Names one state of a record. `NEW` expects that there is none."""

    number: int
    term: int


NEW = Version(-1, -1)


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it is kept. `ends`: when it goes by itself, seconds since 1970; None: never."""

    key: str
    body: Body
    fields: Fields = field(default_factory=dict)
    ends: float | None = None
    version: Version = NEW


class Records(Protocol):
    """Collections of records. Thread-safe.

    Raises: StoreUnreachable, StoreRefused, in every method.
    """

    def get(self, collection: str, key: str) -> Record | None:
        """One record, as last written; None when there is none or its time is up."""
        ...

    def put(self, collection: str, record: Record, *, expect: Version | None = None) -> Version:
        """Write a record whole. `expect`: the version it replaces; None: whatever is there.

        Raises: Conflict — it is at another version.
        """
        ...

    def remove(self, collection: str, key: str, *, expect: Version | None = None) -> bool:
        """Take a record out; whether there was one. Raises: Conflict."""
        ...

    def find(
        self,
        collection: str,
        where: Fields | None = None,
        *,
        least: Mapping[str, float] | None = None,
        newest: str | None = None,
        limit: int = 1_000,
    ) -> Sequence[Record]:
        """Records whose fields have all of these values (of a list, one of them).

        `least`: fields that are at least so much. `newest`: the field to sort by, highest first;
        else by key. More than `limit` are left out.
        """
        ...

    def total(self, collection: str, of: str, where: Fields, least: Mapping[str, float]) -> float:
        """The sum of a field over the records that match."""
        ...
