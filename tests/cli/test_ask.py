"""ask: extractive, with a model behind a server on loopback, interrupted, refused."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Fanshu
from tests.cli.replies import NOT_FOUND, WRITE, answer, calls
from tests.models.fake_server import FakeServer, Scripted, message, refusal
from tests.waiting import PATIENCE, until


def test_without_a_model_passages_are_shown(fanshu: Fanshu) -> None:
    result = fanshu("ask", "写超时是多少")
    assert result.code == 0
    assert "passages from the documents, no model used" in result.out
    assert "写超时为 30 秒" in result.out
    assert "手册.md › 渡口网关手册 › 超时与重试, line" in result.out
    assert "--model" in result.out
    assert result.err == ""


def test_passages_as_json(fanshu: Fanshu) -> None:
    result = fanshu("ask", "写超时是多少", "--json")
    assert result.json["status"] == "passages"
    assert result.json["reader"] == "extractive"
    assert result.json["citations"][0]["chunk_id"] == "手册.md#2"
    assert result.json["trace_id"]


def test_words_of_a_question_need_no_quotes(fanshu: Fanshu) -> None:
    asked = fanshu("ask", "which", "port", "is", "it", "--json").json
    assert asked["question"] == "which port is it"


def test_nothing_near_is_not_found_and_1(fanshu: Fanshu) -> None:
    result = fanshu("ask", "鲸鱼吃什么", "--json")
    assert (result.code, result.json["status"]) == (1, "not_found")
    assert "not found in the documents" in fanshu("ask", "鲸鱼吃什么").out


def test_a_bare_key_is_only_a_hint(fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    result = fanshu("ask", "写超时是多少", "--json")
    assert result.json["reader"] == "extractive"
    assert "OPENAI_API_KEY is set, but no model is named" in result.err
    assert "sk-secret" not in result.err + result.out


def test_a_model_answers_with_checked_quotes(fanshu: Fanshu) -> None:
    with FakeServer(answer("写超时是 30 秒。", WRITE)) as server:
        result = fanshu("ask", "写超时是多少", "--model", "m", "--base-url", server.url)
    assert result.code == 0
    assert result.out.startswith("写超时是 30 秒。\n\n[quotes checked]\n\n[1] 手册.md")
    assert result.err == ""


def test_u39_steps_come_in_order_and_json_stays_clean(fanshu: Fanshu) -> None:
    script = (
        calls(("search", {"keyword": "gateway"})),
        calls(("read", {"chunk_id": "手册.md#3"})),
        answer("写超时是 30 秒。", WRITE),
    )
    with FakeServer(*script) as server:
        result = fanshu(
            "ask", "写超时是多少", "--model", "m", "--base-url", server.url, "--json", "-v"
        )
    steps = result.err.splitlines()
    assert [step.split()[0] for step in steps] == ["first", "read", "search", "read", "check"]
    assert "gateway → found: 1" in steps[2]
    assert "手册.md › 故障排查" in steps[3]
    found = result.json
    assert found["rounds"] == 3
    assert found["usage"]["prompt"] == 300
    assert found["stop_reason"] == "answered"
    assert found["seconds"] > 0


def test_steps_are_silent_in_a_pipe_unless_asked_for(fanshu: Fanshu) -> None:
    with FakeServer(answer("写超时是 30 秒。", WRITE)) as server:
        result = fanshu("ask", "写超时是多少", "--model", "m", "--base-url", server.url)
    assert result.err == ""


def test_a_failed_check_is_partial_and_3(fanshu: Fanshu) -> None:
    wrong = answer("写超时是 45 秒。", WRITE)
    with FakeServer(wrong, wrong) as server:
        result = fanshu("ask", "写超时是多少", "--model", "m", "--base-url", server.url)
    assert result.code == 3
    assert "not in the cited text: 45" in result.out


def test_a_model_that_calls_no_tool_is_said(fanshu: Fanshu) -> None:
    prose = [message("The write timeout is 45 seconds, I think.")] * 6
    with FakeServer(*prose) as server:
        asked = ["ask", "写超时是多少", "--model", "m", "--base-url", server.url]
        result = fanshu(*asked, "--keep-unverified")
    assert result.code == 3
    assert "made no usable call of a tool" in result.out
    assert "I think" in result.out.partition("Not checked")[2]


def test_a_model_that_finds_nothing_is_1(fanshu: Fanshu) -> None:
    with FakeServer(NOT_FOUND) as server:
        result = fanshu("ask", "鲸鱼吃什么", "--model", "m", "--base-url", server.url, "--json")
    assert (result.code, result.json["status"]) == (1, "not_found")


@pytest.mark.disable_socket
def test_u40_without_a_model_no_network_is_needed(fanshu: Fanshu) -> None:
    assert fanshu("index").code == 0
    assert fanshu("search", "超时").code == 0
    assert fanshu("ask", "写超时是多少").code == 0
    assert fanshu("trace", "replay", "last").code == 0


def test_u40_an_unreachable_model_is_said_and_the_hits_are_shown(fanshu: Fanshu) -> None:
    result = fanshu(
        "ask", "写超时是多少", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--json"
    )
    assert (result.code, result.json["status"]) == (2, "error")
    assert result.json["stop_reason"] == "model_error"
    assert result.json["related"][0]["chunk_id"] == "手册.md#2"
    assert "cannot be reached" in result.json["error"]
    assert "no running event loop" not in result.json["error"]
    assert result.err.count("\n") == 1


def test_a_refused_key_is_said(fanshu: Fanshu, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FANSHU_API_KEY", "sk-wrong")
    with FakeServer(refusal(401, "bad key sk-wrong")) as server:
        result = fanshu("ask", "写超时是多少", "--model", "m", "--base-url", server.url)
    assert result.code == 2
    assert "refused the key" in result.err
    assert "sk-wrong" not in result.err + result.out


def test_no_trace_leaves_none(fanshu: Fanshu, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert fanshu("ask", "写超时是多少", "--no-trace", "--json").json["trace_id"] is None
    monkeypatch.setenv("FANSHU_TRACE", "0")
    assert fanshu("ask", "写超时是多少", "--json").json["trace_id"] is None
    assert not list(home.rglob("traces/*"))


def test_an_empty_folder_cannot_be_asked(fanshu: Fanshu, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = fanshu("ask", "写超时是多少", "--docs", str(tmp_path / "empty"))
    assert (result.code, result.out) == (2, "")
    assert "Nothing readable" in result.err


def test_ctrl_c_gives_what_there_is_and_130(docs: Path) -> None:
    slow = Scripted(message("…").body, delay=2 * PATIENCE)
    with FakeServer(slow) as server:
        command = [
            sys.executable, "-m", "fanshu", "ask", "写超时是多少", "--docs", str(docs),
            "--model", "m", "--base-url", server.url, "--json",
        ]  # fmt: skip
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ)
        )
        until(lambda: server.requests)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    found = json.loads(out)
    assert found["stop_reason"] == "interrupted"
    assert found["related"]
    assert found["trace_id"]
    assert b"Traceback" not in err


def test_ctrl_c_while_the_program_is_loaded() -> None:
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'fanshu.cli.program': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from fanshu.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=PATIENCE)
    assert (done.returncode, done.stderr) == (130, b"")
