"""The same server as loose as the loosest there is: it takes anything, and says things its own way."""

import json
from collections.abc import Mapping
from typing import Any

from .fake_server import FakeServer, Json, Scripted, completion

THOUGHT = "secretly, the user wants 42"
Call = tuple[str, Mapping[str, Any]]


class LooseServer(FakeServer):
    """Complains of nothing; ignores the forced tool, unknown fields and formats."""

    def reply(self, body: Json) -> Scripted:
        self.requests.append(body)
        return self.script.pop(0)


class FussyServer(FakeServer):
    """Strict, and refuses conversations longer than `most` characters."""

    def __init__(self, most: int, *script: Scripted) -> None:
        super().__init__(*script)
        self.most = most
        self.refused: list[int] = []
        self.taken: list[int] = []

    def reply(self, body: Json) -> Scripted:
        size = sum(len(str(said.get("content") or "")) for said in body["messages"])
        if size > self.most:
            self.refused.append(size)
            self.requests.append(body)
            words = f"This model's maximum context length is {self.most}"
            return Scripted({"error": {"message": words, "code": "context_length_exceeded"}}, 400)
        self.taken.append(size)
        return super().reply(body)


def strictly(*calls: Call) -> Scripted:
    """Calls as the format has them."""
    return _said(
        None,
        [
            _call(f"id-{number}", name, json.dumps(arguments, ensure_ascii=False))
            for number, (name, arguments) in enumerate(calls)
        ],
    )


def loosely(*calls: Call) -> Scripted:
    """One id for all, arguments as objects, a thought in the text, fields of its own, no usage."""
    made = [_call("call_0", name, dict(arguments)) for name, arguments in calls]
    scripted = _said(f"<think>{THOUGHT}</think>", made, annotations=None, vendor={"x": 1})
    assert isinstance(scripted.body, dict)
    return Scripted({**scripted.body, "usage": None, "id": None, "object": "chat"})


def as_text(*calls: Call) -> Scripted:
    """The calls in the text, after a thought of which only the end is marked."""
    written = "\n".join(
        f"<tool_call>{json.dumps({'name': name, 'arguments': arguments}, ensure_ascii=False)}"
        "</tool_call>"
        for name, arguments in calls
    )
    return _said(f"{THOUGHT}\n</think>\n\n{written}", [])


def _call(id_: str, name: str, arguments: object) -> Json:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def _said(content: str | None, calls: list[Json], **extra: object) -> Scripted:
    said: Json = {"role": "assistant", "content": content, **extra}
    if calls:
        said["tool_calls"] = calls
    finish = "tool_calls" if calls else "stop"
    return Scripted(completion([{"index": 0, "message": said, "finish_reason": finish}]))
