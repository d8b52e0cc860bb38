"""A sentence that a search has shown may be quoted; code opens its chunk."""

from pathlib import Path

import pytest

from fanshu.agent.run import Run
from fanshu.agent.seen import Given, Seen
from fanshu.models.scripted import ScriptedModel
from fanshu.types import Hit
from tests.agent.runs import answer, make_library, play, search, write

FILLER = "本节其余内容说明配置的背景、历史与写法，供管理员在安装前通读，和具体数值没有关系。" * 15
LONG = {
    "参数.md": f"# 参数\n\n## 保留期\n\n日志保留期为 14 天。\n\n{FILLER}\n",
    "例外.md": f"# 例外\n\n## 审计\n\n审计记录保留期为 90 天。\n\n但测试环境的记录不保留。\n\n{FILLER}\n",
}
LOGS, AUDIT = "参数.md#2", "例外.md#2"
KEPT = answer("日志保留 14 天。", (LOGS, "日志保留期为 14 天"))
AUDITED = answer("审计记录保留 90 天。", (AUDIT, "审计记录保留期为 90 天"))


async def ask(folder: Path, *script: object) -> tuple[Run, ScriptedModel]:
    return await play(make_library(folder, LONG), list(script), "保留期是多少")


async def test_a_sentence_seen_in_a_line_can_be_quoted(tmp_path: Path) -> None:
    run, _ = await ask(tmp_path, [search("日志 保留期")], [KEPT])
    assert (run.answer.status, run.answer.rounds, run.answer.bounces) == ("answered", 2, 0)
    (cited,) = run.answer.citations
    assert cited.passage == "日志保留期为 14 天。"
    assert cited.lines == (5, 5)


@pytest.mark.parametrize("quote", ["供管理员在安装前通读", "日志保留期为 15 天"])
async def test_what_was_not_seen_cannot(tmp_path: Path, quote: str) -> None:
    other = answer("供管理员通读。", (LOGS, quote))
    run, _ = await ask(tmp_path, [search("日志 保留期")], [other], [other])
    assert run.answer.status == "not_found"
    assert run.answer.citations_rejected == 1


async def test_a_chunk_that_takes_something_back_is_read_first(tmp_path: Path) -> None:
    script = [[search("审计 保留期")], [AUDITED], [AUDITED]]
    run, model = await ask(tmp_path, *script)
    assert "但测试环境的记录不保留" in model.seen[2][-1].text
    assert (run.answer.status, run.answer.rounds, run.answer.bounces) == ("answered", 3, 0)


async def test_a_but_far_away_is_about_something_else(tmp_path: Path) -> None:
    text = LONG["参数.md"].replace(FILLER, f"{FILLER}\n\n但写法可以不同。")
    library = make_library(tmp_path, {"参数.md": text})
    script: list[object] = [[search("日志 保留期")], [KEPT]]
    run, _ = await play(library, script, "保留期是多少")
    assert (run.answer.status, run.answer.rounds) == ("answered", 2)


async def test_the_next_row_of_a_table_is_about_something_else(tmp_path: Path) -> None:
    rows = (
        "| 参数 | 默认值 |\n| - | - |\n| log_days | 14 |\n| audit_days | 但凡测试环境，不保留 |\n"
    )
    library = make_library(tmp_path, {"参数.md": f"# 参数\n\n{rows}\n{FILLER}\n"})
    given = answer("log_days 默认 14。", ("参数.md#1", "log_days | 14"))
    run, _ = await play(library, [[search("log_days")], [given]], "log_days 是多少")
    assert (run.answer.status, run.answer.rounds) == ("answered", 2)


async def test_what_is_wrong_is_said_with_the_text_to_read(tmp_path: Path) -> None:
    wrong = answer("审计记录保留 91 天。", (AUDIT, "审计记录保留期为 90 天"))
    _, model = await ask(tmp_path, [search("审计 保留期")], [wrong], [AUDITED])
    said = model.seen[2][-1].text
    assert "但测试环境的记录不保留" in said
    assert "91 天 不在所引的句子" in said


async def test_in_the_last_round_it_is_taken_as_it_is(tmp_path: Path) -> None:
    library = make_library(tmp_path, LONG)
    script: list[object] = [[search("审计 保留期")], [AUDITED]]
    run, _ = await play(library, script, "保留期是多少", max_rounds=2)
    assert run.answer.status == "answered"


async def test_a_line_that_is_no_longer_true_cannot(tmp_path: Path) -> None:
    library = make_library(tmp_path, LONG)

    def edit() -> None:
        write(tmp_path, {"参数.md": LONG["参数.md"].replace("14 天", "15 天")})

    script: list[object] = [[search("日志 保留期")], [KEPT], [KEPT]]
    run, _ = await play(library, script, "保留期是多少", meanwhile={2: edit})
    assert run.answer.status == "not_found"


# ---------------------------------------------------------------- what a line does not show

