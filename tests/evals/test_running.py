"""Question files, and runs that can be stopped and go on."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fanshu.errors import ConfigError, QuestionsWrong
from fanshu.evals.question_rows import as_table
from fanshu.evals.questions import load, sampled
from fanshu.evals.results import load as load_results
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


def results(path: Path) -> dict[str, dict[str, Any]]:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
    assert len(rows) == len({row["id"] for row in rows})
    return {row["id"]: row for row in rows}


def plan(questions: Path, docs: Path, corpus: str | None = None) -> Plan:
    settings = Settings(docs=(str(docs),), trace=False)
    return Plan(load(questions, corpora=[corpus] if corpus else []), "extractive", settings, corpus)


def test_each_question_is_asked_of_its_own_corpus(
    corpora: Path, questions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results.jsonl"
    assert run(plan(questions, corpora), out).errors == 0
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


def test_a_table_gives_the_questions_that_lines_give(tmp_path: Path) -> None:
    table = tmp_path / "q.csv"
    table.write_bytes(
        "\ufeffid,kind,question,must,file,trail,page,quote\r\n"
        '1,cross,写超时与读超时？,"30 | 三十\n60",a.md,手册 > 超时,,写超时为 30 秒\r\n'
        "1,,,,b.pdf,,3,读超时为 60 秒\r\n"
        "2,unanswerable,GPU 型号？,,,,,\r\n".encode()
    )
    first, second = load(table)
    assert (first.line, second.line) == (2, 5)
    assert first.fields["must"] == [["30", "三十"], "60"]
    assert first.fields["gold"] == [
        {"file": "a.md", "trail": ["手册", "超时"], "quote": "写超时为 30 秒"},
        {"file": "b.pdf", "trail": [], "page": 3, "quote": "读超时为 60 秒"},
    ]
    assert second.fields["gold"] == second.fields["must"] == []
    again = tmp_path / "again.csv"
    again.write_text(as_table([first.fields, second.fields]), encoding="utf-8", newline="")
    assert [one.fields for one in load(again)] == [first.fields, second.fields]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("delimiter", [",", ";"])
def test_tables_of_other_countries_are_read(tmp_path: Path, encoding: str, delimiter: str) -> None:
    path = tmp_path / "q.csv"
    path.write_bytes("id,question\n1,日志保留几天？\n".replace(",", delimiter).encode(encoding))
    assert [one.question for one in load(path)] == ["日志保留几天？"]


def test_all_that_is_wrong_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    place = {"file": "a.md", "trail": "x", "page": 0, "quote": "长" * 61}
    rows = [
        {"id": "1", "question": "x"},
        {"question": "x", "must": "30"},
        {"id": "1", "question": "x", "gold": [place]},
        {"id": "3", "question": "x", "kind": "unanswerable", "must": [["30", ""]]},
    ]
    path.write_text("\n\n".join(map(json.dumps, rows)) + "\n{oops", encoding="utf-8")
    with pytest.raises(QuestionsWrong) as caught:
        load(path)
    told = caught.value.problems
    assert [one.partition(":")[0] for one in told] == [
        *["line 3"] * 2, *["line 5"] * 4, *["line 7"] * 2, "line 8",
    ]  # fmt: skip
    assert "first in line 1" in told[5]


def test_a_table_without_its_columns_says_which(tmp_path: Path) -> None:
    path = tmp_path / "q.csv"
    path.write_text("nr,question\n1,x\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="no column id"):
        load(path)


def test_a_sample_has_every_kind_and_is_the_same_again(questions: Path) -> None:
    every = load(questions)
    drawn = sampled(every, 2, 7)
    assert drawn == sampled(every, 2, 7)
    assert len({(one.corpus, one.kind) for one in drawn}) == 2
    assert sampled(every, 9, 7) == every


def test_named_folders_stand_for_corpora(corpora: Path, questions: Path, tmp_path: Path) -> None:
    (corpora / "乙").rename(tmp_path / "elsewhere")
    named = (str(corpora / "甲"), f"乙={tmp_path / 'elsewhere'}")
    out = tmp_path / "results.jsonl"
    run(Plan(load(questions), "extractive", Settings(docs=named, trace=False)), out)
    assert results(out)["2"]["answer"] == "日志保留9天。"
    digests = json.loads((tmp_path / "results.manifest.json").read_text("utf-8"))["corpora"]
    assert set(digests) == {"甲", "乙"}


def test_half_a_character_is_no_result(corpora: Path, questions: Path, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    run(plan(questions, corpora), out)
    whole = out.read_bytes()
    cut = whole.rindex("保".encode()) + 1
    out.write_bytes(whole[:cut])
    asked: list[str] = []
    run(plan(questions, corpora), out, lambda _done, _all, result: asked.append(str(result["id"])))
    assert asked
    assert set(results(out)) == {"1", "2", "3"}


def test_separators_of_lines_within_an_answer_end_no_line(
    corpora: Path, questions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results.jsonl"
    run(plan(questions, corpora), out)
    rows = results(out)
    for row in rows.values():
        row["answer"] = "a\u2028b\x85c"
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.values())
    out.write_text(text, encoding="utf-8")
    assert load_results(out) == rows
    asked: list[str] = []
    run(plan(questions, corpora), out, lambda _done, _all, result: asked.append(str(result["id"])))
    assert asked == []  # what was paid for is not asked again


def test_other_settings_want_another_file(corpora: Path, questions: Path, tmp_path: Path) -> None:
    out = tmp_path / "results.jsonl"
    run(plan(questions, corpora), out)
    before = out.read_bytes()
    other = replace(
        plan(questions, corpora), settings=Settings(docs=(str(corpora),), trace=False, hits=3)
    )
    with pytest.raises(ConfigError, match="hits: 10 → 3"):
        run(other, out)
    assert out.read_bytes() == before


def test_a_manifest_tells_no_place_and_no_key(
    corpora: Path, questions: Path, tmp_path: Path
) -> None:
    settings = Settings(docs=(str(corpora),), trace=False, api_key="sk-secret", index=str(tmp_path))
    run(Plan(load(questions), "search", settings), tmp_path / "results.jsonl")
    text = (tmp_path / "results.manifest.json").read_text("utf-8")
    assert "sk-secret" not in text
    assert str(tmp_path) not in text
    assert json.loads(text)["questions"]["count"] == 3


def test_a_ranking_keeps_its_texts_and_answers_nothing(
    corpora: Path, questions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results.jsonl"
    run(replace(plan(questions, corpora), system="search"), out)
    first = results(out)["1"]
    assert (first["status"], first["found"], first["answer"]) == ("retrieved", False, "")
    assert first["retrieved"] == [
        {"file": "a.md", "trail": [], "page": None, "text": "日志保留7天。"}
    ]


def test_the_loop_tells_when_there_was_something_to_show(
    corpora: Path, questions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "results.jsonl"
    run(plan(questions, corpora), out)
    first = results(out)["1"]
    assert isinstance(first["first_step"], float)
    assert first["first_step"] <= first["seconds"]
    assert [step["round"] for step in first["steps"]] == list(range(1, first["loops"] + 1))
    assert first["steps"][-1]["calls"][0]["tool"] == "answer"
    assert first["retrieved"][0]["file"] == "a.md"
