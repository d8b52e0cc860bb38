"""Approved answers as files that come back as they were."""

import csv
import io
import json
from pathlib import Path

import pytest

from fanshu.approved.approval import Kept
from fanshu.approved.approving import Wish
from fanshu.approved.deciding import accept, say_also
from fanshu.approved.exporting import BOM, as_csv, as_jsonl, as_questions, read
from fanshu.approved.importing import take_in
from fanshu.approved.store import Approvals
from fanshu.errors import ConfigError
from fanshu.evals.grading import gold
from fanshu.evals.questions import load
from tests.approved.desk import QUESTION, Desk

WRITE = ("网关.md#3", "写超时为 45 秒，超时后重试 3 次")
PORT = ("网关.md#4", "`read_port` | 8443")


@pytest.fixture
def both(desk: Desk) -> tuple[Kept, ...]:
    desk.approve(QUESTION, "写超时为 45 秒。", WRITE)
    answer = desk.answer("=1+1 的端口？", "8443", PORT)
    wish = Wish("ada", "'=8443\n第二行", note="@note", force=True)
    kept = accept(desk.approvals, desk.library, answer, wish)
    say_also(desk.approvals, kept.id, "+1 的端口", "bob", force=True)
    return desk.approvals.all()


def other(desk: Desk, tmp_path: Path) -> Approvals:
    return Approvals(tmp_path / "other.db", "documents")


@pytest.mark.parametrize("write", [as_jsonl, as_csv])
def test_what_goes_out_comes_back(
    desk: Desk, both: tuple[Kept, ...], tmp_path: Path, write: object
) -> None:
    text = write(both)  # type: ignore[operator]
    there = other(desk, tmp_path)
    done = take_in(there, desk.library, read(text, "f"), "eve")
    assert (len(done.taken), done.unchanged, done.waiting) == (2, 0, 0)
    came = {one.id: one for one in there.all()}
    for one in both:
        assert came[one.id].approved == one.approved
        assert came[one.id].wordings == one.wordings
    assert take_in(there, desk.library, read(text, "f"), "eve").unchanged == 2
    assert [one.by for one in there.history(both[0].id)] == ["eve"]


def test_no_cell_is_a_formula(both: tuple[Kept, ...]) -> None:
    text = as_csv(both)
    assert text.startswith(BOM)
    cells = [cell for row in csv.reader(io.StringIO(text[1:], newline="")) for cell in row]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert "'=1+1 的端口？" in cells
    assert "''=8443\n第二行" in cells


def test_a_table_may_be_edited_and_is_checked(
    desk: Desk, both: tuple[Kept, ...], tmp_path: Path
) -> None:
    text = as_csv(both).replace("写超时为 45 秒。,", "写超时为 54 秒。,")
    there = other(desk, tmp_path)
    assert take_in(there, desk.library, read(text, "f"), "eve").waiting == 1
    (waits,) = there.waiting()
    assert waits.examined.unsupported == ("54 秒",)


def test_a_file_is_not_believed(desk: Desk, both: tuple[Kept, ...], tmp_path: Path) -> None:
    text = as_jsonl(both).replace("写超时为 45 秒，超时", "写超时为 99 秒，超时")
    there = other(desk, tmp_path)
    assert take_in(there, desk.library, read(text, "f"), "eve").waiting == 1


@pytest.mark.parametrize("text", ["", "{}", '{"approved": 1}', "id,question\n1,2\n", "\ufeff", "{"])
def test_what_was_not_exported_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match="FILE"):
        read(text, "FILE")


def test_questions_are_a_set_for_measuring(
    desk: Desk, both: tuple[Kept, ...], tmp_path: Path
) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(as_questions(both), encoding="utf-8")
    loaded = load(path)
    assert len(loaded) == 2
    right = {one.question: gold(one) for one in loaded}[QUESTION]
    assert right
    assert right.must == (("45 秒",),)
    assert right.places[0][0].file == "网关.md"
    desk.edit("网关.md", ("45 秒", "50 秒"))
    assert len(as_questions(desk.approvals.all()).splitlines()) == 1
    assert json.loads(as_questions(both).splitlines()[0])["kind"] == "approved"