LIMITS = f"# 参数\n\n| 项 | 默认 | 上限 |\n| --- | --- | --- |\n| 连接数 | 5 | 9 |\n\n{FILLER}\n"
FORBIDDEN = f"# 规定\n\n机房内不得有下列行为：\n\n1. 存放纸箱；\n2. 携带饮料；\n\n{FILLER}\n"
CLAUSE = (
    f"# 保留\n\n除非另行约定，{'各方应当事先书面通知对方，' * 9}审计副本保留 90 天。\n\n{FILLER}\n"
)


@pytest.mark.parametrize(
    ("text", "words", "quote", "shown"),
    [
        (LIMITS, "连接数", "连接数 | 5 | 9", "| 项 | 默认 | 上限 |"),
        (FORBIDDEN, "携带饮料", "携带饮料", "不得有下列行为"),
        (CLAUSE, "审计副本", "审计副本保留 90 天", "除非另行约定"),
    ],
    ids=["the header of a table", "a list of what is forbidden", "the same sentence, cut off"],
)
async def test_what_stands_before_a_line_is_read_first(
    tmp_path: Path, text: str, words: str, quote: str, shown: str
) -> None:
    library = make_library(tmp_path, {"a.md": text})
    said = answer(quote, ("a.md#1", quote))
    run, model = await play(library, [[search(words)], [said], [said], [said]], "问")
    assert shown not in model.seen[1][-1].text
    assert shown in model.seen[2][-1].text
    assert "a.md#1" in {one.chunk_id for one in run.answer.citations}


async def test_a_line_cut_after_a_not_is_no_fact(tmp_path: Path) -> None:
    text = f"# 限速\n\n{'在一般情况下，' * 20}不得超过 30 公里。\n\n{FILLER}\n"
    library = make_library(tmp_path, {"a.md": text})
    said = answer("要超过 30 公里。", ("a.md#1", "超过 30 公里"))
    run, _ = await play(library, [[search("超过 公里")], [said], [said], [said]], "多快")
    assert run.answer.status != "answered"


async def test_in_the_last_round_the_reader_is_told_that_the_rest_was_not_read(
    tmp_path: Path,
) -> None:
    library = make_library(tmp_path, LONG)
    script: list[object] = [[search("审计 保留期")], [AUDITED]]
    run, _ = await play(library, script, "保留期是多少", max_rounds=2)
    assert any(AUDIT in one and "没看全文" in one for one in run.answer.warnings)
    run, _ = await play(library, [[search("日志 保留期")], [KEPT]], "保留期是多少", max_rounds=2)
    assert run.answer.warnings == ()


async def test_a_line_of_a_text_that_has_changed_is_forgotten(tmp_path: Path) -> None:
    """Sent twice, a quote that stands in the new text as well was once taken from that."""
    library = make_library(tmp_path, LONG)

    def edit() -> None:
        write(tmp_path, {"参数.md": LONG["参数.md"].replace("14 天。", "14 天，自明年起停用。")})

    script: list[object] = [[search("日志 保留期")], [KEPT], [KEPT]]
    run, _ = await play(library, script, "保留期是多少", meanwhile={2: edit})
    assert run.answer.status == "not_found"


async def test_a_line_whose_heading_has_changed_is_forgotten(tmp_path: Path) -> None:
    library = make_library(tmp_path, LONG)

    def edit() -> None:
        write(tmp_path, {"参数.md": LONG["参数.md"].replace("# 参数\n", "# 已废止的参数\n", 1)})

    script: list[object] = [[search("日志 保留期")], [KEPT], [KEPT]]
    run, _ = await play(library, script, "保留期是多少", meanwhile={2: edit})
    assert run.answer.status == "not_found"


async def test_another_copy_of_a_line_has_to_be_read(tmp_path: Path) -> None:
    copies = dict.fromkeys(("a.md", "b.md"), LONG["参数.md"])
    library = make_library(tmp_path, copies)
    said = [answer("日志保留 14 天。", (f"{n}.md#2", "日志保留期为 14 天")) for n in "ab"]
    for one, other in (said, said[::-1]):
        script: list[object] = [[search("日志 保留期")], [one], [other]]
        run, _ = await play(library, script, "保留期是多少")
        assert run.answer.status == "answered"
        assert run.answer.citations[0].passage == "日志保留期为 14 天。"


async def test_several_quotes_of_one_chunk_each_have_to_be_shown(tmp_path: Path) -> None:
    both = answer("14 天。", (LOGS, "日志保留期为 14 天"), (LOGS, "供管理员在安装前通读"))
    run, _ = await ask(tmp_path, [search("日志 保留期")], [both], [both])
    assert [one.quote for one in run.answer.citations][:1] == ["日志保留期为 14 天"]


def test_a_line_shown_again_still_stands_where_it_was_printed() -> None:
    seen, line = Seen(), Hit("a.md#1", "a.md", (), None, None, "超时 30 秒", "", 1.0, False)
    seen.lists(line, Given(1, "a"))
    seen.lists(line, Given(2, "b"))
    seen.fold(Given(1, "a"), sent=True)
    assert seen.lines_of("a.md#1") == ()
