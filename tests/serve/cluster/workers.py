"""Workers of `fanshu serve` as processes of their own, a model whose pace tests set, and nginx."""

import contextlib
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 120.0  # seconds; only a machine that is stuck takes so long
MANUAL = """\
# Gateway manual

## Timeouts

The write timeout of the gateway is 30 seconds.
"""
QUOTE = "The write timeout of the gateway is 30 seconds."
ANSWER = {
    "response": "The write timeout of the gateway is 30 seconds.",
    "citations": [{"chunk_id": "manual.md#2", "quote": QUOTE}],
    "found": True,
}
SLOW = "slowly"  # a question with this word waits until the model is let go


def until(true: Callable[[], object], what: str = "it does not come true") -> None:
    ends = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < ends, what
        time.sleep(0.02)


class Model:
    """Chat completions on loopback: the same answer each time, after `pace` seconds.

    Questions that say `slowly` wait until `go` is set. `asked` counts the calls for each question,
    `most` is how many ran at once.
    """

    def __init__(self, pace: float = 0.0) -> None:
        self.pace, self.go = pace, threading.Event()
        self.asked: Counter[str] = Counter()
        self.running = self.most = 0
        self._guard = threading.Lock()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        self.go.set()
        self._http.shutdown()
        self._http.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                data = json.dumps(model.reply(body.decode("utf-8"))).encode()
                with contextlib.suppress(OSError):  # a worker that was killed
                    self.send_response(200)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                """Tests look at counts."""

        return Handler

    def reply(self, body: str) -> dict[str, Any]:
        found = re.search(r"\[q\d+\]", body)
        with self._guard:
            self.asked[found[0] if found else ""] += 1
            self.running += 1
            self.most = max(self.most, self.running)
        if SLOW in body:
            self.go.wait(PATIENCE)
        time.sleep(self.pace)
        with self._guard:
            self.running -= 1
        call = {
            "id": "call-1",
            "type": "function",
            "function": {"name": "answer", "arguments": json.dumps(ANSWER)},
        }
        said = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 1_700_000_000,
            "model": "test",
            "choices": [{"index": 0, "message": said, "finish_reason": "tool_calls"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
        }


class Worker:
    """One process of `fanshu serve`, on a port that it keeps."""

    def __init__(self, folder: Path, config: str, port: int | None = None) -> None:
        self.port = port or free_port()
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.config = folder / "service.toml"
        self.config.write_text(config.format(port=self.port), encoding="utf-8")
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / "log"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "fanshu", "serve", "--config", str(self.config)],
                cwd=self.folder,
                env=environment(self.folder),
                stdout=log,
                stderr=log,
            )

    def wait_ready(self) -> None:
        until(self._ready, f"{self.url}: {self.log}")

    def _ready(self) -> bool:
        assert self.process
        assert self.process.poll() is None, self.log.read_text(encoding="utf-8")
        return status(f"{self.url}/readyz") == 200

    def stop(self, how: int = signal.SIGTERM) -> None:
        """End it, and wait until it has; what ended by itself did so in order."""
        assert self.process
        self.process.send_signal(how)
        ended = self.process.wait(PATIENCE)
        assert ended in (0, -how), self.log.read_text(encoding="utf-8")


class Nginx:
    """Debian's nginx with the settings of `deploy/nginx.conf`, but for ports and its log."""

    def __init__(self, folder: Path, ports: list[int]) -> None:
        folder.mkdir(parents=True)
        self.port, self.log = free_port(), folder / "access.log"
        self.url = f"http://127.0.0.1:{self.port}"
        text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
        for number, port in enumerate(ports):
            text = text.replace(f"127.0.0.1:{8765 + number} ", f"127.0.0.1:{port} ")
        assert "listen 80;" in text
        (folder / "site.conf").write_text(text.replace("listen 80;", f"listen {self.port};"))
        main = folder / "nginx.conf"
        main.write_text(
            f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;\n"
            "events { worker_connections 1024; }\nhttp {\n"
            "log_format told '$request_method $uri $status $upstream_addr $upstream_status';\n"
            f"access_log {self.log} told;\n"
            + "".join(
                f"{kind}_temp_path {folder}/{kind};\n"
                for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
            )
            + f"include {folder}/site.conf;\n}}\n"
        )
        nginx = shutil.which("nginx", path="/usr/sbin:/usr/bin")
        assert nginx
        self._process = subprocess.Popen(
            [nginx, "-p", str(folder), "-c", str(main), "-e", f"{folder}/error.log"],
            stderr=subprocess.DEVNULL,
        )
        until(lambda: status(f"{self.url}/healthz") is not None)

    def upstreams(self) -> set[str]:
        """The workers that have answered something."""
        return set(re.findall(r"127\.0\.0\.1:\d+", self.log.read_text()))

    def close(self) -> None:
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(PATIENCE)


def environment(folder: Path) -> dict[str, str]:
    """Nothing of whoever runs the tests, and a home of its own."""
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "LANG")}
    return kept | {
        "HOME": str(folder),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "PYTHONPATH": str(ROOT / "src"),
    }


def command(folder: Path, *words: str, stdin: str = "") -> str:
    """What a command of fanshu prints, run to its end."""
    done = subprocess.run(
        [sys.executable, "-m", "fanshu", *words],
        cwd=folder,
        env=environment(folder),
        input=stdin,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def status(url: str) -> int | None:
    try:
        return httpx.get(url, timeout=10).status_code
    except httpx.HTTPError:
        return None


def told(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """The events of a stream, as they come: name and data; a sign of life has no data."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
        elif line.startswith(":"):
            yield "alive", None
