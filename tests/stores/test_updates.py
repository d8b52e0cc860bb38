"""The index follows the files: whoever asks sees what was changed, at once and everywhere."""

import os
from pathlib import Path

import pytest

from fanshu.errors import UnknownChunk
from fanshu.library.library import Library
from tests.stores.conftest import MakeLibrary
from tests.stores.places import Place, check_whole, counted, whole_text
from tests.stores.processes import Other

FILES = {
    "a.md": "# 甲\n\n甲的第一段文字。\n\n## 后\n\n尾声在此。\n",
    "b.md": "# 乙\n\n乙的文字。\n",
    "sub/c.md": "# 丙\n\n丙的文字。\n",
}


@pytest.fixture
def made(library: MakeLibrary) -> Library:
    return library(FILES)


def files(library: Library, words: str) -> set[str]:
    return {hit.file_path for hit in library.search(words, k=20).hits}


def phrased(library: Library, words: str) -> bool:
    return library.search(words).level == "phrase"


def test_an_edit_is_seen_by_the_search_that_shows_it(made: Library, place: Place) -> None:
    place.write({"b.md": "# 乙\n\n改过的文字。\n"})
    assert "改过的文字" in made.search("乙").hits[0].text
    assert not phrased(made, "乙的文字")


def test_an_edit_is_seen_by_whoever_reads(made: Library, place: Place) -> None:
    place.write({"b.md": "# 乙\n\n改过的文字。\n"})
    assert made.read("b.md#1").text == "# 乙\n\n改过的文字。\n"


def test_a_new_file_is_found_after_a_comparison(made: Library, place: Place) -> None:
    place.write({"新/d.md": "# 丁\n\n新来的。\n"})
    assert made.sync().parsed == 1
    assert files(made, "新来的") == {"新/d.md"}
    assert made.sync().unchanged == 4


def test_a_deleted_file_leaves_nothing(made: Library, place: Place) -> None:
    place.write({"b.md": None})
    assert made.search("乙的文字").level != "phrase"  # seen by the search that would show it
    assert made.sync().removed == 0
    with pytest.raises(UnknownChunk):
        made.read("b.md#1")
    assert counted(made.store, "乙") == 0
    check_whole(made.store)


def test_a_renamed_file_keeps_its_chunks_under_the_new_name(made: Library, place: Place) -> None:
    (place.docs / "a.md").rename(place.docs / "sub" / "改名.md")
    report = made.sync()
    assert (report.renamed, report.parsed, report.removed) == (1, 0, 0)
    assert files(made, "甲的第一段") == {"sub/改名.md"}
    assert files(made, "改名") == {"sub/改名.md"}  # its name is searched, too
    assert made.next("sub/改名.md#1") == made.read("sub/改名.md#2")
    assert "a.md" not in made.store.documents()
    check_whole(made.store)


def test_a_file_moved_over_another_takes_its_place(made: Library, place: Place) -> None:
    (place.docs / "a.md").replace(place.docs / "b.md")
    made.sync()
    assert files(made, "甲的第一段") == {"b.md"}
    assert not phrased(made, "乙的文字")
    check_whole(made.store)


def test_files_that_change_places_are_each_read(made: Library, place: Place) -> None:
    one, other = FILES["a.md"], FILES["b.md"]
    place.write({"a.md": other, "b.md": one})
    made.sync()
    assert (files(made, "甲的第一段"), files(made, "乙的文字")) == ({"b.md"}, {"a.md"})
    check_whole(made.store)


def test_a_touched_file_is_not_written_again(made: Library, place: Place) -> None:
    before = made.read("a.md#1")
    os.utime(place.docs / "a.md", ns=(1, 1))
    report = made.sync()
    assert (report.parsed, report.unchanged) == (0, 3)
    assert made.store.documents()["a.md"].mtime_ns == 1
    assert made.read("a.md#1") == before


def test_a_changed_title_is_searched_in_every_chunk(made: Library, place: Place) -> None:
    place.write({"a.md": FILES["a.md"].replace("# 甲", "---\ntitle: 总则汇编\n---\n# 甲")})
    made.sync()
    assert counted(made.store, "总则汇编") == 2
    assert made.read("a.md#2").title == "总则汇编"
    place.write({"a.md": FILES["a.md"]})
    made.sync()
    assert counted(made.store, "总则汇编") == 0


