"""A proxy on loopback: whatever host is asked for, it leads to one server of the test."""

import socket
import threading
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from urllib.parse import urlsplit

CHUNK = 65_536  # bytes passed on at a time


class FakeProxy:
    """`asked` holds what came: `CONNECT host:port`, or `POST` and a whole address.

    With `password` it wants a `Proxy-Authorization` first.
    """

    def __init__(self, port: int, *, password: str = "") -> None:
        self.port, self.password = port, password
        self.asked: list[str] = []

    def __enter__(self) -> "FakeProxy":
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._http.server_address[1]}"


def _handler(proxy: FakeProxy) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def _let_in(self) -> bool:
            proxy.asked.append(f"{self.command} {self.path}")
            if not proxy.password or "Proxy-Authorization" in self.headers:
                return True
            self.send_response(407, "Proxy Authentication Required")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return False

        def do_CONNECT(self) -> None:
            if not self._let_in():
                return
            self.send_response(200)
            self.end_headers()
            with socket.create_connection(("127.0.0.1", proxy.port)) as there:
                back = threading.Thread(target=_pass_on, args=(there, self.connection), daemon=True)
                back.start()
                _pass_on(self.connection, there)
                back.join(5)
            self.close_connection = True

        def do_POST(self) -> None:
            if not self._let_in():
                return
            body = self.rfile.read(int(self.headers["Content-Length"]))
            there = HTTPConnection("127.0.0.1", proxy.port)
            parts = urlsplit(self.path)
            target = parts.path + (f"?{parts.query}" if parts.query else "")
            there.request("POST", target, body, dict(self.headers.items()))
            reply = there.getresponse()
            data = reply.read()
            self.send_response(reply.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)
            there.close()

    return Handler


def _pass_on(here: socket.socket, there: socket.socket) -> None:
    try:
        while data := here.recv(CHUNK):
            there.sendall(data)
        there.shutdown(socket.SHUT_WR)
    except OSError:
        pass
