"""Conversations: a follow-up has what was said before in view, and evidence of its own (U31)."""

from pathlib import Path

import pytest

from fanshu.agent.earlier import searched_with
from fanshu.agent.loop import LoopAgent
from fanshu.agent.session import Session
from fanshu.errors import ModelBadReply
from fanshu.models.extractive import ExtractiveReader
from fanshu.models.scripted import ScriptedModel
from fanshu.types import Exchange
from tests.agent.runs import GATEWAY, answer, make_library, read, search

STEPS = answer("共有四步。", ("部署/安装.md#2", "部署共有四步"))
RIGHTS = answer("管理员权限。", ("部署/安装.md#3", "第二步需要管理员权限"))


def talk(folder: Path, script: list[object]) -> tuple[Session, ScriptedModel]:
    model = ScriptedModel(script)
    return Session(LoopAgent(make_library(folder, GATEWAY), model, marker="doc-x")), model


async def test_u31_a_follow_up_is_searched_with_what_it_refers_to(tmp_path: Path) -> None:
    session, model = talk(tmp_path, [[STEPS], [RIGHTS]])
    await session.ask("部署有几步？")
    run = await session.ask("第二步要什么权限？")
    assert run.answer.status == "answered"
    ahead = run.answer.searches[0]
    assert ahead.ahead
    assert "部署" in ahead.keyword
    assert "第二步" in ahead.keyword
    first = model.seen[1][1].text
    assert "部署有几步" in first
    assert "共有四步" in first
    assert "部署/安装.md#2" in first


async def test_what_was_said_before_is_no_evidence(tmp_path: Path) -> None:
    quoted = answer("部署共有四步。", ("部署/安装.md#2", "部署共有四步"))
    session, _ = talk(tmp_path, [[STEPS], [quoted], [quoted]])
    await session.ask("部署有几步？")
    session.agent.first_search = False
    run = await session.ask("再说一遍，有几步？")
    assert run.answer.status == "not_found"
    assert run.answer.citations_rejected == 1


async def test_only_the_last_questions_are_remembered(tmp_path: Path) -> None:
    session, model = talk(tmp_path, [[STEPS]] * 6)
    for number in range(6):
        await session.ask(f"部署有几步？这是第 {number} 次问。")
    assert [one.question[-7:] for one in session.earlier] == [
        "第 3 次问。",
        "第 4 次问。",
        "第 5 次问。",
    ]
    assert "第 1 次问" not in model.seen[5][1].text
    session.forget()
    assert session.earlier == ()


async def test_a_failed_run_is_not_remembered(tmp_path: Path) -> None:
    session, _ = talk(tmp_path, [ModelBadReply(model="scripted", detail="nothing")])
    run = await session.ask("部署有几步？")
    assert run.answer.status == "error"
    assert session.earlier == ()


async def test_a_follow_up_can_be_folded_away_and_stays_a_follow_up(tmp_path: Path) -> None:
    script: list[object] = [
        [STEPS],
        *[[search(f"签名 {n}"), read("接口手册.md#2")] for n in range(3)],
        [RIGHTS],
    ]
    session, model = talk(tmp_path, script)
    session.agent.context_tokens = 2_600
    await session.ask("部署有几步？")
    await session.ask("第二步要什么权限？")
    last = model.seen[-1][1].text
    assert "第二步要什么权限" in last
    assert "部署有几步" in last


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("And read_timeout?", "And read_timeout?\nWhat is it?"),
        ("那读超时呢？", "那读超时呢？\nWhat is it?"),
        ("and the other one", "and the other one?\nWhat is it?"),
    ],
)
def test_a_first_search_reads_as_two_questions(question: str, words: str) -> None:
    assert searched_with(question, [Exchange("What is it?", "That.", ())]) == words
    assert searched_with(question, []) == question


async def test_without_a_model_a_question_of_its_own_brings_nothing_of_the_one_before(
    tmp_path: Path,
) -> None:
    session = Session(LoopAgent(make_library(tmp_path, GATEWAY), ExtractiveReader()))
    await session.ask("部署有几步？")
    parts = "接口的签名在哪里说明，请求的签名用什么方法？"
    later = (await session.ask(parts)).answer
    session.forget()
    alone = (await session.ask(parts)).answer
    assert later.answer == alone.answer
