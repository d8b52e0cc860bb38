"""Approved answers given first: to the same question, to whoever may see the evidence."""

import asyncio

import pytest

from fanshu import Scope
from fanshu.approved.approval import Kept
from fanshu.approved.deciding import say_also
from fanshu.approved.giving import Found, find, first
from fanshu.approved.opening import Asked
from fanshu.errors import ApprovalRefused
from fanshu.types import EVERYTHING, Answer
from tests.approved.desk import QUESTION, Desk

WRITE = ("网关.md#3", "写超时为 45 秒，超时后重试 3 次")


@pytest.fixture
def kept(desk: Desk) -> Kept:
    return desk.approve(QUESTION, "写超时为 45 秒。", WRITE)


def given(desk: Desk, question: str, scope: Scope = EVERYTHING, *, follows: bool = False) -> Found:
    asked = Asked(question, scope, follows, "m")
    return find(asked, desk.approvals, desk.library, lambda _: False)


@pytest.mark.parametrize("question", ["写超时是多少", "请问写超时是多少？", "写超时是多少？谢谢"])
def test_the_same_question_in_other_manners_gets_it(desk: Desk, kept: Kept, question: str) -> None:
    answer = given(desk, question).answer
    assert answer
    assert answer.approved
    assert (answer.approved.id, answer.approved.by, answer.approved.state) == (
        kept.id,
        "ada",
        "unchanged",
    )
    assert (answer.question, answer.usage.prompt, answer.rounds) == (question, 0, 0)


@pytest.mark.parametrize(
    "question", ["写超时不是多少", "读超时是多少", "写超时 3 是多少", "写超时最大是多少", ""]
)
def test_another_question_does_not(desk: Desk, kept: Kept, question: str) -> None:
    assert given(desk, question) == Found()


def test_a_wording_that_was_added_means_it_too(desk: Desk, kept: Kept) -> None:
    say_also(desk.approvals, kept.id, "写操作多久算超时？", "bob")
    answer = given(desk, "写操作多久算超时").answer
    assert answer
    assert answer.answer == "写超时为 45 秒。"
    assert [one.act for one in desk.approvals.history(kept.id)] == ["approved", "wording"]


@pytest.mark.parametrize(
    "wording", ["写超时不是多少？", "3.1 的写超时是多少？", "WRITE_MS 是多少？"]
)
def test_a_wording_with_other_marks_needs_a_firm_hand(desk: Desk, kept: Kept, wording: str) -> None:
    with pytest.raises(ApprovalRefused):
        say_also(desk.approvals, kept.id, wording, "bob")
    assert say_also(desk.approvals, kept.id, wording, "bob", force=True).wordings[1:] == (wording,)


def test_whoever_may_not_see_the_evidence_gets_nothing(desk: Desk, kept: Kept) -> None:
    assert given(desk, QUESTION, Scope(("其他.md",))) == Found()
    desk.edit("网关.md", ("45 秒", "50 秒"))
    assert given(desk, QUESTION, Scope(("其他.md",))) == Found()
    assert given(desk, QUESTION, Scope(("网关*",))).under_review


def test_evidence_that_moved_out_of_sight_is_not_shown(desk: Desk, kept: Kept) -> None:
    text = (desk.docs / "网关.md").read_text("utf-8")
    desk.write("网关.md", None)
    desk.write("密/网关.md", text)
    desk.library.sync()
    assert given(desk, QUESTION, Scope(("网关.md", "其他.md"))) == Found()
    assert given(desk, QUESTION).answer


def test_a_change_is_noticed_when_asked_and_not_only_after_a_sync(desk: Desk, kept: Kept) -> None:
    text = (desk.docs / "网关.md").read_text("utf-8")
    desk.write("网关.md", text.replace("45 秒", "50 秒"))
    found = given(desk, QUESTION)
    assert not found.answer
    assert found.under_review
    assert found.under_review.state == "changed"


def test_a_follow_up_gets_it_only_when_it_stands_alone(desk: Desk, kept: Kept) -> None:
    desk.approve("它的端口是多少？", "8443。", ("网关.md#4", "`read_port` | 8443"))
    assert given(desk, QUESTION, follows=True).answer
    assert not given(desk, "它的端口是多少？", follows=True).answer
    assert given(desk, "它的端口是多少？").answer


async def test_what_is_found_anew_says_that_one_waits(desk: Desk, kept: Kept) -> None:
    desk.edit("网关.md", ("45 秒", "50 秒"))
    asked = Asked(QUESTION, EVERYTHING, False, "m")

    async def otherwise() -> Answer:
        await asyncio.sleep(0)
        return Answer(QUESTION, "answered", "50 秒")

    answer = await first(asked, desk.approvals, desk.library, otherwise, lambda _: True)
    assert (answer.answer, answer.approved) == ("50 秒", None)
    assert answer.under_review
    assert (answer.under_review.id, answer.under_review.state) == (kept.id, "changed")


async def test_a_file_that_cannot_be_used_is_no_end(desk: Desk, kept: Kept) -> None:
    desk.approvals.path.write_bytes(b"no database, but long enough to be one" * 100)
    asked = Asked(QUESTION, EVERYTHING, False, "m")

    async def otherwise() -> Answer:
        await asyncio.sleep(0)
        return Answer(QUESTION, "answered", "50 秒")

    answer = await first(asked, desk.approvals, desk.library, otherwise, lambda _: True)
    assert answer.answer == "50 秒"
    assert "approved answers could not be used" in answer.warnings[0]
    assert desk.approvals.path.read_bytes().startswith(b"no database")


def test_what_waits_is_not_saved_by_an_old_copy(desk: Desk, kept: Kept) -> None:
    text = (desk.docs / "网关.md").read_text("utf-8")
    desk.change({"旁/网关.md": text})
    section = "## 写超时\n\n写超时为 45 秒，超时后重试 3 次。\n\n"
    assert section in text
    new = "## 超时\n\n写超时改为 50 秒，超时后重试 3 次。\n\n"
    desk.edit("网关.md", (section, new))
    assert desk.state(kept) == "changed"
    found = given(desk, QUESTION)
    assert (found.answer, bool(found.under_review)) == (None, True)


def test_a_newer_version_out_of_sight_is_not_named(desk: Desk) -> None:
    rule = "# 报销办法\n\n第一条 单程机票不超过 2000 元。\n"
    desk.change({"报销办法(2021-03-01).md": rule, "报销办法(2024-07-01).md": rule})
    place = ("报销办法(2021-03-01).md#1", "单程机票不超过 2000 元")
    desk.approve("机票上限？", "2000 元。", place)
    everything = given(desk, "机票上限？").answer
    assert everything
    assert everything.citations[0].newer_version == "报销办法(2024-07-01).md"
    little = given(desk, "机票上限？", Scope(("报销办法(2021*",))).answer
    assert little
    assert little.citations[0].newer_version is None
