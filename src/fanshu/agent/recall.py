"""Asking with a cache: what is known is given again, what is not is asked once and kept."""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any

from fanshu.agent.asked import content
from fanshu.agent.cache import Cache, digest
from fanshu.agent.events import Ended, OnEvent, Started
from fanshu.agent.prompts import language_of, say
from fanshu.agent.run import Run
from fanshu.agent.sharing import share
from fanshu.errors import CacheUnusable
from fanshu.types import Answer

Ask = Callable[[OnEvent | None], Coroutine[Any, Any, tuple[Run, Answer]]]
LEASE_SECONDS = 15.0  # after which others ask themselves what a worker that has died was asked
RENEW_SECONDS = 4.0
LOOK_SECONDS = 0.4  # between two looks whether another worker has an answer


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
    All who ask the same at the same time, under the same `limits`, share one run; those of other
    workers over the same store wait for its answer. `fresh`: ask anew in any case.
    Raises: LibraryError.
    """
    if fresh:
        return await _kept(question, cache, ask, on_event)
    if answer := await asyncio.to_thread(_found, question, cache, holds):
        _tell(question, reader, answer, on_event)
        return answer
    same = content(question) or question
    name = digest(cache.context, same, limits)

    async def once(told: OnEvent) -> Answer:
        try:
            waited = await _turn(cache, name)
        except asyncio.CancelledError:
            return _interrupted(question, reader)
        renewing = asyncio.create_task(_renew(cache, name))
        try:
            if waited and (answer := await asyncio.to_thread(_found, question, cache, holds)):
                _tell(question, reader, answer, told)
                return answer
            return await _kept(question, cache, ask, told)
        finally:
            renewing.cancel()
            await _give_back(cache, name)

    answer = await share(
        (cache.place, name), once, on_event, lambda: _interrupted(question, reader)
    )
    return replace(answer, question=question)


def _tell(question: str, reader: str, answer: Answer, on_event: OnEvent | None) -> None:
    if on_event:
        on_event(Started(question, reader, 0))
        on_event(Ended(answer))


async def _turn(cache: Cache, name: str) -> bool:
    """Wait until no other worker looks for this answer; whether one did. Where nobody can tell,
    there is no waiting.
    """
    waited = False
    with suppress(CacheUnusable):
        while not await asyncio.to_thread(cache.take, name, LEASE_SECONDS):
            waited = True
            await asyncio.sleep(LOOK_SECONDS)
    return waited


async def _renew(cache: Cache, name: str) -> None:
    while True:
        await asyncio.sleep(RENEW_SECONDS)
        with suppress(CacheUnusable):
            await asyncio.to_thread(cache.take, name, LEASE_SECONDS)


async def _give_back(cache: Cache, name: str) -> None:
    with suppress(CacheUnusable):  # else it ends by itself
        await asyncio.to_thread(cache.give_back, name)


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
