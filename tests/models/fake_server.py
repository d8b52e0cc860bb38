"""A chat-completions server on loopback that is as strict as the strictest there is.

It replies from a script and refuses, with a 400 and an entry in `complaints`, whatever some
real service refuses: an unanswered call, arguments that are no JSON object, a field it does
not know, `strict` tools, a malformed choice, a system message in the middle.
"""

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.waiting import until

Json = dict[str, Any]

TOP = {"model", "messages", "tools", "tool_choice", "stream", "response_format"}
FIELDS = {
    "system": {"role", "content"},
    "user": {"role", "content"},
    "tool": {"role", "content", "tool_call_id"},
    "assistant": {"role", "content", "tool_calls"},
}


@dataclass(frozen=True)
class Scripted:
    """One reply: the body is JSON, or bytes as they are. `closed` hangs up without a word.

    It comes after a `delay` in seconds, and not before `when` is true.
    """

    body: Json | bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    when: Callable[[], object] | None = None
    closed: bool = False


def message(
    content: str | None = None,
    *calls: tuple[str, str],
    finish: str | None = None,
    usage: Json | None = None,
    ids: Iterable[str] = (),
    **extra: object,
) -> Scripted:
    """A completion; calls are `(name, arguments as they come over the wire)`."""
    names = iter(ids)
    tool_calls = [
        {
            "id": next(names, f"chatcmpl-tool-{number}"),
            "type": "function",
            "function": {"name": name, "arguments": arguments},
        }
        for number, (name, arguments) in enumerate(calls)
    ]
    said: Json = {"role": "assistant", "content": content, **extra}
    if tool_calls:
        said["tool_calls"] = tool_calls
    finish = finish or ("tool_calls" if tool_calls else "stop")
    return Scripted(completion([{"index": 0, "message": said, "finish_reason": finish}], usage))


def completion(choices: list[Json], usage: Json | None = None) -> Json:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "gpt-4o",
        "choices": choices,
        "usage": usage or {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107},
    }


def refusal(status: int, words: str, **more: Any) -> Scripted:
    """An error as services word it; `code`, `type` and response `headers` may be given."""
    headers = more.pop("headers", {})
    return Scripted({"error": {"message": words, **more}}, status, headers)


class FakeServer:
    """Replies from a script, in order; `requests` and `headers` are what it was sent.

    It speaks TLS where it is given a context, and wants its calls at `path`.
    """

    def __init__(self, *script: Scripted) -> None:
        self.script = list(script)
        self.requests: list[Json] = []
        self.headers: list[Message] = []
        self.path = "/v1/chat/completions"
        self.tls: ssl.SSLContext | None = None
        self.complaints: list[str] = []
        self._own_fields: dict[str, list[object]] = {}

    def __enter__(self) -> "FakeServer":
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        if self.tls:
            self._http.socket = self.tls.wrap_socket(self._http.socket, server_side=True)
        self._http.handle_error = lambda *_: None  # type: ignore[method-assign]  # clients hang up
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()
        if kind is None:
            assert self.complaints == []

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def reply(self, body: Json) -> Scripted:
        """The next reply of the script, or what is wrong with the request."""
        self.requests.append(body)
        try:
            check(body, self._own_fields)
        except ValueError as wrong:
            self.complaints.append(str(wrong))
            return refusal(400, str(wrong))
        if not self.script:
            self.complaints.append("one request more than the script has replies")
            return refusal(400, self.complaints[-1])
        scripted = self.script.pop(0)
        if isinstance(scripted.body, dict):
            for choice in scripted.body.get("choices", []):
                for name, value in choice.get("message", {}).items():
                    self._own_fields.setdefault(name, []).append(value)
        return scripted


