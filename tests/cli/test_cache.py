"""The cache from the command line: hits are marked and cost nothing, and can be looked at."""

from pathlib import Path

import pytest

from tests.cli.conftest import Fanshu
from tests.cli.replies import WRITE, answer, calls
from tests.models.fake_server import FakeServer

QUESTION = "写超时是多少"


def script() -> tuple[object, ...]:
    return calls(("search", {"keyword": "gateway"})), answer("写超时是 30 秒。", WRITE)


def test_a_question_asked_again_costs_nothing(fanshu: Fanshu, docs: Path) -> None:
    with FakeServer(*script()) as server:
        model = ("--model", "m", "--base-url", server.url)
        first = fanshu("ask", QUESTION, *model, "--json").json
        again = fanshu("ask", "请问写超时是多少？", *model, "--json").json
        assert len(server.requests) == 2
        text = fanshu("ask", QUESTION, *model)
    assert (first["cached"], again["cached"]) == (False, True)
    assert again["citations"] == first["citations"]
    assert again["trace_id"] == first["trace_id"]
    assert again["usage"]["prompt"] == again["rounds"] == 0
    assert text.code == 0
    assert "from the cache, checked again" in text.out
    (listed,) = fanshu("cache", "list", "--json").json
    assert (listed["question"], listed["hits"]) == (QUESTION, 2)
    assert listed["id"] in fanshu("cache", "list").out
    shown = fanshu("cache", "show", listed["id"], "--json").json
    assert shown["answer"]["answer"] == first["answer"]
    assert "ahead" in fanshu("cache", "show", listed["id"]).out
    stats = fanshu("cache", "stats", "--json").json
    assert (stats["entries"], stats["hits"], stats["misses"]) == (1, 2, 1)
    assert "answered from the cache: 2" in fanshu("cache", "stats").out
    assert "removed: 1" in fanshu("cache", "clear").out
    assert "No answers are kept" in fanshu("cache", "list").out


@pytest.mark.parametrize(
    "more", [("--no-cache",), ("--fresh",), ("--hits", "3"), ("--exclude", "x.md"), ("-m", "other")]
)
def test_the_model_is_asked_anew(fanshu: Fanshu, more: tuple[str, ...]) -> None:
    with FakeServer(*script(), *script()) as server:
        model = ("--model", "m", "--base-url", server.url)
        fanshu("ask", QUESTION, *model)
        assert not fanshu("ask", QUESTION, *model, *more, "--json").json["cached"]
        assert len(server.requests) == 4


def test_a_key_or_a_deadline_makes_no_other_question(
    fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakeServer(*script()) as server:
        model = ("--model", "m", "--base-url", server.url)
        fanshu("ask", QUESTION, *model)
        monkeypatch.setenv("FANSHU_API_KEY", "sk-very-secret")
        assert fanshu("ask", QUESTION, *model, "--deadline", "60", "--json").json["cached"]


def test_no_key_is_kept(fanshu: Fanshu, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FANSHU_API_KEY", "sk-very-secret")
    with FakeServer(*script()) as server:
        fanshu("ask", QUESTION, "--model", "m", "--base-url", server.url)
    (kept,) = home.rglob("answers.db")
    assert b"very-secret" not in kept.read_bytes()


def test_a_trace_that_is_gone_is_not_named(fanshu: Fanshu) -> None:
    with FakeServer(*script()) as server:
        model = ("--model", "m", "--base-url", server.url)
        fanshu("ask", QUESTION, *model)
        fanshu("purge", "--yes", "--only", "traces")
        again = fanshu("ask", QUESTION, *model, "--json").json
    assert (again["cached"], again["trace_id"]) == (True, None)


def test_purge_knows_the_cache(fanshu: Fanshu, home: Path) -> None:
    with FakeServer(*script()) as server:
        fanshu("ask", QUESTION, "--model", "m", "--base-url", server.url)
    kinds = {one["kind"] for one in fanshu("purge", "--json").json["kept"]}
    assert kinds >= {"index", "traces", "cache"}
    fanshu("purge", "--yes", "--only", "cache")
    assert not list(home.rglob("answers.db"))
    assert list(home.rglob("index.db"))
    assert fanshu("purge", "--only", "nothing").code == 2


def test_passages_are_not_cached(fanshu: Fanshu) -> None:
    fanshu("ask", QUESTION)
    assert fanshu("cache", "list", "--json").json == []


def test_what_is_not_there_is_said(fanshu: Fanshu) -> None:
    for verb in ("show", "clear"):
        result = fanshu("cache", verb, "nope")
        assert (result.code, result.out) == (2, "")
        assert "'nope'" in result.err
        assert "cache list" in result.err
    assert "缓存中没有" in fanshu("cache", "show", "nope", "--language", "zh").err


def test_a_cache_that_cannot_be_used_is_said_and_harms_nothing(fanshu: Fanshu, home: Path) -> None:
    place = home / "data" / "fanshu" / "cache"
    (place / "answers.db").mkdir(parents=True)
    with FakeServer(*script()) as server:
        result = fanshu("ask", QUESTION, "--model", "m", "--base-url", server.url)
    assert result.code == 0
    assert "30 秒" in result.out
    assert "the answer could not be cached" in result.out
    assert "cannot be used" in fanshu("cache", "list").err


def test_a_cached_answer_is_explained_by_its_trace(fanshu: Fanshu) -> None:
    with FakeServer(*script()) as server:
        model = ("--model", "m", "--base-url", server.url)
        first = fanshu("ask", QUESTION, *model, "--explain").out
        again = fanshu("ask", QUESTION, *model, "--explain").out
    assert again == first.replace(
        "[quotes checked]", "[quotes checked · from the cache, checked again]"
    )
