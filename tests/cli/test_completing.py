"""Completion: what a word may become, and that real shells put it there."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fanshu.cli.completing import FILES, complete
from fanshu.cli.completion_scripts import SCRIPTS, bash_words
from tests.cli.conftest import Fanshu
from tests.cli.tmux import Pane, needs_tmux
from tests.waiting import PATIENCE


def values(*words: str) -> list[str]:
    """What the last of the words may become."""
    *before, current = words
    return [one.value for one in complete(before, current) if one.value.startswith(current)]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("se",), ["search", "serve"]),
        (("--ver",), ["--version"]),
        (("search", "--do"), ["--docs"]),
        (("search", "超时", "--docs", "a", "--do"), ["--docs"]),  # may be repeated
        (("search", "超时", "--index", "a", "--ind"), []),
        (("search", "--", "--do"), []),
        (("trace", "s"), ["show"]),
        (("purge", "--only", "h"), ["history"]),
        (("purge", "--only=h"), ["--only=history"]),
        (("ask", "--language", ""), ["zh", "en"]),
        (("ask", "-m", "olla"), ["ollama:"]),
        (("completion", "f"), ["fish"]),
        (("nonsense", "x"), []),
        (("ask", "写超"), []),
    ],
)
def test_words(words: tuple[str, ...], offered: list[str]) -> None:
    assert values(*words) == offered


def test_each_verb_is_offered_with_its_meaning() -> None:
    found = {one.value: one.about for one in complete([], "")}
    assert found["ask"] == "Ask a question."
    assert all(found.values())
    assert {one.about for one in complete(["--language", "zh"], "") if one.value == "ask"} == {
        "提一个问题。"
    }


def test_names_of_files_are_the_business_of_the_shell() -> None:
    for words in (("ask", "--docs", "x"), ("trace", "show", "last", "--html", "x")):
        assert [one.value for one in complete(words[:-1], words[-1])] == [FILES]


def test_documents_and_sections_come_from_the_index(fanshu: Fanshu, docs: Path) -> None:
    assert [one.value for one in complete(["read"], "手")] == [FILES]  # nothing is indexed yet
    assert fanshu("index").code == 0
    sections = ["手册.md#1", "手册.md#2", "手册.md#3"]
    assert values("read", "手") == ["手册.md", *sections]
    assert values("read", "手册.md#") == sections
    assert values("outline", "n") == ["notes.md"]
    assert values("search", "x", "--path", "手") == ["手册.md"]
    assert [one.about for one in complete(["read"], "手册.md#2")] == ["超时与重试"]
    assert values("read", "--docs", str(docs / "none"), "手") == []


def test_traces_are_offered_with_their_questions(fanshu: Fanshu) -> None:
    fanshu("ask", "写超时是多少")
    first, second = complete(["trace", "show"], "")
    assert first.value == "last"
    assert second.about == "写超时是多少"


@pytest.mark.parametrize(
    ("line", "words", "current", "cut"),
    [
        ("fanshu ", [], "", 0),
        ("fanshu se", [], "se", 0),
        ("fanshu ask x --model openai:", ["ask", "x", "--model"], "openai:", 7),
        ("fanshu ask --docs=na", ["ask"], "--docs=na", 7),
        ("fanshu read 'my fi", ["read"], "my fi", 0),
        (r"fanshu read my\ fi", ["read"], "my fi", 0),
        ('fanshu ask "a b" ', ["ask", "a b"], "", 0),
        ("fanshu ask it's", ["ask"], "its", 0),
    ],
)
def test_a_line_of_bash(line: str, words: list[str], current: str, cut: int) -> None:
    assert bash_words(line) == (words, current, cut)


def test_titles_order_nothing_of_a_terminal(fanshu: Fanshu, docs: Path) -> None:
    (docs / "odd.md").write_text("# Title\x1b]0;owned\x07\n\ntext\n", encoding="utf-8")
    assert fanshu("index").code == 0
    asked = ["__complete", "zsh", "+odd", "read"]
    done = subprocess.run(
        [sys.executable, "-m", "fanshu", *asked], capture_output=True, timeout=PATIENCE
    )
    assert b"Title\\x1b]0;owned" in done.stdout
    assert b"\x1b" not in done.stdout


def test_powershell_quotes_by_its_own_rules() -> None:
    """It takes typographic quotes for quotes: one in a file's name would end the string."""
    script = SCRIPTS["powershell"]
    assert "EscapeSingleQuotedStringContent($value)" in script
    (plain,) = re.findall(r"-notmatch '(.+)'", script)
    for name in ("docs/手册.md#3", r"a\b.md", "openai:", "--only=history"):
        assert re.fullmatch(plain, name)
    for name in ("a b", "a’;b", "$x", "a`b", "{a}", "@a", "a,b", "#a", "%a", "a;b", 'a"b', "<a"):
        assert not re.fullmatch(plain, name)


def test_nothing_is_said_when_something_goes_wrong(docs: Path) -> None:
    asked = ["__complete", "zsh", "+手", "read", "--docs", str(docs), "--config", "none.toml"]
    command = [sys.executable, "-m", "fanshu"]
    for arguments in (asked, ["__complete"], ["__complete", "bash", "+fanshu read 'x"]):
        done = subprocess.run(
            [*command, *arguments], capture_output=True, timeout=PATIENCE, check=False
        )
        assert (done.returncode, done.stderr) == (0, b"")


def test_the_verb_prints_scripts_that_the_shells_understand(fanshu: Fanshu) -> None:
    for shell in SCRIPTS:
        done = fanshu("completion", shell)
        assert (done.code, done.err) == (0, "")
        if found := shutil.which(shell):
            checked = subprocess.run(
                [found, "-n"], input=done.out.encode(), check=False, timeout=PATIENCE
            )
            assert checked.returncode == 0
    assert "bash, zsh, fish, powershell" in fanshu("completion", "tcsh").err


SHELLS = {
    "bash": ("bash --norc --noprofile", 'eval "$(fanshu completion bash)"'),
    "zsh": ("zsh -f", 'autoload -Uz compinit; compinit -u -D; eval "$(fanshu completion zsh)"'),
    "fish": ("fish --no-config", "fanshu completion fish | source"),
}


@needs_tmux
@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_in_a_real_shell(fanshu: Fanshu, docs: Path, home: Path, shell: str) -> None:
    command, load = SHELLS[shell]
    if shutil.which(shell) is None:
        pytest.skip(f"optional: no {shell} here")
    (docs / "my notes.md").write_text("# Mine\n\ntext\n", encoding="utf-8")
    assert fanshu("index").code == 0
    with Pane(100, shell=command, HOME=str(home)) as pane:
        pane.type(f"{load}; clear; echo rea''dy")
        pane.press("Enter")
        pane.until(lambda seen: "ready" in seen.splitlines())
        for typed, wanted in (
            ("fanshu sea", "fanshu search"),
            ("fanshu purge --on", "fanshu purge --only"),
            ("fanshu purge --only hi", "history"),
            ("fanshu ask x --model=olla", "--model=ollama:"),
            ("fanshu ask x -m olla", "-m ollama:"),
            ("fanshu read 手册.md#3", "fanshu read 手册.md#3"),
            ("fanshu outline my", "my\\ notes.md"),
            ("fanshu ask x --docs wor", "--docs wor"),
        ):
            pane.type(typed)
            pane.until(typed)  # zsh takes a Tab that comes too fast for a character
            pane.press("Tab")
            pane.until(wanted)
            pane.press("C-u")
            pane.until(lambda seen: "fanshu" not in seen.splitlines()[-1])
        assert "Traceback" not in pane.screen()
