"""Files of approved answers that nobody should believe."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fanshu.approved.approval import Kept
from fanshu.approved.exporting import COLUMNS, as_jsonl, read
from fanshu.approved.giving import Found, find
from fanshu.approved.importing import Imported, take_in
from fanshu.approved.opening import Asked
from fanshu.approved.store import Approvals
from fanshu.errors import ApprovalRefused, ConfigError
from fanshu.types import EVERYTHING
from tests.approved.desk import MANUAL, QUESTION, Desk
from tests.approved.test_rivals import OTHER

WRITE = ("网关.md#3", "写超时为 45 秒，超时后重试 3 次")
HOSTILE = "写超时为 99 秒。"


@pytest.fixture
def kept(desk: Desk) -> Kept:
    return desk.approve(QUESTION, "写超时为 45 秒。", WRITE)


def other(desk: Desk, tmp_path: Path) -> Approvals:
    return Approvals(tmp_path / "other.db", "documents")


def given(desk: Desk, approvals: Approvals) -> Found:
    asked = Asked(QUESTION, EVERYTHING, follows=False, reader="m")
    return find(asked, approvals, desk.library, lambda _: False)


def bring(
    desk: Desk, approvals: Approvals, kept: Kept, forge: Callable[[dict[str, Any]], object]
) -> Imported:
    row = json.loads(as_jsonl([kept]))
    forge(row)
    return take_in(approvals, desk.library, read(json.dumps(row), "f"), "eve")


def lie(row: dict[str, Any], **said: object) -> None:
    row["approved"]["answer"] |= said


def admits_it(row: dict[str, Any]) -> None:
    lie(row, answer=HOSTILE, unsupported=["99 秒"])


def is_lenient(row: dict[str, Any]) -> None:
    row["approved"]["strictness"] = "lenient"
    admits_it(row)


def shows_another_passage(row: dict[str, Any]) -> None:
    row["approved"]["evidence"][0]["citation"]["passage"] = "写超时为 45 秒，上限 99 秒。"


@pytest.mark.parametrize("forge", [admits_it, is_lenient, shows_another_passage])
def test_a_forged_answer_waits(
    desk: Desk, kept: Kept, tmp_path: Path, forge: Callable[[dict[str, Any]], None]
) -> None:
    there = other(desk, tmp_path)
    assert bring(desk, there, kept, forge).waiting == 1
    assert given(desk, there).answer is None


def test_what_a_file_says_beside_the_text_is_left_out(
    desk: Desk, kept: Kept, tmp_path: Path
) -> None:
    there = other(desk, tmp_path)
    bring(
        desk,
        there,
        kept,
        lambda row: lie(row, note="call 555", unverified_text="x", status="error"),
    )
    answer = given(desk, there).answer
    assert answer
    assert (answer.status, answer.note, answer.unverified_text) == ("answered", "", None)


def test_what_waits_is_not_given_after_an_edit_beside_it(
    desk: Desk, kept: Kept, tmp_path: Path
) -> None:
    desk.approvals = other(desk, tmp_path)
    bring(desk, desk.approvals, kept, lambda row: lie(row, answer=HOSTILE))
    desk.edit("网关.md", ("默认值为 30 秒", "默认值为 31 秒"))
    assert given(desk, desk.approvals).answer is None


def test_a_text_is_checked_when_its_evidence_comes_later(
    desk: Desk, kept: Kept, tmp_path: Path
) -> None:
    desk.approvals = other(desk, tmp_path)
    desk.write("网关.md", None)
    desk.library.sync()
    bring(desk, desk.approvals, kept, lambda row: lie(row, answer=HOSTILE))
    assert desk.state(kept) == "gone"
    desk.change({"网关.md": MANUAL})
    assert desk.state(kept) == "changed"
    assert given(desk, desk.approvals).answer is None


def test_what_contradicts_it_here_is_not_taken_for_known(desk: Desk, tmp_path: Path) -> None:
    kept = desk.approve("写端口是多少？", "9443。", ("网关.md#4", "`write_port` | 9443"))
    there = other(desk, tmp_path)
    desk.change({"运维.md": OTHER})
    (found,) = desk.approvals.one(kept.id).examined.contradictions

    def accepts(row: dict[str, Any]) -> None:
        row["approved"]["accepted"] = [found.key]

    assert bring(desk, there, kept, accepts).waiting == 1
    assert there.one(kept.id).examined.state == "contradicted"


def test_an_answer_over_other_documents_stays_theirs(desk: Desk, kept: Kept) -> None:
    copy = Approvals(desk.approvals.path, "others")
    for _ in range(2):
        bring(desk, copy, kept, lambda row: row)
    assert desk.approvals.one(kept.id).approved == kept.approved
    assert len(copy.all()) == 1
    assert given(desk, desk.approvals).answer
    assert given(desk, copy).answer
    with pytest.raises(ApprovalRefused):
        copy.put(kept.approved, kept.examined, "imported")


@pytest.mark.parametrize(
    "said", [{"answer": " "}, {"answer": "x" * 9_000}, {"answer": "\ud800"}, {"question": ""}]
)
def test_a_row_that_is_no_answer_is_refused_before_any_is_taken(
    desk: Desk, kept: Kept, tmp_path: Path, said: dict[str, str]
) -> None:
    there = other(desk, tmp_path)
    good = as_jsonl([kept])
    row = json.loads(good)
    lie(row, **said)
    row["approved"] |= {"question": row["approved"]["answer"]["question"], "id": "abcd1234"}
    with pytest.raises(ApprovalRefused, match="line 2"):
        take_in(there, desk.library, read(good + json.dumps(row), "f"), "eve")
    assert there.empty()


@pytest.mark.parametrize(
    "text",
    ['{"approved": ' + "[" * 100_000, ",".join(COLUMNS) + "\n" + "1," * 9 + "[" * 100_000 + "\n"],
)
def test_brackets_without_end_are_named(text: str) -> None:
    with pytest.raises(ConfigError, match="FILE, line"):
        read(text, "FILE")


def test_a_time_is_one(desk: Desk, kept: Kept) -> None:
    with pytest.raises(ConfigError, match="f, line 1"):
        bring(desk, desk.approvals, kept, lambda row: row["approved"].update(at="yesterday"))


@pytest.mark.parametrize("by", ["ada\nbob", "\x1b[31mada", " "])
def test_a_name_is_one_line(desk: Desk, kept: Kept, by: str) -> None:
    with pytest.raises(ApprovalRefused, match="line 1"):
        bring(desk, desk.approvals, kept, lambda row: row["approved"].update(by=by))
