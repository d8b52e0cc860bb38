"""Where a library is kept: in a file of this machine, or in a store that several machines fill.

What differs is who else writes, and which documents are this machine's to compare with files.
"""

import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Protocol

from fanshu.errors import RootBusy
from fanshu.library.locking import WriteLock
from fanshu.library.registry import Registry
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import DocumentRecord, Store
from fanshu.library.synonyms import text_of


class SharedStore(Store, Protocol):
    """A store that several machines write."""

    def fence(self, tokens: Mapping[str, int]) -> None:
        """From now on, write the documents of these roots with these tokens, and let nobody
        write them with lower ones.
        """
        ...

    def tidy(self) -> None:
        """Delete some of what nobody reads any more."""
        ...


class Location(Protocol):
    """A place of a library. `name`: as it is shown. `registry`: who indexes what, of several."""

    name: str
    registry: Registry | None

    def store(self) -> Store:
        """The store, open."""
        ...

    def own(self) -> Mapping[str, DocumentRecord]:
        """The documents that are this machine's to compare."""
        ...

    def mine(self, path: str) -> bool:
        """Whether a document is one of them."""
        ...

    def enter(self) -> None:
        """Make the roots of this machine known, before the first comparison."""
        ...

    def compared(self, *, changed: bool = False) -> None:
        """The roots of this machine have just been compared."""
        ...

    def synonyms(self) -> Mapping[str, str]:
        """Texts of the files of synonyms of roots that other machines read, by root."""
        ...

    def held(self, seconds: float, *, here: float = -1) -> AbstractContextManager[None]:
        """The right to write, waited for so long; `here`: for other threads of this process."""
        ...

    def close(self) -> None:
        """Give back the connections."""
        ...


class Local:
    """A file of SQLite; all of its documents are this machine's."""

    registry: Registry | None

    def __init__(
        self, index: Path, on_wait: Callable[[], None] | None, store: Store | None = None
    ) -> None:
        self.name, self.registry = str(index), None
        self._store: Store = store or SqliteStore(index)
        self.held = WriteLock(index, on_wait).held

    def store(self) -> Store:
        """The store, open."""
        return self._store

    def own(self) -> Mapping[str, DocumentRecord]:
        """Every document."""
        return self._store.documents()

    def mine(self, path: str) -> bool:  # noqa: ARG002
        """All are."""
        return True

    def enter(self) -> None:
        """Nobody else needs to know."""

    def compared(self, *, changed: bool = False) -> None:
        """Nobody else needs to know."""

    def synonyms(self) -> Mapping[str, str]:
        """None: all roots are read here."""
        return {}

    def close(self) -> None:
        """Give back the connections."""
        self._store.close()


class Remote:
    """A store that several machines fill; it is opened when it is first needed.

    `open_store` gets what tells the root of a path.
    """

    def __init__(
        self, open_store: Callable[[Callable[[str], str]], SharedStore], registry: Registry
    ) -> None:
        self.name, self._registry = registry.address, registry
        self.registry: Registry | None = registry
        self._open = open_store
        self._store: SharedStore | None = None
        self._guard = threading.Lock()

    def store(self) -> SharedStore:
        """The store, open. Raises: StoreError."""
        store = self._store
        if store is None:
            with self._guard:
                store = self._store = self._store or self._open(self._registry.key_of)
        return store

    def own(self) -> Mapping[str, DocumentRecord]:
        """The documents of the roots of this machine; those that were copied are of no root."""
        if not self._registry.own:
            return {}
        found = self.store().documents(roots=("", *self._registry.own))
        return {path: one for path, one in found.items() if self.mine(path)}

    def mine(self, path: str) -> bool:
        """Whether a document is of a root of this machine."""
        return self._registry.mine(path)

    def enter(self) -> None:
        """Register the roots of this machine. Raises: RootElsewhere, StoreError."""

        def nameless() -> set[str]:
            found = self.store().documents(roots=("",))
            return {path.partition("/")[0] if "/" in path else "" for path in found}

        self._registry.enter(lambda key: key in nameless())
        known = self._registry.entries()
        copied = known.get("")
        if copied and not copied.path and not nameless().difference({*known} - {""}):
            with suppress(RootBusy):  # all that was copied has its root by now
                self._registry.forget("")

    def compared(self, *, changed: bool = False) -> None:
        """Tell the others that the roots of this machine are as the library has them."""
        texts = {key: text_of(Path(place)) for key, place in self._registry.own.items()}
        self._registry.compared(texts, at_once=changed)
        self.store().tidy()

    def synonyms(self) -> Mapping[str, str]:
        """Texts of the files of synonyms of roots that other machines read, by root."""
        return self._registry.synonyms()

    def held(self, seconds: float, *, here: float = -1) -> AbstractContextManager[None]:
        """The lease on the roots of this machine. Raises: RootBusy, IndexBusy, StoreError."""
        return self._registry.held(seconds, self.store().fence, here=here)

    def close(self) -> None:
        """Nothing: the connections are the process's, for whatever else is in that store."""
        self._store = None
