"""Libraries over a handful of files, made on the spot."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from fanshu.library.library import Library, Root
from tests.waiting import PATIENCE

Files = Mapping[str, str | bytes]


def write(folder: Path, files: Files) -> Path:
    """Write files below a folder; text as UTF-8, exactly as given."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Callable[[Files], Library]]:
    """Make a synced library from a mapping of paths to contents."""
    made: list[Library] = []

    def make(files: Files) -> Library:
        folder = write(tmp_path / f"docs{len(made)}", files)
        index = tmp_path / f"index{len(made)}" / "index.db"
        one = Library([Root(folder)], index, search_seconds=PATIENCE)
        one.sync()
        made.append(one)
        return one

    yield make
    for one in made:
        one.close()
