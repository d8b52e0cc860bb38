"""What becomes of approved answers when documents change."""

import pytest

from fanshu.approved.approval import Kept
from tests.approved.desk import MANUAL, QUESTION, Desk

WRITE = ("网关.md#3", "写超时为 45 秒，超时后重试 3 次")


@pytest.fixture
def kept(desk: Desk) -> Kept:
    return desk.approve(QUESTION, "写超时为 45 秒。", WRITE)


def test_nothing_is_looked_at_when_nothing_changed(desk: Desk, kept: Kept) -> None:
    assert desk.change({}).examined == 0
    assert desk.state(kept) == "unchanged"


def test_an_edit_of_another_file_looks_at_nothing(desk: Desk, kept: Kept) -> None:
    assert desk.change({"其他.md": "# 其他\n\n另一件事。\n"}).examined == 0
    assert desk.state(kept) == "unchanged"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("默认值为 30 秒", "默认值为 60 秒"),
        ("3 次。", "3 次。\n\n另见端口一节。"),
        ("| `read_port` | 8443", "| `read_port` | 8080"),
    ],
)
def test_an_edit_beside_the_passage_is_no_alarm(desk: Desk, kept: Kept, old: str, new: str) -> None:
    report = desk.edit("网关.md", (old, new))
    assert (report.examined, report.changes) == (1, ())
    assert desk.state(kept) == "unchanged"


def test_a_section_before_it_moves_the_citation(desk: Desk, kept: Kept) -> None:
    desk.edit("网关.md", ("## 读超时", "## 概述\n\n略。\n\n## 读超时"))
    now = desk.approvals.one(kept.id)
    assert now.examined.state == "moved"
    assert now.given(QUESTION, 0).citations[0].chunk_id == "网关.md#4"
    assert now.given(QUESTION, 0).citations[0].lines == (13, 13)
    desk.change({"其他.md": "# 其他\n"})
    assert desk.state(kept) == "moved"


def test_a_renamed_file_is_followed(desk: Desk, kept: Kept) -> None:
    desk.change({"网关.md": None, "网关手册.md": MANUAL})
    now = desk.approvals.one(kept.id)
    assert (now.examined.state, now.examined.now[0].chunk_id) == ("moved", "网关手册.md#3")
    desk.edit("网关手册.md", ("45 秒", "50 秒"))
    assert desk.state(kept) == "changed"


def test_a_changed_passage_waits_with_old_and_new(desk: Desk, kept: Kept) -> None:
    report = desk.edit("网关.md", ("45 秒", "50 秒"))
    (change,) = report.changes
    assert (change.before.examined.state, change.after.examined.state) == ("unchanged", "changed")
    (one,) = desk.approvals.waiting()
    assert one.examined.standings[0].passage == "写超时为 45 秒，超时后重试 3 次。"
    assert one.examined.standings[0].passage_now == "写超时为 50 秒，超时后重试 3 次。"
    desk.edit("网关.md", ("50 秒", "45 秒"))
    assert desk.state(kept) == "unchanged"


def test_what_changed_stays_so_through_later_edits_beside_it(desk: Desk, kept: Kept) -> None:
    desk.edit("网关.md", ("45 秒", "50 秒"))
    report = desk.edit("网关.md", ("## 读超时", "## 概述\n\n略。\n\n## 读超时"), ("8443", "8080"))
    assert (report.examined, report.changes) == (1, ())
    (one,) = desk.approvals.one(kept.id).examined.standings
    assert (one.state, one.now) == ("changed", "网关.md#4")
    assert one.passage_now == "写超时为 50 秒，超时后重试 3 次。"
    desk.edit("网关.md", ("50 秒", "55 秒"))
    (one,) = desk.approvals.one(kept.id).examined.standings
    assert one.passage_now == "写超时为 55 秒，超时后重试 3 次。"
    desk.edit("网关.md", ("写超时为 55 秒，超时后重试 3 次。\n", ""))
    assert desk.state(kept) == "gone"
    desk.edit("网关.md", ("## 端口", "写超时为 45 秒，超时后重试 3 次。\n\n## 端口"))
    assert desk.state(kept) in ("unchanged", "moved")


def test_what_stood_beside_a_deleted_row_did_not_become_of_it(desk: Desk) -> None:
    row = ("网关.md#4", "`write_port` | 9443")
    kept = desk.approve("写端口是多少？", "9443。", row)
    desk.edit("网关.md", ("| `write_port` | 9443 | 个 |\n", ""))
    assert desk.state(kept) == "gone"


def test_the_same_short_words_under_another_heading_are_another_statement(desk: Desk) -> None:
    desk.edit("网关.md", ("写超时为 45 秒，超时后重试 3 次。", "默认值为 30 秒。"))
    kept = desk.approve("写超时的默认值是多少？", "30 秒。", ("网关.md#3", "默认值为 30 秒"))
    desk.edit("网关.md", ("## 写超时\n\n默认值为 30 秒。\n\n", ""))
    assert desk.state(kept) in ("changed", "gone")


def test_a_deleted_file_is_gone_and_may_come_back(desk: Desk, kept: Kept) -> None:
    desk.change({"网关.md": None})
    assert desk.state(kept) == "gone"
    desk.change({"其他.md": "# 其他\n\n又是无关。\n"})
    assert desk.state(kept) == "gone"
    report = desk.change({"备份/网关.md": MANUAL})
    assert report.examined == 1
    assert desk.state(kept) == "moved"


def test_a_copy_does_not_save_a_passage_that_changed(desk: Desk, kept: Kept) -> None:
    desk.change({"副本.md": MANUAL})
    desk.edit("网关.md", ("45 秒", "50 秒"))
    assert desk.state(kept) == "changed"


def test_a_newer_version_is_seen_and_can_be_known(desk: Desk) -> None:
    rule = "# 报销办法\n\n第一条 单程机票不超过 2000 元。\n"
    desk.change({"报销办法(2021-03-01).md": rule})
    place = ("报销办法(2021-03-01).md#1", "单程机票不超过 2000 元")
    kept = desk.approve("机票上限？", "2000 元。", place)
    report = desk.change({"报销办法(2024-07-01).md": rule.replace("2000", "2500")})
    assert (report.examined, desk.state(kept)) == (1, "superseded")
    assert desk.change({}).examined == 0
    desk.change({"报销办法(2024-07-01).md": None})
    assert desk.state(kept) == "unchanged"


def test_a_figure_of_the_heading_belongs_to_the_evidence(desk: Desk) -> None:
    text = (
        "# 手册\n\n## 3.2 版的端口\n\n端口改为 8080，旧端口停用，客户端需要同时更新自己的配置。\n"
    )
    desk.change({"手册.md": text})
    quote = "端口改为 8080"
    kept = desk.approve("哪一版改了端口？", "3.2 版改为 8080。", ("手册.md#2", quote))
    desk.edit("手册.md", ("3.2 版", "3.3 版"))
    assert desk.state(kept) == "changed"


def test_only_what_may_be_touched_is_looked_at(desk: Desk) -> None:
    for n in range(40):
        desk.write(f"册/{n}.md", f"# 册 {n}\n\n## 数\n\n第 {n} 册共有 {n + 100} 页。\n")
    desk.library.sync()
    for n in range(40):
        place = (f"册/{n}.md#2", f"第 {n} 册共有 {n + 100} 页")
        desk.approve(f"第 {n} 册有几页？", f"{n + 100} 页。", place)
    report = desk.edit("册/7.md", ("107", "207"))
    assert report.examined == 1
    assert report.reads < 10
    assert len(desk.approvals.waiting()) == 1
