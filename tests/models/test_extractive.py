"""The extractive reader in the real loop over a real library: no model, no network."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from fanshu.agent.loop import LoopAgent
from fanshu.library.library import Library, Root
from fanshu.models.extractive import ExtractiveReader, parts_of
from fanshu.models.extractive_asked import asked
from fanshu.models.extractive_units import Source, units_of
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


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "retention 的默认值是多少，生产环境设成了多少，为什么？",
            ["retention 的默认值是多少", "生产环境设成了多少", "为什么"],
        ),
        (
            "工资台账要保存多久？请说明两个办法的要求。",
            ["工资台账要保存多久？请说明两个办法的要求。"],
        ),
        ("发票丢了，还能报多少钱？", ["发票丢了，还能报多少钱？"]),
        (
            "What is the limit of A and how long is a session kept?",
            ["What is the limit of A", "how long is a session kept"],
        ),
    ],
)
def test_each_part_asks_something(question: str, parts: list[str]) -> None:
    assert parts_of(question) == parts


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("日志保留多久？", "duration"),
        ("多久轮换一次密钥？", "frequency"),
        ("封网什么时候开始？", "date"),
        ("一类城市多少钱一晚？", "money"),
        ("从哪个版本开始支持？", "version"),
        ("谁批准紧急变更？", "person"),
        ("配置文件在哪里？", "place"),
        ("写入超时的默认值？", "number"),
        ("为什么调大了超时？", "reason"),
        ("怎么安装网关？", "procedure"),
        ("有哪些已知风险？", "list"),
        ("E-5031 是什么意思？", "definition"),
        ("可以坐商务舱吗？", "consent"),
        ("出差住宿标准", "topic"),
        ("How long does a session live?", "duration"),
        ("How often does it run?", "frequency"),
        ("When was 3.1.4 released?", "date"),
        ("Who approves an urgent change?", "person"),
        ("Where is the configuration?", "place"),
        ("default of write_timeout?", "number"),
        ("Why was it raised?", "reason"),
        ("How do I roll back?", "procedure"),
        ("Which alerts are there?", "list"),
        ("What does E-5031 mean?", "definition"),
        ("Is FTP still supported?", "consent"),
        ("travel rules", "topic"),
    ],
)
def test_what_kind_of_thing_is_asked(question: str, kind: str) -> None:
    assert kind in asked(question).kinds


def units(text: str, *heads: str) -> list[str]:
    source = Source("a.md#1", "a.md", heads, text, 1.0)
    return [unit.shown for unit in units_of(source)]


def test_units_are_sentences_items_rows_and_whole_lists() -> None:
    shown = units("# 安装\n\n先看这里。步骤：\n\n1. 解开。\n2. 启动。\n", "安装")
    assert shown == [
        "先看这里。",
        "步骤：",
        "1. 解开。",
        "2. 启动。",
        "步骤：\n1. 解开。\n2. 启动。",
    ]
    table = "| 端口 | 用途 |\n|---|---|\n| 80 | 数据 |\n| 81 | 管理 |\n"
    rows = ["端口 80 · 用途 数据", "端口 81 · 用途 管理"]
    assert units(table) == [*rows, "\n".join(rows)]


def test_a_title_is_no_unit() -> None:
    assert units("4.3 Drills\nPractise once a quarter.\n", "4 Backup", "4.3 Drills") == [
        "Practise once a quarter."
    ]
    title = Source("a/国庆值班通知.txt#1", "a/国庆值班通知.txt", (), "国庆值班通知\n", 1.0)
    assert units_of(title) == []


async def test_the_newer_version_takes_the_place_of_the_older(
    library: Callable[..., Library],
) -> None:
    filler = "".join(f"第{n}条 其他事项第{n}项另行通知。\n" for n in "三四五六七八九")
    rule = "第一条 本办法由财务部解释。\n第二条 出差补助每人每天{}元。\n"
    documents = library(
        {
            "补助办法(2021-03-01).txt": rule.format(100) + filler,
            "补助办法(2024-07-01).txt": rule.format(120) + filler,
        }
    )
    now = await ask(documents, "出差补助每天多少钱？")
    assert ("120元" in now.answer, "100元" in now.answer) == (True, False)
    before = await ask(documents, "2021年出差补助每天多少钱？")
    assert "100元" in before.answer
    both = await ask(documents, "2021年和2024年的出差补助有什么不同？")
    assert "100元" in both.answer and "120元" in both.answer


async def test_every_name_of_a_question_gets_its_place(library: Callable[..., Library]) -> None:
    rows = "".join(f"| `size_{name}` | {n * 11} |\n" for n, name in enumerate("abcdefgh", 1))
    documents = library({"p.md": f"# Sizes\n\n| name | default |\n|---|---|\n{rows}"})
    answer = await ask(documents, "Compare the defaults of size_b and size_g.")
    assert "22" in answer.answer and "77" in answer.answer
    assert len(answer.citations) == 2


async def test_long_lines_and_strange_questions_take_no_time(
    library: Callable[..., Library],
) -> None:
    documents = library({"a.md": "日志保留7天。" + "a" * 4_000 + "1" * 4_000 + "-a" * 2_000})
    for question in (
        "日志保留几天" + "a" * 2_000,
        "how much does " * 200,
        "1" * 2_000,
        "，" * 2_000,
    ):
        answer = await ask(documents, question)
        assert answer.status in ("passages", "not_found")
