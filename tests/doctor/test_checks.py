"""What the doctor sees of an installation, without touching it."""

import os
import sqlite3
from pathlib import Path

import pytest

from fanshu import app
from fanshu.doctor.checks import installation
from fanshu.doctor.findings import Finding
from fanshu.library.parsers import needs
from fanshu.settings import load, user_data

CASES = Path(__file__).resolve().parents[1] / "cases" / "parsers"


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "work" / "docs"
    folder.mkdir(parents=True)
    (folder / "a.md").write_text("# A\n\nText.\n", encoding="utf-8")
    monkeypatch.chdir(folder.parent)
    return folder


def examined(docs: Path, **settings: object) -> dict[str, Finding]:
    loaded = load({"docs": (str(docs),), **settings})
    return {one.code: one for one in installation(loaded)}


def indexed(docs: Path, **settings: object) -> Path:
    loaded = load({"docs": (str(docs),), **settings}).settings
    library = app.open_library(loaded)
    library.sync()
    library.close()
    return library.index


def test_looking_makes_no_index(docs: Path) -> None:
    found = examined(docs)
    assert found["index_none"].level == "note"
    assert "docs_unknown" in found
    assert not user_data().exists()
    assert not [one for one in found.values() if one.level == "attention"]


def test_a_healthy_index(docs: Path) -> None:
    indexed(docs)
    found = examined(docs)
    assert found["index_ok"].values["files"] == 1
    assert found["docs_ok"].values["files"] == 1
    assert not [one for one in found.values() if one.level == "attention"]


def test_files_that_differ_are_counted_and_left_alone(docs: Path) -> None:
    indexed(docs)
    (docs / "b.md").write_text("# B\n", encoding="utf-8")
    for _ in range(2):
        assert examined(docs)["index_behind"].values["count"] == 1


def test_an_index_of_another_version_stays_as_it_is(docs: Path) -> None:
    index = indexed(docs)
    with sqlite3.connect(index) as db:
        db.execute("UPDATE meta SET value = '1.0' WHERE key = 'schema'")
    for _ in range(2):
        assert examined(docs)["index_old"].values["schema"] == "1.0"


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="optional: needs file modes")
def test_an_index_that_may_only_be_read_is_stuck_when_behind(docs: Path) -> None:
    index = indexed(docs)
    (docs / "b.md").write_text("# B\n", encoding="utf-8")
    index.chmod(0o400)
    assert examined(docs)["index_stuck"].level == "attention"


def test_a_file_that_is_no_index(docs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "index.db").write_bytes(b"not a database at all" * 100)
    found = examined(docs, index=str(folder))["index_unusable"]
    assert found.level == "attention"
    assert "not a database" in str(found.values["why"])


def test_an_index_among_the_documents_is_a_matter_of_index(docs: Path) -> None:
    found = examined(docs, index=str(docs / "here"))
    assert found["index_unusable"].settings == ("index",)


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    found = examined(tmp_path / "nowhere")
    assert found["docs_missing"].settings == ("docs",)


def test_unreadable_files_are_grouped_by_what_helps(docs: Path) -> None:
    for name in ("p07_image_only.pdf", "p08_encrypted_user.pdf", "p10_truncated.pdf"):
        (docs / name).write_bytes((CASES / name).read_bytes())
    for name in ("x.bin", "y.bin"):
        (docs / name).write_bytes(b"\x00\x01")
    (docs / "large.md").write_text("长" * 500_000, encoding="utf-8")
    indexed(docs, max_file_mb=0.5)
    found = examined(docs, max_file_mb=0.5)
    assert found["docs_encrypted"].values["files"] == "p08_encrypted_user.pdf"
    assert found["docs_large"].settings == ("max_file_mb",)
    assert found["docs_skipped"].values["count"] == 2
    assert found["docs_skipped"].level == "note"
    scanned = "docs_without_text" if needs.has_ocr() else "docs_no_text"
    assert "p07_image_only.pdf" in str(found[scanned].values["files"])


def test_nothing_readable(docs: Path) -> None:
    (docs / "a.md").unlink()
    (docs / "x.bin").write_bytes(b"\x00\x01")
    indexed(docs)
    assert examined(docs)["docs_empty"].level == "attention"


def test_dropped_and_unknown_settings_need_attention(
    docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (docs.parent / "fanshu.toml").write_text('model = "openai:x"\nhits = 7\n', encoding="utf-8")
    monkeypatch.setenv("FANSHU_MODLE", "x")
    found = {one.code: one for one in installation(load(None))}
    assert found["settings_dropped"].values["names"] == "model"
    assert found["settings_unknown"].values["names"] == "FANSHU_MODLE"
    assert found["settings_from"].values["names"] == "hits"
