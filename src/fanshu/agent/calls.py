"""Tool calls before they are made: what was meant, what is wrong, whether two are the same."""

import json
from collections.abc import Collection, Mapping
from dataclasses import replace

from fanshu.agent.layout import one_line
from fanshu.agent.prompts import PARAMETERS, say, tool_specs
from fanshu.agent.seen import Key
from fanshu.library.terms import fold
from fanshu.models import Reply
from fanshu.models.repair import calls_in_text, repair_arguments
from fanshu.types import Language, ToolCall

ECHO_CHARS = 200  # of broken arguments shown back: enough to see what is wrong


def understood(reply: Reply, tools: Collection[str], round_: int) -> Reply:
    """A reply whose calls are calls: those written as text, and arguments that can be mended.

    Calls found in text get ids of their own; every id stands once in the reply.
    """
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
    wrong = _wrong(call, language)
    return bad_arguments(call, wrong, language) if wrong else None


def bad_arguments(call: ToolCall, wrong: str, language: Language) -> str:
    """A remark on arguments: what is wrong, a capped echo, the schema."""
    schema = next(spec.parameters for spec in tool_specs(language) if spec.name == call.name)
    received = call.raw or json.dumps(call.arguments, ensure_ascii=False, default=str)
    return say(
        language,
        "bad_arguments",
        tool=call.name,
        problem=wrong,
        echo=echo(received),
        schema=json.dumps(schema["properties"], ensure_ascii=False),
    )


def _wrong(call: ToolCall, language: Language) -> str | None:
    if call.arguments is None:
        return say(language, "no_object")
    needed = [name for name in PARAMETERS[call.name] if not name.endswith("?")]
    lacking = [n for n in needed if not str(call.arguments.get(n) or "").strip()]
    if lacking:
        return say(language, "lacks", keys=", ".join(lacking))
    odd = [n for n in _names(call.name) if isinstance(call.arguments.get(n), list | dict)]
    return say(language, "not_text", keys=", ".join(odd)) if odd else None


def arguments(call: ToolCall) -> dict[str, str]:
    """The arguments that the tool knows, as text; others are ignored, empty ones left out."""
    values = {name: (call.arguments or {}).get(name) for name in _names(call.name)}
    given = {name: str(value).strip() for name, value in values.items() if value is not None}
    if given.get("path") in ("/", ".", "*"):
        given["path"] = ""
    return {k: value for k, value in given.items() if value or f"{k}?" not in PARAMETERS[call.name]}


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


def _names(tool: str) -> list[str]:
    return [name.rstrip("?") for name in PARAMETERS[tool]]
