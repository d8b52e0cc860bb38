"""A real service on loopback, in a thread of its own, over small libraries made on the spot."""

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from fanshu.cluster.sharing import Shared
from fanshu.models import Model
from fanshu.serve.app import Gated, create_app
from fanshu.serve.planning import Plan, Planned
from fanshu.serve.running import Server
from fanshu.serve.settings import ServiceSettings
from fanshu.settings import Settings
from tests.waiting import PATIENCE, until

OpenModel = Callable[[Settings], Model]


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return folder


def plan_of(
    folders: Mapping[str, Path], settings: Mapping[str, Any] | None = None, **service: Any
) -> Plan:
    """A plan of one library for each folder; `settings` are those of every library."""
    own = {"model": "scripted:test"} | dict(settings or {})
    libraries = [
        Planned(
            name,
            name.title(),
            Settings(docs=(str(folder),), **own),
            service.get("writable", False),
        )
        for name, folder in folders.items()
    ]
    return Plan(tuple(libraries), ServiceSettings(**({"port": 0} | service)))


@dataclass
class Served:
    """A running service. `url` without a slash at its end."""

    url: str
    app: Gated
    loop: asyncio.AbstractEventLoop
    server: Server

    def client(self, token: str | None = None, **options: Any) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=PATIENCE, **options)

    def call(self, work: Callable[[], Any]) -> Any:
        """Do something in the event loop of the service."""

        async def done() -> Any:
            return work()

        return asyncio.run_coroutine_threadsafe(done(), self.loop).result(PATIENCE)


@contextlib.contextmanager
def serving(
    plan: Plan,
    folder: Path,
    open_model: OpenModel,
    *,
    before: Callable[[Gated], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
    shared: Shared | None = None,
) -> Iterator[Served]:
    """The service while the block runs; `before` it begins, users can be made.

    By `clock` requests, failed logins and sessions are counted. `shared`: what it has in common
    with other workers.
    """
    app = create_app(plan, folder=folder, open_model=open_model, clock=clock, shared=shared)
    if before:
        before(app)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    server = Server(app, plan, listener, lambda: plan, None, lambda _: None)
    loop = asyncio.new_event_loop()

    def run() -> None:
        with contextlib.closing(loop):
            asyncio.set_event_loop(loop)
            loop.run_until_complete(server.serve([listener]))
            left = asyncio.all_tasks(loop)
            for task in left:  # as asyncio.run does
                task.cancel()
            loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))

    thread = threading.Thread(target=run)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        _until_ready(url)
        yield Served(url, app, loop, server)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listener.close()


def _until_ready(url: str) -> None:
    with httpx.Client(base_url=url, timeout=PATIENCE) as client:

        def ready() -> bool:
            with contextlib.suppress(httpx.TransportError):
                return client.get("/readyz").status_code == 200
            return False

        until(ready)


def hang_up(
    http: httpx.Client,
    path: str,
    body: Mapping[str, object],
    when: Callable[[], bool],
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send what a client would, and close the connection as soon as something has come true."""
    request = http.build_request("POST", path, json=body, headers=headers)
    told = [f"{name}: {value}" for name, value in request.headers.items()]
    head = "\r\n".join([f"POST {request.url.path} HTTP/1.1", *told, "", ""])
    with socket.create_connection((request.url.host, request.url.port)) as connection:
        connection.sendall(head.encode() + request.read())
        until(when)


@dataclass(frozen=True)
class Sent:
    """A server-sent event."""

    name: str
    data: Any


def events(lines: Iterator[str]) -> Iterator[Sent]:
    """The events of a stream of lines; comments are left out."""
    name, data = "", []
    for line in lines:
        if not line and name:
            yield Sent(name, json.loads("\n".join(data)))
            name, data = "", []
        elif line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            data.append(line.removeprefix("data: "))
