"""Ctrl-C, a client that is gone, a deadline: at any moment, what there is, and no further call."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Literal

import pytest

from fanshu.agent.events import Bounced, Event
from fanshu.agent.loop import LoopAgent
from fanshu.agent.run import Run
from fanshu.library.library import Library
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.scripted import ScriptedModel
from tests.agent.runs import GATEWAY, RIGHT, TIMEOUT, Script, answer, make_library, read
from tests.waiting import Clock

How = Literal["cancelled", "deadline"]
WRONG = answer("读超时为 60 秒。", (TIMEOUT, "读超时时间为 30 秒"))


class Slow(ScriptedModel):
    """A scripted model whose reply of one round does not come."""

    def __init__(self, script: Script, hangs: int) -> None:
        super().__init__(script)
        self.hangs, self.asked, self.let_go = hangs, 0, False
        self.waiting = asyncio.Event()

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        self.asked += 1
        if self.asked == self.hangs:
            self.waiting.set()
            try:
                await asyncio.Event().wait()
            finally:
                self.let_go = True
        return await super().next(turns, tools, force=force)


async def stopped(library: Library, model: Slow, how: How, *, ahead: bool = False) -> Run:
    """A run that ends while the model is waited for."""
    clock = Clock()
    agent = LoopAgent(
        library, model, first_search=ahead, deadline=1_000 if how == "deadline" else None
    )
    task = asyncio.create_task(agent.ask("读超时是多少"))
    await model.waiting.wait()
    if how == "cancelled":
        task.cancel()
    else:
        clock.forward(1_000)
    return await task


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return make_library(tmp_path, GATEWAY)


@pytest.mark.parametrize("how", ["cancelled", "deadline"])
async def test_during_a_request(library: Library, how: How) -> None:
    model = Slow([[read(TIMEOUT)], [RIGHT]], hangs=2)
    run = await stopped(library, model, how)
    assert run.answer.status == "partial"
    assert run.answer.stop_reason == {"cancelled": "interrupted", "deadline": "deadline"}[how]
    assert TIMEOUT in run.answer.note
    assert (model.asked, model.let_go, run.answer.rounds) == (2, True, 2)


@pytest.mark.parametrize("how", ["cancelled", "deadline"])
async def test_during_the_first_request_after_a_search_ahead(library: Library, how: How) -> None:
    model = Slow([[RIGHT]], hangs=1)
    run = await stopped(library, model, how, ahead=True)
    assert run.answer.status == "partial"
    assert run.answer.searches[0].ahead
    assert run.answer.related or run.answer.note


@pytest.mark.parametrize("how", ["cancelled", "deadline"])
async def test_during_the_round_after_an_answer_was_sent_back(library: Library, how: How) -> None:
    """What was refused is told as what it is: partial, with what nothing supports."""
    model = Slow([[read(TIMEOUT)], [WRONG], [RIGHT]], hangs=3)
    run = await stopped(library, model, how)
    assert (run.answer.status, run.answer.bounces) == ("partial", 1)
    assert "60 秒" in "".join(run.answer.unsupported)
    assert model.asked == 3


async def test_at_the_moment_an_answer_is_sent_back(library: Library) -> None:
    """Whoever listens may stop the run from its own event."""
    model = Slow([[read(TIMEOUT)], [WRONG], [RIGHT]], hangs=9)
    agent = LoopAgent(library, model, first_search=False)

    def stop(event: Event) -> None:
        if isinstance(event, Bounced):
            task.cancel()

    task = asyncio.create_task(agent.ask("读超时是多少", on_event=stop))
    run = await task
    assert (run.answer.status, run.answer.stop_reason) == ("partial", "interrupted")
    assert model.asked <= 3


class Busy(ThreadPoolExecutor):
    """Threads that begin nothing; `asked`: something is to be done in them."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked = asyncio.Event()
        self._free = threading.Event()
        super().submit(self._free.wait)

    def submit(self, *work: Any) -> Future[Any]:  # type: ignore[override]  # of anything
        self.asked.set()
        return super().submit(*work)

    def __exit__(self, *_: object) -> None:
        self._free.set()
        self.shutdown()


async def test_during_the_search_ahead_nothing_is_paid(library: Library) -> None:
    """The search goes on in its thread and its result is not waited for."""
    model = Slow([[RIGHT]], hangs=9)
    with Busy() as pool:
        task = asyncio.create_task(LoopAgent(library, model, executor=pool).ask("读超时是多少"))
        await pool.asked.wait()
        task.cancel()
        run = await task
    assert (run.answer.status, run.answer.stop_reason) == ("partial", "interrupted")
    assert (model.asked, run.answer.usage.prompt) == (0, 0)


async def test_a_deadline_during_the_search_ahead(library: Library) -> None:
    model, clock = Slow([[RIGHT]], hangs=9), Clock()
    with Busy() as pool:
        agent = LoopAgent(library, model, executor=pool, deadline=1_000)
        task = asyncio.create_task(agent.ask("读超时是多少"))
        await pool.asked.wait()
        clock.forward(1_000)
        run = await task
    assert (run.answer.status, run.answer.stop_reason, model.asked) == ("partial", "deadline", 0)
