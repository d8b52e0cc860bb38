"""What the extractive reader reaches on real questions: the figures in docs/performance.md hold."""

import importlib
import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from fanshu.evals import grading
from fanshu.evals.questions import load
from fanshu.evals.running import Plan, run
from fanshu.settings import Settings

SHARED = Path(__file__).parents[3] / "shared" / "eval"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SHARED.is_dir(), reason="the evaluation set ../shared/eval is absent"),
]


@pytest.fixture
def grade(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(SHARED))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # the folder may be read-only
    return importlib.import_module("grade")


def test_places_and_refusals_of_the_extractive_reader(
    grade: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    settings = Settings(docs=(str(SHARED / "corpora"),), exclude=("SOURCE.md",), trace=False)
    out = tmp_path / "results.jsonl"
    assert run(Plan(load(SHARED / "dev.jsonl"), "extractive", settings), out).errors == 0
    results = {row["id"]: row for row in map(json.loads, out.open(encoding="utf-8"))}
    for one in load(SHARED / "dev.jsonl"):
        right = grading.gold(one)
        assert right
        ours = grading.grade(right, results[one.id])
        assert (ours.right, ours.cited, ours.complete) == grade.judge(one.fields, results[one.id])
    held: dict[str, list[bool]] = defaultdict(list)
    places: list[bool] = []
    for question in map(json.loads, (SHARED / "dev.jsonl").open(encoding="utf-8")):
        result = results[question["id"]]
        if question["kind"] == "unanswerable":
            held["unanswerable"].append(grade.judge(question, result)[0])
            continue
        gold = [place for one in question["gold"] for place in (one, *one.get("also", []))]
        shown = {json.dumps(c, sort_keys=True): c for c in result["citations"]}.values()
        hits = [any(grade.hits(cited, place) for place in gold) for cited in shown]
        held[question["kind"]].append(any(hits))
        places += hits
    share = {kind: sum(values) / len(values) for kind, values in held.items()}
    assert share["keyword"] >= 0.9
    assert share["cross"] >= 0.8
    assert share["vague"] >= 0.4
    assert share["unanswerable"] >= 0.6
    assert sum(places) / len(places) >= 0.4
    cpu = [row["cpu"] for row in results.values()]
    assert sum(cpu) / len(cpu) < 0.3
