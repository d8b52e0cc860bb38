"""MCP over HTTP: the SDK's client against a real service, behind the gate of all other routes."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

if find_spec("mcp") is None:
    pytest.skip("needs the extra mcp", allow_module_level=True)

import anyio
import httpx
import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from fanshu.models.extractive import ExtractiveReader
from fanshu.serve.accounts import Account
from fanshu.serve.app import Gated
from fanshu.serve.mounting import SESSIONS_PER_MINUTE
from tests.protocol.stage import FILES, Heard, text_of
from tests.serve.models import STILL, Slow
from tests.serve.served import Served, hang_up, plan_of, serving, until, write
from tests.waiting import PATIENCE

MODES = ("legacy", "auto")


@dataclass
class Stage:
    """A service that demands tokens: one for everything, one for a part of one library."""

    served: Served
    everything: str
    little: str


@contextmanager
def staged(
    tmp_path: Path, model: Any, *, clock: Callable[[], float] = time.monotonic, **service: Any
) -> Iterator[Stage]:
    at = {name: write(tmp_path / name, held) for name, held in FILES.items()}
    write(at["manuals"], {"hr/pay.md": "# Pay\n\nThe marmalade bonus is 4711 yuan.\n"})
    tokens: list[str] = []

    def before(app: Gated) -> None:
        accounts = app.service.accounts
        tokens.append(accounts.add_token(Account("all", "")))
        tokens.append(accounts.add_token(Account("little", "", ("manuals:manual.md",))))

    plan = plan_of(at, {"model": None}, login=True, **service)
    with serving(plan, tmp_path / "service", lambda _: model, before=before, clock=clock) as served:
        yield Stage(served, *tokens)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    with staged(tmp_path, ExtractiveReader()) as one:
        yield one


@asynccontextmanager
async def client(stage: Stage, token: str, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http:
        transport = streamable_http_client(f"{stage.served.url}/mcp", http_client=http)
        async with Client(transport, mode=mode) as connected:
            yield connected


@pytest.mark.parametrize("mode", MODES)
async def test_an_agent_uses_it(stage: Stage, mode: str) -> None:
    heard = Heard()
    async with client(stage, stage.everything, mode) as agent:
        assert len((await agent.list_tools()).tools) == 8
        found = await agent.call_tool("search", {"keyword": "write timeout"})
        assert "30 seconds" in text_of(found)
        asked = {"question": "What is the write timeout?", "library": "manuals"}
        answer = await agent.call_tool("ask", asked, progress_callback=heard)
        assert answer.structured_content["status"] == "passages"
        assert heard.notes
        uris = [one.uri for one in (await agent.list_resources()).resources]
        assert "fanshu://rules/travel.md" in uris
        assert (await agent.read_resource("fanshu://rules/travel.md")).contents
    runs = stage.served.client(stage.everything).get("/v1/runs").json()["runs"]
    assert runs[0]["question"] == "What is the write timeout?"


@pytest.mark.parametrize("mode", MODES)
async def test_a_token_sees_its_scope_and_no_more(stage: Stage, mode: str) -> None:
    told: list[str] = []
    async with client(stage, stage.little, mode) as agent:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("search", {"keyword": "marmalade"}),
            ("search", {"keyword": "bonus|hotel", "path": "hr"}),
            ("search", {"keyword": "hotel", "library": "rules"}),
            ("read", {"chunk_id": "hr/pay.md#1"}),
            ("read", {"chunk_id": "travel.md#2"}),
            ("read", {"chunk_id": "travel.md#2", "library": "rules"}),
            ("outline", {}),
            ("outline", {"path": "hr/pay.md"}),
            ("suggest", {"query": "marmalde"}),
            ("ask", {"question": "How much is the marmalade bonus?"}),
            (
                "check_answer",
                {
                    "answer": "It is 4711 yuan.",
                    "citations": [{"file_path": "hr/pay.md", "quote": "The marmalade bonus"}],
                },
            ),
        ]
        for tool, given in calls:
            result = await agent.call_tool(tool, given)
            told.append(text_of(result))
            answer = json.dumps(result.structured_content)
            # What was asked is repeated, what was not is told to nobody.
            told.append(answer.replace("It is 4711 yuan.", "").replace('"4711 yuan"', ""))
        told.append(str(await agent.list_resources()))
        for uri in ("fanshu://manuals/hr/pay.md", "fanshu://rules/travel.md"):
            with pytest.raises(MCPError):
                await agent.read_resource(uri)
        mine = await agent.call_tool("search", {"keyword": "write timeout"})
        assert "30 seconds" in text_of(mine)
    for hidden in ("bonus is", "550 yuan", "Pay", "Travel rules", "Hotels", "4711 yuan.\n"):
        assert not [one for one in told if hidden in one], hidden


async def test_the_gate_is_that_of_the_service(stage: Stage) -> None:
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    with stage.served.client() as nobody:
        for method in ("GET", "POST", "DELETE", "PUT"):
            refused = nobody.request(method, "/mcp", json=body)
            assert refused.status_code == 401, method
            assert refused.headers["www-authenticate"].startswith("Bearer")
        for headers, status in (
            ({"Host": "evil.example"}, 421),
            ({"Origin": "https://evil.example"}, 403),
            ({"Sec-Fetch-Site": "cross-site"}, 403),
        ):
            assert nobody.post("/mcp", json=body, headers=headers).status_code == status
    with stage.served.client(stage.everything) as known:
        evil = {"Host": "evil.example"}
        assert known.post("/mcp", json=body, headers=evil).status_code == 421
        assert known.post("/mcp", content=b"x" * 300_000).status_code == 413
        assert known.get("/openapi.json").status_code in (200, 404)
        odd = (b"", b"{", b"[]", b"null", b'{"jsonrpc":"2.0"}', b"[" * 9_999, b"\xff\xfe")
        accept = {"Accept": "application/json, text/event-stream"}
        for content in odd:
            answer = known.post(
                "/mcp", content=content, headers={"Content-Type": "application/json", **accept}
            )
            assert 400 <= answer.status_code < 500, content
            assert "Traceback" not in answer.text


ACCEPT = {"Accept": "application/json, text/event-stream"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}


def begun(http: httpx.Client) -> dict[str, str]:
    """The headers of a session that has begun."""
    told = http.post("/mcp", json=HELLO, headers=ACCEPT)
    session = {"mcp-session-id": told.headers["mcp-session-id"], **ACCEPT}
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert http.post("/mcp", json=ready, headers=session).status_code == 202
    return session


async def test_sessions_are_limited_whatever_version_is_told(tmp_path: Path) -> None:
    with (
        staged(tmp_path, ExtractiveReader(), clock=lambda: 0.0) as stage,
        stage.served.client(stage.everything) as known,
    ):
        codes = [
            known.post("/mcp", json=HELLO, headers=ACCEPT | version).status_code
            for version in ({"mcp-protocol-version": "2025-06-18"}, {})
            for _ in range(SESSIONS_PER_MINUTE // 2)
        ]
    assert codes[0] == 200
    assert 429 in codes[: len(codes) // 2]


def test_a_client_that_hangs_up_ends_the_run(tmp_path: Path) -> None:
    """In the older form too, where the SDK lets it go on: nobody could be given the answer."""
    model = Slow(STILL)
    asked = {"name": "ask", "arguments": {"question": "How long?", "library": "manuals"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    with staged(tmp_path, model) as stage, stage.served.client(stage.everything) as known:
        session = begun(known)
        hang_up(known, "/mcp", body, lambda: model.running == 1, session)
        until(lambda: model.running == 0)
        until(lambda: stage.served.app.service.asking.turns.running == 0)
        (run,) = known.get("/v1/runs").json()["runs"]
        assert run["status"] == "partial"


async def test_a_session_is_its_owners_alone(stage: Stage) -> None:
    with stage.served.client(stage.everything) as owner, stage.served.client(stage.little) as other:
        session = begun(owner)
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        assert other.post("/mcp", json=ping, headers=session).status_code == 404
        assert owner.post("/mcp", json=ping, headers=session).status_code == 200


async def test_requests_and_questions_are_limited_as_everywhere(tmp_path: Path) -> None:
    with (
        staged(tmp_path, ExtractiveReader(), clock=lambda: 0.0, requests_per_minute=20) as stage,
        stage.served.client(stage.everything) as known,
    ):
        codes = {known.post("/mcp", json={}).status_code for _ in range(12)}
        assert 429 in codes


@pytest.mark.parametrize("mode", MODES)
async def test_a_client_that_cancels_ends_the_run(tmp_path: Path, mode: str) -> None:
    model = Slow(STILL)
    with staged(tmp_path, model) as stage:
        async with client(stage, stage.everything, mode) as agent:

            async def ask() -> None:
                await agent.call_tool("ask", {"question": "How long?", "library": "manuals"})

            async with anyio.create_task_group() as group:
                group.start_soon(ask)
                await asyncio.to_thread(until, lambda: model.running == 1)
                group.cancel_scope.cancel()
            await asyncio.to_thread(until, lambda: model.running == 0)
            runs = stage.served.client(stage.everything)
            await asyncio.to_thread(until, lambda: runs.get("/v1/runs").json()["runs"])
            (run,) = runs.get("/v1/runs").json()["runs"]
            assert run["status"] == "partial"
    assert model.ended == 0


async def test_too_many_questions_are_a_clear_error(tmp_path: Path) -> None:
    model = Slow(STILL)
    with staged(tmp_path, model, runs_each=1, waiting_each=0) as stage:
        async with client(stage, stage.everything) as agent:
            asked = {"question": "How long?", "library": "manuals"}
            async with anyio.create_task_group() as group:
                group.start_soon(agent.call_tool, "ask", asked)
                await asyncio.to_thread(until, lambda: model.running == 1)
                second = await agent.call_tool("ask", asked)
                group.cancel_scope.cancel()
    assert second.is_error
    assert "Too many questions: at most 1 at once" in text_of(second)


async def test_an_end_of_the_service_is_not_held_up_by_listeners(tmp_path: Path) -> None:
    with staged(tmp_path, ExtractiveReader(), grace_seconds=1_000.0) as stage:
        async with client(stage, stage.everything, "legacy") as agent:
            await agent.call_tool("search", {"keyword": "timeout"})
            stage.served.server.should_exit = True
            await asyncio.to_thread(until, lambda: not stage.served.loop.is_running())
