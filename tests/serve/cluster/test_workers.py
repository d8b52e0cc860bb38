"""Three workers over one real OpenSearch, behind nginx with the settings that are shipped."""

import itertools
import re
import secrets
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from fanshu.serve.accounts import Account
from fanshu.serve.state import open_accounts
from fanshu.settings import Settings
from tests.cluster.servers import Servers
from tests.serve.cluster.workers import (
    ANSWER,
    MANUAL,
    Model,
    Nginx,
    Worker,
    command,
    free_port,
    status,
    told,
    until,
)

pytestmark = pytest.mark.cluster

CONFIG = """\
store = "{store}"
store_replicas = 0
model = "openai:test"
base_url = "{model}"
api_key = "none"

[serve]
port = {{port}}
login = true
proxies = ["127.0.0.1"]
requests_per_minute = {rate}
runs = 12
runs_each = 3
waiting_each = 2
"""
PASSWORD = "correct horse"
STREAM = {"Accept": "text/event-stream"}
numbers = itertools.count(1)


def question(more: str = "") -> str:
    """A question that nobody has asked before; the model counts it by its number."""
    return f"[q{next(numbers)}] What is the write timeout of the gateway? {more}"


def number(text: str) -> str:
    """What the model counts a question by."""
    return text[: text.index("]") + 1]


