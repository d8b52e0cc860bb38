"""In a real terminal: what a person types and sees, in panes of 40 and 100 columns."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fanshu.cli.wrapping import columns
from tests.cli.replies import WRITE, answer
from tests.cli.tmux import WAIT, Pane, needs_tmux
from tests.models.fake_server import FakeServer, Scripted, message

pytestmark = [needs_tmux, pytest.mark.slow]
PROMPT = ">"  # a screen has no spaces at the ends of its lines


def ready(seen: str) -> bool:
    """Whether an empty line waits to be written on."""
    return seen.endswith("\n" + PROMPT)


def written(text: str) -> Any:
    """Whether the line that is being typed is this, over however many rows it goes."""

    def shown(seen: str) -> bool:
        last = seen.rpartition("\n> ")[2]
        return "".join(row.strip() for row in last.splitlines()) == text

    return shown


@pytest.fixture(params=[40, 100])
def pane(request: pytest.FixtureRequest, docs: Path, home: Path) -> Iterator[Pane]:
    shell = "bash --norc --noprofile"
    data = {"XDG_DATA_HOME": str(home / "data"), "FANSHU_DOCS": str(docs)}
    with Pane(request.param, shell=shell, FANSHU_LANGUAGE="zh", **data) as one:
        yield one


def chat(pane: Pane, *more: str) -> None:
    pane.type(" ".join(("clear; fanshu chat", *more)))
    pane.press("Enter")
    pane.until("离开。")
    pane.until(ready)


def ask(pane: Pane, text: str) -> None:
    pane.type(text)
    pane.until(written(text))
    pane.press("Enter")


def fits(seen: str, width: int) -> bool:
    rows = seen.splitlines()
    closing = tuple("，。；：、）")
    return all(columns(row) <= width and not row.strip().startswith(closing) for row in rows)


def test_a_chat(pane: Pane) -> None:
    chat(pane)
    ask(pane, "写超时是多少")
    seen = pane.until(lambda seen: "记录" in seen and ready(seen))
    assert "写超时为 30 秒" in seen
    assert fits(seen.partition("离开。")[2], pane.width)
    pane.press("Up")  # what was asked comes back, and is edited between wide characters
    pane.until(written("写超时是多少"))
    pane.press("Home", "Right", "BSpace")
    pane.type("读")
    pane.until(written("读超时是多少"))
    pane.press("Enter")
    pane.until(lambda seen: "> 读超时是多少" in seen and ready(seen))
    pane.press("C-d")
    pane.until(lambda seen: not ready(seen))
    chat(pane)  # and the next day it is still there
    pane.press("Up")
    pane.until(written("读超时是多少"))


def test_what_is_pasted_is_one_question_and_ctrl_c_drops_it(pane: Pane) -> None:
    chat(pane)
    pane.paste("写超时\n是多少")
    pane.until(written("写超时是多少"))
    pane.press("Enter")
    seen = pane.until(lambda seen: "记录" in seen and ready(seen))
    assert "写超时为 30 秒" in seen
    pane.type("half a line")
    pane.until("> half a line")
    pane.press("C-c")
    seen = pane.until(ready)
    assert seen.count("记录") == 1


def test_tab_completes_commands_documents_and_questions(pane: Pane) -> None:
    chat(pane)
    pane.type("/")
    pane.until("/sources")
    pane.type("rea")
    pane.until("> /rea")
    pane.press("Tab")
    pane.until("> /read")
    pane.type("手")
    pane.press("Tab")
    pane.until("> /read 手册.md")
    pane.type("#2")
    pane.until("> /read 手册.md#2")
    pane.press("Enter")
    pane.until(lambda seen: "超时后重试 3 次。" in seen and ready(seen))
    ask(pane, "/next")
    pane.until(lambda seen: "E-5041" in seen and ready(seen))
    pane.type("/re")
    pane.until("> /re")
    pane.press("C-c")
    pane.until(ready)


def test_a_line_is_redrawn_when_the_window_changes(pane: Pane) -> None:
    chat(pane)
    text = "一二三四五六七八九十" * 3
    pane.type(text)
    pane.until(written(text))
    pane.resize(30)
    pane.until(written(text))
    pane.press("C-c")
    pane.until(ready)


def test_ctrl_c_stops_a_question_and_not_the_chat(pane: Pane) -> None:
    slow = Scripted(message("…").body, delay=2 * WAIT)
    with FakeServer(slow, answer("写超时是 30 秒。", WRITE)) as server:
        chat(pane, "--model", "m", "--base-url", server.url)
        ask(pane, "写超时是多少")
        end = time.monotonic() + WAIT
        while not server.requests and time.monotonic() < end:
            time.sleep(0.02)
        pane.until("第 1/6 轮")
        pane.press("C-c")
        pane.until(lambda seen: "已中断" in seen and ready(seen))
        ask(pane, "写超时到底是多少")
        pane.until(lambda seen: "原文核对一致" in seen and ready(seen))


def test_ask(pane: Pane) -> None:
    pane.type("clear; fanshu ask 写超时是多少")
    pane.press("Enter")
    seen = pane.until("记录")
    assert "先搜索 写超时是多少" in seen
    assert "写超时为 30 秒" in seen
    assert "Traceback" not in seen
    assert fits(seen, pane.width)
