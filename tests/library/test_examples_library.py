"""The example library, searched and read from end to end: what holds for every document."""

import random
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from fanshu.library.library import Library, Root
from fanshu.library.terms import CJK, fold
from fanshu.types import Chunk
from tests.waiting import PATIENCE

DRAWS = 150


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory, examples: Path) -> Iterator[Library]:
    library = Library(
        [Root(examples)], tmp_path_factory.mktemp("index") / "index.db", search_seconds=PATIENCE
    )
    library.sync()
    yield library
    library.close()


def chunks(library: Library) -> list[Chunk]:
    return [library.read(entry.chunk_id) for entry in library.outline()]


def test_every_file_is_read(documents: Library) -> None:
    states = {file.file_path: (file.state, file.reason) for file in documents.status().files}
    assert len(states) >= 12
    assert set(states.values()) == {("ok", None)}


def test_turning_pages_visits_every_chunk_once(documents: Library) -> None:
    for path, _ in documents.titles():
        chunk: Chunk | None = documents.read(f"{path}#1")
        seen = []
        while chunk:
            seen.append(chunk.chunk_id)
            chunk = documents.next(chunk.chunk_id)
        assert seen == [entry.chunk_id for entry in documents.outline(path)]
        for before, here in pairwise(seen):
            back = documents.prev(here)
            assert back
            assert back.chunk_id == before


def test_markdown_and_text_chunks_joined_are_the_file(documents: Library, examples: Path) -> None:
    for path, _ in documents.titles():
        if path.endswith(".md"):
            joined = "".join(c.text for c in chunks(documents) if c.file_path == path)
            assert (examples / path).read_text(encoding="utf-8").endswith(joined)


def test_lines_point_at_the_text(documents: Library, examples: Path) -> None:
    for chunk in chunks(documents):
        if chunk.file_path.endswith(".md"):
            assert chunk.lines
            first, last = chunk.lines
            lines = (examples / chunk.file_path).read_text(encoding="utf-8").splitlines(True)
            assert "".join(lines[first - 1 : last]) == chunk.text.lstrip("\n")


def test_any_piece_of_chinese_is_found(documents: Library) -> None:
    """Drawn with a fixed seed: substrings of 1-12 characters of runs, wherever they stand."""
    draw = random.Random(20)
    runs = [(c.chunk_id, run) for c in chunks(documents) for run in re.findall(f"[{CJK}]+", c.text)]
    for chunk_id, run in draw.choices(runs, k=DRAWS):
        start = draw.randrange(len(run))
        literal = run[start : start + draw.randint(1, 12)]
        result = documents.search(literal, k=1000)
        named = {one for hit in result.hits for one in (hit.chunk_id, *hit.same)}
        assert chunk_id in named
        assert result.level == "phrase"


def test_any_word_is_found(documents: Library) -> None:
    draw = random.Random(21)
    words = [
        (c.chunk_id, w) for c in chunks(documents) for w in re.findall(r"[A-Za-z0-9_.-]+", c.text)
    ]
    for chunk_id, word in draw.choices(words, k=DRAWS):
        result = documents.search(word, k=1000)
        found = {one for hit in result.hits for one in (hit.chunk_id, *hit.same)}
        assert not word.strip("._-") or chunk_id in found


def test_hits_of_a_phrase_hold_it(documents: Library) -> None:
    for words in ("超时", "E-4012", "写超时", "回滚", "rollback"):
        for hit in documents.search(words, k=50).hits:
            whole = fold(f"{hit.file_path} {' '.join(hit.section_path)} {hit.text}")
            assert fold(words).replace("-", "") in re.sub(r"[\s-]", "", whole)


def test_results_do_not_depend_on_how_often_one_asks(documents: Library) -> None:
    first = documents.search("超时 重试 配置", k=10)
    assert all(documents.search("超时 重试 配置", k=10) == first for _ in range(3))
