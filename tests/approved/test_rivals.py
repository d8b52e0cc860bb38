"""Another document that states another value."""

import pytest

from fanshu.approved.approving import Wish
from fanshu.approved.deciding import keep
from fanshu.types import Scope
from tests.approved.desk import QUESTION, Desk

WRITE = ("网关.md#3", "写超时为 45 秒，超时后重试 3 次")
PORT = ("网关.md#4", "`write_port` | 9443")
OTHER = "# 运维说明\n\n## 端口一览\n\n| 参数 | 默认值 | 单位 |\n| --- | --- | --- |\n| `write_port` | 9555 | 个 |\n"


def test_a_new_value_elsewhere_is_a_contradiction(desk: Desk) -> None:
    kept = desk.approve("写端口是多少？", "9443。", PORT)
    aside = desk.approve(QUESTION, "写超时为 45 秒。", WRITE)
    report = desk.change({"运维.md": OTHER})
    assert [one.before.id for one in report.changes] == [kept.id]
    (found,) = desk.approvals.one(kept.id).examined.contradictions
    assert (found.file_path, found.says, found.said) == ("运维.md", "9555 个", "9443 个")
    assert "9555" in found.passage
    assert (desk.state(kept), desk.state(aside)) == ("contradicted", "unchanged")
    desk.change({"运维.md": OTHER.replace("9555", "9443")})
    assert desk.state(kept) == "unchanged"


@pytest.mark.parametrize(
    "text",
    [
        OTHER.replace("9555", "9443"),
        OTHER.replace("write_port", "other_port"),
        OTHER.replace("默认值", "最大值"),
        OTHER.replace("运维说明", "旧版本说明").replace("端口一览", "历史版本的端口（已废止）"),
    ],
)
def test_what_is_said_of_something_else_is_none(desk: Desk, text: str) -> None:
    kept = desk.approve("写端口是多少？", "9443。", PORT)
    desk.change({"运维.md": text})
    assert desk.state(kept) == "unchanged"


def test_what_was_known_when_it_was_approved_is_no_news(desk: Desk) -> None:
    desk.change({"运维.md": OTHER})
    kept = desk.approve("写端口是多少？", "9443。", PORT)
    desk.change({"运维.md": OTHER + "\n## 附\n\n无。\n"})
    assert desk.state(kept) == "unchanged"
    desk.change({"运维.md": OTHER.replace("9555", "9666")})
    assert desk.state(kept) == "contradicted"


def test_a_review_may_accept_it(desk: Desk) -> None:
    kept = desk.approve("写端口是多少？", "9443。", PORT)
    desk.change({"运维.md": OTHER})
    keep(desk.approvals, desk.library, desk.approvals.one(kept.id), Wish("bob"))
    assert desk.state(kept) == "unchanged"
    desk.change({"运维.md": OTHER + "\n## 附\n\n无。\n"})
    assert desk.state(kept) == "unchanged"


def test_one_out_of_sight_is_not_accepted_unseen(desk: Desk) -> None:
    kept = desk.approve("写端口是多少？", "9443。", PORT)
    desk.change({"内部/运维.md": OTHER})
    narrow = Scope(("网关*", "其他*"))
    keep(desk.approvals, desk.library, desk.approvals.one(kept.id), Wish("bob"), scope=narrow)
    assert desk.state(kept) == "contradicted"
    keep(desk.approvals, desk.library, desk.approvals.one(kept.id), Wish("ada"))
    assert desk.state(kept) == "unchanged"
