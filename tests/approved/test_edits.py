"""Approved answers under many edits: each touched one flagged for what it is, no other one.

The benchmark's own run over the examples and the evaluation set, and a smaller one over the
examples alone.
"""

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
EVAL = ROOT.parent / "shared" / "eval"
EXAMPLES = ROOT / "examples" / "questions.jsonl", ROOT / "examples" / "library"
CORPORA = ("manual-zh", "project-en", "rules-zh")
FEW = (("changed", 3), ("moved", 3), ("gone", 3), ("superseded", 2), ("contradicted", 2))
FEW += (("same file", 3), ("elsewhere", 3))


@pytest.fixture(scope="module")
def benchmark() -> Iterator[Any]:
    path = ROOT / "benchmarks" / "approved.py"
    spec = importlib.util.spec_from_file_location("approved_benchmark", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def judged(benchmark: Any, trial: Any, kinds: Any) -> None:
    scores = benchmark.play(trial, kinds)
    trial.library.close()
    told = benchmark.table(scores)
    wrong = [line for score in scores.values() for line in score.wrong]
    assert not wrong, f"{told}\n{json.dumps(wrong, ensure_ascii=False, indent=1)}"
    assert all(score.right == score.edits == dict(kinds)[kind] for kind, score in scores.items())
    assert all(score.flagged == score.must and not score.false for score in scores.values())
    assert sum(score.must for score in scores.values()) >= len(kinds)


def test_every_edit_of_the_examples_is_seen_for_what_it_is(benchmark: Any, tmp_path: Path) -> None:
    trial = benchmark.make(tmp_path, [EXAMPLES], 50, 1)
    assert len(trial.kept) >= 15
    judged(benchmark, trial, FEW)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(not EVAL.is_dir(), reason="optional: needs the evaluation set in ../shared")
def test_sixty_edits_over_fifty_answers(benchmark: Any, tmp_path: Path) -> None:
    dev = EVAL / "dev.jsonl"
    sets = [EXAMPLES, *((dev, EVAL / "corpora" / name) for name in CORPORA)]
    trial = benchmark.make(tmp_path, sets, 50, 1)
    assert len(trial.kept) == 50
    judged(benchmark, trial, benchmark.KINDS)


@pytest.mark.slow
def test_the_work_after_an_edit_does_not_grow_with_the_answers(
    benchmark: Any, tmp_path: Path
) -> None:
    looked = []
    for answers in (20, 80):
        trial = benchmark.made(tmp_path / str(answers), answers, answers // 4)
        text = trial.read("册/3.md")
        trial.write("册/3.md", text.replace("的上限为 130 次", "的上限为 9999 次"))
        report = trial.keep_up()
        looked.append((report.examined, report.reads))
        assert len(report.changes) == 1
        trial.library.close()
    assert looked[0] == looked[1]
    assert looked[0][0] == 4
