"""Synonyms from a file: the format, faults in it, and what searches make of them."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from fanshu.library.files import Root
from fanshu.library.library import Library
from fanshu.library.synonyms import DEFAULT, FORMS, MAX_BYTES, SynonymFiles, parse
from fanshu.types import Scope
from tests.library.conftest import Files

MakeLibrary = Callable[[Files], Library]

REPORTS = {
    "a.md": "# 手册\n\n## 统计表\n\n统计表每月导出一次。\n\n## 权限\n\n只有管理员可以导出。\n",
    DEFAULT: "# 说法不同\n报表 => 统计表\n",
}


@pytest.mark.parametrize(
    ("text", "word", "others"),
    [
        ("a, b, c", "b", ("a", "c")),
        ("a => b, c", "a", ("b", "c")),
        ("a => b, c", "b", ()),
        ("a, x => b", "x", ("b",)),
        ("报表，统计表", "统计表", ("报表",)),
        ("報表 ＝＞ 統計表", "报表", ("统计表",)),
        ("Data  Migration, DM", "data migration", ("dm",)),
        (r"1\,5 t, 1500 kg", "1,5 t", ("1500 kg",)),
        ("a, b\nb, c", "b", ("a", "c")),
        ("a => a, b", "a", ("b",)),
        ("# a, b", "a", ()),
    ],
)
def test_the_format_of_solr(text: str, word: str, others: tuple[str, ...]) -> None:
    found = parse(text, "s.txt")
    assert found.of(word) == others
    assert not found.warnings


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("alone", "only one word"),
        ("a => ", "one side"),
        ("=> b", "one side"),
        ("a => b => c", "more than one =>"),
        ("a, ***", "neither letters nor digits"),
        ("a, " + "b" * 99, "longer than"),
    ],
)
def test_a_faulty_line_is_named_and_the_rest_goes_on(line: str, problem: str) -> None:
    found = parse(f"x, y\n{line}\nz, w", "s.txt")
    (warning,) = found.warnings
    assert "line 2" in warning
    assert problem in warning
    assert found.of("x") == ("y",)
    assert found.of("z") == ("w",)


def test_many_faults_are_a_number() -> None:
    found = parse("alone\n" * 50, "s.txt")
    assert len(found.warnings) == 4
    assert "47 more" in found.warnings[-1]


def test_a_circle_ends_after_one_step() -> None:
    found = parse("a => b\nb => c\nc => a", "s.txt")
    assert found.of("a") == ("b",)


def test_a_word_of_very_many_has_a_few() -> None:
    found = parse(", ".join(f"w{n}" for n in range(5000)), "s.txt")
    assert len(found.of("w7")) == FORMS


@pytest.mark.slow
def test_a_hundred_thousand_lines_are_read_quickly(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text("\n".join(f"词语{n}, word {n}" for n in range(100_000)), "utf-8")
    files = SynonymFiles([], path)
    began = time.process_time()
    (found,) = files.current()
    assert time.process_time() - began < 5  # about half a second; a hang is what this is for
    assert found.of("词语99999") == ("word 99999",)
    began = time.process_time()
    for _ in range(1000):
        files.current()
    assert time.process_time() - began < 5  # read anew each time it would be minutes


@pytest.mark.parametrize("content", [b"\x00\x01\x02\xff" * 999, bytes(range(256)) * 99])
def test_a_binary_file_is_no_list_of_synonyms(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "s.txt"
    path.write_bytes(content)
    files = SynonymFiles([], path)
    assert files.warnings
    assert not files.current()[0].groups


def test_only_so_much_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_bytes(b"a, b\n" + b"#\n" * MAX_BYTES + b"c, d\n")
    (found,) = SynonymFiles([], path).current()
    assert found.of("a") == ("b",)
    assert found.of("c") == ()
    assert "only the first" in found.warnings[0]


def test_gbk_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_bytes("报表 => 统计表\n客户, 委托人\n".encode("gbk"))
    (found,) = SynonymFiles([], path).current()
    assert found.of("报表") == ("统计表",)


def test_a_named_file_that_is_missing_is_warned_of(tmp_path: Path) -> None:
    assert "cannot be read" in SynonymFiles([], tmp_path / "no.txt").warnings[0]
    assert not SynonymFiles([Root(tmp_path)]).warnings


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    place = tmp_path / DEFAULT
    place.parent.mkdir()
    os.mkfifo(place)
    assert "no file" in SynonymFiles([Root(tmp_path)]).warnings[0]


def test_a_link_out_of_the_documents_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("root, secret", "utf-8")
    docs = tmp_path / "docs"
    (docs / DEFAULT).parent.mkdir(parents=True)
    (docs / DEFAULT).symlink_to(secret)
    files = SynonymFiles([Root(docs)])
    assert "leads out" in files.warnings[0]
    assert not files.current()[0].groups


# ------------------------------------------------------------------ in searches


def test_u7_a_synonym_finds_what_the_word_does_not(library: MakeLibrary) -> None:
    result = library(REPORTS).search("报表")
    (hit,) = result.hits
    assert hit.chunk_id == "a.md#2"
    assert [(one.word, one.other, one.source) for one in hit.via] == [
        ("报表", "统计表", "synonyms")
    ]
    assert (result.level, result.total) == ("none", 0)
    assert result.missing == ("报表",)
    assert [(one.other, one.count) for one in result.others] == [("统计表", 1)]


def test_u7_synonyms_rank_under_the_word_itself(library: MakeLibrary) -> None:
    own = {"z.md": "# 其他\n\n还有许多别的内容，其中也提到一次报表，别的没有。\n"}
    result = library(REPORTS | own).search("报表")
    assert [(hit.file_path, bool(hit.via)) for hit in result.hits] == [
        ("z.md", False),
        ("a.md", True),
    ]
    assert (result.level, result.total) == ("phrase", 1)
    assert result.hits[0].score >= result.hits[1].score


def test_u7_a_near_word_is_named(library: MakeLibrary) -> None:
    result = library(REPORTS).search("统记表")
    assert not result.hits
    assert "统计表" in result.suggestions


def test_u7_a_synonym_inside_a_longer_run_and_beside_other_words(library: MakeLibrary) -> None:
    made = library(REPORTS)
    for words in ("报表导出", "导出 报表", "每月的报表怎么导出"):
        hit = made.search(words).hits[0]
        assert (hit.chunk_id, bool(hit.via)) == ("a.md#2", True), words
    asked = made.search("每月的报表怎么导出？", question=True).hits[0]
    assert (asked.chunk_id, bool(asked.via)) == ("a.md#2", True)


def test_what_is_quoted_has_no_synonyms(library: MakeLibrary) -> None:
    result = library(REPORTS).search('"报表"')
    assert not result.hits
    assert not result.others


def test_synonyms_of_several_words(library: MakeLibrary) -> None:
    files = {"a.md": "# A\n\nThe data migration task stops.\n", DEFAULT: "DM, data migration\n"}
    made = library(files)
    assert made.search("dm task").hits[0].via[0].other == "data migration"
    assert not made.search("data migration task").hits[0].via


def test_the_file_is_read_again_when_it_changed(library: MakeLibrary) -> None:
    made = library(REPORTS)
    assert made.search("报表").hits
    path = made.roots[0].path / DEFAULT
    path.write_text("表格 => 统计表\n", "utf-8")
    assert not made.search("报表").hits
    assert made.search("表格").hits[0].via
    path.unlink()
    assert not made.search("表格").hits


def test_the_file_is_no_document(library: MakeLibrary) -> None:
    assert [file.file_path for file in library(REPORTS).status().files] == ["a.md"]


def test_synonyms_show_nothing_outside_the_scope(library: MakeLibrary) -> None:
    result = library(REPORTS).search("报表", scope=Scope(("b*",)))
    assert not result.hits
    assert not result.others
