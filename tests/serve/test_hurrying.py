"""Clients that begin a request and do not end it."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn

from fanshu.serve.hurrying import HurriedProtocol
from tests.waiting import Clock

SECONDS = 1_000.0  # that headers may take; they are skipped, not waited for
PART = b"GET / HTTP/1.1\r\nHost: "


class Soon(HurriedProtocol):
    seconds = SECONDS
    heard = 0  # bytes, on all connections

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        Soon.heard += len(data)


class Hello:
    """Takes longer to answer than headers may take."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    async def __call__(
        self, _scope: Any, _receive: Any, send: Callable[[Any], Awaitable[None]]
    ) -> None:
        self._clock.forward(2 * SECONDS)
        await asyncio.sleep(0.01)
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})


async def said(port: int, clock: Clock, *parts: bytes) -> bytes:
    """What comes back for a request that is sent in parts, with time between them."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for part in parts:
        heard = Soon.heard
        writer.write(part)
        while Soon.heard < heard + len(part):  # noqa: ASYNC110 - uvicorn makes the connections
            await asyncio.sleep(0.001)
        clock.forward(0.4 * SECONDS)
        await asyncio.sleep(0.01)
    clock.forward(SECONDS)
    try:
        async with asyncio.timeout(100 * SECONDS):
            return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


async def tried() -> list[bytes]:
    clock = Clock()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        Hello(clock), log_config=None, lifespan="off", http=Soon, timeout_keep_alive=10_000
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve([listener]))
    while not server.started:  # noqa: ASYNC110 - the server has no event for it
        await asyncio.sleep(0.01)
    port = listener.getsockname()[1]
    try:
        whole = PART + b"x\r\nConnection: close\r\n\r\n"
        kept = PART + b"x\r\n\r\n"
        return [
            await said(port, clock),
            await said(port, clock, PART, b"a", b"b"),
            await said(port, clock, whole),
            await said(port, clock, kept, PART),
        ]
    finally:
        server.should_exit = True
        await serving


def test_headers_that_do_not_come_end_the_connection() -> None:
    nothing, slow, whole, second = asyncio.run(tried())
    assert nothing == slow == b""
    assert whole.startswith(b"HTTP/1.1 204")
    assert second.count(b"204") == 1
