"""Other names that documents define: what is believed, and what searches make of them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fanshu.library.aliases import Alias, aliases
from fanshu.library.library import Library
from fanshu.library.parsers import parse
from fanshu.types import Scope
from tests.library.conftest import Files

MakeLibrary = Callable[[Files], Library]

FILES = {
    "a.md": "# 术语\n\n国家金库（以下简称国库）由专门机构管理。\n",
    "b.md": "# 拨付\n\n## 时限\n\n国库应当在三日内拨付。\n",
    "c.md": "# Tools\n\nThe tool is called Data Migration (DM).\n\n## Start\n\nStart DM with a file.\n",
}


def mined(text: str) -> list[Alias]:
    return aliases(parse("a.md", text.encode()))


@pytest.mark.parametrize(
    ("text", "long", "short"),
    [
        ("国家金库（以下简称国库）", "国家金库", "国库"),
        (
            "依照国家市场监督管理总局（以下称“市场监管总局”）的规定",
            "市场监督管理总局",
            "市场监管总局",
        ),
        (
            "《中华人民共和国保守国家秘密法》（以下简称保密法）",
            "中华人民共和国保守国家秘密法",
            "保密法",
        ),
        ("国家金库，简称国库，由", "国家金库", "国库"),
        ("中国证券监督管理委员会(简称：证监会)", "证券监督管理委员会", "证监会"),
        ("we use Data Migration (DM) here", "data migration", "dm"),
        ("a Content Delivery Network（CDN）", "content delivery network", "cdn"),
        ("# Point-in-time recovery (PITR)", "point-in-time recovery", "pitr"),
        ("# 备份与恢复（BR）", "备份与恢复", "br"),
        ("# BR（备份与恢复）", "备份与恢复", "br"),
        ("# 国库（国家金库）", "国家金库", "国库"),
    ],
)
def test_names_that_are_believed(text: str, long: str, short: str) -> None:
    assert mined(text) == [Alias(long, short)]


@pytest.mark.parametrize(
    "text",
    [
        "单位、社会团体（以下简称单位）",
        "本条例（以下简称条例）",
        "他的简称很多，也很长。",
        "the limit (bytes) and the value (MB)",
        "see the manual (PDF)",
        "# 安装（推荐）",
        "# Limits (optional)",
        "# 上传 Upload (HTTP)",
        "（以下简称",
        "以下简称" * 500,
        "(" * 5000,
        "A" * 200_000 + " (AB)",
    ],
)
def test_what_is_no_name(text: str) -> None:
    assert mined(text) == []


def test_an_alias_finds_what_the_name_does_not(library: MakeLibrary) -> None:
    result = library(FILES).search("国家金库 三日")
    assert result.hits[0].chunk_id == "b.md#2"
    (other,) = result.hits[0].via
    assert (other.word, other.other, other.source) == ("国家金库", "国库", "documents")
    hits = library(FILES).search("data migration").hits
    assert [(hit.chunk_id, bool(hit.via)) for hit in hits] == [("c.md#1", False), ("c.md#2", True)]


def test_an_alias_is_suggested(library: MakeLibrary) -> None:
    found = library(FILES).suggest("国家金库 拨付").found
    assert ("国库 拨付", "documents") in [(one.words, one.kind) for one in found]


def test_an_alias_goes_with_the_text_that_defines_it(library: MakeLibrary) -> None:
    made = library(FILES)
    place: Path = made.roots[0].path / "a.md"
    place.rename(place.with_name("z.md"))
    made.sync()
    assert made.search("国家金库 三日").others
    place.with_name("z.md").write_text("# 术语\n\n国家金库由专门机构管理。\n", "utf-8")
    made.sync()
    assert not made.search("国家金库 三日").others
    place.write_text("# 术语\n\n国家金库（以下简称国库）。\n", "utf-8")
    made.sync()
    assert made.search("国家金库 三日").others
    place.unlink()
    made.sync()
    assert not made.search("国家金库 三日").others


def test_an_alias_does_not_leak_out_of_the_scope(library: MakeLibrary) -> None:
    scope = Scope(("b.md",))
    made = library(FILES)
    assert made.search("国家金库", scope=Scope(("a.md", "b.md"))).others
    result = made.search("国家金库", scope=scope)
    assert not result.hits
    assert not result.others
    assert not [
        one for one in made.suggest("国家金库", scope=scope).found if one.kind == "documents"
    ]


def test_what_holds_the_own_words_apart_is_no_hit_beside_those_that_hold_them_together(
    library: MakeLibrary,
) -> None:
    files = {
        "a.md": "# 术语\n\n国家金库（以下简称国库）。\n",
        "b.md": "# 拨付\n\n国库应当在三日内拨付。\n",
        "c.md": "# 报告\n\n由国库提出，财政部门应当答复。\n",
        "d.md": "# 检查\n\n国家金库应当接受检查。\n",
    }
    result = library(files).search("国库应当", k=10)
    assert [(hit.chunk_id, bool(hit.via)) for hit in result.hits] == [
        ("b.md#1", False),
        ("d.md#1", True),
    ]
    assert (result.total, result.exhaustive) == (1, True)


def test_a_sentence_is_no_name(library: MakeLibrary) -> None:
    text = "国家海洋倾废的主管部门是国家海洋局及其派出机构（以下简称主管部门）。"
    assert not library({"a.md": f"# 总则\n\n{text}\n"}).search("主管部门 倾废", k=10).others


@pytest.mark.parametrize(
    "text", ["Columns are nullable (NULL) here.", "# Nullable (NULL)\n\nx", "the JOINs (JOIN)"]
)
def test_another_form_of_the_same_word_is_no_alias(text: str) -> None:
    assert mined(text) == []


def test_a_word_cut_short_is_one() -> None:
    assert mined("See the Administrator (ADMIN).") == [Alias("administrator", "admin")]
