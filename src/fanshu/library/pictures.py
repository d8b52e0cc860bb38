"""Where the pictures of a document are: targets as written → paths like those of documents."""

import posixpath
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from urllib.parse import unquote

from fanshu.library.files import Root, locate
from fanshu.types import Chunk

INSIDE = "!/"  # between a file and the name of a part of it, as in addresses of Java archives
MAX_TARGET = 2_000  # characters; an address that is longer is data
SITE_FOLDERS = ("", "static/", "public/")  # where site generators keep what belongs at the top
_ABSOLUTE = re.compile(r"[a-z][a-z0-9+.-]*:|[/\\#?]", re.IGNORECASE)  # C: as well


def with_pictures(chunk: Chunk, roots: Sequence[Root]) -> Chunk:
    """A chunk whose pictures are written as paths below its root."""
    if not chunk.images:
        return chunk
    names = (f"{root.name}/" for root in roots if root.name)
    root = next((name for name in names if chunk.file_path.startswith(name)), "")
    images = located(chunk.images, chunk.file_path, root)
    return replace(chunk, images=tuple(_on_site(one, root, roots) for one in images))


def _on_site(target: str, root: str, roots: Sequence[Root]) -> str:
    """Where a target from the top of a site (`/img/a.png`) is, if it is in the root."""
    if not target.startswith("/") or target.startswith("//"):
        return target
    for folder in SITE_FOLDERS:
        path = root + folder + unquote(re.split(r"[?#]", target, maxsplit=1)[0]).lstrip("/")
        if _is_file(roots, path):
            return path
    return target


def _is_file(roots: Sequence[Root], path: str) -> bool:
    try:
        found = locate(roots, path)
        return found is not None and found.is_file()
    except (OSError, ValueError):  # a name that is too long, or holds NUL
        return False


def located(targets: Iterable[str], file_path: str, root: str) -> tuple[str, ...]:
    """The targets of a document's pictures, relative ones resolved against its folder.

    `root` begins the paths of all documents of the root (empty, or `NAME/`). What leads out
    of it is left as written, and so is what is no relative path.
    """
    return tuple(dict.fromkeys(_located(target, file_path, root) for target in targets))


def named(target: str) -> str:
    """A target to keep; of a picture that is written out in the page only what it is.

    Empty when nothing names the picture.
    """
    target = target.strip()
    if target[:5].lower() == "data:":
        return re.split(r"[;,]", target[:100], maxsplit=1)[0]
    return target if len(target) <= MAX_TARGET else ""


def _located(target: str, file_path: str, root: str) -> str:
    if target.startswith(INSIDE):
        return file_path + target
    if _ABSOLUTE.match(target):
        return target
    path = unquote(re.split(r"[?#]", target, maxsplit=1)[0]).replace("\\", "/")
    folder = posixpath.dirname(file_path.removeprefix(root))
    below = posixpath.normpath(posixpath.join(folder, path))
    outside = below.startswith(("../", "/")) or below in ("..", ".") or "\0" in below
    return target if outside else root + below
