"""What an answer rests on, from the trace of a real run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fanshu.audit.account import account
from fanshu.library.library import Library
from tests.agent.runs import NOT_FOUND, answer, make_library, read, search
from tests.audit.recorded import recorded

FILES = {
    "部署.md": """\
# 部署

## 容量

每个节点 3 个副本，共 2 个机房，每个机房 2 个节点。

## 限制

除测试环境外，不得开放 8080 端口。
""",
    "接口.md": "# 接口\n\n## 超时\n\n写超时为 30 秒。\n",
}
CAPACITY, LIMITS, TIMEOUT = "部署.md#2", "部署.md#3", "接口.md#2"
NODES = "每个节点 3 个副本，共 2 个机房，每个机房 2 个节点"


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    made = make_library(tmp_path, FILES)
    yield made
    made.close()


async def test_each_figure_has_its_place(library: Library) -> None:
    reply = answer(
        "写超时为 30 秒；副本共 3×2×2=12 个。",
        (CAPACITY, NODES),
        (TIMEOUT, "写超时为 30 秒"),
    )
    told = account(
        await recorded(library, [[read(CAPACITY), read(TIMEOUT)], reply], "超时和副本数")
    )
    facts = {fact.text: fact for fact in told.facts}
    assert facts["30 秒"].kind == "quoted"
    assert facts["30 秒"].sources == (2,)
    derived = next(fact for fact in told.facts if fact.kind == "derived")
    assert derived.arithmetic.startswith("3×2×2=12")
    assert [check.outcome for check in told.checks] == ["passed"] * 5
    assert not told.sent_back
    assert told.language == "zh"
    assert [source.chunk.text for source in told.sources if source.chunk][1].startswith("## 超时")


async def test_what_fails_is_named(library: Library) -> None:
    wrong = answer("写超时为 45 秒。", (TIMEOUT, "写超时为 30 秒"), (TIMEOUT, "读超时也是"))
    told = account(await recorded(library, [read(TIMEOUT), wrong, wrong], "写超时"))
    assert [(fact.text, fact.kind) for fact in told.facts] == [("45 秒", "unsupported")]
    assert [one.quote for one in told.refused] == ["读超时也是"]
    assert [sent.round for sent in told.sent_back] == [2]
    assert any("45 秒" in one for one in told.sent_back[0].objections)
    outcomes = {check.code: (check.outcome, check.good, check.all) for check in told.checks}
    assert outcomes["quotes"] == ("failed", 1, 2)
    assert outcomes["figures"] == ("failed", 0, 1)


async def test_a_negation_beside_a_quote_is_noted(library: Library) -> None:
    clipped = answer("开放 8080 端口。", (LIMITS, "开放 8080 端口"))
    told = account(await recorded(library, [read(LIMITS), clipped, clipped], "能开放哪个端口"))
    outcomes = {check.code: check.outcome for check in told.checks}
    assert outcomes["edges"] == "noted"


async def test_not_found_has_no_checks(library: Library) -> None:
    told = account(await recorded(library, [search("鲸鱼"), NOT_FOUND], "鲸鱼吃什么"))
    assert (told.checks, told.facts, told.sources) == ((), (), ())
