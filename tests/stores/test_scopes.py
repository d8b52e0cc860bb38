"""What somebody may see is all there is for them; a path narrows that, and says what lies beside."""

import pytest

from fanshu.errors import UnknownChunk, UnknownPath
from fanshu.library.library import Library
from fanshu.types import EVERYTHING, Scope

FILES = {
    "公开/安装.md": "# 安装\n\n超时为 30 秒，重启后生效。\n",
    "公开/升级.md": "# 升级\n\n升级前先备份，超时会延长。\n",
    "内部/密钥.md": "# 密钥\n\n口令 falconry 每季度更换，超时为 60 秒。\n",
    "内部/名册.md": "# 名册\n\n国家金库（以下简称国库）在册，超时无。\n",
    "notes.md": "# Notes\n\nnothing of that kind\n",
}
OPEN = Scope(("公开/*",))
NOBODY = Scope(())


def test_a_scope_holds_before_counting(shelf: Library) -> None:
    everything, seen = shelf.search("超时", k=9), shelf.search("超时", k=9, scope=OPEN)
    assert (everything.total, everything.searched) == (4, 5)
    assert (seen.total, seen.searched, seen.files) == (2, 2, 2)
    assert {hit.file_path for hit in seen.hits} == {"公开/安装.md", "公开/升级.md"}
    assert {one.word: one.count for one in seen.words} == {"超时": 2}


def test_what_only_others_may_see_is_missing(shelf: Library) -> None:
    result = shelf.search("falconry", scope=OPEN)
    assert (result.level, result.missing, result.hits) == ("none", ("falconry",), ())
    assert result.other_files == ()


def test_no_near_word_suggestion_or_alias_comes_from_outside(shelf: Library) -> None:
    assert shelf.search("falconri", scope=EVERYTHING).suggestions == ("falconry",)
    assert shelf.search("falconri", scope=OPEN).suggestions == ()
    assert shelf.search("国库", scope=OPEN).others == ()
    assert all("falconry" not in one.words for one in shelf.suggest("falconri", scope=OPEN).found)


def test_a_scope_without_patterns_sees_nothing(shelf: Library) -> None:
    result = shelf.search("超时", scope=NOBODY)
    assert (result.level, result.total, result.searched) == ("none", 0, 0)
    assert shelf.outline(scope=NOBODY) == ()
    assert shelf.status(scope=NOBODY).files == ()
    assert shelf.folders(scope=NOBODY) == ()


def test_what_is_outside_cannot_be_read(shelf: Library) -> None:
    for reading in (shelf.read, shelf.next, shelf.prev):
        with pytest.raises(UnknownChunk) as raised:
            reading("内部/密钥.md#1", scope=OPEN)
        assert "内部" not in str(raised.value).replace("内部/密钥.md#1", "")


def test_a_scope_and_a_path_hold_together(shelf: Library) -> None:
    result = shelf.search("超时", path="安装", scope=OPEN)
    assert (result.total, result.elsewhere) == (1, 1)
    with pytest.raises(UnknownPath):
        shelf.search("超时", path="内部", scope=OPEN)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("公开", {"公开/安装.md", "公开/升级.md"}),
        ("公开/", {"公开/安装.md", "公开/升级.md"}),
        ("公开/安装.md", {"公开/安装.md"}),
        ("公开/安装.md#1", {"公开/安装.md"}),
        ("安装", {"公开/安装.md"}),
        ("公开\\安装.md", {"公开/安装.md"}),
        ("notes", set()),
    ],
)
def test_a_path_is_a_file_a_folder_or_the_beginning_of_a_name(
    shelf: Library, path: str, expected: set[str]
) -> None:
    assert {hit.file_path for hit in shelf.search("超时", path=path).hits} == expected


def test_what_lies_elsewhere_is_counted_and_named(shelf: Library) -> None:
    result = shelf.search("超时", path="notes.md")
    assert (result.level, result.total, result.elsewhere) == ("none", 0, 4)
    assert {one.file_path for one in result.elsewhere_in} == {
        "公开/安装.md", "公开/升级.md", "内部/密钥.md", "内部/名册.md",
    }  # fmt: skip
    assert shelf.search("口令", path="内部").elsewhere == 0


def test_a_path_that_is_not_there_names_the_closest(shelf: Library) -> None:
    with pytest.raises(UnknownPath, match=r"公开/安装\.md"):
        shelf.search("超时", path="公开/安裝x.md")


def test_a_file_as_path_gives_every_place_in_it(shelf: Library) -> None:
    result = shelf.search("超时", path="内部/密钥.md", k=20)
    assert (result.exhaustive, [hit.chunk_id for hit in result.hits]) == (True, ["内部/密钥.md#1"])


def test_a_digest_is_of_what_the_scope_sees(shelf: Library) -> None:
    digests = {shelf.digest(scope=scope) for scope in (EVERYTHING, OPEN, NOBODY)}
    assert len(digests) == 3
    assert shelf.digest(scope=OPEN) == shelf.digest(scope=OPEN)
