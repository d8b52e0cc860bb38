"""The simulation behind docs/scale.md, against queues whose waiting times have a formula."""

import importlib.util
import math
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

PATH = Path(__file__).resolve().parent.parent / "benchmarks" / "capacity.py"
ARRIVALS = 20_000


@pytest.fixture(scope="module")
def capacity() -> ModuleType:
    spec = importlib.util.spec_from_file_location("capacity_benchmark", PATH)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def erlang_wait(servers: int, rate: float, served: float) -> float:
    """Mean wait of M/M/c in seconds, by Erlang's C formula."""
    offered = rate / served
    full = offered**servers / math.factorial(servers) / (1 - offered / servers)
    some = sum(offered**n / math.factorial(n) for n in range(servers))
    return full / (some + full) / (servers * served - rate)


def arrivals(draw: random.Random, rate: float) -> Iterator[float]:
    at = 0.0
    for _ in range(ARRIVALS):
        at += draw.expovariate(rate)
        yield at


@pytest.mark.parametrize(("servers", "use"), [(1, 0.5), (3, 0.7), (8, 0.8)])
def test_a_station_waits_as_erlang_says(capacity: Any, servers: int, use: float) -> None:
    draw, station = random.Random(3), capacity.Station(servers)
    waits = []
    for now in arrivals(draw, use * servers):
        work = draw.expovariate(1.0)
        waits.append(station.done(now, work) - now - work)
    expected = erlang_wait(servers, use * servers, 1.0)
    assert sum(waits) / len(waits) == pytest.approx(expected, rel=0.12)
    assert station.used(now) == pytest.approx(use, rel=0.05)


def test_places_wait_as_erlang_says(capacity: Any) -> None:
    draw, clock, places = random.Random(5), capacity.Clock(), capacity.Places(3)
    waits = []

    def step(came: float) -> Iterator[Any]:
        yield places
        waits.append(clock.now - came)
        yield clock.now + draw.expovariate(1.0)
        clock.leave(places)

    for at in arrivals(draw, 2.1):
        clock.add(at, step(at))
    clock.run()
    assert sum(waits) / len(waits) == pytest.approx(erlang_wait(3, 2.1, 1.0), rel=0.12)
    assert places.free == 3


def test_two_shards_take_as_long_as_the_formula_for_fork_and_join(capacity: Any) -> None:
    """Mean response (12 - use) / 8 times that of M/M/1 (Nelson and Tantawi 1988)."""
    draw, shards, use = random.Random(7), [capacity.Station(1), capacity.Station(1)], 0.6
    took = [
        max(shard.done(now, draw.expovariate(1.0)) for shard in shards) - now
        for now in arrivals(draw, use)
    ]
    assert sum(took) / len(took) == pytest.approx((12 - use) / 8 / (1 - use), rel=0.1)


def test_the_whole_of_it_is_m_m_1_when_nothing_but_a_worker_takes_time(capacity: Any) -> None:
    costs = capacity.Costs(question=0.5, round=0.0, cv=1.0)
    load = capacity.Load(
        a_minute=60, rounds=(1.0,), searches=0, cached=0, model=0.0, seconds=10_000
    )
    out = capacity.simulate(load, capacity.Machines(0, workers=1, places=10**6), costs)
    assert sum(out.took) / len(out.took) == pytest.approx(0.5 / (1 - 0.5), rel=0.1)
    assert out.used["workers"] == pytest.approx(0.5, rel=0.05)


def test_what_breaks_first_is_what_is_full_in_the_simulation(capacity: Any) -> None:
    load = capacity.Load(a_minute=600, seconds=60)
    machines = capacity.Machines(2e6, workers=2, nodes=3, shards=2, cores=2, quota=2_000)
    may, used = capacity.most(load, machines), capacity.simulate(load, machines).used
    for name, share in used.items():
        assert share == pytest.approx(load.a_minute / may[name], rel=0.15), name


def test_a_plan_leaves_room_in_everything(capacity: Any) -> None:
    load = capacity.Load(a_minute=6_000, seconds=20)
    machines = capacity.planned(load, 1e7)
    assert all(load.a_minute <= 0.62 * most for most in capacity.most(load, machines).values())
