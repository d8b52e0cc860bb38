"""Putting documents into a library and taking them out."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fanshu.models.extractive import ExtractiveReader
from fanshu.serve.accounts import Account
from tests.serve.served import Served, plan_of, serving

BODY = b"# New\n\nMarmalade.\n"


@pytest.fixture
def writable(folders: dict[str, Path], tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "outside").mkdir()
    (folders["manuals"] / "out").symlink_to(tmp_path / "outside")
    (folders["manuals"] / ".gitignore").write_text("drafts/\n")
    plan = plan_of(folders, {"model": None, "max_file_mb": 0.001}, writable=True)
    with serving(plan, tmp_path / "service", lambda _: ExtractiveReader()) as served:
        yield served


def test_a_document_that_is_put_is_found_and_one_deleted_is_gone(
    writable: Served, folders: dict[str, Path]
) -> None:
    where = {"path": "notes/new.md"}
    with writable.client() as http:
        told = http.put("/v1/documents", params=where, content=BODY)
        assert (told.status_code, told.json()["state"]) == (201, "ok")
        assert http.get("/v1/search", params={"q": "marmalade"}).json()["total"] == 1
        assert http.put("/v1/documents", params=where, content=BODY * 2).status_code == 200
        assert (folders["manuals"] / "notes/new.md").read_bytes() == BODY * 2
        assert http.delete("/v1/documents", params=where).status_code == 204
        assert http.get("/v1/search", params={"q": "marmalade"}).json()["total"] == 0
        assert http.delete("/v1/documents", params=where).status_code == 404
    assert not (folders["manuals"] / "notes/new.md").exists()


@pytest.mark.parametrize(
    "path",
    [
        "../new.md",
        "notes/../../new.md",
        "/etc/new.md",
        "out/new.md",
        ".hidden/new.md",
        "notes/.new.md",
        "a\\b.md",
        "a\u0000b.md",
        "a//b.md",
        "new.exe",
        "new",
        "manual.md/new.md",
        "node_modules/new.md",
        "drafts/new.md",
        "C:new.md",
        "x" * 500 + ".md",
        "n" * 300 + ".md",
        "名" * 90 + "/a.md",
    ],
)
def test_nothing_is_written_where_no_document_can_be(
    writable: Served, tmp_path: Path, path: str
) -> None:
    before = {one for one in tmp_path.rglob("*") if "service" not in one.parts}
    with writable.client() as http:
        told = http.put("/v1/documents", params={"path": path}, content=BODY)
    assert (told.status_code, told.json()["code"]) == (403, "not_allowed")
    after = {one for one in tmp_path.rglob("*") if "service" not in one.parts}
    assert [one for one in after - before if one.is_file()] == []


def test_what_a_rule_leaves_out_is_not_replaced(writable: Served, folders: dict[str, Path]) -> None:
    draft = folders["manuals"] / "drafts" / "mine.md"
    draft.parent.mkdir()
    draft.write_text("kept")
    with writable.client() as http:
        told = http.put("/v1/documents", params={"path": "drafts/mine.md"}, content=BODY)
    assert told.status_code == 403
    assert draft.read_text() == "kept"


def test_a_file_that_is_too_large_leaves_nothing(
    writable: Served, folders: dict[str, Path]
) -> None:
    with writable.client() as http:
        told = http.put("/v1/documents", params={"path": "big.md"}, content=b"x" * 5_000)
    assert told.status_code == 403
    assert not list(folders["manuals"].glob("*big*"))
    assert not list(folders["manuals"].glob(".fanshu*"))


def test_a_library_that_is_not_open_for_changes_stays_as_it_is(
    service: Served, folders: dict[str, Path]
) -> None:
    with service.client() as http:
        for told in (
            http.put("/v1/documents", params={"path": "new.md"}, content=BODY),
            http.delete("/v1/documents", params={"path": "manual.md"}),
        ):
            assert (told.status_code, told.json()["code"]) == (403, "not_allowed")
    assert (folders["manuals"] / "manual.md").exists()


def test_whoever_may_not_write_cannot(folders: dict[str, Path], tmp_path: Path) -> None:
    tokens: list[str] = []
    with (
        serving(
            plan_of(folders, {"model": None}, writable=True, login=True),
            tmp_path / "service",
            lambda _: ExtractiveReader(),
            before=lambda app: tokens.append(app.service.accounts.add_token(Account("a", ""))),
        ) as served,
        served.client(tokens[0]) as http,
    ):
        told = http.put("/v1/documents", params={"path": "new.md"}, content=BODY)
    assert told.status_code == 403
