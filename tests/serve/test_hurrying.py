"""Clients that begin a request and do not end it."""

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import uvicorn

from fanshu.serve.hurrying import HurriedProtocol

TOO_LONG = 20.0  # seconds; a second for each, but for a busy machine
PART = b"GET / HTTP/1.1\r\nHost: "


class Soon(HurriedProtocol):
    seconds = 0.3


async def hello(_scope: Any, _receive: Any, send: Callable[[Any], Awaitable[None]]) -> None:
    await asyncio.sleep(0.6)  # longer than headers may take
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def said(port: int, *parts: bytes) -> tuple[bytes, float]:
    """What comes back for a request that is sent in parts, and after how many seconds it ends."""
    loop = asyncio.get_running_loop()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    began = loop.time()
    for part in parts:
        writer.write(part)
        await asyncio.sleep(0.2)
    answer = b""
    with contextlib.suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(TOO_LONG):
            answer = await reader.read()
    took = loop.time() - began
    writer.close()
    return answer, took


async def tried() -> list[tuple[bytes, float]]:
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(hello, log_config=None, lifespan="off", http=Soon)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve([listener]))
    while not server.started:  # noqa: ASYNC110 - the server has no event for it
        await asyncio.sleep(0.01)
    port = listener.getsockname()[1]
    try:
        whole = PART + b"x\r\nConnection: close\r\n\r\n"
        kept = PART + b"x\r\n\r\n"
        return [
            await said(port),
            await said(port, PART, b"a", b"b", b"c"),
            await said(port, whole),
            await said(port, kept, b"", b"", b"", PART),
        ]
    finally:
        server.should_exit = True
        await serving


def test_headers_that_do_not_come_end_the_connection() -> None:
    nothing, slow, whole, second = asyncio.run(tried())
    assert nothing[0] == slow[0] == b""
    assert max(nothing[1], slow[1]) < TOO_LONG
    assert whole[0].startswith(b"HTTP/1.1 204")
    assert second[0].count(b"204") == 1
    assert second[1] < TOO_LONG
