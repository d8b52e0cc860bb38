"""A model as a judge: its verdicts, what it is told, and how far it agrees."""

from pathlib import Path
from typing import Any

import pytest

from fanshu.evals.grading import Grade
from fanshu.evals.judging import JUDGE_PROMPT, agreement, judge, to_judge, verdict_of
from fanshu.evals.questions import Question
from fanshu.evals.summary import Case
from fanshu.models import Reply
from fanshu.models.scripted import ScriptedModel
from fanshu.types import ToolCall

DOCS = Path(__file__).parents[2] / "docs"
QUESTION = Question("1", "写超时？", None, "keyword", {"answer": "30 秒"})


def verdict(**arguments: Any) -> Reply:
    return Reply(calls=(ToolCall("1", "verdict", arguments, ""),))


async def test_a_verdict_and_what_the_judge_sees() -> None:
    model = ScriptedModel([verdict(right=True, why="同值")])
    told = await judge(QUESTION, {"id": "1", "answer": "半分钟"}, model)
    assert told == {"right": True, "why": "同值", "model": model.name}
    system, asked = model.seen[0]
    assert system.text == JUDGE_PROMPT
    assert all(part in asked.text for part in ("写超时？", "30 秒", "半分钟"))
    assert model.forced == ["verdict"]


@pytest.mark.parametrize("reply", [Reply(text="right"), verdict(right="yes"), verdict(), Reply()])
async def test_what_is_no_verdict_is_none(reply: Reply) -> None:
    assert await judge(QUESTION, {"id": "1", "answer": "x"}, ScriptedModel([reply])) is None


async def test_a_refusal_is_judged_as_one() -> None:
    model = ScriptedModel([verdict(right=False, why="")])
    await judge(QUESTION, {"id": "1", "answer": "unused", "found": False}, model)
    assert "not found in the documents" in model.seen[0][1].text
    assert "unused" not in model.seen[0][1].text


def test_agreement_is_kappa_against_strings() -> None:
    def case(strings: bool, said: bool | None) -> Case:
        row = {"id": "1"} | ({} if said is None else {"judged": {"right": said}})
        return Case("1", "", row, Grade(strings, True, True, None))

    found = [case(True, True)] * 20 + [case(True, False)] * 5
    found += [case(False, True)] * 10 + [case(False, False)] * 15 + [case(True, None)]
    told = agreement(found)
    assert told
    assert (told.kappa, told.right, told.count) == (pytest.approx(0.4), 0.6, 50)
    assert agreement([case(True, None)]) is None


def test_only_answers_without_a_verdict_are_judged() -> None:
    assert to_judge({"id": "1", "answer": "x"})
    assert not to_judge({"id": "1", "error": "x"})
    assert not to_judge({"id": "1", "status": "retrieved"})
    assert not to_judge({"id": "1", "judged": {"right": True}})
    assert verdict_of({"judged": {"right": "no"}}) is None


def test_the_prompt_is_published_word_for_word() -> None:
    assert JUDGE_PROMPT in (DOCS / "measuring.md").read_text(encoding="utf-8")
