"""Two workers in one process, over records that they share: what one does the other knows."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from fanshu.cluster.sharing import Shared
from fanshu.cluster.sqlite_records import SqliteRecords
from fanshu.serve.accounts import Account
from tests.serve.models import STILL, Slow
from tests.serve.served import Served, hang_up, plan_of, serving
from tests.waiting import PATIENCE, until

ASKED = {"question": "What is the write timeout?", "fresh": True}
PASSWORD = "correct horse"


@pytest.fixture
def model() -> Slow:
    return Slow(STILL)


@pytest.fixture
def two(folders: dict[str, Path], tmp_path: Path, model: Slow) -> Iterator[tuple[Served, Served]]:
    shared = Shared(SqliteRecords(tmp_path / "records.db"), "store")
    plan = plan_of(folders, {"cache": False}, login=True, runs=1, runs_each=1, grace_seconds=0)
    with contextlib.ExitStack() as opened:
        workers = [
            opened.enter_context(serving(plan, tmp_path / "x", lambda _: model, shared=shared))
            for _ in range(2)
        ]
        yield workers[0], workers[1]


def token_of(worker: Served) -> str:
    return worker.app.service.accounts.add_token(Account("bot", ""))


def test_a_login_on_one_holds_on_the_other(two: tuple[Served, Served]) -> None:
    two[0].app.service.accounts.add_user(Account("lin", ""), PASSWORD)
    with two[0].client() as here, two[1].client() as there:
        entered = here.post("/login", data={"name": "lin", "password": PASSWORD})
        assert entered.status_code == 200
        there.cookies = here.cookies
        assert there.get("/v1/me").json()["name"] == "lin"
        there.post("/logout")
        assert here.get("/v1/me").status_code == 401


def test_a_run_is_seen_on_the_other_worker_while_it_runs_and_when_it_was_left(
    two: tuple[Served, Served], model: Slow
) -> None:
    token = token_of(two[0])
    with two[0].client(token) as here, two[1].client(token) as there:
        seen: list[str] = []

        def running() -> bool:
            seen[:] = [run["id"] for run in there.get("/v1/runs").json()["runs"]]
            return bool(seen and model.running)

        hang_up(here, "/v1/ask", ASKED, running)
        told = f"/v1/runs/{seen[0]}"
        until(lambda: there.get(told).json()["status"] == "partial")
        assert there.get(told).json()["answer"]["stop_reason"] == "interrupted"


def test_a_run_that_goes_on_is_told_with_its_steps_and_cannot_be_approved(
    two: tuple[Served, Served], model: Slow
) -> None:
    token = two[0].app.service.accounts.add_token(Account("bot", "", approves=True))
    with two[0].client(token) as here, two[1].client(token) as there:

        def running() -> bool:
            return bool(model.running and there.get("/v1/runs").json()["runs"])

        def look() -> bool:
            until(running)
            run = there.get("/v1/runs").json()["runs"][0]
            told = there.get(f"/v1/runs/{run['id']}").json()
            assert (told["status"], told["answer"]) == ("running", None)
            assert there.get("/v1/runs/states").json() == {"states": {}}
            refused = there.post("/v1/approved", json={"run_id": run["id"]})
            assert (refused.status_code, refused.json()["code"]) == (404, "run_missing")
            return True

        hang_up(here, "/v1/ask", ASKED, look)


def test_who_waits_in_line_when_a_worker_ends_is_told_to_come_again(
    two: tuple[Served, Served], model: Slow
) -> None:
    token = token_of(two[0])
    answers: list[httpx.Response] = []

    def ask() -> None:
        with two[0].client(token) as http:
            answers.append(http.post("/v1/ask", json=ASKED))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    asking = two[0].app.service.asking
    until(lambda: asking.turns.running == 1 and asking.turns.waiting == 1 and model.running == 1)
    two[0].server.should_exit = True
    for thread in threads:
        thread.join(PATIENCE)
    assert sorted(one.status_code for one in answers) == [200, 503]
    (refused,) = (one for one in answers if one.status_code == 503)
    assert refused.json()["code"] == "service_ending"
    assert int(refused.headers["retry-after"]) >= 1
    with two[1].client(token) as there:  # only what began is in the history
        runs = there.get("/v1/runs").json()["runs"]
    assert [run["status"] for run in runs] == ["partial"]
