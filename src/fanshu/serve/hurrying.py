"""Connections of clients that begin a request and do not end it.

Uvicorn waits for a request's headers as long as it takes; a thousand connections that send a byte
now and then would leave no room for anybody else.
"""

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

HEADER_SECONDS = 20.0  # as Apache's mod_reqtimeout gives at first


class HurriedProtocol(H11Protocol):
    """HTTP/1.1 for clients whose headers arrive in time."""

    seconds = HEADER_SECONDS
    _ends: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """Headers are waited for from now on."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """More of a request; whether its headers are complete."""
        super().data_received(data)
        if self.conn.their_state is h11.IDLE:
            self._wait()
        else:
            self._stop()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        if self._ends is None:  # a byte now and then gives no more time
            self._ends = self.loop.call_later(self.seconds, self.transport.close)

    def _stop(self) -> None:
        if self._ends:
            self._ends.cancel()
            self._ends = None
