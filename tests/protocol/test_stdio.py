"""`fanshu mcp` as a real child process, asked by the SDK's client or by bare lines."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.conftest import ROOT
from tests.protocol.noisy import NOISE
from tests.protocol.stage import Heard, command, folders, text_of
from tests.waiting import PATIENCE, until


def line(method: str, number: int | None = None, **params: Any) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message | ({"id": number} if number is not None else {})).encode() + b"\n"


HELLO = line(
    "initialize",
    0,
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "test", "version": "1"},
) + line("notifications/initialized")


def call(number: int, tool: str, **arguments: Any) -> bytes:
    return line("tools/call", number, name=tool, arguments=arguments)


@contextmanager
def child(parameters: StdioServerParameters) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [parameters.command, *parameters.args],
        env=parameters.env,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            with suppress(OSError):
                pipe and pipe.close()


def answers(out: bytes) -> dict[int, Any]:
    """The answers by number; every line is one message of the protocol."""
    messages = [json.loads(one) for one in out.decode("utf-8").splitlines()]
    assert all(one["jsonrpc"] == "2.0" for one in messages)
    return {one["id"]: one for one in messages if "id" in one}


def noisy(folder: Path, seconds: float, tmp_path: Path) -> tuple[StdioServerParameters, Path]:
    mark = tmp_path / "mark"
    mark.touch()
    parameters = command(data=tmp_path / "data")
    parameters.args = ["-m", "tests.protocol.noisy", str(folder), str(seconds), str(mark)]
    return parameters, mark


async def test_an_agent_uses_it_from_search_to_check(tmp_path: Path) -> None:
    at = folders(tmp_path)
    named = [f"{name}={folder}" for name, folder in at.items()]
    parameters = command("mcp", *named, data=tmp_path / "data")
    heard = Heard()
    async with Client(stdio_client(parameters)) as client:
        assert len((await client.list_tools()).tools) == 8
        assert "manuals, rules" in (client.instructions or "")
        found = await client.call_tool("search", {"keyword": "write timeout"})
        place = found.structured_content["libraries"][0]["hits"][0]["place"]
        read = await client.call_tool("read", {"chunk_id": place["chunk_id"]})
        assert "30 seconds" in text_of(read)
        quote = "The write timeout of the gateway is 30 seconds."
        cited = {"chunk_id": place["chunk_id"], "quote": quote, "hash": place["hash"]}
        given = {"answer": "30 seconds.", "citations": [cited]}
        checked = await client.call_tool("check_answer", given)
        assert checked.structured_content["status"] == "answered"
        asked = {"question": "What is the write timeout?", "library": "manuals"}
        answer = await client.call_tool("ask", asked, progress_callback=heard)
        assert answer.structured_content["status"] == "passages"
        assert heard.notes
        (resources, _) = (await client.list_resources()).resources[:2]
        assert (await client.read_resource(resources.uri)).contents


def test_u38_nothing_but_the_protocol_on_stdout(tmp_path: Path) -> None:
    parameters, mark = noisy(folders(tmp_path)["manuals"], 0, tmp_path)
    with child(parameters) as process:
        assert process.stdin
        lines = [HELLO, call(1, "ask", question="What is the write timeout?")]
        out = _asked(process, lines, 1)
        assert process.stdout
        assert process.stderr
        out, err = out + process.stdout.read(), process.stderr.read()
    assert "ended" in mark.read_text("utf-8")
    assert set(answers(out)) == {0, 1}
    assert NOISE.encode() not in out
    for kind in (b"print", b"log", b"warning", b"child"):
        assert b"NOISE " + kind in err
    assert process.returncode == 0


@pytest.mark.slow
def test_the_end_of_input_ends_a_run_and_the_process(tmp_path: Path) -> None:
    parameters, mark = noisy(folders(tmp_path)["manuals"], 600, tmp_path)
    with child(parameters) as process:
        assert process.stdin
        process.stdin.write(HELLO + call(1, "ask", question="What is the write timeout?"))
        process.stdin.flush()
        until(lambda: "begun" in mark.read_text("utf-8"))
        process.stdin.close()
        assert process.wait(PATIENCE) == 0
    assert mark.read_text("utf-8").splitlines() == ["begun", "cancelled"]
    assert list((tmp_path / "data" / "fanshu" / "traces").rglob("*.json*")), "the run is on record"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="optional: signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_run_and_the_process(tmp_path: Path, number: signal.Signals) -> None:
    parameters, mark = noisy(folders(tmp_path)["manuals"], 600, tmp_path)
    with child(parameters) as process:
        assert process.stdin
        process.stdin.write(HELLO + call(1, "ask", question="What is the write timeout?"))
        process.stdin.flush()
        until(lambda: "begun" in mark.read_text("utf-8"))
        os.kill(process.pid, number)
        assert process.wait(PATIENCE) == 128 + number
        err = process.stderr.read() if process.stderr else b""
    assert mark.read_text("utf-8").splitlines() == ["begun", "cancelled"]
    assert b"Traceback" not in err


@pytest.mark.slow
async def test_a_client_that_cancels_ends_the_run(tmp_path: Path) -> None:
    parameters, mark = noisy(folders(tmp_path)["manuals"], 600, tmp_path)
    async with Client(stdio_client(parameters), mode="legacy") as client:

        async def ask() -> None:
            await client.call_tool("ask", {"question": "What is the write timeout?"})

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await asyncio.to_thread(until, lambda: "begun" in mark.read_text("utf-8"))
            group.cancel_scope.cancel()
        await asyncio.to_thread(until, lambda: "cancelled" in mark.read_text("utf-8"))
        assert not (await client.call_tool("search", {"keyword": "timeout"})).is_error


@pytest.mark.slow
def test_odd_lines_do_not_end_it(tmp_path: Path) -> None:
    at = folders(tmp_path)["manuals"]
    odd = [
        b"\n",
        b"not json\n",
        b"[]\n",
        b'{"jsonrpc": "2.0"}\n',
        b'{"jsonrpc": "2.0", "id": 7, "method": "no/such"}\n',
        b'"\xff\xfe"\n',
        b"[" * 5_000 + b"\n",
        b'{"x": "' + b"y" * 2_000_000 + b'"}\n',
        call(8, "search", keyword="timeout", path="\ud800"),
    ]
    with child(command("mcp", str(at), data=tmp_path / "data")) as process:
        last = call(9, "search", keyword="write timeout")
        out = _asked(process, [HELLO, *odd, last], 9)
    told = answers(out)
    assert told[7]["error"]["code"] == -32601
    assert not told[9]["result"].get("isError")


def _asked(process: subprocess.Popen[bytes], lines: list[bytes], last: int) -> bytes:
    """What it says up to the answer of that number, after which nobody asks any more."""
    assert process.stdin
    assert process.stdout
    for one in lines:
        process.stdin.write(one)
    process.stdin.flush()
    out = b""
    while f'"id":{last}'.encode() not in out.replace(b" ", b"").rpartition(b"\n{")[2]:
        more = process.stdout.readline()
        assert more, process.stderr.read() if process.stderr else ""
        out += more
    process.stdin.close()
    assert process.wait(PATIENCE) == 0
    return out


@pytest.mark.slow
def test_two_clients_have_a_process_each_over_one_index(tmp_path: Path) -> None:
    at = str(folders(tmp_path)["manuals"])
    parameters = command("mcp", at, data=tmp_path / "data")
    with child(parameters) as first, child(parameters) as second:
        for process in (first, second):
            assert process.stdin
            process.stdin.write(HELLO + call(1, "search", keyword="write timeout"))
            process.stdin.flush()
        for process in (first, second):
            told = answers(_asked(process, [], 1))
            assert "30 seconds" in told[1]["result"]["content"][0]["text"]


@pytest.mark.slow
def test_a_client_that_reads_no_more_ends_it(tmp_path: Path) -> None:
    at = folders(tmp_path)["manuals"]
    with child(command("mcp", str(at), data=tmp_path / "data")) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(HELLO)
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        with suppress(OSError):
            process.stdin.write(line("ping", 1))
            process.stdin.flush()
        assert process.wait(PATIENCE) == 0
        assert b"Traceback" not in (process.stderr.read() if process.stderr else b"")