@dataclass
class Farm:
    """Three workers, the nginx in front of them, their model and their store."""

    workers: list[Worker]
    nginx: Nginx
    model: Model
    store: str
    folder: Path

    def fanshu(self, *words: str, stdin: str = "") -> str:
        return command(self.folder, *words, "--store", self.store, stdin=stdin)

    def token(self) -> str:
        accounts = open_accounts(Settings(store=self.store, store_replicas=0))
        token = accounts.add_token(Account(f"t{secrets.token_hex(4)}", ""))
        for worker in self.workers:
            with self.client(token, worker.url) as http:
                until(lambda: http.get("/v1/me").is_success)
        return token

    def client(self, token: str, url: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"}
        return httpx.Client(base_url=url or self.nginx.url, headers=headers, timeout=120)


@pytest.fixture(scope="module")
def farm(one_node: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Farm]:
    if not shutil.which("nginx", path="/usr/sbin:/usr/bin"):
        pytest.skip("nginx is not installed")
    folder = tmp_path_factory.mktemp("farm")
    (folder / "docs").mkdir()
    (folder / "docs" / "manual.md").write_text(MANUAL)
    host = one_node.urls[0].partition("://")[2].strip("/")
    store = f"opensearch://{host}/w{secrets.token_hex(6)}"
    command(folder, "index", "--docs", str(folder / "docs"), "--store", store)
    command(folder, "user", "add", "lin", "--store", store, stdin=f"{PASSWORD}\n")
    model = Model(0.3)
    config = CONFIG.format(store=store, model=model.url, rate=6_000)
    workers = [Worker(folder / f"worker{n}", config) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.wait_ready()
    nginx = Nginx(folder / "nginx", [worker.port for worker in workers])
    farm = Farm(workers, nginx, model, store, folder)
    try:
        yield farm
    finally:
        model.close()
        nginx.close()
        for worker in workers:
            if worker.process and worker.process.poll() is None:
                worker.stop(signal.SIGKILL)
        httpx.delete(f"http://{host}/{store.rpartition('/')[2]}-*", timeout=60)


@pytest.fixture(autouse=True)
def _paced(farm: Farm) -> Iterator[None]:
    farm.model.go.clear()
    farm.model.most = 0
    yield
    farm.model.go.set()
    until(lambda: not farm.model.running)


def ask(http: httpx.Client, text: str) -> httpx.Response:
    return http.post("/v1/ask", json={"question": text})


def test_who_logs_in_on_one_worker_is_known_to_all_and_answers_are_shared(farm: Farm) -> None:
    one, two, three = (httpx.Client(base_url=w.url, timeout=120) for w in farm.workers)
    until(lambda: one.post("/login", data={"name": "lin", "password": PASSWORD}).is_success)
    two.cookies = three.cookies = one.cookies
    text = question()
    answer = ask(two, text)
    assert answer.json()["answer"] == ANSWER["response"]
    again = ask(three, text).json()
    assert (again["cached"], again["trace_id"]) == (True, answer.json()["trace_id"])
    run_id = answer.headers["fanshu-run"]
    run = one.get(f"/v1/runs/{run_id}").json()
    assert (run["status"], run["answer"]["answer"]) == ("answered", ANSWER["response"])
    assert run["trace"]["rounds"]
    assert [found["id"] for found in three.get("/v1/runs").json()["runs"]][-1] == run_id
    three.post("/logout")
    assert one.get("/v1/me").status_code == 401


def test_nginx_asks_all_workers_in_turn(farm: Farm) -> None:
    with farm.client(farm.token()) as http:
        assert {http.get("/v1/me").status_code for _ in range(9)} == {200}
        assert {ask(http, question()).status_code for _ in range(6)} == {200}
        assert http.get("/metrics").status_code == 404
    assert farm.nginx.upstreams() == {f"127.0.0.1:{worker.port}" for worker in farm.workers}


def test_events_come_through_nginx_when_they_happen(farm: Farm) -> None:
    """Also the sign of life after ten silent seconds."""
    seen: list[str] = []
    body = {"question": question("slowly")}
    with (
        farm.client(farm.token()) as http,
        http.stream("POST", "/v1/ask", json=body, headers=STREAM) as stream,
    ):
        for name, data in told(stream.iter_lines()):
            seen.append(name)
            if name == "alive":  # everything before it has come while the model was silent
                farm.model.go.set()
            elif name == "answer":
                assert data["answer"] == ANSWER["response"]
    assert seen[0] == "started"
    assert seen.index("alive") < seen.index("answer")


def test_a_session_of_mcp_stays_on_its_worker(farm: Farm) -> None:
    client = {"name": "test", "version": "1"}
    begin = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    kinds = {"Accept": "application/json, text/event-stream"}
    with farm.client(farm.token()) as http:

        def call(method: str, number: int | None, params: object, **more: str) -> httpx.Response:
            body = {"jsonrpc": "2.0", "method": method, "params": params}
            numbered = body | ({"id": number} if number else {})
            return http.post("/mcp", json=numbered, headers=kinds | more)

        begun = call("initialize", 1, begin)
        assert begun.status_code == 200
        session = {"mcp-session-id": begun.headers["mcp-session-id"]}
        assert call("notifications/initialized", None, {}, **session).status_code == 202
        listed = [call("tools/list", n, {}, **session) for n in range(2, 8)]
        assert {one.status_code for one in listed} == {200}
        assert all("search" in one.text for one in listed)


def test_the_same_question_on_all_workers_at_once_is_asked_of_the_model_once(farm: Farm) -> None:
    text, tokens = question("slowly"), [farm.token() for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:

        def one(n: int) -> Any:
            with farm.client(tokens[n], farm.workers[n].url) as http:
                return ask(http, text).json()

        answers = [pool.submit(one, n) for n in range(3)]
        until(lambda: farm.model.asked[number(text)])
        time.sleep(1)  # long enough for the others to ask too, if they did
        farm.model.go.set()
        told = [each.result() for each in answers]
    assert farm.model.asked[number(text)] == 1
    assert {one["answer"] for one in told} == {ANSWER["response"]}


def test_questions_at_once_are_counted_over_all_workers(farm: Farm) -> None:
    """Of one asker three run and two wait; nine more are told that it is too many."""
    token = farm.token()

    def one(n: int) -> httpx.Response:
        with farm.client(token, farm.workers[n % 3].url) as http:
            return ask(http, question("slowly"))

    with ThreadPoolExecutor(14) as pool:
        asked = [pool.submit(one, n) for n in range(14)]
        until(lambda: sum(each.done() for each in asked) >= 7)
        until(lambda: farm.model.running == 3)
        farm.model.go.set()
        statuses = Counter(each.result().status_code for each in asked)
    assert farm.model.most == 3
    assert set(statuses) == {200, 429}
    assert 5 <= statuses[200] <= 7  # each worker may have let one more stand in line


def test_a_token_that_is_revoked_counts_nowhere_after_two_seconds(farm: Farm) -> None:
    name = f"t{secrets.token_hex(4)}"
    printed = farm.fanshu("token", "create", name, "--json")
    token = re.findall(r"fanshu_[0-9a-f]+_[\w-]+", printed)[0]
    for worker in farm.workers:
        with farm.client(token, worker.url) as http:
            assert http.get("/v1/me").status_code == 200
    farm.fanshu("token", "revoke", name)
    time.sleep(2)
    for worker in farm.workers:
        with farm.client(token, worker.url) as http:
            assert http.get("/v1/me").status_code == 401


def test_a_worker_that_is_killed_leaves_its_run_interrupted_and_others_go_on(farm: Farm) -> None:
    token, seen = farm.token(), []
    victim = farm.workers[0]

    def one() -> None:
        with (
            farm.client(token, victim.url) as http,
            http.stream(
                "POST", "/v1/ask", json={"question": question("slowly")}, headers=STREAM
            ) as stream,
        ):
            for name, data in told(stream.iter_lines()):
                if name == "started":
                    seen.append(data["run_id"])

    def lost() -> None:
        with pytest.raises(httpx.HTTPError):
            one()

    thread = threading.Thread(target=lost)
    thread.start()
    until(lambda: seen and farm.model.running)
    with farm.client(token, farm.workers[1].url) as other:
        until(lambda: other.get(f"/v1/runs/{seen[0]}").status_code == 200)
        assert other.get(f"/v1/runs/{seen[0]}").json()["status"] == "running"
        victim.stop(signal.SIGKILL)
        thread.join(120)
        with farm.client(token) as http:
            assert {http.get("/v1/me").status_code for _ in range(12)} == {200}
            assert {ask(http, question()).status_code for _ in range(6)} == {200}
        until(lambda: other.get(f"/v1/runs/{seen[0]}").json()["status"] == "interrupted")
        told_run = other.get(f"/v1/runs/{seen[0]}").json()
        assert told_run["answer"] is None
        assert any(run["id"] == seen[0] for run in other.get("/v1/runs").json()["runs"])
    victim.start()
    victim.wait_ready()


def test_a_rolling_restart_under_load_loses_nothing(farm: Farm) -> None:
    tokens, ends = [farm.token() for _ in range(4)], threading.Event()
    answers: list[tuple[str, int, str]] = []
    reads: Counter[int] = Counter()

    def asking(token: str) -> None:
        with farm.client(token) as http:
            while not ends.is_set():
                text = question()
                got = ask(http, text)
                answers.append((text, got.status_code, got.text))

    def reading(token: str) -> None:
        with farm.client(token) as http:
            while not ends.is_set():
                reads[http.get("/v1/me").status_code] += 1
                time.sleep(0.01)

    threads = [threading.Thread(target=asking, args=(token,)) for token in tokens]
    threads.append(threading.Thread(target=reading, args=(tokens[0],)))
    for thread in threads:
        thread.start()
    try:
        for worker in farm.workers:
            before = len(answers)
            worker.stop()
            worker.start()
            worker.wait_ready()
            until(lambda: len(answers) > before + 4)  # noqa: B023 - run at once
    finally:
        ends.set()
        for thread in threads:
            thread.join(120)
    assert [one for one in answers if one[1] != 200] == []
    assert all(ANSWER["response"] in text for _, _, text in answers)
    assert set(reads) == {200}
    asked = {text: farm.model.asked[number(text)] for text, _, _ in answers}
    assert set(asked.values()) == {1}  # no question was asked twice


def test_requests_of_a_minute_are_counted_over_all_workers(farm: Farm, tmp_path: Path) -> None:
    config = CONFIG.format(store=farm.store, model=farm.model.url, rate=80)
    few = [Worker(tmp_path / f"few{n}", config) for n in range(2)]
    token = farm.token()
    for worker in few:
        worker.start()
    for worker in few:
        worker.wait_ready()
    try:
        with farm.client(token, few[0].url) as one, farm.client(token, few[1].url) as two:
            began = time.monotonic()
            statuses = Counter(
                http.get("/v1/me").status_code for _ in range(100) for http in (one, two)
            )
            took = time.monotonic() - began
    finally:
        for worker in few:
            worker.stop(signal.SIGKILL)
    assert statuses[200] <= 20 + 80 / 60 * took + 1  # a burst, and what came back meanwhile
    assert statuses[200] >= 16
    assert statuses[429] == 200 - statuses[200]


def test_a_worker_without_its_store_lives_and_is_not_ready(farm: Farm, tmp_path: Path) -> None:
    store = f"opensearch://127.0.0.1:{free_port()}/nowhere"
    config = CONFIG.format(store=store, model=farm.model.url, rate=600)
    worker = Worker(tmp_path / "alone", f"store_timeout = 1\n{config}")
    worker.start()
    try:
        until(lambda: status(f"{worker.url}/healthz") == 200)
        assert status(f"{worker.url}/readyz") == 503
        with farm.client(f"fanshu_00000000_{'x' * 43}", worker.url) as http:
            refused = http.get("/v1/me")
        assert (refused.status_code, refused.json()["code"]) == (503, "store_unreachable")
        assert int(refused.headers["retry-after"]) >= 1
        worker.stop()
    finally:
        if worker.process and worker.process.poll() is None:
            worker.stop(signal.SIGKILL)
