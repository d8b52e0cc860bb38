"""How well a search was met, how much there is, and what is missing: the same in every store."""

import pytest

from fanshu.library.library import Library
from fanshu.types import Level, SearchResult

FILES = {
    "网关.md": "# 网关\n\n## 超时设置\n\n读超时默认三十秒，失败后默认重试三次。\n",
    "队列.md": "# 队列\n\n消息积压时先扩容，再重试。\n",
    "limits.md": "# Limits\n\nThe write timeout is 7 s. Retries follow.\n",
    "order.md": "# Order\n\nA timeout of a write; alpha comes with beta.\n",
    "alpha.md": "# Alone\n\nalpha alone, without the other.\n",
} | {f"供热/{n}.md": f"# 第 {n} 篇\n\n供热期从十一月开始，编号 {n * 37}。\n" for n in range(1, 9)}


def files(result: SearchResult) -> set[str]:
    return {hit.file_path for hit in result.hits}


@pytest.mark.parametrize(
    ("words", "level", "expected"),
    [
        ("默认重试", "phrase", {"网关.md"}),
        ("读超时 重试三次", "phrase", {"网关.md"}),
        ("三次默认", "all", {"网关.md"}),
        ("write timeout", "phrase", {"limits.md", "order.md"}),
        ('"write timeout"', "phrase", {"limits.md"}),
        ("“消息积压”", "phrase", {"队列.md"}),
        ("「消息积压」 重试", "phrase", {"队列.md"}),
        ("重试 鲸鱼", "some", {"网关.md", "队列.md"}),
        ("鲸鱼", "none", set()),
        ("alpha AND beta", "phrase", {"order.md"}),
        ("alpha -beta", "phrase", {"order.md"}),
        ("alpha NOT beta", "phrase", {"order.md"}),
        ("超时|积压", "phrase", {"网关.md", "队列.md"}),
        ("鲸鱼|积压", "phrase", {"队列.md"}),
        ("超时 积压|alpha beta", "phrase", {"order.md"}),
    ],
)
def test_the_strictest_reading_that_finds_anything_answers(
    shelf: Library, words: str, level: Level, expected: set[str]
) -> None:
    result = shelf.search(words, k=20)
    assert (result.level, files(result)) == (level, expected)
    assert result.complete


def test_words_quoted_that_stand_nowhere_so_are_tried_apart_and_said_missing(
    shelf: Library,
) -> None:
    result = shelf.search('"timeout write"')
    assert (result.level, result.missing) == ("some", ("timeout write",))
    assert files(result) == {"limits.md", "order.md"}


def test_missing_are_whole_words_that_stand_nowhere(shelf: Library) -> None:
    assert shelf.search("鲸鱼 重试 walrus").missing == ("鲸鱼", "walrus")
    assert shelf.search("重试").missing == ()


def test_total_counts_what_is_not_shown_and_other_files_name_it(shelf: Library) -> None:
    result = shelf.search("供热期", k=3)
    assert (result.total, len(result.hits), result.files) == (8, 3, 8)
    others = {one.file_path: one.count for one in result.other_files}
    assert others == {f"供热/{n}.md": 1 for n in range(1, 9) if f"供热/{n}.md" not in files(result)}
    assert not result.exhaustive


def test_what_is_shown_whole_is_exhaustive(shelf: Library) -> None:
    assert shelf.search("供热期", k=20).exhaustive
    assert shelf.search("积压", k=5).exhaustive
    assert not shelf.search("重试 鲸鱼", k=20).exhaustive


def test_every_weighty_word_is_counted_for_itself(shelf: Library) -> None:
    words = shelf.search("重试 alpha walrus").words
    assert {one.word: one.count for one in words} == {"重试": 2, "alpha": 2, "walrus": 0}


def test_searched_is_the_number_of_chunks_there_are(shelf: Library) -> None:
    assert shelf.search("重试").searched == len(shelf.outline())


def test_a_whole_question_is_found_by_most_of_its_words(shelf: Library) -> None:
    result = shelf.search("网关的读超时默认是多少秒，要不要配置证书？", question=True)
    assert (result.level, result.hits[0].chunk_id) == ("some", "网关.md#2")
    assert result.strong


def test_each_part_of_a_question_brings_its_place(shelf: Library) -> None:
    result = shelf.search("消息积压怎么办？供热期从几月开始？", k=3, question=True)
    assert "队列.md" in files(result)
    assert any(path.startswith("供热/") for path in files(result))


def test_inflections_stand_for_a_word_that_is_absent(shelf: Library) -> None:
    assert files(shelf.search("timeouts")) == {"limits.md", "order.md"}
    assert files(shelf.search("retry")) == {"limits.md"}


def test_a_heading_ranks_over_a_mention(shelf: Library) -> None:
    assert shelf.search("超时设置").hits[0].chunk_id == "网关.md#2"
    assert shelf.search("alone").hits[0].chunk_id == "alpha.md#1"
