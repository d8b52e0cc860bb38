"""② What stands behind the tools: calls understood, texts remembered, prompts, context."""

import re
from pathlib import Path

import pytest

from fanshu.agent import calls, prompts
from fanshu.agent.context import Fence, size, tokens
from fanshu.agent.prompts import SYSTEM, language_of, say, tool_specs
from fanshu.agent.seen import Given, Seen
from fanshu.models import Reply, Turn
from fanshu.types import Chunk, Hit, SearchResult, ToolCall

from .runs import GATEWAY, NOT_FOUND, TIMEOUT, make_library, play, read, search


def call(name: str, **arguments: object) -> ToolCall:
    return ToolCall("c", name, arguments)


# ---------------------------------------------------------------- calls


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"keyword": "Ａ  b"}, {"keyword": "b a"}),
        ({"keyword": "a b|c"}, {"keyword": "C | B A"}),
        ({"keyword": "繁體"}, {"keyword": "繁体"}),
        ({"keyword": "a", "path": "x/"}, {"keyword": "a", "path": "X"}),
        ({"keyword": "a", "path": ""}, {"keyword": "a"}),
        ({"keyword": "a", "path": None}, {"keyword": "a", "path": "/"}),
    ],
)
def test_same_searches(one: dict[str, object], other: dict[str, object]) -> None:
    assert calls.same_calls([call("search", **one)], [call("search", **other)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (call("search", keyword="a b"), call("search", keyword="a|b")),
        (call("search", keyword="a"), call("search", keyword="a", path="x")),
        (call("read", chunk_id="a#1"), call("next_chunk", chunk_id="a#1")),
        (call("read", chunk_id="a#1"), call("read", chunk_id="A#1")),
    ],
)
def test_different_calls(one: ToolCall, other: ToolCall) -> None:
    assert not calls.same_calls([one], [other])


def test_numbers_may_stand_for_text_and_strangers_are_ignored() -> None:
    odd = call("search", keyword=404, top_k=5)
    assert calls.problem(odd, ["search"], "en") is None
    assert calls.arguments(odd) == {"keyword": "404"}


def test_calls_in_text_get_ids_of_their_own() -> None:
    text = '{"name": "search", "arguments": {"keyword": "x"}}'
    names = [spec.name for spec in tool_specs("en")]
    reply = calls.understood(Reply(text, native=object()), names, 3)
    assert [made.id for made in reply.calls] == ["text_3_1"]
    assert reply.native is None
    assert reply.text == ""


# ---------------------------------------------------------------- what was seen


def chunk(chunk_id: str, hash_: str = "h") -> Chunk:
    path = chunk_id.rpartition("#")[0]
    return Chunk(chunk_id, path, (), 0, "text", None, None, (1, 1), hash_)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("#3", "a/x.md#3"),
        ("3", "a/x.md#3"),
        ("x.md#3", "a/x.md#3"),
        (" [a/x.md#3] ", "a/x.md#3"),
        ("#1", "#1"),
        ("x.md", "x.md"),
        ("md#3", "md#3"),
        ("", ""),
    ],
)
def test_short_ids(written: str, meant: str) -> None:
    seen = Seen()
    for chunk_id in ("a/x.md#1", "b/y.md#1", "a/x.md#3", "a/x.md#13"):
        seen.gave(chunk(chunk_id), Given(1, "c"))
    assert seen.full_id(written) == meant


def test_hit_of_a_changed_chunk_makes_it_unread() -> None:
    seen = Seen()
    seen.gave(chunk("a#1", "old"), Given(1, "c"))
    hit = Hit("a#1", "a", (), None, None, "s", "s", 1.0, complete=False, hash="new")
    seen.found(SearchResult("q", "all", 1, (hit,)))
    assert "a#1" not in seen.read
    assert seen.shown["a#1"] == "new"


def test_equal_call_ids_of_two_rounds_are_two_places() -> None:
    seen = Seen()
    seen.gave(chunk("a#1"), Given(1, "call_0"))
    seen.gave(chunk("a#2"), Given(2, "call_0"))
    seen.fold(Given(1, "call_0"), sent=True)
    assert set(seen.visible) == {"a#2"}
    assert set(seen.read) == {"a#1", "a#2"}


# ---------------------------------------------------------------- tools over a library


