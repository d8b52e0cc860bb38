"""On a real (pseudo) terminal: steps are seen, colours can be off, narrow is no trouble."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from fanshu.cli.wrapping import columns
from tests.waiting import PATIENCE

pty = pytest.importorskip("pty", reason="optional: no pseudo terminals here")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(*arguments: str, **env: str) -> str:
    """What a person sees: stdout and stderr of a run whose terminal is 40 columns wide."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "fanshu", *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "COLUMNS": "40", "TERM": "xterm", "LANG": "zh_CN.UTF-8", **env},
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:  # how Linux says that the other side has gone
            break
        if not data:
            break
        seen += data
    os.close(ours)
    process.wait(timeout=PATIENCE)
    return seen.decode("utf-8")


def test_a_person_sees_steps_and_the_answer(docs: Path) -> None:
    seen = on_terminal("ask", "写超时是多少", "--docs", str(docs))
    assert "先搜索 写超时是多少" in seen
    assert "原文摘录" in seen
    assert COLOUR.search(seen)
    assert "Traceback" not in seen


def test_colours_can_be_off(docs: Path) -> None:
    seen = on_terminal("ask", "写超时是多少", "--docs", str(docs), NO_COLOR="1")
    assert "原文摘录" in seen
    assert not re.search(r"\x1b\[(3|4)[0-9]m", seen)


def test_a_document_cannot_steer_the_terminal(docs: Path) -> None:
    (docs / "evil.md").write_text(
        "# 标题\n\n木马 \x1b]0;owned\x07 \x1b[2J 正文\n", encoding="utf-8"
    )
    for arguments in (["search", "木马"], ["read", "evil.md#1"], ["ask", "木马"]):
        seen = on_terminal(*arguments, "--docs", str(docs))
        assert "木马" in seen
        assert "\x1b]0;" not in seen
        assert "\x1b[2J" not in seen


LONG = "节点重启后，元数据缓存是空的，头 10 分钟左右响应明显变慢，这是正常现象；" * 3


@pytest.mark.slow
def test_chinese_text_fits_and_lines_begin_well(docs: Path) -> None:
    (docs / "慢.md").write_text(f"# 手册\n\n## 重启后变慢\n\n  - {LONG}\n", encoding="utf-8")
    for width, verb in (
        (40, ["ask", "重启后变慢"]),
        (80, ["ask", "重启后变慢"]),
        (40, ["search", "重启"]),
        (100, ["search", "重启"]),
        (40, ["read", "慢.md#2"]),
    ):
        seen = on_terminal(*verb, "--docs", str(docs), COLUMNS=str(width), NO_COLOR="1")
        lines = [CODES.sub("", line) for line in re.split(r"[\r\n]+", seen)]
        assert all(columns(line) <= width for line in lines), verb
        assert not [line for line in lines if line.strip()[:1] in set("，。；：、）")]
        full = [line for line in lines if "分钟" in line]
        assert len(full) > 1
        assert max(map(columns, full)) > width - 12
