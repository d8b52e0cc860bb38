"""The signs of life of a run: that it is seen from elsewhere, and known of when its worker dies."""

import asyncio
import logging
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from fanshu.agent.events import Event, Stepped
from fanshu.errors import StoreError
from fanshu.serve.register import BEAT_SECONDS, RunRegister, Step

if TYPE_CHECKING:
    from fanshu.agent.events import OnEvent

log = logging.getLogger("fanshu.serve")

MOST_STEPS = 200  # that are told of a run while it lasts; its trace has all of them
UNWRITTEN = (OSError, sqlite3.Error, StoreError)  # what a register raises that cannot be written


class Pulse:
    """Writes down that a run has begun and goes on, until it is `stopped`.

    A register that cannot be written does not keep a question from being answered.
    """

    def __init__(self, register: RunRegister, run_id: str) -> None:
        self._register, self._run_id = register, run_id
        self._steps: list[Step] = []
        self._task: asyncio.Task[None] | None = None

    def begin(self, who: str, library: str, patterns: tuple[str, ...], question: str) -> None:
        """Write it down, and show signs of life from now on."""
        self._task = asyncio.create_task(self._beat(who, library, patterns, question))

    async def stopped(self) -> None:
        """Show no more signs of life; what is being written is written first."""
        if self._task:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def forgotten(self) -> None:
        """The run came to nothing, and its asker is told why."""
        await self.stopped()
        await self._written(self._register.forget, self._run_id)

    def hearing(self, on_event: "OnEvent | None") -> "OnEvent":
        """Hears the events of the run, and tells them on."""

        def heard(event: Event) -> None:
            if isinstance(event, Stepped) and len(self._steps) < MOST_STEPS:
                arguments = dict(event.call.arguments or {})
                step = {"round": event.round, "tool": event.call.name, "arguments": arguments}
                self._steps.append(step)
            if on_event:
                on_event(event)

        return heard

    async def _beat(self, who: str, library: str, patterns: tuple[str, ...], question: str) -> None:
        register, run_id = self._register, self._run_id
        await self._whole(register.begin, run_id, who, library, patterns, question)
        while True:
            await asyncio.sleep(BEAT_SECONDS)
            await self._whole(register.beat, run_id, tuple(self._steps))

    async def _whole(self, work: Callable[..., None], *args: object) -> None:
        """Write to the end, also when this is cancelled meanwhile: what comes after comes later."""
        writing = asyncio.create_task(self._written(work, *args))
        try:
            await asyncio.shield(writing)
        except asyncio.CancelledError:
            with suppress(asyncio.CancelledError):
                await writing
            raise

    @staticmethod
    async def _written(work: Callable[..., None], *args: object) -> None:
        try:
            await asyncio.to_thread(work, *args)
        except UNWRITTEN as error:
            log.warning("the register cannot be written: %s", error)
