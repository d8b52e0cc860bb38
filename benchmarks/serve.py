"""The service under load: many questions at once, searches, clients that vanish.

    python benchmarks/serve.py [--runs 100] [--searches 2000] [--docs FOLDER]

The model is scripted and takes a second for each call (search, then answer), so that what is left
is the service's own. Server and clients are processes of their own on loopback.
"""

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import httpx

THINKS = 1.0  # seconds of each call
ROUNDS = 2
EXAMPLES = Path(__file__).resolve().parent.parent / "examples" / "library"
ASKED = {"Accept": "text/event-stream"}


class Thinking:
    """A model that takes its time: one search, then no answer."""

    name, extractive = "thinking", False

    async def next(self, turns, tools, *, force=None):  # noqa: ARG002 - as loops call it
        from fanshu.models import Reply
        from fanshu.types import ToolCall, Usage

        await asyncio.sleep(THINKS)
        done = sum(turn.role == "assistant" for turn in turns) + 1
        if done < ROUNDS and force is None:
            calls = (ToolCall("s", "search", {"keyword": f"timeout {done}"}),)
        else:
            told = {"response": "", "citations": [], "found": False}
            calls = (ToolCall("a", "answer", told),)
        return Reply(calls=calls, usage=Usage(1000, 0, 50, 0.0001))

    async def close(self) -> None:
        """Nothing to give back."""


def serve(docs: str, port: int, runs: int, folder: str) -> None:
    """The server, in its own process."""
    from fanshu.serve.planning import Plan, Planned
    from fanshu.serve.running import serve
    from fanshu.serve.settings import ServiceSettings
    from fanshu.settings import Settings

    settings = Settings(docs=(docs,), model="scripted:thinking", cache=False, index=f"{folder}/i")
    service = ServiceSettings(port=port, runs=runs, waiting_each=10)
    plan = Plan((Planned("docs", "docs", settings, False),), service)
    serve(lambda: plan, folder=Path(folder) / "service", open_model=lambda _: Thinking())


def memory(pid: int, what: str) -> float:
    """Megabytes of a process, by its line in /proc; 0 where there is none."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(what)), 0.0)


def cpu(pid: int) -> float:
    """Seconds of processor time that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def ask(http: httpx.AsyncClient, number: int) -> tuple[float, float, str]:
    """Seconds to the first visible step and to the answer, and how it ended."""
    began, first, ended = time.perf_counter(), 0.0, "nothing"
    question = {"question": f"What is timeout number {number}?", "fresh": True}
    async with http.stream("POST", "/v1/ask", json=question, headers=ASKED) as stream:
        if stream.status_code != 200:
            return 0.0, 0.0, str(stream.status_code)
        async for line in stream.aiter_lines():
            if line == "event: step" and not first:
                first = time.perf_counter() - began
            elif line.startswith("event: "):
                ended = line.removeprefix("event: ")
    return first, time.perf_counter() - began, ended


async def vanish(http: httpx.AsyncClient) -> None:
    """Ask and go away before the answer."""
    question = {"question": "Who goes away?", "fresh": True}
    async with http.stream("POST", "/v1/ask", json=question, headers=ASKED) as stream:
        async for line in stream.aiter_lines():
            if line == "event: step":
                return


def figures(name: str, values: Sequence[float], unit: str, scale: float = 1.0) -> None:
    ordered = sorted(value * scale for value in values)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    print(f"{name}: p50 {statistics.median(ordered):.2f} {unit}, p95 {p95:.2f} {unit}")


async def searches(http: httpx.AsyncClient, count: int, at_once: int) -> None:
    taken: list[float] = []
    numbers = iter(range(count))

    async def one() -> None:
        for number in numbers:
            began = time.perf_counter()
            answer = await http.get("/v1/search", params={"q": ("超时", "timeout")[number % 2]})
            answer.raise_for_status()
            taken.append(time.perf_counter() - began)

    began = time.perf_counter()
    await asyncio.gather(*[one() for _ in range(at_once)])
    print(f"searches, {at_once} at once: {count / (time.perf_counter() - began):.0f} a second")
    figures("  each", taken, "ms", 1000)


async def measure(url: str, pid: int, arguments: argparse.Namespace) -> None:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=200)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=120) as http:
        await ask(http, 0)
        before, used = memory(pid, "VmRSS"), cpu(pid)
        began = time.perf_counter()
        done = await asyncio.gather(*[ask(http, n) for n in range(1, arguments.runs + 1)])
        whole, used = time.perf_counter() - began, cpu(pid) - used
        bad = [end for *_, end in done if end != "answer"]
        print(f"questions at once: {arguments.runs}; without an answer: {len(bad)} {bad[:3]}")
        figures("  to the first step", [first for first, *_ in done], "s")
        figures("  to the answer", [end for _, end, _ in done], "s")
        print(f"  all: {whole:.2f} s, of which the model takes {THINKS * ROUNDS:.0f} s")
        per_round = used / (arguments.runs * ROUNDS) * 1000
        print(f"  processor time of the server: {used:.2f} s, {per_round:.1f} ms a round")
        print(f"  memory: {before:.0f} MB before, {memory(pid, 'VmHWM'):.0f} MB at most")
        await asyncio.gather(*[vanish(http) for _ in range(arguments.runs)])
        await asyncio.sleep(1.0)
        running = (await http.get("/metrics")).text
        left = next(line for line in running.splitlines() if line.startswith("fanshu_runs_running"))
        print(f"clients that vanished: {arguments.runs}; still running a second later: {left[-3:]}")
        for at_once in (1, 8, 32):
            await searches(http, arguments.searches, at_once)
        print(f"memory afterwards: {memory(pid, 'VmRSS'):.0f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--searches", type=int, default=1_000)
    parser.add_argument("--docs", default=str(EXAMPLES))
    parser.add_argument("--server", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.server:
        serve(**json.loads(arguments.server))
        return
    with tempfile.TemporaryDirectory() as folder, socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        given = {"docs": arguments.docs, "port": port, "runs": arguments.runs, "folder": folder}
        command = [sys.executable, __file__, "--server", json.dumps(given)]
        log = Path(folder) / "log"
        with log.open("wb") as out:
            environment = {**os.environ, "XDG_DATA_HOME": folder}
            server = subprocess.Popen(command, stderr=out, env=environment)
        try:
            wait(f"http://127.0.0.1:{port}")
            asyncio.run(measure(f"http://127.0.0.1:{port}", server.pid, arguments))
            began = time.perf_counter()
            server.terminate()
            server.wait(60)
            print(f"ended {time.perf_counter() - began:.1f} s after SIGTERM")
        finally:
            server.kill()
            server.wait()


def wait(url: str) -> None:
    with httpx.Client(base_url=url, transport=httpx.HTTPTransport(retries=5)) as http:
        for _ in range(300):
            try:
                if http.get("/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
    raise SystemExit("the service does not become ready")


if __name__ == "__main__":
    main()
