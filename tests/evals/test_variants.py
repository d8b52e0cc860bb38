"""One setting after another: ablations of the loop, tuning of the RAG; several systems at once."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from fanshu.errors import ConfigError
from fanshu.evals.ablations import VARIED, ablate, variants
from fanshu.evals.corpora import Corpora
from fanshu.evals.questions import load
from fanshu.evals.rag.options import Options
from fanshu.evals.running import Plan
from fanshu.evals.tuning import OVERLAPS, SIZES, tune
from fanshu.settings import Settings

PLACE = {"file": "a.md", "trail": ["手册", "超时"], "quote": "写超时为 30 秒"}
ROW = {"id": "1", "question": "写超时是多少？", "kind": "keyword", "must": ["30"], "gold": [PLACE]}
MANUAL = f"# 手册\n\n## 超时\n\n写超时为 30 秒。{'其他内容。' * 140}\n\n## 日志\n\n保留 7 天。\n"


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(MANUAL, encoding="utf-8")
    (tmp_path / "q.jsonl").write_text(json.dumps(ROW), encoding="utf-8")
    settings = Settings(docs=(str(tmp_path / "docs"),), trace=False)
    return Plan(load(tmp_path / "q.jsonl"), "extractive", settings)


def test_everything_that_is_varied_is_a_setting() -> None:
    assert set(VARIED) <= set(Settings.model_fields)
    for name, values in VARIED.items():
        for value in values:
            assert getattr(Settings(**{name: value}), name) == value


def test_variants_are_what_can_matter(plan: Plan) -> None:
    every = [one.name for one in variants(replace(plan, system="loop"))]
    assert every[0] == "base"
    assert {"max_rounds=4", "hits=3", "text_ahead=False", "tool_mode=json"} <= set(every)
    assert "max_rounds=6" not in every  # that is the base line
    assert [one.name for one in variants(plan, ["hits"])] == ["base", "hits=3", "hits=5", "hits=8"]
    assert {one.setting for one in variants(replace(plan, system="search"))} == {"", "part_chars"}
    with pytest.raises(ConfigError, match="'temperature'"):
        variants(plan, ["temperature"])
    with pytest.raises(ConfigError, match="does not depend on"):
        variants(replace(plan, system="search"), ["hits"])


def test_each_variant_has_its_file_and_its_row(plan: Plan, tmp_path: Path) -> None:
    found = variants(plan, ["part_chars"])
    rows = list(ablate(plan, found, tmp_path / "out"))
    assert [row.variant.value for row in rows] == [None, 400, 1500]
    assert all(row.summary.questions == 1 and row.ranking for row in rows)
    names = {path.name for path in (tmp_path / "out").glob("*.jsonl")}
    assert names == {"base.jsonl", "part_chars=400.jsonl", "part_chars=1500.jsonl"}
    kept = json.loads((tmp_path / "out" / "part_chars=400.manifest.json").read_text("utf-8"))
    assert kept["settings"]["part_chars"] == 400
    asked: list[object] = []
    list(ablate(plan, found, tmp_path / "out", lambda *done: asked.append(done)))
    assert asked == []  # what is there is not run again


def test_other_parts_leave_the_usual_index_alone(plan: Plan) -> None:
    usual = Corpora(plan.settings)
    small = Corpora(plan.settings.model_copy(update={"part_chars": 400}))
    one, other = usual.of(plan.questions[0]).library, small.of(plan.questions[0]).library
    assert one.index != other.index
    assert one.status().chunks < other.status().chunks
    usual.close()
    small.close()


def test_tuning_tries_the_grid_and_finds_what_is_there(plan: Plan) -> None:
    corpora = Corpora(plan.settings)
    tried = list(tune(plan.questions, corpora, Options(), lexical=True))
    corpora.close()
    assert len(tried) == len(SIZES) * len(OVERLAPS)
    assert {one.options.k * one.options.chunk_chars <= 4000 for one in tried} == {True}
    assert max(one.recall for one in tried) == 1.0
