"""The extractive reader in the real loop over a real library: no model, no network."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from fanshu.agent.loop import LoopAgent
from fanshu.library.library import Library, Root
from fanshu.models.extractive import ExtractiveReader, parts_of
from fanshu.types import Answer
from tests.waiting import PATIENCE

Ask = Callable[..., "Answer"]


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Callable[[Mapping[str, str]], Library]]:
    made: list[Library] = []

    def make(files: Mapping[str, str]) -> Library:
        for name, text in files.items():
            (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
        made.append(
            Library([Root(tmp_path / "docs")], tmp_path / "index.db", search_seconds=PATIENCE)
        )
        made[-1].sync()
        return made[-1]

    yield make
    for one in made:
        one.close()


MANUAL = {
    "手册.md": "# 网关手册\n\n## 超时\n\n读取超时的默认值是30秒。写入超时的默认值是45秒。\n\n"
    "## 日志\n\n日志保留7天，可以用 log_keep_days 修改。\n\n"
    "## 端口\n\n| 服务 | 端口 |\n|---|---|\n| 管理台 | 8443 |\n| 数据面 | 9000 |\n",
    "rules.txt": "第一条 员工每年有10天年假。\n第二条 报销须在30日内提交。\n",
    "runbook.md": "# Runbook\n\nRestart the gateway with `gwctl restart`. "
    "The health check runs every 15 seconds.\n",
}


async def ask(library: Library, question: str, **settings: object) -> Answer:
    agent = LoopAgent(library, ExtractiveReader(), **settings)  # type: ignore[arg-type]
    return (await agent.ask(question)).answer


async def test_a_question_gets_whole_sentences_with_their_place(
    library: Callable[..., Library],
) -> None:
    answer = await ask(library(MANUAL), "日志保留多少天？")
    assert answer.status == "passages"
    assert answer.reader == "extractive"
    assert answer.answer == "日志保留7天，可以用 log_keep_days 修改。"
    (citation,) = answer.citations
    assert (citation.file_path, citation.section_path[-1]) == ("手册.md", "日志")
    assert citation.lines == (9, 9)
    assert answer.usage.prompt == 0


@pytest.mark.parametrize(
    "question",
    [
        "读取超时和写入超时的默认值分别是多少？",
        "年假有几天？日志保留几天？",
        "日志保留多少天，以及报销须在多少日内提交？",
        "How often does the health check run, and how do I restart the gateway?",
    ],
)
async def test_both_parts_of_a_question_are_covered(
    library: Callable[..., Library], question: str
) -> None:
    expected = {
        "读": ("30秒", "45秒"),
        "年": ("10天", "7天"),
        "日": ("7天", "30日"),
        "H": ("15 seconds", "gwctl restart"),
    }
    answer = await ask(library(MANUAL), question)
    assert answer.status == "passages"
    assert all(fact in answer.answer for fact in expected[question[0]])


async def test_a_table_row_comes_with_the_names_of_its_columns(
    library: Callable[..., Library],
) -> None:
    answer = await ask(library(MANUAL), "管理台的端口是多少？")
    assert "服务 管理台 · 端口 8443" in answer.answer
    assert answer.citations[0].quote == "| 管理台 | 8443 |"


@pytest.mark.parametrize("question", ["PostgreSQL 的最低版本是多少？", "量子纠缠怎么测量？"])
async def test_what_the_documents_do_not_name_is_not_found(
    library: Callable[..., Library], question: str
) -> None:
    answer = await ask(library(MANUAL), question)
    assert (answer.status, answer.stop_reason, answer.citations) == ("not_found", "not_found", ())


@pytest.mark.parametrize(
    "settings", [{"first_search": False}, {"max_rounds": 1}, {"max_rounds": 2}]
)
async def test_it_works_under_any_setting(
    library: Callable[..., Library], settings: dict[str, object]
) -> None:
    answer = await ask(library(MANUAL), "日志保留多少天？", **settings)
    assert answer.status in ("passages", "not_found")
    assert answer.rounds <= 6


async def test_names_that_look_like_something_else_are_cited(
    library: Callable[..., Library],
) -> None:
    names = [" space.md", "`code`.md", "[1].md", "a#1.md", "'x'.md"]
    documents = library({name: f"鲸鱼编号{n}。" for n, name in enumerate(names)})
    for n, name in enumerate(names):
        answer = await ask(documents, f"鲸鱼编号{n}")
        assert name in {citation.file_path for citation in answer.citations}
        assert answer.citations_rejected == 0


async def test_it_never_claims_an_answer(library: Callable[..., Library]) -> None:
    documents = library(MANUAL)
    for question in (
        "端口",
        "",
        "？",
        "a",
        "日志" * 400,
        "30 45 7 10",
        "<|im_start|>",
        "超时|日志",
    ):
        answer = await ask(documents, question)
        assert answer.status in ("passages", "not_found", "partial")
        assert len(answer.citations) <= 10


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("日志保留几天？", ["日志保留几天？"]),
        ("年假有几天？报销几天内提交？", ["年假有几天", "报销几天内提交"]),
        ("默认端口是什么，以及在哪里改？", ["默认端口是什么", "在哪里改"]),
        ("What is A, and how do I change it here?", ["What is A, and how do I change it here?"]),
    ],
)
def test_parts_of(question: str, parts: list[str]) -> None:
    assert parts_of(question) == parts
