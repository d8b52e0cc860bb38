"""chat: a conversation through a pipe, and on a terminal that cannot move its cursor."""

import io
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Fanshu, Result
from tests.cli.replies import WRITE, answer
from tests.models.fake_server import FakeServer, Scripted, message, refusal
from tests.waiting import PATIENCE, until

pty = pytest.importorskip("pty", reason="optional: no pseudo terminals here")
CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
RIGHT = answer("写超时是 30 秒。", WRITE)
ALSO = answer("读超时是 60 秒。", WRITE)
SILENT = Scripted(message("…").body, delay=2 * PATIENCE)  # whoever waits for it has failed


def command(docs: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", "fanshu", "chat", "--docs", str(docs), *more]


def environment(**env: str) -> dict[str, str]:
    return {**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb", "NO_COLOR": "1", **env}


Piped = Callable[..., Result]


@pytest.fixture
def piped(docs: Path, fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch) -> Piped:
    """`piped("写超时是多少\\n", "--json")`: a chat in this process whose lines are these."""

    def call(typed: str | bytes, *more: str) -> Result:
        data = typed.encode() if isinstance(typed, str) else typed
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        done = fanshu("chat", "--docs", str(docs), *more)
        assert "Traceback" not in done.err
        return done

    return call


def sent(server: FakeServer, request: int) -> str:
    """What the model was told first in one request."""
    messages: list[dict[str, Any]] = server.requests[request]["messages"]
    return str(messages[1]["content"])


# ---------------------------------------------------------------- through a pipe


def test_each_line_is_a_question_and_shown_above_its_answer(docs: Path, piped: Piped) -> None:
    done = piped("写超时是多少\n\n  网关的端口？  \n")
    assert done.code == 0
    assert done.out.startswith("> 写超时是多少\n[passages from the documents")
    assert "写超时为 30 秒" in done.out
    assert "\n> 网关的端口？\n" in done.out
    assert done.err == ""


def test_a_follow_up_is_told_what_was_said_and_new_forgets_it(docs: Path, piped: Piped) -> None:
    with FakeServer(RIGHT, ALSO, RIGHT) as server:
        at = "--model", "m", "--base-url", server.url, "--no-cache"
        done = piped("写超时是多少？\n那读超时呢？\n/new\n重试几次？\n", *at)
        assert done.code == 0
        assert "写超时是 30 秒" in sent(server, 1)
        assert "写超时是 30 秒" not in sent(server, 2).replace(WRITE, "")
        assert "那读超时呢" not in sent(server, 2)
    assert "Earlier questions are forgotten." in done.err
    assert "读超时是 60 秒。" in done.out


def test_json_is_one_list_of_answers_at_the_end(docs: Path, piped: Piped) -> None:
    done = piped("写超时是多少\n/sources\n/help\n/nonsense\n鲸鱼吃什么\n", "--json")
    found = json.loads(done.out)
    assert [one["question"] for one in found] == ["写超时是多少", "鲸鱼吃什么"]
    assert [one["status"] for one in found] == ["passages", "not_found"]
    assert "There is no command /nonsense" in done.err
    assert json.loads(piped("", "--json").out) == []


def test_only_the_first_question_may_come_from_the_cache(docs: Path, piped: Piped) -> None:
    with FakeServer(RIGHT, ALSO, ALSO) as server:
        at = "--model", "m", "--base-url", server.url, "--json"
        piped("写超时是多少？\n那读超时呢？\n", *at)
        again = json.loads(piped("写超时是多少？\n那读超时呢？\n", *at).out)
        assert [one["cached"] for one in again] == [True, False]
        assert "写超时是 30 秒" in sent(server, 2)


def test_the_trace_of_a_follow_up_keeps_what_was_said_and_can_be_replayed(
    docs: Path, fanshu: Fanshu, piped: Piped
) -> None:
    with FakeServer(RIGHT, ALSO) as server:
        at = "--model", "m", "--base-url", server.url
        piped("写超时是多少？\n那读超时呢？\n", *at)
    trace = fanshu("trace", "show", "last", "--json").json
    assert trace["question"] == "那读超时呢？"
    assert trace["opening"]["earlier"] == [
        {"question": "写超时是多少？", "answer": "写超时是 30 秒。", "places": ["手册.md#2"]}
    ]
    assert fanshu("trace", "replay", "last").code == 0


def test_sources_are_the_cited_sections_whole(docs: Path, piped: Piped) -> None:
    done = piped("/sources\n写超时是多少\n/sources\n")
    assert "Nothing has been cited." in done.err
    assert "超时后重试 3 次。" in done.out.partition("> /sources\n手册.md#2")[2]


def test_files_that_change_meanwhile_are_read_anew(docs: Path, piped: Piped) -> None:
    with subprocess.Popen(
        command(docs),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(PYTHONUNBUFFERED="1"),
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write("写超时是多少\n")
        process.stdin.flush()
        while "30 秒" not in process.stdout.readline():
            pass
        (docs / "手册.md").write_text("# 手册\n\n写超时为 77 秒。\n", encoding="utf-8")
        process.stdin.write("写超时是多少\n/quit\nnever asked\n")
        process.stdin.close()
        rest = process.stdout.read()
    assert "写超时为 77 秒" in rest
    assert "never asked" not in rest.partition("/quit")[2]


def test_what_is_no_command_is_a_question(docs: Path, piped: Piped) -> None:
    done = piped("/etc/hosts 在哪里\n／ｈｅｌｐ\n", "--language", "zh")
    assert "> /etc/hosts 在哪里\n" in done.out
    assert "文档中未找到" in done.out
    assert "/sources          上一个回答所引各节的全文" in done.err


def test_an_error_ends_the_question_and_not_the_conversation(docs: Path, piped: Piped) -> None:
    with FakeServer(refusal(401, "bad key"), refusal(401, "bad key")) as server:
        at = "--model", "m", "--base-url", server.url, "--json"
        done = piped("写超时是多少\n读超时是多少\n", *at)
    assert done.code == 2
    assert [one["status"] for one in json.loads(done.out)] == ["error", "error"]
    assert done.err.count("No key is set") == 2


def test_bytes_that_are_no_text_are_no_trouble(docs: Path, piped: Piped) -> None:
    done = piped(b"\xef\xbb\xbf\xff\xfe \xe5\x86\x99\n")
    assert done.code == 0


# ---------------------------------------------------------------- on a terminal


class Terminal:
    """Somebody at a terminal of 80 columns: types, and waits for what appears."""

    def __init__(self, *arguments: str, **env: str) -> None:
        pid, self._at = pty.fork()
        if pid == 0:
            os.execve(arguments[0], arguments, environment(COLUMNS="80", **env))  # noqa: S606
        self.pid, self.seen = pid, ""

    def type(self, text: str) -> None:
        os.write(self._at, text.encode())

    def until(self, wanted: str) -> str:
        """What appears up to and with `wanted`."""
        end = time.monotonic() + PATIENCE
        while wanted not in self.seen:
            assert time.monotonic() < end, self.seen
            if select.select([self._at], [], [], 0.1)[0] and not self._read():
                break
        before, found, self.seen = self.seen.partition(wanted)
        assert found, before
        return before + found

    def _read(self) -> bool:
        try:
            data = os.read(self._at, 65536)
        except OSError:  # how Linux says that the other side has gone
            return False
        self.seen += CODES.sub("", data.decode("utf-8", "replace")).replace("\r", "")
        return bool(data)

    def code(self) -> int:
        """The exit code, once it has ended."""
        while self._read():
            pass
        status = os.waitpid(self.pid, 0)[1]
        os.close(self._at)
        self.pid = 0
        return os.waitstatus_to_exitcode(status)

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            self.code()


@pytest.fixture
def terminal(docs: Path) -> Iterator[Any]:
    opened: list[Terminal] = []

    def start(*more: str, **env: str) -> Terminal:
        opened.append(Terminal(*command(docs, *more), **env))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_a_person_asks_goes_on_and_leaves(terminal: Any) -> None:
    at = terminal("--language", "zh")
    at.until("Ctrl-D 离开")
    at.until("> ")
    at.type("写超时是多少\n")
    at.until("先搜索 写超时是多少")
    at.until("写超时为 30 秒")
    at.until("\n> ")
    at.type("/help\n")
    at.until("/quit             离开")
    at.until("> ")
    at.type("\x04")
    assert at.code() == 0
    assert "Traceback" not in at.seen


def test_lines_can_be_edited_and_come_back(terminal: Any) -> None:
    pytest.importorskip("readline", reason="optional: no readline here")
    at = terminal()
    at.until("> ")
    at.type("端口 port\n")
    at.until("8443")
    at.until("> ")
    at.type("\x1b[A\x7f\x7f\x7f\x7f\n")  # the line before, without its last word
    at.until("Searched for: 端口")
    at.until("> ")
    at.type("/quit\n")
    assert at.code() == 0


def test_ctrl_c_ends_the_question_and_not_the_chat(docs: Path, terminal: Any) -> None:
    with FakeServer(SILENT, RIGHT) as server:
        at = terminal("--model", "m", "--base-url", server.url)
        at.until("> ")
        at.type("写超时是多少\n")
        until(lambda: server.requests)
        at.type("\x03")
        assert "no answer; what was found is below" in at.until("interrupted")
        at.until("\n> ")
        at.type("half a line\x03")
        at.until("\n> ")
        at.type("写超时到底是多少\n")
        at.until("quotes checked")
        assert "half a line" not in sent(server, -1)
        at.until("\n> ")  # before the prompt the terminal itself takes the key
        at.type("\x04")
        assert at.code() == 0


@pytest.mark.slow
@pytest.mark.parametrize("stdout", ["the terminal", "a file"])
def test_ctrl_c_is_heard_however_soon_after_the_prompt(stdout: str) -> None:
    """Python notes a signal that comes just before it waits, and would look at the next key."""
    code = """if True:
        import os, sys
        from fanshu.cli.typed_lines import _plainly
        if sys.argv[1] == "a file":
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        while True:
            try:
                sys.exit(_plainly() != "the end")
            except KeyboardInterrupt:
                sys.stderr.write("dropped\\n")
    """
    at = Terminal(sys.executable, "-c", code, stdout)
    try:
        at.until("> ")
        for _ in range(600):  # about one in two hundred was lost
            at.type("half\x03")
            at.until("dropped\n> ")
        at.type("the end\n")
        assert at.code() == (stdout == "a file")  # whose lines have their ends
    finally:
        at.close()


@pytest.mark.slow
def test_ctrl_c_ends_a_pipe_after_what_there_is(docs: Path) -> None:
    with FakeServer(SILENT, RIGHT) as server:
        process = subprocess.Popen(
            command(docs, "--model", "m", "--base-url", server.url, "--json"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(),
        )
        assert process.stdin
        process.stdin.write("写超时是多少\n读超时是多少\n".encode())
        process.stdin.flush()
        until(lambda: server.requests)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert [one["stop_reason"] for one in json.loads(out)] == ["interrupted"]


def test_the_prompt_is_seen_when_stdout_is_a_file(docs: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    arguments = command(docs, "--json")
    at = Terminal(
        sys.executable,
        "-c",
        "import os, sys; os.dup2(os.open(sys.argv[1], os.O_CREAT | os.O_WRONLY), 1);"
        " os.execv(sys.executable, sys.argv[2:])",
        str(out),
        *arguments,
    )
    try:
        at.until("> ")
        at.type("写超时是多少\n")
        at.until("passages · ")
        at.until("> ")
        at.type("\x04")
        assert at.code() == 0
    finally:
        at.close()
    assert [one["status"] for one in json.loads(out.read_text("utf-8"))] == ["passages"]
