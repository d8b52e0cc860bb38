"""Many questions at once: one worker or several, a scripted model, loads from light to too heavy.

    python benchmarks/asks.py [--docs FOLDER | --store ADDRESS] [--workers 1] [--rates 1 5 10 20]
        [--seconds 60] [--latency 1.0] [--out FILE]

Workers are processes of `fanshu serve`, the model (`reading_model.py`) is another, the askers
this one. Questions come by chance at a mean rate (Poisson), whether those before are answered or
not, and go to the workers in turn. What the model sleeps for a question is known, so that what a
person waits beyond it can be told: *added*. Beside wall time stand the CPU seconds of the workers
and how long their threads stood in line for a core, which on a machine with other work says how
much slower than alone they ran.
"""

import argparse
import asyncio
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
RUNS = 256  # questions that a worker answers at once, so that the worker itself is the limit
BUSY = 200  # questions that wait for the end of a measurement, at most so many seconds


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as it went. Seconds; `model` is what the model slept for it."""

    question: str
    took: float
    model: float
    ended: str
    rounds: int

    @property
    def added(self) -> float:
        return self.took - self.model


@dataclass(frozen=True, slots=True)
class Use:
    """What a process has used: seconds on a core, of its main thread on a core and in line for one,
    and megabytes.
    """

    cpu: float
    main: float
    waited: float
    memory: float

    def __sub__(self, before: "Use") -> "Use":
        main, waited = self.main - before.main, self.waited - before.waited
        return Use(self.cpu - before.cpu, main, waited, self.memory)


def used(pid: int) -> Use:
    tasks: dict[int, tuple[int, int]] = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        try:
            on, line, _ = (task / "schedstat").read_text().split()
        except OSError:
            continue  # ended between the two
        tasks[int(task.name)] = int(on), int(line)
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    memory = next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))
    ours = sum(on for on, _ in tasks.values()) / 1e9
    return Use(ours, tasks[pid][0] / 1e9, tasks[pid][1] / 1e9, memory)


# ---------------------------------------------------------------- processes


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def running(command: Sequence[str], log: Path, environ: dict[str, str]) -> Iterator[int]:
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out, env=environ)
    try:
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def settings_file(arguments: argparse.Namespace, folder: Path, number: int) -> Path:
    """The settings of a worker: everything that limits questions is out of the way."""
    docs = "" if arguments.store else f"docs = [{json.dumps(str(arguments.docs.resolve()))}]\n"
    store = f"store = {json.dumps(arguments.store)}\n" if arguments.store else ""
    path = folder / f"worker{number}.toml"
    own = folder / ("all" if arguments.store else f"worker{number}")
    path.write_text(
        f'{docs}{store}model = "openai:reading"\nindex = {json.dumps(str(own))}\n'
        f'base_url = "{arguments.model_url}"\ntool_mode = "native"\n[serve]\nruns = {RUNS}\n'
        f"runs_each = {RUNS}\nwaiting_each = 100000\nrequests_per_minute = 1000000\n"
        f"threads = {arguments.threads}\n{arguments.serve}\n"
    )
    return path


def wait_ready(url: str, log: Path) -> None:
    with httpx.Client(base_url=url, transport=httpx.HTTPTransport(retries=3)) as http:
        for _ in range(1_200):
            try:
                if http.get("/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.1)
    raise SystemExit(f"a worker does not become ready: {log.read_text()[-2_000:]}")


# ---------------------------------------------------------------- asking


def questions(docs: Path | None) -> Iterator[str]:
    """Those of the examples, each with a number of its own, so that none is asked twice."""
    lines = (EXAMPLES / "questions.jsonl").read_text("utf-8").splitlines()
    asked = [json.loads(line)["question"] for line in lines]
    if docs is None:
        from stores_scale import queries
        from synthetic import Collection

        asked = [one.words for one in queries(Collection()) if one.question and not one.path]
    draw = random.Random(1)
    number = os.getpid() * 100_000
    while True:
        number += 1
        yield f"{draw.choice(asked)} [{number}]"


async def ask(http: httpx.AsyncClient, url: str, question: str) -> tuple[float, str, int]:
    began = time.perf_counter()
    try:
        reply = await http.post(f"{url}/v1/ask", json={"question": question})
    except httpx.HTTPError as error:
        return time.perf_counter() - began, type(error).__name__, 0
    took = time.perf_counter() - began
    if reply.status_code != 200:
        return took, str(reply.status_code), 0
    told = reply.json()
    return took, told["status"], told["rounds"]


async def load(
    urls: Sequence[str],
    model: str,
    rate: float,
    seconds: float,
    source: Iterator[str],
    again: float,
) -> tuple[list[Asked], float]:
    """Questions at a mean rate for so many seconds; what came of them, and the time they took."""
    draw = random.Random(f"{rate}")
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=1_000)
    took: dict[str, tuple[float, str, int]] = {}
    asked: list[str] = []
    repeated: list[tuple[float, str, int]] = []
    async with httpx.AsyncClient(limits=limits, timeout=BUSY) as http:
        began, due, running = time.perf_counter(), 0.0, set()

        async def one(question: str, url: str, *, old: bool) -> None:
            result = await ask(http, url, question)
            if old:
                repeated.append(result)
            else:
                took[question] = result
                asked.append(question)

        count = 0
        while (due := due + draw.expovariate(rate)) < seconds:
            await asyncio.sleep(max(0.0, began + due - time.perf_counter()))
            old = bool(asked) and draw.random() < again
            question = draw.choice(asked) if old else next(source)
            task = asyncio.create_task(one(question, urls[count % len(urls)], old=old))
            running.add(task)
            task.add_done_callback(running.discard)
            count += 1
        await asyncio.gather(*running)
        whole = time.perf_counter() - began
        spent = (await http.get(f"{model.removesuffix('/v1')}/spent")).json()
    new = [Asked(q, t, spent.get(q, 0.0), ended, n) for q, (t, ended, n) in took.items()]
    return new + [Asked("", t, 0.0, ended, n) for t, ended, n in repeated], whole


def measure(
    urls: Sequence[str], pids: Sequence[int], rate: float, arguments: argparse.Namespace,
    source: Iterator[str],
) -> dict[str, object]:  # fmt: skip
    before, engine = [used(pid) for pid in pids], [used(pid) for pid in arguments.engine]
    done, whole = asyncio.run(
        load(urls, arguments.model_url, rate, arguments.seconds, source, arguments.again)
    )
    after = [used(pid) for pid in pids]
    own = [b - a for a, b in zip(before, after, strict=True)]
    cpu = sum(one.cpu for one in own)
    served = [b - a for a, b in zip(engine, map(used, arguments.engine), strict=True)]
    engine_cpu = sum(one.cpu for one in served)
    new = [one for one in done if one.question]
    old = sorted(one.took for one in done if not one.question)
    good = [one for one in new if not one.ended[:1].isdigit() and one.rounds]
    took, added = sorted(one.took for one in good), sorted(one.added for one in good)
    return {
        "workers": len(urls), "nodes": len(arguments.engine), "places": RUNS, "rate": rate,
        "questions": len(done), "asked_for": arguments.seconds,
        "latency": arguments.latency, "sigma": arguments.sigma, "again": arguments.again,
        "a_second": len(done) / whole, "rounds": statistics.mean(one.rounds for one in good),
        "p50": at(took, 0.5), "p95": at(took, 0.95), "added50": at(added, 0.5),
        "added95": at(added, 0.95), "model50": at(sorted(one.model for one in good), 0.5),
        "model95": at(sorted(one.model for one in good), 0.95),
        "old50": at(old, 0.5), "old95": at(old, 0.95), "seconds": whole,
        "cpu_question": cpu / len(done), "busy": cpu / whole / len(urls),
        "engine_question": engine_cpu / len(done),
        "rounds_of": Counter(one.rounds for one in good),
        "slowed": slowed(own), "memory": max(one.memory for one in after),
        "ended": Counter(one.ended for one in done), "load_average": os.getloadavg()[0],
    }  # fmt: skip


def slowed(uses: Sequence[Use]) -> float:
    """How many seconds a second of work took: by the main thread, on which all others depend."""
    main = sum(one.main for one in uses)
    return (main + sum(one.waited for one in uses)) / main


def at(ordered: Sequence[float], share: float) -> float:
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


HEAD = ("workers", "asked a second", "answered a second", "rounds", "p50 s", "p95 s",
        "added p50 ms", "added p95 ms", "CPU ms a question", "engine's", "busy", "slowed",
        "memory MB", "ended")  # fmt: skip


def row(one: dict[str, object]) -> str:
    values = (
        one["workers"], f"{one['rate']:g}", f"{one['a_second']:.1f}", f"{one['rounds']:.2f}",
        f"{one['p50']:.2f}", f"{one['p95']:.2f}", f"{one['added50'] * 1000:.0f}",  # type: ignore[operator]
        f"{one['added95'] * 1000:.0f}", f"{one['cpu_question'] * 1000:.0f}",  # type: ignore[operator]
        f"{one['engine_question'] * 1000:.0f}", f"{one['busy']:.2f}", f"{one['slowed']:.2f}",
        f"{one['memory']:.0f}",
        ", ".join(f"{n} {what}" for what, n in one["ended"].items()),  # type: ignore[attr-defined]
    )  # fmt: skip
    return f"| {' | '.join(map(str, values))} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--docs", type=Path, default=EXAMPLES / "library")
    parser.add_argument("--store", help="address of a store that is loaded, in place of --docs")
    parser.add_argument("--server-pids", type=Path, help="a file with the store's process ids")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--rates", type=float, nargs="+", default=[1, 5, 10, 20])
    parser.add_argument("--seconds", type=float, default=60, help="of each rate")
    parser.add_argument("--again", type=float, default=0.0, help="share that was asked before")
    parser.add_argument("--latency", type=float, default=1.0, help="median of the model, seconds")
    parser.add_argument("--sigma", type=float, default=0.5)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--serve", default="", help="more lines of the [serve] table")
    parser.add_argument("--out", type=Path, help="where to add results, a JSON object a line")
    arguments = parser.parse_args()
    pids = arguments.server_pids.read_text().split() if arguments.server_pids else []
    arguments.engine = [int(pid) for pid in pids]
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory()))
        environ = {**os.environ, "OPENAI_API_KEY": "none"}
        environ |= {f"XDG_{one}_HOME": str(folder / one) for one in ("DATA", "CONFIG", "CACHE")}
        model = subprocess.Popen(
            [sys.executable, str(HERE / "reading_model.py"), f"--seconds={arguments.latency}",
             f"--sigma={arguments.sigma}"], stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        ending.callback(model.wait)
        ending.callback(model.terminate)
        port = (model.stdout.readline() if model.stdout else "").strip()
        arguments.model_url = f"http://127.0.0.1:{port}/v1"
        urls, pids = [], []
        for number in range(arguments.workers):
            config = settings_file(arguments, folder, number)
            port = str(free_port())
            own = environ | (
                {} if arguments.store else {"XDG_DATA_HOME": str(folder / f"d{number}")}
            )
            log = folder / f"worker{number}.log"
            command = [
                sys.executable,
                "-m",
                "fanshu",
                "serve",
                "--config",
                str(config),
                "--port",
                port,
            ]
            pids.append(ending.enter_context(running(command, log, own)))
            urls.append(f"http://127.0.0.1:{port}")
            wait_ready(urls[-1], log)
        source = questions(None if arguments.store else arguments.docs)
        asyncio.run(load(urls, arguments.model_url, 5.0, 5.0, source, 0.0))  # warm
        print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}")
        for rate in arguments.rates:
            one = measure(urls, pids, rate, arguments, source)
            print(row(one), flush=True)
            if arguments.out:
                with arguments.out.open("a") as out:
                    out.write(json.dumps(one) + "\n")


if __name__ == "__main__":
    main()
