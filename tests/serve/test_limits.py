"""How much anybody may take: runs at once, in line, a minute, a month; and runs nobody waits for."""

import asyncio
import math
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from fanshu.errors import CostReached, TooMany
from fanshu.serve.access import LOCAL
from fanshu.serve.accounts import Account
from fanshu.serve.asking import Question, new_run
from fanshu.serve.queueing import Turns
from fanshu.serve.rates import Rates
from tests.serve.models import STILL, Held, Slow
from tests.serve.served import Served, events, hang_up, plan_of, serving, until
from tests.waiting import PATIENCE

ASKED = {"question": "What is the write timeout?", "fresh": True}
STREAM = {"Accept": "text/event-stream"}


def test_turns_rotate_between_askers() -> None:
    async def order() -> list[str]:
        turns, came = Turns(runs=1, each=1, waiting=9), []

        async def ask(key: str) -> None:
            async with await turns.enter(key):
                came.append(key)
                await asyncio.sleep(0)

        await asyncio.gather(*[ask(key) for key in ("a", "a", "a", "b", "c")])
        assert (turns.running, turns.waiting) == (0, 0)
        return came

    assert asyncio.run(order()) == ["a", "b", "c", "a", "a"]


def test_a_line_that_is_full_takes_nobody() -> None:
    async def full() -> None:
        turns = Turns(runs=4, each=1, waiting=2)
        held = [await turns.enter("a") for _ in range(3)]
        with pytest.raises(TooMany):
            await turns.enter("a")
        await turns.enter("b")  # others are not affected
        held[1].leave()  # one who waits goes away
        await turns.enter("a")

    asyncio.run(full())


def test_a_run_that_is_cancelled_at_once_gives_its_place_back(service: Served) -> None:
    asking, shelf = service.app.service.asking, service.app.service.libraries.all["manuals"]

    async def cancelled() -> None:
        turn = await asking.admit(LOCAL)
        task = asking.begin(Question(LOCAL, shelf, "How long?"), turn, new_run())
        task.cancel()  # before it has taken a step
        await asyncio.wait({task})

    asyncio.run_coroutine_threadsafe(cancelled(), service.loop).result(PATIENCE)
    assert (asking.turns.running, asking.turns.waiting) == (0, 0)


def test_a_place_is_given_back_once() -> None:
    async def twice() -> None:
        turns = Turns(runs=2, each=2, waiting=0)
        first, second = await turns.enter("a"), await turns.enter("a")
        first.leave()
        first.leave()
        assert turns.running == 1
        second.leave()

    asyncio.run(twice())


def test_a_limit_of_nothing_or_of_no_number_is_no_limit_lifted(service: Served) -> None:
    for cost in (0.0, math.nan):
        poor = replace(LOCAL, cost=cost)
        admitted = service.app.service.asking.admit(poor)
        with pytest.raises(CostReached):
            asyncio.run_coroutine_threadsafe(admitted, service.loop).result(PATIENCE)


def test_a_bucket_fills_with_time() -> None:
    now = [0.0]
    rates = Rates(60, "requests", clock=lambda: now[0])
    for _ in range(15):
        rates.take("a")
    with pytest.raises(TooMany) as refused:
        rates.take("a")
    assert refused.value.fields["seconds"] == pytest.approx(1.0)
    rates.take("b")
    now[0] = 1.1
    rates.take("a")


def test_too_many_questions_of_one_are_told_so(folders: dict[str, Path], tmp_path: Path) -> None:
    model = Held()
    tokens: list[str] = []
    plan = plan_of(folders, {"cache": False}, login=True, runs=4, runs_each=2, waiting_each=1)
    with serving(
        plan,
        tmp_path / "service",
        lambda _: model,
        before=lambda app: tokens.extend(
            app.service.accounts.add_token(Account(name, "")) for name in ("a", "b")
        ),
    ) as served:

        def ask(token: str) -> httpx.Response:
            with served.client(token) as http:
                return http.post("/v1/ask", json=ASKED)

        with ThreadPoolExecutor(8) as pool:
            many = [pool.submit(ask, token) for token in [tokens[0]] * 5 + [tokens[1]]]
            until(lambda: model.running == 3 and sum(one.done() for one in many) == 2)
            model.free = True
        told = [one.result() for one in many]
    statuses = sorted(one.status_code for one in told[:5])
    assert statuses == [200, 200, 200, 429, 429]
    assert told[5].status_code == 200
    refused = next(one for one in told if one.status_code == 429)
    assert refused.json()["code"] == "too_many"
    assert int(refused.headers["retry-after"]) >= 1
    assert model.most <= 3


