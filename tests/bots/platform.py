"""What the fakes of both chat platforms share: HTTP for calls, a websocket for events."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

WAIT = 120.0  # seconds; on a busy machine a bot takes ten to import its SDK


class Platform:
    """A chat platform on loopback. `answer` says what comes back of each call by HTTP."""

    def __init__(self) -> None:
        self.http = self.ws = ""
        self.changed = threading.Condition()
        self.connections: list[ServerConnection] = []
        self.acks: dict[str, Any] = {}

    def answer(self, method: str, path: str, token: str, body: Any) -> tuple[int, Any]:
        """What a call by HTTP gives: status and JSON."""
        raise NotImplementedError

    def heard(self, message: Any) -> None:
        """What the bot sent through its connection."""
        raise NotImplementedError

    def until(self, true: Callable[[], Any]) -> Any:
        """Wait for something to come true, here or elsewhere."""
        ends = time.monotonic() + WAIT
        with self.changed:
            while not (found := true()):
                assert time.monotonic() < ends, "it does not come true"
                self.changed.wait(0.02)
            return found

    def call(self, method: str, path: str, token: str, body: Any) -> tuple[int, Any]:
        with self.changed:
            try:
                return self.answer(method, path, token, body)
            finally:
                self.changed.notify_all()

    def talk(self, connection: ServerConnection) -> None:
        with self.changed:
            self.connections.append(connection)
            self.changed.notify_all()
        try:
            for message in connection:
                with self.changed:
                    self.heard(message)
                    self.changed.notify_all()
        except ConnectionClosed:
            pass


@contextmanager
def open_for_bots(platform: Platform) -> Iterator[None]:
    """The platform is there while the block runs."""

    class Calls(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told = json.loads(body) if body else None
            token = self.headers.get("Authorization", "")
            status, said = platform.call(self.command, urlsplit(self.path).path, token, told)
            data = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_DELETE = do  # noqa: N815 - the names that http.server looks for

        def log_message(self, *_: Any) -> None:
            pass

    with (
        ThreadingHTTPServer(("127.0.0.1", 0), Calls) as calls,
        serve(platform.talk, "127.0.0.1", 0) as events,
    ):
        platform.http = f"http://127.0.0.1:{calls.server_address[1]}"
        platform.ws = f"ws://127.0.0.1:{events.socket.getsockname()[1]}"
        for server in (calls, events):
            threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield
        finally:
            for connection in platform.connections:
                connection.close()
            calls.shutdown()
            events.shutdown()


def settled() -> None:
    """Long enough that what must not happen would have."""
    time.sleep(0.3)
