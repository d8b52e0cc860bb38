"""Words that occur, and what stands for them: vocabulary, near words, synonyms, aliases."""

import pytest

from fanshu.library.library import Library
from fanshu.library.synonyms import DEFAULT
from fanshu.types import OtherWord
from tests.stores.conftest import MakeLibrary
from tests.stores.places import Place, of_chunks

FILES = {
    "a.md": "# 统计报表制度\n\n统计表每月由公司导出一次，timeout 与 timeouts 见下，timer 另说。\n",
    "b.md": "# 拨付\n\n国家金库（以下简称国库）由专门机构管理。统计表存档。\n",
    "c.md": "# 时限\n\n国库应当在三日内拨付，timeout 后重来。\n",
    "d.md": "# Data Migration (DM)\n\nData Migration (DM) copies tables; the timeout is long.\n",
    "e.md": "# Start\n\nStart DM with a file of Bär and TIDB_gc.\n",
    DEFAULT: "月报, 统计表\nstuck => timeout\n",
}


def test_the_vocabulary_counts_chunks_and_is_ordered_by_them(shelf: Library) -> None:
    found = shelf.store.vocabulary("tim", 10)
    assert dict(found) == {"timeout": 3, "timeouts": 1, "timer": 1}
    assert found[0] == ("timeout", 3)
    assert [count for _, count in found] == sorted((count for _, count in found), reverse=True)


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [("统", {"统计": 2}), ("tidb", {"tidb": 1}), ("TIDB", {}), ("nix", {}), ("国库", {"国库": 2})],
)
def test_terms_are_kept_as_they_are_made(
    shelf: Library, prefix: str, expected: dict[str, int]
) -> None:
    assert dict(shelf.store.vocabulary(prefix, 10)) == expected


def test_the_vocabulary_is_cut_after_the_most_frequent(shelf: Library) -> None:
    assert shelf.store.vocabulary("tim", 1) == [("timeout", 3)]
    assert shelf.store.vocabulary("tim", 0) == []


@pytest.mark.parametrize("prefix", ["", "\x00", "a.*", "[", '"', "\\", "(a|b)", "\U0010ffff"])
def test_any_prefix_is_safe(shelf: Library, prefix: str) -> None:
    for term, count in shelf.store.vocabulary(prefix, 5):
        assert term.startswith(prefix)
        assert count > 0


def test_the_vocabulary_forgets_what_is_gone(library: MakeLibrary, place: Place) -> None:
    made = library({"a.md": "zebra zebra\n", "b.md": "zebra zeppelin\n"})
    assert dict(made.store.vocabulary("ze", 10)) == {"zebra": 2, "zeppelin": 1}
    place.write({"b.md": "nothing\n"})
    made.sync()
    assert dict(made.store.vocabulary("ze", 10)) == {"zebra": 1}


def test_a_word_near_a_missing_one_is_proposed(shelf: Library) -> None:
    assert shelf.search("统记表").suggestions == ("统计表",)
    assert "timeout" in shelf.search("timeuot").suggestions
    assert shelf.search("鲸鱼").suggestions == ()


def test_suggestions_are_searches_that_find_something(shelf: Library) -> None:
    for words in ("统记表", "统计制度怎么导出", "how to migrate data tables", "月报 导出"):
        found = shelf.suggest(words)
        assert found.complete
        assert found.found, words
        for one in found.found:
            assert shelf.search(one.words).total >= one.places > 0
    assert shelf.suggest("统记表").found[0].words == "统计表"
    assert shelf.suggest("鲸鱼").found == ()


def test_synonyms_find_under_what_was_asked_and_say_so(shelf: Library) -> None:
    result = shelf.search("月报")
    assert {hit.file_path for hit in result.hits} == {"a.md", "b.md"}
    assert result.others == (OtherWord("月报", "统计表", "synonyms", 2),)
    assert all(hit.via for hit in result.hits)
    assert (result.level, result.missing) == ("none", ("月报",))
    assert {hit.file_path for hit in shelf.search("stuck").hits} == {"a.md", "c.md", "d.md"}


def test_a_name_that_a_document_defines_helps_in_the_others(shelf: Library) -> None:
    result = shelf.search("国家金库")
    assert [hit.file_path for hit in result.hits] == ["b.md", "c.md"]
    assert result.hits[1].via == (OtherWord("国家金库", "国库", "documents", 2),)
    assert {hit.file_path for hit in shelf.search("DM").hits} == {"d.md", "e.md"}


def test_aliases_are_given_from_both_names_and_go_with_their_document(
    library: MakeLibrary, place: Place
) -> None:
    made = library({"b.md": FILES["b.md"], "c.md": FILES["c.md"]})
    store = made.store
    assert store.aliases(["国库", "国家金库", "nix"], None) == [
        ("国家金库", "国库"),
        ("国库", "国家金库"),
    ]
    ids = {path: record.id for path, record in store.documents().items()}
    assert store.aliases(["国库"], {ids["c.md"]}) == []
    assert store.aliases(["国库"], {ids["b.md"], ids["c.md"]}) == [("国库", "国家金库")]
    assert store.aliases([], None) == []
    (place.docs / "b.md").rename(place.docs / "neu.md")
    made.sync()
    assert store.aliases(["国库"], None) == [("国库", "国家金库")]
    place.write({"neu.md": None})
    made.sync()
    assert store.aliases(["国库"], None) == []


def test_a_name_that_two_documents_define_is_given_once(place: Place) -> None:
    from fanshu.library.aliases import Alias

    store = place.store()
    with store.write() as writer:
        for path in ("a.md", "b.md"):
            writer.put(*of_chunks(path, f"text of {path}"), [Alias("long name", "ln")])
        writer.put(*of_chunks("c.md", "text"), [Alias("longer name", "ln")])
    assert store.aliases(["ln"], None) == [("ln", "long name"), ("ln", "longer name")]
    store.close()


def test_synonyms_that_change_count_at_once(library: MakeLibrary, place: Place) -> None:
    made = library({"a.md": "统计表在此\n"})
    assert made.search("账目").level == "none"
    place.write({DEFAULT: "账目, 统计表\n"})
    assert [hit.file_path for hit in made.search("账目").hits] == ["a.md"]


def test_what_documents_hold_is_given_whole_and_in_order(place: Place) -> None:
    from fanshu.library.aliases import Alias

    store = place.store()
    with store.write() as writer:
        writer.put(*of_chunks("b.md", *(f"text {n}" for n in range(12))), [Alias("long", "ln")])
        writer.put(*of_chunks("a.md", "one", "two"))
        writer.put(*of_chunks("empty.md"))
        writer.put(*of_chunks("other.md", "other"))
    with store.write() as writer:
        writer.put(*of_chunks("a.md", "one anew"))
    found = store.contents(["b.md", "a.md", "empty.md", "none.md"])
    assert list(found) == ["b.md", "a.md", "empty.md", "none.md"]
    assert [one.text for one in found["b.md"].chunks] == [f"text {n}" for n in range(12)]
    assert list(found["b.md"].chunks) == [store.chunk("b.md", n) for n in range(1, 13)]
    assert sorted(found["b.md"].aliases) == [("ln", "long"), ("long", "ln")]
    assert [one.text for one in found["a.md"].chunks] == ["one anew"]
    assert (*found["empty.md"], *found["none.md"]) == ([], [], [], [])
    assert store.contents([]) == {}
    store.close()
