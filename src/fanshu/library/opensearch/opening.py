"""Finding the index of a library: made where there is none, renewed where it is old."""

from fanshu.errors import StoreRefused
from fanshu.library.opensearch.engine import Engine
from fanshu.library.opensearch.renewing import renew
from fanshu.library.opensearch.schema import FORMAT, mapping, settings, state_index
from fanshu.library.opensearch.state import State, States
from fanshu.library.sqlite_formats import NEWER_FORMAT, OTHER_FORMAT, newer


def opened(
    engine: Engine, name: str, *, shards: int, replicas: int, read_only: bool
) -> tuple[str, States]:
    """The index behind the alias of a library, and its state.

    Raises: StoreUnreachable; StoreRefused — it is of a newer version, or may only be read.
    """
    alias, states = f"{name}-chunks", f"{name}-state"
    body = {"settings": settings(shards, replicas), "mappings": mapping()}
    found = engine.behind(alias)
    if not found:
        if read_only:
            detail = f"there is no library {name!r}; name documents with --docs to make it."
            raise StoreRefused(address=engine.address, detail=detail)
        engine.create(states, state_index(replicas))
        engine.create(f"{alias}-1", {**body, "aliases": {alias: {}}})
        found = engine.behind(alias)
    index = max(found, key=_number)
    if newer(found[index], FORMAT):
        detail = NEWER_FORMAT.format(found=found[index], own=FORMAT)
        raise StoreRefused(address=engine.address, detail=detail)
    if newer(FORMAT, found[index]):
        if read_only:
            raise StoreRefused(address=engine.address, detail=OTHER_FORMAT)
        index = renew(engine, alias, index, found[index], states, body)
    kept = States(engine, states, index)
    if kept.found() is None:
        kept.create(State(FORMAT))
    return index, kept


def _number(index: str) -> int:
    """How often an index was renewed, and one."""
    number = index.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0
