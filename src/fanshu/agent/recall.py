"""Asking with a cache: what is known is given again, what is not is asked once and kept."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

from fanshu.agent.asked import content
from fanshu.agent.cache import Cache
from fanshu.agent.events import Ended, OnEvent, Started
from fanshu.agent.prompts import language_of, say
from fanshu.agent.run import Run
from fanshu.agent.sharing import share
from fanshu.errors import CacheUnusable
from fanshu.types import Answer

Ask = Callable[[OnEvent | None], Coroutine[Any, Any, tuple[Run, Answer]]]


async def recall(
    question: str,
    cache: Cache,
    ask: Ask,
    *,
    reader: str,
    holds: Callable[[str], bool],
    fresh: bool = False,
    limits: str = "",
    on_event: OnEvent | None = None,
) -> Answer:
    """The cached answer to a question while its evidence is unchanged, else that of `ask`.

    `ask` gives a run and the answer with its trace; `holds` tells whether a trace is still kept.
    All who ask the same at the same time, under the same `limits`, share one run. `fresh`: ask
    anew in any case. Raises: LibraryError.
    """
    if fresh:
        return await _kept(question, cache, ask, on_event)
    if answer := await asyncio.to_thread(_found, question, cache, holds):
        if on_event:
            on_event(Started(question, reader, 0))
            on_event(Ended(answer))
        return answer
    answer = await share(
        (str(cache.path), cache.context, content(question) or question, limits),
        lambda told: _kept(question, cache, ask, told),
        on_event,
        lambda: _interrupted(question, reader),
    )
    return replace(answer, question=question)


def _found(question: str, cache: Cache, holds: Callable[[str], bool]) -> Answer | None:
    try:
        answer = cache.find(question)
    except CacheUnusable:
        return None  # that it cannot be written either is said when the answer is kept
    if answer and answer.trace_id and not holds(answer.trace_id):
        return replace(answer, trace_id=None)
    return answer


async def _kept(question: str, cache: Cache, ask: Ask, on_event: OnEvent | None) -> Answer:
    before = await asyncio.to_thread(cache.state)
    run, answer = await ask(on_event)
    try:
        await asyncio.to_thread(cache.keep, question, run, answer, before)
    except CacheUnusable as error:
        return replace(answer, warnings=(*answer.warnings, _warning(error)))
    return answer


def _warning(error: CacheUnusable) -> str:
    return f"the answer could not be cached: {error.fields['detail']}"


def _interrupted(question: str, reader: str) -> Answer:
    """What one gets who went away while others still wait."""
    text = say(language_of(question), "unfinished")
    return Answer(question, "partial", text, stop_reason="interrupted", reader=reader)
