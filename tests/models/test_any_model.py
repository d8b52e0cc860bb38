"""U26-U30: the loop over a strict and a loose server says and does the same."""

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from fanshu.agent.loop import LoopAgent
from fanshu.agent.run import Run
from fanshu.library.library import Library
from fanshu.models.remote import remote
from tests.agent.runs import GATEWAY, RIGHT, TIMEOUT, make_library, read, search
from tests.waiting import PATIENCE, Clock, until

from .fake_server import FakeServer, Scripted, completion, message, refusal
from .loose_server import (
    THOUGHT,
    Call,
    FussyServer,
    LooseServer,
    as_text,
    loosely,
    strictly,
)

QUESTION = "超时是多少"
BAD_JSON = '{"keyword":'
INVOKE = "invoke"

Speak = Callable[..., Scripted]
SERVERS = pytest.mark.parametrize(
    ("kind", "speak"),
    [(FakeServer, strictly), (LooseServer, loosely), (LooseServer, as_text)],
    ids=["strict", "loose", "as text"],
)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return make_library(tmp_path, GATEWAY)


async def ask(server: FakeServer, library: Library, **more: Any) -> Run:
    async def at_once(_: float) -> None:
        return None

    sleep = more.pop("sleep", at_once)
    model = remote("small", base_url=server.url, timeout=10_000, sleep=sleep)
    given: dict[str, Any] = {"first_search": False, "directory_summary": False} | more
    run = await LoopAgent(library, model, **given).ask(QUESTION)
    await model.close()
    return run


def results(server: FakeServer) -> list[str]:
    """What the last request tells of the calls made so far."""
    return [m["content"] for m in server.requests[-1]["messages"] if m["role"] == "tool"]


# ---------------------------------------------------------------- the plain case


@SERVERS
async def test_any_server_gets_to_a_checked_answer(
    library: Library, kind: type[FakeServer], speak: Speak
) -> None:
    with kind(speak(search("超时")), speak(read(TIMEOUT)), speak(RIGHT)) as server:
        run = await ask(server, library)
    assert (run.answer.status, run.answer.rounds) == ("answered", 3)
    assert [c.chunk_id for c in run.answer.citations] == [TIMEOUT]


@SERVERS
async def test_a_request_begins_as_the_one_before_so_that_caches_hold(
    library: Library, kind: type[FakeServer], speak: Speak
) -> None:
    script = [search("超时"), read(TIMEOUT), search("重试"), RIGHT]
    with kind(*map(speak, script)) as server:
        await ask(server, library, first_search=True, directory_summary=True)
    assert _prefixes(server.requests) == [True, True, True]
    assert len({json.dumps(request["tools"]) for request in server.requests}) == 1


async def test_a_request_begins_as_the_one_before_up_to_what_was_folded(tmp_path: Path) -> None:
    long = {f"{n}.md": f"# 第{n}章\n\n" + f"超时的说明{n}。" * 90 for n in range(8)}
    library = make_library(tmp_path, long)
    script = [strictly(read(f"{n}.md#1")) for n in range(7)]
    with FakeServer(*script, strictly(("answer", {"found": False, "response": "无"}))) as server:
        await ask(server, library, context_tokens=2_800, max_rounds=10)
    grown = _prefixes(server.requests)
    assert not all(grown)
    for (before, later), whole in zip(pairwise(server.requests), grown, strict=True):
        same = [a == b for a, b in zip(before["messages"], later["messages"], strict=False)]
        if not whole:
            assert "已收起" in later["messages"][same.index(False)]["content"]
            assert all(same[:2])


def _prefixes(requests: Sequence[Any]) -> list[bool]:
    """Whether each request, written down, is the beginning of the next."""
    written = [json.dumps(r["messages"], ensure_ascii=False)[:-1] for r in requests]
    return [later.startswith(before) for before, later in pairwise(written)]


# ---------------------------------------------------------------- U26: broken arguments


