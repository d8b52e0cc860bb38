"""Putting files into the folders of a library and taking them out, for services that allow it.

Never out of a root: through no `..`, no link, and into nothing that a walk leaves out.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path, PurePosixPath

from fanshu.errors import NotAllowed
from fanshu.library.files import Root, left_out
from fanshu.library.library import Library
from fanshu.library.originals import original
from fanshu.library.plain_names import is_plain
from fanshu.types import Scope

MAX_PATH = 400  # characters of a path; systems end at 4,096 bytes
PARTIAL = ".fanshu-upload-"  # hidden, so that no walk reads half a file


def target(library: Library, file_path: str, scope: Scope) -> Path:
    """Where a document of this path is, or would be.

    Raises: NotAllowed — it may not be there, and why.
    """
    root, parts = _placed(library.roots, file_path)
    if not scope.allows(file_path):
        raise NotAllowed(detail=f"You may not write {file_path!r}.")
    kind = PurePosixPath(file_path).suffix.lower()
    if not library.limits.reads(kind) or not kind:
        raise NotAllowed(detail=f"Files of kind {kind!r} are not read, so they are not taken.")
    if left_out(library.roots, file_path, library.exclude):
        raise NotAllowed(detail=f"{file_path!r} is left out by a rule of the library.")
    place = root.path.resolve()
    for part in parts[:-1]:
        place /= part
        if place.is_symlink() or (place.exists() and not place.is_dir()):
            raise NotAllowed(detail=f"{part!r} in {file_path!r} is no folder.")
    place /= parts[-1]
    if place.is_symlink() or (place.exists() and not place.is_file()):
        raise NotAllowed(detail=f"{file_path!r} is no file.")
    return place


def _placed(roots: tuple[Root, ...], file_path: str) -> tuple[Root, tuple[str, ...]]:
    """The root that a path lies in, and the names below it. Raises: NotAllowed."""
    for root in roots:
        prefix = f"{root.name}/" if root.name else ""
        if file_path.startswith(prefix) and root.path.is_dir():
            parts = tuple(file_path[len(prefix) :].split("/"))
            if len(file_path) <= MAX_PATH and all(map(is_plain, parts)):
                return root, parts
    raise NotAllowed(detail=f"{file_path!r} is no path that a document can have here.")


class Incoming:
    """A file that is being written, whole or not at all; used with `with`.

    `most`: bytes that it may have. Raises: OSError.
    """

    def __init__(self, place: Path, most: int) -> None:
        self._place, self._most = place, most
        self._partial = place.with_name(f"{PARTIAL}{secrets.token_hex(8)}")

    def __enter__(self) -> "Incoming":
        self._place.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._partial.open("xb")
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        with suppress(OSError):
            self._partial.unlink()

    def write(self, part: bytes) -> None:
        """The next bytes. Raises: NotAllowed — they are too many."""
        if self._file.tell() + len(part) > self._most:
            raise NotAllowed(detail=f"A file may have {self._most:,} bytes.")
        self._file.write(part)

    def keep(self) -> bool:
        """Put the file in its place; whether there was none before."""
        self._file.flush()
        os.fsync(self._file.fileno())
        fresh = not self._place.exists()
        self._partial.replace(self._place)
        return fresh


def remove(library: Library, file_path: str, scope: Scope) -> None:
    """Delete the file of a document. Raises: UnknownPath, NotAllowed, OSError."""
    original(library, file_path, scope)
    target(library, file_path, scope).unlink()
