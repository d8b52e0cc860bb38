"""ask --explain, trace show --html, trace rescore."""

import os
import stat
from pathlib import Path

import pytest

from tests.cli.conftest import Fanshu
from tests.cli.replies import WRITE, answer, calls
from tests.models.fake_server import FakeServer


def asked(fanshu: Fanshu, *options: str, response: str = "写超时是 30 秒。") -> str:
    script = [calls(("read", {"chunk_id": "手册.md#2"})), answer(response, WRITE)]
    if "45" in response:
        script.append(answer(response, WRITE))
    with FakeServer(*script) as server:
        arguments = ["ask", "写超时是多少", "--model", "m", "--base-url", server.url, *options]
        return fanshu(*arguments).out


def test_explain_says_where_each_figure_stands(fanshu: Fanshu) -> None:
    out = asked(fanshu, "--explain")
    assert out.startswith("写超时是 30 秒。\n\n[quotes checked]")
    explained = out.partition("How it was checked:\n")[2]
    assert explained.startswith("  30 秒  stands in [1]\n  passed  quotes that stand word for word")
    assert "the model's judgement" in explained
    assert "How it was checked" not in asked(fanshu)


def test_explain_needs_no_trace_and_names_what_failed(fanshu: Fanshu) -> None:
    out = asked(fanshu, "--explain", "--no-trace", response="写超时是 45 秒。")
    assert "45 秒  in no quoted passage" in out
    assert "failed  figures that stand" in out
    assert "Sent back in round 2:" in out


def test_explain_works_without_a_model(fanshu: Fanshu) -> None:
    out = fanshu("ask", "写超时是多少", "--explain").out
    assert "passed  quotes that stand word for word in what was read" in out


def test_explain_is_for_people(fanshu: Fanshu) -> None:
    result = fanshu("ask", "写超时是多少", "--explain", "--json")
    assert result.code == 2
    assert "exclude each other" in result.err


def test_a_page_is_written_for_its_owner_alone(fanshu: Fanshu, tmp_path: Path) -> None:
    asked(fanshu)
    target = tmp_path / "audit.html"
    result = fanshu("trace", "show", "last", "--html", str(target))
    assert (result.code, str(target) in result.out) == (0, True)
    html = target.read_text(encoding="utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert "<mark>写超时为 30 秒，读超时为 60 秒。</mark>" in html
    if os.name == "posix":
        assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_page_can_go_to_stdout(fanshu: Fanshu) -> None:
    asked(fanshu)
    assert fanshu("trace", "show", "last", "--html", "-").out.endswith("</html>\n")


def test_a_page_that_cannot_be_written_is_said(fanshu: Fanshu, tmp_path: Path) -> None:
    asked(fanshu)
    result = fanshu("trace", "show", "last", "--html", str(tmp_path / "no" / "a.html"))
    assert result.code == 2
    assert "cannot be written" in result.err


def test_rescore_finds_nothing_new(fanshu: Fanshu) -> None:
    asked(fanshu)
    result = fanshu("trace", "rescore")
    assert result.code == 0
    assert "[1] unchanged  手册.md#2" in result.out
    assert result.out.endswith("1 answers checked again, 0 differ\n")


def test_rescore_shows_then_and_now_and_exits_1(fanshu: Fanshu, docs: Path) -> None:
    asked(fanshu)
    fanshu("ask", "gateway port")
    text = (docs / "手册.md").read_text(encoding="utf-8")
    (docs / "手册.md").write_text(
        text.replace("写超时为 30 秒", "写超时为 20 秒"), encoding="utf-8"
    )
    result = fanshu("trace", "rescore", "--all", "--json")
    assert result.code == 1
    changed = [one for one in result.json if one["differs"]]
    assert [one["question"] for one in changed] == ["写超时是多少"]
    (standing,) = changed[0]["citations"]
    assert standing["state"] == "changed"
    assert "20 秒" in standing["passage_now"]
    shown = fanshu("trace", "rescore", changed[0]["trace_id"]).out
    assert "then  写超时为 30 秒" in shown
    assert "now  写超时为 20 秒" in shown
    assert "the check now gives" in shown


def test_rescore_goes_on_when_documents_are_gone(
    fanshu: Fanshu, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(fanshu)
    docs.rename(docs.with_name("elsewhere"))
    result = fanshu("trace", "rescore", "--all")
    assert result.code == 1
    assert "its documents cannot be opened" in result.out
    moved = fanshu("trace", "rescore", "--all", "--docs", str(docs.with_name("elsewhere")))
    assert moved.code == 0


def test_rescore_of_no_such_trace(fanshu: Fanshu) -> None:
    assert fanshu("trace", "rescore", "nope").code == 2
    assert fanshu("trace", "rescore", "--all").code == 0
