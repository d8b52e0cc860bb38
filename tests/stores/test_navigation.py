"""Turning pages: every chunk is reached, in order, with its text exactly as it was written."""

from itertools import pairwise

import pytest

from fanshu.errors import ChunkChanged, UnknownChunk, UnknownPath
from fanshu.library.library import Library
from tests.stores.places import check_whole, whole_text

LONG = "\n\n".join(f"第 {n} 段。" + "很长的一段话，各段都不相同。" * 20 for n in range(8))
ROWS = "".join(f"| 参数{n} | {n} | 这是第{n}个参数的说明，内容各不相同 |\n" for n in range(60))
FILES = {
    "指南.md": (
        "---\ntitle: 安装指南\ndate: 2024-05-01\n---\n# 指南\n\n开始之前。\n\n## 安装\n\n装法。\n\n"
        "### 准备\n\n先备份。\n\n### 步骤\n\n再装。\n\n## 故障排查\n\n### 超时\n\n调大。\n"
    ),
    "ops/guide.md": "# 运维\n\n## 安装\n\n另一种装法。\n",
    "long.md": f"# 头\n\n一。\n\n# 长\n\n{LONG}\n\n# 尾\n\n三。\n",
    "table.md": f"# 参数\n\n| 名称 | 默认值 | 说明 |\n|---|---|---|\n{ROWS}\n尾声。\n",
    "plain.txt": "没有标题的第一行\n后面还有一行。\n",
    "pic.md": "# 图\n\n看图：![架构](img/a.png)\n",
    "crlf.md": "# 一\r\n\r\n甲\r\n\r\n## 二\r\n\r\n乙\r\n",
    "empty.md": "",
    "photo.bin": b"\x89PNG\x00\x01\x02\x03" * 99,
}
READABLE = sorted(name for name in FILES if name not in ("empty.md", "photo.bin"))


def walked(library: Library, path: str) -> list[str]:
    """The ids of a file from its first chunk on."""
    ids, chunk = [f"{path}#1"], library.next(f"{path}#1")
    while chunk:
        ids.append(chunk.chunk_id)
        chunk = library.next(chunk.chunk_id)
    return ids


@pytest.mark.parametrize("path", READABLE)
def test_chunks_joined_are_the_text(shelf: Library, path: str) -> None:
    joined = "".join(shelf.read(one).text for one in walked(shelf, path))
    written = (shelf.roots[0].path / path).read_bytes().decode()
    assert written.endswith(joined)
    assert joined == whole_text(shelf.store, shelf.store.records([path])[path])


@pytest.mark.parametrize("path", READABLE)
def test_next_and_prev_are_each_others_way_back(shelf: Library, path: str) -> None:
    ids = walked(shelf, path)
    assert [entry.chunk_id for entry in shelf.outline(path)] == ids
    assert shelf.prev(ids[0]) is None
    assert shelf.next(ids[-1]) is None
    for before, after in pairwise(ids):
        found = shelf.prev(after)
        assert found is not None
        assert found == shelf.read(before)


def test_what_a_chunk_tells_of_itself(shelf: Library) -> None:
    chunk = shelf.read("指南.md#3")
    assert chunk.section_path == ("指南", "安装", "准备")
    assert (chunk.level, chunk.lines, chunk.page, chunk.part) == (3, (13, 16), None, (1, 1))
    assert (chunk.title, chunk.date) == ("安装指南", "2024-05-01")
    assert shelf.read("pic.md#1").images == ("img/a.png",)
    assert shelf.read("plain.txt#1").section_path == ()


def test_what_an_outline_tells(shelf: Library) -> None:
    entries = shelf.outline("指南.md")
    assert [len(entry.section_path) for entry in entries] == [1, 2, 3, 3, 2, 3]
    assert [entry.size for entry in entries] == [len(shelf.read(e.chunk_id).text) for e in entries]
    assert entries[1].beginning == shelf.read("指南.md#2").text[:200]
    long = shelf.outline("long.md")
    assert [entry.part for entry in long if entry.section_path == ("长",)] == [
        (n, len(long) - 2) for n in range(1, len(long) - 1)
    ]
    assert all(len(entry.beginning) <= 200 for entry in long)


