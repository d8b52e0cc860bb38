"""Whole runs on record: shown, listed, replayed without a model."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Fanshu
from tests.cli.replies import WRITE, answer, calls
from tests.models.fake_server import FakeServer, refusal


def asked(fanshu: Fanshu) -> str:
    """The id of the trace of a run of three rounds."""
    script = (
        calls(("search", {"keyword": "gateway"})),
        calls(("read", {"chunk_id": "手册.md#3"})),
        answer("写超时是 30 秒。", WRITE),
    )
    with FakeServer(*script) as server:
        result = fanshu("ask", "写超时是多少", "--model", "m", "--base-url", server.url, "--json")
    return str(result.json["trace_id"])


def test_a_run_is_on_record(fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FANSHU_API_KEY", "sk-very-secret")
    trace_id = asked(fanshu)
    shown = fanshu("trace", "show", trace_id, "--json")
    trace = shown.json
    assert "very-secret" not in shown.out
    assert trace["question"] == "写超时是多少"
    assert trace["answer"]["trace_id"] == trace_id
    assert trace["settings"]["model"] == "m"
    assert trace["prompt_version"] >= 1
    assert trace["fanshu"]
    assert trace["opening"]["search"]["hits"]
    assert [call["name"] for step in trace["rounds"] for call in step["calls"]] == [
        "search", "read", "answer",
    ]  # fmt: skip
    seen = trace["rounds"][1]["observations"][0]
    assert "E-5041" in seen["text"]
    assert seen["data"]["chunk_id"] == "手册.md#3"
    text = fanshu("trace", "show", "last")
    assert "Round 2" in text.out
    assert "quotes checked" in text.out
    assert trace_id in fanshu("trace", "list").out
    assert fanshu("trace", "list", "--json").json[0]["trace_id"] == trace_id


def test_a_run_whose_model_fails_is_on_record_too(fanshu: Fanshu) -> None:
    script = (calls(("search", {"keyword": "gateway"})), refusal(400, "no"))
    with FakeServer(*script) as server:
        fanshu("ask", "写超时是多少", "--model", "m", "--base-url", server.url)
    trace = fanshu("trace", "show", "last", "--json").json
    assert trace["answer"]["stop_reason"] == "model_error"
    assert [call["name"] for call in trace["rounds"][0]["calls"]] == ["search"]


def test_a_replay_needs_no_model_and_finds_nothing_new(fanshu: Fanshu) -> None:
    trace_id = asked(fanshu)
    result = fanshu("trace", "replay", trace_id, "--json")
    assert (result.code, result.json) == (0, {"trace_id": trace_id, "calls": 4, "changes": []})
    assert "nothing changed" in fanshu("trace", "replay", "last").out


def test_a_replay_works_from_anywhere(
    fanshu: Fanshu, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace_id = asked(fanshu)
    monkeypatch.delenv("FANSHU_DOCS")
    monkeypatch.chdir(tmp_path)
    assert fanshu("trace", "replay", trace_id).code == 0


def test_a_replay_reports_what_changed(fanshu: Fanshu, docs: Path) -> None:
    trace_id = asked(fanshu)
    text = (docs / "手册.md").read_text(encoding="utf-8")
    (docs / "手册.md").write_text(text.replace("先检查下游服务", "先重启"), encoding="utf-8")
    result = fanshu("trace", "replay", trace_id, "--json")
    assert result.code == 1
    (change,) = [change for change in result.json["changes"] if change["tool"] == "read"]
    assert change["round"] == 2
    assert "先重启" in json.dumps(change["after"], ensure_ascii=False)
    assert "先重启" not in json.dumps(change["before"], ensure_ascii=False)
    assert "changed, round 2: read" in fanshu("trace", "replay", trace_id).out


def test_an_extractive_run_can_be_replayed(fanshu: Fanshu) -> None:
    trace_id = fanshu("ask", "写超时是多少", "--json").json["trace_id"]
    assert fanshu("trace", "replay", trace_id).code == 0


def test_a_trace_that_cannot_be_saved_is_a_warning(fanshu: Fanshu, home: Path) -> None:
    (home / "data" / "fanshu").mkdir(parents=True)
    (home / "data" / "fanshu" / "traces").write_text("a file where a folder should be")
    result = fanshu("ask", "写超时是多少", "--json")
    assert result.code == 0
    assert result.json["trace_id"] is None
    assert "trace could not be saved" in result.json["warnings"][0]
