"""What a search may cost: very common words, and the time budget."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import cast

import pytest

from fanshu.agent.render import render_search
from fanshu.library import sqlite_finding
from fanshu.library.library import Library
from fanshu.library.searching import _in_time
from fanshu.library.sqlite import SqliteStore
from fanshu.library.store import AllOf, OutOfTime
from fanshu.library.terms import Phrase
from fanshu.types import COUNTED, TOO_MANY, TOO_SLOW, Scope
from tests.waiting import PATIENCE

# Seconds of CPU for what is shown once the time is up, far more than it takes anywhere; patterns
# that asked at every character for what stands before took three times as much.
AFTERWARDS = 1.0
MakeLibrary = Callable[..., Library]
COMMON = {
    "body.md": "".join(f"# 第 {n} 节\n\n这里提到 超时 一次。\n\n" for n in range(20)),
    "heading.md": "# 关于 超时\n\n说明。\n\n# 其他 超时\n\n说明。\n",
    "first.md": "# 手册\n\n## 超时 与重试\n\n说明。\n",
}


def store_of(library: Library) -> SqliteStore:
    return cast("SqliteStore", library.store)


def ranked(library: Library, limit: int, scored: int, *words: str) -> list[str]:
    """The ids of the candidates for some words, when so many matches may be scored."""
    store = store_of(library)
    query = AllOf(tuple(Phrase((word,)) for word in words))
    found = sqlite_finding.candidates(store._find, query, None, limit, scored)
    return [chunk.chunk_id for chunk in store.chunks([one.row for one in found])]


@pytest.mark.parametrize(
    ("scored", "best"),
    [
        (8_000, {"heading.md#1", "heading.md#2", "first.md#2"}),
        (5, {"heading.md#1", "heading.md#2", "first.md#2"}),
        (2, {"first.md#2"}),
    ],
)
def test_of_very_many_matches_those_in_headings_come_first(
    library: MakeLibrary, scored: int, best: set[str]
) -> None:
    documents = library(COMMON)
    assert set(ranked(documents, 10, scored, "超时")[: len(best)]) == best


@pytest.mark.parametrize("scored", [2, 5, 8_000])
def test_too_few_headings_are_filled_up_with_other_matches(
    library: MakeLibrary, scored: int
) -> None:
    documents = library(COMMON)
    found = ranked(documents, 3, scored, "超时")
    assert len(found) == len(set(found)) == 3
    assert all("超时" in documents.read(one).text for one in found)


def test_every_word_must_match_however_many_do(library: MakeLibrary) -> None:
    documents = library(COMMON)
    assert set(ranked(documents, 10, 1, "超时", "重试")) == {"first.md#2"}


@pytest.mark.slow
def test_more_matches_than_are_counted_are_said_to_be_more(library: MakeLibrary) -> None:
    documents = library({"a.txt": "".join(f"第{n + 1}条 供热\n" for n in range(COUNTED + 50))})
    result = documents.search("供热")
    assert result.total > COUNTED
    assert result.warnings == (TOO_MANY,)
    assert len(result.hits) == 5
    assert "more than 20,000 of" in render_search(result, language="en")
    assert "add a word" in render_search(result, language="en")
    assert "20,000 以上" in render_search(result, language="zh")
    assert "请加一个词" in render_search(result, language="zh")
    assert documents.search("第7条 供热").warnings == ()


def test_a_search_ends_when_its_time_is_up(library: MakeLibrary) -> None:
    documents = library({"a.md": "超时 30 秒"})
    documents.search_seconds = 0.0
    result = documents.search("超时")
    assert (result.hits, result.complete, result.warnings) == ((), False, (TOO_SLOW,))
    assert "0 of" not in render_search(result, language="en")
    assert "没有查完" in render_search(result, language="zh")
    documents.search_seconds = PATIENCE
    again = documents.search("超时")
    assert (len(again.hits), again.complete, again.warnings) == (1, True, ())


@dataclass(frozen=True)
class _Slow(Scope):
    """A scope that tells what is in it when there is no time any more, and then gives some."""

    library: Library | None = None

    def allows(self, file_path: str) -> bool:
        assert self.library
        self.library.search_seconds = PATIENCE
        return super().allows(file_path)


def test_to_learn_what_there_is_takes_no_time_of_the_search(library: MakeLibrary) -> None:
    documents = library({"a.md": "超时 30 秒"})
    documents.search_seconds = 0.0
    result = documents.search("超时", scope=_Slow(library=documents))
    assert (len(result.hits), result.complete) == (1, True)


def test_suggesting_ends_when_its_time_is_up(library: MakeLibrary) -> None:
    documents = library({"a.md": "# 超时设置\n\n30 秒"})
    assert documents.suggest("超时设定").found
    documents.search_seconds = 0.0
    told = documents.suggest("超时设定")
    assert (told.found, told.complete) == ((), False)
    store = store_of(documents)
    with store.within(0.0):
        with pytest.raises(OutOfTime):
            store.aliases(["超时"], None)
        with pytest.raises(OutOfTime):
            store.outline(["a.md"])


def test_a_statement_that_would_never_end_is_stopped(library: MakeLibrary) -> None:
    store = store_of(library({"a.md": "超时"}))
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    with store.snapshot():
        with store.within(0.05), pytest.raises(OutOfTime):
            store._find(endless, ())
        assert store.count(Phrase(("超时",)), None, 10) == 1


def test_the_time_of_one_thread_is_not_that_of_another(library: MakeLibrary) -> None:
    store = store_of(library({"a.md": "超时"}))
    with store.within(0.0), ThreadPoolExecutor(1) as other:
        assert store.out_of_time()
        assert other.submit(store.count, Phrase(("超时",)), None, 10).result() == 1
        with pytest.raises(OutOfTime):
            store.count(Phrase(("超时",)), None, 10)
    assert not store.out_of_time()


def test_what_was_found_before_the_time_was_up_is_kept() -> None:
    def wordings() -> Iterator[str]:
        yield "first"
        raise OutOfTime

    assert _in_time(wordings()) == ["first"]


LETTERS = "".join(chr(0x4E00 + 7 * n) for n in range(2_000))
LATIN = [f"{a}{b}{c}" for a in "bdfgklm" for b in "aeiou" for c in ("st", "rn", "lk", "pt", "x")]
LONG = {
    "zh.md": f"# 长\n\n{LETTERS * 7}\n",
    "en.md": f"# Long\n\n{' '.join(LATIN * 20)}\n\n## Dots\n\n{'a.' * 9_000}\n\n# 的\n\n{'的' * 9_000}\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("question", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        LETTERS,
        " ".join(LETTERS[at : at + 2] for at in range(0, 1_300, 2)),
        " ".join(LATIN * 3),
        "|".join(LATIN * 3),
        "".join(map("".join, zip(LETTERS, LATIN * 12, strict=False))),
        "a." * 1_000,
        "的" * 2_000,
        "1.2." * 500,
        f'"{LETTERS[:1_990]}"',
    ],
    ids=["run", "pairs", "latin", "wordings", "mixed", "dots", "one", "numbers", "quoted"],
)
def test_no_query_and_no_chunk_is_too_long_for_the_time(
    library: MakeLibrary, tmp_path: Path, words: str, question: bool
) -> None:
    made = library(LONG)
    documents = Library(made.roots, tmp_path / "long.db", part_chars=20_000, search_seconds=0.5)
    began = process_time()  # not the clock's: other work may run beside this
    documents.search(words, question=question)
    assert process_time() - began < 0.5 + AFTERWARDS
    documents.close()
