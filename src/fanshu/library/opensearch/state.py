"""The state of a library: which units are there, changed by compare and swap.

Units are numbered from a counter and never changed. A writer takes numbers (`announced`), stores
its units, and only then are they there (`committed`), together and in place of those that they
replace. Whoever reads looks past units that are not there yet, those whose time is over, and all
with higher numbers than he knew of, and so sees one moment, whatever is written meanwhile. Units
whose time is over are deleted after a while (`GRACE`), by the next writer.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from random import uniform
from threading import Lock
from time import sleep, time
from typing import Any, NamedTuple

from fanshu.errors import StoreRefused, StoreUnreachable
from fanshu.library.opensearch.engine import Conflict, Engine, Json

GRACE = 60.0  # seconds that what is over stays for those who still read it
SILENCE = 600.0  # seconds without a sign after which a writer is given up
LATE = 3_600.0  # … in which what a lost writer sent may still arrive
SWEPT = 20_000  # chunks deleted at a time
LOGGED = 100  # commits
LOGGED_UNITS = 2_000  # … and what they took out: the state is read often
LOST = 3  # replies
TRIES = 200  # at a state that others keep changing


class Moved(Exception):
    """The index has been renewed, and everything is in another. It never leaves this package."""


class Span(NamedTuple):
    """Numbers from `first`, so many of them; since when, seconds since 1970."""

    first: int
    size: int
    since: float

    def __contains__(self, number: object) -> bool:
        return isinstance(number, int) and self.first <= number < self.first + self.size

    def condition(self) -> dict[str, Any]:
        """What holds for all of these units."""
        return _between(self.first, self.first + self.size)


class Over(NamedTuple):
    """What is over: a record, and the unit with its chunks and aliases, 0 where that lives on."""

    record: int
    unit: int
    chunks: int
    names: int


class Commit(NamedTuple):
    """What a commit changed: `size` records from `first` on came, others went."""

    generation: int
    writer: str
    first: int
    size: int
    gone: list[int]


@dataclass(frozen=True, slots=True)
class State:
    """What the state document says. `chunks` and `terms` are totals of all that is there.

    `fences`: the lowest token with which documents of a root may be written, by its key.
    """

    format: str
    generation: int = 0
    next: int = 1
    chunks: int = 0
    terms: int = 0
    writing: dict[str, Span] = field(default_factory=dict)
    lost: list[Span] = field(default_factory=list)
    over: list[tuple[float, list[Over]]] = field(default_factory=list)
    log: list[Commit] = field(default_factory=list)
    moved: str = ""
    fences: dict[str, int] = field(default_factory=dict)

    # ------------------------------------------------------------ reading

    def hidden(self) -> tuple[dict[str, Any], ...]:
        """Conditions that hold for chunks which a reader has to look past."""
        spans = [*self.writing.values(), *self.lost]
        hidden = [one.condition() for one in spans if one.size]
        units = sorted({one.unit for _, many in self.over for one in many if one.unit})
        return (*hidden, *conditions(units))

    def shown(self) -> dict[str, Any]:
        """The condition that holds for everything of this moment, and may for what is hidden."""
        return {"range": {"unit": {"lt": self.next}}}

    def has(self, record: int, gone: frozenset[int]) -> bool:
        """Whether a record is there. `gone`: those that are over."""
        spans = [*self.writing.values(), *self.lost]
        unborn = record >= self.next or any(record in one for one in spans)
        return not unborn and record not in gone

    def gone(self) -> frozenset[int]:
        """The records that are over."""
        return frozenset(one.record for _, many in self.over for one in many)

    def since(self, generation: int) -> list[Commit] | None:
        """The commits after a generation; None when they are not all known."""
        commits = [one for one in self.log if one.generation > generation]
        return commits if len(commits) == self.generation - generation else None

    # ------------------------------------------------------------ changing

    def fenced(self, tokens: Mapping[str, int]) -> "State":
        """Whoever has lower tokens writes these roots no more."""
        higher = {k: n for k, n in tokens.items() if n > self.fences.get(k, 0)}
        return replace(self, fences={**self.fences, **higher}) if higher else self

    def announced(self, writer: str, count: int) -> "State":
        """A writer takes numbers. Writers that gave no sign for long are given up.

        Raises: Moved.
        """
        if self.moved:
            raise Moved
        if writer in self.writing:
            return replace(self)  # heard, and not yet known to be kept: it is said again
        now = time()
        silent = {k: one for k, one in self.writing.items() if now - one.since > SILENCE}
        alive = {k: one for k, one in self.writing.items() if k not in silent}
        lost = [*self.lost, *(one._replace(since=now) for one in silent.values())]
        alive[writer] = Span(self.next, count, now)
        return replace(self, next=self.next + count, writing=alive, lost=lost)

    def alive(self, writer: str) -> "State":
        """A writer gives a sign."""
        span = self.writing[writer]._replace(since=time())
        return replace(self, writing={**self.writing, writer: span})

    def given_up(self, writer: str) -> "State":
        """A writer ends without a commit; its numbers are never there."""
        if writer not in self.writing:
            return self
        writing = dict(self.writing)
        span = writing.pop(writer)
        return replace(self, writing=writing, lost=[*self.lost, span._replace(since=time())])

    def committed(
        self,
        writer: str,
        used: int,
        over: Sequence[Over],
        totals: tuple[int, int],
        swept: "State | None" = None,
    ) -> "State":
        """What a writer stored is there: its first `used` numbers, and what they replace is over.

        `totals`: by how much (chunks, terms) change. `swept`: what it deleted besides.
        """
        writing = dict(self.writing)
        span = writing.pop(writer)
        now, generation = time(), self.generation + 1
        kept = [one for one in self.over if not swept or one not in swept.over]
        if over:
            kept.append((now, list(over)))
        commit = Commit(generation, writer, span.first, used, [one.record for one in over])
        return replace(
            self,
            generation=generation,
            chunks=self.chunks + totals[0],
            terms=self.terms + totals[1],
            writing=writing,
            lost=[one for one in self.lost if not swept or one not in swept.lost],
            over=kept,
            log=_shortened([*self.log, commit]),
        )

    def garbage(self) -> "State":
        """What is over, or lost, for long enough to be deleted and forgotten: some of it."""
        now, chunks = time(), 0
        over: list[tuple[float, list[Over]]] = []
        for at, many in self.over:
            if now - at > GRACE and chunks < SWEPT:
                over.append((at, many))
                chunks += sum(one.chunks for one in many)
        return State("", over=over, lost=[one for one in self.lost if now - one.since > LATE])

    def without(self, swept: "State") -> "State":
        """The state when garbage has been deleted; nobody sees a difference."""
        over = [one for one in self.over if one not in swept.over]
        return replace(self, over=over, lost=[one for one in self.lost if one not in swept.lost])

    # ------------------------------------------------------------ kept

    @classmethod
    def of(cls, source: Json) -> "State":
        """The state that a document holds."""
        return cls(
            **{
                **source,
                "writing": {k: Span(*one) for k, one in source["writing"].items()},
                "lost": [Span(*one) for one in source["lost"]],
                "over": [(at, [Over(*one) for one in many]) for at, many in source["over"]],
                "log": [Commit(*one) for one in source["log"]],
            }
        )


class States:
    """Reads and changes the state of one index. Thread-safe."""

    def __init__(self, engine: Engine, index: str, key: str) -> None:
        self._engine, self.index, self.key = engine, index, key
        self._lock = Lock()
        self._last: State | None = None

    def found(self) -> State | None:
        """The state as it is now, None when there is none."""
        found = self._engine.get(self.index, self.key)
        return State.of(found["_source"]) if found else None

    def create(self, state: State) -> None:
        """The first state, unless another made it."""
        try:
            self._engine.put(self.index, self.key, asdict(state), None)
        except Conflict:
            return

    def current(self) -> State:
        """A state of the present generation."""
        last = self._last
        if last:
            found = self._engine.get(self.index, self.key, "generation,moved")
            if found:
                told = found["_source"]
                if (told["generation"], told["moved"]) == (last.generation, last.moved):
                    return last
        state = self.found()
        if state is None:
            detail = f"the state of {self.key} is gone: was the library deleted?"
            raise StoreUnreachable(address=self._engine.address, detail=detail)
        with self._lock:
            if self._last is None or state.generation >= self._last.generation:
                self._last = state
        return state

    def change(self, change: Callable[[State], State]) -> State:
        """The state after a change, which is tried again while others come first.

        `change` gets the state and gives the next, the same one for no change.
        """
        lost = 0
        for attempt in range(TRIES):
            found = self._engine.get(self.index, self.key)
            if found is None:
                detail = f"the state of {self.key} is gone"
                raise StoreUnreachable(address=self._engine.address, detail=detail)
            before = State.of(found["_source"])
            after = change(before)
            if after is before:
                return before
            version = found["_seq_no"], found["_primary_term"]
            try:
                self._engine.put(self.index, self.key, asdict(after), version)
            except (Conflict, StoreUnreachable) as error:
                # Whether it arrived is not known then; whoever changes looks for that himself.
                lost += isinstance(error, StoreUnreachable)
                if lost > LOST:
                    raise
                sleep(uniform(0, min(0.01 * 2 ** min(attempt, 6), 0.5)))  # noqa: S311
                continue
            return after
        detail = "too many others are writing"
        raise StoreRefused(address=self._engine.address, detail=detail)


def _between(first: int, end: int) -> dict[str, Any]:
    return {"range": {"unit": {"gte": first, "lt": end}}}


def conditions(units: Iterable[int]) -> list[dict[str, Any]]:
    """Conditions of which one holds for each of some units, in order; few for many neighbours."""
    loose: list[int] = []
    found: list[dict[str, Any]] = []
    for _, run in groupby(enumerate(units), key=lambda pair: pair[1] - pair[0]):
        numbers = [number for _, number in run]
        if len(numbers) > 2:
            found.append(_between(numbers[0], numbers[-1] + 1))
        else:
            loose += numbers
    return found + ([{"terms": {"unit": loose}}] if loose else [])


def _shortened(log: list[Commit]) -> list[Commit]:
    log = log[-LOGGED:]
    while log and sum(len(one.gone) for one in log) > LOGGED_UNITS:
        log = log[1:]
    return log
