"""A run as it unfolds, for whoever listens; and its end when nobody does any more."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass

from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from fanshu.agent.events import Event
from fanshu.serve.asking import Asked, Question
from fanshu.serve.queueing import Turn
from fanshu.serve.service import Service
from fanshu.types import Answer

HEARTBEAT_SECONDS = 10.0  # proxies cut a line that is silent for half a minute or more
STILL_HERE = ": still here\n\n"
EVENTS = "text/event-stream"
RUN_HEADER = "Fanshu-Run"


@dataclass(frozen=True, slots=True)
class Unfolding:
    """A run that has begun. `waits`: how many turns it waits for, itself included; 0 for none."""

    run_id: str
    task: asyncio.Task[Asked]
    waits: int
    _events: asyncio.Queue[Event | None]

    async def events(self) -> AsyncIterator[Event | None]:
        """Its events until it ends; None when there was none for a while: a sign of life is due."""
        while True:
            event = None
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_SECONDS):
                    event = await self._events.get()
                    if event is None:
                        return
            yield event


def unfolding(service: Service, question: Question, turn: Turn, run_id: str) -> Unfolding:
    """Begin a run."""
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    waits = service.asking.turns.ahead(turn) + 1 if not turn.called.done() else 0
    task = service.asking.begin(question, turn, run_id, events.put_nowait)
    task.add_done_callback(lambda _: events.put_nowait(None))
    return Unfolding(run_id, task, waits, events)


class Stream(StreamingResponse):
    """What is told of a run, which ends when nobody listens any more."""

    def __init__(
        self, told: AsyncIterator[str], run: Unfolding, headers: Mapping[str, str] | None = None
    ) -> None:
        known = {RUN_HEADER: run.run_id, "X-Accel-Buffering": "no", **(headers or {})}
        super().__init__(told, media_type=EVENTS, headers=known)
        self._task = run.task

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._task.cancel()


async def waited_for(task: asyncio.Task[Asked], request: Request) -> Asked:
    """The answer; the run is ended when nobody waits for it any more."""
    gone = asyncio.create_task(left(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            task.cancel()
        return await task
    finally:
        gone.cancel()
        task.cancel()


async def left(request: Request) -> None:
    """Returns when the client has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def note_cost(request: Request, answer: Answer) -> None:
    """For the log of the request."""
    request.scope["state"]["cost"] = answer.usage.cost
