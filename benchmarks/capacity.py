"""How many machines: a simulation of questions, workers, the model and the store's nodes.

    python benchmarks/capacity.py plan [--chunks 1e6 --a-minute 600]   # tables; without: all sizes
    python benchmarks/capacity.py check ASKS.jsonl                     # against runs of asks.py

Discrete events: questions come by chance (Poisson) at the rate of a day's busiest hour; each takes
a place of a worker, processor time of it, rounds with the model (a quota, then lognormal
seconds), and searches that go to every shard at once, each on some node that holds a copy. A
station serves in order of coming, so what it does next is known when work comes in: one event is
the step of a question, not of a shard, and a hundred million chunks take seconds to simulate.

Costs are measured (`MEASURED`; docs/scale.md says by which runs). What cannot be seen here: garbage
collection, merges while loading, networks between machines, a model service's own moods.
"""

import argparse
import heapq
import itertools
import json
import math
import random
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

# ---------------------------------------------------------------- the kernel


class Station:
    """Servers that take work in order of coming. Seconds everywhere."""

    def __init__(self, servers: int) -> None:
        self._free = [0.0] * servers
        self.servers = servers
        self.busy = 0.0

    def done(self, now: float, work: float) -> float:
        """When work that comes now is done. Calls must come in order of time."""
        if not work:
            return now
        ends = max(now, self._free[0]) + work
        heapq.heapreplace(self._free, ends)
        self.busy += work
        return ends

    def used(self, until: float) -> float:
        """The share of its time that it worked."""
        return self.busy / (until * self.servers)


class Places:
    """So many may be inside; others wait in order."""

    def __init__(self, count: int) -> None:
        self.free = count
        self.waiting: deque[Step] = deque()


class Quota:
    """Calls a second that a service allows; what `ahead` seconds left unused may come at once."""

    def __init__(self, a_second: float, ahead: float = 30.0) -> None:
        self._gap, self._ahead, self._next = 1 / a_second, ahead, -ahead
        self.calls = 0

    def allowed(self, now: float) -> float:
        """When a call that is wanted now may be made."""
        self._next = max(self._next, now - self._ahead) + self._gap
        self.calls += 1
        return max(now, self._next)


Step = Iterator["float | Places"]


class Clock:
    """Runs steps in order of time: each yields when it goes on, or places to wait for."""

    def __init__(self) -> None:
        self.now = 0.0
        self._due: list[tuple[float, int, Step]] = []
        self._count = itertools.count()

    def add(self, at: float, step: Step) -> None:
        heapq.heappush(self._due, (at, next(self._count), step))

    def leave(self, places: Places) -> None:
        """Give a place back: the next in line goes on now."""
        if places.waiting:
            self.add(self.now, places.waiting.popleft())
        else:
            places.free += 1

    def run(self) -> None:
        while self._due:
            self.now, _, step = heapq.heappop(self._due)
            for wanted in step:
                if not isinstance(wanted, Places):
                    self.add(wanted, step)
                    break
                if wanted.free == 0:
                    wanted.waiting.append(step)
                    break
                wanted.free -= 1


