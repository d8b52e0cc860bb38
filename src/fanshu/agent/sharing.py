"""One run for everybody who asks the same at the same time.

The run is a task of its own. Each asker waits for it and hears its events, those that were told
before included; one who goes away leaves it to the others, and only the last one's going ends it.
"""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any
from weakref import WeakKeyDictionary

from fanshu.agent.events import Event, OnEvent
from fanshu.types import Answer

Work = Callable[[OnEvent], Coroutine[Any, Any, Answer]]


class _Shared:
    """A run that is going on, and who waits for it."""

    def __init__(self, work: Work) -> None:
        self._told: list[Event] = []
        self._listeners: list[OnEvent] = []
        self.waiting = 0
        self.task = asyncio.create_task(work(self._tell))

    def _tell(self, event: Event) -> None:
        self._told.append(event)
        for listener in tuple(self._listeners):
            listener(event)

    def listen(self, listener: OnEvent) -> None:
        """Hear everything, from the beginning."""
        for event in self._told:
            listener(event)
        self._listeners.append(listener)

    def leave(self, listener: OnEvent | None) -> None:
        """Hear and wait no more."""
        self.waiting -= 1
        if listener in self._listeners:
            self._listeners.remove(listener)


# Runs belong to the event loop that they run in, and go with it.
_running: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[Hashable, _Shared]] = (
    WeakKeyDictionary()
)


async def share(
    key: Hashable, work: Work, on_event: OnEvent | None, interrupted: Callable[[], Answer]
) -> Answer:
    """The answer of `work`, or of the same work that is going on already under this `key`.

    Cancelling is a result, as it is of the loop: the last asker gets what the run has come to,
    one of several what `interrupted` gives. Raises: whatever the work does.
    """
    running = _running.setdefault(asyncio.get_running_loop(), {})
    shared = running.get(key)
    if shared is None:
        shared = running[key] = _Shared(work)
        shared.task.add_done_callback(lambda _: _forget(running, key, shared))
    shared.waiting += 1
    if on_event:
        shared.listen(on_event)
    try:
        return await asyncio.shield(shared.task)
    except asyncio.CancelledError:
        if shared.task.cancelled():
            raise
        if task := asyncio.current_task():
            task.uncancel()
        if shared.waiting > 1:
            return interrupted()
        _forget(running, key, shared)
        shared.task.cancel()
        return await shared.task
    finally:
        shared.leave(on_event)


def _forget(running: dict[Hashable, _Shared], key: Hashable, shared: _Shared) -> None:
    """Nobody else may join."""
    if running.get(key) is shared:
        del running[key]