@pytest.mark.parametrize("kind", [FakeServer, LooseServer])
@pytest.mark.parametrize(
    ("name", "raw", "told"),
    [
        ("search", '{"keyword":"超时"', "接口手册.md"),
        ("search", '```json\n{"keyword":"超时"}\n```', "接口手册.md"),
        ("search", "{'keyword': '超时'}", "接口手册.md"),
        ("search", BAD_JSON, "不是完整的 JSON 对象"),
        ("search", '["超时"]', "不是完整的 JSON 对象"),
        ("search", "null", "不是完整的 JSON 对象"),
        ("search", '{"q":"超时"}', "缺少 keyword"),
        ("grep", '{"pattern":"超时"}', "没有工具 grep"),
    ],
)
async def test_u26_broken_arguments_are_mended_or_explained(
    library: Library, kind: type[FakeServer], name: str, raw: str, told: str
) -> None:
    script = message(None, (name, raw)), strictly(read(TIMEOUT)), strictly(RIGHT)
    with kind(*script) as server:
        run = await ask(server, library)
    assert told in results(server)[0]
    assert run.answer.status == "answered"


async def test_u26_three_broken_rounds_end_the_run(library: Library) -> None:
    """The second shows a server that cannot call, so that the third is asked for JSON."""
    broken = message(None, ("search", BAD_JSON))
    with LooseServer(broken, broken, *[message('{"name": "search", "arg')] * 3) as server:
        run = await ask(server, library)
    assert (run.answer.status, run.answer.stop_reason) == ("partial", "bad_calls")


# ---------------------------------------------------------------- U27: calls as text

READ = json.dumps(read(TIMEOUT)[1], ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        f'<tool_call>{{"name":"read","arguments":{READ}}}</tool_call>',
        f'<{INVOKE} name="read">\n<parameter name="chunk_id">{TIMEOUT}</parameter>\n</{INVOKE}>',
        f"<function=read>\n<parameter=chunk_id>\n{TIMEOUT}\n</parameter>\n</function>",
        f'[TOOL_CALLS][{{"name": "read", "arguments": {READ}}}]',
        f"[TOOL_CALLS]read{READ}",
        f'```json\n{{"name": "read", "arguments": {READ}}}\n```',
        f'I will read it.\n\n```\n{{"name": "read", "arguments": {READ}}}\n```',
    ],
)
async def test_u27_a_call_in_the_text_is_made(library: Library, text: str) -> None:
    with FakeServer(message(text), strictly(RIGHT)) as server:
        run = await ask(server, library)
    assert "读超时时间为 30 秒" in results(server)[0]
    assert run.answer.status == "answered"


async def test_u27_prose_that_quotes_a_call_is_reminded(library: Library) -> None:
    prose = message('In the manual {"name":"read"} is how one reads.')
    with FakeServer(strictly(search("超时")), prose, strictly(read(TIMEOUT)), strictly(RIGHT)) as s:
        run = await ask(s, library)
    assert any("请调用工具" in str(m["content"]) for m in s.requests[-1]["messages"])
    assert run.answer.status == "answered"


# ---------------------------------------------------------------- U28: several calls


@SERVERS
async def test_u28_every_call_of_a_round_gets_one_reply_in_order(
    library: Library, kind: type[FakeServer], speak: Speak
) -> None:
    several: list[Call] = [
        search("超时"),
        read(TIMEOUT),
        ("read", {"chunk_id": "x"}),
        search("重试"),
    ]
    with kind(speak(*several), speak(RIGHT)) as server:
        run = await ask(server, library)
    said = server.requests[-1]["messages"]
    made = [call["id"] for m in said for call in m.get("tool_calls", [])]
    replied = [m["tool_call_id"] for m in said if m["role"] == "tool"]
    assert made == replied == ["call_1", "call_2", "call_3", "call_4"]
    assert run.answer.status == "answered"


@SERVERS
async def test_u28_an_answer_beside_other_calls_waits_for_them(
    library: Library, kind: type[FakeServer], speak: Speak
) -> None:
    with kind(speak(RIGHT, read(TIMEOUT)), speak(RIGHT)) as server:
        run = await ask(server, library)
    assert (run.answer.status, run.answer.rounds) == ("answered", 2)


# ---------------------------------------------------------------- U29: reasoning fields


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning", "vendor_thoughts"])
async def test_u29_fields_of_a_server_go_back_to_it(library: Library, name: str) -> None:
    """The strict server refuses fields that it did not send."""
    thinking = message(None, ("search", '{"keyword":"超时"}'), **{name: THOUGHT})
    with FakeServer(thinking, strictly(read(TIMEOUT)), strictly(RIGHT)) as server:
        run = await ask(server, library)
    assert server.requests[-1]["messages"][2][name] == THOUGHT
    assert run.answer.status == "answered"


