"""The index follows the files: U15, U17-U21 as far as they concern syncing."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from filelock import FileLock

from fanshu.errors import ChunkChanged, FolderMissing, IndexUnwritable, UnknownChunk
from fanshu.library.library import Library, Root
from fanshu.library.locations import Local
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import Candidate, DocIds, Query
from fanshu.library.terms import phrase
from fanshu.types import Scope, SyncReport
from tests.waiting import PATIENCE

MakeLibrary = Callable[..., Library]


def folder(library: Library) -> Path:
    return library.roots[0].path


def test_u15_encodings_are_found_and_recorded(library: MakeLibrary) -> None:
    documents = library(
        {
            "gbk.txt": "公司制度与流程说明，请各部门遵照执行。".encode("gbk"),
            "utf16.txt": "公司制度与流程说明，请各部门遵照执行。".encode("utf-16-le"),
            "bom.txt": b"\xef\xbb\xbf" + "制度".encode(),
            "nul.txt": "前言\x00制\x00度在此".encode(),
            "binary.txt": bytes(range(256)) * 40,
        }
    )
    hits = {hit.file_path for hit in documents.search("制度").hits}
    assert {"gbk.txt", "utf16.txt", "bom.txt"} <= hits
    states = {file.file_path: file for file in documents.status().files}
    assert states["gbk.txt"].encoding == "gb18030"
    assert states["utf16.txt"].encoding == "utf-16-le"
    assert states["binary.txt"].state == "skipped"
    assert documents.search("度在此").hits[0].file_path == "nul.txt"


def test_u17_same_name_in_two_folders(library: MakeLibrary) -> None:
    documents = library({"a/readme.md": "苹果", "b/readme.md": "香蕉"})
    assert documents.search("苹果").hits[0].chunk_id == "a/readme.md#1"
    assert documents.search("香蕉").hits[0].chunk_id == "b/readme.md#1"


def test_u18_deleted_files_leave_no_ghost(library: MakeLibrary) -> None:
    documents = library({"x.md": "旧文字", "y.md": "别的"})
    (folder(documents) / "x.md").unlink()
    result = documents.search("旧文字")
    assert (result.total, result.hits) == (0, ())
    with pytest.raises(UnknownChunk):
        documents.read("x.md#1")


def test_u18_edited_files_are_read_anew(library: MakeLibrary) -> None:
    documents = library({"x.md": "旧文字"})
    (folder(documents) / "x.md").write_text("全新内容", encoding="utf-8")
    assert documents.search("旧文字").hits == ()
    assert documents.search("全新内容").hits[0].chunk_id == "x.md#1"


def test_u18_renamed_files_keep_only_the_new_path(library: MakeLibrary) -> None:
    documents = library({"x.md": "旧文字"})
    (folder(documents) / "x.md").rename(folder(documents) / "z.md")
    report = documents.sync()
    assert (report.renamed, report.parsed, report.removed) == (1, 0, 0)
    assert [hit.file_path for hit in documents.search("旧文字").hits] == ["z.md"]


def test_u20_nothing_is_parsed_twice(library: MakeLibrary) -> None:
    documents = library({f"{i}.md": f"文件 {i}" for i in range(20)})
    assert documents.sync().unchanged == 20
    os.utime(folder(documents) / "3.md", (1, 1))
    assert (documents.sync().parsed, documents.sync().unchanged) == (0, 20)
    (folder(documents) / "3.md").write_text("改过", encoding="utf-8")
    assert documents.sync().parsed == 1


def test_u21_links_never_lead_out_or_around(library: MakeLibrary, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("机密", encoding="utf-8")
    documents = library({"a/x.md": "里面"})
    (folder(documents) / "a" / "loop").symlink_to("..")
    (folder(documents) / "a" / "out.md").symlink_to(tmp_path / "outside.md")
    documents.sync()
    assert documents.search("机密").hits == ()
    states = {file.file_path: file.reason for file in documents.status().files}
    assert states == {"a/x.md": None, "a/out.md": "link out of the folder"}
    for chunk_id in ("../outside.md#1", "a/out.md#1", "/etc/passwd#1", "a/../../outside.md#1"):
        with pytest.raises(UnknownChunk):
            documents.read(chunk_id)


def test_ignored_and_hidden_files_are_left_out(library: MakeLibrary) -> None:
    documents = library(
        {
            ".gitignore": "build/\n*.tmp.md\n",
            "docs/.fanshuignore": "draft*\n!draft-final.md\n",
            "a.md": "甲",
            "x.tmp.md": "乙",
            "build/b.md": "丙",
            ".hidden/c.md": "丁",
            "docs/draft1.md": "戊",
            "docs/draft-final.md": "己",
        }
    )
    assert [path for path, _ in documents.titles()] == ["a.md", "docs/draft-final.md"]


def test_one_bad_file_does_not_stop_the_rest(library: MakeLibrary) -> None:
    documents = library({"good.md": "好文件", "bad.pdf": b"%PDF-1.4 broken", "x.bin": b"\x00\x01"})
    states = {file.file_path: file.state for file in documents.status().files}
    assert states == {"good.md": "ok", "bad.pdf": "failed", "x.bin": "skipped"}
    assert documents.search("好文件").hits


def test_a_chunk_that_moved_is_found_by_its_text(library: MakeLibrary) -> None:
    documents = library({"x.md": "# 甲\n\n正文一\n\n# 乙\n\n正文二\n"})
    shown = documents.read("x.md#2")
    (folder(documents) / "x.md").write_text(
        "# 新\n\n开头\n\n# 甲\n\n正文一\n\n# 乙\n\n正文二\n", encoding="utf-8"
    )
    with pytest.raises(ChunkChanged) as changed:
        documents.read("x.md#2", expect=shown.hash)
    assert changed.value.now == "x.md#3"
    (folder(documents) / "x.md").write_text("# 全新\n", encoding="utf-8")
    with pytest.raises(ChunkChanged) as changed:
        documents.read("x.md#2", expect=shown.hash)
    assert changed.value.now is None


def test_pages_turn_inside_a_file_only(library: MakeLibrary) -> None:
    documents = library({"a.md": "# 甲\n\n一\n\n# 乙\n\n二\n", "b.md": "# 丙\n"})
    second = documents.next("a.md#1")
    assert second is not None
    assert second.section_path == ("乙",)
    assert second.lines == (5, 7)
    assert documents.next("a.md#2") is None
    assert documents.prev("a.md#1") is None
    assert documents.prev("a.md#2") == documents.read("a.md#1")


def test_scope_hides_chunks(library: MakeLibrary) -> None:
    documents = library({"open/a.md": "甲", "secret/b.md": "乙"})
    seen = Scope(("open/*",))
    for reading in (documents.read, documents.next, documents.prev):
        with pytest.raises(UnknownChunk):
            reading("secret/b.md#1", scope=seen)
    assert [file.file_path for file in documents.status(scope=seen).files] == ["open/a.md"]
    assert [entry.file_path for entry in documents.outline(scope=seen)] == ["open/a.md"]
    assert [summary.path for summary in documents.folders(scope=seen)] == ["open/"]


def test_named_roots_prefix_their_paths(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "readme.md").write_text(f"文件 {name}", encoding="utf-8")
    roots = [Root(tmp_path / "one", "甲"), Root(tmp_path / "two" / "readme.md", "乙")]
    documents = Library(roots, tmp_path / "index.db", search_seconds=PATIENCE)
    documents.sync()
    assert [path for path, _ in documents.titles()] == ["乙/readme.md", "甲/readme.md"]
    assert documents.read("乙/readme.md#1").text == "文件 two"
    documents.close()


def test_newer_versions_of_a_document_are_named(library: MakeLibrary) -> None:
    documents = library({"条例(2021-03-01).txt": "第一条 旧", "条例(2024-05-01).txt": "第一条 新"})
    old = documents.read("条例(2021-03-01).txt#1")
    assert (old.date, old.newer_version) == ("2021-03-01", "条例(2024-05-01).txt")
    assert documents.read("条例(2024-05-01).txt#1").newer_version is None
    seen = Scope(("*2021*",))
    assert documents.read("条例(2021-03-01).txt#1", scope=seen).newer_version is None


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    documents = Library([Root(tmp_path / "nowhere")], tmp_path / "index.db")
    with pytest.raises(FolderMissing, match="nowhere"):
        documents.sync()
    documents.close()


def test_an_index_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(IndexUnwritable):
        Library([Root(tmp_path)], tmp_path / "file" / "index.db")
    with sqlite3.connect(tmp_path / "foreign.db") as db:
        db.execute("CREATE TABLE content(id, text)")
        db.execute("INSERT INTO content VALUES(1, 'precious')")
    with pytest.raises(IndexUnwritable, match="another program"):
        Library([Root(tmp_path)], tmp_path / "foreign.db")
    with sqlite3.connect(tmp_path / "foreign.db") as db:
        assert db.execute("SELECT text FROM content").fetchall() == [("precious",)]
    (tmp_path / "rubbish.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(IndexUnwritable, match="delete it"):
        Library([Root(tmp_path)], tmp_path / "rubbish.db")


def test_options_redo_only_what_they_touch(tmp_path: Path) -> None:
    for name, text in (("a.md", "甲"), ("b.md", "乙" * 2000), ("old/c.md", "丙")):
        (tmp_path / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")

    def sync(**options: object) -> SyncReport:
        library = Library([Root(tmp_path / "docs")], tmp_path / "i.db", **options)  # type: ignore[arg-type]
        report = library.sync()
        library.close()
        return report

    assert sync().parsed == 3
    assert (sync(exclude=["old/"]).removed, sync(exclude=["old/"]).unchanged) == (1, 2)
    assert (sync().parsed, sync().unchanged) == (1, 3)
    small = sync(max_file_bytes=1000)
    assert (small.skipped, small.parsed, small.unchanged) == (1, 0, 2)
    assert sync(max_file_bytes=1000).unchanged == 3
    assert (sync().parsed, sync().unchanged) == (1, 3)
    assert sync(part_chars=500).parsed == 3


def test_a_file_that_becomes_readable_is_read(library: MakeLibrary) -> None:
    documents = library({"a.md": "甲"})
    (folder(documents) / "b.md").symlink_to("nowhere.md")
    assert documents.sync().skipped == 1
    (folder(documents) / "b.md").unlink()
    (folder(documents) / "b.md").write_text("乙", encoding="utf-8")
    assert documents.sync().parsed == 1
    assert documents.search("乙").hits


def rows(library: Library) -> dict[str, int]:
    """Row of each chunk's text, to see which ones are new."""
    with sqlite3.connect(library.index) as db:
        return dict(db.execute("SELECT text, id FROM content"))


