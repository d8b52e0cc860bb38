import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.models.written import calls_in_text

TOOLS = {"search", "read", "answer"}
CALL = '{"chunk_id": "c#1"}'
INVOKE = "invoke"  # apart, so that no reader of this file takes it for a call


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
    "text",
    [
        f'<{INVOKE} name="read"><parameter name="chunk_id">c#1</parameter></{INVOKE}>',
        f'<function_calls>\n<{INVOKE} name="read">\n<parameter name="chunk_id">c#1</parameter>\n'
        f"</{INVOKE}>\n</function_calls>",
        f'<x:tool_calls><x:{INVOKE} name="read"><x:parameter name="chunk_id" string="true">c#1'
        f"</x:parameter></x:{INVOKE}></x:tool_calls>",
        f'[TOOL_CALLS] [{{"name": "read", "arguments": {CALL}}}]',
        f"[TOOL_CALLS]read{CALL}</s>",
        f"[TOOL_CALLS]read[ARGS]{CALL}",
        f'<|python_tag|>{{"name": "read", "parameters": {CALL}}}<|eom_id|>',
        "<tool_call>read\n<arg_key>chunk_id</arg_key>\n<arg_value>c#1</arg_value>\n</tool_call>",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0"
        f"<|tool_call_argument_begin|>{CALL}<|tool_call_end|><|tool_calls_section_end|>",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read\n"
        f"```json\n{CALL}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>{CALL}<｜tool▁call▁end｜>"
        "<｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
        f"<|channel|>commentary to=functions.read <|constrain|>json<|message|>{CALL}<|call|>",
        f'{{"type": "function", "function": {{"name": "read", "arguments": {CALL}}}}}',
        f'{{"tool_calls": [{{"name": "read", "arguments": {CALL}}}]}}',
        f'{{"tool": "read", "input": {CALL}}}',
        f'{{"action": "read", "action_input": {CALL}}}',
        f'{{"read": {CALL}}}',
        f"read {CALL}",
        '[read(chunk_id="c#1")]',
        "read(chunk_id='c#1')",
    ],
)
def test_shapes_of_single_families(text: str) -> None:
    (call,) = calls_in_text(text, TOOLS)
    assert (call.name, call.arguments) == ("read", {"chunk_id": "c#1"})


@pytest.mark.parametrize(
    "text",
    [
        f'[TOOL_CALLS]search{{"keyword": "a"}}[TOOL_CALLS]read{CALL}',
        '[search(keyword="a"), read(chunk_id="c#1")]',
        "<tool_call>search\n<arg_key>keyword</arg_key><arg_value>a</arg_value></tool_call>\n"
        f"<tool_call>read\n{CALL}</tool_call>",
        '<|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"keyword":"a"}'
        f"<|tool_call_end|><|tool_call_begin|>read:1<|tool_call_argument_begin|>{CALL}",
    ],
)
def test_several_calls_of_a_family(text: str) -> None:
    calls = calls_in_text(text, TOOLS)
    assert [(call.id, call.name, call.arguments) for call in calls] == [
        ("call_1", "search", {"keyword": "a"}),
        ("call_2", "read", {"chunk_id": "c#1"}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        f"The template writes [TOOL_CALLS]read{CALL} for a call.",
        f"[TOOL_CALLS]grep{CALL}",
        "read the manual (chunk_id=c#1)",
        "read(open('/etc/passwd'))",
        "read(chunk_id=open('x'))",
        "read('c#1')",
        '{"tool": "read", "name": "x", "arguments": {}}',
        '{"grep": {"pattern": "x"}}',
        "read: see above",
    ],
)
def test_what_looks_like_a_family_and_is_none(text: str) -> None:
    assert calls_in_text(text, TOOLS) == ()
