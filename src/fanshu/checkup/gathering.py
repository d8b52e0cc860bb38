"""The facts of a whole library, read chunk by chunk; texts are not kept."""

import posixpath
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from fanshu.checkup.claims import Claim
from fanshu.checkup.facts import Facts, chunks_of, facts_of
from fanshu.checkup.links import Link
from fanshu.checkup.mentions import Mention
from fanshu.checkup.pages import SUFFIXES, page_links
from fanshu.checkup.references import Places
from fanshu.checkup.spellings import Spellings
from fanshu.checkup.structure import Heading
from fanshu.checkup.twins import Section
from fanshu.errors import UnknownPath
from fanshu.library.library import Library, OnProgress, Progress
from fanshu.types import FileStatus, Scope

CLAIMS_OF_FILE = 3_000  # more is data, whatever the file is called
SECTIONS_OF_FILE = 5_000


@dataclass(slots=True)
class Gathered:
    """What all chunks say. `images`: (file, chunk, path); `pages`: links of HTML files."""

    files: tuple[FileStatus, ...] = ()
    sections: int = 0
    claims: list[Claim] = field(default_factory=list)
    mentions: list[tuple[str, str, Mention]] = field(default_factory=list)
    links: list[tuple[str, str, Link]] = field(default_factory=list)
    pages: list[tuple[str, str, str]] = field(default_factory=list)
    images: list[tuple[str, str, str]] = field(default_factory=list)
    anchors: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    headings: dict[str, list[Heading]] = field(default_factory=lambda: defaultdict(list))
    trails: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    compared: list[Section] = field(default_factory=list)
    places: Places = field(default_factory=Places)
    spellings: Spellings = field(default_factory=Spellings)


def gather(library: Library, scope: Scope, on_progress: OnProgress | None) -> Gathered:
    """Read everything that the scope allows."""
    files = library.status(scope=scope).files
    found = Gathered(files=files)
    with library.store.snapshot():
        for done, file in enumerate(files):
            if on_progress:
                on_progress(Progress(done, len(files), file.file_path))
            _read(library, file, found)
    return found


def _read(library: Library, file: FileStatus, found: Gathered) -> None:
    found.places.add_file(file.file_path, file.title)
    claims = 0
    for count, chunk in enumerate(chunks_of(library, file)):
        if count >= SECTIONS_OF_FILE:
            break
        facts = facts_of(chunk)
        claims += len(facts.claims)
        if claims <= CLAIMS_OF_FILE:
            found.claims.extend(facts.claims)
        _take(found, facts)
    if file.chunks and file.file_path.lower().endswith(SUFFIXES):
        _take_page(library, file.file_path, found)


def _take(found: Gathered, facts: Facts) -> None:
    path, chunk_id = facts.file_path, facts.chunk_id
    found.sections += 1
    found.mentions.extend((path, chunk_id, one) for one in facts.mentions.mentions)
    found.links.extend((path, chunk_id, one) for one in facts.links)
    found.images.extend((path, chunk_id, one) for one in facts.images)
    found.anchors[path] |= facts.anchors
    found.places.add_defined(path, facts.mentions.defined)
    found.spellings.add(chunk_id, facts.spellings)
    found.trails.add((path, facts.section_path))
    if facts.section:
        found.compared.append(facts.section)
    _take_heading(found.headings[path], facts)
    for heading in facts.section_path if facts.first else ():
        found.places.add_heading(path, heading)


def _take_heading(headings: list[Heading], facts: Facts) -> None:
    if facts.first or not headings:
        one = Heading(facts.chunk_id, facts.section_path, facts.level, facts.size, facts.body)
        headings.append(one)
        return
    last = headings[-1]
    size = last.size + facts.size
    headings[-1] = Heading(last.chunk_id, last.trail, last.level, size, last.body)


def _take_page(library: Library, file_path: str, found: Gathered) -> None:
    try:
        links, places = page_links(library, file_path)
    except UnknownPath:  # it has just gone
        return
    found.pages.extend((file_path, target, text) for target, text in links)
    found.anchors[file_path] |= places


def suffix_of(file_path: str) -> str:
    """The ending of a file's name, in lower case."""
    return posixpath.splitext(file_path)[1].lower()


def readable(files: Sequence[FileStatus]) -> list[FileStatus]:
    """The files that have any text."""
    return [file for file in files if file.chunks]
