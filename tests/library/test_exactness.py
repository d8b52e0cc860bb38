"""Chunks joined are the document text, for every file of every format that the tests have."""

from itertools import pairwise
from pathlib import Path

import pytest

from fanshu.library import parsers
from fanshu.library.chunks import chunks

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (ROOT / "tests/cases", ROOT / "examples/library")
FILES = [
    path
    for folder in FOLDERS
    for path in sorted(folder.rglob("*"))
    if path.is_file() and path.suffix.lower() in parsers.SUPPORTED
]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_chunks_joined_are_the_document(path: Path) -> None:
    document = parsers.parse(path.name, path.read_bytes())
    assert "".join(piece.text for piece in chunks(document, 200)) == document.text
    spans = [(section.start, section.end) for section in document.sections]
    assert all(one[1] == two[0] for one, two in pairwise(spans))
    assert not spans or (spans[0][0], spans[-1][1]) == (0, len(document.text))
    assert bool(document.text) == bool(spans)


def test_several_formats_are_among_them() -> None:
    assert {path.suffix for path in FILES} >= {".md", ".txt", ".html", ".pdf", ".docx"}
