"""Approved answers from the command line."""

import io
import os
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Fanshu
from tests.cli.replies import WRITE, answer, calls
from tests.models.fake_server import FakeServer

QUESTION = "写超时是多少"


def script() -> tuple[object, ...]:
    return calls(("search", {"keyword": "gateway"})), answer("写超时是 30 秒。", WRITE)


@pytest.fixture
def asked(fanshu: Fanshu) -> str:
    """The id of a run that answered."""
    with FakeServer(*script()) as server:
        told = fanshu("ask", QUESTION, "--model", "m", "--base-url", server.url, "--json").json
    return str(told["trace_id"])


def edit(docs: Path, old: str, new: str) -> None:
    path = docs / "手册.md"
    path.write_text(path.read_text("utf-8").replace(old, new), encoding="utf-8")


def test_an_approved_answer_is_given_first_and_says_so(
    fanshu: Fanshu, asked: str, docs: Path
) -> None:
    said = fanshu("approve", asked, "--by", "ada")
    assert (said.code, said.err) == (0, "")
    assert "approved: " in said.out
    again = fanshu("ask", "请问写超时是多少？", "--json").json  # no model is configured
    assert (again["status"], again["answer"]) == ("answered", "写超时是 30 秒。")
    assert again["approved"]["by"] == "ada"
    assert (again["cached"], again["rounds"], again["usage"]["prompt"]) == (False, 0, 0)
    assert "approved by ada" in fanshu("ask", QUESTION).out
    assert "已由 ada 认可" in fanshu("ask", QUESTION, "--language", "zh").out
    assert fanshu("ask", QUESTION, "--fresh", "--json").json["approved"] is None


def test_an_answer_whose_evidence_changed_waits(fanshu: Fanshu, asked: str, docs: Path) -> None:
    fanshu("approve", QUESTION, "--by", "ada")
    assert fanshu("approved", "review").code == 0
    edit(docs, "写超时为 30 秒", "写超时为 40 秒")
    review = fanshu("approved", "review")
    assert review.code == 1
    assert "**30**" in review.out
    assert "**40**" in review.out
    assert "1 of 1 wait for review." in review.out
    told = fanshu("ask", QUESTION, "--json").json
    assert told["approved"] is None
    assert told["under_review"]["state"] == "changed"
    assert "waits for review: its evidence is changed" in fanshu("ask", QUESTION).out
    refused = fanshu("approved", "keep", told["under_review"]["id"])
    assert refused.code == 2
    assert "30 秒" in refused.err
    kept = fanshu(
        "approved", "keep", told["under_review"]["id"], "--answer", "40 秒", "--by", "bob"
    )
    assert kept.code == 0
    assert fanshu("approved", "review").code == 0
    assert fanshu("ask", QUESTION, "--json").json["answer"] == "40 秒"
    shown = fanshu("approved", "show", told["under_review"]["id"], "--json").json
    assert [(one["act"], one["by"]) for one in shown["history"]] == [
        ("approved", "ada"),
        ("edited", "bob"),
    ]


