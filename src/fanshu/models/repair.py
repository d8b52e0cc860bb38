"""What models write when they mean a tool call: broken arguments, calls in prose, thoughts aloud.

Pure functions. A repair is made only where there is one way to read what was written; in
doubt there is none, and the model is told instead.
"""

import ast
import json
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping

from fanshu.types import ToolCall

DEEPEST = 16  # objects and lists in one another; `answer`, the deepest tool, needs three
LONGEST_LITERAL = 20_000  # characters given to Python's literal parser, whose depth is the C stack
MOST_PROSE_BESIDE = 200  # characters; models announce a call in a sentence or two, not more

_FENCE = re.compile(r"\A```[\w-]*[ \t]*\n?(.*?)\n?[ \t]*```\Z", re.DOTALL)
_THOUGHT = re.compile(r"<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL)
_THOUGHT_UNOPENED = re.compile(r"\A.*</(?:think|thinking)>", re.DOTALL)
_BLOCK = re.compile(
    r"^[ \t]*(?:"
    r"```[\w-]*[ \t]*\n(?P<fenced>.*?)\n[ \t]*```"
    r"|<(?P<tag>tool_call|function_call)>(?P<tagged>.*?)(?:</(?P=tag)>|\Z)"
    r"|(?P<function><function=[\w-]+>.*?(?:</function>|\Z))"
    r")[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_FUNCTION = re.compile(r"\A<function=([\w-]+)>(.*?)(?:</function>)?\Z", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w-]+)>\n?(.*?)\n?</parameter>", re.DOTALL)


def without_thoughts(text: str) -> str:
    """The text without `<think>…</think>`, also where one of the two tags is missing.

    Servers whose template opens the thought send only the closing tag; a reply that was cut
    has only the opening one.
    """
    return _THOUGHT_UNOPENED.sub("", _THOUGHT.sub("", text)).strip()


def repair_arguments(raw: str) -> dict[str, object] | None:
    """The arguments of a call from what the model wrote, or None when that is not clear.

    Beyond JSON it reads: a fence around it, JSON inside a JSON string, bytes after the end,
    Python quotes, one missing closing brace. Nothing at all means no arguments.
    """
    text = raw.strip()
    if not text:
        return {}
    fenced = _FENCE.match(text)
    if fenced:
        text = fenced[1].strip()
    for read in (_plain, _with_something_after, _with_one_brace_missing, _python):
        arguments = read(text)
        if arguments is not None:
            return arguments
    return None


def calls_in_text(text: str, tools: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls that a model wrote as text instead of making them; empty when it just talks.

    Accepted are a bare JSON object (or list of them) with `name` and `arguments` or
    `parameters`, the same in a fence, in `<tool_call>` or in `<function_call>`, and
    `<function=name>…</function>`, when every name is one of `tools` and little else is said.
    The calls are numbered `call_1`, `call_2` and so on.
    """
    text = without_thoughts(text)
    bare = _named(text, tools)
    found = bare if bare is not None else _in_blocks(text, tools)
    return tuple(
        ToolCall(f"call_{number}", name, repair_arguments(raw), raw)
        for number, (name, raw) in enumerate(found or [], start=1)
    )


_Calls = list[tuple[str, str]]
_CALL_KEYS = {"name", "arguments", "parameters", "id", "type"}


def _in_blocks(text: str, tools: Collection[str]) -> _Calls | None:
    if len(_BLOCK.sub("", text).strip()) > MOST_PROSE_BESIDE:
        return None
    found: _Calls = []
    for block in _BLOCK.finditer(text):
        calls = _named((block["fenced"] or block["tagged"] or block["function"]).strip(), tools)
        if calls is None:
            return None
        found += calls
    return found


def _named(text: str, tools: Collection[str]) -> _Calls | None:
    """Names and raw arguments when the text is nothing but calls of known tools."""
    function = _FUNCTION.match(text)
    if function:
        found = [(function[1], _parameters(function[2]))]
    else:
        found = [_name_and_arguments(value) for value in _values(text)]
    known = found and all(name in tools for name, _ in found)
    return found if known else None


def _parameters(body: str) -> str:
    """JSON from the inside of `<function=…>`: JSON already, or `<parameter=…>` elements."""
    pairs = _PARAMETER.findall(body)
    return json.dumps(dict(pairs), ensure_ascii=False) if pairs else body.strip()


def _values(text: str) -> Iterator[object]:
    """The JSON objects of a text that holds nothing else: one, a list, or one after another."""
    if not text.startswith(("{", "[")):
        return
    decoder, at, values = json.JSONDecoder(strict=False), 0, []
    try:
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            values += value if isinstance(value, list) else [value]
            at += len(text[at:]) - len(text[at:].lstrip(" \t\r\n,;"))
    except (ValueError, RecursionError):
        whole = repair_arguments(text)
        values = [] if whole is None else [whole]
    yield from values


def _name_and_arguments(value: object) -> tuple[str, str]:
    if not isinstance(value, Mapping) or not {*value} <= _CALL_KEYS:
        return "", ""
    arguments = value.get("arguments", value.get("parameters"))
    if arguments is None or not isinstance(value.get("name"), str):
        return "", ""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return value["name"], raw


def _no_constant(name: str) -> object:
    raise ValueError(name)


def _json(text: str) -> object:
    """JSON as it may be sent on: no NaN, no half of a surrogate pair; raw newlines are forgiven."""
    value: object = json.loads(text, strict=False, parse_constant=_no_constant)
    json.dumps(value, ensure_ascii=False).encode()
    return value


def _object(read: Callable[[], object]) -> dict[str, object] | None:
    try:
        value = read()
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None
    if not isinstance(value, dict) or not all(isinstance(key, str) for key in value):
        return None
    return None if _deeper(value, DEEPEST) else value


def _deeper(value: object, levels: int) -> bool:
    """Whether a value has more levels than that: whoever walks it would run out of stack."""
    if not isinstance(value, dict | list):
        return False
    inside = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper(each, levels - 1) for each in inside)


def _plain(text: str) -> dict[str, object] | None:
    def read() -> object:
        value = _json(text)
        return _json(value) if isinstance(value, str) else value

    return _object(read)


def _with_something_after(text: str) -> dict[str, object] | None:
    """An object and then rubbish; a second object or string would make it ambiguous."""
    try:
        _, end = json.JSONDecoder(strict=False).raw_decode(text)
    except (ValueError, RecursionError):
        return None
    return None if set('{["') & set(text[end:]) else _plain(text[:end])


def _with_one_brace_missing(text: str) -> dict[str, object] | None:
    """Only after a closed string, object or list: a number that ends the text may be cut."""
    return _plain(text + "}") if text.endswith(('"', "}", "]")) else None


def _python(text: str) -> dict[str, object] | None:
    """A Python dictionary: single quotes, True, None."""
    if len(text) > LONGEST_LITERAL:
        return None

    def read() -> object:
        with warnings.catch_warnings(action="ignore"):
            value = ast.literal_eval(text)
        as_json = _json(json.dumps(value, ensure_ascii=False))
        return as_json if as_json == value else None

    return _object(read)
