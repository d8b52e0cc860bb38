"""The deterministic systems are not significantly worse than they were, on two sets of questions.

The baselines hold ids, grades and amounts, no text of documents. After a change for the better:

    fanshu eval run QUESTIONS --system extractive,search --docs DOCS --exclude SOURCE.md --out new/
    fanshu eval grade new/NAME.jsonl -q QUESTIONS --out tests/evals/baselines/SET/NAME.jsonl
"""

from pathlib import Path

import pytest

from fanshu.cli.program import run as command
from fanshu.evals.questions import load
from fanshu.evals.running import Plan, run
from fanshu.settings import Settings

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "eval"
BASELINES = Path(__file__).parent / "baselines"
SYSTEMS = ("extractive", "search")
TEXTS = ("answer", "citations", "read", "shown", "retrieved", "steps", "question")


def held(questions: Path, docs: Path, baseline: Path, tmp_path: Path) -> int:
    """The exit code of comparing a run of today with the baseline."""
    settings = Settings(docs=(str(docs),), exclude=("SOURCE.md",), trace=False)
    for system in SYSTEMS:
        done = run(Plan(load(questions), system, settings), tmp_path / f"{system}.jsonl")
        assert done.errors == 0
    return command(["eval", "compare", str(baseline), str(tmp_path), "-q", str(questions)])


@pytest.mark.slow
def test_on_the_example_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    examples = ROOT / "examples"
    questions = examples / "questions.jsonl"
    assert held(questions, examples / "library", BASELINES / "library", tmp_path) == 0


@pytest.mark.slow
@pytest.mark.skipif(not SHARED.is_dir(), reason="the evaluation set ../shared/eval is absent")
def test_on_the_evaluation_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert held(SHARED / "dev.jsonl", SHARED / "corpora", BASELINES / "dev", tmp_path) == 0


def test_baselines_hold_no_text_of_documents() -> None:
    paths = sorted(BASELINES.glob("*/*.jsonl"))
    assert len(paths) == len(SYSTEMS) * 2
    for path in paths:
        text = path.read_text(encoding="utf-8")
        assert text.isascii(), path  # the texts of both sets are mostly Chinese
        assert not any(f'"{key}":' in text for key in TEXTS), path


def test_a_worse_system_is_noticed(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    before = BASELINES / "library" / "extractive.jsonl"
    after = tmp_path / "extractive.jsonl"
    after.write_text(before.read_text("utf-8").replace('"right": true', '"right": false'), "utf-8")
    assert command(["eval", "compare", str(before), str(after)]) == 1
    assert "significantly worse: right" in capfd.readouterr().err
