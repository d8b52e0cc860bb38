import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.models.repair import calls_in_text, repair_arguments, without_thoughts

TOOLS = {"search", "read", "answer"}


@pytest.mark.parametrize(
    ("raw", "arguments"),
    [
        ('{"keyword": "超时"}', {"keyword": "超时"}),
        ("", {}),
        ("  ", {}),
        ('{"keyword":"超时"', {"keyword": "超时"}),
        ('{"a":{"b":"c"}', {"a": {"b": "c"}}),
        ('{"citations":[{"quote":"x"}]', {"citations": [{"quote": "x"}]}),
        ('```json\n{"keyword":"超时"}\n```', {"keyword": "超时"}),
        ('```\n{"keyword":"超时"}```', {"keyword": "超时"}),
        ('{"keyword":"超时"}}', {"keyword": "超时"}),
        ('{"keyword":"超时"}</tool_call>', {"keyword": "超时"}),
        ('{"keyword":"超时"}<|im_end|>', {"keyword": "超时"}),
        ("{'keyword': '超时'}", {"keyword": "超时"}),
        ("{'deep': True, 'path': None}", {"deep": True, "path": None}),
        ('"{\\"keyword\\": \\"超时\\"}"', {"keyword": "超时"}),
        ('{"keyword":"one\ntwo"}', {"keyword": "one\ntwo"}),
        ('{"keyword":"```json"}', {"keyword": "```json"}),
    ],
)
def test_arguments_that_can_be_read(raw: str, arguments: dict[str, object]) -> None:
    assert repair_arguments(raw) == arguments


@pytest.mark.parametrize(
    "raw",
    [
        '{"keyword":',
        '{"keyword":"超',
        '{"hits": 1',  # perhaps 15
        '{"citations":[{"quote":"x"}',  # perhaps more citations
        '{"keyword":"a"}{"keyword":"b"}',
        '{"keyword":"a"} "path"',
        '["超时"]',
        "null",
        "超时",
        '"超时"',
        "42",
        "{'a', 'b'}",
        "{1: 2}",
        "__import__('os')",
        '{"score": NaN}',
        '{"keyword":"\\ud83d"}',
        "[" * 100_000,
        "{'a':" * 3_000,
    ],
)
def test_arguments_that_could_mean_several_things(raw: str) -> None:
    assert repair_arguments(raw) is None


@given(st.text() | st.text(alphabet="{}[]'\":,\\ntk1`<>/ "))
def test_repairing_never_raises_and_gives_json(raw: str) -> None:
    arguments = repair_arguments(raw)
    if arguments is not None:
        assert json.loads(json.dumps(arguments, allow_nan=False)) == arguments


@given(
    st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text())),
    st.sampled_from(["{}", "```json\n{}\n```", "{}}}", "{}\n", "{}</s>"]),
)
def test_good_arguments_survive_what_is_around_them(
    arguments: dict[str, object], around: str
) -> None:
    raw = around.replace("{}", json.dumps(arguments), 1)
    assert repair_arguments(raw) == arguments


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "read", "arguments": {"chunk_id": "c#1"}}',
        '{"name": "read", "parameters": {"chunk_id": "c#1"}}',
        '{"name": "read", "arguments": "{\\"chunk_id\\": \\"c#1\\"}"}',
        '[{"name": "read", "arguments": {"chunk_id": "c#1"}}]',
        '```json\n{"name": "read", "arguments": {"chunk_id": "c#1"}}\n```',
        '<tool_call>{"name":"read","arguments":{"chunk_id":"c#1"}}</tool_call>',
        '<tool_call>\n{"name":"read","arguments":{"chunk_id":"c#1"}}\n</tool_call>',
        '<tool_call>\n{"name":"read","arguments":{"chunk_id":"c#1"}}',
        '<function=read>{"chunk_id": "c#1"}</function>',
        "<tool_call>\n<function=read>\n<parameter=chunk_id>\nc#1\n</parameter>\n</function>\n"
        "</tool_call>",
        '<function_call>{"name":"read","arguments":{"chunk_id":"c#1"}}</function_call>',
        'I will read it.\n\n<tool_call>{"name":"read","arguments":{"chunk_id":"c#1"}}</tool_call>',
        '<think>which one?</think>{"name": "read", "arguments": {"chunk_id": "c#1"}}',
        '{"name": "read", "arguments": {"chunk_id": "c#1"}',
        '<function=read>{"chunk_id": "c#1"</function>',
    ],
)
def test_calls_written_as_text(text: str) -> None:
    (call,) = calls_in_text(text, TOOLS)
    assert (call.id, call.name, call.arguments) == ("call_1", "read", {"chunk_id": "c#1"})


def test_several_calls_written_as_text_come_in_order() -> None:
    one = '{"name":"search","arguments":{"keyword":"a"}}'
    two = '{"name":"read","arguments":{"chunk_id":"b"}}'
    for text in (
        f"{one}\n{two}",
        f"[{one}, {two}]",
        f"<tool_call>{one}</tool_call>\n<tool_call>{two}</tool_call>",
        f"```json\n{one}\n```\nand\n```json\n{two}\n```",
    ):
        calls = calls_in_text(text, TOOLS)
        assert [(call.id, call.name) for call in calls] == [
            ("call_1", "search"),
            ("call_2", "read"),
        ], text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The timeout is 30 seconds.",
        'A tool call is written {"name":"read"} in this manual.',
        'To read, the manual says {"name":"read","arguments":{"chunk_id":"c"}} is sent.',
        'One writes <tool_call>{"name":"read","arguments":{}}</tool_call> to read.',
        '{"name": "read"}',
        '{"name": "grep", "arguments": {"pattern": "x"}}',
        '{"name": "read", "age": 3, "arguments": {}}',
        '{"response": "30 s", "citations": []}',
        "<function=grep>{}</function>",
        '<tool_call>{"name":"read","arguments":{}}</tool_call>\n<tool_call>soon</tool_call>',
        "The manual explains at length. " * 10
        + '\n```json\n{"name":"read","arguments":{"chunk_id":"c"}}\n```',
        "[]",
        "[1, 2]",
        "{" * 50_000,
    ],
)
def test_prose_is_not_a_call(text: str) -> None:
    assert calls_in_text(text, TOOLS) == ()


def test_a_call_in_text_with_broken_arguments_is_a_call_with_none() -> None:
    (call,) = calls_in_text("<function=read>{chunk</function>", TOOLS)
    assert (call.arguments, call.raw) == (None, "{chunk")


@given(st.text(alphabet='{}[]":,<>/=\n` tool_callfunctionparameternamesearch'))
def test_looking_for_calls_never_raises(text: str) -> None:
    assert all(call.name in TOOLS for call in calls_in_text(text, TOOLS))


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<think>hm</think>\n30 秒", "30 秒"),
        ("<thinking>hm\nhm</thinking>30 秒", "30 秒"),
        ("hm, so\n</think>\n\n30 秒", "30 秒"),
        ("<think>hm, and then it was cut", ""),
        ("a <think>b</think> c <think>d</think>", "a  c"),
        ("30 秒", "30 秒"),
    ],
)
def test_thoughts_are_not_said(text: str, rest: str) -> None:
    assert without_thoughts(text) == rest


def test_arguments_too_deep_to_walk_are_refused() -> None:
    deep = '{"a":' * 400 + "1" + "}" * 400
    assert repair_arguments(deep) is None
    assert repair_arguments('{"a": [{"b": {"c": []}}]}') == {"a": [{"b": {"c": []}}]}
