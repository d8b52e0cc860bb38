"""Settings become a library in a store of other machines, and stores that are copied."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from fanshu.errors import ConfigError, NoLibrary
from fanshu.library.files import Root
from fanshu.library.locations import Remote, SharedStore
from fanshu.library.registry import Registry
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import Store
from fanshu.places import roots, store_file
from fanshu.settings import Settings
from fanshu.settings_file import IN_FILE, is_remote
from fanshu.stores import open_client, open_shared

LOCK_SECONDS = 60.0  # that a copy waits for who is indexing
TOGETHER = 500  # documents taken out at once


def location(
    settings: Settings, over: Sequence[Root], on_wait: Callable[[], None] | None = None
) -> Remote:
    """Where the library of these settings is. Whoever names no roots only asks.

    Raises: ConfigError, ExtraMissing; nothing is asked of the store yet.
    """
    known = registry(settings, over, on_wait)
    return Remote(partial(_open, settings, not over), known)


def registry(
    settings: Settings, over: Sequence[Root], on_wait: Callable[[], None] | None = None
) -> Registry:
    """Who indexes what in the store of these settings. Raises: ConfigError, ExtraMissing."""
    shared = open_shared(settings)
    assert shared is not None  # noqa: S101 - these settings are of a store
    return Registry(shared.records, shared.place, over, on_wait=on_wait)


def _open(settings: Settings, read_only: bool, root_of: Callable[[str], str]) -> SharedStore:
    client, address = open_client(settings)
    from fanshu.library.opensearch.store import OpenSearchStore

    return OpenSearchStore(
        client,
        address.name,
        shards=settings.store_shards,
        replicas=settings.store_replicas,
        read_only=read_only,
        root_of=root_of,
    )


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a copy: its name as it may be shown, its store, and the right to write it."""

    name: str
    store: Store
    held: Callable[[], AbstractContextManager[None]] = nullcontext


@contextmanager
def target_as_it_is(settings: Settings, address: str) -> Iterator[Side]:
    """A store that might be copied to, only to be looked at; what is not there is empty.

    Raises: ConfigError, ExtraMissing, StoreError, IndexUnwritable.
    """
    with ExitStack() as opened:
        try:
            found = opened.enter_context(side(settings, address, (), reads=True))
        except (NothingThere, NoLibrary):
            folder = opened.enter_context(TemporaryDirectory())
            empty = SqliteStore(Path(folder) / "index.db")
            opened.callback(empty.close)
            found = Side(address, empty)
        yield found


class NothingThere(ConfigError):
    """There is no file of that name."""


@contextmanager
def side(settings: Settings, address: str, docs: Sequence[str], *, reads: bool) -> Iterator[Side]:
    """A store by its address, with the login of the settings. `docs`: the roots of its documents.

    `reads`: it is only read; a file has to be there then.

    Raises: ConfigError, ExtraMissing, StoreError, IndexUnwritable.
    """
    if not is_remote(address):
        file = store_file(address)
        if reads and not file.is_file():
            hint = "`fanshu status` names that of an index"
            raise NothingThere(name="store", detail=f"there is no file {str(file)!r}; {hint}")
        local = SqliteStore(file)
        try:
            yield Side(f"{IN_FILE}{file}", local)
        finally:
            local.close()
        return
    there = settings.model_copy(update={"store": address, "docs": tuple(docs)})
    known = registry(there, roots(there))
    if not known.own:
        known.own = {"": ""}  # it is registered, and whose it is shows when it is indexed
    kept = Remote(partial(_open, there, reads), known)
    yield Side(kept.name, kept.store(), partial(kept.held, LOCK_SECONDS))


def forget(settings: Settings, key: str) -> tuple[bool, int]:
    """Take a root out of a library, with its documents: whether it was there, how many went.

    Raises: RootBusy — somebody is indexing it; StoreError.
    """
    known = registry(settings, ())
    there = key in known.entries(fresh=True)
    known.own = {key: ""}
    kept = Remote(partial(_open, settings, False), known)
    with kept.held(0):
        paths = list(kept.own())
        for start in range(0, len(paths), TOGETHER):
            with kept.store().write() as writer:
                for path in paths[start : start + TOGETHER]:
                    writer.remove(path)
    known.forget(key)
    return there, len(paths)
