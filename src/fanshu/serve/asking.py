"""Questions that are being answered: admitted, waited for, run, cancelled, written down."""

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fanshu import app
from fanshu.errors import CostReached, NoDocuments, ServiceEnding
from fanshu.serve.access import Person
from fanshu.serve.libraries import Libraries, Shelf
from fanshu.serve.queueing import Turn, Turns
from fanshu.serve.register import Register, month_end
from fanshu.serve.settings import ServiceSettings
from fanshu.traces import new_id
from fanshu.types import Answer, Exchange

if TYPE_CHECKING:
    from fanshu.agent.events import OnEvent
    from fanshu.settings import Settings

log = logging.getLogger("fanshu.serve")

ENDING_SECONDS = 30.0  # after which a service that is being stopped may be there again


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody asks of a library. `earlier`: the conversation it goes on from.

    `seconds`: after which it ends, where the library has no deadline of its own.
    """

    person: Person
    shelf: Shelf
    text: str
    earlier: Sequence[Exchange] = ()
    fresh: bool = False
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer with the id of the run it is written down under."""

    run_id: str
    answer: Answer


class Asking:
    """All questions of the service. `done` hears of each answer, and of its library."""

    def __init__(
        self,
        settings: ServiceSettings,
        libraries: Libraries,
        register: Register,
        done: Callable[[Shelf, Answer], None],
    ) -> None:
        self._settings, self._libraries, self._register = settings, libraries, register
        self._done = done
        self.turns = Turns(settings.runs, settings.runs_each, settings.waiting_each)
        self.ending = False
        self._running: set[asyncio.Task[Asked]] = set()

    async def admit(self, person: Person) -> Turn:
        """A place in the queue. Raises: ServiceEnding, CostReached, TooMany."""
        if self.ending:
            raise ServiceEnding(seconds=ENDING_SECONDS)
        await asyncio.to_thread(self._must_afford, person)
        return self.turns.enter(person.key, self._settings.runs if person.kind == "local" else None)

    def _must_afford(self, person: Person) -> None:
        each = self._settings.month_cost_each if person.cost is None else person.cost
        for limit, who in ((each, person.key), (self._settings.month_cost, None)):
            if limit is not None and not (cost := self._register.cost(who)) < limit:
                left = month_end() - time.time()
                raise CostReached(cost=f"{cost:.2f}", limit=f"{limit:.2f}", seconds=left)

    def begin(
        self, question: Question, turn: Turn, run_id: str, on_event: "OnEvent | None" = None
    ) -> asyncio.Task[Asked]:
        """Answer a question when its turn has come, in a task of its own.

        Cancelling the task ends the run early, so that nothing more is paid for; what it has
        come to is its result and is written down. The task raises LibraryError, TooMany.
        """
        task = asyncio.create_task(self._answered(question, turn, run_id, on_event))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        task.add_done_callback(lambda _: turn.leave())  # one cancelled at once never entered it
        return task

    async def _answered(
        self, question: Question, turn: Turn, run_id: str, on_event: "OnEvent | None"
    ) -> Asked:
        shelf = question.shelf
        async with turn, self._libraries.using(shelf):
            scope = question.person.scope(shelf.name)
            if not await asyncio.to_thread(shelf.library.titles, scope=scope):
                raise NoDocuments(path=shelf.name, detail="nothing that you may see")
            answer = await app.answer(
                question.text,
                self._hurried(question),
                shelf.library,
                shelf.model,
                scope=scope,
                earlier=question.earlier,
                on_event=on_event,
                caching="fresh" if question.fresh else "use",
            )
            self._done(shelf, answer)
            return await self._kept(question, run_id, scope.patterns, answer)

    def _hurried(self, question: Question) -> "Settings":
        """The settings of a library, with the deadline that the service or the question sets."""
        shelf = question.shelf
        deadline = shelf.settings.deadline or question.seconds or self._settings.run_seconds
        deadline = min(deadline, self._settings.run_seconds)
        return shelf.settings.model_copy(update={"deadline": deadline})

    async def _kept(
        self, question: Question, run_id: str, patterns: tuple[str, ...], answer: Answer
    ) -> Asked:
        try:
            await asyncio.to_thread(
                self._register.keep,
                run_id,
                question.person.key,
                question.shelf.name,
                patterns,
                answer,
            )
        except (OSError, sqlite3.Error) as error:
            log.warning("the register cannot be written: %s", error)
            warning = f"the run could not be written down: {error}"
            answer = replace(answer, warnings=(*answer.warnings, warning))
        return Asked(run_id, answer)

    async def end(self, seconds: float) -> None:
        """Take no more questions; those that run may finish in so many seconds, then they end."""
        self.ending = True
        if self._running:
            await asyncio.wait(self._running, timeout=seconds)
        for task in tuple(self._running):
            task.cancel()
        if self._running:
            await asyncio.wait(self._running, timeout=ENDING_SECONDS)


def new_run() -> str:
    """An id for a run of the service; it sorts by time."""
    return new_id()
