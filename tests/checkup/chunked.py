"""Chunks of a text, as the library would make them of a Markdown file."""

from pathlib import Path

from fanshu.library.library import Library
from fanshu.types import Chunk


def library_of(folder: Path, files: dict[str, str]) -> Library:
    """A library over files written here."""
    for name, text in files.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Library([folder / "docs"], folder / "index.db")


def chunk(text: str, path: str = "a.md", trail: tuple[str, ...] = ()) -> Chunk:
    """One chunk that nothing else is known of."""
    return Chunk(f"{path}#1", path, trail, len(trail), text, (1, 1), None, (1, 1), "hash")
