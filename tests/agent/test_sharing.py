"""Several ask the same at the same time: one run, and nobody's going away ends it for the rest."""

import asyncio
from collections.abc import Callable

import pytest

from fanshu.agent.events import Ended, Event, OnEvent, Started
from fanshu.agent.sharing import share
from fanshu.errors import LibraryError
from fanshu.types import Answer

DONE = Answer("q", "answered", "30")
CUT = Answer("q", "partial", "", stop_reason="interrupted")
GONE = Answer("q", "partial", "gone", stop_reason="interrupted")


class Work:
    """Counts its runs; each waits to be let go, and takes a cancellation as the loop does."""

    def __init__(self) -> None:
        self.runs = 0
        self.go = asyncio.Event()

    async def __call__(self, told: OnEvent) -> Answer:
        self.runs += 1
        told(Started("q", "r", 6))
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            return CUT
        told(Ended(DONE))
        return DONE

    def ask(self, key: str = "k", on_event: OnEvent | None = None) -> "asyncio.Task[Answer]":
        return asyncio.create_task(share(key, self, on_event, lambda: GONE))


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_one_run_and_each_hears_all_of_it() -> None:
    work = Work()
    heard: tuple[list[Event], list[Event]] = ([], [])
    first = work.ask(on_event=heard[0].append)
    await settled()
    second = work.ask(on_event=heard[1].append)
    other = work.ask("another")
    await settled()
    work.go.set()
    assert await asyncio.gather(first, second, other) == [DONE] * 3
    assert work.runs == 2
    assert heard[0] == heard[1] == [Started("q", "r", 6), Ended(DONE)]
    assert await work.ask() == DONE
    assert work.runs == 3


async def test_one_of_several_may_go() -> None:
    work = Work()
    tasks = [work.ask() for _ in range(3)]
    await settled()
    tasks[0].cancel()
    assert await tasks[0] == GONE
    work.go.set()
    assert await tasks[1] == await tasks[2] == DONE
    assert work.runs == 1


async def test_when_the_last_one_goes_the_run_ends() -> None:
    work = Work()
    one, other = work.ask(), work.ask()
    await settled()
    one.cancel()
    await settled()
    other.cancel()
    await settled()
    assert (await one, await other) == (GONE, CUT)
    late = work.ask()
    await settled()
    work.go.set()
    assert await late == DONE
    assert work.runs == 2


async def test_an_error_is_everybodys() -> None:
    async def fails(told: Callable[[Event], None]) -> Answer:
        await asyncio.sleep(0)
        raise LibraryError(detail="no")

    asks = [asyncio.create_task(share("k", fails, None, lambda: GONE)) for _ in range(2)]
    for ask in asks:
        with pytest.raises(LibraryError):
            await ask
