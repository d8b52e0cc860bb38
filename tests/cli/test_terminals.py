"""Colours, characters and bytes: what each terminal, pipe and encoding is given."""

import io
import os
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

from fanshu.cli import terminals
from fanshu.cli.dashes import readable
from tests.cli.conftest import Fanshu
from tests.cli.test_program import fanshu_process
from tests.waiting import PATIENCE

VERBS = (["ask", "部署"], ["search", "部署"], ["outline"], ["ask", "部署", "--json"])
STYLE = re.compile(r"\x1b\[[0-9;]*m")


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "terminal", "pipe"),
    [
        ({}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"CLICOLOR_FORCE": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, False, True),
    ],
)
def test_styles_go_where_they_are_seen_or_wanted(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], terminal: bool, pipe: bool
) -> None:
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"TERM": "xterm", **environment}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(os, "name", "posix")
    assert (terminals.coloured(Tty()), terminals.coloured(io.StringIO())) == (terminal, pipe)


def test_a_pipe_has_whole_lines_without_styles_and_nothing_on_stderr(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs / "long.md").write_text("# 长\n\n" + "备份保留三十天以上，" * 40, encoding="utf-8")
    done = fanshu_process("search", "备份保留", "--docs", str(docs), COLUMNS="20")
    plain = done.stdout.decode()
    assert max(map(len, plain.splitlines())) > 60
    assert not STYLE.search(plain)
    assert done.stderr == b""
    forced = fanshu_process(
        "search", "备份保留", "--docs", str(docs), COLUMNS="20", FORCE_COLOR="1"
    )
    assert STYLE.search(forced.stdout.decode())
    assert STYLE.sub("", forced.stdout.decode()) == plain


def test_characters_that_an_encoding_lacks_come_near_what_they_mean() -> None:
    terminals.register()
    text = "手册.md › 超时 30\u00a0秒 → naïve ✅"
    assert text.encode("gbk", terminals.LACKING).decode("gbk") == "手册.md > 超时 30 秒 → naive ?"
    assert "a\u00a0→ é ½".encode("ascii", terminals.LACKING) == b"a -> e 1"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encodings", "verbs"),
    [
        (["gbk"], VERBS),
        (["ascii"], VERBS),
        (["gb18030", "big5", "latin-1", "cp936"], VERBS[:1]),
    ],
)
def test_no_encoding_ends_a_command(
    docs: Path, encodings: list[str], verbs: list[list[str]]
) -> None:
    (docs / "emoji.md").write_text("# 状态 ✅\n\n部署成功 🚀 naïve 𠮷\n", encoding="utf-8")
    for encoding, verb in product(encodings, verbs):
        done = fanshu_process(*verb, "--docs", str(docs), PYTHONIOENCODING=encoding)
        assert done.returncode == 0, (encoding, verb, done.stderr)
        done.stdout.decode(encoding)


def test_words_of_another_encoding_are_understood(fanshu: Fanshu) -> None:
    words = "超时".encode("gbk").decode("utf-8", "surrogateescape")
    assert readable(words) == "超时"
    assert "手册.md" in fanshu("search", words).out
    assert fanshu("ask", words).code == 0
    assert readable("\udcff") == "\ufffd"


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="optional: arguments are bytes on POSIX alone")
def test_bytes_that_are_no_text_end_in_an_answer_or_one_line(docs: Path) -> None:
    for verb in (b"search", b"ask", b"read", b"outline", b"suggest"):
        command = [os.fsencode(sys.executable), b"-m", b"fanshu", verb, b"\xff\xfe#1", b"--docs"]
        done = subprocess.run(
            [*command, os.fsencode(docs)], capture_output=True, timeout=PATIENCE, check=False
        )
        assert done.returncode in (0, 1, 2), verb
        assert b"Traceback" not in done.stderr
        assert b"Unexpected" not in done.stderr


def test_a_dash_reads_the_question_from_stdin(docs: Path) -> None:
    for typed, code, said in (
        ("写超时\n是多少\n", 0, "写超时为 30 秒"),
        ("\ufeff写超时是多少", 0, "写超时为 30 秒"),
        (" \n", 2, "the question is empty"),
    ):
        done = subprocess.run(
            [sys.executable, "-m", "fanshu", "ask", "-", "--docs", str(docs)],
            input=typed.encode(),
            capture_output=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == code, typed
        assert said in (done.stdout + done.stderr).decode()


@pytest.mark.slow
def test_a_reader_that_leaves_early_is_no_failure(docs: Path) -> None:
    rows = "\n\n".join(f"## 超时 {number}\n\n超时说明" for number in range(3000))
    (docs / "long.md").write_text(f"# 长\n\n{rows}", encoding="utf-8")
    command = f"{sys.executable} -m fanshu search 超时 -k 1000 --docs '{docs}' | head -1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.count(b"\n") == 1