def test_a_client_that_goes_away_ends_its_run(folders: dict[str, Path], tmp_path: Path) -> None:
    model = Slow(STILL)
    with serving(plan_of(folders), tmp_path / "service", lambda _: model) as served:
        http = served.client()
        with http:
            for headers in ({}, STREAM):
                hang_up(http, "/v1/ask", ASKED, lambda: model.running == 1, headers)
                until(lambda: model.running == 0)
            assert model.begun == 2
            until(lambda: served.app.service.asking.turns.running == 0)
            runs = http.get("/v1/runs").json()["runs"]
    assert [run["status"] for run in runs] == ["partial", "partial"]


def test_a_silent_run_shows_signs_of_life(
    folders: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fanshu.serve import streaming

    monkeypatch.setattr(streaming, "HEARTBEAT_SECONDS", 0.05)
    model, lines, signs = Held(), [], 0
    with (
        serving(plan_of(folders), tmp_path / "service", lambda _: model) as served,
        served.client() as http,
        http.stream("POST", "/v1/ask", json=ASKED, headers=STREAM) as stream,
    ):
        for line in stream.iter_lines():
            lines.append(line)
            signs += line.startswith(":")
            model.free = signs >= 3
    assert list(events(iter(lines)))[-1].name == "answer"


def test_a_month_that_has_cost_enough_is_over(folders: dict[str, Path], tmp_path: Path) -> None:
    plan = plan_of(folders, month_cost=0.015)
    with (
        serving(plan, tmp_path / "service", lambda _: Slow(0)) as served,
        served.client() as http,
    ):
        statuses = [http.post("/v1/ask", json=ASKED).status_code for _ in range(3)]
        refused = http.post("/v1/ask", json=ASKED)
        spent = http.get("/v1/me").json()["limits"]["month_spent"]
    assert statuses == [200, 200, 429]
    assert refused.json()["code"] == "cost_reached"
    assert spent == pytest.approx(0.02)


def test_requests_of_a_minute_are_counted(folders: dict[str, Path], tmp_path: Path) -> None:
    tokens: list[str] = []
    plan = plan_of(folders, login=True, requests_per_minute=20)
    with (
        serving(
            plan,
            tmp_path / "service",
            lambda _: Slow(0),
            clock=lambda: 0.0,
            before=lambda app: tokens.append(app.service.accounts.add_token(Account("a", ""))),
        ) as served,
        served.client(tokens[0]) as http,
    ):
        statuses = [http.get("/v1/me").status_code for _ in range(8)]
    assert statuses == [200] * 5 + [429] * 3


def test_a_body_that_is_too_large_is_refused(service: Served) -> None:
    large = b'{"question": "' + b"x" * 300_000 + b'"}'
    kind = {"Content-Type": "application/json"}

    def in_parts():
        yield from (large[at : at + 10_000] for at in range(0, len(large), 10_000))

    with service.client() as http:
        for body in (large, in_parts()):
            told = http.post("/v1/ask", content=body, headers=kind)
            assert (told.status_code, told.json()["code"]) == (413, "request_refused")
        assert http.post("/v1/ask", content=b"{", headers=kind).status_code == 422
        assert http.post("/v1/ask", json={"question": " "}).status_code == 422


@pytest.mark.parametrize(("grace", "ends"), [(2 * PATIENCE, "not_found"), (0.1, "interrupted")])
def test_a_service_that_ends_lets_runs_finish_or_tell(
    folders: dict[str, Path], tmp_path: Path, grace: float, ends: str
) -> None:
    """One that is done in time finishes, one that is not tells how far it came."""
    model = Held()
    told: list[httpx.Response] = []
    plan = plan_of(folders, {"cache": False}, grace_seconds=grace)
    with serving(plan, tmp_path / "service", lambda _: model) as served:

        def ask(headers: dict[str, str]) -> None:
            with served.client() as http:
                told.append(http.post("/v1/ask", json=ASKED, headers=headers))

        asking = [threading.Thread(target=ask, args=(headers,)) for headers in ({}, STREAM)]
        for one in asking:
            one.start()
        until(lambda: model.running == 2)
        served.server.should_exit = True
        until(lambda: served.app.service.asking.ending)
        model.free = ends == "not_found"
        for one in asking:
            one.join(PATIENCE)
    assert [one.status_code for one in told] == [200, 200]
    assert all(f'"stop_reason": "{ends}"' in one.text for one in told)


def test_a_service_that_ends_takes_no_more_questions(service: Served) -> None:
    ending = asyncio.run_coroutine_threadsafe(service.app.service.asking.end(0), service.loop)
    ending.result(PATIENCE)
    with service.client() as http:
        assert http.get("/readyz").status_code == 503
        refused = http.post("/v1/ask", json=ASKED)
    assert (refused.status_code, refused.json()["code"]) == (503, "service_ending")
    assert int(refused.headers["retry-after"]) > 1
