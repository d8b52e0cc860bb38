"""What fanshu keeps on this machine: indexes, traces, cached answers, what was learned of models,
what was typed in conversations.

Their size, and taking them away.
"""

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

INDEXES, TRACES, CACHE, MODELS, HISTORY = "indexes", "traces", "cache", "models", "history"
APPROVED = "approved"  # answers that people approved; no purge takes these
SERVICE = "service"  # users, tokens and history of the service; no purge takes these
ABOUT = "documents.txt"

Kind = Literal["index", "traces", "cache", "models", "history"]
KINDS: dict[str, Kind] = {  # by the folder below the user's data folder
    INDEXES: "index",
    TRACES: "traces",
    CACHE: "cache",
    MODELS: "models",
    HISTORY: "history",
}


@dataclass(frozen=True, slots=True)
class Kept:
    """A folder that fanshu made; `about` names the documents of an index, `bytes` its size."""

    kind: Kind
    path: Path
    bytes: int
    about: str = ""


def kept(data: Path) -> Iterator[Kept]:
    """Everything below the user's data folder that can be made again or was kept for reading."""
    for folder in _folders(data / INDEXES):
        yield Kept("index", folder, _size(folder), _about(folder))
    for name in (TRACES, CACHE, MODELS, HISTORY):
        if (data / name).is_dir():
            yield Kept(KINDS[name], data / name, _size(data / name))


def remove(one: Kept) -> None:
    """Delete a folder of `kept`. Raises: OSError."""
    shutil.rmtree(one.path)


def describe(index: Path, documents: str) -> None:
    """Note beside an index which documents it is of, for whoever finds it later."""
    note = index / ABOUT
    if index.is_dir() and not note.exists():
        note.write_text(documents + "\n", encoding="utf-8", errors="backslashreplace")


def _folders(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.is_dir()) if folder.is_dir() else []


def _about(folder: Path) -> str:
    try:
        return (folder / ABOUT).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def make_private(path: Path) -> None:
    """Make sure that there is a file, and that only its owner may read it. Raises: OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    if os.name == "posix" and path.stat().st_mode & 0o077:
        path.chmod(0o600)


def write_private(path: Path, data: bytes, *, lasting: bool = False) -> None:
    """Put a file in place whole, readable by its owner alone; `lasting`: it is on the disk after.

    Raises: OSError.
    """
    partial = path.with_suffix(".partial")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(data)
        if lasting:
            file.flush()
            os.fsync(file.fileno())
    partial.replace(path)
