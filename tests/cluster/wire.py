"""Servers on loopback that fail in the ways of networks and gateways, by what a test wants."""

import base64
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = {"version": {"distribution": "opensearch", "number": "2.19.6"}, "tagline": "OpenSearch"}
Reply = tuple[int, object]
Asked = tuple[str, str, dict[str, str]]  # method, path, headers
CLOSE: Reply = (0, None)  # the connection is closed in the place of a reply


@contextmanager
def served(
    reply: Callable[[str, str, bytes, dict[str, str]], Reply],
    tls: ssl.SSLContext | None = None,
    asked: list[Asked] | None = None,
) -> Iterator[int]:
    """The port of a server that replies so."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            if asked is not None:
                asked.append((self.command, self.path, headers))
            status, content = reply(self.command, self.path, body, headers)
            if not status:
                self.close_connection = True
                return
            data = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json; charset=UTF-8")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Who does not trust us hangs up."""

        def finish_request(self, request, client_address) -> None:  # type: ignore[no-untyped-def]
            if tls:
                request = tls.wrap_socket(request, server_side=True)
            super().finish_request(request, client_address)

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()


def replies(*script: Reply) -> Callable[[str, str, bytes, dict[str, str]], Reply]:
    """One after the other, the last for ever; what engine it is, is no part of it."""
    left = list(script)

    def reply(method: str, path: str, body: bytes, headers: dict[str, str]) -> Reply:
        if path == "/":
            return 200, HERE
        return left.pop(0) if len(left) > 1 else left[0]

    return reply


def guarded(port: int, user: str, password: str) -> Callable[..., Reply]:
    """What stands before an engine that has no users of its own, as nginx does."""
    both = base64.b64encode(f"{user}:{password}".encode()).decode("ascii")

    def reply(method: str, path: str, body: bytes, headers: dict[str, str]) -> Reply:
        if headers.get("authorization") != f"Basic {both}":
            return 401, b"Unauthorized"
        behind = HTTPConnection("127.0.0.1", port, timeout=60)
        kind = {"content-type": headers.get("content-type", "application/json")}
        behind.request(method, path, body, kind)
        with behind.getresponse() as got:
            return got.status, got.read()

    return reply