def test_a_text_from_a_person_is_checked(
    fanshu: Fanshu, asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wrong = fanshu("approve", "last", "--answer", "写超时是 31 秒。")
    assert wrong.code == 2
    assert "The cited text does not hold: 31 秒" in wrong.err
    forced = fanshu("approve", "last", "--answer", "写超时是 31 秒。", "--force", "--json").json
    assert forced["unsupported"] == ["31 秒"]
    assert "not in the cited text: 31 秒" in fanshu("ask", QUESTION).out
    file = tmp_path / "text.md"
    file.write_text("30 秒。\n", encoding="utf-8")
    assert fanshu("approve", "last", "--answer", str(file), "--json").json["answer"] == "30 秒。"
    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\nprintf "写超时: 30 秒" > "$1"\n')
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("VISUAL", str(editor))
    edited = fanshu("approve", "last", "--edit", "--json").json
    assert (edited["answer"], edited["edited"]) == ("写超时: 30 秒", True)
    monkeypatch.setenv("VISUAL", "no-such-editor")
    failed = fanshu("approve", "last", "--edit")
    assert (failed.code, "no-such-editor" in failed.err) == (2, True)


def test_wordings_lists_and_dropping(fanshu: Fanshu, asked: str) -> None:
    assert "No answers are approved." in fanshu("approved", "list").out
    kept = fanshu("approve", "last", "--by", "ada", "--note", "as agreed", "--json").json
    assert fanshu("approved", "also", kept["id"], "写操作多久超时").code == 0
    assert fanshu("ask", "写操作多久超时？", "--json").json["approved"]["id"] == kept["id"]
    refused = fanshu("approved", "also", kept["id"], "写超时不是多少")
    assert (refused.code, "negations" in refused.err) == (2, True)
    (listed,) = fanshu("approved", "list", "--json").json
    assert (listed["state"], listed["note"]) == ("unchanged", "as agreed")
    assert "also asked as: 写操作多久超时" in fanshu("approved", "list").out
    assert "as agreed" in fanshu("approved", "show", kept["id"][:4]).out
    assert fanshu("approved", "drop", kept["id"]).code == 0
    assert fanshu("ask", QUESTION, "--json").json["approved"] is None
    missing = fanshu("approved", "show", kept["id"])
    assert (missing.code, "There is no approved answer" in missing.err) == (2, True)


def test_files_come_back(fanshu: Fanshu, asked: str, tmp_path: Path) -> None:
    kept = fanshu("approve", "last", "--by", "ada", "--json").json
    for name in ("out.csv", "out.jsonl"):
        assert fanshu("approved", "export", str(tmp_path / name)).code == 0
    if os.name == "posix":
        assert (tmp_path / "out.csv").stat().st_mode & 0o077 == 0
    fanshu("approved", "drop", kept["id"])
    said = fanshu("approved", "import", str(tmp_path / "out.csv"), "--json").json
    assert said == {"taken": 1, "unchanged": 0, "waiting": 0}
    assert (
        fanshu("approved", "import", str(tmp_path / "out.jsonl"), "--json").json["unchanged"] == 1
    )
    questions = fanshu("approved", "export", "--as-questions").out
    assert '"kind": "approved"' in questions
    for wrong in (("import", "no-such-file"), ("export", "x.pdf"), ("import", str(__file__))):
        assert fanshu("approved", *wrong).code == 2


@pytest.mark.parametrize("what", ["something never asked", "20260101-000000-000000", "!"])
def test_what_was_never_asked_cannot_be_approved(fanshu: Fanshu, docs: Path, what: str) -> None:
    said = fanshu("approve", what)
    assert (said.code, "ask it first" in said.err) == (2, True)


def test_what_was_not_found_cannot_be_approved(fanshu: Fanshu, docs: Path) -> None:
    fanshu("ask", "鲸鱼吃什么")
    said = fanshu("approve", "last")
    assert (said.code, "cites nothing" in said.err) == (2, True)


def test_old_answers_are_marked_the_same_way(fanshu: Fanshu, asked: str, docs: Path) -> None:
    assert fanshu("trace", "list", "--check", "--json").json[0]["state"] == "unchanged"
    edit(docs, "写超时为 30 秒", "写超时为 40 秒")
    assert "its evidence: changed" in fanshu("trace", "list", "--check").out
    assert "state" not in fanshu("trace", "list", "--json").json[0]
    (docs / "手册.md").unlink()
    assert fanshu("trace", "list", "--check", "--json").json[0]["state"] == "gone"


def test_a_conversation_gets_it_where_the_question_stands_alone(
    fanshu: Fanshu, asked: str, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fanshu("approve", asked, "--by", "ada")
    fanshu("approve", asked, "--by", "ada", "--question", "那它呢？")
    typed = io.TextIOWrapper(io.BytesIO(f"{QUESTION}？\n那它呢？\n{QUESTION}\n".encode()))
    monkeypatch.setattr("sys.stdin", typed)
    told = fanshu("chat", "--json").json
    assert [bool(one["approved"]) for one in told] == [True, False, True]