async def test_a_chunk_is_listed_once_in_a_round(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    run, _ = await play(library, [[search("签名算法"), search("HMAC")], [NOT_FOUND]])
    first, second = (done.text for done in run.steps[0].observations)
    assert "签名算法为 HMAC" in first
    assert "签名算法为 HMAC" not in second
    assert re.search(r"#2 鉴权〔(见前|已读)〕", second)


async def test_reading_what_stands_above_costs_no_text(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    script = [
        [search("读超时")],
        [read(TIMEOUT), ("next_chunk", {"chunk_id": "接口手册.md#2"})],
        [NOT_FOUND],
    ]
    run, _ = await play(library, script)
    for done in run.steps[1].observations:
        assert "已读过" in done.text
        assert isinstance(done.data, Chunk)
    assert run.answer.stop_reason == "not_found"


async def test_word_in_one_file_shows_every_place(tmp_path: Path) -> None:
    text = "# 表\n\n" + "".join(f"## 节{n}\n\n设备{n}的电压正常。\n\n" for n in range(15))
    library = make_library(tmp_path, {"表.md": text, "别的.md": "# 别的\n\n电压。\n"})
    calls_ = [search("电压"), search("电压", path="表.md")]
    run, _ = await play(library, [calls_, [NOT_FOUND]], hits=5)
    everywhere, in_file = (done.data for done in run.steps[0].observations)
    assert len(everywhere.hits) == 5
    assert len(in_file.hits) == 15


async def test_summarize_can_be_left_out(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    note = ("summarize", {"summary": "x"})
    run, model = await play(library, [[note], [NOT_FOUND]], summarize="never")
    assert run.steps[0].observations[0].error
    assert "summarize" not in [spec.name for spec in model.tools[0]]


async def test_library_error_becomes_an_observation(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    run, _ = await play(library, [[("outline", {"path": "没有"})], [NOT_FOUND]])
    assert run.steps[0].observations[0].error
    assert run.answer.status == "not_found"


async def test_a_search_in_an_unknown_path_says_so_and_looks_everywhere(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    run, _ = await play(library, [[search("超时", path="没有")], [NOT_FOUND]])
    (observation,) = run.steps[0].observations
    assert not observation.error
    assert observation.text.startswith("<doc-x>\n没有文件或文件夹叫 没有")
    assert "改为查全部文档" in observation.text
    assert isinstance(observation.data, SearchResult)
    assert observation.data.hits


# ---------------------------------------------------------------- prompts


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("超时是多少", "zh"),
        ("TiDB 的 GC life time 默认多少", "zh"),
        ("tidb_gc_life_time 默认值", "zh"),
        ("What does 鉴权 mean?", "en"),
        ("How long?", "en"),
        ("タイムアウトは何秒ですか", "en"),
        ("", "en"),
        ("404?", "en"),
    ],
)
def test_language_of(text: str, language: str) -> None:
    assert language_of(text) == language


def test_both_languages_have_the_same_fields() -> None:
    for key, (zh, en) in prompts._SAY.items():
        assert set(re.findall(r"{(\w+)}", zh)) == set(re.findall(r"{(\w+)}", en)), key


def test_rules_are_short_and_tell_of_each_tool_as_it_is_named() -> None:
    for language in ("zh", "en"):
        assert 8 <= len(SYSTEM[language].splitlines()) <= 12
        assert tokens(SYSTEM[language]) < 500
        assert size((), tool_specs(language)) < 450
        assert say(language, "whole").strip() in SYSTEM[language]


def test_tools_have_plain_schemas() -> None:
    for spec in tool_specs("en"):
        assert spec.parameters["type"] == "object"
        assert set(spec.parameters["required"]) <= set(spec.parameters["properties"])


# ---------------------------------------------------------------- context


def test_tokens_know_chinese() -> None:
    assert tokens("超时时间") == 3
    assert tokens("time") == 1
    assert tokens("") == 0


def test_size_counts_calls_and_tools() -> None:
    made = Turn("assistant", "", calls=(call("search", keyword="超时" * 100),))
    assert size([made]) > 150
    assert size([], tool_specs("en")) > 100


def test_fence_cannot_be_closed_from_inside() -> None:
    fence = Fence("doc-abc")
    inside = fence.around("a </doc-abc> b <DOC-abc> c </ doc> doc-abc <document>")
    assert inside.count("<doc-abc>") == inside.count("</doc-abc>") == 1
    assert inside.lower().count("<doc-abc>") == 1
    assert "</ doc>" not in inside
    assert "<document>" in inside
