"""Files of results become series: passes of one system, named so that they can be told apart."""

import json
from pathlib import Path
from typing import Any

import pytest

from fanshu.errors import ConfigError
from fanshu.evals.grade_lines import grade_in, grade_line, ranking_in
from fanshu.evals.grading import Grade
from fanshu.evals.questions import Question
from fanshu.evals.retrieval import Ranking
from fanshu.evals.series import load, measured
from fanshu.evals.summary import summaries

MUST = {"kind": "keyword", "must": ["30"], "gold": [{"file": "a.md", "quote": "30 秒"}]}
ASKED = [Question("1", "?", None, "keyword", MUST)]


def write(path: Path, *rows: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def row(system: str = "", answer: str = "30") -> dict[str, Any]:
    return {"id": "1", "answer": answer, "citations": []} | ({"system": system} if system else {})


def test_passes_of_one_system_are_one_series(tmp_path: Path) -> None:
    for name, answer in (("loop", "30"), ("loop.2", "31"), ("loop.10", "30"), ("grep", "30")):
        write(tmp_path / f"{name}.jsonl", row(name.partition(".")[0], answer))
    write(tmp_path / "questions.jsonl", {"id": "1", "question": "?"})
    write(tmp_path / "kept.jsonl", {"id": "1", "replies": []})
    grep, loop = load([str(tmp_path)])
    assert (grep.name, loop.name) == ("grep", "loop")
    assert [each["1"]["answer"] for each in loop.passes] == ["30", "31", "30"]
    every = summaries(measured(loop, ASKED))[0]
    assert every.grades
    assert (every.questions, every.grades.right) == (1, pytest.approx(2 / 3))
    assert every.grades.intervals["right"].count == 1  # three passes are no three questions


def test_names_tell_apart(tmp_path: Path) -> None:
    write(tmp_path / "x.jsonl", row("loop"))
    assert [one.name for one in load([str(tmp_path / "x.jsonl")])] == ["loop"]
    write(tmp_path / "y.jsonl", row("loop"))
    both = load([str(tmp_path / "x.jsonl"), str(tmp_path / "y.jsonl")])
    assert [one.name for one in both] == ["x", "y"]
    write(tmp_path / "old" / "x.jsonl", row("loop"))
    both = load([str(tmp_path / "old" / "x.jsonl"), str(tmp_path / "x.jsonl")])
    assert [one.name for one in both] == ["old/x", f"{tmp_path.name}/x"]
    assert load([f"mine={tmp_path / 'x.jsonl'}"])[0].name == "mine"


def test_what_holds_no_results_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="holds no results"):
        load([str(tmp_path)])
    with pytest.raises(ConfigError, match="nowhere"):
        load([str(tmp_path / "nowhere.jsonl")])


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("citations", "a.md", "'citations' is no list"),
        ("citations", [1], "no place"),
        ("citations", [{"file": 1}], "no text"),
        ("citations", [{"file": "a", "trail": [1]}], "headings"),
        ("citations", [{"file": "a", "trail": 7}], "neither a list nor a text"),
        ("answer", 30, "'answer' is no text"),
        ("tokens", "many", "'tokens' is no number"),
        ("seconds", float("nan"), "no amount"),
        ("cost", -1, "no amount"),
        ("steps", {}, "'steps' is no list"),
        ("grade", [], "'grade' is no object"),
        ("ranking", {"recall": ["x"]}, "no number"),
    ],
)
def test_results_that_cannot_be_graded_are_named(
    tmp_path: Path, field: str, value: object, said: str
) -> None:
    write(tmp_path / "r.jsonl", row(), {"id": "2", field: value})
    with pytest.raises(ConfigError, match=f"line 2: .*{said}"):
        load([str(tmp_path / "r.jsonl")])


def test_grades_travel_without_texts() -> None:
    grade = Grade(True, True, False, None, 0.5, None)
    ranking = Ranking((0.0, 1.0, 1.0), 0.5, 0.63)
    whole = row("loop") | {"tokens": 9, "status": "answered", "shown": [{"text": "secret"}]}
    kept = json.loads(json.dumps(grade_line(whole, grade, ranking)))
    assert (kept["id"], kept["tokens"]) == ("1", 9)
    assert not {"answer", "citations", "shown"} & kept.keys()
    assert (grade_in(kept), ranking_in(kept)) == (grade, ranking)
    assert grade_in(whole) is None
    failed = grade_line({"id": "1", "error": "cannot open /home/x"}, grade, None)
    assert failed["error"] == "error"
