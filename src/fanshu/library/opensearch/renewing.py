"""An index of an earlier format → one of ours, beside it, from what it keeps.

The old one goes on answering meanwhile, and is written on. When all is copied, its state says
where everything is now, in the same step in which it is seen that nothing was added; whoever
still writes it then is turned away.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from time import monotonic, sleep
from typing import Any

from fanshu.errors import StoreRefused
from fanshu.library.copying import batches
from fanshu.library.opensearch import records
from fanshu.library.opensearch.engine import Engine
from fanshu.library.opensearch.records import Stored
from fanshu.library.opensearch.schema import FORMAT
from fanshu.library.opensearch.state import State, States
from fanshu.library.opensearch.writing import Committing, OpenSearchWriter

BATCH = 4_000  # chunks of one transaction
WAIT = 30.0  # seconds for another process that renews the same index
LAST = 5.0  # seconds that the old index stays for searches that go on
OTHER = (
    "another process renews its format ({found} to {own}); where none does, delete {index!r} and "
    "try again"
)


def renew(
    engine: Engine, alias: str, old: str, found: str, states: str, body: Mapping[str, Any]
) -> str:
    """The name of the renewed index. `body`: what it is made with; `states`: where states are.

    Raises: StoreUnreachable; StoreRefused — another process is at it.
    """
    new = f"{alias}-{int(old.rpartition('-')[2]) + 1}"
    if not engine.create(new, body):
        return _of_another(engine, alias, new, found)
    before, after = States(engine, states, old), States(engine, states, new)
    copied: dict[str, Stored] = {}
    state = before.found() or State(found)
    after.create(State(FORMAT, generation=state.generation))
    while True:
        state = before.found() or State(found)
        there = records.every(engine, old, state)
        _copy(engine, old, new, after, there, copied)
        copied = there
        state = before.change(partial(_moved, new, state.generation))
        if state.moved:
            break
    after.change(lambda now: now.fenced(state.fences))
    engine.point(alias, new, [old])
    sleep(LAST)
    engine.drop(old)
    return new


def _moved(to: str, generation: int, now: State) -> State:
    """The state of an index all of which is elsewhere; as it is, if something was added."""
    return replace(now, moved=to) if now.generation == generation else now


def _of_another(engine: Engine, alias: str, new: str, found: str) -> str:
    until = monotonic() + WAIT
    while monotonic() < until:
        if new in engine.behind(alias):
            return new
        sleep(0.5)
    detail = OTHER.format(found=found, own=FORMAT, index=new)
    raise StoreRefused(address=engine.address, detail=detail)


def _copy(
    engine: Engine,
    old: str,
    new: str,
    after: States,
    there: Mapping[str, Stored],
    copied: Mapping[str, Stored],
) -> None:
    """Bring the new index up to the old one, from what of it was copied before."""
    changed = [one for path, one in there.items() if copied.get(path) != one]
    roots = {path: one.root for path, one in there.items()}
    for batch in batches(sorted(changed, key=lambda one: one.number), BATCH):
        writer = OpenSearchWriter()
        for one in batch:
            pieces, aliases = records.content(engine, old, one.unit)
            writer.put(one.record, pieces, aliases)
        Committing(engine, new, after, roots.__getitem__, {}).commit(writer.wanted)
    gone = [path for path in copied if path not in there]
    if gone:
        writer = OpenSearchWriter()
        for path in gone:
            writer.remove(path)
        Committing(engine, new, after, lambda _: "", {}).commit(writer.wanted)
