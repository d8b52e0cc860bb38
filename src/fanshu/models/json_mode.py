"""Tool calls for servers that cannot make them: the model writes each call as one JSON object.

Tools, calls and results are put into words; the server is asked to constrain the reply where
it can. Imports no provider code.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from fanshu.models import ToolSpec, Turn

Way = Literal["tools", "json_schema", "json_object", "prompted"]
WAYS: tuple[Way, ...] = ("tools", "json_schema", "json_object", "prompted")

_RULE = (
    "Reply with exactly one JSON object and nothing else:\n"
    '{"name": "TOOL", "arguments": {...}}\nThe tools and the properties of their arguments:'
)


@dataclass(frozen=True, slots=True)
class Habits:
    """What is known of an endpoint. It is taken to do everything until it shows otherwise.

    `way`: how it makes calls. `choice`: it calls the tool that it is told to. `fields`: its own
    fields may be sent back to it. `calls`: it has made a call, in whatever form.
    """

    way: Way = "tools"
    choice: bool = True
    fields: bool = True
    calls: bool = False


def after(way: Way) -> Way:
    """The next way to try where this one is refused; after the last there is none but itself."""
    return WAYS[min(WAYS.index(way) + 1, len(WAYS) - 1)]


def in_words(turns: Sequence[Turn], tools: Sequence[ToolSpec]) -> list[Turn]:
    """The same conversation without tools: system, then user and assistant in alternation."""
    told: list[Turn] = []
    for turn in turns:
        role, text = _told(turn, tools)
        if not text:
            continue
        if told and told[-1].role == role:
            told[-1] = Turn(role, f"{told[-1].text}\n\n{text}")
        else:
            told.append(Turn(role, text))
    return told


def response_format(way: Way, tools: Iterable[ToolSpec]) -> dict[str, object] | None:
    """The `response_format` of a chat-completions request that allows a call of these tools."""
    if way == "json_schema":
        schema = {"anyOf": [_call_of(tool) for tool in tools]}
        return {"type": "json_schema", "json_schema": {"name": "call", "schema": schema}}
    return {"type": "json_object"} if way == "json_object" else None


def _told(
    turn: Turn, tools: Sequence[ToolSpec]
) -> tuple[Literal["system", "user", "assistant"], str]:
    if turn.role == "system":
        return "system", "\n".join([turn.text, "", _RULE, *map(_described, tools)])
    if turn.role == "tool":
        return "user", f"Result of {turn.tool}:\n{turn.text}"
    if turn.role == "user":
        return "user", turn.text
    calls = [{"name": call.name, "arguments": dict(call.arguments or {})} for call in turn.calls]
    written = "\n".join(json.dumps(call, ensure_ascii=False) for call in calls)
    return "assistant", written or turn.text


def _described(tool: ToolSpec) -> str:
    properties = json.dumps(tool.parameters.get("properties", {}), ensure_ascii=False)
    return f"- {tool.name}: {tool.description}\n  {properties}"


def _call_of(tool: ToolSpec) -> dict[str, object]:
    return {
        "type": "object",
        "properties": {"name": {"const": tool.name}, "arguments": dict(tool.parameters)},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }
