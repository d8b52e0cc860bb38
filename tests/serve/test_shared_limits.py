"""Limits that count over all workers of a store: questions at once, in line, requests a minute."""

import asyncio
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fanshu.cluster.records import Records
from fanshu.errors import StoreUnreachable, TooMany
from fanshu.serve.queueing import Turn
from fanshu.serve.shared_queueing import COLLECTION, LEASE_SECONDS, SharedTurns
from fanshu.serve.shared_rates import SharedRates
from tests.records import KINDS, shared_records


@pytest.fixture(params=KINDS)
def records(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Records]:
    with shared_records(request, tmp_path) as found:
        yield found


class Gone:
    """A store that cannot be reached."""

    def __getattr__(self, name: str) -> Callable[..., object]:
        def failed(*_: object, **__: object) -> object:
            raise StoreUnreachable(address="opensearch://gone:9200/x", detail="refused")

        return failed


def workers(records: Records, count: int, *limits: int, **options: object) -> list[SharedTurns]:
    return [
        SharedTurns(records, asyncio.to_thread, *limits, name=f"w{n}", **options)  # type: ignore[arg-type]
        for n in range(count)
    ]


async def until(true: Callable[[], object]) -> None:
    ends = time.monotonic() + 60
    while not true():
        assert time.monotonic() < ends, "it does not come true"
        await asyncio.sleep(0.01)


async def test_places_count_over_all_workers(records: Records) -> None:
    one, two = workers(records, 2, 2, 2, 5)
    first, second = await one.enter("a"), await two.enter("b")
    third = await one.enter("c")
    assert (first.called.done(), second.called.done(), third.called.done()) == (True, True, False)
    assert (one.running, one.waiting, two.running) == (1, 1, 1)
    second.leave()
    second.leave()
    await asyncio.wait_for(third.called, 60)
    first.leave()
    third.leave()
    await one.close()
    await two.close()
    assert list(records.find(COLLECTION)) == []


async def test_of_many_at_the_same_moment_only_so_many_come_in(records: Records) -> None:
    """Five of one asker over three workers: two run, one waits, two are told that it is too many.

    In line there may be one more than allowed, never among those that run.
    """
    spread = workers(records, 3, 4, 2, 1)
    entered = await asyncio.gather(
        *(spread[n % 3].enter("a") for n in range(5)), return_exceptions=True
    )
    turns = [one for one in entered if isinstance(one, Turn)]
    assert sum(isinstance(one, TooMany) for one in entered) in (1, 2)
    assert sum(turn.called.done() for turn in turns) == 2
    other = await spread[0].enter("b")  # others are not affected
    assert other.called.done()
    for turn in [*turns, other]:
        turn.leave()
    await asyncio.gather(*(one.close() for one in spread))


async def test_never_more_run_than_allowed_and_all_get_their_turn(records: Records) -> None:
    spread, most = workers(records, 3, 2, 1, 9), [0]
    running: list[str] = []

    async def ask(n: int) -> None:
        async with await spread[n % 3].enter("abcd"[n % 4]):
            running.append("abcd"[n % 4])
            most[0] = max(most[0], len(running))
            assert len(set(running)) == len(running)
            await asyncio.sleep(0.01)
            running.remove("abcd"[n % 4])

    await asyncio.wait_for(asyncio.gather(*map(ask, range(12))), 120)
    assert most[0] <= 2
    await asyncio.gather(*(one.close() for one in spread))


async def test_askers_take_turns_across_workers(records: Records) -> None:
    came: list[str] = []
    one, two = workers(records, 2, 1, 1, 9)

    async def ask(turns: SharedTurns, name: str) -> None:
        async with await turns.enter(name[0]):
            came.append(name)
            await asyncio.sleep(0)

    first = await one.enter("z")
    asks = []
    for turns, name in ((one, "a1"), (one, "a2"), (two, "a3"), (two, "b1"), (one, "c1")):
        asks.append(asyncio.create_task(ask(turns, name)))
        await until(lambda: one.waiting + two.waiting == len(asks))
        await asyncio.sleep(0.005)  # the order is that of their times
    first.leave()
    await asyncio.wait_for(asyncio.gather(*asks), 60)
    assert came == ["a1", "b1", "c1", "a2", "a3"]
    await asyncio.gather(one.close(), two.close())


async def test_places_of_a_worker_that_died_come_free(records: Records) -> None:
    now = [time.time()]
    (dead,) = workers(records, 1, 1, 1, 1, clock=lambda: now[0] - LEASE_SECONDS + 1)
    (alive,) = [SharedTurns(records, asyncio.to_thread, 1, 1, 1, name="alive")]
    await dead.enter("a")
    assert dead._task
    dead._task.cancel()
    waits = await alive.enter("b")
    assert not waits.called.done()
    await asyncio.wait_for(waits.called, 60)
    waits.leave()
    await alive.close()


async def test_without_the_store_the_limits_are_each_workers_own() -> None:
    turns = SharedTurns(Gone(), asyncio.to_thread, 1, 1, 1)  # type: ignore[arg-type]
    first = await turns.enter("a")
    second = await turns.enter("a")
    assert (first.called.done(), second.called.done()) == (True, False)
    with pytest.raises(TooMany):
        await turns.enter("a")
    first.leave()
    await asyncio.wait_for(second.called, 60)
    second.leave()
    await turns.close()


async def test_who_goes_away_while_entering_leaves_nothing(records: Records) -> None:
    (turns,) = workers(records, 1, 1, 1, 1)
    entering = asyncio.create_task(turns.enter("a"))
    await asyncio.sleep(0)
    entering.cancel()
    await asyncio.wait({entering})
    await turns.close()
    assert (turns.running, turns.waiting) == (0, 0)
    assert list(records.find(COLLECTION)) == []


# ---------------------------------------------------------------- requests a minute


def test_requests_count_over_all_workers(records: Records) -> None:
    now = [time.time()]
    spread = [SharedRates(records, 60, "requests", clock=lambda: now[0]) for _ in range(3)]
    for n in range(15):
        spread[n % 3].take("a")
    for rates in spread:
        with pytest.raises(TooMany) as refused:
            rates.take("a")
        assert refused.value.fields["seconds"] == pytest.approx(1.0)
    spread[0].take("b")
    now[0] += 1.1
    spread[1].take("a")


def test_a_busy_user_costs_few_writes_and_gets_all_there_is(records: Records) -> None:
    now = [time.time()]
    one, two = (SharedRates(records, 1_200, "requests", clock=lambda: now[0]) for _ in range(2))
    one.take("a")
    version = records.get("rates", "requests:a")
    for _ in range(15):
        one.take("a")
    assert records.get("rates", "requests:a") == version
    taken = 16
    with pytest.raises(TooMany):
        for _ in range(400):
            two.take("a")
            taken += 1
    assert 300 - 20 <= taken <= 300  # what the other still had is a second's worth at most


def test_a_check_takes_nothing(records: Records) -> None:
    one, two = (SharedRates(records, 20, "failed logins", ahead=0) for _ in range(2))
    for _ in range(9):
        one.check("a")
    for n in range(5):
        (one, two)[n % 2].take("a")
    for rates in (one, two):
        with pytest.raises(TooMany):
            rates.check("a")


def test_without_the_store_each_worker_counts_for_itself() -> None:
    rates = SharedRates(Gone(), 60, "requests")  # type: ignore[arg-type]
    for _ in range(15):
        rates.check("a")
        rates.take("a")
    with pytest.raises(TooMany):
        rates.take("a")
