"""Tool calls for servers that cannot make them: the model writes each call as one JSON object.

Tools, calls and results are put into words; the server is asked to constrain the reply where
it can. Imports no provider code.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from fanshu.models import Reply, ToolSpec, Turn
from fanshu.models.repair import without_thoughts
from fanshu.models.shapes import calls, known
from fanshu.models.written import calls_in_text
from fanshu.types import Usage

Way = Literal["tools", "json_schema", "json_object", "prompted"]
ToolMode = Literal["auto", "native", "json"]
WAYS: tuple[Way, ...] = ("tools", "json_schema", "json_object", "prompted")

_RULE = (
    "Reply with exactly one JSON object and nothing else:\n"
    '{"name": "TOOL", "arguments": {...}}\nThe tools with their arguments (? may be left out):'
)


@dataclass(frozen=True, slots=True)
class Habits:
    """What is known of an endpoint. It is taken to do everything until it shows otherwise.

    `way`: how it makes calls. `choice`: it calls the tool that it is told to. `fields`: its own
    fields may be sent back to it. `calls`: it has made a call that could be read, in whatever
    form. `settled`: the way was set by somebody, native or JSON, and stays so.
    """

    way: Way = "tools"
    choice: bool = True
    fields: bool = True
    calls: bool = False
    settled: bool = False


def habits_of(mode: ToolMode, known: Habits | None) -> Habits:
    """What to begin with: what is set, else what is known of the endpoint, else the best."""
    known = known or Habits()
    if mode == "auto":
        return known
    in_json: Way = "json_schema" if known.way == "tools" else known.way
    return replace(known, way="tools" if mode == "native" else in_json, settled=True)


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


def response_format(
    way: Way, tools: Iterable[ToolSpec], turns: Sequence[Turn]
) -> dict[str, object] | None:
    """The `response_format` of a chat-completions request that allows a call of these tools."""
    if way == "json_schema":
        schema = calls(tools, known(turns))
        return {"type": "json_schema", "json_schema": {"name": "call", "schema": schema}}
    return {"type": "json_object"} if way == "json_object" else None


def reply_of(text: str, turns: Sequence[Turn], tools: Collection[str], usage: Usage) -> Reply:
    """The reply that a text is, with its calls numbered on from those of the turns."""
    text = without_thoughts(text)
    first = sum(len(turn.calls) for turn in turns) + 1
    made = enumerate(calls_in_text(text, tools), start=first)
    numbered = tuple(replace(call, id=f"call_{number}") for number, call in made)
    return Reply("" if numbered else text, numbered, usage)


def _told(
    turn: Turn, tools: Sequence[ToolSpec]
) -> tuple[Literal["system", "user", "assistant"], str]:
    if turn.role == "system":
        return "system", "\n".join([turn.text, "", _RULE, *_described(tools)])
    if turn.role == "tool":
        return "user", f"Result of {turn.tool}:\n{turn.text}"
    if turn.role == "user":
        return "user", turn.text
    made = [{"name": call.name, "arguments": dict(call.arguments or {})} for call in turn.calls]
    written = "\n".join(json.dumps(call, ensure_ascii=False) for call in made)
    return "assistant", written or turn.text


def _described(tools: Iterable[ToolSpec]) -> Iterator[str]:
    """Tools as one writes functions: name, arguments, meanings; what was said once is known.

    Half the tokens of their JSON schemas, which a constrained reply obeys anyway.
    """
    told: set[tuple[str, object]] = set()
    for tool in tools:
        required, taken, notes = tool.parameters.get("required"), [], []
        for name, schema in _properties(tool.parameters):
            optional = isinstance(required, Sequence) and name not in required
            taken.append(f"{name}{'?' if optional else ''}{_kind(schema)}")
            meaning = name, schema.get("description")
            if meaning[1] and meaning not in told:
                notes.append(f"{name}: {meaning[1]}")
            told.add(meaning)
        beside = f" ({'; '.join(notes)})" if notes else ""
        yield f"- {tool.name}({', '.join(taken)}): {tool.description}{beside}"


def _properties(schema: Mapping[str, object]) -> list[tuple[str, Mapping[str, object]]]:
    properties = schema.get("properties")
    return list(properties.items()) if isinstance(properties, Mapping) else []


def _kind(schema: Mapping[str, object]) -> str:
    """What a value looks like where it is no text: `=true|false`, `=[{"a", "b"}]`."""
    items = schema.get("items")
    if isinstance(items, Mapping):
        return f"=[{{{', '.join(f'{json.dumps(name)}: …' for name, _ in _properties(items))}}}]"
    kind = schema.get("type")
    return {"string": "", "boolean": "=true|false"}.get(str(kind), f"={kind}")
