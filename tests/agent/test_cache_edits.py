"""The cache under many edits: never a stale answer, and no answer lost to an edit elsewhere.

A smaller run of the benchmark, over the examples and files that have nothing to do with them.
"""

import importlib.util
import json
import shutil
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
QUESTIONS = 8
EDITS = 13  # each kind of change once


@pytest.fixture(scope="module")
def benchmark() -> Any:
    spec = importlib.util.spec_from_file_location(
        "cache_benchmark", ROOT / "benchmarks" / "cache.py"
    )
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture
def trial(benchmark: Any, examples: Path, tmp_path: Path) -> Iterator[Any]:
    docs = tmp_path / "docs"
    for file in examples.rglob("*.md"):
        place = docs / file.relative_to(examples)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, place)
    (docs / "others").mkdir()
    for n in range(40):
        text = f"# 台账 {n}\n\n## 记录\n\n第 {n} 册，编号 {n * 7919}。\n\nKept on shelf {n}.\n"
        (docs / "others" / f"{n}.md").write_text(text, encoding="utf-8")
    lines = (ROOT / "examples" / "questions.jsonl").read_text("utf-8").splitlines()
    made = benchmark.trial(
        docs, tmp_path, [json.loads(one)["question"] for one in lines][:QUESTIONS]
    )
    yield made
    made.library.close()


@pytest.mark.slow
def test_no_answer_is_stale_after_any_edit(benchmark: Any, trial: Any) -> None:
    quoted = sorted(question for question, answer in trial.answers.items() if answer.citations)
    assert len(quoted) >= QUESTIONS / 2
    hits: Counter[str] = Counter()
    for number in range(EDITS):
        change = benchmark.CHANGES[number % len(benchmark.CHANGES)]
        stale, seen = trial.stale(change, trial.rng.choice(quoted))
        assert not stale, change.__name__
        hits += seen
    assert hits["hit"] > EDITS
    assert hits["miss"] > EDITS / 2


@pytest.mark.slow
def test_answers_survive_edits_of_files_that_they_never_saw(trial: Any) -> None:
    lived = sum((trial.survivors() for _ in range(8)), Counter[str]())
    unrelated = lived["unrelated hit"] + lived["unrelated miss"]
    assert unrelated >= 20
    assert lived["unrelated hit"] >= 0.9 * unrelated
