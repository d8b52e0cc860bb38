"""What can be approved, and what a person has to insist on."""

import pytest

from fanshu.approved.approval import Kept
from fanshu.approved.approving import Wish
from fanshu.approved.deciding import accept, keep
from fanshu.errors import ApprovalRefused, ApprovalUnchecked
from fanshu.types import Answer
from tests.approved.desk import QUESTION, Desk

WRITE = ("网关.md#3", "写超时为 45 秒，超时后重试 3 次")


def wished(desk: Desk, wish: Wish, text: str = "写超时为 45 秒。") -> Kept:
    return accept(desk.approvals, desk.library, desk.answer(QUESTION, text, WRITE), wish)


def test_the_evidence_is_kept_with_versions(desk: Desk) -> None:
    kept = wished(desk, Wish("ada", note="as agreed"))
    (evidence,) = kept.approved.evidence
    assert evidence.citation.passage == "写超时为 45 秒，超时后重试 3 次。"
    assert evidence.citation.hash == desk.library.read("网关.md#3").hash
    assert evidence.section == desk.library.read("网关.md#3").text
    assert evidence.file_hash == desk.library.view().documents["网关.md"].hash
    assert (kept.approved.by, kept.approved.note, kept.approved.edited) == (
        "ada",
        "as agreed",
        False,
    )


def test_an_edited_text_is_checked_like_any_other(desk: Desk) -> None:
    with pytest.raises(ApprovalUnchecked, match="46 秒"):
        wished(desk, Wish("ada", "写超时为 46 秒。"))
    assert desk.approvals.all() == ()
    kept = wished(desk, Wish("ada", "写超时是 45 秒，会重试 3 次。"))
    assert (kept.approved.edited, kept.approved.answer.unsupported) == (True, ())


def test_what_does_not_hold_can_be_forced_and_stays_marked(desk: Desk) -> None:
    kept = wished(desk, Wish("ada", "写超时为 46 秒。", force=True))
    assert kept.approved.answer.status == "partial"
    assert kept.approved.answer.unsupported == ("46 秒",)


def test_a_second_approval_is_a_new_version_and_the_first_stays(desk: Desk) -> None:
    one = wished(desk, Wish("ada"))
    two = wished(desk, Wish("bob", "45 秒。"))
    assert one.id == two.id
    history = desk.approvals.history(one.id)
    assert [(each.act, each.by) for each in history] == [("approved", "ada"), ("edited", "bob")]
    assert [each.approved.answer.answer for each in history] == ["写超时为 45 秒。", "45 秒。"]


@pytest.mark.parametrize(
    "wish", [Wish(" "), Wish("ada", " "), Wish("ada", "x" * 9_000), Wish("a\udcff")]
)
def test_what_says_nothing_is_refused(desk: Desk, wish: Wish) -> None:
    with pytest.raises(ApprovalRefused):
        wished(desk, wish)


def test_an_answer_without_evidence_is_refused(desk: Desk) -> None:
    answer = Answer(QUESTION, "not_found", "没有写。")
    with pytest.raises(ApprovalRefused, match="cites nothing"):
        accept(desk.approvals, desk.library, answer, Wish("ada"))


def test_an_answer_whose_evidence_has_changed_since_is_refused(desk: Desk) -> None:
    answer = desk.answer(QUESTION, "写超时为 45 秒。", WRITE)
    desk.edit("网关.md", ("45 秒", "50 秒"))
    with pytest.raises(ApprovalRefused, match="has changed since"):
        accept(desk.approvals, desk.library, answer, Wish("ada"))


def test_a_follow_up_needs_a_question_that_stands_alone(desk: Desk) -> None:
    answer = desk.answer("那它是多少？", "写超时为 45 秒。", WRITE)
    with pytest.raises(ApprovalRefused, match="stands alone"):
        accept(desk.approvals, desk.library, answer, Wish("ada"), follows=True)
    wish = Wish("ada", question="写超时是多少？")
    kept = accept(desk.approvals, desk.library, answer, wish, follows=True)
    assert kept.approved.question == "写超时是多少？"


def test_a_review_keeps_it_on_the_evidence_of_now(desk: Desk) -> None:
    kept = wished(desk, Wish("ada"))
    desk.edit("网关.md", ("45 秒", "50 秒"))
    (waits,) = desk.approvals.waiting()
    with pytest.raises(ApprovalUnchecked, match="45 秒"):
        keep(desk.approvals, desk.library, waits, Wish("bob"))
    now = keep(desk.approvals, desk.library, waits, Wish("bob", "写超时为 50 秒。"))
    assert (now.id, now.examined.state, now.approved.by) == (kept.id, "unchanged", "bob")
    assert now.approved.evidence[0].citation.passage == "写超时为 50 秒，超时后重试 3 次。"
    assert desk.approvals.waiting() == ()


def test_a_newer_version_that_a_review_accepts_is_known(desk: Desk) -> None:
    rule = "# 报销办法\n\n第一条 单程机票不超过 2000 元。\n"
    desk.change({"报销办法(2021-03-01).md": rule})
    place = ("报销办法(2021-03-01).md#1", "单程机票不超过 2000 元")
    kept = desk.approve("2021 年的机票上限？", "2000 元。", place)
    desk.change({"报销办法(2024-07-01).md": rule.replace("2000", "2500")})
    keep(desk.approvals, desk.library, desk.approvals.one(kept.id), Wish("bob"))
    assert desk.state(kept) == "unchanged"
    assert desk.change({}).examined == 0
    desk.change({"报销办法(2025-07-01).md": rule.replace("2000", "3000")})
    assert desk.state(kept) == "superseded"


def test_nothing_can_be_kept_on_evidence_that_is_gone(desk: Desk) -> None:
    kept = wished(desk, Wish("ada"))
    desk.change({"网关.md": None})
    with pytest.raises(ApprovalRefused, match="drop it"):
        keep(desk.approvals, desk.library, desk.approvals.one(kept.id), Wish("bob"))
