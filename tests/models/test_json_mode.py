import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from fanshu.agent.prompts import tool_specs
from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.json_mode import in_words, response_format
from fanshu.models.remote import RemoteModel, remote
from fanshu.types import ToolCall
from tests.waiting import PATIENCE

from .fake_server import FakeServer, Scripted, message, refusal


def tool(name: str, argument: str) -> ToolSpec:
    properties = {argument: {"type": "string"}}
    schema = {"type": "object", "properties": properties, "required": [argument]}
    return ToolSpec(name, f"Use it to {name}.", schema)


TOOLS = [tool("search", "keyword"), tool("answer", "response")]
START = [Turn("system", "You search."), Turn("user", "超时是多少?")]
CHATTER = [*START, Turn("assistant", "Let me see."), Turn("user", "Call a tool.")]
SEARCH = '{"name": "search", "arguments": {"keyword": "超时"}}'
ANSWER = '{"name": "answer", "arguments": {"response": "30 s"}}'


def at(server: FakeServer) -> RemoteModel:
    return remote("small", base_url=server.url, timeout=PATIENCE)


def formats(server: FakeServer) -> list[str]:
    """How each request asked for calls."""
    asked: list[str] = []
    for request in server.requests:
        wanted: dict[str, Any] = request.get("response_format", {})
        asked.append("tools" if "tools" in request else wanted.get("type", "prompted"))
    return asked


def test_a_conversation_in_words_alternates() -> None:
    calls = (
        ToolCall("call_1", "search", {"keyword": "超时"}),
        ToolCall("call_2", "search", None, "{broken"),
    )
    turns = [
        *START,
        Turn("assistant", "hm", calls=calls),
        Turn("tool", "a.md", call_id="call_1", tool="search"),
        Turn("tool", "no JSON", call_id="call_2", tool="search"),
        Turn("user", "Four rounds are left."),
        Turn("assistant", ""),
        Turn("user", "Call a tool."),
    ]
    told = in_words(turns, TOOLS)
    assert [turn.role for turn in told] == ["system", "user", "assistant", "user"]
    assert told[0].text.startswith("You search.")
    assert "- search(keyword): Use it to search." in told[0].text
    assert told[2].text == f'{SEARCH}\n{{"name": "search", "arguments": {{}}}}'
    assert told[3].text.split("\n\n") == [
        *("Result of search:\na.md", "Result of search:\nno JSON"),
        *("Four rounds are left.", "Call a tool."),
    ]


def test_tools_are_told_in_few_words() -> None:
    told = in_words(START, tool_specs("zh"))[0].text.splitlines()
    assert told[-7:] == [
        "- search(keyword, path?): 按词查找各节 (keyword: 词；几种说法用 | 分开; path: 文件、文件夹或名称开头)",
        "- read(chunk_id): 读一节全文 (chunk_id: 文件#n)",
        *told[-5:-1],
        '- answer(response, citations=[{"chunk_id": …, "quote": …}], found=true|false,'
        " question_summary): 给出答案并结束 (question_summary: 规范说法的一句问题)",
    ]
    whole = json.dumps([dict(tool.parameters) for tool in tool_specs("zh")], ensure_ascii=False)
    assert len("".join(told[-7:])) < 0.6 * len(whole)


def test_the_schema_allows_calls_of_the_tools_and_nothing_else() -> None:
    wanted = response_format("json_schema", TOOLS, START)
    assert wanted is not None
    shape = json.loads(json.dumps(wanted))["json_schema"]["schema"]["anyOf"]
    assert [one["properties"]["name"]["const"] for one in shape] == ["search", "answer"]
    allowed = {**TOOLS[0].parameters, "additionalProperties": False}
    assert shape[0]["properties"]["arguments"] == allowed
    assert response_format("prompted", TOOLS, START) is None


async def test_an_endpoint_that_never_calls_is_asked_for_json_and_remembered() -> None:
    with FakeServer(message("<tools></tools>"), message(SEARCH), message(ANSWER)) as server:
        model = at(server)
        first = await model.next(CHATTER, TOOLS)
        (call,) = first.calls
        turns = [
            *CHATTER,
            Turn("assistant", first.text, calls=first.calls, native=first.native),
            Turn("tool", "30 s", call_id=call.id, tool=call.name),
        ]
        last = await model.next(turns, TOOLS, force="answer")
    assert formats(server) == ["tools", "json_schema", "json_schema"]
    assert (call.id, call.name, call.arguments) == ("call_1", "search", {"keyword": "超时"})
    assert first.usage.prompt == 200
    assert (last.calls[0].id, last.calls[0].name) == ("call_2", "answer")
    forced = server.requests[2]["response_format"]["json_schema"]["schema"]["anyOf"]
    assert [one["properties"]["name"]["const"] for one in forced] == ["answer"]


async def test_one_reply_without_a_call_is_chatter() -> None:
    with FakeServer(message("Hello!")) as server:
        reply = await at(server).next(START, TOOLS)
    assert (reply.text, reply.calls) == ("Hello!", ())


async def test_an_endpoint_that_has_called_before_is_left_as_it_is() -> None:
    with FakeServer(message(None, ("search", '{"keyword":"x"}')), message("Hello!")) as server:
        model = at(server)
        await model.next(START, TOOLS)
        assert (await model.next(CHATTER, TOOLS)).text == "Hello!"
    assert formats(server) == ["tools", "tools"]


@pytest.mark.parametrize(
    "refused",
    [
        refusal(400, "registry.ollama.ai/library/small does not support tools"),
        refusal(
            400,
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser',
        ),
        refusal(500, "tools param requires --jinja flag"),
    ],
)
async def test_where_tools_are_refused_json_is_asked_for_at_once(refused: Scripted) -> None:
    with FakeServer(refused, message(SEARCH)) as server:
        reply = await at(server).next(START, TOOLS)
    assert formats(server) == ["tools", "json_schema"]
    assert [call.name for call in reply.calls] == ["search"]


async def test_questions_side_by_side_learn_from_each_other() -> None:
    def both() -> bool:
        return len(server.requests) >= 2

    no = replace(refusal(400, "small does not support tools"), when=both)
    with FakeServer(no, no, message(SEARCH), message(SEARCH)) as server:
        model = at(server)
        replies = await asyncio.gather(model.next(START, TOOLS), model.next(START, TOOLS))
    assert [reply.calls[0].name for reply in replies] == ["search", "search"]
    assert sorted(formats(server)) == ["json_schema", "json_schema", "tools", "tools"]


async def test_where_a_format_is_refused_the_next_is_tried_and_remembered() -> None:
    with FakeServer(
        refusal(400, "small does not support tools"),
        refusal(400, "response_format.type must be one of text, json_object"),
        refusal(400, "This model does not support response_format"),
        message(f"```json\n{SEARCH}\n```"),
        message(ANSWER),
    ) as server:
        model = at(server)
        replies: list[Reply] = [await model.next(START, TOOLS) for _ in range(2)]
    assert formats(server) == ["tools", "json_schema", "json_object", "prompted", "prompted"]
    assert [reply.calls[0].name for reply in replies] == ["search", "answer"]
