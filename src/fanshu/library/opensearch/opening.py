"""Finding the index of a library: made where there is none, renewed where it is old."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fanshu.errors import NoLibrary, StoreRefused
from fanshu.library.opensearch.engine import Engine
from fanshu.library.opensearch.renewing import renew
from fanshu.library.opensearch.schema import FORMAT, mapping, settings, state_index
from fanshu.library.opensearch.state import State, States
from fanshu.library.sqlite_formats import NEWER_FORMAT, OTHER_FORMAT, newer

STATELESS = (
    "the state of {index!r} was deleted, so that nobody can tell what it holds; the next "
    "`fanshu index` makes it anew."
)


def opened(
    engine: Engine, name: str, *, shards: int, replicas: int, read_only: bool
) -> tuple[str, States]:
    """The index behind the alias of a library, and its state.

    Raises: StoreUnreachable; NoLibrary; StoreRefused — it is of a newer version, may only be read,
    or something else has its name.
    """
    alias, states = f"{name}-chunks", f"{name}-state"
    body = {"settings": settings(shards, replicas), "mappings": mapping()}
    found = engine.behind(alias)
    if not found:
        if read_only:
            raise NoLibrary(address=engine.address, name=name)
        found = _made(engine, alias, States(engine, states, f"{alias}-1"), body, replicas)
    index = max(found, key=_number)
    if newer(found[index], FORMAT):
        detail = f"{NEWER_FORMAT.format(found=found[index], own=FORMAT)}."
        raise StoreRefused(address=engine.address, detail=detail)
    if newer(FORMAT, found[index]):
        if read_only:
            raise StoreRefused(address=engine.address, detail=f"{OTHER_FORMAT}.")
        index = renew(engine, alias, index, found[index], states, body)
    kept = States(engine, states, index)
    if kept.found() is None:
        # The state is made first, so that somebody deleted it since; which chunks count, nobody
        # can tell any more.
        if read_only:
            raise StoreRefused(address=engine.address, detail=STATELESS.format(index=index))
        engine.drop(index)
        return opened(engine, name, shards=shards, replicas=replicas, read_only=read_only)
    return index, kept


def _made(
    engine: Engine, alias: str, kept: States, body: Mapping[str, Any], replicas: int
) -> Mapping[str, str]:
    """The first index of a library, which this or another process makes now."""
    engine.create(kept.index, state_index(replicas))
    old = kept.found()
    if old is None:
        kept.create(State(FORMAT))
    elif not engine.behind(alias):  # its index was deleted; who may write its roots still holds
        empty = replace(State(FORMAT), generation=old.generation + 1, fences=old.fences)
        kept.change(lambda now: empty if now == old else now)
    engine.create(kept.key, {**body, "aliases": {alias: {}}})
    found = engine.behind(alias)
    if not found:
        detail = f"the index {kept.key!r} is there, and no library of fanshu: delete or rename it."
        raise StoreRefused(address=engine.address, detail=detail)
    return found


def _number(index: str) -> int:
    """How often an index was renewed, and one."""
    number = index.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0
