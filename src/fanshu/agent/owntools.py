"""Tools of your own: what a model may ask besides the documents, and what that is worth.

    Tool("stock", "Pieces of a part in the store.", {"part": "number of the part"}, run)

What a tool says in words is no document: the model reads it and cannot cite it, and figures that
stand nowhere else are listed as unsupported. A tool that finds documents names their `Places`;
these are read through the library and its scope, and can be cited like whatever else was read.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import isawaitable
from itertools import islice
from traceback import format_exception_only
from typing import TYPE_CHECKING

from fanshu.agent import calls
from fanshu.agent.orders import reads_like_orders
from fanshu.agent.prompts import PARAMETERS
from fanshu.errors import ConfigError
from fanshu.models import ToolSpec
from fanshu.types import Observation, ToolCall

if TYPE_CHECKING:
    from fanshu.agent.tools import Tools

MOST_TEXT = 4_000  # characters of a result: as much as five chunks; more would push them out
MOST_PLACES = 5  # chunks of a result, as a search gives in the article's way
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")  # what all providers take


@dataclass(frozen=True, slots=True)
class Places:
    """Chunks of the library as what a tool of your own has found: `chunk_ids`, at most five."""

    chunk_ids: Sequence[str]


Told = str | Places


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of your own.

    The model calls it by `name`, for what `description` says. `parameters`: names with what they
    mean; a name that ends with `?` may be left out. `run` is called with them as text, by keyword,
    and gives words or `Places`; a plain function runs in a thread, an async one in the event loop.
    Whatever it raises is told to the model.
    """

    name: str
    description: str
    parameters: Mapping[str, str]
    run: Callable[..., Told | Awaitable[Told]]

    @property
    def spec(self) -> ToolSpec:
        """The tool as a model sees it."""
        named = {name.rstrip("?"): text for name, text in self.parameters.items()}
        properties = {n: {"type": "string", "description": text} for n, text in named.items()}
        needed = [name for name in self.parameters if not name.endswith("?")]
        schema = {"type": "object", "properties": properties, "required": needed}
        return ToolSpec(self.name, self.description, schema)


def by_name(tools: Sequence[Tool]) -> dict[str, Tool]:
    """Raises: ConfigError — a name that is taken, or that providers do not take."""
    found: dict[str, Tool] = {}
    for tool in tools:
        if tool.name in {*PARAMETERS, "answer", *found}:
            raise ConfigError(name="tools", detail=f"there is a tool {tool.name!r} already")
        if not _NAME.fullmatch(tool.name):
            detail = f"{tool.name!r} cannot be a name; take letters, digits and _"
            raise ConfigError(name="tools", detail=detail)
        found[tool.name] = tool
    return found


class _Failed(Exception):
    """What a tool has raised, in words."""


async def use(tools: "Tools", tool: Tool, call: ToolCall) -> Observation:
    """What a call of such a tool gives; a mistake of the model or the tool is told in words."""
    if problem := calls.wrong(call, tuple(tool.parameters), tool.spec, tools.language):
        return Observation(call.id, call.name, tools.fence.harmless(problem), error=True)
    given = calls.given(call, tuple(tool.parameters))
    try:
        told = await _result(tools, tool, given)
    except _Failed as error:
        said = tools.say("library_error", error=str(error)[:MOST_TEXT])
        return Observation(call.id, call.name, tools.fence.beside(said), error=True)
    if isinstance(told, str):
        return Observation(call.id, call.name, _shown(tools, told), told[:MOST_TEXT])
    return Observation(call.id, call.name, await tools.pages(told), told)


async def _result(tools: "Tools", tool: Tool, given: Mapping[str, str]) -> str | tuple[str, ...]:
    """Words, or chunk ids. Raises: _Failed."""
    told = await tools.call(_called, tool, given)
    try:
        return _checked(await told if isawaitable(told) else told)
    except asyncio.CancelledError as error:
        if (task := asyncio.current_task()) and task.cancelling():
            raise  # the run's own end
        raise _failed(error) from error
    except (Exception, SystemExit, KeyboardInterrupt) as error:
        raise _failed(error) from error


def _called(tool: Tool, given: Mapping[str, str]) -> object:
    """In a thread, whose future cannot hold all that may be raised here. Raises: _Failed."""
    try:
        return tool.run(**given)
    except BaseException as error:
        raise _failed(error) from error


def _failed(error: BaseException) -> _Failed:
    words = "".join(format_exception_only(error)).strip()  # even of one that has none
    return _Failed(_sendable(words))


def _sendable(text: str) -> str:
    """As much as is shown, without half characters, which no request can hold."""
    return text[: MOST_TEXT + 1].encode("utf-8", "replace").decode("utf-8")


def _checked(told: object) -> str | tuple[str, ...]:
    """Raises: TypeError."""
    if isinstance(told, str):
        return _sendable(told)
    if not isinstance(told, Places):
        raise TypeError(f"it gave {type(told).__name__}, neither text nor Places")
    ids = (told.chunk_ids,) if isinstance(told.chunk_ids, str) else told.chunk_ids
    first = tuple(islice(ids, MOST_PLACES))
    if wrong := [one for one in first if not isinstance(one, str)]:
        raise TypeError(f"Places hold chunk ids, not {type(wrong[0]).__name__}")
    return tuple(map(_sendable, first))


def _shown(tools: "Tools", told: str) -> str:
    text = told if len(told) <= MOST_TEXT else f"{told[: MOST_TEXT - 1]}…"
    warning = f"{tools.say('orders')}\n" if reads_like_orders(text) else ""
    return f"{tools.say('no_document')}\n{warning}{tools.fence.around(text)}"
