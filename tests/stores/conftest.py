"""One suite for every store: `place` and `library` come in each kind that there is.

`sqlite` needs nothing and is fast; `opensearch` is a real server (marker `cluster`), on which each
test has a library with a name of its own, taken away afterwards.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from fanshu.library.library import Library
from fanshu.library.store import Store
from tests.library.conftest import Files
from tests.stores.places import SQLITE, Place

KINDS = [
    pytest.param("sqlite", id="sqlite"),
    pytest.param("opensearch", id="opensearch", marks=pytest.mark.cluster),
]

MakePlace = Callable[[Path], Place]
MakeLibrary = Callable[[Files], Library]


def in_file(folder: Path) -> Place:
    """An empty place of SQLite below a folder."""
    docs, index = folder / "docs", folder / "index" / "index.db"
    docs.mkdir(parents=True)
    return Place(docs, f"{SQLITE}{index}", index)


@pytest.fixture(scope="session")
def on_server(request: pytest.FixtureRequest) -> Iterator[MakePlace]:
    """Makes an empty place on a real server, with its folder below another."""
    url = request.getfixturevalue("one_node").urls[0]
    made: list[Place] = []

    def make(folder: Path) -> Place:
        address = f"opensearch://{url.rpartition('/')[2]}/suite-{uuid4().hex[:12]}"
        made.append(replace(in_file(folder), address=address))
        return made[-1]

    yield make
    for place in made:
        place.clear()


@pytest.fixture(scope="session", params=KINDS)
def new_place(request: pytest.FixtureRequest) -> MakePlace:
    """Makes an empty place of one kind below a folder."""
    made: MakePlace = request.getfixturevalue("on_server") if request.param != "sqlite" else in_file
    return made


@pytest.fixture
def place(new_place: MakePlace, tmp_path: Path) -> Iterator[Place]:
    """An empty place, taken away after the test."""
    made = new_place(tmp_path)
    yield made
    made.clear()


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    """An empty store."""
    opened = place.store()
    yield opened
    opened.close()


@pytest.fixture
def library(place: Place) -> Iterator[MakeLibrary]:
    """Makes the library of a test from a mapping of paths to contents."""
    made: list[Library] = []

    def make(files: Files) -> Library:
        place.write(files)
        made.append(place.library())
        made[-1].sync()
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture(scope="module")
def shelf(
    request: pytest.FixtureRequest,
    new_place: MakePlace,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Library]:
    """One library for all tests of a module that only ask: over its `FILES`."""
    place = new_place(tmp_path_factory.mktemp("shelf"))
    place.write(request.module.FILES)
    made = place.library()
    made.sync()
    yield made
    made.close()