def test_unchanged_chunks_keep_their_row(library: MakeLibrary) -> None:
    sections = [f"## 第{n}节\n\n内容{n}，各不相同。\n\n" for n in range(30)]
    sections.insert(0, "# 手册\n\n")
    documents = library({"a.md": "".join(sections)})
    before = rows(documents)
    added, changed = "## 新\n\n开头\n\n", "## 第9节\n\n改过\n\n"
    edited = [sections[0], added, *sections[1:10], changed, *sections[11:]]
    (folder(documents) / "a.md").write_text("".join(edited), encoding="utf-8")
    documents.sync()
    after = rows(documents)
    assert {text for text in after if after[text] != before.get(text)} == {added, changed}
    assert "".join(documents.read(e.chunk_id).text for e in documents.outline()) == "".join(edited)
    assert documents.search("内容9，各不相同").level != "phrase"
    assert documents.search("内容8").hits[0].chunk_id == "a.md#11"
    with sqlite3.connect(documents.index) as db:
        db.execute("INSERT INTO fts(fts) VALUES('integrity-check')")


def test_equal_chunks_are_told_apart(library: MakeLibrary) -> None:
    documents = library({"a.md": "# 甲\n\n同\n\n# 甲\n\n同\n\n# 甲\n\n同\n\n"})
    (folder(documents) / "a.md").write_text("# 甲\n\n同\n\n# 甲\n\n同\n\n", encoding="utf-8")
    documents.sync()
    assert [entry.chunk_id for entry in documents.outline()] == ["a.md#1", "a.md#2"]
    assert documents.search("同").total == 2