def test_outlines_of_all_files_come_in_order_of_path(shelf: Library) -> None:
    entries = [(e.file_path, int(e.chunk_id.rpartition("#")[2])) for e in shelf.outline()]
    assert entries == sorted(entries)
    assert {path for path, _ in entries} == set(READABLE)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("指南.md#2", ["指南.md#2", "指南.md#3", "指南.md#4"]),
        ("指南 > 安装", ["指南.md#2", "指南.md#3", "指南.md#4"]),
        ("故障排查 > 超时", ["指南.md#6"]),
        ("ops", ["ops/guide.md#1", "ops/guide.md#2"]),
        ("指南.md#99", []),
    ],
)
def test_a_section_is_outlined_with_what_lies_below(
    shelf: Library, path: str, expected: list[str]
) -> None:
    assert [entry.chunk_id for entry in shelf.outline(path)] == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("安装", ["ops/guide.md#2", "指南.md#1", "指南.md#2"]),  # a heading, a title
        ("超时", ["指南.md#6"]),
        ("没有标题", ["plain.txt#1"]),  # the first line of a file without headings
        ("后面还有", []),
        ("另一种装法", []),
        ("准备|尾", ["long.md#5", "指南.md#3"]),
        ("guide", ["ops/guide.md#1"]),
    ],
)
def test_words_filter_an_outline_by_headings_names_and_first_lines(
    shelf: Library, words: str, expected: list[str]
) -> None:
    assert [entry.chunk_id for entry in shelf.outline(words=words)] == expected


def test_contents_too_many_to_list_are_files(shelf: Library) -> None:
    few, many = shelf.contents("ops", at_most=10), shelf.contents(at_most=10)
    assert few.entries is not None
    assert [entry.chunk_id for entry in few.entries] == ["ops/guide.md#1", "ops/guide.md#2"]
    assert many.entries is None
    assert [file.file_path for file in many.files] == READABLE
    assert {file.file_path: file.title for file in many.files}["指南.md"] == "安装指南"


def test_a_part_of_a_table_is_read_with_its_header(shelf: Library) -> None:
    assert shelf.read("table.md#2").carried == "| 名称 | 默认值 | 说明 |"
    assert shelf.read("table.md#1").carried == ""


@pytest.mark.parametrize("chunk_id", ["指南.md#0", "指南.md#99", "指南.md", "#1", "", "nix.md#1"])
def test_an_id_that_is_not_there_is_an_error_that_helps(shelf: Library, chunk_id: str) -> None:
    with pytest.raises(UnknownChunk):
        shelf.read(chunk_id)
    with pytest.raises(UnknownChunk, match="#1 to #6"):
        shelf.read("指南.md#7")
    with pytest.raises(UnknownPath):
        shelf.outline("nix.md")


def test_a_text_shown_before_under_an_id_is_told_from_another(shelf: Library) -> None:
    there = shelf.read("指南.md#4")
    assert shelf.read("指南.md#4", expect=there.hash) == there
    with pytest.raises(ChunkChanged, match="#4"):
        shelf.read("指南.md#3", expect=there.hash)
    with pytest.raises(ChunkChanged):
        shelf.read("指南.md#3", expect="0" * 32)


def test_files_without_text_have_a_state_and_a_reason(shelf: Library) -> None:
    states = {one.file_path: one for one in shelf.status().files}
    assert set(states) == set(FILES)
    assert (states["empty.md"].chunks, states["photo.bin"].state) == (0, "skipped")
    assert all(states[path].state == "ok" for path in READABLE)


def test_the_store_is_one_whole(shelf: Library) -> None:
    check_whole(shelf.store)
    assert shelf.status().chunks == len(shelf.outline()) == shelf.store.size()[0]
    assert shelf.status().characters == sum(
        record.characters for record in shelf.store.documents().values()
    )
    assert shelf.status().index_bytes > 0
