"""What documents consist of: files, their sections, the sections below one of them.

Only sections are loaded that can be shown, or whose headings the index finds.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fanshu.errors import UnknownPath
from fanshu.library.naming import meant
from fanshu.library.query import wordings
from fanshu.library.store import AllOf, AnyOf, DocumentRecord, Query, Store
from fanshu.library.terms import fold, pattern, phrase
from fanshu.types import Outline, OutlinedFile, OutlineEntry

Documents = Mapping[str, DocumentRecord]
Trail = Sequence[str]

FIRST_LINE = 60  # characters; what is longer is a text, of which only the beginning is a name
BETWEEN = " > "  # headings of a trail, as results show them
_ID = re.compile(r"(?P<path>.+)#(?P<number>\d{1,9})\s*\Z", re.DOTALL)


def entries(
    store: Store, documents: Documents, path: str | None, words: str = ""
) -> tuple[OutlineEntry, ...]:
    """Every chunk below a path in order; with `words`, those that are called so.

    Raises: UnknownPath.
    """
    looked_for = [p for one in _words(words) if (p := pattern(one))]
    found = _below(store, documents, path, words, looked_for)
    if looked_for:
        found = [e for e in found if _is_called(e, documents, looked_for)]
    return tuple(found)


def outline(
    store: Store, documents: Documents, path: str | None, words: str, at_most: int
) -> Outline:
    """The same with the files around it; of several files with more than `at_most` chunks
    together, the files alone.

    Raises: UnknownPath.
    """
    if not words.strip() and not _is_section(documents, path):
        paths = _files(documents, path)
        readable = [documents[one] for one in paths if documents[one].chunks]
        if len(readable) > 1 and sum(record.chunks for record in readable) > at_most:
            return Outline(_outlined(readable), None)
    found = entries(store, documents, path, words)
    held = dict.fromkeys(entry.file_path for entry in found)
    return Outline(_outlined(documents[one] for one in held), found)


def _outlined(records: Iterable[DocumentRecord]) -> tuple[OutlinedFile, ...]:
    return tuple(OutlinedFile(r.path, r.title, r.chunks, r.characters) for r in records)


def _below(
    store: Store,
    documents: Documents,
    path: str | None,
    words: str,
    looked_for: Sequence[re.Pattern[str]],
) -> Sequence[OutlineEntry]:
    """What lies below a path; with words, no more of it than may be called so."""
    if path and (number := _is_section(documents, path)):
        file = meant(documents, path)
        return _around(store.outline(file[:1]), number)
    try:
        paths = _files(documents, path)
    except UnknownPath:
        found = _titled(store, documents, path or "")
        if not found:
            raise
        return found
    anywhere: list[Query] = [p for one in _words(words) if (p := phrase(one))]
    if not anywhere:
        return store.outline(paths)
    titled = {one: fold(f"{one} {documents[one].title}") for one in paths}
    called = [one for one in paths if any(p.search(titled[one]) for p in looked_for)]
    ids = _ids(documents, paths)
    return store.headed(AnyOf(tuple(anywhere)), ids, _ids(documents, called))


def _files(documents: Documents, path: str | None) -> list[str]:
    return meant(documents, path) if path and path.strip("./ ") else list(documents)


def _is_section(documents: Documents, path: str | None) -> int:
    """The number of the chunk that a path names, 0 when it names none."""
    match = _ID.match(path or "")
    return int(match["number"]) if match and path not in documents else 0


def _around(file: Sequence[OutlineEntry], number: int) -> Sequence[OutlineEntry]:
    """A section and those below it, from any of its parts."""
    if number > len(file):
        return ()
    trail = file[number - 1].section_path
    first = number - file[number - 1].part[0]
    last = number
    while trail and last < len(file) and file[last].section_path[: len(trail)] == trail:
        last += 1
    return file[first : max(last, first + file[number - 1].part[1])]


def _titled(store: Store, documents: Documents, heading: str) -> Sequence[OutlineEntry]:
    """The sections with a heading (or the end of a heading trail), and those below them."""
    first, *rest = (part.strip() for part in heading.split(BETWEEN))
    try:
        paths = _files(documents, first) if rest else list(documents)
    except UnknownPath:
        paths, rest = list(documents), [first, *rest]
    wanted = [folded for part in rest or [first] if (folded := fold(part))]
    phrases: list[Query] = [p for one in wanted if (p := phrase(one))]
    if not phrases:
        return ()
    inside = store.headed(AllOf(tuple(phrases)), _ids(documents, paths), ())
    return [entry for entry in inside if _leads_through(entry.section_path, wanted)]


def _leads_through(trail: Trail, wanted: Sequence[str]) -> bool:
    names = [fold(name).strip() for name in trail]
    size = len(wanted)
    return any(names[at : at + size] == wanted for at in range(len(names) - size + 1))


def _ids(documents: Documents, paths: Iterable[str]) -> frozenset[int]:
    return frozenset(documents[path].id for path in paths)


def _words(words: str) -> list[str]:
    return [word for wording in wordings(words) for word in wording.split()]


def _is_called(
    entry: OutlineEntry, documents: Documents, looked_for: Sequence[re.Pattern[str]]
) -> bool:
    """Whether a name of an entry holds one of the words: what an outline shows of it."""
    names = list(_names(entry, documents[entry.file_path].title))
    return any(pattern.search(fold(name)) for pattern in looked_for for name in names)


def _names(entry: OutlineEntry, title: str) -> Iterator[str]:
    """An entry's own heading; of the first, also the file's name and title, and its first line
    where it has no heading.
    """
    if entry.section_path:
        yield entry.section_path[-1]
    if entry.chunk_id.endswith("#1"):
        yield from (entry.file_path, title)
        if not entry.section_path:
            yield entry.beginning.strip().partition("\n")[0][:FIRST_LINE]
