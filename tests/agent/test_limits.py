"""What one question may cost, and the notes of long runs."""

from pathlib import Path

import pytest

from fanshu.models import Reply
from fanshu.types import ToolCall, Usage
from tests.agent.runs import (
    GATEWAY,
    NOT_FOUND,
    RIGHT,
    TIMEOUT,
    answer,
    make_library,
    play,
    read,
    search,
)


def paid(cost: float, *calls: tuple[str, dict[str, object]], prompt: int = 100) -> Reply:
    made = tuple(ToolCall(f"c{n}", name, arguments) for n, (name, arguments) in enumerate(calls))
    return Reply("", made, Usage(prompt, 0, 10, cost))


async def test_near_the_tokens_of_a_question_an_answer_is_due(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    script = [paid(0, search("超时"), prompt=9_000), paid(0, read(TIMEOUT)), paid(0, RIGHT)]
    run, model = await play(library, script, max_tokens=10_000)
    assert model.forced == [None, "answer", "answer"][: len(model.forced)]
    assert run.answer.stop_reason == "budget"
    assert run.answer.status == "partial"


async def test_tokens_are_estimated_where_the_service_does_not_tell(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    script: list[object] = [[search(word)] for word in ("超时", "签名", "重试", "步骤", "权限")]
    run, model = await play(library, [*script, [NOT_FOUND]], max_tokens=5_000, max_rounds=10)
    assert run.answer.usage.prompt == 0
    assert "answer" in model.forced
    assert len(model.forced) < 7


async def test_near_the_cost_of_a_question_an_answer_is_due(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    script = [paid(0.01, search("超时")), paid(0.01, read(TIMEOUT)), paid(0.01, RIGHT)]
    run, model = await play(library, script, max_cost=0.035)
    assert model.forced == [None, None, "answer"]
    assert (run.answer.status, run.answer.stop_reason) == ("answered", "budget")
    assert run.answer.usage.cost == pytest.approx(0.03)


async def test_a_price_that_is_not_known_limits_nothing(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    run, _ = await play(library, [[read(TIMEOUT)], [RIGHT]], max_cost=0.000001)
    assert run.answer.stop_reason == "answered"


@pytest.mark.parametrize(
    ("mode", "asked"), [("auto", [3]), ("always", [1, 2, 3, 4]), ("never", [])]
)
async def test_notes_are_asked_for(tmp_path: Path, mode: str, asked: list[int]) -> None:
    library = make_library(tmp_path, GATEWAY)
    note = ("summarize", {"summary": "已知签名，缺超时"})
    words = ["超时", "签名", "重试", "步骤"]
    script: list[object] = [[search(word)] for word in words]
    if mode == "auto":
        script[3] = [search("步骤"), note]
    _, model = await play(library, [*script, [NOT_FOUND]], summarize=mode, max_rounds=8)
    told = [n for n, turns in enumerate(model.seen) if "summarize 记下" in turns[-1].text]
    assert told == asked


async def test_several_questions_in_one_are_counted(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    _, model = await play(library, [[NOT_FOUND]], "读超时是多少？部署有几步？")
    assert "有 2 问" in model.seen[0][1].text
    _, model = await play(library, [[NOT_FOUND]], "读超时是多少？？")
    assert "问：" not in model.seen[0][1].text


TWO = "读超时是多少？部署有几步？"
BOTH = answer(
    "读超时为 30 秒；部署共有四步。",
    (TIMEOUT, "读超时时间为 30 秒"),
    ("部署/安装.md#2", "部署共有四步"),
)


async def test_one_place_for_two_questions_goes_back_once(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    looked = [read(TIMEOUT), read("部署/安装.md#2")]
    run, model = await play(library, [looked, [RIGHT], [BOTH]], TWO)
    assert "问了 2 问，只引了一处" in model.seen[2][-1].text
    assert (run.answer.status, run.answer.bounces, len(run.answer.citations)) == ("answered", 1, 2)
    run, _ = await play(library, [looked, [RIGHT], [RIGHT]], TWO)
    assert (run.answer.status, run.answer.bounces) == ("answered", 1)


async def test_what_is_said_to_be_missing_needs_no_place(tmp_path: Path) -> None:
    library = make_library(tmp_path, GATEWAY)
    half = answer("读超时为 30 秒；部署的步数没有找到。", (TIMEOUT, "读超时时间为 30 秒"))
    for question, given in ((TWO, half), (TWO, BOTH), ("读超时是多少？", RIGHT)):
        looked = [read(TIMEOUT), read("部署/安装.md#2")]
        run, _ = await play(library, [looked, [given]], question)
        assert (run.answer.status, run.answer.bounces) == ("answered", 0)