# ---------------------------------------------------------------- what it costs


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds of processor time, as measured at up to 200,000 chunks; what a shard takes is drawn
    on in a straight line.

    Of five searches one is in a folder. `cv`: how much a piece of work varies.
    """

    question: float = 0.061  # of a worker: HTTP, checks of the answer, trace, history
    round: float = 0.033  # … for a round, its searches without the engine's part
    cached: float = 0.008  # … for an answer from the cache
    shard: float = 0.011  # of a node: one search in one shard, however small
    shard_million: float = 0.120  # … more for each million chunks in it
    shard_most: float = math.inf  # … and never more than this
    merge: float = 0.002  # of a node: putting a search's shards together
    record: float = 0.030  # of a node: writing or reading what workers share, searches apart
    records: int = 4  # of these a question: place in line, cache, trace, history
    trips: int = 8  # requests, one after the other, that make a search
    network: float = 0.0005  # seconds of one trip between machines
    cv: float = 0.7

    def search(self, chunks: float) -> float:
        """A search in a shard of so many chunks."""
        return min(self.shard + self.shard_million * chunks / 1e6, self.shard_most)


MEASURED = Costs()
FLAT = replace(MEASURED, shard_most=0.035)  # as if no shard took more than one of 200,000 chunks


@dataclass(frozen=True, slots=True)
class Load:
    """What is asked. `a_minute`: in the busiest hour; `rounds`: shares of 1, 2, 3 … rounds."""

    a_minute: float
    rounds: tuple[float, ...] = (0.55, 0.30, 0.15)
    searches: float = 1.0  # a round
    cached: float = 0.2  # share that the cache answers
    model: float = 2.0  # median seconds of a reply
    sigma: float = 0.6  # of its logarithm
    seconds: float = 120.0  # simulated
    warm: float = 1.0  # … after so many times as much, so that queues have found their length

    @property
    def mean_rounds(self) -> float:
        return sum(n * share for n, share in enumerate(self.rounds, 1)) / sum(self.rounds)


@dataclass(frozen=True, slots=True)
class Machines:
    """What answers. `places`: questions at once of a worker; `quota`: model calls a minute."""

    chunks: float
    workers: int
    nodes: int = 0  # 0: SQLite beside the worker
    shards: int = 1
    replicas: int = 1
    cores: int = 8  # of a node
    places: int = 64
    quota: float = math.inf


@dataclass(slots=True)
class Outcome:
    """What came of it: seconds of each answer, of the model in it, and shares of use."""

    took: list[float] = field(default_factory=list)
    added: list[float] = field(default_factory=list)
    used: dict[str, float] = field(default_factory=dict)
    answered: int = 0
    asked: int = 0

    def p(self, share: float, what: str = "took") -> float:
        ordered = sorted(getattr(self, what))
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else math.nan


# ---------------------------------------------------------------- the simulation


def simulate(load: Load, machines: Machines, costs: Costs = MEASURED, seed: int = 1) -> Outcome:
    """What becomes of the questions of a time."""
    return _Simulation(load, machines, costs, random.Random(seed)).run()


class _Simulation:
    def __init__(self, load: Load, machines: Machines, costs: Costs, draw: random.Random) -> None:
        self.load, self.machines, self.costs, self.draw = load, machines, costs, draw
        self.clock = Clock()
        self.workers = [Station(1) for _ in range(machines.workers)]
        self.places = [Places(machines.places) for _ in range(machines.workers)]
        self.nodes = [Station(machines.cores) for _ in range(machines.nodes)]
        self.quota = Quota(machines.quota / 60) if machines.quota < math.inf else None
        self.outcome = Outcome()
        self.begins, self.ends = load.warm * load.seconds, (1 + load.warm) * load.seconds
        self.copies = self._copies()
        self.shard_work = (
            costs.shard + costs.shard_million * machines.chunks / machines.shards / 1e6
        )
        self.shape = 1 / costs.cv**2 if costs.cv else math.inf

    def vary(self, mean: float) -> float:
        """A piece of work around its mean."""
        if not mean or self.shape == math.inf:
            return mean
        return self.draw.gammavariate(self.shape, mean / self.shape)

    def _copies(self) -> list[list[Station]]:
        """The nodes that hold each shard: copies of one shard lie on different nodes."""
        if not self.nodes:
            return []
        count = min(1 + self.machines.replicas, len(self.nodes))
        every = len(self.nodes)
        return [
            [self.nodes[(shard * count + copy) % every] for copy in range(count)]
            for shard in range(self.machines.shards)
        ]

    def run(self) -> Outcome:
        rate, at = self.load.a_minute / 60, 0.0
        while (at := at + self.draw.expovariate(rate)) < self.ends:
            self.clock.add(at, self._question(at))
        self.clock.run()
        self._used()
        return self.outcome

    def _used(self) -> None:
        """Shares of the time in which questions came."""
        for name, stations in (("workers", self.workers), ("nodes", self.nodes)):
            if stations:
                shares = [one.used(self.ends) for one in stations]
                self.outcome.used[name] = sum(shares) / len(shares)
        if self.quota:
            self.outcome.used["model quota"] = self.quota.calls / (
                self.machines.quota / 60 * self.ends
            )

    def _question(self, came: float) -> Step:
        number = self.draw.randrange(len(self.workers))
        worker, places = self.workers[number], self.places[number]
        counts = came >= self.begins
        self.outcome.asked += counts
        model = 0.0
        if self.draw.random() < self.load.cached:
            yield worker.done(self.clock.now, self.vary(self.costs.cached))
            yield self._record()
        else:
            yield places
            yield worker.done(self.clock.now, self.vary(self.costs.question))
            for _ in range(self._rounds()):
                yield worker.done(self.clock.now, self.vary(self.costs.round))
                for _ in range(self._searches()):
                    for _ in range(self.costs.trips if self.nodes else 0):
                        yield self._searched()
                if self.quota:
                    yield self.quota.allowed(self.clock.now)
                took = self.load.model * self.draw.lognormvariate(0, self.load.sigma)
                model += took
                yield self.clock.now + took
            for _ in range(self.costs.records if self.nodes else 0):
                yield self._record()
            self.clock.leave(places)
        if counts:
            self.outcome.took.append(self.clock.now - came)
            self.outcome.added.append(self.clock.now - came - model)
            self.outcome.answered += self.clock.now < self.ends

    def _rounds(self) -> int:
        shares = self.load.rounds
        return self.draw.choices(range(1, len(shares) + 1), shares)[0]

    def _searches(self) -> int:
        whole = int(self.load.searches)
        return whole + (self.draw.random() < self.load.searches - whole)

    def _searched(self) -> float:
        """When a trip of a search is back: every shard has answered, and a node has merged."""
        now, trips = self.clock.now + self.costs.network, self.costs.trips
        latest = max(
            self.draw.choice(copies).done(now, self.vary(self.shard_work / trips))
            for copies in self.copies
        )
        # Merging is counted as work of its node, in the order in which it was foreseen.
        merging = self.draw.choice(self.nodes).done(now, self.vary(self.costs.merge / trips))
        return max(latest, merging) + self.costs.merge / trips

    def _record(self) -> float:
        if not self.nodes:
            return self.clock.now
        now = self.clock.now + self.costs.network
        return self.draw.choice(self.nodes).done(now, self.vary(self.costs.record))


# ---------------------------------------------------------------- what breaks first


def most(load: Load, machines: Machines, costs: Costs = MEASURED) -> dict[str, float]:
    """Questions a minute at which each resource has no time left (the utilisation law)."""
    rounds, fresh = load.mean_rounds, 1 - load.cached
    worker = fresh * (costs.question + rounds * costs.round) + load.cached * costs.cached
    out = {"workers": 60 * machines.workers / worker}
    if fresh and machines.quota < math.inf:
        out["model quota"] = machines.quota / (fresh * rounds)
    if fresh:
        held = rounds * load.model * math.exp(load.sigma**2 / 2)
        out["places"] = 60 * machines.workers * machines.places / (fresh * held)
    if machines.nodes:
        search = machines.shards * costs.search(machines.chunks / machines.shards) + costs.merge
        node = fresh * (rounds * load.searches * search + costs.records * costs.record)
        node += load.cached * costs.record
        out["nodes"] = 60 * machines.nodes * machines.cores / node
    return out


QUESTIONS = 2_000  # at least, in what is simulated
FULL = 0.6  # share of use that a plan aims at: twice as long answers come at 0.8 and more
SHARD = 2e6  # chunks of a shard at most: 10 GB


def planned(load: Load, chunks: float, costs: Costs = MEASURED, cores: int = 8) -> Machines:
    """Machines for a load, none of them more than `FULL` in use, and one node to spare."""
    rounds, fresh = load.mean_rounds, 1 - load.cached
    calls = load.a_minute * fresh * rounds
    held = load.a_minute / 60 * fresh * rounds * load.model * math.exp(load.sigma**2 / 2)
    shards = max(1, math.ceil(chunks / SHARD))
    one = Machines(chunks, 1, 1, shards, 1, cores, quota=calls / FULL)
    may = most(load, one, costs)
    workers = max(2, math.ceil(load.a_minute / may["workers"] / FULL), math.ceil(held / 64 / FULL))
    nodes = max(3, math.ceil(load.a_minute / may["nodes"] / FULL) + 1)
    # Without a copy to hold, a node has nothing to do: more nodes than copies are of no use.
    replicas = max(1, math.ceil(nodes / shards) - 1)
    if nodes >= 2 * shards:
        nodes = (1 + replicas) * shards  # … and one with two copies has twice as much
    return replace(one, workers=workers, nodes=nodes, replicas=replicas)


# ---------------------------------------------------------------- faces


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    print(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for one in rows:
        print(f"| {' | '.join(map(str, one))} |", flush=True)


def plan(chunks: Sequence[float], a_minute: Sequence[float]) -> None:
    rows = []
    for size, rate in itertools.product(chunks, a_minute):
        load = Load(rate, seconds=max(12.0, 60 * QUESTIONS / rate))
        machines = planned(load, size)
        out = simulate(load, machines)
        may = most(load, machines)
        first = min(may, key=may.__getitem__)
        used = ", ".join(f"{name} {share:.0%}" for name, share in out.used.items())
        rows.append(
            (f"{size / 1e6:g} M", f"{rate:,g}", machines.workers, machines.nodes,
             planned(load, size, FLAT).nodes,
             f"{machines.shards} × {1 + machines.replicas}",
             f"{machines.quota:,.0f}", f"{out.p(0.5):.1f}, {out.p(0.95):.1f}",
             f"{out.p(0.5, 'added') * 1000:.0f}, {out.p(0.95, 'added') * 1000:.0f}", used,
             f"{first}, at {may[first]:,.0f}")
        )  # fmt: skip
    table(("chunks", "questions a minute", "workers", "nodes", "if flat", "shards × copies",
           "model calls a minute", "p50, p95 s", "added ms", "in use",
           "breaks first"), rows)  # fmt: skip


def check(path: Path) -> None:
    """The same load simulated as `asks.py` has measured; costs are those of its lightest run."""
    runs = [json.loads(line) for line in path.read_text().splitlines()]
    rows = []
    for kind in dict.fromkeys(map(_kind, runs)):
        same = [one for one in runs if _kind(one) == kind]
        rows += [_compared(one, same) for one in same]
    table(("workers", "nodes", "asked a second", "in use", "p50 s: measured, simulated", "p95 s",
           "added p50 ms", "added p95 ms", "p50, p95 off by"), rows)  # fmt: skip


def _kind(run: dict[str, Any]) -> tuple[object, ...]:
    return run["workers"], run["nodes"], run["latency"], run["again"]


def _compared(run: dict[str, Any], same: Sequence[dict[str, Any]]) -> tuple[object, ...]:
    every = [simulate(*simulated(run, same), seed) for seed in range(SEEDS)]
    out = Outcome(
        [t for one in every for t in one.took], [t for one in every for t in one.added],
        {"workers": sum(one.used["workers"] for one in every) / SEEDS},
    )  # fmt: skip
    pairs = [
        (run["p50"], out.p(0.5), 1, 2), (run["p95"], out.p(0.95), 1, 2),
        (run["added50"], out.p(0.5, "added"), 1e3, 0),
        (run["added95"], out.p(0.95, "added"), 1e3, 0),
    ]  # fmt: skip
    shown = [f"{real * by:.{n}f}, {made * by:.{n}f}" for real, made, by, n in pairs]
    off = ", ".join(f"{made / real - 1:+.0%}" for real, made, *_ in pairs[:2])
    kind = (run["workers"], run["nodes"], f"{run['rate']:g}", f"{out.used['workers']:.2f}")
    return (*kind, *shown, off)


def simulated(
    run: dict[str, Any], same: Sequence[dict[str, Any]]
) -> tuple[Load, Machines, Costs]:  # fmt: skip
    """A measured run as it is simulated.

    Processor time is that of the lightest run. How long a second of it took on a machine that did
    other work is told by the heaviest, in which workers never rest: they got `busy` of a core.
    Whatever lies between is the simulation's, and so is how long the queues of the heaviest are.
    """
    lightest, heaviest = (pick(same, key=lambda one: one["rate"]) for pick in (min, max))
    slowed = 1 / min(1.0, heaviest["busy"])
    rounds = {int(n): count for n, count in run["rounds_of"].items()}
    load = Load(
        run["rate"] * 60, tuple(rounds.get(n, 0) for n in range(1, max(rounds) + 1)),
        cached=run["again"], model=run["latency"], sigma=run["sigma"], seconds=run["asked_for"],
        warm=0,
    )  # fmt: skip
    own, engine = lightest["cpu_question"] * slowed, lightest["engine_question"] * slowed
    nodes = run["nodes"]
    cost = Costs(
        question=FIXED * own, round=(1 - FIXED) * own / load.mean_rounds, cached=FIXED * own,
        shard=0.8 * engine / load.mean_rounds / max(nodes, 1), shard_million=0.0,
        merge=0.1 * engine / load.mean_rounds, record=0.1 * engine / MEASURED.records, network=0.0,
    )  # fmt: skip
    return load, Machines(0, run["workers"], nodes, max(nodes, 1), 0, 1, run["places"]), cost


SEEDS = 20  # runs of the simulation for one that was measured
FIXED = 0.4  # of a question's processor time that does not grow with its rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    planning = verbs.add_parser("plan")
    planning.add_argument("--chunks", type=float, nargs="+", default=[1e5, 1e6, 1e7, 1e8])
    planning.add_argument("--a-minute", type=float, nargs="+", default=[10, 100, 1_000, 10_000])
    checking = verbs.add_parser("check")
    checking.add_argument("runs", type=Path)
    given = parser.parse_args()
    if given.verb == "plan":
        plan(given.chunks, given.a_minute)
    else:
        check(given.runs)


if __name__ == "__main__":
    main()
