"""Tool calls before they are made: what was meant, what is wrong, whether two are the same."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from fanshu.agent.layout import one_line
from fanshu.agent.prompts import PARAMETERS, say, tool_specs
from fanshu.agent.seen import Key
from fanshu.agent.taken import taken_in
from fanshu.library.terms import fold
from fanshu.models import Reply, ToolSpec
from fanshu.models.repair import repair_arguments
from fanshu.models.written import calls_in_text
from fanshu.types import Language, ToolCall

ECHO_CHARS = 200  # of broken arguments shown back: enough to see what is wrong


def understood(reply: Reply, tools: Collection[str], round_: int) -> Reply:
    """A reply within bounds whose calls are calls: those written as text, arguments mended.

    Calls found in text get ids of their own; every id stands once in the reply.
    """
    reply = taken_in(reply)
    written = () if reply.calls else calls_in_text(reply.text, tools)
    if written:
        calls = tuple(replace(c, id=f"text_{round_}_{n}") for n, c in enumerate(written, 1))
        return replace(reply, text="", calls=calls, native=None)
    return replace(reply, calls=tuple(map(_mended, reply.calls)))


def _mended(call: ToolCall) -> ToolCall:
    if isinstance(call.arguments, Mapping):
        return call
    return replace(call, arguments=repair_arguments(call.raw or "null"))


def problem(call: ToolCall, tools: Collection[str], language: Language) -> str | None:
    """What is wrong with a call of a tool (not `answer`), in words that help to mend it."""
    if call.name not in tools:
        listed = ", ".join(tools)
        return say(language, "unknown_tool", name=echo(call.name), tools=listed)
    spec = next(spec for spec in tool_specs(language) if spec.name == call.name)
    return wrong(call, PARAMETERS[call.name], spec, language)


def wrong(
    call: ToolCall, parameters: Sequence[str], spec: ToolSpec, language: Language
) -> str | None:
    """What is wrong with the arguments of a tool with these `parameters` (`name?` may lack)."""
    found = _wrong(call, parameters, language)
    return _remark(call, found, spec.parameters, language) if found else None


def bad_arguments(call: ToolCall, wrong: str, language: Language) -> str:
    """A remark on arguments: what is wrong, a capped echo, the schema."""
    schema = next(spec.parameters for spec in tool_specs(language) if spec.name == call.name)
    return _remark(call, wrong, schema, language)


def _remark(call: ToolCall, wrong: str, schema: Mapping[str, object], language: Language) -> str:
    received = call.raw or json.dumps(call.arguments, ensure_ascii=False, default=str)
    return say(
        language,
        "bad_arguments",
        tool=call.name,
        problem=wrong,
        echo=echo(received),
        schema=json.dumps(schema["properties"], ensure_ascii=False),
    )


def _wrong(call: ToolCall, parameters: Sequence[str], language: Language) -> str | None:
    if call.arguments is None:
        return say(language, "no_object")
    needed = [name for name in parameters if not name.endswith("?")]
    lacking = [n for n in needed if not str(call.arguments.get(n) or "").strip()]
    if lacking:
        return say(language, "lacks", keys=", ".join(lacking))
    odd = [n for n in _names(parameters) if isinstance(call.arguments.get(n), list | dict)]
    return say(language, "not_text", keys=", ".join(odd)) if odd else None


def arguments(call: ToolCall) -> dict[str, str]:
    """The arguments of one of our own tools, as text."""
    return given(call, PARAMETERS[call.name])


def given(call: ToolCall, parameters: Sequence[str]) -> dict[str, str]:
    """The arguments that a tool knows, as text; others are ignored, empty ones left out."""
    values = {name: (call.arguments or {}).get(name) for name in _names(parameters)}
    known = {name: str(value).strip() for name, value in values.items() if value is not None}
    if known.get("path") in ("/", ".", "*"):
        known["path"] = ""
    return {k: value for k, value in known.items() if value or f"{k}?" not in parameters}


def key(tool: str, given: Mapping[str, str]) -> Key:
    """A call made comparable: case, width, spaces, order of words and wordings do not count."""
    if tool != "search":
        return (tool, *sorted(given.items()))
    wordings = frozenset(frozenset(fold(w).split()) for w in given.get("keyword", "").split("|"))
    return (tool, wordings, fold(given.get("path", "")).strip("/"))


def same_calls(some: Collection[ToolCall], others: Collection[ToolCall]) -> bool:
    """Whether two rounds asked for the same."""

    def keys(made: Collection[ToolCall]) -> set[Key]:
        return {key(call.name, arguments(call)) for call in made if call.name in PARAMETERS}

    return keys(some) == keys(others)


def echo(text: str) -> str:
    """What somebody wrote, on one line and not too much of it."""
    return one_line(text, ECHO_CHARS)


def _names(parameters: Sequence[str]) -> list[str]:
    return [name.rstrip("?") for name in parameters]
