"""Questions that are being answered: admitted, waited for, run, cancelled, written down."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from fanshu import app
from fanshu.errors import CostReached, NoDocuments, ServiceEnding
from fanshu.serve.access import Person
from fanshu.serve.libraries import Libraries, Shelf
from fanshu.serve.pulse import UNWRITTEN, Pulse
from fanshu.serve.queueing import Turn
from fanshu.serve.register import month_end
from fanshu.serve.settings import ServiceSettings
from fanshu.serve.state import State
from fanshu.traces import new_id
from fanshu.types import Answer, Exchange, Scope

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
    """All questions of the service. `done` hears of each answer, and of its library.

    `leaving`: it is about to end, and others should be asked; `ending`: nothing more is taken.
    """

    def __init__(
        self,
        settings: ServiceSettings,
        libraries: Libraries,
        state: State,
        done: Callable[[Shelf, Answer], None],
    ) -> None:
        self._settings, self._libraries, self._register = settings, libraries, state.register
        self._done = done
        self.turns = state.turns
        self.ending = self.leaving = False
        self._running: set[asyncio.Task[Asked]] = set()
        self._keeping: set[asyncio.Task[Asked]] = set()

    async def admit(self, person: Person) -> Turn:
        """A place in the queue. Raises: ServiceEnding, CostReached, TooMany."""
        if self.ending:
            raise ServiceEnding(seconds=ENDING_SECONDS)
        await asyncio.to_thread(self._must_afford, person)
        each = self._settings.runs if person.kind == "local" else None
        return await self.turns.enter(person.key, each)

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
        shelf, pulse = question.shelf, Pulse(self._register, run_id)
        scope = question.person.scope(shelf.name)
        pulse.begin(question.person.key, shelf.name, scope.patterns, question.text)
        try:
            async with self._in_turn(turn), self._libraries.using(shelf):
                if not await asyncio.to_thread(shelf.library.titles, scope=scope):
                    raise NoDocuments(path=shelf.name, detail="nothing that you may see")
                answer = await app.answer(
                    question.text,
                    self._hurried(question),
                    shelf.library,
                    shelf.model,
                    scope=scope,
                    earlier=question.earlier,
                    on_event=pulse.hearing(on_event),
                    caching="fresh" if question.fresh else "use",
                )
                self._done(shelf, answer)
                kept = asyncio.create_task(self._kept(question, run_id, scope, answer, pulse))
                self._keeping.add(kept)
                kept.add_done_callback(self._keeping.discard)
                return await asyncio.shield(kept)  # written down, also when nobody waits any more
        except BaseException:
            await pulse.forgotten()
            raise

    @asynccontextmanager
    async def _in_turn(self, turn: Turn) -> AsyncIterator[None]:
        """When its turn has come. Raises: ServiceEnding — it does not come any more."""
        try:
            await turn.__aenter__()
        except asyncio.CancelledError:
            if self.ending:
                raise ServiceEnding(seconds=ENDING_SECONDS) from None
            raise
        try:
            yield
        finally:
            turn.leave()

    def _hurried(self, question: Question) -> "Settings":
        """The settings of a library, with the deadline that the service or the question sets."""
        shelf = question.shelf
        deadline = shelf.settings.deadline or question.seconds or self._settings.run_seconds
        deadline = min(deadline, self._settings.run_seconds)
        return shelf.settings.model_copy(update={"deadline": deadline})

    async def _kept(
        self, question: Question, run_id: str, scope: Scope, answer: Answer, pulse: Pulse
    ) -> Asked:
        await pulse.stopped()
        try:
            await asyncio.to_thread(
                self._register.keep,
                run_id,
                question.person.key,
                question.shelf.name,
                scope.patterns,
                answer,
            )
        except UNWRITTEN as error:
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
        if left := self._running | self._keeping:
            await asyncio.wait(left, timeout=ENDING_SECONDS)


def new_run() -> str:
    """An id for a run of the service; it sorts by time."""
    return new_id()
