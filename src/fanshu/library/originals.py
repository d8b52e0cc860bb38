"""The files behind documents, for people who want to see them as they are.

Only what the index knows and the scope allows; pictures also where they lie beside documents.
"""

import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath

from fanshu.errors import UnknownPath
from fanshu.library.files import left_out, locate, posix
from fanshu.library.library import Library
from fanshu.library.pictures import INSIDE
from fanshu.types import Scope

MAX_PICTURE = 30_000_000  # bytes
_MAGIC = {  # how pictures begin that browsers show
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}
_SVG = "image/svg+xml"


@dataclass(frozen=True, slots=True)
class Original:
    """A file of the library: where it is, and the content hash that the index knows it by."""

    file_path: str
    real: Path
    hash: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture and what kind it is, by its content."""

    data: bytes
    media_type: str


def original(library: Library, file_path: str, scope: Scope) -> Original:
    """The file of a document. Raises: UnknownPath — nothing of that name may be seen."""
    record = library.store.records([file_path]).get(file_path) if scope.allows(file_path) else None
    real = _file(library, file_path) if record else None
    if record is None or real is None:
        raise UnknownPath(path=file_path, closest="-")
    return Original(file_path, real, record.hash)


def picture(library: Library, target: str, scope: Scope) -> Picture:
    """A picture as the `images` of chunks and citations name it: a file, or a part of one.

    Raises: UnknownPath — there is none that may be seen, or it is no picture.
    """
    path, inside, part = target.partition(INSIDE)
    data = _part(library, path, part, scope) if inside else _beside(library, target, scope)
    media_type = _kind(data, target) if data else None
    if data is None or media_type is None:
        raise UnknownPath(path=target, closest="-")
    return Picture(data, media_type)


def _file(library: Library, path: str) -> Path | None:
    """The file at a path, if it is one: a link may lead to what the path does not tell."""
    try:
        real = locate(library.roots, path)
        return real if real and real.is_file() and not _is_link(library, path) else None
    except (OSError, ValueError):  # a name that is too long, or holds NUL
        return None


def _is_link(library: Library, path: str) -> bool:
    prefixes = ((root.path, f"{root.name}/" if root.name else "") for root in library.roots)
    return any(
        (top / path.removeprefix(prefix)).is_symlink()
        for top, prefix in prefixes
        if path.startswith(prefix)
    )


def _named(library: Library, real: Path, path: str) -> str:
    """The path that a file has where it really lies; `path` is how it was called."""
    for root in library.roots:
        prefix, top = f"{root.name}/" if root.name else "", root.path.resolve()
        if path.startswith(prefix) and real.is_relative_to(top) and top.is_dir():
            return prefix + posix(real.relative_to(top))
    return path


def _beside(library: Library, path: str, scope: Scope) -> bytes | None:
    """A picture that lies in the folders, though it is no document."""
    parts = PurePosixPath(path).parts
    if not scope.allows(path) or any(part.startswith(".") for part in parts):
        return None
    real = _file(library, path)
    named = _named(library, real, path) if real else path
    try:
        if real is None or not scope.allows(named):
            return None  # a link to what may not be seen
        if left_out(library.roots, named, library.exclude):
            return None
        if real.stat().st_size > MAX_PICTURE:
            return None
        return real.read_bytes()
    except OSError:
        return None


def _part(library: Library, path: str, part: str, scope: Scope) -> bytes | None:
    """A part of a Word document, of slides or of a book."""
    held = original(library, path, scope)
    try:
        with zipfile.ZipFile(BytesIO(held.real.read_bytes())) as package:
            info = package.getinfo(part)
            return package.read(info) if info.file_size <= MAX_PICTURE else None
    except (OSError, KeyError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile):
        return None


def _kind(data: bytes, name: str) -> str | None:
    for magic, kind in _MAGIC.items():
        if data.startswith(magic):
            return kind
    if data[:2] == b"BM" and data[6:10] == bytes(4):  # reserved; else any text may begin so
        return "image/bmp"
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return _SVG if name.lower().endswith(".svg") and b"<svg" in data[:4_000] else None
