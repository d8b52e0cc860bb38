"""What fanshu keeps on this machine: indexes and traces, their size, and taking them away."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

INDEXES, TRACES = "indexes", "traces"
ABOUT = "documents.txt"

Kind = Literal["index", "traces"]


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
    if (data / TRACES).is_dir():
        yield Kept("traces", data / TRACES, _size(data / TRACES))


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
