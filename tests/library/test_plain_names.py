"""Paths and names as Windows, macOS and case-insensitive disks have them."""

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fanshu.errors import UnknownPath
from fanshu.library.files import posix
from fanshu.library.naming import meant, spelled
from fanshu.library.plain_names import is_plain
from fanshu.library.store import DocumentRecord

NAMES = st.text(min_size=1, max_size=20)


def known(*paths: str) -> dict[str, DocumentRecord]:
    blank = dict.fromkeys(DocumentRecord._fields)
    return {path: DocumentRecord(**{**blank, "path": path, "title": ""}) for path in paths}  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "name",
    [
        *("", ".", "..", ".hidden", "a.md ", "a.md.", "C:", "C:a.md", "a.md:stream", "a\\b.md"),
        *("a/b.md", "what?.md", "<a>.md", "a|b.md", '"a".md', "a*.md", "a#1.md", "a\tb.md"),
        *("CON", "con.md", "Nul.tar.md", "COM1.md", "lpt9.txt", "aux .md", "com¹.md", "CONIN$"),
        *("\u202ea.md", "\ud800.md", "x" * 252 + ".md2", "节" * 86, "node_modules", "__pycache__"),
    ],
)
def test_a_name_that_another_system_reads_otherwise_is_not_plain(name: str) -> None:
    assert not is_plain(name)


@pytest.mark.parametrize(
    "name", ["a.md", "A.MD", "交接文档.md", "console.md", "com10.md", "a b.md", "café.md", "x.y.z"]
)
def test_ordinary_names_are_plain(name: str) -> None:
    assert is_plain(name)


@given(NAMES)
def test_a_plain_name_is_one_relative_part_on_every_system(name: str) -> None:
    if is_plain(name):
        for kind in (PureWindowsPath, PurePosixPath):
            path = kind(name)
            assert path.parts == (name,)
            assert not path.is_absolute()
            assert not path.drive


@given(st.lists(NAMES.filter(is_plain), min_size=1, max_size=5))
def test_paths_of_documents_are_the_same_from_every_system(parts: list[str]) -> None:
    assert posix(PureWindowsPath(*parts)) == posix(PurePosixPath(*parts)) == "/".join(parts)


@given(st.lists(NAMES.filter(is_plain), min_size=1, max_size=4), st.sampled_from(["NFC", "NFD"]))
def test_a_path_typed_on_another_system_means_the_same_document(
    parts: list[str], form: str
) -> None:
    stored = "/".join(parts)
    documents = known(stored)
    typed = str(PureWindowsPath(*(unicodedata.normalize(form, part) for part in parts)))
    assert spelled(documents, typed) == stored
    assert meant(documents, typed) == [stored]


def test_names_that_differ_in_case_alone_are_told_apart_where_they_can_be() -> None:
    documents = known("Ops/a.md", "Ops/A.MD")
    assert meant(documents, "Ops/a.md") == ["Ops/a.md"]
    assert meant(documents, "ops\\a.md") == ["Ops/a.md", "Ops/A.MD"]
    assert spelled(documents, "ops/a.md") is None  # which one?


def test_a_backslash_that_stands_in_a_name_is_found_first() -> None:
    documents = known("a\\b.md", "a/b.md")
    assert meant(documents, "a\\b.md") == ["a\\b.md"]
    assert meant(known("a/b.md"), "a\\b.md") == ["a/b.md"]


@pytest.mark.parametrize("path", ["C:\\a.md", "\\\\host\\share\\a.md", "..\\..\\a.md"])
def test_a_place_on_a_disk_is_no_path_of_a_document(path: str) -> None:
    assert spelled(known("b.md"), path) is None
    with pytest.raises(UnknownPath):
        meant(known("b.md"), path)
