"""Question files, and runs that can be stopped and go on."""

import json
from pathlib import Path

import pytest

from fanshu.errors import ConfigError
from fanshu.evals.questions import load
from fanshu.evals.running import Plan, run
from fanshu.settings import Settings


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    for name, text in (("甲", "日志保留7天。"), ("乙", "日志保留9天。")):
        (tmp_path / "corpora" / name).mkdir(parents=True)
        (tmp_path / "corpora" / name / "a.md").write_text(text, encoding="utf-8")
    return tmp_path / "corpora"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    rows = [
        {"id": "1", "corpus": "甲", "kind": "keyword", "question": "日志保留几天？"},
        {"id": "2", "corpus": "乙", "kind": "keyword", "question": "日志保留几天？"},
        {"id": "3", "corpus": "甲", "kind": "unanswerable", "question": "GPU 型号是什么？"},
    ]
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", encoding="utf-8")
    return path


def results(path: Path) -> dict[str, dict[str, object]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == len({row["id"] for row in rows})
    return {row["id"]: row for row in rows}


def plan(questions: Path, docs: Path, corpus: str | None = None) -> Plan:
    settings = Settings(docs=(str(docs),), trace=False)
    return Plan(load(questions, corpus=corpus), "extractive", settings, corpus)


def test_each_question_is_asked_of_its_own_corpus(
    corpora: Path, questions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results.jsonl"
    assert run(plan(questions, corpora), out) == 0
    found = results(out)
    assert (found["1"]["answer"], found["2"]["answer"]) == ("日志保留7天。", "日志保留9天。")
    assert found["1"]["citations"] == [
        {"file": "a.md", "trail": [], "page": None, "text": "日志保留7天。", "lines": [1, 1]}
    ]
    assert (found["3"]["found"], found["3"]["citations"]) == (False, [])


def test_one_corpus_by_name(corpora: Path, questions: Path, tmp_path: Path) -> None:
    for docs in (corpora, corpora / "甲"):
        out = tmp_path / f"{docs.name}.jsonl"
        run(plan(questions, docs, "甲"), out)
        assert set(results(out)) == {"1", "3"}


def test_a_run_goes_on_where_it_was(corpora: Path, questions: Path, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    kept = {"id": "1", "answer": "kept", "found": True, "citations": []}
    failed = {"id": "2", "answer": "", "found": False, "citations": [], "error": "x"}
    out.write_text(f"{json.dumps(kept)}\n{json.dumps(failed)}\n{{half a li", encoding="utf-8")
    asked: list[str] = []
    run(plan(questions, corpora), out, lambda _done, _all, result: asked.append(str(result["id"])))
    assert asked == ["2", "3"]
    assert results(out)["1"]["answer"] == "kept"


def test_a_corpus_that_is_not_there_is_said(corpora: Path, questions: Path, tmp_path: Path) -> None:
    (tmp_path / "else").mkdir()
    with pytest.raises(ConfigError, match="甲"):
        run(plan(questions, tmp_path / "else"), tmp_path / "results.jsonl")
    assert corpora.is_dir()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no question"),
        ('{"id": "1", "question": "x"}\n{oops', "line 2"),
        ("[1]", "line 1"),
        ('{"id": "1"}', "'question'"),
        ('{"id": 1, "question": "x"}', "'id'"),
        ('{"id": "1", "question": "x"}\n{"id": "1", "question": "y"}', "twice"),
    ],
)
def test_broken_question_files_name_the_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=said):
        load(path)
    with pytest.raises(ConfigError, match="nowhere"):
        load(tmp_path / "nowhere.jsonl")
