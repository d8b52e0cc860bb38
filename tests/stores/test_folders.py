"""A search in a folder is a search of its documents and of the others, however these are told."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fanshu.library.query import Lexicon
from fanshu.library.searching import search
from fanshu.library.store import Store
from fanshu.library.view import View, search_in
from fanshu.library.widening import OtherWords
from fanshu.types import SearchResult
from tests.stores.conftest import MakePlace
from tests.stores.places import piece, record_of

WORDS = ("超时", "重试", "连接池", "超时重试", "timeout", "timeouts", "pool", "v5.4", "的", "山")
FOLDERS = ("a", "b/c", "b", "d")
DOCUMENTS = 40


@pytest.fixture(scope="module")
def drawn(
    new_place: MakePlace, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Store, View]]:
    store = new_place(tmp_path_factory.mktemp("folders")).store()
    with store.write() as writer:
        for number in range(DOCUMENTS):
            # Those of `a` were read in one go; others lie between each other.
            folder = "a" if number < 9 else FOLDERS[1 + number % 3]
            words = [WORDS[(number * n + n * n) % (3 + number % 8)] for n in range(1, 4)]
            pieces = [piece(at, word, ()) for at, word in enumerate((*words, " ".join(words)), 1)]
            writer.put(record_of(f"{folder}/{number}.md", pieces, ""), pieces)
    records = store.documents()
    yield store, View(records, {}, sum(one.chunks for one in records.values()), True)
    store.close()


def by_definition(
    store: Store, view: View, words: str, path: str, *, question: bool
) -> SearchResult:
    """The documents of a folder and all others, named one by one, each searched in full."""
    inside = [one for one in view.documents if one.startswith(f"{path}/")]
    others = OtherWords((), view.lexicon(store))
    result, elsewhere = (
        search(
            store,
            Lexicon(
                store,
                [view.documents[one].id for one in some],
                sum(view.documents[one].chunks for one in some),
            ),
            words,
            k,
            question=question,
            others=others,
        )
        for some, k in ((inside, 5), (view.documents.keys() - set(inside), 0))
    )
    worth = elsewhere.level == result.level or result.level == "none"
    return replace(
        result,
        path=path,
        elsewhere=elsewhere.total if worth else 0,
        elsewhere_in=elsewhere.other_files if worth else (),
    )


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from((*WORDS, "|", "无此")), min_size=1, max_size=4).map(" ".join),
    st.sampled_from(FOLDERS),
    st.sets(st.integers(0, DOCUMENTS - 1)),
    st.booleans(),
)
def test_a_search_in_a_folder_is_what_the_definition_says(
    drawn: tuple[Store, View], words: str, path: str, hidden: set[int], question: bool
) -> None:
    store, whole = drawn
    seen = {
        one: record
        for number, (one, record) in enumerate(whole.documents.items())
        if number not in hidden or one.startswith(f"{path}/")
    }
    narrow = View(seen, {}, sum(one.chunks for one in seen.values()), not hidden)
    for view in (whole, narrow):
        expected = by_definition(store, view, words, path, question=question)
        with store.snapshot():
            assert search_in(store, view, (), words, 5, path, question=question) == expected
