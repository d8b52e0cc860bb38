"""Replies on record give the same results again, without a model and without a network."""

import json
from pathlib import Path
from typing import Any

import pytest

from fanshu.errors import ConfigError, ContextTooLong
from fanshu.evals.questions import Question
from fanshu.evals.recording import Recorder, Recording
from fanshu.evals.running import Plan, run
from fanshu.models import Reply, Turn
from fanshu.models.scripted import ScriptedModel
from fanshu.settings import Settings
from fanshu.types import Usage
from tests.cli.replies import answer, calls
from tests.models.fake_server import FakeServer

QUESTION = "日志放在哪里？"
SECTIONS = "# 手册\n\n## 日志\n\n日志在 /var/log。\n\n## 保留\n\n日志保留 7 天。\n"
UNTIMED = ("seconds", "cpu", "trace_id", "first_step", "steps")


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(SECTIONS, encoding="utf-8")
    return tmp_path / "docs"


def plan(docs: Path, *ids: str, **more: Any) -> Plan:
    settings = Settings(docs=(str(docs),), **more.pop("settings", {}))
    return Plan([Question(one, QUESTION) for one in ids], "loop", settings, **more)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def untimed(path: Path) -> list[dict[str, Any]]:
    return [{k: v for k, v in row.items() if k not in UNTIMED} for row in rows(path)]


def record(docs: Path, tmp_path: Path) -> Path:
    """One question of two rounds on record, its results in `asked`."""
    script = (
        calls(("search", {"keyword": "日志 保留"})),
        answer("日志在 /var/log。", "日志在 /var/log。", "a.md#2"),
    )
    kept = tmp_path / "kept.jsonl"
    with FakeServer(*script) as server:
        at = {"model": "m", "base_url": server.url}
        run(plan(docs, "1", settings=at, record=kept), tmp_path / "asked")
    return kept


def test_a_replay_gives_the_same_result(docs: Path, tmp_path: Path) -> None:
    kept = record(docs, tmp_path)
    assert run(plan(docs, "1", replay=Recording(kept)), tmp_path / "again").errors == 0
    assert untimed(tmp_path / "again") == untimed(tmp_path / "asked")
    assert rows(tmp_path / "again")[0]["loops"] == 2


def test_nothing_of_the_documents_is_kept(docs: Path, tmp_path: Path) -> None:
    text = record(docs, tmp_path).read_text(encoding="utf-8")
    assert "日志在 /var/log。" in text  # the model's own quote
    assert "保留 7 天" not in text


def test_asking_for_more_than_was_recorded_is_an_error(docs: Path, tmp_path: Path) -> None:
    kept = record(docs, tmp_path)
    entry = rows(kept)[0]
    kept.write_text(json.dumps(entry | {"replies": entry["replies"][:1]}), encoding="utf-8")
    assert run(plan(docs, "1", "2", replay=Recording(kept)), tmp_path / "again").errors == 2
    first, second = rows(tmp_path / "again")
    assert "1 replies for the question '1'" in first["error"]
    assert "0 replies for the question '2'" in second["error"]


def test_a_question_that_failed_is_not_kept(docs: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    at = {"model": "m", "base_url": "http://127.0.0.1:9/v1", "timeout": 1, "deadline": 2}
    assert run(plan(docs, "1", settings=at, record=kept), tmp_path / "asked").errors == 1
    assert not kept.exists()


def test_of_a_question_recorded_twice_the_last_counts(docs: Path, tmp_path: Path) -> None:
    kept = record(docs, tmp_path)
    entry = rows(kept)[0]
    with kept.open("a", encoding="utf-8") as file:
        file.write(json.dumps(entry | {"replies": entry["replies"][1:]}))
    run(plan(docs, "1", replay=Recording(kept)), tmp_path / "again")
    assert rows(tmp_path / "again")[0]["loops"] == 1


async def test_tokens_follow_what_is_sent_now(tmp_path: Path) -> None:
    recorder = Recorder(ScriptedModel([Reply("x", usage=Usage(1000, 400, 20))]))
    await recorder.next([Turn("user", "a" * 400)], [])
    (tmp_path / "kept").write_text(recorder.line("1"), encoding="utf-8")
    replayed = Recording(tmp_path / "kept").model("1")
    now = (await replayed.next([Turn("user", "a" * 192)], [])).usage
    assert (now.prompt, now.cached, now.completion) == (500, 400, 20)


async def test_an_error_that_the_loop_answers_is_replayed(tmp_path: Path) -> None:
    recorder = Recorder(ScriptedModel([ContextTooLong(model="m", detail="8192 tokens")]))
    with pytest.raises(ContextTooLong):
        await recorder.next([], [])
    (tmp_path / "kept").write_text(recorder.line("1"), encoding="utf-8")
    with pytest.raises(ContextTooLong):
        await Recording(tmp_path / "kept").model("1").next([], [])


@pytest.mark.parametrize("line", ["{oops", "[1]", '{"id": "1"}', '{"id": "1", "replies": [{}]}'])
def test_what_is_no_recording_is_said(tmp_path: Path, line: str) -> None:
    path = tmp_path / "kept.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(ConfigError, match="line 1"):
        Recording(path)
    with pytest.raises(ConfigError, match="nowhere"):
        Recording(tmp_path / "nowhere")
