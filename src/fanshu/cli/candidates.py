"""What a half-typed word may become: documents, sections, commands of a chat."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from fanshu.errors import FanshuError
from fanshu.library.naming import visible
from fanshu.library.terms import fold

if TYPE_CHECKING:
    from fanshu.library.library import Library

MOST = 60  # documents in one list; of more, the folders they lie in


@dataclass(frozen=True, slots=True)
class Candidate:
    """A word that can stand where one is being typed, and what it is about."""

    value: str
    about: str = ""


def places(library: "Library", typed: str, *, sections: bool = True) -> Iterator[Candidate]:
    """Documents that begin as typed, by path or by name; with `#`, the sections of one.

    When that is one document alone, its sections too.
    """
    titles = dict(library.titles())
    path, number, _ = typed.rpartition("#")
    if number and sections:
        for one in titles:
            if visible(one) == path:
                yield from _sections(library, one, typed)
        return
    found = _beginning(titles, typed)
    shown = found if len(found) <= MOST else _folders(found, typed)
    for one in shown:
        yield Candidate(visible(one), titles.get(one, ""))
    if sections and len(found) == 1:
        yield from _sections(library, found[0], f"{visible(found[0])}#")


def _beginning(paths: dict[str, str], typed: str) -> list[str]:
    wanted = fold(typed)
    found = [one for one in paths if fold(visible(one)).startswith(wanted)]
    return found or [one for one in paths if fold(one.rpartition("/")[2]).startswith(wanted)]


def _folders(paths: list[str], typed: str) -> list[str]:
    """The paths as far as the next folder."""
    cut = dict.fromkeys(one[: one.find("/", len(typed)) + 1] or one for one in paths)
    return list(cut)[:MOST]


def _sections(library: "Library", path: str, typed: str) -> Iterator[Candidate]:
    try:
        entries = library.outline(path)
    except FanshuError:
        return
    for one in entries:
        if visible(one.chunk_id).startswith(typed):
            yield Candidate(
                visible(one.chunk_id), " ".join((one.section_path or ("",))[-1].split())
            )
