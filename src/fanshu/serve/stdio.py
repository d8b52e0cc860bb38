"""MCP over standard input and output: one client, which has started this process."""

import asyncio
import contextlib
import io
import logging
import os
import signal
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NoReturn

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from fanshu import app as core
from fanshu.protocol.server import server
from fanshu.serve.desks import OwnDesk
from fanshu.serve.libraries import Libraries, OpenModel
from fanshu.serve.planning import Plan

log = logging.getLogger("fanshu.mcp")

FAILED = 2
ENDING_SECONDS = 10.0  # for questions to tell how far they came, and to be written down
LINE = "%(asctime)s %(levelname)s %(message)s"


def serve(
    plan: Plan,
    *,
    open_model: OpenModel = core.open_model,
    on_start: Callable[[], None] = lambda: None,
) -> NoReturn:
    """Serve until standard input ends or a signal comes; the process ends with it.

    Raises: ConfigError, LibraryError, ModelError — before anything is served.
    """
    logging.basicConfig(level=logging.WARNING, format=LINE, stream=sys.stderr)
    wire = _wire()
    loop = asyncio.new_event_loop()
    code = loop.run_until_complete(_served(plan, open_model, wire, on_start))
    # Neither the thread that waits for input nor a first reading can be told to stop. What they
    # hold the system takes back; an index is whole at any moment.
    sys.stderr.flush()
    os._exit(code)


class _Wire(io.TextIOWrapper):
    """Standard output that tells when nobody reads it any more."""

    gone: Callable[[], None] = staticmethod(lambda: None)

    def flush(self) -> None:
        """Send what was written. Raises: OSError — the client has gone."""
        try:
            super().flush()
        except OSError:
            self.gone()
            raise


def _wire() -> _Wire:
    """Standard output for the protocol alone.

    Whatever else this process prints, C code and child processes included, goes to standard
    error from now on, and to the end.
    """
    sys.stdout.flush()
    wire = _Wire(os.fdopen(os.dup(1), "wb"), encoding="utf-8", newline="")
    try:
        os.dup2(2, 1)
    except OSError:  # there is no standard error
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return wire


async def _served(
    plan: Plan, open_model: OpenModel, wire: _Wire, on_start: Callable[[], None]
) -> int:
    libraries = Libraries(plan, open_model)
    libraries.open()
    desk = OwnDesk(libraries)
    stopped, stop = _ending()
    loop = asyncio.get_running_loop()
    wire.gone = partial(_soon, loop, stop)
    serving = asyncio.create_task(_protocol(server(lambda _: desk, desk.names), wire))
    on_start()
    both: set[asyncio.Future[Any]] = {serving, stopped}
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    await desk.end(ENDING_SECONDS)
    if stopped.done():
        return stopped.result()
    if error := serving.exception():
        log.error("the connection failed", exc_info=error)
    return FAILED if error else 0


def _soon(loop: asyncio.AbstractEventLoop, stop: Callable[[int], None]) -> None:
    loop.call_soon_threadsafe(stop, 0)


async def _protocol(mcp: Server[Any], wire: _Wire) -> None:
    """Speak until standard input ends, or nobody reads any more."""
    try:
        async with stdio_server(stdout=anyio.wrap_file(wire)) as (read, write):
            await mcp.run(read, write, mcp.create_initialization_options())
    except* OSError:
        log.info("the client has gone")


def _ending() -> tuple[asyncio.Future[int], Callable[[int], None]]:
    """Done when the process is to end, with its exit code; and what makes it so. Hears signals."""
    loop = asyncio.get_running_loop()
    stopped: asyncio.Future[int] = loop.create_future()

    def stop(code: int) -> None:
        if not stopped.done():
            stopped.set_result(code)

    for name in (signal.SIGINT, signal.SIGTERM):
        code = 128 + name  # as shells count
        try:
            loop.add_signal_handler(name, stop, code)
        except (NotImplementedError, RuntimeError):  # Windows; not the main thread
            with contextlib.suppress(ValueError):
                signal.signal(name, lambda one, _: loop.call_soon_threadsafe(stop, 128 + one))
    return stopped, stop