def test_a_document_that_grows_and_shrinks_has_no_ghosts(made: Library, place: Place) -> None:
    for sections in (30, 3, 12, 0, 1):
        text = "# 长\n\n头。\n" + "".join(f"\n## 第{n}节\n\n内容{n}号。\n" for n in range(sections))
        place.write({"a.md": text})
        made.sync()
        record = made.store.documents()["a.md"]
        assert record.chunks == sections + 1
        assert whole_text(made.store, record) == text
        assert counted(made.store, "内容") == sections
        check_whole(made.store)


def test_an_insertion_in_front_moves_every_number(made: Library, place: Place) -> None:
    place.write({"a.md": "# 零\n\n新的开头。\n\n" + FILES["a.md"]})
    assert made.read("a.md#3").text == "## 后\n\n尾声在此。\n"
    assert made.search("尾声在此").hits[0].chunk_id == "a.md#3"
    lines = made.read("a.md#3").lines
    assert lines == (9, 11)


def test_equal_chunks_are_told_apart(made: Library, place: Place) -> None:
    place.write({"b.md": "# 同\n\n一样\n\n" * 5})
    made.sync()
    assert counted(made.store, "一样") == 5
    place.write({"b.md": "# 同\n\n一样\n\n" * 2})
    made.sync()
    assert [entry.chunk_id for entry in made.outline("b.md")] == ["b.md#1", "b.md#2"]
    assert made.search("一样").total == 2


def test_an_empty_file_is_a_document_without_chunks(made: Library, place: Place) -> None:
    place.write({"b.md": "", "leer.md": " \n\t\n"})
    made.sync()
    records = made.store.documents()
    assert (records["b.md"].chunks, counted(made.store, "乙")) == (0, 0)
    assert "leer.md" in records
    check_whole(made.store)
    place.write({"b.md": FILES["b.md"]})
    assert made.sync().parsed == 1
    assert files(made, "乙的文字") == {"b.md"}


def test_an_empty_folder_is_an_empty_library(made: Library, place: Place) -> None:
    place.write(dict.fromkeys(FILES))
    assert made.sync().removed == 3
    result = made.search("文字")
    assert (result.level, result.total, result.searched) == ("none", 0, 0)
    assert (made.store.documents(), made.store.size()[0]) == ({}, 0)


def test_what_one_library_writes_another_sees(made: Library, place: Place) -> None:
    second = place.library()
    assert files(second, "乙的文字") == {"b.md"}
    place.write({"b.md": "# 乙\n\n改过的文字。\n", "neu.md": "# 新\n\n新来的文字。\n"})
    made.sync()
    assert files(second, "新来的文字") == {"neu.md"}
    assert second.read("b.md#1").text == "# 乙\n\n改过的文字。\n"
    assert second.digest() == made.digest()
    assert not second.sync().changed
    second.close()


def test_what_is_asked_by_one_of_two_is_fresh_for_both(made: Library, place: Place) -> None:
    second = place.library()
    second.search("乙")
    place.write({"b.md": "# 乙\n\n改过的文字。\n"})
    assert "改过的" in second.search("乙").hits[0].text
    assert counted(made.store, "改过的") == 1
    second.close()


def test_another_process_sees_what_was_written_here_and_is_seen_here(
    made: Library, place: Place
) -> None:
    other = Other(place, "sync_and_search", "新来的文字")  # opened before anything changes
    place.write({"neu.md": "# 新\n\n新来的文字。\n"})
    made.sync()
    place.write({"auch.md": "# 新\n\n新来的文字。\n", "b.md": None})
    assert other.begin().said() == ["1", "1", "0", "auch.md#1", "neu.md#1"]
    assert counted(made.store, "新来的文字") == 2
    assert "b.md" not in made.store.documents()
    assert not made.sync().changed


def test_a_long_series_of_changes_ends_where_a_new_index_would(
    made: Library, place: Place, tmp_path: Path
) -> None:
    for number in range(12):
        name = f"{number % 4}.md"
        text = f"# 第 {number % 3} 版\n\n" + f"编号 {number} 的文字。\n\n## 节\n\n正文。\n" * (
            number % 3
        )
        place.write({name: text, "a.md": f"# 甲\n\n第 {number} 次。\n"})
        made.sync()
    check_whole(made.store)
    for path, record in made.store.documents().items():
        assert whole_text(made.store, record) == (place.docs / path).read_text("utf-8"), path
    assert [counted(made.store, f"第 {n} 次") for n in (10, 11)] == [0, 1]