def test_a_file_moved_over_another_takes_its_place(library: MakeLibrary) -> None:
    documents = library({"a.md": "甲的文字", "b.md": "乙的文字"})
    (folder(documents) / "a.md").replace(folder(documents) / "b.md")
    documents.sync()
    assert [path for path, _ in documents.titles()] == ["b.md"]
    assert documents.search("甲的文字").hits[0].chunk_id == "b.md#1"
    assert documents.search("乙的文字").level != "phrase"


def test_files_swapped_are_each_read(library: MakeLibrary) -> None:
    documents = library({"a.md": "甲的文字", "b.md": "乙的文字"})
    here = folder(documents)
    (here / "a.md").rename(here / "c")
    (here / "b.md").rename(here / "a.md")
    (here / "c").rename(here / "b.md")
    documents.sync()
    assert documents.search("甲的文字").hits[0].chunk_id == "b.md#1"
    assert documents.search("乙的文字").hits[0].chunk_id == "a.md#1"


READ_ONLY = """
import os, sys
from pathlib import Path
from fanshu.library.library import Library, Root
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import Candidate, DocIds, Query
from fanshu.library.terms import phrase
roots = [Root(Path(sys.argv[1]))]
warm = Library(roots, Path(sys.argv[3]))  # nobody may not be able to import what is loaded late
warm.sync()
warm.search("文字")
os.setuid(65534)
documents = Library(roots, Path(sys.argv[2]))
report = documents.sync()
result = documents.search("文字")
print(report.behind, [hit.file_path for hit in result.hits], result.warnings)
"""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="optional: needs root")
def test_a_read_only_index_answers_and_says_what_it_does_not_know(tmp_path: Path) -> None:
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    docs = place / "docs"
    docs.mkdir()
    for name in ("a.md", "b.md"):
        (docs / name).write_text(f"文字 {name}", encoding="utf-8")
    documents = Library([Root(docs)], place / "index" / "index.db", search_seconds=PATIENCE)
    documents.sync()
    documents.close()
    (place / "index").chmod(0o755)  # made for its owner alone; this team shares it
    (docs / "b.md").write_text("改过的文字", encoding="utf-8")
    indexes = [str(place / "index" / "index.db"), str(tmp_path / "warm.db")]
    command = [sys.executable, "-c", READ_ONLY, str(docs), *indexes]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    shutil.rmtree(place)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1 ['a.md'] ('the index is read-only and behind: b.md',)")


