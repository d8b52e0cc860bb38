"""The files themselves: as they are, a page of a PDF as a picture, pictures of sections."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse

from fanshu.library import originals
from fanshu.library.parsers import HTML, LIGHT, MARKDOWN, NOTEBOOKS, SOURCES, TABLES, TEXT
from fanshu.serve.drawing import Drawing
from fanshu.serve.routes.told import problems
from fanshu.serve.service import Door, Through

router = APIRouter(tags=["documents"])

# Shown by browsers as text or picture; whatever else is only saved. HTML and SVG are documents
# with a will of their own, and are text here.
AS_TEXT = MARKDOWN | TEXT | TABLES | LIGHT | NOTEBOOKS | SOURCES | HTML | {".svg"}
AS_PICTURE = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}
SAVED = {".pdf": "application/pdf"}
CHECKED = "private, no-cache"  # kept, but asked about each time: rights end with a logout
_PAGE = re.compile(r"(?P<path>.+)#page=(?P<page>\d{1,6})")

FilePath = Annotated[
    str,
    Query(
        alias="path",
        min_length=1,
        max_length=4_000,
        description="The document, as searches name it.",
        examples=["manual.pdf"],
    ),
]
IMAGE: Mapping[str, Any] = {"schema": {"type": "string", "contentMediaType": "image/*"}}


@router.get(
    "/v1/original",
    summary="The file of a document",
    description="Text and pictures are shown, everything else is to be saved; HTML and SVG come "
    "as plain text.",
    response_class=Response,
    responses={
        200: {"description": "The file", "content": {"*/*": {}}},
        206: {"description": "Parts of it", "content": {"*/*": {}}},
        416: {"description": "It has no such part"},
        **problems(404, 503),
    },
)
async def original(door: Through, path: FilePath) -> Response:
    """A file as it is."""
    file = await door.call(originals.original, door.library, path, door.scope)
    kind = PurePosixPath(path).suffix.lower()
    media_type = "application/octet-stream"
    if kind in AS_TEXT:
        media_type = await _text_type(door, path)
    else:
        media_type = AS_PICTURE.get(kind) or SAVED.get(kind, media_type)
    shown = kind in AS_PICTURE or (kind in AS_TEXT and kind not in HTML and kind != ".svg")
    disposition = "inline" if shown else "attachment"
    name = quote(PurePosixPath(path).name.encode("utf-8", "replace"), safe="")
    headers = {"Content-Disposition": f"{disposition}; filename*=UTF-8''{name}"}
    return FileResponse(file.real, media_type=media_type, headers=headers)


async def _text_type(door: Door, path: str) -> str:
    """Plain text, in the encoding that the file was read with."""
    record = (await door.call(door.library.store.records, [path])).get(path)
    encoding = re.sub(r"[^\w-]", "", (record.encoding if record else "") or "utf-8")
    return f"text/plain; charset={encoding}"


@router.get(
    "/v1/page",
    summary="A page of a PDF as a picture",
    response_class=Response,
    responses={
        200: {"description": "The page", "content": {"image/png": dict(IMAGE)}},
        304: {"description": "It is as you have it"},
        **problems(404, 503),
    },
)
async def page(
    request: Request,
    door: Through,
    path: FilePath,
    number: Annotated[int, Query(alias="page", ge=1, le=999_999, description="From 1.")],
) -> Response:
    """A page, counted from 1, as PNG."""
    return await _page(request, door, path, number)


async def _page(request: Request, door: Door, path: str, number: int) -> Response:
    file = await door.call(originals.original, door.library, path, door.scope)
    tag = f'"{file.hash}-{number}"'
    headers = {"ETag": tag, "Cache-Control": CHECKED}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    drawing: Drawing = request.app.state.drawing
    return Response(await drawing.page(file, number), media_type="image/png", headers=headers)


@router.get(
    "/v1/image",
    summary="A picture of a section",
    description="`path` as the `images` of chunks and citations name it: a file, a part of one "
    "(`FILE!/PART`), or a page (`FILE#page=N`).",
    response_class=Response,
    responses={
        200: {"description": "The picture", "content": {"image/*": dict(IMAGE)}},
        304: {"description": "It is as you have it"},
        **problems(404, 503),
    },
)
async def image(request: Request, door: Through, path: FilePath) -> Response:
    """A picture, by its content."""
    if match := _PAGE.fullmatch(path):
        return await _page(request, door, match["path"], int(match["page"]))
    picture = await door.call(originals.picture, door.library, path, door.scope)
    headers = {"Cache-Control": CHECKED}
    return Response(picture.data, media_type=picture.media_type, headers=headers)
