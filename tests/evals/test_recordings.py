"""Recorded runs of strong models, made again: the loop as it is now still gets their answers.

A recording NAME.jsonl has NAME.json beside it: `questions`, the file of ../shared/eval it is
about; `settings` other than the defaults; `expected`, what `fanshu eval report --json` said of
the run: right, cited and complete as shares, rounds and tokens as means.
"""

import importlib
import json
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from fanshu.evals import grading
from fanshu.evals.grading import gold
from fanshu.evals.questions import load
from fanshu.evals.recording import Recording
from fanshu.evals.running import Plan, run
from fanshu.settings import Settings

SHARED = Path(__file__).parents[3] / "shared" / "eval"
RECORDINGS = sorted((Path(__file__).parent / "recordings").glob("*.jsonl"))
NONE = pytest.param(None, marks=pytest.mark.skip("optional: no recordings are kept"))
NEAR = 0.1  # a change of wording may cost so much before somebody has to look at it

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),  # the large sets are indexed first
    pytest.mark.skipif(not SHARED.is_dir(), reason="the evaluation set ../shared/eval is absent"),
]


@pytest.fixture
def grade(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(SHARED))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # the folder may be read-only
    return importlib.import_module("grade")


@pytest.mark.parametrize("recording", RECORDINGS or [NONE], ids=lambda path: path and path.stem)
def test_a_recorded_run_comes_out_as_it_did(recording: Path, grade: Any, tmp_path: Path) -> None:
    about = json.loads(recording.with_suffix(".json").read_text(encoding="utf-8"))
    replies = Recording(recording)
    asked = [one for one in load(SHARED / about["questions"]) if one.id in replies.ids]
    assert len(asked) == len(replies.ids)
    settings = Settings(
        **{"docs": (str(SHARED / "corpora"),), "exclude": ("SOURCE.md",), "trace": False}
        | about.get("settings", {})
    )
    out = tmp_path / "results.jsonl"
    run(Plan(asked, "loop", settings, replay=replies), out)
    results = {row["id"]: row for row in map(json.loads, out.open(encoding="utf-8"))}
    assert not {one: row["error"] for one, row in results.items() if "error" in row}
    grades = {one.id: grade.judge(one.fields, results[one.id]) for one in asked}
    ours = {one.id: grading.grade(right, results[one.id]) for one in asked if (right := gold(one))}
    assert {id_: (it.right, it.cited, it.complete) for id_, it in ours.items()} == grades
    wrong = {
        name: [one for one, got in grades.items() if not got[at]]
        for at, name in enumerate(("right", "cited", "complete"))
    }
    expected = about["expected"]
    shares = {name: round(1 - len(ids) / len(asked), 3) for name, ids in wrong.items()}
    assert shares == {name: round(expected[name], 3) for name in shares}, wrong
    rounds = fmean(row["loops"] for row in results.values())
    tokens = fmean(row["tokens"] for row in results.values())
    assert rounds == pytest.approx(expected["rounds"], rel=NEAR)
    assert tokens == pytest.approx(expected["tokens"], rel=NEAR)
