"""Paths as a shell completes them mean the documents that lie there, and nothing else."""

from pathlib import Path

import pytest

from fanshu.cli.paths import document_path
from fanshu.library.files import Root
from tests.cli.conftest import Fanshu


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder: documents in `docs`, one beside them."""
    for name in ("docs/产品手册/说明.md", "docs/a#1.md", "docs/notes.md", "notes.md", "outside.md"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# x\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("docs/产品手册", "产品手册"),
        ("docs/产品手册/", "产品手册"),
        ("./docs/产品手册/说明.md", "产品手册/说明.md"),
        ("docs/产品手册/../notes.md", "notes.md"),
        ("docs/产品手册/说明.md#2", "产品手册/说明.md#2"),
        ("docs/a#1.md", "a#1.md"),
        ("docs/a#1.md#1", "a#1.md#1"),
        ("docs", ""),
        ("./docs/", ""),
        # What is a path of a document already
        ("notes.md", "notes.md"),
        ("产品手册/说明.md#1", "产品手册/说明.md#1"),
        ("./产品手册", "./产品手册"),
        # What lies outside, or nowhere
        ("./notes.md", "./notes.md"),
        ("outside.md", "outside.md"),
        ("docs/../outside.md", "docs/../outside.md"),
        ("/etc/hosts", "/etc/hosts"),
        ("docs/none.md", "docs/none.md"),
        ("超时 > 重试", "超时 > 重试"),
        ("\0", "\0"),
        ("x" * 5000, "x" * 5000),
        ("", ""),
    ],
)
def test_a_path_on_the_disk_means_the_document_there(place: Path, given: str, meant: str) -> None:
    assert document_path([Root(place / "docs")], given) == meant


def test_an_absolute_path_and_a_link_to_the_documents(place: Path) -> None:
    roots = [Root(place / "docs")]
    assert document_path(roots, str(place / "docs" / "notes.md")) == "notes.md"
    (place / "link").symlink_to(place / "docs")
    assert document_path(roots, "link/notes.md") == "notes.md"
    (place / "docs" / "out").symlink_to(place / "outside.md")
    assert document_path(roots, str(place / "outside.md")) == str(place / "outside.md")


def test_named_roots_and_a_root_that_is_a_file(place: Path) -> None:
    roots = [Root(place / "docs", "handbook"), Root(place / "outside.md", "one")]
    assert document_path(roots, "docs/产品手册") == "handbook/产品手册"
    assert document_path(roots, "docs") == "handbook"
    assert document_path(roots, "outside.md") == "one/outside.md"


def test_search_outline_and_read_take_such_paths(fanshu: Fanshu, docs: Path) -> None:
    for given in ("docs/手册.md", "./docs/手册.md", str(docs / "手册.md")):
        assert fanshu("search", "超时", "--path", given, "--json").json["path"] == "手册.md"
        outlined = fanshu("outline", given, "--json").json
        assert {entry["file_path"] for entry in outlined} == {"手册.md"}
        assert fanshu("read", f"{given}#1", "--json").json["chunk_id"] == "手册.md#1"
    assert fanshu("search", "超时", "--path", "docs/", "--json").json["path"] is None
    assert fanshu("outline", str(docs), "--json").json == fanshu("outline", "--json").json


def test_a_path_outside_the_documents_is_unknown(fanshu: Fanshu, docs: Path) -> None:
    (docs.parent / "secret.md").write_text("超时 99\n", encoding="utf-8")
    for verb in (["search", "超时", "--path"], ["outline"]):
        assert fanshu(*verb, "./secret.md").code == 2
    assert fanshu("read", "./secret.md#1").code == 2
