"""What models write when they mean arguments: broken JSON, Python, thoughts aloud.

Pure functions. A repair is made only where there is one way to read what was written; in
doubt there is none, and the model is told instead.
"""

import ast
import json
import re
import warnings
from collections.abc import Callable

DEEPEST = 16  # objects and lists in one another; `answer`, the deepest tool, needs three
LONGEST_LITERAL = 20_000  # characters given to Python's literal parser, whose depth is the C stack

_FENCE = re.compile(r"\A```[\w-]*[ \t]*\n?(.*?)\n?[ \t]*```\Z", re.DOTALL)
_THOUGHT = re.compile(r"<(think|thinking)>.*?(?:</\1>|\Z)", re.DOTALL)
_THOUGHT_UNOPENED = re.compile(r"\A.*</(?:think|thinking)>", re.DOTALL)


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