async def test_u29_a_server_that_refuses_them_gets_them_no_more(library: Library) -> None:
    thinking = message(None, ("search", '{"keyword":"超时"}'), reasoning_content=THOUGHT)
    no = refusal(400, "Extra inputs are not permitted: reasoning_content")
    with FakeServer(thinking, no, strictly(read(TIMEOUT)), strictly(RIGHT)) as server:
        run = await ask(server, library)
    assert "reasoning_content" not in json.dumps(server.requests[-1])
    assert run.answer.status == "answered"


@SERVERS
async def test_u29_thoughts_are_in_no_answer_and_no_trace(
    library: Library, kind: type[FakeServer], speak: Speak
) -> None:
    """What a trace or the cache of answers is made of: the answer and the steps."""
    with kind(speak(search("超时")), speak(read(TIMEOUT)), speak(RIGHT)) as server:
        run = await ask(server, library)
    kept = f"{asdict(run.answer)} {[asdict(step) for step in run.steps]}"
    assert THOUGHT not in kept
    assert "think>" not in kept


# ---------------------------------------------------------------- U30: room


async def test_u30_what_is_too_long_is_shrunk_and_asked_once_more(tmp_path: Path) -> None:
    long = {f"{n}.md": f"# 第{n}章\n\n" + f"超时的说明{n}。" * 90 for n in range(6)}
    library = make_library(tmp_path, long)
    nothing = strictly(("answer", {"found": False, "response": "无", "citations": []}))
    reads = [strictly(read(f"{n}.md#1")) for n in range(5)]
    with FussyServer(4_000, *reads, nothing) as server:
        run = await ask(server, library, context_tokens=5_000, max_rounds=8)
    assert len(server.refused) == 1
    assert max(server.taken) <= 4_000
    assert (run.answer.stop_reason, run.answer.rounds) == ("not_found", 6)


# ---------------------------------------------------------------- what servers refuse


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (Scripted(completion([])), "holds no choices"),
        (Scripted({**completion([]), "choices": None}), "holds no choices"),
        (message(None, finish="content_filter"), "declined"),
        (message(None, refusal="I cannot help with that."), "declined"),
        (refusal(400, "flagged", code="content_filter"), "declined"),
    ],
)
async def test_no_choices_filters_and_refusals_end_a_run_with_a_reason(
    library: Library, bad: Scripted, why: str
) -> None:
    with LooseServer(strictly(search("超时")), bad) as server:
        run = await ask(server, library)
    assert run.answer.stop_reason == "model_error"
    assert why in " ".join(run.answer.warnings) + str(run.answer)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
async def test_what_passes_is_waited_for(library: Library, status: int) -> None:
    busy = refusal(status, "busy")
    script = [strictly(search("超时")), busy, busy, strictly(read(TIMEOUT)), strictly(RIGHT)]
    with FakeServer(*script) as server:
        run = await ask(server, library)
    assert (run.answer.status, run.answer.rounds) == ("answered", 3)


@pytest.mark.parametrize("form", ["seconds", "date"])
async def test_a_service_is_given_the_time_it_asks_for(library: Library, form: str) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    later = format_datetime(datetime.now(UTC) + timedelta(seconds=7), usegmt=True)
    busy = refusal(429, "busy", headers={"Retry-After": "7" if form == "seconds" else later})
    with FakeServer(busy, strictly(read(TIMEOUT)), strictly(RIGHT)) as server:
        run = await ask(server, library, sleep=sleep)
    assert run.answer.status == "answered"
    assert [round(seconds) for seconds in waited] in ([7], [6], [5])


@pytest.mark.parametrize("what", ["pause", "reply"])
async def test_no_wait_passes_the_deadline_of_the_run(library: Library, what: str) -> None:
    """Neither the pause that a service asks for nor its reply is waited for any longer."""
    paused, clock = asyncio.Event(), Clock()

    async def sleep(seconds: float) -> None:
        paused.set()
        await asyncio.sleep(100 * seconds)

    busy = refusal(429, "busy", headers={"Retry-After": "20"})
    slow = replace(strictly(RIGHT), delay=2 * PATIENCE)
    last = busy if what == "pause" else slow
    with LooseServer(strictly(read(TIMEOUT)), last) as server:
        task = asyncio.create_task(ask(server, library, sleep=sleep, deadline=1_000))
        if what == "pause":
            await paused.wait()
        else:
            await asyncio.to_thread(until, lambda: len(server.requests) == 2)
        clock.forward(1_000)
        run = await task
    assert run.answer.stop_reason == "deadline"
    assert run.answer.status == "partial"
