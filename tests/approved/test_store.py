"""The file of approved answers: several writers, killed writers, what stays and what does not."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fanshu.approved.approval import Approved, Evidence
from fanshu.approved.examining import as_approved
from fanshu.approved.shared_store import SharedApprovals
from fanshu.approved.store import Approvals
from fanshu.approved.stores import ApprovalStore, Seen
from fanshu.errors import ApprovalMissing, ApprovalRefused, ApprovalsUnusable
from fanshu.types import Answer, Citation
from tests.records import KINDS, shared_records

WRITING = """
import sys
sys.path.insert(0, {root!r})
from pathlib import Path
from tests.approved.test_store import approved
from fanshu.approved.examining import as_approved
from fanshu.approved.store import Approvals
approvals = Approvals(Path({path!r}), "documents")
for n in range(10_000):
    one = approved(f"{{n:08x}}", f"问题 {{n}}")
    approvals.put(one, as_approved(one), "approved")
    print(n, flush=True)
"""


def approved(answer_id: str = "0a0b", question: str = "问题") -> Approved:
    cited = Citation("a.md#1", "a.md", ("A",), (1, 2), None, "q", "q.", "quoted", "h")
    answer = Answer(question, "answered", "回答", citations=(cited,))
    return Approved(answer_id, question, answer, (Evidence(cited, "q.", "f"),), "ada", "2026-01-01")


@pytest.fixture
def approvals(tmp_path: Path) -> Approvals:
    return Approvals(tmp_path / "approved" / "answers.db", "documents")


@pytest.fixture(params=["file", *KINDS])
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ApprovalStore]:
    """Approved answers in a file, and over records that workers share."""
    if request.param == "file":
        yield Approvals(tmp_path / "approved" / "answers.db", "documents")
        return
    with shared_records(request, tmp_path) as records:
        yield SharedApprovals(records, "store")


def put(approvals: ApprovalStore, answer_id: str = "0a0b", question: str = "问题") -> None:
    one = approved(answer_id, question)
    approvals.put(one, as_approved(one), "approved")


def test_nothing_is_made_by_reading(approvals: Approvals) -> None:
    assert approvals.empty()
    assert (approvals.all(), approvals.matching("x"), approvals.history("x")) == ((), (), ())
    with pytest.raises(ApprovalMissing):
        approvals.one("0a0b")
    assert not approvals.path.exists()


def test_what_was_put_comes_back(kept: ApprovalStore) -> None:
    put(kept)
    (one,) = kept.all()
    assert one.approved == approved()
    assert one.wordings == ("问题",)
    assert kept.one("0a") == one
    assert not kept.empty()


def test_only_its_owner_may_read_it(approvals: Approvals) -> None:
    put(approvals)
    if os.name == "posix":
        assert approvals.path.stat().st_mode & 0o077 == 0
        assert approvals.path.parent.stat().st_mode & 0o077 == 0


def test_other_documents_have_other_answers(approvals: Approvals) -> None:
    put(approvals)
    others = Approvals(approvals.path, "others")
    assert others.empty()
    assert others.matching("问题") == ()


def test_what_is_dropped_stays_in_the_history(kept: ApprovalStore) -> None:
    put(kept)
    kept.drop("0a0b", "bob", "outdated")
    assert kept.all() == ()
    assert kept.matching("问题") == ()
    acts = [(one.act, one.by, one.note) for one in kept.history("0a0b")]
    assert acts == [("approved", "ada", ""), ("dropped", "bob", "outdated")]


def test_a_beginning_that_means_two_is_none(kept: ApprovalStore) -> None:
    put(kept, "0a0b")
    put(kept, "0a0c")
    for answer_id in ("0a0", "%", "", "0a0b' OR 1"):
        with pytest.raises(ApprovalMissing):
            kept.one(answer_id)


def test_wordings_are_few(kept: ApprovalStore) -> None:
    put(kept)
    for n in range(49):
        kept.add_wording("0a0b", f"第 {n} 种问法", "bob")
    with pytest.raises(ApprovalRefused):
        kept.add_wording("0a0b", "又一种", "bob")


def test_a_broken_file_is_said_and_left(approvals: Approvals) -> None:
    put(approvals)
    approvals.path.write_bytes(b"\0" * 9_000)
    with pytest.raises(ApprovalsUnusable):
        approvals.all()
    assert approvals.path.read_bytes() == b"\0" * 9_000


def test_a_file_of_a_newer_version_is_said(approvals: Approvals) -> None:
    put(approvals)
    with sqlite3.connect(approvals.path) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(ApprovalsUnusable, match="newer version of fanshu"):
        approvals.all()


def test_an_answer_in_another_form_is_said(approvals: Approvals) -> None:
    put(approvals)
    with sqlite3.connect(approvals.path) as db:
        db.execute("UPDATE answer SET body = '{}'")
    with pytest.raises(ApprovalsUnusable, match="another version"):
        approvals.all()


def test_two_writers_lose_nothing(kept: ApprovalStore) -> None:
    def write(begin: int) -> None:
        for n in range(begin, begin + 25):
            put(kept, f"{n:04x}", f"问题 {n}")

    threads = [threading.Thread(target=write, args=(begin,)) for begin in (0, 100, 200)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(kept.all()) == 75


def test_a_look_does_not_undo_an_approval_that_came_meanwhile(kept: ApprovalStore) -> None:
    put(kept)
    (before,) = kept.all()
    put(kept, question="另一个问题")
    changed = as_approved(before.approved)
    kept.examined([(before, type(changed)("", "gone", changed.standings, changed.now))], {})
    assert kept.one("0a0b").examined.state == "unchanged"


def test_two_who_approve_one_answer_at_once_are_both_in_its_history(kept: ApprovalStore) -> None:
    put(kept)

    def change(by: str) -> None:
        for n in range(5):
            one = replace(approved(), by=by, note=f"{n}")
            kept.put(one, as_approved(one), "edited")
            kept.add_wording("0a0b", f"{by} 的第 {n} 种问法", by)

    threads = [threading.Thread(target=change, args=(by,)) for by in ("ada", "bob")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    history = kept.history("0a0b")
    assert [one.number for one in history] == sorted({one.number for one in history})
    assert sorted((one.by, one.note) for one in history if one.act == "edited") == [
        (by, f"{n}") for by in ("ada", "bob") for n in range(5)
    ]
    assert len(kept.one("0a0b").wordings) == 11


def test_the_last_approved_comes_first_and_every_wording_finds_its_answer(
    kept: ApprovalStore,
) -> None:
    assert kept.empty()
    for answer_id in ("0a", "0b", "0c"):
        put(kept, answer_id, f"问题 {answer_id}")
    kept.add_wording("0a", "问题 0c", "bob")
    put(kept, "0b", "问题 0b")
    assert [one.id for one in kept.all()] == ["0b", "0c", "0a"]
    assert [one.id for one in kept.matching("请问问题 0c?")] == ["0c", "0a"]
    assert [one.id for one in kept.some(["0a", "0x"])] == ["0a"]
    assert (kept.matching(""), kept.matching("别的")) == ((), ())


def test_files_are_remembered_as_they_were(kept: ApprovalStore) -> None:
    files = {f"{n}.md": Seen(f"m{n}", (f"c{n}", "c")) for n in range(100)}
    kept.examined([], files)
    kept.examined([], {"0.md": None, "1.md": Seen("new", ("x",))})
    assert len(kept.marks()) == 99
    assert (kept.marks()["1.md"], kept.marks()["2.md"]) == ("new", "m2")
    assert kept.chunks(["1.md", "2.md", "0.md"]) == {"x", "c2", "c"}


def test_each_state_is_told_once(kept: ApprovalStore) -> None:
    put(kept)
    (before,) = kept.all()
    seen = as_approved(before.approved)
    kept.examined([(before, replace(seen, state="gone"))], {})
    assert [one.examined.state for one in kept.untold()] == ["gone"]
    assert kept.untold() == ()
    assert [one.id for one in kept.waiting()] == ["0a0b"]
    assert [foot.path for foot in kept.footings()] == ["a.md"]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="optional: needs SIGKILL")
def test_a_killed_writer_leaves_whole_answers(approvals: Approvals) -> None:
    root = str(Path(__file__).parents[2])
    code = WRITING.format(root=root, path=str(approvals.path))
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout
        written = [run.stdout.readline() for _ in range(5)]
        time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
    assert written[-1]
    kept = approvals.all()
    assert len(kept) >= 5
    assert all(approvals.history(one.id) for one in kept)
    put(approvals, "ffff")
    assert len(approvals.all()) == len(kept) + 1