def _handler(server: FakeServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.headers.append(self.headers)
            if self.path != server.path:
                server.complaints.append(f"path {self.path}")
            scripted = server.reply(body)
            time.sleep(scripted.delay)
            if scripted.when:
                until(scripted.when)
            if scripted.closed:
                self.close_connection = True
                return
            raw = scripted.body
            data = raw if isinstance(raw, bytes) else json.dumps(raw).encode()
            self.send_response(scripted.status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in scripted.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

    return Handler


def require(true: object, wrong: str) -> None:
    if not true:
        raise ValueError(wrong)


def check(body: Json, own_fields: Mapping[str, list[object]]) -> None:
    """Raises ValueError on what a strict service refuses."""
    require(not set(body) - TOP, f"unknown fields {set(body) - TOP}")
    require(not body.get("stream"), "nobody asked for a stream")
    names = [_tool(tool) for tool in body.get("tools", [])]
    require(len(names) == len(set(names)), "two tools of one name")
    _choice(body.get("tool_choice", "auto"), names)
    _format(body.get("response_format", {"type": "text"}))
    _conversation(body["messages"], own_fields)


def _tool(tool: Json) -> str:
    require(set(tool) == {"type", "function"} and tool["type"] == "function", f"tool {tool}")
    function = tool["function"]
    unknown = set(function) - {"name", "description", "parameters", "strict"}
    require(not unknown, f"unknown tool fields {unknown}")
    require(function.get("strict") is not True, "strict is on")
    schema = function["parameters"]
    require(schema.get("type") == "object", "parameters are no object")
    require(set(schema.get("required", [])) <= set(schema["properties"]), "required of nothing")
    name = function["name"]
    require(isinstance(name, str) and name, "a tool without a name")
    return str(name)


def _choice(choice: object, names: list[str]) -> None:
    if isinstance(choice, dict):
        require(set(choice) == {"type", "function"}, f"choice {choice}")
        require(choice["type"] == "function", f"choice {choice}")
        require(choice["function"]["name"] in names, f"choice of no tool {choice}")
    else:
        require(choice in ("auto", "none", "required"), f"choice {choice}")


def _format(wanted: Json) -> None:
    require(wanted["type"] in ("text", "json_object", "json_schema"), f"format {wanted}")
    if wanted["type"] == "json_schema":
        schema = wanted["json_schema"]
        require(schema["name"] and isinstance(schema["schema"], dict), f"format {wanted}")


def _conversation(messages: list[Json], own_fields: Mapping[str, list[object]]) -> None:
    require(messages and messages[0]["role"] == "system", "system does not come first")
    open_calls: list[str] = []
    seen: set[str] = set()
    for number, said in enumerate(messages):
        role = said["role"]
        require(role in FIELDS, f"role {role}")
        require(role != "system" or number == 0, "system in the middle")
        _fields(said, own_fields)
        if role == "tool":
            require(open_calls[:1] == [said["tool_call_id"]], f"a reply to {said['tool_call_id']}")
            open_calls.pop(0)
            continue
        require(not open_calls, f"calls without a reply: {open_calls}")
        open_calls = [_call(call) for call in said.get("tool_calls", [])]
        require(not seen & set(open_calls), "a call id twice")
        seen |= set(open_calls)
    require(not open_calls, f"calls without a reply: {open_calls}")


def _fields(said: Json, own_fields: Mapping[str, list[object]]) -> None:
    for name, value in said.items():
        if name in FIELDS[said["role"]]:
            continue
        own = own_fields.get(name, [])
        require(value in own or (own and value == ""), f"unknown field {name}={value!r}")
    empty = said.get("content") in (None, "")
    require(not empty or said.get("tool_calls"), f"an empty {said['role']} message")


def _call(call: Json) -> str:
    require(set(call) == {"id", "type", "function"}, f"call {call}")
    require(set(call["function"]) == {"name", "arguments"}, f"call {call}")
    arguments = json.loads(call["function"]["arguments"])
    require(isinstance(arguments, dict), f"arguments {arguments}")
    require("INVALID_JSON" not in arguments, "arguments wrapped as INVALID_JSON")
    require(isinstance(call["id"], str) and call["id"], "a call without an id")
    return str(call["id"])
