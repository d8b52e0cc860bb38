"""The short way for small models: texts first, an answer at once, places found by code."""

from pathlib import Path

import pytest

from fanshu import app
from fanshu.agent import compact
from fanshu.agent.context import size, tokens
from fanshu.agent.prompts import say
from fanshu.library.library import Library
from fanshu.models.scripted import ScriptedModel
from fanshu.settings import Settings
from fanshu.types import Language

from .runs import GATEWAY, TIMEOUT, make_library, play, search

QUESTION = "读超时时间是多少？"
SMALL = {"small": True, "first_search": True, "directory_summary": True}
SAID = ("answer", {"found": True, "response": "读超时时间为 30 秒。"})
BARE = ("answer", {"found": True, "response": "30 秒"})
NOTHING = ("answer", {"found": False, "response": ""})


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return make_library(tmp_path, GATEWAY)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_rules_and_tools_are_few(language: Language) -> None:
    assert tokens(compact.SYSTEM[language]) < 150
    assert size((), compact.specs(language)) < 200
    assert [spec.name for spec in compact.specs(language)] == ["answer", "search", "read"]


@pytest.mark.parametrize("reply", [SAID, BARE])
async def test_code_finds_the_place_of_an_answer_that_cites_nothing(
    library: Library, reply: tuple[str, dict[str, object]]
) -> None:
    run, model = await play(library, [[reply]], QUESTION, **SMALL)
    assert run.answer.status == "answered"
    assert [(c.chunk_id, c.verified) for c in run.answer.citations] == [(TIMEOUT, "located")]
    assert (run.answer.rounds, run.answer.bounces) == (1, 0)
    assert model.forced == ["answer"]


async def test_the_question_stands_last_and_nothing_tells_of_folders(library: Library) -> None:
    run, _ = await play(library, [[SAID]], QUESTION, **SMALL)
    rules, first = run.turns[:2]
    assert rules.text == compact.SYSTEM["zh"]
    assert first.text.endswith(f"</doc-x>\n问题：{QUESTION}")
    assert "安装手册" not in first.text


async def test_where_code_finds_no_place_the_model_has_to_quote(library: Library) -> None:
    vague = ("answer", {"found": True, "response": "有时间限制。"})
    quoted = {"chunk_id": TIMEOUT, "quote": "读超时时间为 30 秒"}
    mended = ("answer", {**BARE[1], "citations": [quoted]})
    run, _ = await play(library, [[vague], [mended]], QUESTION, **SMALL)
    assert (run.answer.status, run.answer.bounces) == ("answered", 1)
    assert [c.verified for c in run.answer.citations] == ["quoted"]


async def test_an_objection_repeated_is_no_answer(library: Library) -> None:
    vague = ("answer", {"found": True, "response": "有时间限制。"})
    quoted = {"chunk_id": TIMEOUT, "quote": "读超时时间为 30 秒"}
    echo = {"found": True, "response": say("zh", "objections"), "citations": [quoted]}
    run, _ = await play(library, [[vague], [("answer", echo)]], QUESTION, **SMALL)
    assert (run.answer.status, run.answer.answer) == ("not_found", say("zh", "not_found"))


async def test_nothing_is_not_found_before_another_search(library: Library) -> None:
    script = [[NOTHING], [search("写超时")], [NOTHING]]
    run, model = await play(library, script, "写超时时间是多少？", **SMALL)
    assert (run.answer.status, run.answer.rounds) == ("not_found", 3)
    assert model.forced == ["answer", "search", "answer"]


async def test_rounds_are_few(library: Library) -> None:
    script = [[search("甲")], [search("乙")], [NOTHING]]
    run, model = await play(library, script, "乙", small=True)
    assert (run.answer.rounds, model.forced[-1]) == (compact.ROUNDS, "answer")


@pytest.mark.parametrize(
    ("settings", "small"),
    [
        (Settings(model="gguf:x"), True),
        (Settings(model="gguf:x", prompt="full"), False),
        (Settings(model="openai:x"), False),
        (Settings(model="openai:x", prompt="compact"), True),
    ],
)
def test_who_gets_the_short_form(library: Library, settings: Settings, small: bool) -> None:
    assert app.agent(settings, library, ScriptedModel([])).small is small
