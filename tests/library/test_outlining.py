"""What a path and words mean in an outline, and how little is loaded for it."""

from collections.abc import Callable

import pytest

from fanshu.errors import UnknownPath
from fanshu.library import outlining
from fanshu.library.library import Library
from fanshu.library.terms import fold, pattern
from tests.library.conftest import Files

GUIDE = """# 指南

## 安装

装法。

### 准备

先备份。

### 步骤

再装。

## 故障排查

### 超时

调大。
"""
FILES = {
    "guide.md": GUIDE,
    "ops/guide.md": "# 运维\n\n## 安装\n\n另一种装法。\n",
    "a/c#.md": "# 语言\n\n类。\n",
}
Make = Callable[[Files], Library]


def shown(library: Library, path: str | None = None, words: str = "") -> list[str]:
    return [entry.chunk_id for entry in library.outline(path, words=words)]


def test_a_file_a_folder_everything(library: Make) -> None:
    docs = library(FILES)
    assert len(shown(docs)) == 9
    assert shown(docs, "ops/") == ["ops/guide.md#1", "ops/guide.md#2"]
    assert shown(docs, "a/c#.md") == ["a/c#.md#1"]
    assert len(shown(docs, "guide.md")) == 6


def test_a_section_is_named_by_its_id(library: Make) -> None:
    docs = library(FILES)
    assert shown(docs, "guide.md#2") == ["guide.md#2", "guide.md#3", "guide.md#4"]
    assert shown(docs, "guide.md#6") == ["guide.md#6"]
    assert shown(docs, "guide.md#1") == [f"guide.md#{n}" for n in range(1, 7)]
    assert shown(docs, "guide.md#99") == []


def test_a_section_in_parts_is_shown_from_its_first(library: Make) -> None:
    long = "\n\n".join(f"第 {n} 段。" + "很长的一段话。" * 30 for n in range(12))
    docs = library({"a.md": f"# 头\n\n一。\n\n# 长\n\n{long}\n\n## 下面\n\n二。\n\n# 尾\n\n三。\n"})
    every = shown(docs)
    assert len(every) > 5
    assert shown(docs, every[3]) == every[1:-1]


def test_a_section_is_named_by_its_headings(library: Make) -> None:
    docs = library(FILES)
    assert shown(docs, "故障排查") == ["guide.md#5", "guide.md#6"]
    assert shown(docs, "安装 > 步骤") == ["guide.md#4"]
    assert shown(docs, "ops/guide.md > 安装") == ["ops/guide.md#2"]
    with pytest.raises(UnknownPath):
        docs.outline("没有 > 这一节")


def test_words_filter_headings_and_the_names_of_files(library: Make) -> None:
    docs = library(FILES)
    assert shown(docs, words="安装") == ["guide.md#2", "ops/guide.md#2"]
    assert shown(docs, words="超时|准备") == ["guide.md#3", "guide.md#6"]
    assert shown(docs, "guide.md", words="装法") == []
    assert shown(docs, words="ops") == ["ops/guide.md#1"]
    assert shown(docs, words="!!") == shown(docs)


def test_of_many_chunks_only_files_are_told(library: Make) -> None:
    docs = library(FILES)
    told = docs.contents(at_most=5)
    assert told.entries is None
    assert [(file.file_path, file.title, file.chunks) for file in told.files] == [
        ("a/c#.md", "语言", 1), ("guide.md", "指南", 6), ("ops/guide.md", "运维", 2)
    ]  # fmt: skip
    assert len(docs.contents("guide.md", at_most=5).entries or ()) == 6
    assert len(docs.contents(words="安装", at_most=1).entries or ()) == 2


def test_the_overview_follows_the_documents(library: Make) -> None:
    docs = library(FILES)
    first = docs.folders()
    assert docs.folders() is first
    (docs.roots[0].path / "neu").mkdir()
    (docs.roots[0].path / "neu" / "x.md").write_text("# 新\n\n字。\n", encoding="utf-8")
    docs.sync()
    assert "neu/" in {folder.path for folder in docs.folders()}


@pytest.mark.parametrize("words", ["安装", "超时|准备", "ops", "md", "c#", "指南 步骤", "a", "的"])
def test_what_words_find_is_what_reading_every_name_finds(library: Make, words: str) -> None:
    docs = library(FILES | {"长.md": f"# 安装 A\n\n{'很长的一段话。' * 400}\n\n## 的\n\nops\n"})
    looked_for = [found for word in outlining._words(words) if (found := pattern(word))]
    titles = dict(docs.titles())
    names = {
        entry.chunk_id: [fold(one) for one in outlining._names(entry, titles[entry.file_path])]
        for entry in docs.outline()
    }
    wanted = [
        one
        for one, called in names.items()
        if any(p.search(name) for p in looked_for for name in called)
    ]
    assert shown(docs, words=words) == wanted


def test_words_are_looked_for_in_titles_and_first_lines_too(library: Make) -> None:
    docs = library(
        {
            "a.txt": "关于采购的通知\n\n各部门：请注意。\n",
            "b.md": "---\ntitle: 报销手册\n---\n\n# 总则\n\n采购另行规定。\n",
            "c.md": f"Quick start\n\nsome text\n\n{'long ' * 400}\n",
            "d.md": f"{'甲' * 70}乙方\n",
        }
    )
    assert shown(docs, words="采购") == ["a.txt#1"]
    assert shown(docs, words="报销") == ["b.md#1"]
    assert shown(docs, words="start") == ["c.md#1"]
    assert shown(docs, words="some|long|乙方") == []
    assert shown(docs, "b.md", words="采购") == []