OLD_FORMAT = """
import os, sys
import urllib.parse  # pathlib does, and may find it unreadable once this is nobody
from pathlib import Path
from fanshu.errors import IndexUnwritable
from fanshu.library.sqlite import SqliteStore
os.setuid(65534)
try:
    SqliteStore(Path(sys.argv[1]))
except IndexUnwritable as error:
    print(error)
"""


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="optional: needs root")
def test_a_read_only_index_of_an_older_format_says_so(tmp_path: Path) -> None:
    place = Path(tempfile.mkdtemp())
    place.chmod(0o755)
    index = place / "index.db"
    store = SqliteStore(index)
    with store.write() as writer:
        writer.db.execute("UPDATE meta SET value = '1.1' WHERE key = 'schema'")
    store.close()
    command = [sys.executable, "-c", OLD_FORMAT, str(index)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    shutil.rmtree(place)
    assert done.returncode == 0, done.stderr
    assert "an index of another version of fanshu" in done.stdout
    assert "`fanshu index`" in done.stdout


def test_a_search_sees_one_moment_while_another_process_writes(library: MakeLibrary) -> None:
    documents = library({"a.md": "超时", "b.md": "超时"})
    store, timeout = documents.store, phrase("超时")
    assert timeout
    with store.snapshot():
        found = store.candidates(timeout, None, 10, 1_000)
        other = SqliteStore(documents.index)
        with other.write() as writer:
            writer.remove("a.md")
        other.close()
        assert len(store.chunks([one.row for one in found])) == 2
    assert len(store.candidates(timeout, None, 10, 1_000)) == 1


class _Interrupted(SqliteStore):
    """After the first candidates are found, another process writes."""

    meanwhile: Callable[[], object] | None = None

    def candidates(
        self, query: Query, docs: DocIds, limit: int, scored: int, matches: int | None = None
    ) -> Sequence[Candidate]:
        found = super().candidates(query, docs, limit, scored, matches)
        if self.meanwhile:
            written, self.meanwhile = self.meanwhile, None
            written()
        return found


def test_a_file_edited_during_a_search_ends_nothing(library: MakeLibrary) -> None:
    documents = library({"a.md": "超时 旧", "b.md": "超时"})
    other = Library(documents.roots, documents.index, search_seconds=PATIENCE)
    documents.close()
    store = _Interrupted(documents.index)
    kept = Local(documents.index, None, store)
    documents = Library(documents.roots, documents.index, search_seconds=PATIENCE, location=kept)

    def edit() -> None:
        (folder(documents) / "a.md").write_text("超时 新", encoding="utf-8")
        other.sync()

    store.meanwhile = edit
    assert {hit.text for hit in documents.search("超时").hits} <= {"超时 旧", "超时 新", "超时"}
    assert {hit.text for hit in documents.search("超时").hits} == {"超时 新", "超时"}
    other.close()


CLOSED_FOLDER = """
import os, sys
from pathlib import Path
import filelock, pathspec
from fanshu.library.library import Library, Root
roots = [Root(Path(sys.argv[1]))]
warm = Library(roots, Path(sys.argv[2]))
warm.sync()
if os.getuid() == 0:
    os.setuid(65534)
documents = Library(roots, Path(sys.argv[1]) / ".index" / "index.db")
print(documents.sync().failed, documents.sync().failed)
print([(file.file_path, file.state) for file in documents.status().files])
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="no users of that kind here")
def test_u19_a_folder_that_may_not_be_looked_into_is_a_failure(tmp_path: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o777)
        (place / "a.md").write_text("文字", encoding="utf-8")
        (place / "closed").mkdir()
        (place / "closed" / "b.md").write_text("文字", encoding="utf-8")
        (place / "closed").chmod(0)
        command = [sys.executable, "-c", CLOSED_FOLDER, name, str(tmp_path / "warm.db")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        (place / "closed").chmod(0o755)
    assert done.stdout == "1 0\n[('a.md', 'ok'), ('closed/', 'failed')]\n", done.stderr


def test_u12_a_part_of_a_table_brings_its_header(library: MakeLibrary) -> None:
    rows = "".join(f"| 参数{n} | {n} | 这是第{n}个参数的说明，内容各不相同 |\n" for n in range(90))
    documents = library(
        {"a.md": f"# 参数\n\n| 名称 | 默认值 | 说明 |\n|---|---|---|\n{rows}\n尾声。\n"}
    )
    second = documents.read("a.md#2")
    assert second.text.startswith("| 参数")
    assert second.carried == "| 名称 | 默认值 | 说明 |"
    assert documents.read("a.md#1").carried == ""
    joined = "".join(documents.read(entry.chunk_id).text for entry in documents.outline())
    assert joined == (folder(documents) / "a.md").read_text(encoding="utf-8")


def test_u12_a_part_of_a_list_brings_what_announces_it(library: MakeLibrary) -> None:
    items = "".join(f"- 第{n}项，说明文字若干，内容各不相同。\n" for n in range(90))
    documents = library({"a.md": f"# 清单\n\n安装前检查：\n\n{items}"})
    assert documents.read("a.md#2").carried == "安装前检查："


def test_first_use_compares_by_itself(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("甲的文字", encoding="utf-8")
    documents = Library(
        [str(tmp_path / "docs")], str(tmp_path / "index.db"), search_seconds=PATIENCE
    )
    assert documents.search("甲的文字").total == 1
    assert documents.status().synced is not None
    documents.close()


def test_a_search_while_another_process_writes_does_without_what_changed(
    library: MakeLibrary,
) -> None:
    documents = library({"a.md": "甲的文字", "b.md": "乙的文字"})
    (folder(documents) / "b.md").write_text("改过的文字", encoding="utf-8")
    with FileLock(f"{documents.index}.lock"):
        result = documents.search("文字")
        with pytest.raises(UnknownChunk, match="changed"):
            documents.read("b.md#1")
    assert [hit.file_path for hit in result.hits] == ["a.md"]
    assert "b.md" in result.warnings[0]
    assert {hit.file_path for hit in documents.search("文字").hits} == {"a.md", "b.md"}


def test_an_index_from_before_the_mark_is_made_again(library: MakeLibrary) -> None:
    documents = library({"a.md": "甲的文字"})
    root, index = documents.roots[0], documents.index
    documents.close()
    with sqlite3.connect(index) as db:
        db.execute("PRAGMA application_id = 0")
        db.execute("UPDATE meta SET value = 'old' WHERE key = 'schema'")
    again = Library([root], index, search_seconds=PATIENCE)
    assert again.search("甲的文字").total == 1
    again.close()


def test_a_file_without_extension_is_text_unless_it_is_not(library: MakeLibrary) -> None:
    documents = library({"README": "安装说明在此", "tool": b"\x7fELF\x00\x01\x02" * 400})
    assert documents.search("安装说明").hits[0].chunk_id == "README#1"
    states = {file.file_path: (file.state, file.reason) for file in documents.status().files}
    assert states["tool"] == ("skipped", "binary")
