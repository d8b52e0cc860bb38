"""What the check-up keeps of one chunk. It depends on the chunk alone, so it may be cached."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fanshu.checkup import links, mentions, spellings, structure, twins
from fanshu.checkup.claims import Claim, claims_of
from fanshu.library.files import Root
from fanshu.library.library import Library
from fanshu.library.passages import carried
from fanshu.library.pictures import with_pictures
from fanshu.types import Chunk, FileStatus

DATA = (".csv", ".tsv", ".xlsx", ".xls", ".ods")  # figures in rows are data there, not claims
CARRIED_CHARS = 2_000  # looked back for the header of a table that goes on in this part


@dataclass(frozen=True, slots=True)
class Facts:
    """What one chunk says that other chunks can be compared with.

    `body`: what the section holds besides its heading (see `structure.body_of`), for the first
    part of a section; `anchors`: places in it that links can name.
    """

    chunk_id: str
    file_path: str
    section_path: tuple[str, ...]
    level: int
    first: bool
    size: int
    body: str
    claims: tuple[Claim, ...]
    mentions: mentions.Places
    links: tuple[links.Link, ...]
    anchors: frozenset[str]
    images: tuple[str, ...]
    spellings: tuple[spellings.Spelling, ...]
    section: twins.Section | None


def facts_of(chunk: Chunk) -> Facts:
    """The facts of a chunk."""
    path = chunk.file_path.lower()
    data = path.endswith(DATA)
    markdown = path.endswith(links.MARKDOWN)
    return Facts(
        chunk_id=chunk.chunk_id,
        file_path=chunk.file_path,
        section_path=chunk.section_path,
        level=chunk.level,
        first=chunk.part[0] == 1,
        size=len(chunk.text),
        body=structure.body_of(chunk) if chunk.part == (1, 1) else "text",
        claims=() if data else claims_of(chunk),
        mentions=mentions.Places((), frozenset()) if data else mentions.places(chunk.text),
        links=tuple(links.links(chunk.text)) if markdown else (),
        anchors=links.anchors(chunk.text) if markdown else frozenset(),
        images=chunk.images,
        spellings=() if data else tuple(spellings.spellings(chunk.text)),
        section=None if data else twins.section_of(chunk),
    )


def chunks_of(library: Library, file: FileStatus) -> Iterator[Chunk]:
    """The chunks of a file in order, pictures by path, with the header of a table that goes on."""
    before = ""
    for number in range(1, file.chunks + 1):
        chunk = library.store.chunk(file.file_path, number)
        if chunk is None:  # another process has just taken it out
            return
        if chunk.part[0] > 1 and (lead := carried(before, chunk.text)):
            chunk = replace(chunk, carried=lead)
        before = f"{chunk.carried}\n{chunk.text}"[-CARRIED_CHARS:]
        yield with_pictures(chunk, library.roots)


def root_of(roots: tuple[Root, ...], file_path: str) -> str:
    """What the paths of a file's root begin with: empty, or `NAME/`."""
    named = (f"{root.name}/" for root in roots if root.name)
    return next((name for name in named if file_path.startswith(name)), "")
