"""Documents as resources: every readable file of every library, by an address of its own.

`fanshu://LIBRARY/PATH` is a document as text, `fanshu://LIBRARY/PATH#3` its third chunk.
"""

import asyncio
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple
from urllib.parse import quote, unquote, urlsplit

import mcp_types as mcp
from mcp.shared.exceptions import MCPError

from fanshu.agent.orders import reads_like_orders
from fanshu.errors import UnknownLibrary
from fanshu.protocol.desk import Opened
from fanshu.protocol.results import DATA
from fanshu.protocol.visiting import Visit
from fanshu.types import Chunk

SCHEME = "fanshu"
PAGE = 100  # documents in one answer to resources/list
MOST_TEXT = 40_000  # characters of one document; clients put a resource into the conversation whole
MARKDOWN = (".md", ".markdown", ".mdx")
TEMPLATE = mcp.ResourceTemplate(
    name="document",
    title="A document, or one chunk of it",
    uri_template=f"{SCHEME}://{{library}}/{{+path}}{{#number}}",
    description=f"library and path as outline shows them, #number as in a chunk id. {DATA}",
    mime_type="text/plain",
)


class _Address(NamedTuple):
    library: str
    path: str
    number: str = ""


def address(library: str, file_path: str) -> str:
    """The address of a document."""
    name, path = (quote(one, safe="/", errors="replace") for one in (library, file_path))
    return f"{SCHEME}://{name}/{path}"


async def listed(visit: Visit, cursor: str | None) -> mcp.ListResourcesResult:
    """A page of the documents of all libraries. Raises: MCPError, LibraryError."""
    names = visit.desk.names
    at, begin = _position(names, cursor)
    found: list[mcp.Resource] = []
    for number in range(at, len(names)):
        async with visit.open(names[number], "en") as opened:
            titles = await asyncio.to_thread(opened.library.titles, scope=opened.scope)
        room = PAGE - len(found)
        found += [_resource(opened, *one) for one in titles[begin : begin + room]]
        if len(titles) > begin + room:
            return mcp.ListResourcesResult(
                resources=found, next_cursor=f"{begin + room}:{names[number]}"
            )
        begin = 0
    return mcp.ListResourcesResult(resources=found)


def _position(names: tuple[str, ...], cursor: str | None) -> tuple[int, int]:
    """Which library a page begins in, and with which of its documents."""
    if not cursor:
        return 0, 0
    begin, _, name = cursor.partition(":")
    if name not in names or not (begin.isascii() and begin.isdigit() and len(begin) < 10):
        raise MCPError(mcp.INVALID_PARAMS, f"{cursor[:100]!r} is no cursor of this list.")
    return names.index(name), int(begin)


def _resource(opened: Opened, file_path: str, title: str) -> mcp.Resource:
    return mcp.Resource(
        name=file_path,
        title=title or PurePosixPath(file_path).stem,
        uri=address(opened.name, file_path),
        mime_type=_mime_type(file_path),
    )


def _mime_type(file_path: str) -> str:
    """Of the text that is given, whatever the file is."""
    return "text/markdown" if file_path.lower().endswith(MARKDOWN) else "text/plain"


# ---------------------------------------------------------------- reading one


async def read(visit: Visit, uri: str) -> mcp.ReadResourceResult:
    """A document or a chunk of it. Raises: MCPError, LibraryError."""
    wanted = _wanted(uri)
    try:
        (name,) = visit.meant(wanted.library)
        async with visit.open(name, "en") as opened:
            text = await asyncio.to_thread(_text, opened, wanted)
    except UnknownLibrary:
        raise _unknown(uri) from None
    if text is None:
        raise _unknown(uri)
    meta = {f"{SCHEME}/note": DATA} if reads_like_orders(text) else None
    contents = mcp.TextResourceContents(
        uri=uri, mime_type=_mime_type(wanted.path), text=text, _meta=meta
    )
    return mcp.ReadResourceResult(contents=[contents])


def _wanted(uri: str) -> _Address:
    try:
        parts = urlsplit(uri)
        # urlsplit lowers the case of a host, which a library's name has to keep.
        library, _, path = uri.partition("://")[2].partition("#")[0].partition("/")
    except ValueError:
        raise _unknown(uri) from None
    if parts.scheme != SCHEME or not library or not path:
        raise _unknown(uri)
    return _Address(unquote(library), unquote(path), parts.fragment)


def _unknown(uri: str) -> MCPError:
    hint = f"Addresses are {SCHEME}://LIBRARY/PATH, as resources/list gives them."
    return MCPError(
        mcp.INVALID_PARAMS, f"There is no resource {uri[:300]!r}. {hint}", {"uri": uri[:300]}
    )


def _text(opened: Opened, wanted: _Address) -> str | None:
    library, scope, path = opened.library, opened.scope, wanted.path
    if path not in (known for known, _ in library.titles(scope=scope)):
        return None
    if wanted.number:
        return library.read(f"{path}#{wanted.number}", scope=scope).text[:MOST_TEXT]
    chunk: Chunk | None = library.read(f"{path}#1", scope=scope)
    pieces: list[str] = []
    room, turn = MOST_TEXT, partial(library.next, scope=scope)
    while chunk and len(chunk.text) <= room:
        pieces.append(chunk.text)
        room -= len(chunk.text)
        chunk = turn(chunk.chunk_id)
    if chunk:
        pieces.append(f"\n\n[The document goes on: read {chunk.chunk_id}, then next_chunk.]\n")
    return "".join(pieces)
