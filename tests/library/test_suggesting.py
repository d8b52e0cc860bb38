"""Searches that are suggested: made of words that occur, in the scope, and worth running."""

from collections.abc import Callable

import pytest

from fanshu.library.library import Library
from fanshu.library.likeness import COMPARED, alike
from fanshu.library.synonyms import DEFAULT
from fanshu.types import Scope
from tests.library.conftest import Files

MakeLibrary = Callable[[Files], Library]

RULES = {
    "a.md": "# 印章管理的规定\n\n## 直径\n\n企业的印章，直径不得大于 4.5 厘米。\n",
    "b.md": "# 女职工劳动保护特别规定\n\n怀孕 7 个月以上的，不得安排夜班劳动。\n",
    "c.md": "# 统计报表制度\n\n统计表每月由公司导出一次，规定如下。\n",
    "d.md": "# Subscriber list audit\n\nRun the audit with one command.\n",
}


def test_u7_a_near_word_is_suggested_first(library: MakeLibrary) -> None:
    first = library(RULES).suggest("统记表").found[0]
    assert (first.words, first.kind, first.places, first.source) == ("统计表", "near", 1, "统记表")


def test_a_synonym_is_put_in_the_place_of_the_word(library: MakeLibrary) -> None:
    first = library(RULES | {DEFAULT: "月报, 统计表"}).suggest("月报 导出").found[0]
    assert (first.words, first.kind, first.source) == ("统计表 导出", "synonyms", "月报")


@pytest.mark.parametrize(
    ("question", "title", "path"),
    [
        ("公司想刻个圆章，最大能做多大？", "印章管理的规定", "a.md"),
        ("女员工几个月开始不排夜班？", "女职工劳动保护特别规定", "b.md"),
        ("how do I start auditing the lists?", "Subscriber list audit", "d.md"),
    ],
)
def test_a_title_that_shares_characters_or_stems(
    library: MakeLibrary, question: str, title: str, path: str
) -> None:
    found = [one for one in library(RULES).suggest(question).found if one.kind == "title"]
    assert found[0].words.startswith(title)
    assert found[0].source == path


@pytest.mark.parametrize(
    "words", ["统记表", "公司想刻个圆章，最大能做多大？", "auditing lists timeout", "统计报表 直径"]
)
def test_every_suggestion_finds_something_and_none_is_the_query(
    library: MakeLibrary, words: str
) -> None:
    made = library(RULES)
    found = made.suggest(words).found
    assert 0 < len(found) <= 5
    assert len({one.words for one in found}) == len(found)
    for one in found:
        assert one.words != words
        assert one.places > 0
        assert made.search(one.words).hits


@pytest.mark.parametrize(
    "words", ["", "   ", "|", "\x00", "鲸", "的吗呢", "🐳", '"', "zzzzqq" * 400]
)
def test_any_text_may_be_asked_about(library: MakeLibrary, words: str) -> None:
    assert len(library(RULES).suggest(words).found) <= 5


def test_nothing_is_suggested_from_outside_the_scope(library: MakeLibrary) -> None:
    made = library(RULES)
    scope = Scope(("b.md",))
    for words in ("统记表", "公司想刻个圆章，最大能做多大？"):
        for one in made.suggest(words, scope=scope).found:
            assert one.source not in ("a.md", "c.md", "d.md")
            assert "印章" not in one.words
            assert "统计" not in one.words


def test_an_empty_library_suggests_nothing(library: MakeLibrary) -> None:
    assert library({"empty.md": ""}).suggest("统计表怎么导出").found == ()


def test_among_very_many_titles_the_one_that_is_alike_comes_first() -> None:
    titles = [(f"{at}.md", f"规定汇编第 {at} 册") for at in range(5 * COMPARED)]
    titles.append(("work.md", "女职工劳动保护特别规定"))
    found = alike("女员工的劳动有什么规定", titles)
    assert found[0] == (1.0, titles[-1])
    assert len(found) <= COMPARED


def test_as_many_titles_as_can_be_compared_are_all_given() -> None:
    titles = [(f"{at}.md", f"印章 {at}") for at in range(COMPARED)] + [("x.md", "reports\0")]
    assert len(alike("印章", titles)) == COMPARED
    assert [named for _, named in alike("reporting", titles)] == titles[-1:]
