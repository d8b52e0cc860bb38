"""The tools that answer and check: the loop and the check of fanshu itself."""

import asyncio
from functools import partial

from fanshu.agent.events import Bounced, Event, Started, Stepped
from fanshu.agent.layout import one_line
from fanshu.agent.others import Within
from fanshu.agent.others import check_answer as check_of
from fanshu.agent.prompts import language_of
from fanshu.errors import RequestRefused
from fanshu.models.extractive import ExtractiveReader
from fanshu.protocol import arguments as takes
from fanshu.protocol.answers import answer_text, checked_text
from fanshu.protocol.desk import Asking, Opened
from fanshu.protocol.visiting import Told, Visit
from fanshu.protocol.words import how_far
from fanshu.types import Answer, Chunk, SearchResult, ToolCall

# Most clients give a call 60 seconds (the default of the protocol's own SDKs), and many do not
# count anew when they hear how it goes. What there is by then is worth more than nothing.
ANSWER_SECONDS = 45.0
HEARTBEAT_SECONDS = 5.0  # without news; clients that do count anew hear that it goes on
PASSAGES = "passages"  # what the reader without a model is called wherever people see it
SHOWN = 80  # characters of words or a place in one note


async def ask(visit: Visit, given: takes.Ask) -> Told:
    """Ask a question of one library. Raises: UnknownLibrary, RequestRefused, FanshuError."""
    names = visit.meant(given.library)
    if len(names) > 1:
        detail = (
            f"A question goes to one library: name it as `library`. There are: {', '.join(names)}."
        )
        raise RequestRefused(detail=detail)
    language = language_of(given.question)
    asking = Asking(names[0], given.question.strip(), given.fresh, ANSWER_SECONDS)
    async with visit.open(names[0], language) as opened:
        answer = await _answer(visit, asking)
    text = answer_text(answer, language)
    if unfinished := how_far(language, opened.name, opened.reading):
        text = f"{text}\n{unfinished}"
    return Told(text, answer)


async def _answer(visit: Visit, asking: Asking) -> Answer:
    """The answer, with a note for each step; whoever cancels this ends the run."""
    events: asyncio.Queue[Event | None] = asyncio.Queue()
    task = asyncio.create_task(visit.desk.ask(asking, events.put_nowait))
    task.add_done_callback(lambda _: events.put_nowait(None))
    began = asyncio.get_running_loop().time()
    try:
        while True:
            try:
                event = await asyncio.wait_for(events.get(), HEARTBEAT_SECONDS)
            except TimeoutError:
                seconds = asyncio.get_running_loop().time() - began
                await visit.note(f"{seconds:.0f} s …")
                continue
            if event is None:
                return await task
            if text := _said(event):
                await visit.note(text)
    finally:
        task.cancel()


def _said(event: Event) -> str:
    """A step in a few words, for the line that a client shows meanwhile."""
    match event:
        case Started(reader=reader):
            return PASSAGES if reader == ExtractiveReader.name else reader
        case Stepped(call=call, observation=done):
            return _step(call, done.data)
        case Bounced(objections=objections):
            return one_line("; ".join(objections), SHOWN)
    return ""


def _step(call: ToolCall, data: object) -> str:
    values = (call.arguments or {}).values()
    words = " ".join(str(one) for one in values if isinstance(one, str))
    match data:
        case SearchResult(query=query, total=total):
            return f"search: {one_line(query, SHOWN)} ({total})"
        case Chunk(chunk_id=chunk_id):
            return f"{call.name}: {one_line(chunk_id, SHOWN)}"
    return call.name if call.name == "answer" else f"{call.name}: {one_line(words, SHOWN)}"


# ---------------------------------------------------------------- check


async def check_answer(visit: Visit, given: takes.CheckAnswer) -> Told:
    """Check an answer. Raises: UnknownLibrary, LibraryError."""
    language = language_of(given.question or given.answer)
    opened: list[Opened] = []
    for name in visit.meant(given.library):
        async with visit.open(name, language) as one:
            opened.append(one)
    work = partial(
        check_of,
        given.answer,
        [one.cited for one in given.citations],
        [Within(one.library, one.scope) for one in opened],
        question=given.question,
        found=given.found,
        strictness=opened[0].check,
    )
    checked = await asyncio.to_thread(work)
    return Told(checked_text(checked, language), checked)
