"""How fast a run asks, what it may spend, what happens when it is broken off."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fanshu.errors import ConfigError
from fanshu.evals.pacing import Pace, Spending, rest
from fanshu.evals.questions import Question
from fanshu.evals.running import Plan, run
from fanshu.settings import Settings
from tests.cli.replies import NOT_FOUND
from tests.models.fake_server import FakeServer

IDS = ("1", "2", "3", "4")


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("日志保留7天。", encoding="utf-8")
    return str(tmp_path / "docs")


def plan(docs: str, url: str, **more: Any) -> Plan:
    settings = Settings(docs=(docs,), trace=False, model="m", base_url=url, api_key="k")
    questions = [Question(one, f"日志 {one} 保留几天？") for one in IDS]
    return Plan(questions, "loop", settings, **more)


def ids(out: Path) -> set[str]:
    return {json.loads(line)["id"] for line in out.read_text("utf-8").splitlines()}


async def test_requests_wait_for_their_turn() -> None:
    pace = Pace(60 / 0.05)  # one in 0.05 s
    clock = asyncio.get_running_loop().time
    began = clock()
    await asyncio.gather(*(pace.turn() for _ in range(4)))
    assert clock() - began >= 0.14  # the first at once, the others one after another


async def test_without_a_rate_nothing_waits() -> None:
    pace = Pace(None)
    await asyncio.wait_for(asyncio.gather(*(pace.turn() for _ in range(1000))), 30)


def test_several_questions_at_once_give_the_same_results(docs: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with FakeServer(*[NOT_FOUND] * len(IDS)) as server:
        done = run(plan(docs, server.url, parallel=3), out)
    assert (done.errors, done.left) == (0, 0)
    assert ids(out) == set(IDS)
    assert "cpu" not in json.loads(out.read_text("utf-8").splitlines()[0])


def test_spending_ends_where_it_must() -> None:
    spending = Spending(1.0, 0.4)
    spending.add({"cost": 0.5, "tokens": 10})
    assert not spending.reached
    spending.add({"cost": 0.1, "tokens": 10})
    assert spending.reached
    assert not Spending(None, 99.0).reached


def test_a_limit_that_cannot_be_kept_is_said_at_once(docs: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with FakeServer(*[NOT_FOUND] * len(IDS)) as server, pytest.raises(ConfigError, match="price"):
        run(plan(docs, server.url, max_spend=0.5), out)
    assert ids(out) == {"1"}  # what was paid for is kept


def test_no_further_question_once_it_is_spent(docs: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    with FakeServer() as server:
        done = run(plan(docs, server.url, max_spend=0.0), out)
    assert (done.left, done.errors) == (4, 0)


def test_a_limit_holds_for_several_runs_together() -> None:
    assert rest(None, 9.0) is None
    assert (rest(5.0, 2.0), rest(5.0, 7.0)) == (3.0, 0.0)


def test_what_costs_nothing_goes_on_when_all_is_spent(docs: str, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    done = run(replace(plan(docs, "", max_spend=0.0), system="extractive"), out)
    assert (done.left, ids(out)) == (0, set(IDS))
