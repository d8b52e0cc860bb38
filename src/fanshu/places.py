"""Where things are by the settings: the folders of documents, and that of their index."""

import hashlib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from fanshu import keeping
from fanshu.errors import ConfigError, FolderMissing, FolderUnreadable
from fanshu.library.files import Root
from fanshu.settings import Settings, user_data
from fanshu.settings_file import IN_FILE, split_name

INDEX_FILE = "index.db"


def roots(settings: Settings) -> tuple[Root, ...]:
    """The folders and files to read, each once.

    A single one has no name unless it was given one, so that paths stay short. Several are
    named after their folders; equal names get a number.

    Raises: FolderMissing; FolderUnreadable; ConfigError — one name was given to two.
    """
    named: dict[Path, str] = {}
    for docs in settings.docs:
        name, place = split_name(docs)
        named.setdefault(_real(place), name)
    if len(named) == 1:
        return tuple(Root(path, name) for path, name in named.items())
    return tuple(_distinct(named))


def _real(place: str) -> Path:
    path = Path(os.path.expanduser(place))  # noqa: PTH111 — Path's raises for unknown users
    try:
        path.stat()
        return path.resolve()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FolderMissing(path=place) from error
    except OSError as error:
        raise FolderUnreadable(path=place, detail=error.strerror) from error


def _distinct(named: dict[Path, str]) -> list[Root]:
    given: dict[str, Path] = {}
    for path, name in named.items():
        if name and (other := given.setdefault(name.casefold(), path)) != path:
            raise ConfigError(name="docs", detail=f"{name!r} names both {other} and {path}")
    wanted = {path: name or _own_name(path) for path, name in named.items()}
    taken = set(given)
    chosen = []
    for path, name in wanted.items():
        if named[path]:
            chosen.append(Root(path, name))
            continue
        free, count = name, 2
        while free.casefold() in taken:
            free, count = f"{wanted[path]}-{count}", count + 1
        taken.add(free.casefold())
        chosen.append(Root(path, free))
    return chosen


def _own_name(path: Path) -> str:
    folder = path if path.is_dir() else path.parent
    return folder.name or "root"


def index_file(settings: Settings, over: Sequence[Root]) -> Path:
    """The file of the index: that of a store `sqlite:FILE`, else one in the folder of indexes.

    Raises: ConfigError — it would lie among the documents; it is named twice.
    """
    store = settings.store or ""
    if settings.remote and not settings.index:  # what this machine needs for reading its roots
        place = settings.store_shown or ""
        return user_data() / keeping.INDEXES / _short(place) / INDEX_FILE
    if not store.startswith(IN_FILE):
        return index_folder(settings, over) / INDEX_FILE
    if settings.index:
        raise ConfigError(name="store", detail="the index is named twice, by `index` as well")
    file = store_file(store)
    _check_apart(file.parent, over, settings.exclude)
    return file


def store_file(store: str) -> Path:
    """The file that `sqlite:FILE` names, or that in the folder of an index.

    Raises: ConfigError — it looks like a host, or is none.
    """
    file = Path(store.removeprefix(IN_FILE)).expanduser()
    host = re.match(f"{IN_FILE}//(?!/)", store)
    if host or not file.name:
        detail = "sqlite: stands before the name of a file"
        raise ConfigError(name="store", detail=f"{detail}, as in sqlite:index.db")
    return file / INDEX_FILE if file.is_dir() else file


def index_folder(settings: Settings, over: Sequence[Root]) -> Path:
    """Where the index lives: the folder of `--index`, else one per set of documents.

    Options are no part of the name: a changed one redoes only what it touches.

    Raises: ConfigError — it would lie among the documents, which are only ever read.
    """
    if settings.index:
        folder = Path(settings.index).expanduser()
        _check_apart(folder, over, settings.exclude)
        return folder
    return user_data() / keeping.INDEXES / identity(over)


def identity(over: Sequence[Root]) -> str:
    """A short name for a set of documents: the same for the same folders under the same names."""
    return _short("\0".join(f"{root.name}={root.path}" for root in over))


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _check_apart(folder: Path, over: Sequence[Root], exclude: Sequence[str]) -> None:
    """An index may lie below a documents folder only where no documents are looked for."""
    from pathspec import GitIgnoreSpec

    place = folder.resolve()
    for root in over:
        if not place.is_relative_to(root.path):
            continue
        below = place.relative_to(root.path)
        hidden = any(part.startswith(".") for part in below.parts)
        if not hidden and not GitIgnoreSpec.from_lines(exclude).match_file(f"{below}/x"):
            detail = f"{str(folder)!r} lies among the documents of {str(root.path)!r}"
            raise ConfigError(name="index", detail=f"{detail}, which are only ever read")
