"""Putting documents into a library and taking them out, where it was opened for that."""

from fastapi import APIRouter, Request, Response

from fanshu.errors import NotAllowed, RequestRefused
from fanshu.library import changing
from fanshu.serve.access import Person
from fanshu.serve.responses import Json
from fanshu.serve.routes.files import FilePath
from fanshu.serve.routes.reading import document_info
from fanshu.serve.routes.told import problems, shown
from fanshu.serve.service import Door, Through, Who

router = APIRouter(tags=["writing"])

BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string"}}},
    }
}


@router.put(
    "/v1/documents",
    summary="Put a document into a library",
    description="The body is the file. Only with `--writable`, and for those who may write. The "
    "answer tells how the file was read.",
    response_class=Response,
    openapi_extra=BODY,
    responses={
        200: shown("DocumentInfo", "It has replaced another"),
        201: shown("DocumentInfo", "It is new"),
        **problems(404, 503),
    },
)
async def put(request: Request, door: Through, person: Who, path: FilePath) -> Response:
    """Write a file and read it into the index."""
    _must_be_writable(door, person)
    place = await door.call(changing.target, door.library, path, door.scope)
    most = int(door.shelf.settings.max_file_mb * 1_000_000)
    try:
        with changing.Incoming(place, most) as incoming:
            async for part in request.stream():
                await door.call(incoming.write, part)
            fresh = await door.call(incoming.keep)
    except OSError as error:
        raise RequestRefused(
            detail=f"It cannot be written: {error.strerror}.", status=503
        ) from None
    await door.call(door.library.sync)
    status = await door.call(door.library.status, scope=door.scope)
    told = next((one for one in status.files if one.file_path == path), None)
    if told is None:  # a rule of the folder (.gitignore, exclude) leaves it out
        if fresh:
            await door.call(place.unlink)
        raise NotAllowed(detail=f"{path!r} is left out by a rule of the library.")
    return Json(document_info(told), 201 if fresh else 200)


@router.delete(
    "/v1/documents",
    summary="Take a document out of a library",
    description="Deletes the file. Only with `--writable`, and for those who may write.",
    status_code=204,
    responses={204: {"description": "It is gone"}, **problems(404, 503)},
)
async def remove(door: Through, person: Who, path: FilePath) -> Response:
    """Delete a file and take it out of the index."""
    _must_be_writable(door, person)
    try:
        await door.call(changing.remove, door.library, path, door.scope)
    except OSError as error:
        raise RequestRefused(
            detail=f"It cannot be deleted: {error.strerror}.", status=503
        ) from None
    await door.call(door.library.sync)
    return Response(status_code=204)


def _must_be_writable(door: Door, person: Person) -> None:
    """Raises: NotAllowed."""
    if not door.shelf.planned.writable:
        raise NotAllowed(detail=f"The library {door.shelf.name!r} is not open for changes.")
    person.must_write()
