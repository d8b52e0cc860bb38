import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.models.repair import repair_arguments, without_thoughts


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
