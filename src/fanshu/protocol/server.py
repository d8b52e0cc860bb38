"""The MCP server: the tools and documents of a desk, for any transport.

Built on the SDK's lower server: its upper one reads signatures in the place of a table, pages no
resources, and sets up logging for the whole process.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import mcp_types as mcp
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from fanshu import __version__
from fanshu.agent.others import Checked
from fanshu.errors import FanshuError, NoDocuments, UnknownChunk, UnknownPath
from fanshu.protocol import arguments as takes
from fanshu.protocol import asking, looking, resources
from fanshu.protocol import results as gives
from fanshu.protocol.desk import DeskOf
from fanshu.protocol.visiting import READY_SECONDS, Told, Visit
from fanshu.protocol.words import DESCRIPTIONS, how_far, instructions
from fanshu.types import Answer, plain

log = logging.getLogger("fanshu.mcp")

NAME = "fanshu"
MOST_TEXT = 40_000  # characters of one result: what clients take without asking their user
Context = ServerRequestContext[Any, Any]
Run = Callable[[Visit, Any], Awaitable[Told]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: what it takes, what it gives, what it does."""

    name: str
    takes: type[takes.Arguments]
    gives: type
    run: Run
    costs: bool = False

    @property
    def told(self) -> mcp.Tool:
        """The tool as clients see it."""
        title, description = DESCRIPTIONS[self.name]
        return mcp.Tool(
            name=self.name,
            title=title,
            description=description,
            input_schema=takes.schema(self.takes),
            output_schema=TypeAdapter(self.gives).json_schema(mode="serialization"),
            annotations=mcp.ToolAnnotations(
                title=title,
                read_only_hint=True,
                destructive_hint=False,
                idempotent_hint=not self.costs,
                open_world_hint=False,
            ),
        )


TOOLS = (
    Tool("search", takes.Search, gives.Found, looking.search),
    Tool("read", takes.Read, gives.Page, looking.read),
    Tool("next_chunk", takes.Read, gives.Page, looking.next_chunk),
    Tool("prev_chunk", takes.Read, gives.Page, looking.prev_chunk),
    Tool("outline", takes.Outline, gives.Outlined, looking.outline),
    Tool("suggest", takes.Suggest, gives.Suggested, looking.suggest),
    Tool("ask", takes.Ask, Answer, asking.ask, costs=True),
    Tool("check_answer", takes.CheckAnswer, Checked, asking.check_answer),
)


def server(
    desk_of: DeskOf,
    names: Sequence[str] = (),
    *,
    patience: float = READY_SECONDS,
    seconds: float | None = None,
) -> Server[Any]:
    """A server for the callers that `desk_of` knows; `names`: the libraries, where all see them.

    `patience`: seconds that a call waits for a library that is read for the first time.
    `seconds`: of a call that asks no question; a question ends by its own deadline.
    """
    tools = [tool.told for tool in TOOLS]

    def visit(context: Context) -> Visit:
        return Visit(desk_of(context.request), _notes(context), patience)

    async def list_tools(context: Context, params: object) -> mcp.ListToolsResult:  # noqa: ARG001
        return mcp.ListToolsResult(tools=tools)

    async def call_tool(context: Context, params: mcp.CallToolRequestParams) -> mcp.CallToolResult:
        return await _called(visit(context), params.name, params.arguments or {}, seconds)

    async def list_resources(
        context: Context, params: mcp.PaginatedRequestParams | None
    ) -> mcp.ListResourcesResult:
        cursor = params.cursor if params else None
        return await _guarded(visit(context), partial(resources.listed, cursor=cursor))

    async def list_templates(
        context: Context,  # noqa: ARG001 - as called
        params: object,  # noqa: ARG001
    ) -> mcp.ListResourceTemplatesResult:
        return mcp.ListResourceTemplatesResult(resource_templates=[resources.TEMPLATE])

    async def read_resource(
        context: Context, params: mcp.ReadResourceRequestParams
    ) -> mcp.ReadResourceResult:
        return await _guarded(visit(context), partial(resources.read, uri=params.uri))

    return Server(
        NAME,
        version=__version__,
        title="fanshu 翻书",
        instructions=instructions(names),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _notes(context: Context) -> Callable[[str], Awaitable[None]]:
    """Tells the client how it goes, where it has asked to hear."""
    count = 0

    async def note(text: str) -> None:
        nonlocal count
        count += 1
        await context.session.report_progress(count, None, clean(text))

    return note


async def _called(
    visit: Visit, name: str, given: dict[str, Any], seconds: float | None
) -> mcp.CallToolResult:
    """What comes of a call; whatever goes wrong is a result that says what and what next."""
    tool = next((one for one in TOOLS if one.name == name), None)
    if tool is None:
        known = ", ".join(one.name for one in TOOLS)
        return _failed(f"There is no tool {name[:100]!r}. There are: {known}.")
    try:
        arguments = tool.takes.model_validate(clean(given))
    except ValidationError as error:
        return _failed(takes.wrong(name, tool.takes, error))
    except RecursionError:
        return _failed(f"{name} was not called: the arguments are nested too deeply.")
    try:
        async with asyncio.timeout(None if tool.costs else seconds):
            told = await tool.run(visit, arguments)
    except FanshuError as error:
        return _failed(_explained(visit, error))
    except TimeoutError:
        return _failed(f"{name} took too long and was given up; ask for less.")
    except Exception:
        log.exception("the tool %s failed", name)
        return _failed(f"{name} failed; the log of the server says why.")
    return mcp.CallToolResult(
        content=[mcp.TextContent(type="text", text=_bounded(clean(told.text)))],
        structured_content=clean(plain(told.data)),
    )


def _explained(visit: Visit, error: FanshuError) -> str:
    """What an error is, what to do, and whether what is missing may still come."""
    said = [visit.desk.explain(error)]
    if isinstance(error, UnknownChunk):
        said.append("search and outline show the ids.")
    if isinstance(error, UnknownChunk | UnknownPath | NoDocuments):
        desk = visit.desk
        said += filter(None, (how_far("en", name, desk.reading(name)) for name in desk.names))
    return " ".join(said)


def _failed(text: str) -> mcp.CallToolResult:
    content = mcp.TextContent(type="text", text=_bounded(clean(text)))
    return mcp.CallToolResult(content=[content], is_error=True)


def _bounded(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}\n[cut: too long]"


async def _guarded(visit: Visit, work: Callable[[Visit], Awaitable[Any]]) -> Any:
    """A request that is no tool's: its errors are those of the protocol. Raises: MCPError."""
    try:
        return await work(visit)
    except FanshuError as error:
        raise MCPError(mcp.INVALID_PARAMS, clean(visit.desk.explain(error))) from None


def clean(value: Any) -> Any:
    """The same without characters that UTF-8 cannot hold: written as escapes, as over HTTP."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {clean(name): clean(item) for name, item in value.items()}
    return [clean(item) for item in value] if isinstance(value, list) else value
