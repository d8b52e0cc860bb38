"""Paths as a shell completes them → paths of documents."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from fanshu.library.files import Root, locate, posix

_NUMBER = re.compile(r"#\d{1,9}\Z")  # of a chunk id
_OF_THE_DISK = ("/", "./", "../", "~/")  # beginnings that no path of a document has


def document_path(roots: Sequence[Root], given: str) -> str:
    """The path of the document or folder that lies at a place on this disk; "" for a whole root.

    `given` may go on with the number of a chunk. What is a path of a document already, does not
    exist, or lies outside the roots, stays as it is.
    """
    for path, number in _readings(given):
        if not path.startswith(_OF_THE_DISK) and _is_document(roots, path):
            return given
        below = _below(roots, path)
        if below is not None:
            return below + number
    return given


def _readings(given: str) -> Iterator[tuple[str, str]]:
    """The whole as a path, and as a path with the number of a chunk."""
    yield given, ""
    if number := _NUMBER.search(given):
        yield given[: number.start()], number[0]


def _is_document(roots: Sequence[Root], path: str) -> bool:
    with suppress(OSError, ValueError):
        found = locate(roots, path)
        return found is not None and found.exists()
    return False


def _below(roots: Sequence[Root], path: str) -> str | None:
    """Where a path on the disk lies in the roots; None when it is not there, or outside."""
    with suppress(OSError, ValueError):
        place = Path(path).expanduser()
        if not path or not place.exists():
            return None
        # As written, and as it is: links may lead to a root, and lie in one.
        for real in (Path(os.path.abspath(place)), place.resolve()):  # noqa: PTH100 — keeps links
            for root in roots:
                for top in (root.path.absolute(), root.path.resolve()):
                    if real.is_relative_to(top):
                        return _named(root, top, real)
    return None


def _named(root: Root, top: Path, real: Path) -> str:
    """`posix` of what lies below a root, after the root's name."""
    below = real.name if top.is_file() else "" if real == top else posix(real.relative_to(top))
    return "/".join(filter(None, (root.name, below)))
