"""The verb check."""

import json
from pathlib import Path

import pytest

from fanshu.cli.program import run
from tests.cli.replies import calls
from tests.models.fake_server import FakeServer, Scripted

ONE = "# 甲\n\n`read_timeout` 默认为 30 秒。\n"
OTHER = "# 乙\n\n`read_timeout` 默认为 60 秒，见 <script>alert(1)</script> 一节。\n"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.md").write_text(ONE, encoding="utf-8")
    (folder / "b.md").write_text(OTHER, encoding="utf-8")
    return folder


def check(docs: Path, *arguments: str) -> int:
    return run(["check", str(docs), "--index", str(docs.parent / "index"), *arguments])


def test_findings_are_shown_side_by_side_and_end_in_1(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(docs, "--language", "en") == 1
    shown = capsys.readouterr().out
    assert "read_timeout, default: 30 秒 / 60 秒" in shown
    assert shown.index("a.md") < shown.index("b.md")
    assert "**30 秒**" in shown
    assert check(docs, "--language", "zh") == 1
    assert "read_timeout 的默认值：30 秒 / 60 秒" in capsys.readouterr().out


@pytest.mark.parametrize(("level", "code"), [("high", 1), ("low", 1), ("never", 0)])
def test_the_exit_code_follows_the_level(docs: Path, level: str, code: int) -> None:
    assert check(docs, "--fail-on", level) == code


def test_what_is_well_ends_in_0(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (docs / "b.md").unlink()
    assert check(docs, "--language", "en", "--fail-on", "low") == 0
    assert "Nothing found." in capsys.readouterr().out


def test_json_holds_everything(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check(docs, "--json", "--language", "zh")
    told = json.loads(capsys.readouterr().out)
    (one,) = told["findings"]
    assert (one["kind"], one["level"], one["term"]) == ("conflict", "high", "read_timeout")
    assert one["message"] == "read_timeout, default: 30 秒 / 60 秒"
    assert [side["chunk_id"] for side in one["sides"]] == ["a.md#1", "b.md#1"]
    assert (told["files"], told["ignored"], told["unused_rules"]) == (2, [], [])


def test_the_page_needs_nothing_else_and_lets_no_document_out(docs: Path, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    check(docs, "--html", str(target), "--language", "zh")
    page = target.read_text(encoding="utf-8")
    assert "<script" not in page and "&lt;script&gt;" in page
    assert "default-src &#x27;none&#x27;" in page and "<mark>30 秒</mark>" in page
    assert '<html lang="zh-CN">' in page
    assert target.stat().st_mode & 0o077 == 0
    assert check(docs, "--html", str(tmp_path / "no" / "where.html")) == 2


def test_rules_that_match_nothing_are_told(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (docs / ".fanshu").mkdir()
    rules = (
        '[[ignore]]\nterm = "read_timeout"\nreason = "x"\n[[ignore]]\nkind = "link"\nreason = "y"\n'
    )
    (docs / ".fanshu" / "check-ignore.toml").write_text(rules, encoding="utf-8")
    assert check(docs, "--language", "en") == 0
    told = capsys.readouterr()
    assert "1 left out" in told.out
    assert "kind = 'link'" in told.err
    (docs / ".fanshu" / "check-ignore.toml").write_text("[[ignore]]\nkind='link'\n", "utf-8")
    assert check(docs, "--language", "en") == 2
    assert "give a reason" in capsys.readouterr().err


def test_deep_needs_a_model(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(docs, "--deep", "--language", "en") == 2
    assert "--deep needs a model" in capsys.readouterr().err


def test_top_shows_the_first(docs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (docs / "a.md").write_text(ONE + "\n见[丙](none.md)。\n", encoding="utf-8")
    check(docs, "--top", "1", "--language", "en")
    shown = capsys.readouterr().out
    assert "read_timeout" in shown and "none.md does not exist" not in shown
    assert "1 more: --top 0 shows all." in shown
    check(docs, "--top", "0", "--language", "en")
    assert "none.md does not exist" in capsys.readouterr().out


def verdict(said: str, one: str, other: str) -> list[Scripted]:
    """A run that reads both files and answers with a quote of each."""
    cited = [{"chunk_id": "a.md#1", "quote": one}, {"chunk_id": "b.md#1", "quote": other}]
    return [
        calls(("read", {"chunk_id": "a.md#1"}), ("read", {"chunk_id": "b.md#1"})),
        calls(("answer", {"response": said, "citations": cited, "found": True})),
    ]


def test_deep_puts_each_finding_to_the_model(
    docs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, seconds in (("a.md", 30), ("b.md", 60)):
        text = f"# 节\n\n`read_timeout` 默认为 {seconds} 秒。\n\n`idle_timeout` 默认为 {seconds + 5} 秒。\n"
        (docs / name).write_text(text, encoding="utf-8")
    replies = [
        *verdict("否，说的是两个程序。", "默认为 30 秒", "默认为 60 秒"),
        *verdict("否，说的是两个程序。", "默认为 35 秒", "默认为 65 秒"),
    ]
    with FakeServer(*replies) as server:
        flags = ("--deep", "--model", "m", "--base-url", server.url)
        assert check(docs, *flags, "--language", "zh", "--json") == 0
        told = json.loads(capsys.readouterr().out)
    assert [one["verdict"]["holds"] for one in told["findings"]] == [False, False]
    assert {one["level"] for one in told["findings"]} == {"low"}
    assert told["findings"][0]["verdict"]["places"] == ["a.md#1", "b.md#1"]
