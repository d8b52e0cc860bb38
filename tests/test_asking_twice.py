"""Asking through the app with a cache: who shares a run, and who never gets a cached answer."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from fanshu import app
from fanshu.agent.events import Ended, Event, RoundStarted, Started
from fanshu.library.library import Library
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.extractive import ExtractiveReader
from fanshu.models.scripted import ScriptedModel
from fanshu.settings import Settings
from fanshu.types import Answer, Scope, Usage

QUESTION = "写超时是多少"
TEXT = "# 手册\n\n## 超时\n\n写超时为 30 秒。\n"


class Slow(ScriptedModel):
    """Says the same in every run, once it is let go."""

    def __init__(self) -> None:
        citation = {"chunk_id": "手册.md#2", "quote": "写超时为 30 秒"}
        given = {"response": "写超时为 30 秒。", "citations": [citation], "found": True}
        super().__init__([[("answer", given)]] * 9)
        self.began, self.go = asyncio.Event(), asyncio.Event()

    async def next(
        self, turns: Sequence[Turn], tools: Sequence[ToolSpec], *, force: str | None = None
    ) -> Reply:
        reply = await super().next(turns, tools, force=force)
        self.began.set()
        await self.go.wait()
        return Reply(reply.text, reply.calls, Usage(prompt=700, completion=50))


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "手册.md").write_text(TEXT, encoding="utf-8")
    return Settings(docs=(str(tmp_path / "docs"),), model="test:slow")


def opened(settings: Settings) -> Library:
    library = app.open_library(settings)
    app.synced(library, settings)
    return library


async def test_ten_who_ask_the_same_at_once_cost_one_run(settings: Settings) -> None:
    model = Slow()
    heard: list[list[Event]] = [[] for _ in range(10)]
    with closing(opened(settings)) as library:
        asks = [
            asyncio.create_task(
                app.answer(f"请问{QUESTION}？", settings, library, model, on_event=one.append)
            )
            for one in heard
        ]
        await model.began.wait()
        while not all(heard):  # noqa: ASYNC110 - until everybody has joined the run
            await asyncio.sleep(0.01)
        asks[3].cancel()
        gone = await asks.pop(3)
        model.go.set()
        answers = await asyncio.gather(*asks)
        again = await app.answer(QUESTION, settings, library, model)
    assert len(model.seen) == 1
    assert {(one.status, one.cached, one.question) for one in answers} == {
        ("answered", False, f"请问{QUESTION}？")
    }
    assert (gone.status, gone.stop_reason) == ("partial", "interrupted")
    assert all(isinstance(one[-1], Ended) for at, one in enumerate(heard) if at != 3)
    assert all(any(isinstance(event, RoundStarted) for event in one) for one in heard)
    assert (again.cached, again.usage, again.trace_id) == (True, Usage(), answers[0].trace_id)


async def test_the_only_asker_who_goes_gets_what_there_is(settings: Settings) -> None:
    model = Slow()
    with closing(opened(settings)) as library:
        ask = asyncio.create_task(app.answer(QUESTION, settings, library, model))
        await model.began.wait()
        ask.cancel()
        answer = await ask
        model.go.set()
        assert not (await app.answer(QUESTION, settings, library, model)).cached
    assert (answer.stop_reason, answer.rounds) == ("interrupted", 1)
    assert answer.trace_id


async def test_a_run_is_on_record_when_whoever_ends_it_insists(settings: Settings) -> None:
    """Cancelled by a client that has gone, and again by a process that ends."""
    model, loop, busy = Slow(), asyncio.get_running_loop(), threading.Event()
    loop.set_default_executor(ThreadPoolExecutor(1))
    with closing(opened(settings)) as library:

        def insist(event: Event) -> None:
            if isinstance(event, Ended):  # the only thread has something else to do first
                loop.run_in_executor(None, busy.wait)
                loop.call_later(0.05, ask.cancel)
                loop.call_later(0.1, busy.set)

        ask = asyncio.create_task(app.answer(QUESTION, settings, library, model, on_event=insist))
        await model.began.wait()
        ask.cancel()
        await asyncio.wait({ask})
        busy.set()
        assert len(list(app.open_traces(settings).summaries())) == 1


async def asked_twice(settings: Settings, **options: object) -> Answer:
    """The second answer, asked with these options."""
    model = Slow()
    model.go.set()
    with closing(opened(settings)) as library:
        await app.answer(QUESTION, settings, library, model)
        return await app.answer(QUESTION, settings, library, model, **options)  # type: ignore[arg-type]


async def test_events_of_a_hit_begin_and_end(settings: Settings) -> None:
    heard: list[Event] = []
    answer = await asked_twice(settings, on_event=heard.append)
    assert answer.cached
    assert heard == [Started(QUESTION, "scripted", 0), Ended(answer)]


@pytest.mark.parametrize(
    "options", [{"caching": "off"}, {"caching": "fresh"}, {"scope": Scope(("手册*",))}]
)
async def test_no_hit_where_none_is_wanted(settings: Settings, options: dict[str, object]) -> None:
    assert not (await asked_twice(settings, **options)).cached


async def test_a_model_object_without_a_name_is_never_cached(settings: Settings) -> None:
    unnamed = settings.model_copy(update={"model": None})
    assert not (await asked_twice(unnamed)).cached


async def test_other_settings_another_answer(settings: Settings) -> None:
    model = Slow()
    model.go.set()
    with closing(opened(settings)) as library:
        await app.answer(QUESTION, settings, library, model)
        for name, value in {"hits": 3, "max_rounds": 2, "base_url": "http://h/v1"}.items():
            other = settings.model_copy(update={name: value})
            assert not (await app.answer(QUESTION, other, library, model)).cached, name
        for name, value in {"deadline": 9.0, "trace": False, "language": "en"}.items():
            same = settings.model_copy(update={name: value})
            assert (await app.answer(QUESTION, same, library, model)).cached, name


async def test_the_extractive_reader_is_never_cached(settings: Settings) -> None:
    with closing(opened(settings)) as library:
        for _ in range(2):
            answer = await app.answer(QUESTION, settings, library, ExtractiveReader())
            assert (answer.status, answer.cached) == ("passages", False)
