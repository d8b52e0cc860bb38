"""Looking into a library: search, read, turn pages, outline, documents, suggestions."""

from pathlib import PurePosixPath
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from fanshu.serve.responses import Json
from fanshu.serve.routes.told import problems, shown
from fanshu.serve.service import Through
from fanshu.types import FileStatus, plain

router = APIRouter(tags=["documents"])

MOST_ENTRIES = 5_000  # of an outline; of more, the files alone are told
MAX_HITS = 100

Words = Annotated[str, Query(min_length=1, max_length=2_000, description="What to look for.")]
Path = Annotated[str | None, Query(max_length=4_000, description="A file, folder or beginning.")]
ChunkId = Annotated[
    str,
    Query(
        alias="id",
        min_length=1,
        max_length=4_000,
        description="The chunk, as searches name it.",
        examples=["manual.md#2"],
    ),
]


class DocumentInfo(BaseModel):
    """A file of a library. `date`: its own, as the document tells it."""

    path: str
    title: str
    size: int
    date: str | None
    state: str
    reason: str | None
    chunks: int
    newer_version: str | None


class FolderInfo(BaseModel):
    """A top-level folder and what it is about."""

    path: str
    files: int
    about: list[str]
    groups: list[dict[str, Any]]


class Documents(BaseModel):
    """The documents of a library that somebody may see."""

    library: str
    synced: str | None
    chunks: int
    characters: int
    folders: list[FolderInfo]
    documents: list[DocumentInfo]


class SuggestionInfo(BaseModel):
    """A search worth trying."""

    words: str
    kind: str
    places: int


class Suggestions(BaseModel):
    """Searches worth trying, the most promising first."""

    query: str
    suggestions: list[SuggestionInfo]


class End(BaseModel):
    """There is no chunk further on."""

    chunk_id: None
    end: Literal[True]


TOLD = (Documents, DocumentInfo, Suggestions, End)


@router.get(
    "/v1/search",
    summary="Search",
    response_class=Response,
    responses={200: shown("SearchResult", "What was found, and how well"), **problems(404, 503)},
)
async def search(
    door: Through,
    q: Words,
    k: Annotated[int, Query(ge=1, le=MAX_HITS, description="How many hits.")] = 10,
    path: Path = None,
) -> Response:
    """The chunks that match best; white space separates words, `|` separates wordings."""
    return Json(await door.call(door.library.search, q, k=k, path=path, scope=door.scope))


@router.get(
    "/v1/chunk",
    summary="Read a chunk, the one after it or before it",
    description="`next=1`, `prev=1` turn the page; where the file ends the answer is "
    '`{"chunk_id": null, "end": true}`. With `hash`, the text must still be the same (409).',
    response_class=Response,
    responses={
        200: {
            "description": "The chunk, or that the file ends here",
            "content": {
                "application/json": {
                    "schema": {
                        "anyOf": [
                            {"$ref": "#/components/schemas/Chunk"},
                            {"$ref": "#/components/schemas/End"},
                        ]
                    }
                }
            },
        },
        **problems(404, 409, 503),
    },
)
async def chunk(
    door: Through,
    chunk_id: ChunkId,
    go_next: Annotated[bool, Query(alias="next", description="The one after it.")] = False,
    go_prev: Annotated[bool, Query(alias="prev", description="The one before it.")] = False,
    expect: Annotated[
        str | None,
        Query(alias="hash", max_length=128, description="That of its text when you saw it."),
    ] = None,
) -> Response:
    """One chunk, whole."""
    library, scope = door.library, door.scope
    if go_next == go_prev:
        return Json(await door.call(library.read, chunk_id, scope=scope, expect=expect))
    turn = library.next if go_next else library.prev
    found = await door.call(turn, chunk_id, scope=scope)
    return Json(found or {"chunk_id": None, "end": True})


@router.get(
    "/v1/outline",
    summary="Files and their sections",
    description=f"Of several files with more than {MOST_ENTRIES:,} chunks `entries` is null; "
    "ask for one of them.",
    response_class=Response,
    responses={200: shown("Outline", "Files, and the chunks in them"), **problems(404, 503)},
)
async def outline(
    door: Through,
    path: Path = None,
    words: Annotated[str, Query(max_length=2_000, description="Only headings with these.")] = "",
) -> Response:
    """Every chunk below a path, in order."""
    contents = door.library.contents
    told = await door.call(contents, path, scope=door.scope, words=words, at_most=MOST_ENTRIES)
    return Json(told)


@router.get(
    "/v1/documents",
    summary="Every file with its state",
    response_class=Response,
    responses={200: shown("Documents", "The documents"), **problems(404, 503)},
)
async def documents(door: Through) -> Response:
    """The files of a library, and what its folders are about."""
    status = await door.call(door.library.status, scope=door.scope)
    folders = await door.call(door.library.folders, scope=door.scope)
    return Json(
        {
            "library": door.shelf.name,
            "synced": status.synced,
            "chunks": status.chunks,
            "characters": status.characters,
            "folders": plain(folders),
            "documents": [document_info(file) for file in status.files],
        }
    )


def document_info(file: FileStatus) -> dict[str, object]:
    """A file as the interface tells of it."""
    return {
        "path": file.file_path,
        "title": file.title or PurePosixPath(file.file_path).stem,
        "size": file.size,
        "date": file.date,
        "state": file.state,
        "reason": file.reason,
        "chunks": file.chunks,
        "newer_version": file.newer_version,
    }


@router.get(
    "/v1/suggest",
    summary="Searches worth trying",
    response_class=Response,
    responses={200: shown("Suggestions", "Made of words that occur"), **problems(404, 503)},
)
async def suggest(door: Through, q: Words) -> Response:
    """For words that find little."""
    found = await door.call(door.library.suggest, q, scope=door.scope)
    told = [
        {"words": one.words, "kind": one.kind, "places": one.places, "from": one.source}
        for one in found.found
    ]
    return Json({"query": q, "complete": found.complete, "suggestions": told})
