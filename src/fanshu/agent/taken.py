"""How much of what a model sends is taken in: a reply may hold anything, of any size.

What is too large for any sensible call is not understood, before anything looks at it; what no
text can hold (halves of surrogate pairs) is replaced, or it could be neither sent nor printed.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from fanshu.models import Reply
from fanshu.types import ToolCall

MOST_TEXT = 60_000  # characters of prose, or of one call; a window of 24,000 tokens holds no more
MOST_CALLS = 32  # of one reply; models that call in parallel make three or four
MOST_VALUES = 2_000  # of one call: as many citations and their fields as nobody reads
DEEPEST = 12  # levels of one call; the deepest that is asked for has three
MOST_NAME = 200  # characters of the name of a tool
_HALVES = re.compile("[\ud800-\udfff]")
_TOO_LARGE = "…"  # stands for arguments that are not taken in, and is no JSON


class _TooLarge(Exception):
    """Arguments that nothing should look at."""


def taken_in(reply: Reply) -> Reply:
    """A reply within bounds; where that changes it, it is not replayed as the provider had it."""
    calls = tuple(map(_call, reply.calls[:MOST_CALLS]))
    text = _text(reply.text[:MOST_TEXT])
    if text == reply.text and calls == reply.calls:
        return reply
    return replace(reply, text=text, calls=calls, native=None)


def _call(call: ToolCall) -> ToolCall:
    arguments: Mapping[str, object] | None = None
    raw = call.raw if len(call.raw) <= MOST_TEXT else _TOO_LARGE
    try:
        if isinstance(call.arguments, Mapping):
            arguments = _Arguments().of(call.arguments)
    except _TooLarge:
        raw = _TOO_LARGE
    return replace(call, name=_text(call.name[:MOST_NAME]), arguments=arguments, raw=_text(raw))


def _text(text: str) -> str:
    return text if text.isascii() else _HALVES.sub("\ufffd", text)


class _Arguments:
    """The arguments of one call, gone through once."""

    def __init__(self) -> None:
        self._chars = self._values = 0

    def of(self, given: Mapping[str, object]) -> dict[str, object]:
        """The arguments with clean texts. Raises: _TooLarge."""
        return {_text(str(name)): self._clean(value, 1) for name, value in given.items()}

    def _clean(self, value: object, depth: int) -> object:
        self._values += 1
        if isinstance(value, str):
            self._chars += len(value)
        if self._chars > MOST_TEXT or self._values > MOST_VALUES or depth > DEEPEST:
            raise _TooLarge
        match value:
            case str():
                return _text(value)
            case Mapping():
                return {_text(str(n)): self._clean(one, depth + 1) for n, one in value.items()}
            case list() | tuple():
                return [self._clean(one, depth + 1) for one in value]
            case _:
                return value
